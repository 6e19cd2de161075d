# SPDX-License-Identifier: Apache-2.0
"""One form for durations."""

import re

import program_test
from program_test import ProgramTest
import test_arguments

class OptionForms(ProgramTest):
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
                                     ("compare", "--grace"), ("solve", "--time-limit")})

    def test_units_of_durations(self):
        for limit in ("1h", "2min", "10s", "500ms", "1e7us"):
            self.solve("road6", "--time-limit", limit)
        for wrong in ("2000", "0s", "-1s", "1d", "s", "1 s", "1e400h", "nans"):
            self.refuse("solve", "road6", f"--time-limit={wrong}",
                        says=["--time-limit", f"'{wrong}'", "10s, 4min or 2h"])
        # The unit is used: a millionth of a millisecond is too short for any search.
        self.refuse("solve", "road6", "--device", "simt", "--time-limit", "0.001us", code=1, says="timeout")


if __name__ == "__main__":
    program_test.main()
