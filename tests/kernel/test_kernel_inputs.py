# SPDX-License-Identifier: Apache-2.0
"""'problem: kernel': what reaches a kernel from the experiment file and from files, and when it changes."""

import test_foreign_kernels
from program_test import main
from test_foreign_kernels import EXPERIMENT, KERNEL

FILES = "{files: {y: y.csv}}"


class InputTest(test_foreign_kernels.ForeignKernelTest):
    def write_kernel(self, source, *changes):
        """Writes k.cu, and k.yaml with these replacements."""
        self.write("k.cu", source)
        text = EXPERIMENT
        for before, after in changes:
            self.assertIn(before, text)
            text = text.replace(before, after)
        self.write("k.yaml", text)

    def refuse_sweep(self, *says, code=2):
        return self.refuse("sweep", "k.yaml", "--db", "r.sqlite", "--device", "simt", says=says, code=code)


class Changes(InputTest):
    """Results belong to the code that was planned, so what changes during a sweep is an error."""

    # The first trial changes a file before the next one is planned and compiled.
    STRATEGY = "strategy: {name: local, budget: 3, batch: 1}\n"

    def check_refused(self, changed, *changes, says="has changed since it was read first; run the command again"):
        self.write("before", self.read(changed))
        self.write("change.sh", f"cp after {changed}\n{{ head -c 128 $MLMQ_DATA/x.npy; "
                                "for i in $(seq 40); do printf '\\0\\0\\0@'; done } > $MLMQ_DATA/expected/y.npy\n")
        text = EXPERIMENT.replace(FILES, "{command: sh change.sh}").replace("[32]", "[32, 64, 96, 128]") + self.STRATEGY
        for before, after in changes:
            self.assertIn(before, text)
            text = text.replace(before, after)
        self.write("k.yaml", text)
        self.refuse_sweep(says)
        # The first variant is compiled while the command runs.
        done = self.query("r.sqlite", "SELECT outcome FROM trial WHERE state = 'done'")
        self.assertIn(done, ([], [("ok",)]))
        # The next command plans trials of the new code.
        self.write("change.sh", self.read("change.sh").split(b"\n", 1)[1])
        self.assertEqual([row for row in self.sweep() if row[0]], [("ok", "")] * (3 + len(done)))
        hashes = self.query("r.sqlite", "SELECT count(DISTINCT kernel_source_hash) FROM trial WHERE state = 'done'")
        self.assertEqual(hashes, [(1 + len(done),)])

    def test_a_kernel(self):
        self.write("k.cu", KERNEL.replace("FACTOR", "2"))
        self.write("after", KERNEL.replace("FACTOR * x[i]", "x[i] + x[i]"))
        self.check_refused("k.cu")

    def test_a_header(self):
        self.write("k.cu", "#include \"factor.h\"\n" + KERNEL)
        self.write("factor.h", "#define FACTOR 2\n")
        self.write("after", "#define FACTOR 2.0f\n")
        self.check_refused("factor.h")

    def test_a_comment_is_no_change(self):
        self.write("k.cu", KERNEL.replace("FACTOR", "2"))
        self.write("after", "// a comment\n" + KERNEL.replace("FACTOR", "2"))
        self.write("change.sh", "cp after k.cu\n{ head -c 128 $MLMQ_DATA/x.npy; "
                                "for i in $(seq 40); do printf '\\0\\0\\0@'; done } > $MLMQ_DATA/expected/y.npy\n")
        self.write("k.yaml", EXPERIMENT.replace(FILES, "{command: sh change.sh}").replace("[32]", "[32, 64, 96, 128]")
                   + self.STRATEGY)
        self.assertEqual(self.sweep(), [("ok", "")] * 3)


if __name__ == "__main__":
    main()
