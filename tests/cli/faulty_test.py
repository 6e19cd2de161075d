# SPDX-License-Identifier: Apache-2.0
"""Base of the tests of sweeps that fail or are killed."""

import contextlib
import os
import sqlite3
import time

from program_test import DEVICE, TIME_LIMIT_S, SMALL_SPACE, ProgramTest


class FaultyTest(ProgramTest):
    # Many short trials, so that a kill can hit many different points.
    MANY = SMALL_SPACE.replace("threads: [64]", "threads: [64]\n  delta: {range: {from: 1, to: 48, step: 1}}").replace(
        "counters: true", "counters: false").replace("repeats: 2", "repeats: 1")
    MANY_TRIALS = 2 * 48 * 3
    SOME = MANY.replace("to: 48", "to: 8")

    def complete(self, *arguments, **settings):
        """Runs a sweep to its end. Returns its output."""
        return self.succeed("sweep", "s.yaml", "--device", DEVICE, *arguments, **settings)

    def workers_of(self, process):
        """Returns the worker processes of a running sweep."""
        workers = []
        for entry in os.listdir("/proc"):
            with contextlib.suppress(OSError, IndexError, ValueError):
                with open(f"/proc/{entry}/stat", "rb") as file:
                    fields = file.read().rsplit(b")", 1)[1].split()
                if entry.isdigit() and int(fields[1]) == process.pid and fields[0] not in (b"Z", b"X"):
                    workers.append(int(entry))
        return workers

    def check_gone(self, processes):
        deadline = time.monotonic() + TIME_LIMIT_S
        while any(self.is_alive(pid) for pid in processes) and time.monotonic() < deadline:
            time.sleep(0.01)
        self.assertFalse([pid for pid in processes if self.is_alive(pid)])

    @staticmethod
    def state_of(pid):
        try:
            with open(f"/proc/{pid}/stat", "rb") as file:
                return file.read().rsplit(b")", 1)[1].split()[0]
        except OSError:
            return b"X"

    def is_alive(self, pid):
        return self.state_of(pid) not in (b"Z", b"X")

    def rows(self, name, sql):
        with contextlib.closing(sqlite3.connect(f"file:{self.path(name)}?mode=ro", uri=True)) as database:
            return database.execute(sql).fetchall()

    def check_whole(self, name, reference):
        self.check_same_results(name, reference)
        self.assertEqual(self.rows(name, "SELECT count(*) FROM trial"),
                         self.rows(reference, "SELECT count(*) FROM trial"))
        self.assertEqual(self.rows(name, "PRAGMA integrity_check"), [("ok",)])
        self.assertEqual(self.rows(name, "SELECT count(*) FROM trial WHERE state <> 'done' OR outcome <> 'ok'"), [(0,)])
