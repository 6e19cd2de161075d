# SPDX-License-Identifier: Apache-2.0
"""One form for durations, devices and databases; old forms work with a note."""

import re

import program_test
from program_test import SMALL_SPACE, ProgramTest
import test_arguments

NOTE = "mlmq: note: "


class OptionForms(ProgramTest):
    def run_with_note(self, *arguments, says):
        """Runs a command that must succeed with exactly one note on standard error."""
        code, output, errors = self.run_program(*arguments)
        notes = [line for line in errors.splitlines() if line.startswith(NOTE)
                 and ("deprecated" in line or "unit" in line)]
        self.assertEqual(code, 0, errors)
        self.assertEqual(len(notes), 1, errors)
        for part in says:
            self.assertIn(part, notes[0])
        return output

    def test_every_duration_takes_units(self):
        durations = set()
        for command in test_arguments.Arguments.COMMANDS:
            text = self.succeed(*command.split(), "--help")
            for option, kind, meaning in re.findall(r"(?m)^  (--[\w-]+) ([A-Z]\S*)([^-].*(?:\n {10,}.*)*)", text):
                if kind.startswith("DURATION"):
                    durations.add((command, option))
                else:
                    self.assertNotRegex(meaning, r"\b(micro|milli)?seconds\b|\bminutes\b(?! *\])",
                                        f"{command} {option}")
        self.assertEqual(durations, {("tune", "--budget"), ("compare", "--budget"), ("reproduce", "--budget"),
                                     ("sweep", "--grace"), ("tune", "--grace"), ("verify", "--grace"),
                                     ("compare", "--grace"), ("solve", "--time-limit"),
                                     ("selector evaluate", "--transfer-latency")})

    def test_units_of_durations(self):
        for limit in ("1h", "2min", "10s", "500ms", "1e7us"):
            self.solve("road6", "--time-limit", limit)
        for wrong in ("0s", "-1s", "1d", "s", "1 s", "1e400h", "nans"):
            self.refuse("solve", "road6", f"--time-limit={wrong}",
                        says=["--time-limit", f"'{wrong}'", "10s, 4min or 2h"])
        # The unit is used: a millionth of a millisecond is too short for any search.
        self.refuse("solve", "road6", "--device", "simt", "--time-limit", "0.001us", code=1, says="timeout")

    def test_numbers_without_a_unit(self):
        solved = self.run_with_note("solve", "road6", "--device", "simt", "--time-limit", "2000",
                                    says=["--time-limit 2000", "2000ms"])
        self.assertIn("time ", solved)
        self.write("s.yaml", SMALL_SPACE)
        self.run_with_note("sweep", "s.yaml", "--device", self.simulated, "--grace", "20", says=["--grace 20", "20s"])
        # A command line that is refused has one error and no note.
        self.refuse("solve", "road6", "--time-limit", "2000", "--bogus", says="--bogus")

    def test_databases_and_devices(self):
        self.write("s.yaml", SMALL_SPACE)
        self.sweeps("s.yaml", "--db", "r.sqlite")
        sql = "SELECT count(*) AS trials FROM trial"
        rows = self.succeed("db", "query", sql, "r.sqlite")
        self.assertEqual(self.run_with_note("db", "query", "--db", "r.sqlite", sql, says=["--db", "database"]), rows)
        self.refuse("db", "query", "--db", "r.sqlite", sql, "r.sqlite", says=["--db", "database", "cannot be combined"])
        replayed = ("--strategies", "random", "--seeds", "2", "--budget", "2")
        printed = self.succeed("replay", "r.sqlite", *replayed)
        again = self.run_with_note("replay", "--db", "r.sqlite", *replayed, says=["--db", "files"])
        self.assertEqual(again.splitlines()[0], printed.splitlines()[0])
        self.write("ours.yaml", SMALL_SPACE.replace("road6", "road5"))
        arguments = ("compare", "--configurations", "ours.yaml", "--peers", "none", "--repeats", "1",
                     "--workloads", "road5")
        self.assertIn("road5",
                      self.run_with_note(*arguments, "--devices", self.simulated, says=["--devices", "--device"]))
        self.assertNotIn("deprecated", self.run_program(*arguments, "--device", self.simulated)[2])


if __name__ == "__main__":
    program_test.main()
