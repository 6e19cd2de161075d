# SPDX-License-Identifier: Apache-2.0
"""'mlmq verify' reproduces recorded results and detects altered ones."""

import contextlib
import os
import re
import sqlite3

import program_test  # in this folder
from program_test import DEVICE, SMALL_SPACE, SMALL_TRIALS, ProgramTest, without_progress


class Verify(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("s.yaml", SMALL_SPACE)
        self.sweeps("s.yaml", "--db", "r.sqlite")

    def change(self, sql, name="r.sqlite"):
        with contextlib.closing(sqlite3.connect(self.path(name))) as database:
            changed = database.execute(sql).rowcount
            database.commit()
            database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return changed

    def verify(self, *arguments, name="r.sqlite", code=0):
        got, output, errors = self.run_program("verify", name, *arguments)
        self.assertEqual(got, code, output + errors)
        if code == 0:
            self.assertEqual(without_progress(errors), "")
        else:
            self.assertRegex(without_progress(errors), r"\Amlmq: [^\n]+\n\Z")
        return output + without_progress(errors)

    def rows(self, output):
        """Returns the lines of the table, by trial."""
        return {int(line.split()[0]): line for line in output.splitlines() if re.match(r" *\d+  ", line)}

    def test_what_is_on_record(self):
        before = self.read("r.sqlite")
        out = self.verify()
        self.assertIn(f"{SMALL_TRIALS} of {SMALL_TRIALS} finished trials run again; wrong answers: 0, different "
                      "outcomes: 0, different times: 0 of 6, different work: 0", out)
        self.assertEqual(len(self.rows(out)), SMALL_TRIALS)
        self.assertEqual(self.read("r.sqlite"), before)
        # Verifies a part of a compressed copy; the seed decides which part.
        self.write("c.sqlite.gz", before)
        drawn = [sorted(self.rows(self.verify("--sample", "3", "--seed", seed, name="c.sqlite.gz"))) for seed in "112"]
        self.assertEqual([len(some) for some in drawn], [3, 3, 3])
        self.assertEqual(drawn[0], drawn[1])
        self.assertNotEqual(drawn[0], drawn[2])

    def test_changed_times(self):
        for sql in ("UPDATE sample SET milliseconds = milliseconds * 1.001 WHERE trial = 1",
                    "UPDATE trial SET median_ms = median_ms * 1.001 WHERE id = 1"):
            with self.subTest(sql):
                before = self.read("r.sqlite")
                self.change(sql)
                out = self.verify(code=1)
                self.assertIn("time differs", self.rows(out)[1])
                self.assertIn("different times: 1 of 6", out)
                self.assertIn("differ from the record", out)
                self.write("r.sqlite", before)

    def test_changed_outcomes_and_work(self):
        self.change("UPDATE trial SET outcome = 'crashed', median_ms = NULL, spread = NULL WHERE id = 1")
        out = self.verify(code=1)
        self.assertRegex(self.rows(out)[1], r"crashed +ok .*OUTCOME DIFFERS")
        self.assertIn("different outcomes: 1", out)
        counted = "(SELECT min(trial) FROM counter)"
        self.change(f"UPDATE counter SET value = value + 1 WHERE name = 'pops' AND trial = {counted}")
        self.assertIn("different work: 1", self.verify(code=1))

    def test_crashes_do_not_end_it(self):
        """A recorded crash is reproduced: the trial crashes its worker again."""
        kernels = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "kernels")
        os.symlink(kernels, self.path("original"))
        os.mkdir(self.path("kernels"))
        for name in os.listdir(kernels):
            if name != "sssp.cu":
                os.symlink(os.path.join(kernels, name), self.path("kernels/" + name))
        with open(os.path.join(kernels, "sssp.cu"), encoding="utf-8") as file:
            text = file.read()
        self.write("kernels/sssp.cu", text.replace("mlmq::run_search(arguments);", "__builtin_trap();"))
        planted = {"MLMQ_KERNELS": self.path("kernels")}
        self.write("s.yaml",
                   SMALL_SPACE.replace("[none, vector]", "[vector]").replace("counters: true", "counters: false"))
        self.run_program("sweep", "s.yaml", "--db", "x.sqlite", "--device", "simt", environment=planted)
        out = self.succeed("verify", "x.sqlite", environment=planted)
        self.assertIn("3 of 3 finished trials run again; wrong answers: 0, different outcomes: 0", out)
        # The project's own kernels succeed, which is another outcome of other code.
        out = self.verify(name="x.sqlite", code=1)
        self.assertIn("different outcomes: 3", out)
        self.assertIn("other code: times not compared", out)

    def test_other_devices(self):
        out = self.verify("--device", "simt:2x2")
        self.assertIn("another device: times not compared", out)
        self.assertIn("different times: 0 of 0", out)
        # Processors cannot run these configurations, which is no evidence against the record.
        self.refuse("verify", "r.sqlite", "--device", "cpu", code=1,
                    says=["nothing was compared", f"{SMALL_TRIALS} without an answer on cpu (constraint)"])
        self.change("UPDATE trial SET outcome = 'wrong_answer', median_ms = NULL, spread = NULL WHERE id = 1")
        self.assertIn("different outcomes: 1", self.verify("--device", "simt:2x2", code=1))
        self.assertNotIn("another device", self.verify("--device", DEVICE, code=1))
        self.change("UPDATE device SET name = 'NVIDIA X', kind = 'cuda', hash = 'x'")
        out = self.refuse("verify", "r.sqlite", code=1, says="nothing was compared")
        self.assertIn(f"{SMALL_TRIALS} on a device that this machine does not have", out)

    def test_missing_workloads(self):
        text = "".join(f"{i} {(i * 7 + 1) % 50} {i % 9 + 1}\n" for i in range(50))
        os.mkdir(self.path("here"))
        self.write("here/some.txt", text)
        self.write("f.yaml", SMALL_SPACE.replace("{generate: road6, queries: {source: 0}}",
                                                 "{file: here/some.txt, queries: {source: 0}}"))
        self.sweeps("f.yaml", "--db", "f.sqlite")
        self.assertIn(f"{SMALL_TRIALS} of {SMALL_TRIALS} finished trials", self.verify(name="f.sqlite"))
        os.mkdir(self.path("there"))
        os.rename(self.path("here/some.txt"), self.path("there/some.txt"))
        out = self.verify(name="f.sqlite")
        self.assertIn(f"{SMALL_TRIALS - 4} of {SMALL_TRIALS} finished trials", out)
        self.assertIn("skipped: 4 on a workload that is missing or has changed", out)
        out = self.verify("--workloads", "there", name="f.sqlite")
        self.assertIn(f"{SMALL_TRIALS} of {SMALL_TRIALS} finished trials", out)
        self.write("here/some.txt", text.replace("1 8 2", "1 8 3"))
        self.assertIn("skipped: 4", self.verify(name="f.sqlite"))

    def test_mistakes(self):
        self.refuse("verify", "none.sqlite", says="no such database")
        self.refuse("verify", "r.sqlite", "--experiment", "smal", says="did you mean 'small'?")
        self.refuse("verify", "r.sqlite", "--device", "gpu", says="gpu")
        self.refuse("verify", "r.sqlite", "--sample", "0", says="--sample")
        self.write("empty.sqlite.gz", b"")
        self.refuse("verify", "empty.sqlite.gz", says="empty.sqlite.gz")


class VerifyMeasured(ProgramTest):
    """Measured times have a tolerance."""

    def test_processors(self):
        self.write("s.yaml", "name: p\nproblem: sssp\nparameters: {solver: [dijkstra, delta_stepping]}\n"
                   "workloads: [{generate: road8, queries: {source: 0}}]\n"
                   "measurement: {warmup: 1, repeats: 5, counters: false}\n")
        self.succeed("sweep", "s.yaml", "--db", "r.sqlite", "--device", "cpu:1")
        # The tolerance is so wide that even a busy machine stays within it.
        out = self.succeed("verify", "r.sqlite", "--tolerance", "1e6")
        self.assertIn("2 of 2 finished trials run again; wrong answers: 0, different outcomes: 0, different times: 0 "
                      "of 2", out)
        with contextlib.closing(sqlite3.connect(self.path("r.sqlite"))) as database:
            database.execute("UPDATE sample SET milliseconds = milliseconds * 1e9")
            database.execute("UPDATE trial SET median_ms = median_ms * 1e9")
            database.commit()
        self.refuse("verify", "r.sqlite", "--tolerance", "1e6", code=1, prints=True, says="differ from the record")


if __name__ == "__main__":
    program_test.main()
