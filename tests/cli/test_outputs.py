# SPDX-License-Identifier: Apache-2.0
"""Outputs of commands: none overwrites an input or another output of the same command."""

import itertools
import json
import os
import re

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

    def test_outputs_beside_inputs(self):
        """Other files in the same folder, and streams, cause no conflict."""
        self.write("a.txt", "1 2 3\n")
        self.succeed("solve", "a.txt", "--device", "cpu", "--output", "/dev/null", "--predecessors", "/dev/null")
        self.succeed("solve", "a.txt", "--device", "cpu", "--output", "d.txt", "--predecessors", "p.txt")
        self.succeed("solve", "a.txt", "--device", "cpu", "--sources", "all", "--output", "all")
        self.write("small.yaml", SMALL_SPACE)
        self.sweeps("small.yaml", "--db", "results.sqlite", "--workloads", "road6")
        self.succeed("db", "export", "results.sqlite", "--format", "t4", "--output", ".")
        self.assertEqual(self.read("a.txt"), b"1 2 3\n")


if __name__ == "__main__":
    main()
