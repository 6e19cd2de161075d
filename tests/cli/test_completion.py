# SPDX-License-Identifier: Apache-2.0
"""'mlmq completion' in the shells themselves, and the manual pages."""

import os
import shutil
import subprocess

import program_test
from program_test import ProgramTest, main


class Completion(ProgramTest):
    def shell(self, name, *arguments):
        if shutil.which(name) is None:
            self.skipTest(f"no {name}")
        run = subprocess.run([name, *arguments], cwd=self.folder, capture_output=True, text=True, timeout=60,
                             check=False, env={**os.environ, "LC_ALL": "C", "HOME": self.folder,
                                  "PATH": os.path.dirname(program_test.PROGRAM) + ":" + os.environ["PATH"]})
        self.assertEqual(run.stderr, "")
        return run.stdout.split()

    def script(self, shell):
        return self.write(f"completion.{shell}", self.succeed("completion", shell))

    def bash(self, *words):
        self.script("bash")
        listed = " ".join(f"'{word}'" for word in words)
        return self.shell("bash", "--norc", "-c", f"source completion.bash; COMP_WORDS=({listed}); "
                          f"COMP_CWORD={len(words) - 1}; _mlmq 2>/dev/null; printf '%s\\n' \"${{COMPREPLY[@]}}\"")

    def test_bash(self):
        self.assertEqual(self.bash("mlmq", "gra"), ["graph"])
        self.assertEqual(set(self.bash("mlmq", "graph", "")), {"info", "features", "names", "convert", "generate"})
        self.assertEqual(self.bash("mlmq", "sweep", "--dr"), ["--dry-run"])
        self.assertEqual(self.bash("mlmq", "sweep", "s.yaml", "--shard-by", ""), ["trials", "workloads"])
        self.write("roads.gr", "")
        self.assertEqual(self.bash("mlmq", "graph", "info", "roa"), ["roads.gr"])
        # Hidden commands are not completed.
        self.assertEqual(self.bash("mlmq", "sweep-w"), [])
        self.assertEqual(self.bash("mlmq", "comple"), ["completion"])
        self.assertEqual(self.bash("mlmq", "manu"), [])

    def test_bash_values_of_this_program(self):
        self.assertLessEqual({"auto", "cpu", "simt"}, set(self.bash("mlmq", "solve", "road6", "--device", "")))
        self.assertEqual(self.bash("mlmq", "sweep", "--device", "sim"), ["simt"])
        self.assertLessEqual({"sssp", "bfs", "phold", "astar"}, set(self.bash("mlmq", "problems", "")))
        self.assertEqual(self.bash("mlmq", "solve", "road6", "--problem", "pho"), ["phold"])
        self.assertIn("mlmq/fig8", self.bash("mlmq", "reproduce", "mlmq/fi"))
        self.assertEqual(self.bash("mlmq", "reproduce", "--device", "sim"), ["simt"])
        self.assertEqual(self.bash("mlmq", "completion", "fi"), ["fish"])
        # Bash treats '=' and ':' as separate words.
        self.assertEqual(self.bash("mlmq", "solve", "road6", "--config", "delta_m"), ["delta_mode="])
        self.assertIn("l2_batch=", [word.split(",")[-1] for word in
                                    self.bash("mlmq", "solve", "road6", "--config", "l1", "=", "none,l2_b")])
        self.assertEqual(self.bash("mlmq", "solve", "road6", "--config", "=", "pres"), ["preset="])
        self.assertEqual(self.bash("mlmq", "solve", "road6", "--device", "=", "sim"), ["simt"])
        for kind in ("devices", "figures", "parameters", "problems"):
            self.assertTrue(self.succeed("complete", kind).split(), kind)
        self.refuse("complete", "colours", says="'colours' is not one of")

    def test_zsh(self):
        self.script("zsh")
        # compadd and _files print the completions that they would offer.
        self.assertEqual(self.shell("zsh", "-f", "-c", """
            compdef() { : }
            source ./completion.zsh
            compadd() { shift; print -l -- ${(M)@:#$PREFIX*} }
            _files() { print FILES }
            offer() { words=("$@"); CURRENT=$#words; PREFIX=${words[-1]}; _mlmq }
            offer mlmq gra; offer mlmq sweep --dr; offer mlmq sweep s --shard-by ''; offer mlmq graph info ro
            offer mlmq solve r --problem pho; offer mlmq reproduce mlmq/fig8"""),
                         ["graph", "--dry-run", "trials", "workloads", "FILES", "phold", "mlmq/fig8"])

    def test_fish(self):
        self.script("fish")
        def offers(line):
            return {word for word in self.shell("fish", "--no-config", "-c",
                                                f"source completion.fish; complete -C '{line}' | string split -f1 \\t")}
        self.assertEqual(offers("mlmq gra"), {"graph"})
        self.assertEqual(offers("mlmq sweep --dr"), {"--dry-run"})
        self.assertEqual(offers("mlmq sweep s --shard-by "), {"trials", "workloads"})
        self.assertIn("convert", offers("mlmq graph "))
        self.assertEqual(offers("mlmq solve road6 --problem pho"), {"phold"})
        self.assertIn("mlmq/fig8", offers("mlmq reproduce mlmq/fi"))
        self.assertEqual(offers("mlmq solve road6 --config l1=none,delta_m"), {"l1=none,delta_mode="})

    def test_mistakes(self):
        self.refuse("completion", "fihs", says=["'fihs'", "fish"])
        self.refuse("completion", says="shell")

    def test_manual_pages_have_groups_and_examples(self):
        self.succeed("manual", "man1")
        page = self.read("man1/mlmq.1").decode()
        self.assertIn(".SS Tune and select\n", page)
        self.assertIn(".SH EXAMPLES\n.nf\nmlmq solve roads.gr \\-\\-check\n", page)
        self.assertIn("mlmq db query", self.read("man1/mlmq-db-query.1").decode())

    def test_manual_pages(self):
        self.succeed("manual", "man1")
        pages = set(os.listdir(self.path("man1")))
        for name in ("mlmq", "mlmq-solve", "mlmq-graph", "mlmq-graph-info", "mlmq-selector-train"):
            self.assertIn(name + ".1", pages)
        self.assertFalse([page for page in pages if "sweep-worker" in page or "manual" in page])
        solve = self.read("man1/mlmq-solve.1").decode()
        self.assertIn("\\fB\\-\\-source\\fR", solve)
        self.assertIn(".SH SEE ALSO\n.BR mlmq (1)", solve)
        self.assertIn(".BR mlmq\\-graph\\-info (1)", self.read("man1/mlmq-graph.1").decode())
        if shutil.which("mandoc") is None:
            self.skipTest("no mandoc")
        for page in sorted(pages):
            run = subprocess.run(["mandoc", "-T", "lint", "-W", "error", self.path("man1/" + page)],
                                 capture_output=True, text=True, timeout=60, check=False)
            self.assertEqual((run.returncode, run.stdout), (0, ""), page)


if __name__ == "__main__":
    main()
