# SPDX-License-Identifier: Apache-2.0
"""Progress of long commands (a bar on a terminal, lines elsewhere) and the number of trials that a sweep announces."""

import os
import re
import signal
import subprocess

import program_test
from program_test import SMALL_SPACE, ProgramTest, with_deltas

LEARNING = "strategy: {name: local, budget: 3}\n"


class Progress(ProgramTest):
    def on_terminal(self, *arguments, **more):
        """Returns exit code and standard error of a command whose standard error is a terminal without a width."""
        reader, writer = os.openpty()
        variables = {**os.environ, "MLMQ_CACHE": program_test.CACHE, "LC_ALL": "C", "NO_COLOR": "1", **more}
        process = subprocess.Popen([program_test.PROGRAM, *arguments], cwd=self.folder, env=variables,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=writer)
        os.close(writer)
        written = b""
        while True:
            try:
                chunk = os.read(reader, 65536)
            except OSError:
                break  # the other end is closed
            if not chunk:
                break
            written += chunk
        os.close(reader)
        return process.wait(timeout=program_test.TIME_LIMIT_S), written.decode()

    def test_dry_run_counts_the_trials_of_a_strategy(self):
        # Three workloads with one query each; every configuration is timed and its work is counted.
        for strategy, says in [("strategy: {name: random, count: 2}\n",
                                "2 configurations, 6 trials on one kind of device, plus as many"),
                               (LEARNING, "up to 3 configurations for each workload, up to 9 trials on one kind of "
                                          "device, plus as many"),
                               ("strategy: {name: local, seconds: 90}\n",
                                "the evaluations take 1 min 30 s per workload")]:
            self.write("s.yaml", with_deltas([1, 2, 4, 8]) + strategy)
            self.assertIn(says, self.succeed("sweep", "s.yaml", "--dry-run", "--device", self.simulated))

    def test_a_learning_strategy_counts_against_its_budget(self):
        self.write("s.yaml", with_deltas([1, 2, 4, 8]) + LEARNING)
        # Kernels are compiled: a sweep that ends at once shows no progress.
        code, shown = self.on_terminal("sweep", "s.yaml", "--db", "r.sqlite", "--device", self.simulated,
                                       MLMQ_CACHE=self.path("empty_cache"))
        self.assertEqual(code, 0, shown)
        counts = re.findall(r"(\d+)/(\d+) trials", shown)
        self.assertTrue(counts, shown)
        self.assertEqual({total for _, total in counts}, {"18"}, shown)
        self.assertRegex(shown, r"\r\[[#.]{20}\] \d+/18 trials, ")
        self.assertIn(" left, ", shown)
        summary = self.succeed("sweep", "s.yaml", "--db", "r.sqlite", "--device", self.simulated)
        self.assertIn("18 of 18 trials done", summary)

    def test_long_commands_on_a_terminal_and_in_a_pipe(self):
        arguments = ("check", "--only", "two_level", "--schedules", "1000000")
        process = self.start(*arguments)
        line = b""
        while not re.search(rb"\d+/\d+ schedules, ", line):
            line = process.stderr.readline()
            self.assertTrue(line, "it ended without a line of progress")
        process.send_signal(signal.SIGKILL)
        process.communicate()
        self.assertRegex(line, rb"^\d+/\d+ schedules, (\d+ h )?(\d+ min )?(\d+ s )?left\n$")
        self.write("s.yaml", SMALL_SPACE)
        self.sweeps("s.yaml", "--db", "r.sqlite")
        for command in (("replay", "r.sqlite", "--seeds", "60000", "--budget", "4", "--strategies", "random"),
                        ("check", "--only", "two_level", "--schedules", "5")):
            code, shown = self.on_terminal(*command)
            self.assertEqual(code, 0, shown)
            self.assertRegex(shown, r"\r\[[#.]{20}\] \d+/\d+ (runs|schedules|variants compiled)", str(command))


    def test_colours(self):
        coloured = "\x1b[31mmlmq:\x1b[0m unknown command"
        for variables, has_colours in (({"NO_COLOR": ""}, True), ({}, False), ({"CLICOLOR_FORCE": "1"}, False),
                                       ({"NO_COLOR": "", "TERM": "dumb"}, False),
                                       ({"NO_COLOR": "", "CLICOLOR": "0"}, False)):
            code, shown = self.on_terminal("swep", **{"TERM": "xterm", **variables})
            self.assertEqual(code, 2, shown)
            self.assertEqual(shown.startswith(coloured), has_colours, str(variables))
            self.assertEqual("\x1b" in shown, has_colours, str(variables))
        plain = self.succeed("help", "sweep")
        self.assertNotIn("\x1b", plain)
        bold = self.succeed("help", "sweep", environment={"CLICOLOR_FORCE": "1"})
        self.assertIn("\x1b[1mDevices and limits:\x1b[0m\n", bold)
        self.assertEqual(re.sub(r"\x1b\[\d+m", "", bold), plain)

    def test_a_terminal_that_cannot_update_a_line_gets_plain_lines(self):
        _, shown = self.on_terminal("check", "--only", "two_level", "--schedules", "5", TERM="dumb")
        self.assertNotIn("\r[", shown)


if __name__ == "__main__":
    program_test.main()
