# SPDX-License-Identifier: Apache-2.0
"""Graph files of other tools: METIS, tables of edges, SciPy matrices. Each is converted to an edge list."""

import contextlib
import csv
import io
import json
import os
import sqlite3
import struct
import zipfile

from program_test import SMALL_SPACE, ProgramTest, main


def npy(descr, shape, data):
    """Returns an array in NumPy's format, version 1.0."""
    header = (f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}").ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data


def numbers(descr, values):
    codes = {"<i4": "i", "<i8": "q", "<u8": "Q", "<u2": "H", "|i1": "b", "<f4": "f", "<f8": "d", "|b1": "?"}
    return npy(descr, f"({len(values)},)", struct.pack(f"<{len(values)}{codes[descr]}", *values))


class Formats(ProgramTest):
    def edges(self, name, *arguments):
        """Returns the lines of a file converted by `graph convert`, without comments."""
        code, _, self.errors = self.run_program("graph", "convert", name, "out.wel", *arguments)
        self.assertEqual(code, 0, self.errors)
        return [tuple(line.split()) for line in self.read("out.wel").decode().splitlines() if line[0] != "#"]

    def refuses(self, name, content, *says, arguments=()):
        self.write(name, content)
        return self.refuse("graph", "info", name, *arguments, says=[name, *says])

    # --- METIS

    METIS = "% four vertices\n4 3 011 1\n7 2 5 3 2\n1 1 5\n2 1 2 4 9\n% between\n1 3 9\n"

    def test_metis(self):
        self.write("a.graph", self.METIS)
        expected = [("1", "2", "5"), ("1", "3", "2"), ("2", "1", "5"), ("3", "1", "2"), ("3", "4", "9"),
                    ("4", "3", "9")]
        self.assertEqual(self.edges("a.graph"), expected)
        self.write("b.metis.gz", self.METIS)
        self.assertEqual(self.edges("b.metis.gz"), expected)
        # The file lists both directions, so neither option adds or removes an edge.
        self.assertEqual(self.edges("a.graph", "--directed"), expected)
        self.assertEqual(self.edges("a.graph", "--undirected"), expected)
        # A blank line is a vertex without neighbours; further blank lines may follow. Weights are drawn, equal in both
        # lines of an edge.
        # lines.
        self.write("c.graph", "4 2\n2\n1 4\n\n2\n\n\n")
        edges = self.edges("c.graph")
        self.assertEqual([edge[:2] for edge in edges], [("1", "2"), ("2", "1"), ("2", "4"), ("4", "2")])
        self.assertEqual((edges[0][2], edges[2][2]), (edges[1][2], edges[3][2]))
        self.assertIn("vertices        4\n", self.succeed("graph", "info", "c.graph"))
        # Sizes and several weights of a vertex, and decimal weights of edges.
        self.write("d.graph", "2 1 111 2\n9 8 7 2 1.5\n6 5 4 1 1.5\n")
        self.assertEqual(self.edges("d.graph"), [("1", "2", "1.5"), ("2", "1", "1.5")])

    def test_metis_that_is_wrong(self):
        text = self.METIS
        for content, says in [
                ("", "ends before"), ("% x\n", "ends before"), ("a b\n", "a.graph:1: expected 'VERTICES EDGES"),
                ("4 3 012\n", "a.graph:1: format '012'"), ("4 3 1 1\n", "a.graph:1: expected"),
                ("0 0\n", "no vertices"), ("5000000000 1\n", "a.graph:1: 5000000000 vertices"),
                ("4000000000 10\n", "a.graph:1: 4000000000 vertices with only"),
                (text.replace("4 9\n", "5 9\n"), "a.graph:5: vertex 5 is out of range"),
                (text.replace("4 9\n", "0 9\n"), "a.graph:5: vertex 0 is out of range"),
                (text.replace("4 9\n", "3 9\n"), "a.graph:5: vertex 3 is its own neighbour"),
                (text.replace("4 9\n", "4\n"), "a.graph:5: the weight of the last edge is missing"),
                (text.replace("4 9\n", "4 -9\n"), "a.graph:5: weight '-9' is negative"),
                (text.replace("4 9\n", "4 x\n"), "a.graph:5: weight 'x' is not a number"),
                (text.replace("2 1 2 4 9", ""), "a.graph:5: the size or a weight of the vertex is missing"),
                (text.replace("1 3 9\n", "1 3 8\n"),
                 "on the line of vertex 4, but not with the same weight on that of vertex 3"),
                (text.replace("1 3 9\n", "1 2 9\n"), "on the line of vertex"),
                (text.replace("1 3 9\n", ""), "ends after the lines of 3 of 4 vertices"),
                (text + "1 3 9\n", "a.graph:8: more lines than"),
                (text.replace("4 3 011", "4 4 011"), "6 neighbours in all lines, expected 8"),
                (text.replace("4 3 011", "4 2 011"), "a.graph:5: more neighbours than the 2 edges")]:
            with self.subTest(content=content):
                self.refuses("a.graph", content, says)
        # Without a check for symmetry, entries need no counterpart.
        self.write("a.graph", text.replace("1 3 9\n", "1 2 9\n"))
        self.assertEqual(self.edges("a.graph", "--directed")[-1], ("4", "2", "9"))
        self.write("n.graph", text.replace("4 9\n", "4 -9\n").replace("1 3 9\n", "1 3 -9\n"))
        self.assertEqual(self.edges("n.graph", "--negative-weights", "absolute")[-1], ("4", "3", "9"))

    # --- tables

    def test_tables_with_ids(self):
        expected = [("7", "20", "3"), ("20", "900", "1")]
        for name, content in [("a.csv", "7,20,3\n20,900,1\n"), ("b.csv", "7;20;3\r\n20;900;1"),
                              ("c.csv.gz", "\ufeffTo, From ,note,COST\n20,7,x,3\n\"900\",20,\"a \"\"b\"\", c\",1\n")]:
            with self.subTest(name=name):
                self.write(name, content)
                self.assertEqual(self.edges(name), expected)
                self.assertIn("does not say whether edges are directed", self.errors)
        self.refuse("graph", "names", "a.csv", says=["a.csv", "only numeric ids"])
        self.write("d.csv", "source,target\n1,2\n")
        weight = int(self.edges("d.csv", "--undirected")[0][2])
        self.assertEqual(self.edges("d.csv", "--undirected"), [("1", "2", str(weight)), ("2", "1", str(weight))])
        self.write("e.csv", "source,target,weight\n1,2,0.5\n2,1,-2\n")
        self.refuse("graph", "info", "e.csv", says=["e.csv:3: weight '-2' is negative"])
        self.assertEqual(self.edges("e.csv", "--negative-weights", "absolute"), [("1", "2", "0.5"), ("2", "1", "2.0")])

    def test_tables_with_names(self):
        self.write("r.csv", "from,to,length\n\"Bergen, NO\",Oslo,7\nOslo,007,2\n007,7,1\n")
        self.assertEqual(self.edges("r.csv"), [("0", "1", "7"), ("1", "2", "2"), ("2", "3", "1")])
        self.assertIn("the weight is 'length'", self.errors)
        self.assertEqual(self.edges("r.csv", "--source-column", "TO", "--target-column", "from")[0], ("0", "1", "7"))
        self.assertEqual(self.succeed("graph", "names", "r.csv"),
                         'id,name\r\n0,"Bergen, NO"\r\n1,Oslo\r\n2,007\r\n3,7\r\n')
        # Searches use the names.
        known = ("solve", "r.csv", "--device", "cpu", "--directed", "--weight-column", "length")
        output = (*known, "--output", "-", "--source")
        self.assertIn('\n"Bergen, NO" inf\nOslo 0\n007 2\n7 3\n', self.succeed(*output, "Oslo"))
        self.assertIn("\n007 0\n7 1\n", self.succeed(*output, "007"))
        self.assertIn("\n007 inf\n7 0\n", self.succeed(*output, "7"))
        self.refuse(*output, "3", says=["--source 3: r has no vertex '3'; its vertices have names"])
        targets = json.loads(self.succeed(*known, "--source", "Bergen, NO", "--targets", '"Bergen, NO",7', "--format",
                                          "json"))
        self.assertEqual(targets["source"], "Bergen, NO")
        self.assertEqual(targets["targets"], [{"vertex": "Bergen, NO", "distance": 0}, {"vertex": "7", "distance": 10}])
        self.write("pairs.txt", 'Oslo 7  # two words\n"Bergen, NO" 007\n')
        self.write("sources.txt", '"Bergen, NO"\nOslo\n')
        self.succeed(*known, "--pairs", "pairs.txt", "--output", "p.npy")
        self.assertEqual(struct.unpack("<2d", self.read("p.npy")[-16:]), (3, 9))
        self.succeed(*known, "--sources", "sources.txt", "--output", "many/")
        self.assertEqual(self.read("many/sources.txt").decode(), '"Bergen, NO"\nOslo\n')

    def test_columns_of_tables(self):
        self.write("t.csv", "a,b,seconds,metres\n1,2,30,400\n2,3,40,500\n")
        ends = ("--source-column", "a", "--target-column", "b")
        expected = [("1", "2", "400"), ("2", "3", "500")]
        self.assertEqual(self.edges("t.csv", *ends, "--weight-column", "metres"), expected)
        self.assertNotIn("weight", self.errors)
        self.assertEqual(self.edges("t.csv", *ends), expected)
        self.assertIn("the weight is 'metres'; other possible weights: 'seconds'", self.errors)
        self.refuse("graph", "info", "road4", "--weight-column", "x", says=["--weight-column", "is generated"])
        self.refuse("graph", "info", "t.csv", *ends, "--directed", "--direction-column", "x", says=["--directed"])
        # Without a weight, unknown columns are an error that names them.
        self.refuses("u.csv", "from,to,Distanz\n1,2,3\n", "u.csv:1: no column is known to have the weight",
                     "'Distanz'", "--weight-column")
        self.write("e2.csv", "id,source,target,cost,reverse_cost\n1,1,2,1,1\n2,2,3,1,5\n")
        text = self.succeed("solve", "e2.csv", "--weight-column", "cost", "--device", "cpu", "--source", "3",
                            "--output", "-")
        self.assertIn("\n1 6\n2 5\n3 0\n", text)
        self.write("gephi.csv", "Source,Target,Type,Weight\n1,2,Undirected,3.0\n3,2,Undirected,1.5\n")
        text = self.succeed("solve", "gephi.csv", "--weight-column", "Weight", "--direction-column", "type", "--device",
                            "cpu", "--source", "1", "--output", "-")
        self.assertIn("\n1 0\n2 3\n3 4.5\n", text)

    def test_tables_that_are_wrong(self):
        for content, says in [
                ("", "no line has an edge"), ("from,to\n", "no line has an edge"),
                # could be an edge or a header
                ("Oslo,Bergen\nBergen,Oslo\n", "a.csv:1: expected a header"),
                ("a,b,c\n1,2,3\n", "a.csv:1: expected a header"),
                ("from,to,oneway,cost\n1,2,maybe,3\n", "a.csv:2: 'maybe' does not say whether"),
                ("1,2,x\n", "a.csv:1: expected a header"), ("1,2,3,4\n", "a.csv:1: expected a header"),
                ("from,source,to\n1,2,3\n", "a.csv:1: columns 'from' and 'source' have the same meaning"),
                ("1,2,3\n1,2\n", "a.csv:2: 2 fields, expected 3"),
                ("from,to\n1,\n", "a.csv:2: the name of a vertex is missing"),
                ("from,to,cost\n1,2,\n", "a.csv:2: the weight is missing"),
                ("from,to,cost\n1,2,a\n", "a.csv:2: weight 'a' is not a number"),
                ("from,to\n\"a,b\n", "a.csv:2: a quoted field is not closed"),
                ("from,to\n\"a\"b,c\n", "a.csv:2: text between a quoted field"),
                ("from,to\na\"b,c\n", "a.csv:2: a quote inside"),
                ("from,to,cost\n1,2,1e999\n", "a.csv:2: weight '1e999' is too large")]:
            with self.subTest(content=content):
                self.refuses("a.csv", content, says)

    # --- SciPy

    def matrix(self, name, compression=zipfile.ZIP_DEFLATED, **changes):
        arrays = {"indices": numbers("<i4", [1, 2, 0]), "indptr": numbers("<i4", [0, 2, 2, 3]),
                  "format": npy("|S3", "()", b"csr"), "shape": numbers("<i8", [3, 3]),
                  "data": numbers("<i8", [4, 5, 6])}
        arrays.update(changes)
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", compression) as archive:
            for key, data in arrays.items():
                if data is not None:
                    archive.writestr(key + ".npy", data)
        return self.write(name, packed.getvalue())

    def test_matrices(self):
        expected = [("0", "1", "4"), ("0", "2", "5"), ("2", "0", "6")]
        for compression in (zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED):
            self.assertEqual(self.edges(self.matrix("a.npz", compression)), expected)
        self.assertEqual(self.edges(self.matrix("b.npz", indices=numbers("<i8", [1, 2, 0]),
                                                indptr=numbers("<i8", [0, 2, 2, 3]), data=numbers("|i1", [4, 5, 6]),
                                                format=npy("<U3", "()", "csr".encode("utf-32-le")))),
                         expected)
        self.assertEqual(sorted(self.edges(self.matrix("c.npz", format=npy("|S3", "()", b"csc")))),
                         [("0", "2", "6"), ("1", "0", "4"), ("2", "0", "5")])
        self.assertEqual(self.edges(self.matrix("d.npz", format=npy("|S3", "()", b"coo"), indices=None, indptr=None,
                                                row=numbers("<i4", [0, 0, 2]), col=numbers("<i4", [1, 2, 0]))),
                                                expected)
        floats = self.matrix("f.npz", data=numbers("<f8", [0.5, 0.1, 0]))
        self.assertEqual(self.edges(floats), [("0", "1", "0.5"), ("0", "2", "0.1"), ("2", "0", "0.0")])
        self.assertIn("float64", self.succeed("graph", "info", floats, "--weights", "float64"))
        self.assertEqual(len(self.edges(self.matrix("g.npz", data=numbers("|b1", [True, True, True])))), 3)
        negative = self.matrix("h.npz", data=numbers("<i4", [4, -5, 6]))
        self.refuse("graph", "info", negative, says=["h.npz: data.npy: element 1 is negative (-5)"])
        self.assertEqual(self.edges(negative, "--negative-weights", "absolute"), expected)

    def test_matrices_that_are_wrong(self):
        for says, changes in [
                ("shape.npy: the matrix is 3 x 4", {"shape": numbers("<i8", [3, 4])}),
                ("no sparse matrix", {"format": None}), ("has no file data.npy", {"data": None}),
                ("the format 'dia'", {"format": npy("|S3", "()", b"dia")}),
                ("indices.npy: element 1 is 3, expected 0 to 2", {"indices": numbers("<i4", [1, 3, 0])}),
                ("indices.npy: element 1 is negative", {"indices": numbers("<i4", [1, -1, 0])}),
                ("indptr.npy: has 3 elements, expected 4", {"indptr": numbers("<i4", [0, 2, 3])}),
                ("indptr.npy: element 2 is 1, out of order", {"indptr": numbers("<i4", [0, 2, 1, 3])}),
                ("indptr.npy: ends with 2, expected 3", {"indptr": numbers("<i4", [0, 2, 2, 2])}),
                ("data.npy: has 2 elements, expected 3", {"data": numbers("<i4", [1, 2])}),
                ("data.npy: element 0 is not finite", {"data": numbers("<f8", [float("nan"), 1, 1])}),
                ("data.npy: element 2 is too large for a 32-bit float", {"data": numbers("<f8", [1, 1, 1e300])}),
                ("data.npy: element 0 is 4294967295", {"data": numbers("<u8", [0xFFFFFFFF, 1, 1])}),
                ("data.npy: has values that cannot be weights", {"data": npy("<c8", "(3,)", bytes(24))}),
                ("data.npy: has the type '>i4'", {"data": npy(">i4", "(3,)", bytes(12))}),
                ("data.npy: is not as long", {"data": npy("<i4", "(3,)", bytes(8))}),
                ("data.npy: has more than one dimension", {"data": npy("<i4", "(3, 1)", bytes(12))}),
                ("data.npy: is not a NumPy array", {"data": b"what is this, it is no array"})]:
            with self.subTest(says=says):
                self.refuse("graph", "info", self.matrix("a.npz", **changes), says=["a.npz", says])
        self.refuse("graph", "info", self.matrix("f.npz", data=numbers("<f4", [1, 2, 3])), "--weights", "uint32",
                    says=["f.npz", "has floats"])
        whole = self.read(self.matrix("whole.npz"))
        for length in (0, 10, 21, len(whole) // 2, len(whole) - 1):
            self.refuses("cut.npz", whole[:length])
        # No change of a byte may give another graph.
        right = self.edges("whole.npz")
        for position in range(0, len(whole), 7):
            self.write("flip.npz", whole[:position] + bytes([whole[position] ^ 0x41]) + whole[position + 1:])
            code, _, errors = self.run_program("graph", "convert", "flip.npz", "out.wel")
            self.assertIn(code, (0, 2), errors)
            if code == 0:
                self.assertEqual(self.edges("flip.npz"), right, position)

    def test_matrices_of_scipy(self):
        try:
            import scipy.sparse
        except ImportError:
            self.skipTest("no SciPy")
        matrix = scipy.sparse.random(50, 50, 0.1, random_state=1, format="csr")
        for kind in ("csr", "csc", "coo"):
            for compressed in (True, False):
                scipy.sparse.save_npz(self.path("s.npz"), matrix.asformat(kind), compressed=compressed)
                edges = {(int(u), int(v)): float(w) for u, v, w in self.edges("s.npz", "--weights", "float64")}
                self.assertEqual(edges, {(int(u), int(v)): w for u, v, w in zip(*scipy.sparse.find(matrix))})

    # --- all formats

    def test_they_are_written(self):
        for name in ("a.graph", "a.metis.gz", "a.csv", "a.csv.gz", "a.npz"):
            self.succeed("graph", "generate", "road6", name)
            counted_from = 0 if name.endswith((".csv", ".csv.gz", ".npz")) else 1
            self.succeed("graph", "generate", "road6", "right.wel")
            right = [tuple(line.split()) for line in self.read("right.wel").decode().splitlines()]
            edges = [(str(int(u) - counted_from), str(int(v) - counted_from), w) for u, v, w in self.edges(name)]
            self.assertEqual(edges, right)
        self.refuse("graph", "generate", "rmat6", "b.graph", says=["b.graph", "from a vertex to itself"])
        self.refuse("graph", "generate", "road6", "b.npz.gz", says=["b.npz.gz", "leave .gz out"])
        self.refuse("graph", "generate", "road6", "b.hdf5", says=["unknown file extension", ".metis", ".npz"])
        # Reverse edges, which METIS requires, are added on request.
        self.write("b.wel", "1 2 3\n2 5 4\n")
        self.refuse("graph", "convert", "b.wel", "b.graph",
                    says=["b.graph: the edge from 1 to 2 with weight 3 has no reverse", "--undirected"])
        output = self.succeed("graph", "convert", "b.wel", "b.graph", "--undirected")
        self.assertIn("are numbered 1 to 3 here", output)
        self.assertEqual(self.read("b.graph").decode().splitlines()[1:], ["3 2 001", "2 3", "1 3 3 4", "2 4"])
        try:
            import scipy.sparse
        except ImportError:
            self.skipTest("no SciPy")
        self.succeed("graph", "convert", "b.wel", "b.npz")
        matrix = scipy.sparse.load_npz(self.path("b.npz"))
        self.assertEqual((matrix.format, matrix.shape, matrix.toarray().tolist()),
                         ("csr", (3, 3), [[0, 3, 0], [0, 0, 4], [0, 0, 0]]))

    def printed(self, *arguments):
        """Returns the stdout (bytes) and the stderr of a command."""
        process = self.start(*arguments)
        output, errors = process.communicate(timeout=240)
        self.assertEqual(process.returncode, 0, errors)
        return output, errors.decode()

    def test_they_are_written_to_standard_output(self):
        self.write("a.wel", "7 20 3\n20 900 4\n")
        for name, form in [("x.gr", "galois"), ("y.gr", "dimacs"), ("x.mtx", "mtx"), ("x.wel", "wel"),
                           ("x.metis", "metis"), ("x.csv", "csv"), ("x.npz", "npz")]:
            with self.subTest(form=form):
                message = self.succeed("graph", "convert", "a.wel", name, "--format", form, "--undirected")
                output, errors = self.printed("graph", "convert", "a.wel", "-", "--format", form, "--undirected")
                self.assertEqual(output, self.read(name))
                # A note after the semicolon describes what the format changed.
                changed = message.strip().partition("; ")[2]
                self.assertEqual(errors, f"mlmq: note: standard output: {changed}\n" if changed else "")
        self.succeed("graph", "generate", "road6", "g.mtx")
        self.assertEqual(self.printed("graph", "generate", "road6", "-", "--format", "mtx")[0], self.read("g.mtx"))
        before = self.names()
        for command in (["convert", "a.wel"], ["generate", "road6"]):
            self.refuse("graph", *command, "-", says=["-: specify --format", "csv", "npz"])
            self.refuse("graph", *command, "-", "--format", "gr", says=["'gr' is not one of", "galois"])
            self.refuse("graph", *command, "b.csv", "--format", "mtx", says=["b.csv", "--format mtx"])
            self.refuse("graph", *command, "b.gr", "--format", "mtx", says=["b.gr", "--format mtx"])
        # Reading only a part of the file leaves no temporary files behind.
        os.mkdir(self.path("tmp"))
        process = self.start("graph", "generate", "road16", "-", "--format", "csv",
                             environment={"TMPDIR": self.path("tmp")})
        self.assertEqual(process.stdout.read(6), b"source")
        self.assertEqual(os.listdir(self.path("tmp")), [])
        process.stdout.close()
        process.stderr.close()
        self.assertNotEqual(process.wait(240), 0)
        # A graph that the format cannot hold leaves no partial output.
        self.refuse("graph", "convert", "a.wel", "-", "--format", "metis",
                    says=["standard output: the edge from 7 to 20", "no reverse"])
        self.write("f.wel", "1 2 0.5\n")
        self.refuse("graph", "convert", "f.wel", "-", "--format", "galois",
                    says=["standard output: the Galois", "--format dimacs"])
        self.assertEqual(self.names(), sorted([*before, "f.wel", "tmp"]))

    NAMED = ('source,target,weight\n"Bergen, NO",Oslo,7\nOslo,007,2\n007,7,1\n007," x ",3\n'
             '" x ","say ""hi""",4\n"say ""hi""",a;b,5\n')

    def test_names_are_written_back(self):
        self.write("r.csv", self.NAMED)
        self.printed("graph", "convert", "r.csv", "s.csv", "--directed")
        self.assertEqual(self.read("s.csv").decode(), self.NAMED)
        self.assertEqual(self.printed("graph", "convert", "r.csv", "-", "--format", "csv", "--directed")[0],
                         self.NAMED.encode())
        self.printed("graph", "convert", "r.csv", "t.csv.gz", "--undirected")
        self.assertEqual(len(self.edges("t.csv.gz")), 12)
        self.printed("graph", "convert", "t.csv.gz", "u.csv")
        rows = list(csv.DictReader(io.StringIO(self.read("u.csv").decode())))
        originals = list(csv.DictReader(io.StringIO(self.NAMED)))
        self.assertEqual(sorted((row["source"], row["target"], row["weight"]) for row in rows),
                         sorted(edge for row in originals for edge in [(row["source"], row["target"], row["weight"]),
                                                                       (row["target"], row["source"], row["weight"])]))
        # A format without room for names has the ids from the table of names.
        self.assertEqual(self.edges("r.csv", "--directed")[0], ("0", "1", "7"))
        # Numbers are ids, not names.
        self.write("n.csv", "7,20,3\n20,900,1\n")
        self.succeed("graph", "convert", "n.csv", "m.csv", "--weight-column", "3", "--directed")
        self.assertEqual(self.read("m.csv").decode(), "source,target,weight\n7,20,3\n20,900,1\n")

    def test_names_that_are_not_utf_8(self):
        """They are recorded with escapes, so that every reader of a database works."""
        name = os.fsdecode(b"b\xff.wel")
        self.write(name, "# Undirected graph\n1 2 3\n")
        self.write("small.yaml", SMALL_SPACE)
        self.succeed("sweep", "small.yaml", "--device", self.simulated, "--db", "r.sqlite", "--workloads", name)
        self.assertIn("b\\xff", self.succeed("db", "export", "r.sqlite"))
        self.succeed("db", "export", "r.sqlite", "--format", "t4", "--output", "t4/")
        with contextlib.closing(sqlite3.connect(self.path("r.sqlite"))) as database:
            (recorded, origin), = database.execute("SELECT name, origin FROM workload").fetchall()
        self.assertEqual(recorded, "b\\xff")
        self.assertTrue(origin.endswith("/b\\xff.wel"), origin)

    def test_columns_in_experiments(self):
        self.write("t.csv", "a,b,seconds,metres\n1,2,30,400\n2,3,40,500\n")
        first, last = SMALL_SPACE.split("workloads:")[0], SMALL_SPACE[SMALL_SPACE.index("measurement:"):]
        self.write("e.yaml", first + "workloads:\n  - {file: t.csv, source_column: a, target_column: b, "
                                     "weight_column: seconds}\n" + last)
        code, _, errors = self.run_program("sweep", "e.yaml", "--device", self.simulated, "--db", "r.sqlite")
        self.assertEqual(code, 0, errors)
        self.assertNotIn("the weight is", errors)
        with contextlib.closing(sqlite3.connect(self.path("r.sqlite"))) as database:
            self.assertEqual(database.execute("SELECT name FROM workload").fetchall(), [("t:weight_column=seconds",)])

    def test_what_files_do_not_say(self):
        self.write("a.csv", "source,target\n1,2\n")
        says = ("a.csv: has no weights: whole numbers from 1 to 100 are drawn, with seed 1; does not say whether edges "
                "are directed")
        for command in (["graph", "info", "a.csv"], ["solve", "a.csv", "--device", "cpu"]):
            code, _, errors = self.run_program(*command)
            self.assertEqual((code, errors.count(says)), (0, 1), errors)
        # Explicit options need no note.
        code, _, errors = self.run_program("graph", "info", "a.csv", "--ignore-weights", "--directed")
        self.assertEqual((code, errors), (0, ""))
        # The note is stored with the workload; a folder of such files gives one note.
        os.mkdir(self.path("d"))
        for i in range(5):
            self.write(f"d/g{i}.el", f"1 2\n2 {i + 3}\n")
        self.write("d/results.csv", "a,b,c\n")  # is skipped
        self.write("s.yaml", SMALL_SPACE)
        code, output, errors = self.run_program("sweep", "s.yaml", "--db", "r.sqlite", "--device", "simt",
                                                "--workloads", "d", "a.csv")
        self.assertEqual(code, 0, errors)
        self.assertIn("g0.el and 5 others: has no weights", errors)
        self.assertEqual(errors.count("has no weights"), 1, errors)
        rows = json.loads(self.succeed("db", "query", "--format", "json",
                                       "SELECT name, description FROM workload ORDER BY name", "r.sqlite"))
        self.assertEqual([row["name"] for row in rows], ["a", "g0", "g1", "g2", "g3", "g4"])
        for row in rows:
            (remark,) = json.loads(row["description"])["remarks"]
            self.assertRegex(remark, "^has no weights: .*; does not say whether edges are directed")


if __name__ == "__main__":
    main()
