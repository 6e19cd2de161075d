# SPDX-License-Identifier: Apache-2.0
"""scripts/check-graphs, with small graphs under the names of the papers'."""

import csv
import gzip
import hashlib
import json
import os
import pathlib
import subprocess
import sys

import program_test  # in this folder

SCRIPTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scripts")
ROAD = gzip.compress(b"p sp 3 2\na 1 2 5\na 2 3 7\n", mtime=0)
MESH = "%%MatrixMarket matrix coordinate pattern symmetric\n1500 1500 2\n2 1\n3 2\n"


class CheckGraphs(program_test.ProgramTest):
    def check(self, *more):
        run = subprocess.run([sys.executable, "-B", os.path.join(SCRIPTS, "check-graphs"), program_test.PROGRAM,
                              self.path("graphs"), *more], capture_output=True, text=True, check=False)
        return run.returncode, run.stdout + run.stderr

    def test_papers(self):
        os.mkdir(self.path("graphs"))
        status, output = self.check()
        self.assertEqual(status, 1)
        self.assertIn("USA-road-d.BAY: not in the folder; http://www.diag.uniroma1.it/challenge9/data/USA-road-d/"
                      "USA-road-d.BAY.gr.gz\n", output)
        self.assertIn("delaunay_n20: not in the folder; https://sparse.tamu.edu/DIMACS10/delaunay_n20\n", output)
        pathlib.Path(self.path("graphs/USA-road-d.NY.gr.gz")).write_bytes(ROAD)
        self.write("graphs/delaunay_n18.mtx", MESH)
        status, output = self.check()
        self.assertEqual(status, 1)
        self.assertRegex(output, r"USA-road-d\.NY\.gr\.gz: NOT the graph of MLMQ Table 4: its checksum is "
                                 r"[0-9a-f]{64}, expected 7b2446c7")
        self.assertIn("delaunay_n18.mtx: NOT the graph of MLMQ Table 4: it has 1,500 vertices, the paper's graph 262K",
                      output)
        self.assertIn("2 graphs found, 0 of them", output)

    def test_right_ones(self):
        os.mkdir(self.path("graphs"))
        pathlib.Path(self.path("graphs/road.gr.gz")).write_bytes(ROAD)
        self.write("graphs/mesh.mtx", MESH)
        self.write("list.csv", "name,shown_in,address,vertices,edges,sha256\n"
                   f"road,Fig. 1,http://somewhere/road.gr.gz,,,{hashlib.sha256(ROAD).hexdigest()}\n"
                   "mesh,Fig. 2,http://somewhere/mesh,1.5K,4K,\n")
        status, output = self.check("--list", self.path("list.csv"))
        self.assertEqual(status, 0, output)
        self.assertIn("road.gr.gz: has the listed checksum\n", output)
        self.assertIn("mesh.mtx: 1,500 vertices, 4 edges (paper: 1.5K, 4K), sha256 "
                      f"{hashlib.sha256(MESH.encode()).hexdigest()}\n", output)
        self.write("graphs/mesh.mtx", "no matrix\n")
        status, output = self.check("--list", self.path("list.csv"))
        self.assertEqual(status, 1)
        self.assertIn("mesh.mtx: NOT the graph of Fig. 2: mlmq: ", output)

    def test_content(self):
        os.mkdir(self.path("graphs"))
        for name in ("right", "wrong"):
            self.succeed("graph", "generate", "road6" if name == "right" else "road7", self.path(f"graphs/{name}.mtx"))
        known = json.loads(self.succeed("graph", "info", self.path("graphs/right.mtx"), "--format", "json"))
        row = f"{known['vertices']},{known['edges']},{known['hash']}\n"
        self.write("list.csv", f"name,address,vertices,arcs,hash\nright,somewhere,{row}wrong,somewhere,{row}")
        status, output = self.check("--list", self.path("list.csv"))
        self.assertEqual(status, 1)
        self.assertIn(f"right.mtx: {known['vertices']} vertices", output)
        self.assertRegex(output, rf"wrong\.mtx: NOT the graph of the list: .*; listed are .*{known['hash']}")
        self.assertIn("2 graphs found, 1 of them as listed", output)

    def test_the_real_graphs_are_those_on_record(self):
        with open(os.path.join(SCRIPTS, "..", "experiments", "real_graphs.csv"), encoding="utf-8") as text:
            rows = list(csv.DictReader(text))
        self.assertGreater(len(rows), 300)
        record = pathlib.Path(SCRIPTS, "..", "experiments", "recorded", "joint.trials").read_text(encoding="utf-8")
        self.assertEqual([row["name"] for row in rows if f'"hash":"{row["hash"]}"' not in record], [])


if __name__ == "__main__":
    program_test.main()
