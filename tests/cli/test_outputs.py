# SPDX-License-Identifier: Apache-2.0
"""Outputs of commands: none overwrites an input or another output of the same command."""

import itertools
import json
import os
import re
import struct

from program_test import SMALL_SPACE, ProgramTest, main

NUMBERS = ("N", "NUMBER", "DURATION", "SIZE")

# Options whose descriptions mention files or databases, although their values name none.
MENTION_FILES = {"--negative-weights", "--format", "--experiment", "--title", "--device", "--processors", "--reduce",
                 "--source", "device"}


class Outputs(ProgramTest):
    def commands(self):
        """Yields every command and its options that take a value."""
        for command in json.loads(self.succeed("declarations")):
            yield command["command"].split()[1:], [option for option in command["options"] if option["value"]]

    def name(self, option):
        return option["positional"] or option["names"][-1]

    def arguments(self, words, options, values):
        """Returns the arguments of a command with these option values; other required options get a valid value."""
        positional, named = [], []
        for option in options:
            value = values.get(self.name(option))
            if value is None and option["required"]:
                value = option["choices"][0] if option["choices"] else "1" if option["value"] in NUMBERS else "other"
            if value is not None and option["positional"]:
                positional.append(value)
            elif value is not None:
                named += [option["names"][-1], value]
        return [*words, *positional, *named]

    def content(self):
        """Returns all files of the folder; dangling links have no content."""
        contents = {}
        for folder, _, names in os.walk(self.folder):
            for path in (os.path.join(folder, name) for name in names):
                contents[path] = None
                if os.path.exists(path):
                    with open(path, "rb") as file:
                        contents[path] = file.read()
        return contents

    def refuse_to_write(self, arguments, says):
        before = self.content()
        self.refuse(*arguments, says=says)
        self.assertEqual(self.content(), before, arguments)

    def test_options_declare_roles(self):
        """A new option that takes text must declare what the command does with the named file, or that it names none:
        reads_files(), writes_files() or takes_no_files() after its declaration."""
        count = 0
        for words, options in self.commands():
            for option in options:
                about = f"mlmq {' '.join(words)}: {self.name(option)}: {option['meaning']}"
                if option["value"] in NUMBERS or option["choices"]:
                    self.assertIsNone(option["file"], about)
                    continue
                self.assertIsNotNone(option["file"], f"has no role (cli/file_roles.hpp): {about}")
                mentions = re.search(r"\b(files?|folders?|databases?|[a-z]+\.json)\b", option["meaning"])
                if mentions and option["file"]["use"] == "none":
                    self.assertIn(self.name(option), MENTION_FILES, about)
                count += 1
        self.assertGreater(count, 80)

    def test_inputs_of_every_command(self):
        os.mkdir(self.path("folder"))
        self.write("input.dat", "kept")
        os.symlink("input.dat", self.path("soft.dat"))
        os.link(self.path("input.dat"), self.path("hard.dat"))
        os.symlink("absent.dat", self.path("dangling.dat"))
        pairs = []
        for words, options in self.commands():
            roles = {self.name(option): option["file"] for option in options if option["file"]}
            outputs = [name for name, role in roles.items() if role["use"] == "write"]
            inputs = [name for name, role in roles.items() if role["use"] == "read"]
            # Tries all ways to name a file for the first pair of a command, and two of them for each other pair.
            for number, (output, other) in enumerate(itertools.product(outputs, inputs)):
                name = output if output.startswith("-") else f"'{output}'"
                ways = (("input.dat", "input.dat"), ("soft.dat", "hard.dat"), ("folder/../input.dat", "input.dat"),
                        ("input.dat", "soft.dat"), (self.path("input.dat"), "input.dat"),
                        ("dangling.dat", "absent.dat"))
                for path, same in ways if number == 0 else ways[:2]:
                    self.refuse_to_write(self.arguments(words, options, {output: path, other: same}),
                                         says=[f"{name} would overwrite {same}", other])
            for output, other in itertools.combinations(outputs, 2):
                for path, same in (("new.dat", "folder/../new.dat"), ("soft.dat", "hard.dat"), ("-", "-")):
                    self.refuse_to_write(self.arguments(words, options, {output: path, other: same}),
                                         says=["would write to the same file", output, other])
            # Tries files in a folder that the command writes.
            for output, other in itertools.product(outputs, inputs + outputs):
                for pattern in roles[output]["names"] if output != other else ():
                    name = pattern.replace("*", "x")
                    values = {output: "absent", other: f"absent/{name}"}
                    self.refuse_to_write(self.arguments(words, options, values), says=[output, other, name])
                    os.link(self.path("input.dat"), self.path(f"folder/{name}"))
                    self.refuse_to_write(self.arguments(words, options, {output: "folder", other: "soft.dat"}),
                                         says=[output, other, "soft.dat"])
                    os.remove(self.path(f"folder/{name}"))
            pairs += [(" ".join(words), output, other) for output in outputs for other in inputs + outputs]
        self.assertGreater(len(pairs), 60)
        for pair in (("db export", "--output", "database"), ("selector train", "--output", "databases"),
                     ("solve", "--output", "--targets"), ("solve", "--predecessors", "--output"),
                     ("tune", "--folder", "--record"), ("graph convert", "output", "graph")):
            self.assertIn(pair, pairs)

    def test_inputs_by_default_pattern_folder_and_list(self):
        os.mkdir(self.path("graphs"))
        self.write("graphs/a.txt", "1 2 3\n")
        self.write("list.yaml", "workloads:\n  - file: graphs/*.txt\n")
        self.write("small.yaml", SMALL_SPACE)
        self.sweeps("small.yaml", "--db", "results.sqlite")
        for arguments in (("db", "export"), ("db", "export", "--format", "nvbench"), ("replay",), ("selector", "train"),
                          ("selector", "evaluate"), ("selector", "curve")):
            self.refuse_to_write([*arguments, "--output", "results.sqlite"],
                                 says="--output would overwrite results.sqlite")
        for workloads in ("graphs", "graphs/*.txt", "list.yaml", "."):
            self.refuse_to_write(["sweep", "small.yaml", "--db", "graphs/a.txt", "--workloads", workloads],
                                 says=["--db would overwrite", "graphs/a.txt, which --workloads reads"])
            self.refuse_to_write(["compare", "--output", "graphs/a.txt", "--workloads", workloads],
                                 says=["--output would overwrite", "graphs/a.txt, which --workloads reads"])

    def test_endings(self):
        """An ending means the same in every command, or is refused before any work."""
        self.write("g.wel", "10 20 5\n20 30 2\n40 10 1\n")
        solve = ("solve", "g.wel", "--directed", "--device", "cpu")
        self.succeed(*solve, "--source", "10", "--output", "d.npy")
        self.assertTrue(self.read("d.npy").startswith(b"\x93NUMPY"))
        self.assertEqual(struct.unpack("<4I", self.read("d.npy")[-16:]), (0, 5, 7, 2**32 - 1))
        self.succeed(*solve, "--source", "10", "--weights", "float64", "--output", "d.npy")
        self.assertEqual(struct.unpack("<4d", self.read("d.npy")[-32:]), (0, 5, 7, float("inf")))
        self.succeed(*solve, "--source", "10", "--output", "d.csv", "--predecessors", "p.csv")
        self.assertEqual(self.read("d.csv"), b"vertex,distance\n10,0\n20,5\n30,7\n40,inf\n")
        self.assertEqual(self.read("p.csv"), b"vertex,predecessor\n10,none\n20,10\n30,20\n40,none\n")
        self.succeed(*solve, "--source", "10", "--targets", "30,10", "--output", "t.csv")
        self.assertEqual(self.read("t.csv"), b"vertex,distance\n30,7\n10,0\n")
        self.succeed(*solve, "--sources", "all", "--output", "m/")
        self.succeed(*solve, "--source", "10", "--output", "without")
        self.assertTrue(self.read("without").startswith(b"# VERTEX DISTANCE"))
        before = self.content()
        for arguments, says in (
                ([*solve, "--output", "d.parquet"], "d.parquet: a file that ends in .parquet is not written here; "
                                                    "expected NAME.txt or NAME.csv or NAME.npy"),
                ([*solve, "--output", "d.npy.gz"], "d.npy.gz"), ([*solve, "--output", "d.json"], "d.json"),
                ([*solve, "--output", "d/"], "d/"), ([*solve, "--predecessors", "p.npy"], "--predecessors p.npy"),
                ([*solve, "--targets", "30", "--output", "t.npz"], "t.npz"),
                ([*solve, "--sources", "all", "--output", "m.csv"], "m.csv: a file that ends in .csv is not written "
                                                                    "here; expected NAME.npy or NAME/"),
                ([*solve, "--sources", "all", "--output", "m"], "expected NAME.npy or NAME/"),
                ([*solve, "--sources", "all", "--reduce", "closeness", "--output", "r/"], "r/"),
                (["centrality", "g.wel", "--device", "cpu", "--output", "c.json"], "c.json"),
                (["solve", "grid16", "--query", "pairs=2", "--device", "cpu", "--output", "a.npy"], "a.npy"),
                (["compare", "--workloads", "g.wel", "--format", "csv", "--output", "c.npy"], "c.npy")):
            self.refuse(*arguments, says=["--output" if "p.npy" not in arguments else "--predecessors", says])
        self.assertEqual(self.content(), before)

    def test_outputs_beside_inputs(self):
        """Other files in the same folder, and streams, cause no conflict."""
        self.write("a.txt", "1 2 3\n")
        self.succeed("solve", "a.txt", "--device", "cpu", "--output", "/dev/null", "--predecessors", "/dev/null")
        self.succeed("solve", "a.txt", "--device", "cpu", "--output", "d.txt", "--predecessors", "p.txt")
        self.succeed("solve", "a.txt", "--device", "cpu", "--sources", "all", "--output", "all/")
        self.write("small.yaml", SMALL_SPACE)
        self.sweeps("small.yaml", "--db", "results.sqlite", "--workloads", "road6")
        self.succeed("db", "export", "results.sqlite", "--format", "t4", "--output", "./")
        self.assertEqual(self.read("a.txt"), b"1 2 3\n")


if __name__ == "__main__":
    main()
