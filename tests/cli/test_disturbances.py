# SPDX-License-Identifier: Apache-2.0
"""Sweeps with processes killed, stopped and interrupted at random: every trial is measured once, and none is charged
for a signal that its worker got from outside.

usage: test_disturbances.py MLMQ CACHE [--count N] [--seed S] [CLASS[.TEST] ...]

N disturbances (10) are drawn with the seed S (1); with --count a summary is printed.
"""

import collections
import contextlib
import os
import random
import signal
import sys
import time

import program_test  # in this folder
from faulty_test import FaultyTest
from program_test import DEVICE, TIME_LIMIT_S, without_progress

COUNT = 10
SEED = 1
TALKS = False

GRACE = 2.0

# Target process, signal, and relative frequency.
KINDS = [("worker", signal.SIGKILL, 4), ("worker", signal.SIGSTOP, 4), ("worker", signal.SIGTERM, 2),
         ("worker", signal.SIGINT, 1), ("supervisor", signal.SIGKILL, 3), ("supervisor", signal.SIGINT, 2),
         ("supervisor", signal.SIGTERM, 2), ("supervisor", signal.SIGSTOP, 2)]


class Disturbances(FaultyTest):
    """The trials of a sweep are complete, whatever happens to its processes."""

    SPACE = FaultyTest.MANY.replace("seed: 1", "finalists: 2, final_rounds: 3, seed: 1")

    def setUp(self):
        super().setUp()
        self.draw = random.Random(SEED)
        self.process = None
        self.sweeps = 0
        self.database = 0
        self.done = collections.Counter()
        self.addCleanup(self.end)

    def end(self):
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
            self.process.communicate()

    def name(self):
        return f"r{self.database}.sqlite"

    def begin(self):
        self.process = self.start("sweep", "s.yaml", "--db", self.name(), "--device", DEVICE, "--workers", "2",
                                  "--grace", f"{GRACE}s")
        self.sweeps += 1

    def wait_for_end(self, *statuses):
        """Waits for the current sweep, which must end with one of these exit statuses."""
        workers = self.workers_of(self.process)
        output, errors = self.process.communicate(timeout=TIME_LIMIT_S)
        self.assertIn(self.process.returncode, statuses, (output, errors))
        self.assertEqual(without_progress(errors.decode()), "")
        self.check_gone(workers)
        return self.process.returncode

    def next_database(self):
        """Checks that the current database is complete, and starts a new one."""
        self.check_whole(self.name(), "reference.sqlite")
        self.assertEqual(self.rows(self.name(), "SELECT count(*), min(kills), max(crashes) FROM trial"),
                         [(self.MANY_TRIALS, 0, 0)])
        self.assertEqual(self.rows(self.name(), "SELECT count(*), sum(message <> '') FROM final WHERE state = 'done'"),
                         [(3, 0)])
        self.assertEqual(self.rows(self.name(), "SELECT count(*) FROM final_sample"), [(18,)])
        self.database += 1

    def disturb(self, target, number):
        """Sends a signal. Returns whether there was a process to receive it."""
        if target == "worker":
            workers = self.workers_of(self.process)
            if not workers:
                return False
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.draw.choice(workers), number)
            return True
        self.process.send_signal(number)
        if number == signal.SIGSTOP:
            time.sleep(self.draw.uniform(0.1, 2 * GRACE))
            self.process.send_signal(signal.SIGCONT)
        elif number == signal.SIGKILL:
            self.wait_for_end(0, -number)
        else:
            # The signal may arrive before its handler is installed.
            self.wait_for_end(0, 1, -number)
        return True

    def test_random_disturbances(self):
        begin = time.monotonic()
        self.write("s.yaml", self.SPACE)
        self.complete("--db", "reference.sqlite", "--workers", "2")
        kinds, weights = [kind[:2] for kind in KINDS], [kind[2] for kind in KINDS]
        while sum(self.done.values()) < COUNT:
            if self.process is None or self.process.poll() is not None:
                if self.process is not None and self.process.returncode == 0:
                    if self.process.stdout is not None and not self.process.stdout.closed:
                        self.wait_for_end(0)
                    self.next_database()
                elif self.process is not None and not self.process.stdout.closed:
                    self.fail(f"the sweep ended by itself: {self.process.communicate()}")
                self.begin()
            time.sleep(self.draw.uniform(0, 0.6))
            target, number = self.draw.choices(kinds, weights)[0]
            if self.process.poll() is None and self.disturb(target, number):
                self.done[f"{number.name} to a {target}"] += 1
        if self.process.poll() is None:
            self.wait_for_end(0)
        elif not self.process.stdout.closed:
            self.wait_for_end(0)
        if self.process.returncode != 0:
            self.begin()
            self.wait_for_end(0)
        self.next_database()
        if TALKS:
            print(f"{sum(self.done.values())} disturbances of {self.sweeps} sweeps over {self.database} databases in "
                  f"{time.monotonic() - begin:.0f} s: " +
                  ", ".join(f"{n} {name}" for name, n in sorted(self.done.items())))


def take_option(name, standard):
    if name not in sys.argv:
        return standard
    place = sys.argv.index(name)
    value = int(sys.argv[place + 1])
    del sys.argv[place:place + 2]
    return value


if __name__ == "__main__":
    TALKS = "--count" in sys.argv
    COUNT = take_option("--count", COUNT)
    SEED = take_option("--seed", SEED)
    program_test.main()
