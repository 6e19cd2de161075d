# SPDX-License-Identifier: Apache-2.0
"""'mlmq sweep' with faulty kernels."""

import contextlib
import os
import re
import signal
import sqlite3
import time

import program_test  # in this folder
from faulty_test import FaultyTest
from program_test import DEVICE, TIME_LIMIT_S, SMALL_SPACE, STUB_CHARTS, planted_kernels, without_progress


class Planted(FaultyTest):
    def planted(self, body):
        """Returns an environment with a copy of the kernels in which `body` comes before the search."""
        return planted_kernels(self.path("kernels"), body)

    ENDLESS = "for (volatile int forever = 1; forever != 0;) {}"

    def test_planted_kernels(self):
        planted = self.planted(f"""
#if MLMQ_HEAVY_DEGREE == 11
  {self.ENDLESS}
#elif MLMQ_HEAVY_DEGREE == 12
  __builtin_trap();
#elif MLMQ_HEAVY_DEGREE == 13
  auto elsewhere = arguments;
  elsewhere.source = 1;
  return mlmq::run_search(elsewhere);
#endif
""")
        space = SMALL_SPACE.replace("threads: [64]", "threads: [64]\n  heavy_degree: [11, 12, 13, 14]").replace(
            "counters: true", "counters: false").replace("l1: [none, vector]", "l1: [none]")
        self.write("s.yaml", space)
        out = self.complete("--db", "r.sqlite", "--workers", "2", "--grace", "3s", environment=planted)
        self.assertIn("12 of 12 trials done, 12 in this run", out)
        self.assertIn("3 timeout, 3 wrong_answer, 3 crashed", out)
        self.assertRegex(out, r"\nfirst failure: \w+, .*heavy_degree=1[123].*: (timeout|wrong_answer|crashed): .")
        self.assertIn("12 workers died or had to be killed", out)
        rows = self.rows("r.sqlite", "SELECT json_extract(c.parameters, '$.heavy_degree'), t.outcome, t.message, "
                          "t.attempt, t.crashes FROM trial t JOIN configuration c ON c.id = t.configuration")
        self.assertEqual(len(rows), 12)
        for degree, outcome, message, attempt, crashes in rows:
            if degree == 11:
                self.assertEqual((outcome, attempt, crashes), ("timeout", 2, 2), message)
                self.assertRegex(message, r"killed: running .*heavy_degree=11.* made no progress for 3 s")
            elif degree == 12:
                self.assertEqual((outcome, attempt, crashes), ("crashed", 2, 2), message)
                self.assertRegex(message, r"^its worker ended with SIG(ILL|TRAP) .* while running .* on \w+, source=0$")
            elif degree == 13:
                self.assertEqual((outcome, attempt, crashes), ("wrong_answer", 1, 0), message)
            else:
                self.assertEqual((outcome, attempt, crashes), ("ok", 1, 0), message)
        # A failure is a result: no trial is retried, and every summary lists the failures.
        out = self.complete("--db", "r.sqlite", environment=planted)
        self.assertIn("12 of 12 trials done, 0 in this run", out)
        self.assertIn("(failed: 3 timeout, 3 wrong_answer, 3 crashed; 0 of them in this run)", out)
        self.assertIn("--retry timeout,wrong_answer,crashed", out)

    def test_retry(self):
        """Earlier failures are measured again on request, but only with the same code."""
        switch = """
#if MLMQ_HEAVY_DEGREE == 11
  if (access("%s/broken", 0) == 0) __builtin_trap();
#elif MLMQ_HEAVY_DEGREE == 12
  auto elsewhere = arguments;
  elsewhere.source = 1;
  return mlmq::run_search(elsewhere);
#endif
""" % self.folder
        planted = self.planted(switch)
        with open(self.path("kernels/sssp.cu"), encoding="utf-8") as file:
            text = file.read()
        with open(self.path("kernels/sssp.cu"), "w", encoding="utf-8") as file:
            file.write('extern "C" int access(const char*, int) noexcept;\n' + text)
        space = SMALL_SPACE.replace("threads: [64]", "threads: [64]\n  heavy_degree: [11, 12, 14]").replace(
            "counters: true", "counters: false").replace("l1: [none, vector]", "l1: [none]")
        self.write("s.yaml", space.replace("seed: 1", "finalists: 2, seed: 1"))
        self.write("broken", "")
        out = self.complete("--db", "r.sqlite", environment=planted)
        self.assertIn("9 of 9 trials done, 9 in this run", out)
        self.assertIn("(failed: 3 wrong_answer, 3 crashed)", out)
        query = re.search(r'mlmq db query "([^"]+)" (\S+)', out)
        listed = self.succeed("db", "query", query.group(1), query.group(2), "--format", "csv")
        self.assertEqual(len(listed.splitlines()), 7, listed)
        self.assertEqual(self.rows("r.sqlite", "SELECT count(*) FROM finalist"), [(0,)])

        os.remove(self.path("broken"))
        # Another workload does not belong to this sweep.
        out = self.complete("--db", "r.sqlite", "--workloads", "road7", "--retry", "timeout", environment=planted)
        self.assertIn("--retry timeout: no finished trial of this sweep has such an outcome", out)
        out = self.complete("--db", "r.sqlite", "--retry", "crashed,timeout", environment=planted)
        self.assertIn("--retry crashed,timeout: 3 trials are measured again (failed: 3 crashed)", out)
        self.assertIn("12 of 12 trials done, 3 in this run", out)
        self.assertIn("(failed: 4 wrong_answer; 0 of them in this run)", out)
        rows = self.rows("r.sqlite", "SELECT json_extract(c.parameters, '$.heavy_degree'), t.outcome, t.message, "
                          "t.attempt, t.crashes, t.median_ms IS NOT NULL FROM trial t JOIN configuration c "
                          "ON c.id = t.configuration JOIN workload w ON w.id = t.workload WHERE w.name <> 'road7' AND "
                          "json_extract(c.parameters, '$.heavy_degree') = 11")
        # The first two attempts cost a worker each; the third counts as a claim, but not as a charge.
        self.assertEqual(rows, [(11, "ok", "", 3, 0, 1)] * 3)
        # The finals were decided without these trials.
        self.assertEqual(self.rows("r.sqlite", "SELECT count(*) FROM finalist f JOIN trial t ON t.id = f.trial "
                                   "JOIN workload w ON w.id = t.workload WHERE w.name <> 'road7'"), [(6,)])

        # Trials of other code are separate trials.
        out = self.complete("--db", "r.sqlite", "--retry", "failed")
        self.assertIn("--retry failed: no finished trial", out)
        self.assertIn("3 trials that failed with different kernel code are not repeated", out)

    def test_failures_of_a_mended_kernel(self):
        """Every command shows the results of the newest kernel code and prints how many results it leaves out."""
        planted = self.planted("""
#if MLMQ_HEAVY_DEGREE == 12
  auto elsewhere = arguments;
  elsewhere.source = 1;
  return mlmq::run_search(elsewhere);
#endif
""")
        space = SMALL_SPACE.replace("threads: [64]", "threads: [64]\n  heavy_degree: [11, 12]").replace(
            "counters: true", "counters: false").replace("l1: [none, vector]", "l1: [none]")
        self.write("s.yaml", space)
        out = self.complete("--db", "r.sqlite", environment=planted)
        self.assertIn("6 of 6 trials done, 6 in this run", out)
        self.assertIn("(failed: 3 wrong_answer)", out)
        self.assertNotIn("different kernel code", out)
        before = self.read("r.sqlite")
        # The mended kernel measures one workload: no other trial of the older code counts any more.
        left_out = "6 finished trials of other kernel code (1 version) are left out"
        out = self.complete("--db", "r.sqlite", "--workloads", "road6")
        self.assertIn("2 of 2 trials done, 2 in this run", out)
        self.assertIn("(no failures)", out)
        self.assertIn(left_out + "; 'mlmq db status r.sqlite --code all' includes them\n", out)
        self.assertNotIn("failed trials", out)
        out = self.complete("--db", "r.sqlite")
        self.assertIn("8 of 8 trials done, 6 in this run", out)  # on road6, from two vertices
        self.assertIn("(no failures)", out)

        note = f"mlmq: note: {left_out}; --code all includes them\n"
        def shown(*arguments):
            code, output, errors = self.run_program(*arguments)
            self.assertEqual(code, 0, errors)
            return output, errors
        status = shown("db", "status", "r.sqlite")[0]
        self.assertNotIn("wrong_answer", status)
        self.assertIn(left_out + "; --code all includes them\n", status)
        self.assertIn("wrong_answer", shown("db", "status", "r.sqlite", "--code", "all")[0])
        count = "SELECT count(*) FROM {} WHERE outcome = 'wrong_answer'"
        for view in ("result", "latest"):
            output, errors = shown("db", "query", "--format", "csv", count.format(view), "r.sqlite")
            self.assertEqual((output.split()[-1], errors), ("0", note))
        output, errors = shown("db", "query", "--format", "csv", "--code", "all", count.format("result"), "r.sqlite")
        self.assertEqual((output.split()[-1], errors), ("3", ""))
        # Other programs that query the database see the same results as these commands.
        self.assertEqual(self.rows("r.sqlite", count.format("result")), [(0,)])
        for form in ("csv", "t4", "nvbench", "kernel-tuner-cache"):
            _, errors = shown("db", "export", "r.sqlite", "--format", form, "--output", "x/")
            self.assertEqual(errors, note)
        self.assertEqual(len(self.read("x/results.csv").splitlines()), 9)
        shown("db", "export", "r.sqlite", "--code", "all", "--output", "all.csv")
        self.assertEqual(len(self.read("all.csv").splitlines()), 15)
        output, errors = shown("selector", "train", "r.sqlite", "--output", "m.json")
        self.assertIn("of 2 configurations as candidates", output)
        self.assertEqual(errors, note)
        self.write("charts.js", STUB_CHARTS)
        output, errors = shown("report", "r.sqlite", "--output", "r.html", "--no-selectors", "--charts", "charts.js")
        self.assertIn("8 trials in 1 result set", output)
        self.assertEqual(errors, note)
        self.assertIn(left_out, self.read("r.html").decode())
        output, errors = shown("verify", "r.sqlite", "--sample", "20")
        self.assertIn("8 of 8 finished trials run again; wrong answers: 0, different outcomes: 0", output)
        self.assertEqual(without_progress(errors), note)
        output = self.run_program("verify", "r.sqlite", "--sample", "20", "--code", "all")[1]
        self.assertIn("14 of 14 finished trials run again; wrong answers: 0, different outcomes: 3", output)

        # The code of one version, by the beginning of its hash.
        self.write("old.sqlite", before)
        older, = self.rows("old.sqlite", "SELECT DISTINCT kernel_source_hash FROM trial")[0]
        status = shown("db", "status", "r.sqlite", "--code", older[:8])[0]
        self.assertIn("6 of 6 trials done", status)
        self.assertIn("wrong_answer 3", status)
        self.refuse("db", "status", "r.sqlite", "--code", "none", says=["no trial has the kernel code 'none'", older])
        # A merge keeps both versions.
        self.succeed("db", "merge", "m.sqlite", "r.sqlite", "old.sqlite")
        self.assertIn(left_out, shown("db", "status", "m.sqlite")[0])

    def test_every_trial_fails(self):
        planted = self.planted("__builtin_trap();")
        self.write("s.yaml",
                   SMALL_SPACE.replace("l1: [none, vector]", "l1: [none]").replace("counters: true", "counters: false"))
        for measured in (3, 0):
            code, output, errors = self.run_program("sweep", "s.yaml", "--db", "r.sqlite", "--device", DEVICE,
                                                    environment=planted)
            self.assertEqual(code, 1)
            self.assertIn(f"3 of 3 trials done, {measured} in this run", output)
            self.assertIn("failed: 3 crashed", output)
            self.assertEqual(without_progress(errors),
                             "mlmq: s.yaml: all 3 finished trials of the experiment failed; see the summary\n")
        self.refuse("sweep", "s.yaml", "--retry", "crushed", says=["--retry", "unknown outcome 'crushed'", "crashed"])
        self.refuse("sweep", "s.yaml", "--retry", "ok", says=["--retry", "'ok' is not a failure"])
        self.refuse("sweep", "s.yaml", "--retry", "crashed", "--dry-run", says="--retry")

    def test_last_words(self):
        planted = self.planted('__builtin_printf("on the wrong stream\\n"); throw "a kernel does not throw";')
        self.write("s.yaml", SMALL_SPACE.replace("l1: [none, vector]", "l1: [none]").replace(
            "counters: true", "counters: false"))
        code, _, _ = self.run_program("sweep", "s.yaml", "--db", "r.sqlite", "--device", DEVICE, environment=planted)
        self.assertEqual(code, 1)
        self.assertEqual(self.rows("r.sqlite", "SELECT DISTINCT outcome, crashes FROM trial"), [("crashed", 2)])
        for (message,) in self.rows("r.sqlite", "SELECT message FROM trial"):
            self.assertRegex(message, r"^its worker ended with SIGABRT \(Aborted\) while running .* on \w+, source=0; "
                             r"its last output: terminate called")

    @staticmethod
    def is_pending(pid, number):
        """Returns whether a signal sent to the process is still pending."""
        with open(f"/proc/{pid}/status", encoding="utf-8") as file:
            waiting = re.findall(r"^(?:Sig|Shd)Pnd:\s*(\w+)$", file.read(), flags=re.MULTILINE)
        return any(int(signals, 16) >> (number - 1) & 1 for signals in waiting)

    def test_second_interrupt(self):
        # The kernel never ends: the first Ctrl-C waits for it, the second does not.
        planted = self.planted(self.ENDLESS)
        self.write("s.yaml", SMALL_SPACE)
        process = self.start("sweep", "s.yaml", "--db", "r.sqlite", "--device", DEVICE, environment=planted)
        deadline = time.monotonic() + TIME_LIMIT_S
        running = [(0,)]
        while running == [(0,)] and time.monotonic() < deadline:
            time.sleep(0.02)
            with contextlib.suppress(sqlite3.Error):
                running = self.rows("r.sqlite", "SELECT count(*) FROM trial WHERE state = 'running'")
        workers = self.workers_of(process)
        self.assertEqual(len(workers), 1)
        # Stop the worker in the kernel, not while it waits for the compiler: there, it cannot notice by itself.
        busy = 0
        while busy < 10 and time.monotonic() < deadline:
            time.sleep(0.02)
            busy = busy + 1 if self.state_of(workers[0]) == b"R" else 0
        process.send_signal(signal.SIGINT)
        # Two pending signals would be merged into one.
        while self.is_pending(process.pid, signal.SIGINT) and time.monotonic() < deadline:
            time.sleep(0.01)
        self.assertIsNone(process.poll())
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=TIME_LIMIT_S)
        self.assertEqual(process.returncode, -signal.SIGINT)
        self.check_gone(workers)


if __name__ == "__main__":
    program_test.main()
