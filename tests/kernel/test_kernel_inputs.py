# SPDX-License-Identifier: Apache-2.0
"""'problem: kernel': what reaches a kernel from the experiment file and from files, and when it changes."""

import os
import resource
import struct

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


class RealNumbers(InputTest):
    """A number with a fraction or an exponent is no integer anywhere."""

    def check_half(self, *changes, source="1 / part"):
        """Checks that a kernel which divides 1 by the real number 2 is right."""
        if os.path.exists(self.path("r.sqlite")):
            os.remove(self.path("r.sqlite"))
        self.write("y.csv", "0.5\n" * 40)
        self.write_kernel(KERNEL.replace("FACTOR", f"({source})"), *changes)
        self.assertEqual(self.sweep(), [("ok", "")])

    def test_a_parameter(self):
        for value in ("2.0", "2e0", "0.2E1"):
            self.check_half(("threads: [32]", f"threads: [32], part: [{value}]"))
        self.assertEqual(self.query("r.sqlite", "SELECT label, parameters FROM configuration"),
                         [("part=2,threads=32", '{"part":2.0,"threads":32}')])

    def test_an_integer_among_real_values(self):
        self.write("y.csv", "1\n" * 40)
        self.write_kernel(KERNEL.replace("FACTOR", "(part * (1 / part))"),
                          ("threads: [32]", "threads: [32], part: [2, 0.25]"))
        self.assertEqual([outcome for outcome, _ in self.sweep()], ["ok", "ok"])

    def test_a_default_of_the_reference(self):
        source = KERNEL.replace("FACTOR", "(1 / part)")
        self.write_kernel(source + source.replace("scale", "reference"),
                          ("threads: [32]", "threads: [32], part: [2, 0.25]"),
                          (FILES, "{function: reference, block: 64, grid: 1}"),
                          # Both values are right for an expected 0.5, but not for an expected 0.
                          ("reference:", "tolerance: {relative: 7.5}\n  reference:"))
        self.assertEqual(self.sweep(), [("ok", "")] * 2)

    def test_macros_and_instances_of_templates_that_name_parameters_and_sizes(self):
        threads = "threads: [32]"
        defined = ("  reference", "  defines: {PART: 1 / part}\n  reference")
        self.check_half((threads, "threads: [32], part: {values: [2.0], bind: launch}"), defined, source="PART")
        self.check_half(("{n: 40}", "{n: 40, part: 2.0}"), defined, source="PART")
        self.check_half(("{n: 40}", "{n: 40, part: [2.0]}"), defined, source="PART")
        self.assertEqual(self.query("r.sqlite", "SELECT name FROM workload"), [("n=40,part=2",)])

    def test_equal_numbers(self):
        self.write_kernel(KERNEL, ("threads: [32]", "threads: [32], part: [1, 1.0]"))
        self.refuse_sweep("k.yaml:13: parameter 'part': 1 and 1.0 are the same value",
                          "since a parameter with a real number has only real values; remove one of them")
        self.write_kernel(KERNEL, ("threads: [32]", "threads: [32], part: [1.0, 0.5, 1e0]"))
        self.refuse_sweep("parameter 'part' has the value 1.0 twice")
        self.write_kernel(KERNEL, ("threads: [32]", "threads: {values: [32, 64], default: 32.5}"))
        self.refuse_sweep("32.5 is a real")

    def test_tolerances(self):
        for tolerance in ("0", "0.0", "0e5", "-0.0", "+0", "0x0", "{absolute: 0.0, relative: 0.0}"):
            with self.subTest(tolerance=tolerance):
                if os.path.exists(self.path("r.sqlite")):
                    os.remove(self.path("r.sqlite"))
                self.write_kernel(KERNEL.replace("FACTOR", "2"), (
                    "reference:", f"tolerance: {tolerance}\n  reference:"))
                self.assertEqual(self.sweep(), [("ok", "")])
        for tolerance, says in (("-1e-5", "expected a number from 0, got '-1e-5'"), ("'0'", "remove the quotes"),
                                (".inf", "expected a number"), ("00", "expected a number")):
            with self.subTest(tolerance=tolerance):
                self.write_kernel(KERNEL.replace("FACTOR", "2"), (
                    "reference:", f"tolerance: {tolerance}\n  reference:"))
                self.refuse_sweep("k.yaml:12: 'tolerance': ", says)


