# SPDX-License-Identifier: Apache-2.0
"""'mlmq tune': when a selector is installed, and that later searches use it."""

import contextlib
import json
import os
import shutil
import sqlite3

from program_test import main
from tune_test import DEVICE, DEVICE_NAME, GRAPHS, TuneTest


class PlantedTuning(TuneTest):
    """Times that a test has written into the record, so that the best way to choose is known."""

    def measured(self):
        """Measures everything that the commands below need, so that they only learn."""
        self.small(*GRAPHS)
        for file in self.installed():
            os.remove(file)

    def planted(self, milliseconds):
        self.measured()
        self.plant("o/results.sqlite", milliseconds)
        return self.small(*GRAPHS)

    def test_a_better_one_is_installed_and_used(self):
        # One configuration is the best everywhere, and the shipped selector does not know this.
        output = self.planted(lambda workload, label: 1 if "delta=16" in label and "l1=none" in label else 3)
        self.assertIn(f"From now on 'mlmq solve --device {DEVICE}' uses the best fixed configuration on {DEVICE_NAME}: "
                      f"it is better", output)
        self.assertEqual(len(self.installed()), 1)
        self.assertIn(self.installed()[0], output)
        solved = self.solve("road7", "--check")
        self.assertRegex(solved, r"configuration .*delta=16.*\(chosen by the selector tuned on this device")
        self.assertIn("chosen by the selector)", self.solve("road7", "--model", "shipped"))
        listed = self.succeed("selector", "list")
        self.assertRegex(listed, DEVICE_NAME + r".*sssp.*4.*this user.*used")
        (entry,) = json.loads(self.succeed("selector", "list", "--format", "json"))["selectors"]
        self.assertEqual((entry["problem"], entry["graphs"], entry["for"], entry["state"], entry["file"]),
                         ("sssp", 4, "user", "used", self.installed()[0]))
        self.assertEqual(json.loads(self.succeed("doctor", "--format", "json"))["selector"]["installed"], [entry])
        self.assertIn(f"installed for {entry['device']} (sssp, made {entry['made']}, used): {entry['file']}\n",
                      self.succeed("doctor"))
        # The selector does not apply to another device.
        self.assertNotIn("tuned", self.succeed("solve", "road7", "--device", "simt:2x32"))
        # The next selector is compared with this one by its choice without features, and does not replace it.
        before = self.read(self.installed()[0])
        again = self.small(*GRAPHS)
        self.assertRegex(again, r"keeps using the selector of [0-9-]+ on simt")
        self.assertEqual(self.read(self.installed()[0]), before)
        self.assertIn("removed", self.succeed("selector", "remove", DEVICE_NAME))
        self.assertIn("chosen by the selector)", self.solve("road7"))
        self.assertIn("no selector is installed", self.succeed("selector", "list"))
        self.refuse("selector", "remove", DEVICE_NAME, says="no selector is installed")

    def test_one_that_is_as_good_is_not_installed(self):
        output = self.planted(lambda workload, label: 2)
        ways = self.ways(output)
        self.assertEqual(ways["shipped selector"], 1)
        self.assertIn("keeps using the shipped selector", output)
        self.assertEqual(self.installed(), [])

    def test_a_worse_one_is_not_installed(self):
        # The shipped selector's choice is the best, a different configuration for each graph.
        chosen = {graph: json.loads(self.solve(graph, "--format", "json"))["configuration"] for graph in GRAPHS}
        output = self.planted(lambda workload, label: 1 if label == chosen[workload] else 5)
        ways = self.ways(output)
        self.assertEqual(ways["shipped selector"], 1)
        if len(set(chosen.values())) > 1:
            self.assertLess(max(ways["new selector"], ways["best fixed configuration"]), 1)
        self.assertIn("keeps using the shipped selector", output)
        self.assertEqual(self.installed(), [])

    def test_an_installed_one_that_has_become_worse_is_replaced(self):
        self.planted(lambda workload, label: 1 if "delta=16" in label and "l1=none" in label else 3)
        before = self.read(self.installed()[0])
        self.plant("o/results.sqlite", lambda workload, label: 1 if "delta=4," in label and "l1=none" in label else 3)
        output = self.small(*GRAPHS)
        self.assertRegex(output, r"From now on 'mlmq solve --device \S+' uses the best fixed configuration .* better "
                                 r"than the selector of")
        self.assertNotEqual(self.read(self.installed()[0]), before)
        self.assertRegex(self.solve("road7"), r"configuration .*delta=4[,\s]")

    def test_a_damaged_one_does_not_break_a_solve(self):
        self.planted(lambda workload, label: 1 if "delta=16" in label and "l1=none" in label else 3)
        file = self.installed()[0]
        whole = self.read(file)
        for damaged in (b"", whole[:len(whole) // 2], whole.replace(b"delta=16", b"delta=17"), b"\0" * 100):
            self.write(file, damaged)
            code, output, errors = self.run_program("solve", "road7", "--device", DEVICE, "--check", "--repeat", "3")
            self.assertEqual(code, 0, errors)
            self.assertIn("every distance is right", output)
            self.assertIn("(chosen by the selector)", output)
            self.assertRegex(errors, r"\Amlmq: warning: the installed selector cannot be used[^\n]+\n\Z")
            self.assertIn(os.path.basename(file), errors)
            self.assertIn("damaged", self.succeed("selector", "list"))
            self.assertIn(f"damaged, not used: {file}\n", self.succeed("doctor"))
            (entry,) = json.loads(self.succeed("selector", "list", "--format", "json"))["selectors"]
            self.assertEqual((entry["device"], entry["state"], entry["file"]), (None, "damaged", file))
            self.assertTrue(entry["damage"])
        # Tuning again replaces the damaged selector.
        code, output, errors = self.run_program("tune", "--space", "space.yaml", "--device", DEVICE, "--folder", "o",
                                                "--sample", "0", "--record", "none", *GRAPHS)
        self.assertEqual(code, 0, errors)
        self.assertIn("the installed selector cannot be used", errors)
        self.assertRegex(self.solve("road7"), "tuned on this device")

    def test_one_for_a_file_that_is_shared(self):
        self.measured()
        self.plant("o/results.sqlite", lambda workload, label: 1 if "delta=16" in label and "l1=none" in label else 3)
        output = self.small("--output", "shared.json", *GRAPHS)
        self.assertIn("shared.json has the best fixed configuration", output)
        self.assertEqual(self.installed(), [])
        self.assertRegex(self.solve("road7", "--model", "shared.json"), "delta=16")
        self.succeed("selector", "install", "shared.json")
        self.assertRegex(self.solve("road7"), r"delta=16.*tuned on this device")
        self.refuse("selector", "install", "o/model.json", says="not a tuned selector")
        # Removal by file name also works for a damaged selector.
        self.write(self.installed()[0], b"x")
        self.succeed("selector", "remove", os.path.basename(self.installed()[0]))
        self.assertEqual(self.installed(), [])

    def test_a_record_of_the_same_device_and_of_another(self):
        # The record has twenty-four graphs on this device: vectors are best on one class, buckets on the other.
        names = [f"{kind}:seed={seed}" for kind in ("road4", "rmat4") for seed in range(1, 13)]
        self.succeed("sweep", "space.yaml", "--db", "record.sqlite", "--device", DEVICE, "--workloads", *names)

        def by_class(workload, label):
            fast_part = "l2=vector" if workload.startswith("road") else "delta=4,"
            return 1 if fast_part in label and "l1=none" in label else 4
        self.plant("record.sqlite", by_class)
        self.measured()
        self.plant("o/results.sqlite", by_class)
        output = self.small("--record", "record.sqlite", *GRAPHS)
        self.assertIn("and from 24 graphs on record, of this device", output)
        ways = self.ways(output)
        self.assertGreater(ways["new selector"], ways["best fixed configuration"])
        self.assertIn("uses the new selector", output)
        # The same record has no effect when it holds measured times of another device.
        with contextlib.closing(sqlite3.connect(self.path("record.sqlite"))) as opened, opened:
            opened.execute("UPDATE device SET name = 'another', kind = 'cuda', modelled = 0")
        for file in self.installed():
            os.remove(file)
        self.refuse("tune", "--record", "record.sqlite", "--space", "space.yaml", "--device", DEVICE, "--folder", "o",
                    "--sample", "0", *GRAPHS, says="record.sqlite", prints=True)
        self.assertNotIn("on record", self.small("--record", "none", *GRAPHS))
        shutil.rmtree(self.path("o"))


if __name__ == "__main__":
    main()
