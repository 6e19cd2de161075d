# SPDX-License-Identifier: Apache-2.0
"""'mlmq graph': files, formats, generators, features."""

import csv
import gzip
import io
import json
import os
import random
import re
import struct

import program_test  # in this folder
from graph_files import FORMATS, random_graph, snap
from program_test import ProgramTest, without_progress


class GraphFiles(ProgramTest):
    """Reading, writing and describing graph files."""

    def test_text_files_that_are_wrong(self):
        banner = "%%MatrixMarket matrix coordinate real general\n"
        for name, content, parts in [
                ("a.gr", "", "a.gr:"), ("a.gr", "hello\n", ["a.gr:1:", "'hello'"]),
                ("a.gr", "p sp 2\n", ["a.gr:1:", "p sp VERTICES ARCS"]),
                ("a.gr", "p sp 0 0\n", ["a.gr:1:", "no vertices"]),
                ("a.gr", "p sp -1 0\n", "a.gr:1:"), ("a.gr", "p sp 9999999999 0\n", ["a.gr:1:", "4294967294"]),
                ("a.gr", "p sp 4294967294 0\n", ["a.gr:1:", "4294967294 vertices with only 0 edges"]),
                ("a.gr", "p sp 99999999999999999999 0\n", "a.gr:1:"),
                ("a.gr", "a 1 2 3\n", ["a.gr:1:", "before"]), ("a.gr", "p sp 2 1\np sp 2 1\n", ["a.gr:2:", "second"]),
                ("a.gr", "p sp 2 1\na 1 3 5\n", ["a.gr:2:", "1 to 2"]), ("a.gr", "p sp 2 1\na 0 1 5\n", "a.gr:2:"),
                ("a.gr", "p sp 2 1\na 1 -1 5\n", "a.gr:2:"), ("a.gr", "p sp 2 1\na 1 2\n", ["a.gr:2:", "weight"]),
                ("a.gr", "p sp 2 1\na 1 2 3 4\n", "a.gr:2:"), ("a.gr", "p sp 2 1\na 1 2 nan\n", ["a.gr:2:", "'nan'"]),
                ("a.gr", "p sp 2 1\na 1 2 1e99\n", ["a.gr:2:", "'1e99'"]), ("a.gr", "p sp 2 1\na 1 2 x\n", "a.gr:2:"),
                ("a.gr", "p sp 2 1\na 1 2 4294967295\n", ["a.gr:2:", "too large"]),
                ("a.gr", "p sp 2 2\na 1 2 3\n", ["a.gr:2:", "1 of the 2"]),
                ("a.gr", "p sp 2 1\na 1 2 3\na 1 2 3\n", ["a.gr:3:", "more arcs"]),
                ("a.gr", "p sp 2 999999999999\na 1 2 3\n", "1 of the 999999999999"),
                ("a.mtx", "", "a.mtx"), ("a.mtx", "1 2 3\n", ["a.mtx:1:", "%%MatrixMarket"]),
                ("a.mtx", "%%MatrixMarket matrix array real general\n1 1\n1\n", ["a.mtx:1:", "'array'"]),
                ("a.mtx", "%%MatrixMarket matrix coordinate complex general\n1 1 0\n", ["a.mtx:1:", "'complex'"]),
                ("a.mtx", "%%MatrixMarket matrix coordinate real hermitian\n1 1 0\n", ["a.mtx:1:", "'hermitian'"]),
                ("a.mtx", banner, "a.mtx:1:"), ("a.mtx", banner + "2 3 1\n1 2 1\n", ["a.mtx:2:", "2 x 3"]),
                ("a.mtx", banner + "0 0 0\n", ["a.mtx:2:", "no vertices"]), ("a.mtx", banner + "2 2\n", "a.mtx:2:"),
                ("a.mtx", banner + "2 2 1\n1 3 1\n", ["a.mtx:3:", "1 to 2"]),
                ("a.mtx", banner + "2 2 1\n0 1 1\n", "a.mtx:3:"),
                ("a.mtx", banner + "2 2 2\n1 2 1\n", ["a.mtx:3:", "1 of the 2 declared"]),
                ("a.mtx", banner + "2 2 1\n1 2 1\n2 1 1\n", ["a.mtx:4:", "more entries"]),
                ("a.mtx", banner + "2 2 1\n1 2\n", ["a.mtx:3:", "value"]), ("a.mtx", banner + "2 2 1\n1 2 x\n", "'x'"),
                ("a.txt", "", "no vertices"), ("a.txt", "# nothing\n", "no vertices"), ("a.txt", "0\n", "a.txt:1:"),
                ("a.txt", "0 1 2 3\n", "a.txt:1:"), ("a.txt", "0 1 2\n1 2\n", ["a.txt:2:", "line 1"]),
                ("a.txt", "0 x\n", ["a.txt:1:", "'x'"]), ("a.txt", "-1 2\n", ["a.txt:1:", "'-1'"]),
                ("a.txt", "0,1\n", "a.txt:1:"), ("a.txt", "0 18446744073709551616\n", "a.txt:1:"),
                ("a.txt", "0 1 -\n", "a.txt:1:"), ("a.xyz", "0 1\n", [".gr", ".mtx", ".txt"]), ("a", "0 1\n", ".mtx")]:
            self.write(name, content)
            self.refuse("graph", "info", name, says=parts)
            if not name.endswith((".xyz", "a")):
                self.write(name + ".gz", content)
                if content:
                    self.refuse("graph", "info", name + ".gz")

    def test_galois_files_that_are_wrong(self):
        def header(version=1, edge_data=4, vertices=2, edges=1):
            return struct.pack("<4Q", version, edge_data, vertices, edges)
        rest = struct.pack("<2Q", 1, 1) + struct.pack("<3I", 1, 0, 7)
        self.write("a.gr", header() + rest)
        self.succeed("graph", "info", "a.gr")
        for content in (header(version=2) + rest, header(edge_data=8) + rest, header(vertices=0) + rest,
                        header(vertices=2 ** 40) + rest, header(vertices=2 ** 63) + rest, header(edges=2 ** 62) + rest,
                        header(edges=2) + rest, header(vertices=1) + rest, header() + rest + b"\0",
                        header() + struct.pack("<2Q", 2, 1) + rest[16:],
                        header() + struct.pack("<2Q", 0, 0) + rest[16:],
                        header() + rest[:16] + struct.pack("<3I", 2, 0, 7), header(vertices=0xFFFFFFFF) + rest):
            self.write("a.gr", content)
            self.refuse("graph", "info", "a.gr", says="a.gr: byte ")
            self.write("a.gr.gz", content)
            self.refuse("graph", "info", "a.gr.gz", says="a.gr.gz: byte ")

    def test_truncated_and_corrupt(self):
        draw = random.Random(4)
        graph = random_graph(3)
        for name, made in FORMATS.items():
            for ending in ("", ".gz"):
                self.write(name + ending, made(graph))
                whole = self.read(name + ending)
                for length in [0, 1, 2, 10, 33, len(whole) // 2, len(whole) - 12]:
                    self.write("x", whole[:length])
                    os.rename(self.path("x"), self.path(name + ending))
                    # A SNAP file that is truncated between two lines is valid: the format has no count.
                    if name == "snap.txt" and not ending:
                        self.assertIn(self.run_program("graph", "info", name)[0], (0, 2))
                    else:
                        self.refuse("graph", "info", name + ending, says=name + ending)
                # Damaged files must never cause a crash; those that still contain a graph may be read.
                for _ in range(6):
                    damaged = bytearray(whole)
                    for _ in range(3):
                        damaged[draw.randrange(len(damaged))] = draw.randrange(256)
                    with open(self.path(name + ending), "wb") as file:
                        file.write(damaged)
                    code = self.run_program("graph", "info", name + ending)[0]
                    if code:
                        self.refuse("graph", "info", name + ending)
        self.write("plain.txt", "0 1\n")
        os.rename(self.path("plain.txt"), self.path("plain.txt.gz"))
        self.refuse("graph", "info", "plain.txt.gz", says="gzip")

    def test_conversion_keeps_the_graph(self):
        def facts(name):
            return re.search(r"hash +(\w+)", self.succeed("graph", "info", name)).group(1)
        self.succeed("graph", "generate", "road8", "a.gr")
        reference = facts("a.gr")
        self.assertEqual(facts("road8"), reference)
        counted_from_1 = None
        for to, form in [("b.gr", "dimacs"), ("c.gr.gz", "dimacs"), ("d.gr.gz", "galois"), ("e.gr", "galois")]:
            before = "a.gr" if to == "b.gr" else previous
            message = self.succeed("graph", "convert", before, to, "--format", form)
            self.assertEqual("are numbered 1 to" in message, to == "b.gr")
            self.assertEqual("are numbered 0 to" in message, to == "d.gr.gz")
            # The ids, which DIMACS counts from 1, are part of the hash.
            if form == "dimacs":
                counted_from_1 = counted_from_1 or facts(to)
            self.assertEqual(facts(to), counted_from_1 if form == "dimacs" else reference, to)
            previous = to
        self.assertNotEqual(counted_from_1, reference)
        self.assertTrue(self.read("c.gr.gz").startswith(b"\x1f\x8b"))
        self.write("real.txt", snap(random_graph(5, real=True)))
        self.refuse("graph", "convert", "real.txt", "real.gr", says=["real.gr", "--format dimacs"])
        self.succeed("graph", "convert", "real.txt", "real.gr", "--format", "dimacs")
        self.assertIn(b"c vertices 0 to 59 are numbered 1 to 60 here\n", self.read("real.gr"))
        self.assertFalse([name for name in self.names() if ".tmp" in name])

    def test_conversion_to_every_format(self):
        """Compares converted files by name: formats that keep the ids keep the hash; others differ in the ids only."""
        def facts(name):
            text = self.succeed("graph", "info", name)
            return (re.search(r"hash +(\w+)", text).group(1), re.search(r"vertex ids +(.+)", text).group(1),
                    re.findall(r"(?:vertices|edges|weights) .*", text))
        for real in (False, True):
            self.write("a.wel", "".join(f"{7 * u + 3} {7 * v + 3} {w}\n" for u, v, w in random_graph(5, real=real)[1]))
            start = facts("a.wel")
            self.assertEqual(start[1], "3 to 416, with gaps")
            for name in ("b.wel", "c.txt.gz", "d.tsv", "e.el", "f.snap"):
                self.assertNotIn(";", self.succeed("graph", "convert", "a.wel", name))
                self.assertEqual(facts(name), start, name)
            for name, first in [("g.mtx", 1), ("h.mtx.gz", 1), ("i.gr", 1), ("j.gr.gz", 0)]:
                if real and first == 0:
                    continue
                form = ("--format", "dimacs") if name == "i.gr" else ()
                message = self.succeed("graph", "convert", "a.wel", name, *form)
                self.assertIn(f"are numbered {first} to {first + 59} here", message)
                self.assertEqual(facts(name)[1:], (f"{first} to {first + 59}", start[2]), name)
            # Ids that count from 1 still do so.
            self.succeed("graph", "convert", "g.mtx", "k.gr", "--format", "dimacs")
            self.succeed("graph", "convert", "g.mtx", "l.txt")
            self.assertEqual({facts(name)[0] for name in ("g.mtx", "h.mtx.gz", "i.gr", "k.gr", "l.txt")},
                             {facts("g.mtx")[0]})
        self.write("m.gr", "p sp 4 1\na 2 4 5\n")
        self.assertIn("m.txt: 4 vertices, 1 edges; vertices without an edge, which an edge list cannot hold: 2\n",
                      self.succeed("graph", "convert", "m.gr", "m.txt"))
        self.assertEqual(self.read("m.txt"), b"2 4 5\n")

    def test_negative_weights(self):
        for name, text, place in [("a.gr", "p sp 2 1\na 1 2 -3\n", ":2:"), ("a.wel", "0 1 -3\n", ":1:"),
                                  ("a.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 -3.0\n", ":3:"),
                                  ("b.gr", struct.pack("<6Q2Ii", 1, 4, 2, 1, 1, 1, 1, 0, -3), ": byte 56:")]:
            self.write(name, text)
            for command in (("graph", "info", name), ("solve", name, "--device", "cpu")):
                self.refuse(*command, says=[name + place, "--negative-weights absolute"])
            code, output, errors = self.run_program("solve", name, "--device", "cpu", "--negative-weights", "absolute",
                                                    "--check")
            self.assertEqual((code, without_progress(errors)),
                             (0, f"mlmq: note: {name}: negative weights: 1, taken as their absolute values\n"))
            self.assertIn("longest distance 3\n", output)
            info = self.run_program("graph", "info", name, "--negative-weights", "absolute")[1]
            self.assertIn("negative        1 weights, replaced by their absolute values\n", info)
            self.write("p" + name,
                       text.replace("-3", "3") if isinstance(text, str) else text[:-4] + struct.pack("<i", 3))
            self.assertNotEqual(re.search("hash +(.*)", info).group(1),
                                re.search("hash +(.*)", self.succeed("graph", "info", "p" + name)).group(1))
        self.refuse("graph", "info", "road6", "--negative-weights", "absolute",
                    says=["--negative-weights", "generated"])
        self.refuse("graph", "info", "a.gr", "--negative-weights", "positive", says="is not one of refuse, absolute")

    def test_doubled_edges(self):
        self.write("a.mtx", "%%MatrixMarket matrix coordinate integer symmetric\n2 2 2\n2 1 4\n1 2 4\n")
        for command in (("graph", "info", "a.mtx"), ("solve", "a.mtx", "--device", "cpu"),
                        ("graph", "convert", "a.mtx", "a.gr")):
            code, _, errors = self.run_program(*command)
            self.assertEqual(code, 0)
            self.assertRegex(errors,
                             r"\Amlmq: note: a\.mtx: doubled edges: 1; the matrix is declared symmetric[^\n]*\n\Z")
        self.assertIn("edges           2\n", self.succeed("graph", "info", "a.mtx", "--directed"))

    def test_largest_weight(self):
        """A single edge with the largest weight can be searched; a larger weight is refused, with its place."""
        for name, text, place in [("a.gr", "p sp 2 1\na 1 2 {}\n", ":2:"), ("a.wel", "0 1 {}\n", ":1:"),
                                  ("a.mtx", "%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 2 {}\n",
                                   ":3:")]:
            self.write(name, text.format(4294967293))
            for device in ("cpu", "simt"):
                self.assertIn("longest distance 4294967293\n",
                              self.succeed("solve", name, "--device", device, "--check"))
            self.write(name, text.format(4294967294))
            self.refuse("solve", name, "--device", "cpu", says=[name + place, "at most 4294967293"])

    def test_what_is_no_ordinary_file(self):
        """Reading a pipe without a writer never blocks."""
        for name in ("pipe.gr", "pipe.mtx", "pipe.txt.gz", "pipe.yaml", "pipe.sqlite", "pipe.json"):
            os.mkfifo(self.path(name))
        for name in ("pipe.gr", "pipe.mtx", "pipe.txt.gz"):
            self.refuse("graph", "info", name, says=f"{name}: is a pipe, expected a graph file")
            self.refuse("solve", name, "--device", "cpu", says=f"{name}: is a pipe")
        self.refuse("sweep", "pipe.yaml", "--device", "simt", says=["pipe.yaml", "is a pipe"])
        self.refuse("sweep", "pipe.yaml", "--dry-run", says=["pipe.yaml", "is a pipe"])
        for command in (("db", "status", "pipe.sqlite"), ("db", "query", "SELECT 1", "pipe.sqlite"),
                        ("selector", "train", "pipe.sqlite")):
            self.refuse(*command, says="pipe.sqlite: is a pipe, not a database file")
        self.write("x.yaml", program_test.SMALL_SPACE)
        self.refuse("sweep", "x.yaml", "--db", "pipe.sqlite", "--device", "simt", says="pipe.sqlite: is a pipe")
        self.refuse("solve", "path4", "--device", "cpu", "--model", "pipe.json", says=["pipe.json", "is a pipe"])

    def test_byte_order_mark(self):
        mark = b"\xef\xbb\xbf"
        for name, text in [("a.gr", "p sp 2 1\na 1 2 3\n"), ("a.txt", "1 2 3\n"),
                           ("b.txt", "# Undirected graph\n1 2 3\n"),
                           ("a.mtx", "%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 2 3\n")]:
            self.write("plain-" + name, text)
            self.write(name, mark + text.encode())
            self.write(name + ".gz", mark + text.encode())
            plain = self.succeed("graph", "info", "plain-" + name).splitlines()[1:-1]
            self.assertEqual(self.succeed("graph", "info", name).splitlines()[1:-1], plain)
            self.assertEqual(self.succeed("graph", "info", name + ".gz").splitlines()[1:-1], plain)
        self.write("c.txt", "1 2 3\n" + mark.decode() + "2 3 4\n")
        self.refuse("graph", "info", "c.txt", says="c.txt:2:")
        self.write("x.yaml", mark + program_test.SMALL_SPACE.encode())
        self.succeed("sweep", "x.yaml", "--dry-run")

    def test_bytes_behind_the_gzip_data(self):
        galois = FORMATS["galois.gr"](random_graph(3))
        for name, data, end in [("a.txt.gz", b"1 2 3\n", ":2: "), ("a.gr.gz", galois, f": byte {len(galois)} ")]:
            packed = gzip.compress(data)
            for whole in (packed,
                          packed + gzip.compress(b"") if name == "a.gr.gz" else packed + gzip.compress(b"2 3 4\n")):
                with open(self.path(name), "wb") as file:
                    file.write(whole)
                self.succeed("graph", "info", name)
            for more in (b"garbage", b"\n", b"\0\0\0\0"):
                with open(self.path(name), "wb") as file:
                    file.write(packed + more)
                self.refuse("graph", "info", name, says=[name + end, "after the end of the gzip data"])

    def test_output_that_cannot_be(self):
        os.mkdir(self.path("folder.gr"))
        self.write("file", "")
        before = self.names()
        self.refuse("graph", "generate", "road6", "folder.gr", says="is a folder")
        self.refuse("graph", "generate", "road6", "file/a.gr", says="cannot be written: file is not a folder")
        self.refuse("graph", "generate", "road6", "new/a.gr", says="new/a.gr: cannot be written: new does not exist")
        self.refuse("graph", "generate", "road6", "/proc/a.gr", code=1, says="cannot be written")
        for name in ("a", "a.gz", "a.hdf5"):
            self.refuse("graph", "generate", "road6", name, says=[name, ".gr", ".mtx", ".wel"])
            self.refuse("graph", "convert", "road6", name, says=[name, ".gr", ".mtx", ".wel"])
        self.refuse("graph", "convert", "road6", "a.mtx", "--format", "dimacs", says=["a.mtx", "--format dimacs"])
        self.refuse("graph", "generate", "path1", "a.wel", says="a.wel: the graph has no edges")
        self.refuse("graph", "convert", "road6", "a.gr", "--format", "galoi", says=["--format", "dimacs"])
        self.refuse("graph", "convert", "none.gr", "a.gr", says="none.gr: no such file")
        self.assertEqual(self.names(), before)

    def test_features(self):
        rows = list(csv.DictReader(io.StringIO(self.succeed("graph", "features", "road6", "del6", "--format", "csv"))))
        features = json.loads(self.succeed("graph", "features", "road6", "del6", "--format", "json"))
        self.assertEqual([row["graph"] for row in rows], ["road6", "del6"])
        for row, entry in zip(rows, features):
            self.assertEqual(list(row), list(entry))
            self.assertEqual(len(row), 10)
            for key in list(row)[2:]:
                self.assertEqual(float(row[key]), entry[key])
        self.assertIn("road6", self.succeed("graph", "features", "road6"))
        everything = json.loads(self.succeed("graph", "features", "road6", "--all", "--format", "json"))[0]
        listed = json.loads(self.succeed("graph", "features", "--list", "--format", "json"))
        self.assertEqual([one["feature"] for one in listed], list(everything)[2:])
        self.assertEqual({one["cost"] for one in listed}, {"pass", "sampling"})
        for name, value in features[0].items():
            self.assertEqual(everything[name], value)
        self.assertEqual(everything["degree_p90"], 3)
        self.refuse("graph", "features", "road6", "--list", says="--list")
        self.refuse("graph", "features", "road6", "--format", "jsn", says="did you mean 'json'?")
        self.refuse("graph", "features", "road6", "none.gr", says="none.gr")


if __name__ == "__main__":
    program_test.main()