class ArrayFiles(InputTest):
    """Size and type of a file are checked before it is read."""

    SCALAR = "    - {name: s, type: int, file: big.bin}\n  reference"

    def npy(self, count, version=1, description="'<f4'", length=None):
        header = f"{{'descr': {description}, 'fortran_order': False, 'shape': ({count},), }}".encode()
        size = struct.pack("<H" if version == 1 else "<I", len(header) if length is None else length)
        return b"\x93NUMPY" + bytes([version, 0]) + size + header

    def write_big(self, name, start=b""):
        """Writes a file of 3 GB, most of which takes no room on the disk."""
        with open(self.path(name), "wb") as file:
            file.write(start)
            file.truncate(3_000_000_000)

    def check_refused(self, file, *says, changes=None):
        self.write_kernel(KERNEL.replace("FACTOR", "2"), *(changes or [("fill: ones", f"file: {file}")]))
        self.refuse_sweep(file, *says)
        self.assertLess(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, 1_500_000)  # KB

    def test_large_files(self):
        self.write_big("big.npy", self.npy(750_000_000))
        self.write_big("doubles.npy", self.npy(40, description="'<f8'"))
        for name in ("big.bin", "big.csv"):
            self.write_big(name)
        self.write_big("lines.csv", b"1\n" * 100)
        self.write_big("columns.csv", b"other,x\n" + b"1,2\n" * 100)
        self.check_refused("big.npy", "array 'x': it has 2999999", "bytes of numbers, expected 40 numbers of 4 bytes")
        self.check_refused("doubles.npy", "it has numbers of type <f8, expected <f4")
        self.check_refused("big.bin", "it has 3000000000 bytes, expected 40 numbers of 4 bytes")
        self.check_refused("big.csv", "big.csv:1: the line is too long")
        self.check_refused("lines.csv", "lines.csv:41: array 'x' has more than the expected 40 numbers")
        self.check_refused("columns.csv", "columns.csv:42: array 'x' has more than the expected 40 numbers")
        self.check_refused("big.bin", "it has 3000000000 bytes, expected 1 numbers of 4 bytes",
                           changes=[("  reference", self.SCALAR)])
        self.check_refused("big.npy", "array 'y': it has 2999999", changes=[("y.csv", "big.npy")])
        # The length depends on a parameter.
        self.check_refused("big.npy", "array 'x': it has 2999999", changes=[
            ("size: n, fill: ones", "size: n + 0 * threads, file: big.npy")])

    def test_what_is_no_file_with_numbers(self):
        os.mkfifo(self.path("pipe.npy"))
        os.mkdir(self.path("folder.npy"))
        os.symlink("/dev/zero", self.path("device.npy"))
        os.symlink("nowhere", self.path("missing.npy"))
        for file, says in (("pipe", "it is a pipe"), ("folder", "it is a folder"), ("device", "it is a device"),
                           ("missing", "No such file or directory")):
            with self.subTest(file=file):
                for changes in ([("fill: ones", f"file: {file}.npy")], [("y.csv", f"{file}.npy")],
                                [("  reference", self.SCALAR.replace("big.bin", f"{file}.npy"))]):
                    self.check_refused(f"{file}.npy", f"cannot be read: {says}", changes=changes)
        for file, content, says in (
                ("short", b"\x93NUMPY\x01", "it is truncated"),
                ("version", self.npy(40).replace(b"\1", b"\4"), "not a .npy file of version 1 to 3"),
                ("header", self.npy(40, 2, length=2**32 - 1), "it is truncated")):
            self.write(f"{file}.npy", content)
            self.check_refused(f"{file}.npy", says)
        self.write_big("long.npy", self.npy(40, 2, length=2_000_000_000))
        self.check_refused("long.npy", "its header has 2000000000 bytes")

    def test_what_a_command_writes(self):
        for command, says in (("mkfifo $MLMQ_DATA/expected/y.npy", "cannot be read: it is a pipe"),
                              ("ln -s /dev/zero $MLMQ_DATA/expected/y.npy", "cannot be read: it is a device"),
                              ("truncate -s 300M $MLMQ_DATA/expected/y.npy", "it has 314572800 bytes")):
            self.write_kernel(KERNEL.replace("FACTOR", "2"), (FILES, f"{{command: '{command}'}}"))
            self.refuse_sweep("y.npy", says)

    def test_files_of_all_kinds(self):
        numbers = struct.pack("<40f", *range(1, 41))
        self.write("y.csv", "\n".join(str(2 * i) for i in range(1, 41)))
        for name, content in (
                ("a.npy", self.npy(40) + numbers), ("b.npy", self.npy(40, 2) + numbers), ("c.bin", numbers),
                ("d.csv", ",".join(map(str, range(1, 41)))),
                ("e.csv", "x,y\r\n" + "".join(f"{i},0\r\n" for i in range(1, 41)) + ",7\r\n")):
            with self.subTest(name=name):
                self.write(name, content)
                self.write_kernel(KERNEL.replace("FACTOR", "2"), ("fill: ones", f"file: {name}"))
                self.assertEqual(self.sweep(f"{name}.sqlite"), [("ok", "")])


class References(InputTest):
    def test_a_command_runs_once_for_each_workload(self):
        self.write("reference.sh", """\
sleep 2
echo run >> runs.txt
count=$(($(stat -c %s $MLMQ_DATA/x.npy) / 4 - 32))
{ head -c 128 $MLMQ_DATA/x.npy; for i in $(seq $count); do printf '\\0\\0\\0@'; done } > $MLMQ_DATA/expected/y.npy
""")
        self.write_kernel(KERNEL.replace("FACTOR", "2"), (FILES, "{command: sh reference.sh}"),
                          ("[32]", "[32, 64, 96, 128]"), ("n: 40", "n: [40, 50]"))
        output = self.succeed("sweep", "k.yaml", "--db", "r.sqlite", "--device", "simt:1x8", "--workers", "3")
        self.assertIn("8 of 8 trials done", output)
        self.assertEqual(self.query("r.sqlite", "SELECT DISTINCT outcome FROM trial"), [("ok",)])
        self.assertEqual(self.read("runs.txt").split(), [b"run"] * 2)
        # Another sweep runs it again: what else the command reads is unknown.
        self.succeed("sweep", "k.yaml", "--db", "s.sqlite", "--device", "simt:1x8")
        self.assertEqual(self.read("runs.txt").split(), [b"run"] * 4)

    def test_a_simulated_reference_is_shared(self):
        source = KERNEL.replace("FACTOR", "2")
        self.write_kernel(source + source.replace("scale", "reference"), ("[32]", "[32, 64, 96, 128]"),
                          (FILES, "{function: reference, block: 64, grid: 1}"), ("n: 40", "n: [40, 50]"))
        self.succeed("sweep", "k.yaml", "--db", "r.sqlite", "--device", "simt:1x8", "--workers", "3")
        self.assertEqual(self.query("r.sqlite", "SELECT outcome, count(*) FROM trial GROUP BY 1"), [("ok", 8)])


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
