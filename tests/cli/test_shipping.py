# SPDX-License-Identifier: Apache-2.0
"""Kernels compiled ahead of time by `mlmq cache fill`, and the report of `mlmq doctor` about them."""

import os
import re

import program_test  # in this folder
from program_test import ProgramTest


class Shipping(ProgramTest):
    # Two small kernels for one architecture.
    FILL = ("cache", "fill", "--architectures", "sm_90", "--only", "finish_distances",
            "--only", "finish_wide_distances", "--output")

    def setUp(self):
        super().setUp()
        self.own = {"MLMQ_CACHE": self.path("cache")}
        doctor = self.succeed("doctor")
        if not re.search(r"compiler: NVRTC", doctor):
            self.skipTest("no NVRTC on this machine")

    def doctor(self, folder, **more):
        return self.succeed("doctor", environment={**self.own, "MLMQ_MACHINE_CODE": self.path(folder), **more})

    def test_fill(self):
        out = self.succeed(*self.FILL, self.path("shipped"), environment=self.own)
        self.assertRegex(out, r"\Asm_90 +2 kernels, 0\.0 MB, \d+ s: \S+/shipped/sm_90\.kernels\n\Z")
        self.assertEqual(os.listdir(self.path("shipped")), ["sm_90.kernels"])
        report = self.doctor("shipped")
        self.assertRegex(report, r"shipped for sm_90: 2 kernels by NVRTC [\d.]+, 0\.0 MB\n")
        # The bare number of an architecture is accepted, and the cache saves compiling again.
        again = self.succeed(*[word.replace("sm_90", "90") for word in self.FILL], self.path("again"),
                             environment=self.own)
        self.assertIn("again/sm_90.kernels", again)
        with open(self.path("shipped/sm_90.kernels"), "rb") as one, open(self.path("again/sm_90.kernels"),
                                                                         "rb") as other:
            self.assertEqual(one.read(), other.read())

    def test_kernels_of_an_experiment(self):
        # Three configurations of two variants: a width of buckets is passed to the same kernel.
        experiment = ("name: two\nproblem: sssp\nconfigurations:\n"
                      "  - {l1: none, l2: bucket, delta: 4, threads: 64}\n"
                      "  - {l1: none, l2: bucket, delta: 8, threads: 64}\n"
                      "  - {l1: none, l2: vector, threads: 64}\nworkloads:\n  - {generate: road5}\n")
        self.write("two.yaml", experiment)
        fill = ("cache", "fill", "--architectures", "90", "--configurations", "two.yaml", "--output")
        self.assertRegex(self.succeed(*fill, self.path("shipped"), environment=self.own), r"\Asm_90 +2 kernels, ")
        floats = self.succeed(*fill, self.path("floats"), "--weight-type", "float32", environment=self.own)
        self.assertRegex(floats, r"\Asm_90 +2 kernels, ")
        with open(self.path("shipped/sm_90.kernels"), "rb") as integers, open(self.path("floats/sm_90.kernels"),
                                                                             "rb") as others:
            self.assertNotEqual(integers.read(), others.read())
        self.refuse(*fill, self.path("x"), "--weight-type", "float16", says="float16", environment=self.own)
        self.refuse(*fill, self.path("x"), "--only", "sssp", says="--only", environment=self.own)
        self.refuse(*self.FILL, self.path("x"), "--weight-type", "float32", says="--configurations",
                    environment=self.own)
        self.write("two.yaml", experiment.replace("sssp", "phold"))
        self.refuse(*fill, self.path("x"), says=("two.yaml:2: ", "phold"), environment=self.own)
        self.assertFalse(os.path.exists(self.path("x")))

    def test_kernels_that_customize_a_hierarchy_are_shipped(self):
        out = self.succeed("cache", "fill", "--architectures", "90", "--only", "hierarchy_weights", "--only",
                           "piece_weights", "--output", self.path("shipped"), environment=self.own)
        self.assertRegex(out, r"\Asm_90 +3 kernels, ")

    def test_what_is_there_is_told(self):
        self.succeed(*self.FILL, self.path("shipped"), environment=self.own)
        # The shipped machine code works without NVRTC.
        without = self.doctor("shipped", MLMQ_NVRTC="/nonexistent/libnvrtc.so")
        self.assertIn("compiler: NVRTC cannot be opened", without)
        self.assertRegex(without, r"shipped for sm_90: 2 kernels by NVRTC [\d.]+, 0\.0 MB\n")
        with open(self.path("shipped/sm_90.kernels"), "rb") as stored:
            whole = stored.read()
        for name, content, says in (("sm_80", whole, "not used, they are for sm_90"),
                                    ("sm_90", whole[:-30], "not used: "),
                                    ("sm_90", whole[:-30] + bytes(30), "1 damaged, compiled when needed"),
                                    ("sm_90", b"", "not used: ")):
            with self.subTest(says=says):
                os.makedirs(self.path("other"), exist_ok=True)
                with open(self.path(f"other/{name}.kernels"), "wb") as stored:
                    stored.write(content)
                self.assertRegex(self.doctor("other"), rf"shipped for {name}: [^\n]*{says}")
                os.remove(self.path(f"other/{name}.kernels"))
        self.assertNotIn("shipped for", self.doctor("nowhere"))

    def test_refused(self):
        for architectures, says in (("sm_ninety", "sm_ninety"), ("", "architectures"), ("90,,80", "''")):
            self.refuse("cache", "fill", "--architectures", architectures, "--output", self.path("x"), says=says,
                        environment=self.own)
        self.refuse("cache", "fill", "--architectures", "90", "--output", self.path("x"), "--only", "finish_distance",
                    says="did you mean 'finish_distances'", environment=self.own)
        self.refuse("cache", "fill", "--output", self.path("x"), says="--architectures", environment=self.own)
        self.refuse("cache", says="fill", environment=self.own)
        # NVRTC itself reports an unknown architecture.
        self.refuse("cache", "fill", "--architectures", "13", "--output", self.path("x"), "--only", "ell_rows",
                    says="gpu-architecture", code=1, environment=self.own)
        self.assertFalse(os.path.exists(self.path("x")))


if __name__ == "__main__":
    program_test.main()
