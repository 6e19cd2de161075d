# SPDX-License-Identifier: Apache-2.0
"""Shared by the tests of plots/: a small database, a temporary folder, and functions that run scripts."""

from __future__ import annotations

import os
import runpy
import struct
import subprocess
import sys
import tempfile
import traceback
import unittest
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[2]
PLOTS = ROOT / "plots"
sys.path[:0] = [str(PLOTS), str(Path(__file__).resolve().parent)]

import results  # noqa: E402
import style  # noqa: E402
import figure_checks  # noqa: E402
from synthetic import Database, configuration, label_of  # noqa: E402

# The version of matplotlib that drew the pictures of the documentation; others write different bytes.
DRAWN_WITH = "3.6.3"

FAST = configuration("vector", "bucket", delta=8.0)
WIDE = configuration("vector", "bucket", delta=32.0)
PLAIN = configuration("vector", "vector")
BARE = configuration("none", "vector")

# Milliseconds by workload; None: the trial timed out. The best of each is 1, 2, 4 and 10 ms.
TIMES = {
    ("r1", "road"): {"FAST": 1.0, "WIDE": 2.0, "PLAIN": 4.0, "BARE": None},
    ("r2", "road"): {"FAST": 2.0, "WIDE": 4.0, "PLAIN": 2.5, "BARE": 8.0},
    ("m1", "mesh"): {"FAST": 5.0, "WIDE": 4.0, "PLAIN": 8.0, "BARE": 16.0},
    ("p1", "power_law"): {"FAST": 20.0, "WIDE": 40.0, "PLAIN": 10.0, "BARE": 12.5},
}
CONFIGURATIONS = {"FAST": FAST, "WIDE": WIDE, "PLAIN": PLAIN, "BARE": BARE}
PICKS = {"r1": "FAST", "r2": "PLAIN", "m1": "WIDE", "p1": "PLAIN"}  # relative: 1, 0.8, 1, 1


def build(path: Path, kind: str = "cuda", device: str = "NVIDIA H200", counters: bool = True) -> Database:
    """Builds the database of TIMES; every configuration pops 3 elements per vertex, FAST 2 on roads."""
    database = Database(path)
    device_id = database.device(device, kind)
    for (name, class_), times in TIMES.items():
        graph = database.graph(name, class_)
        for key, milliseconds in times.items():
            outcome = "timeout" if milliseconds is None else "ok"
            database.trial(device_id, graph, CONFIGURATIONS[key], milliseconds, outcome=outcome,
                           modelled=kind == "simt")
            if counters and milliseconds is not None:
                pops = 200 if key == "FAST" and class_ == "road" else 300
                database.trial(device_id, graph, CONFIGURATIONS[key], pops=pops)
    return database


def picks_text(picks: dict[str, str]) -> str:
    """Returns picks in the format of `mlmq selector picks --format csv`; the last column is wrong on purpose."""
    lines = ["workload,class,query,best_configuration,best_ms,pick,pick_ms,relative"]
    for (name, class_), times in TIMES.items():
        if name in picks:
            best = min((key for key in times if times[key] is not None), key=lambda key: times[key])
            lines.append(f'{name},{class_},source=0,"{label_of(CONFIGURATIONS[best])}",{times[best]},'
                         f'"{label_of(CONFIGURATIONS[picks[name]])}",{times[picks[name]]},0.123')
    return "\n".join(lines) + "\n"


def _load_backends() -> None:
    """Renders a figure in all formats, so that the copies of this process have Matplotlib's backends and fonts."""
    figure, (axes,) = style.new_figure(2, 1)
    axes.set(title="bold Δ", xlabel="x", ylabel="y")
    axes.text(0, 0, "text", weight="bold")
    with tempfile.TemporaryDirectory() as folder:
        style.save(figure, Path(folder) / "figure.svg", with_pdf=True)


_load_backends()


def _run_as_program(command: list[str]) -> int:
    """Runs a script in this process. Returns its exit status."""
    sys.argv = command
    warnings.simplefilter("error", UserWarning)
    save = style.save

    def checked_save(figure: style.Figure, *arguments: object, **options: object) -> list[Path]:
        if found := figure_checks.faults(figure):
            raise AssertionError("; ".join(found))
        return save(figure, *arguments, **options)

    style.save = checked_save
    status = 0
    try:
        runpy.run_path(command[0], run_name="__main__")
    except SystemExit as end:
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
        status = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
    except BaseException:  # like the interpreter
        traceback.print_exc()
        status = 1
    sys.stdout.flush()
    sys.stderr.flush()
    return status


class Files(unittest.TestCase):
    """A test case with a temporary folder that runs scripts from the command line."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.database = self.folder / "results.sqlite"

    def process(self, name: str, *arguments: object) -> subprocess.CompletedProcess[str]:
        """Runs a script from the command line."""
        environment = {**os.environ, "MPLCONFIGDIR": tempfile.gettempdir(), "PYTHONWARNINGS": "error::UserWarning"}
        return subprocess.run([sys.executable, "-B", str(PLOTS / name), *map(str, arguments)], text=True,
                              capture_output=True, env=environment, check=False)

    def script(self, name: str, *arguments: object) -> subprocess.CompletedProcess[str]:
        """Runs a script in a copy of this process, where Matplotlib is already loaded: this halves the time."""
        command = [str(PLOTS / name), *map(str, arguments)]
        with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as errors:
            child = os.fork()
            if child == 0:
                os.dup2(output.fileno(), 1)
                os.dup2(errors.fileno(), 2)
                sys.stdout, sys.stderr = open(1, "w", closefd=False), open(2, "w", closefd=False)
                os._exit(_run_as_program(command))
            _, status = os.waitpid(child, 0)
            output.seek(0)
            errors.seek(0)
            return subprocess.CompletedProcess(command, os.waitstatus_to_exitcode(status), output.read(), errors.read())

    def in_turn(self, calls: list[tuple[object, ...]]) -> list[subprocess.CompletedProcess[str]]:
        """Runs several scripts, each in a copy of this process."""
        return [self.script(str(call[0]), *call[1:]) for call in calls]

    def at_once(self, calls: list[tuple[object, ...]]) -> list[subprocess.CompletedProcess[str]]:
        """Runs several scripts in parallel from the command line."""
        with ThreadPoolExecutor() as pool:
            return list(pool.map(lambda call: self.process(str(call[0]), *call[1:]), calls))

    def refused(self, run: subprocess.CompletedProcess[str], *parts: str, status: int = 2) -> None:
        self.assertEqual(run.returncode, status, run.stderr)
        self.assertEqual(run.stdout, "")
        self.assertEqual(run.stderr.count("\n"), 1, run.stderr)
        for part in parts:
            self.assertIn(part, run.stderr)

    def load(self, device: str | None = None) -> results.Times:
        with results.open_database(self.database) as connection:
            return results.times_of(connection, results.choose_device(connection, "sssp", device), "sssp")


def pixels(png: Path) -> tuple[int, int]:
    """Returns width and height of a PNG file."""
    head = png.read_bytes()[:24]
    assert head[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", head[16:24])
    return width, height
