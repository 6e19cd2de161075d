# SPDX-License-Identifier: Apache-2.0
"""Arguments that 'mlmq' refuses before it starts work."""

import os
import re
import shlex
import subprocess
import unittest

import program_test  # in this folder
from program_test import DEVICE, ProgramTest, without_progress


class Arguments(ProgramTest):
    """Errors that are found before any work starts."""

    COMMANDS = ["", "graph", "graph info", "graph features", "graph names", "graph convert", "graph generate", "solve",
                "centrality", "sweep", "tune", "completion", "db",
                "replay", "db status", "db query", "db export", "db merge", "selector", "selector train",
                "selector evaluate", "selector picks", "selector export", "selector predict", "selector curve",
                "selector candidates", "selector importance", "selector list", "selector install", "selector remove",
                "db compact", "db features", "check", "compare", "reproduce", "problems", "doctor",
                "verify", "report", "cache", "cache fill", "help", "new", "version"]

    # The help of each command, which several tests read.
    help_of = {}

    def wide_help(self, command):
        if command not in self.help_of:
            self.help_of[command] = self.succeed(*command.split(), "--help", environment={"COLUMNS": "200"})
        return self.help_of[command]

    def test_help(self):
        for command in self.COMMANDS:
            self.assertIn("Usage:", self.wide_help(command))
            self.assertEqual(self.wide_help(command), self.succeed(*command.split(), "-h",
                                                                   environment={"COLUMNS": "200"}))
        listed = self.succeed("--help").split("\nOptions:\n")[0]
        named = set(re.findall(r"^  (\w+) ", listed, re.MULTILINE))
        self.assertEqual(named, {command.split()[0] for command in self.COMMANDS if command})
        groups = re.findall(r"(?m)^([A-Z][\w ]+):$", listed)
        self.assertEqual(groups, ["Solve", "Tune and select", "Measure", "Results", "Information", "Extend",
                                  "Maintain"])

    def test_help_fits_the_width(self):
        for command in self.COMMANDS:
            for width in (40, 132):
                text = self.succeed(*command.split(), "--help", environment={"COLUMNS": str(width)})
                head = text.split("\nExamples:\n")[0]
                # Only text without blanks can be longer than a line.
                for line in head.splitlines():
                    self.assertTrue(len(line) <= width or " " not in line.strip(), (command, line))

    def test_help_is_at_most_100_columns_wide_and_groups_many_options(self):
        for command in self.COMMANDS:
            self.assertLessEqual(max(map(len, self.wide_help(command).splitlines())), 100, command)
        groups = re.findall(r"^(\S.*):$", self.wide_help("sweep"), re.MULTILINE)
        self.assertEqual(groups, ["Arguments", "Problem", "Graph", "Devices and limits", "Measurement", "Output",
                                  "Options", "Examples"])

    def test_help_has_examples(self):
        for command in self.COMMANDS:
            text = self.wide_help(command)
            lines = text.split("\nExamples:\n")[1].splitlines()
            self.assertTrue(lines, command)
            for line in lines:
                words = shlex.split(line.split(" > ")[0])
                self.assertEqual(words[0], "mlmq")
                named = next(words[1:1 + n] for n in (2, 1) if " ".join(words[1:1 + n]) in self.COMMANDS)
                if command and named[0] != "help":
                    self.assertEqual(named[:len(command.split())], command.split(), line)
                options = self.wide_help(" ".join(named))
                for option in (word for word in words if word.startswith("--")):
                    self.assertRegex(options, rf"(?m)^  (-\w, )?{option}\b", line)

    def test_help_and_version_are_commands(self):
        for words in ([], ["solve"], ["db", "query"]):
            self.assertEqual(self.succeed("help", *words), self.succeed(*words, "--help"))
        self.assertEqual(self.succeed("version"), self.succeed("--version"))
        self.refuse("help", "slove", says=["'slove'", "did you mean 'solve'?"])

    def test_words_of_errors(self):
        for arguments, says in [
                (["solve", "road6", "--targets", "1,foo"], ["--targets", "'foo' is not the id of a vertex"]),
                (["solve", "road6", "--sources", "5:randm"], ["--sources", "N:random", "did you mean 'random'?"]),
                (["solve", "road6", "--sources", "x:random"], ["--sources", "N:random"]),
                (["solve", "road6", "--config", "lone=none", "--device", "simt"], ["'lone'", "closest names are"]),
                (["solve", "road6", "--config", "detla=4", "--device", "simt"], ["'detla'", "did you mean 'delta'?"]),
                (["solve", "road6", "--format", "jsn"],
                 ["--format", "'jsn' is not one of text, json", "did you mean 'json'?"]),
                (["solve", "road6", "--memory", "8GX"], ["--memory", "'8GX' is not a size, such as 500MB or 8GiB"]),
                (["solve", "road6", "--check=maybe"], ["--check takes no value"]),
                (["solve", "road6", "--cutoff", "-3"], ["--cutoff", "'-3' is not a number from 0"]),
                (["solve", "road6", "--problem", "sssp_batch"], ["'sssp_batch'", "use 'mlmq sweep'"]),
                (["solve", "road6", "--problem", "asta"], ["'asta'", "did you mean 'astar'?"]),
                (["tune", "--negative-weights", "leaveout"], ["--negative-weights", "did you mean 'leave-out'?"])]:
            errors = self.refuse(*arguments, says=says)
            self.assertLess(len(errors), 300)
        # A list with one id, and a file whose name looks like a list.
        self.assertIn("1 of 1 targets", self.succeed("solve", "road6", "--targets", "1", "--device", "simt"))
        self.write("1,2", "3\n")
        self.assertIn("1 of 1 targets", self.succeed("solve", "road6", "--targets", "1,2", "--device", "simt"))

    def test_version_and_doctor(self):
        self.assertRegex(self.succeed("--version"),
                         r"^mlmq \d+\.\d+\.\d+ \(commit (\S{1,40}), (CUDA toolkit \d[\d.]+|without CUDA)\)\n$")
        self.assertRegex(self.succeed("doctor"), r"(?m)^simt +usable$")

    def test_problems(self):
        listed = self.succeed("problems")
        self.assertRegex(listed, r"(?m)^sssp +distances")
        self.assertRegex(listed, r"(?m)^bfs +levels")
        description = self.succeed("problems", "sssp")
        self.assertIn("l1_capacity: elements of an L1 queue", description)
        self.assertIn("only when  l1 != none", description)
        self.assertIn("binding    compile, macro MLMQ_L1_CAPACITY", description)
        self.assertIn("\nWorkloads are of the kind 'graph'. Options in addition to 'generate', 'file' and 'queries':\n"
                      "  weights ", description)
        self.assertIn("\nSettings of a rule of 'queries':\n  source ", description)
        self.assertRegex(description, r"(?s)\nCounters:\n  pops .*\n  ell_overflow ")
        page = self.succeed("problems", "bfs", "--markdown")
        self.assertRegex(page, r"(?m)^\| `nf` \| [^|]*<br>Only when `l1 == near_far`\. Bound at launch\. \| [^|]*, in "
                               r"average weights \| 4 \| NF \|$")
        self.refuse("problems", "apsp", says=["'apsp'", "bfs", "sssp"])

    def test_commands(self):
        self.refuse(says=["a command is missing", "solve", "sweep", "mlmq --help"])
        self.refuse("solv", says=["'solv'", "did you mean 'solve'?"])
        self.refuse("frobnicate", says=["'frobnicate'", "graph", "doctor"])
        self.refuse("graph", says=["a command is missing", "info", "convert", "mlmq graph --help"])
        self.refuse("db", "statu", says=["'statu'", "did you mean 'status'?"])
        self.refuse("", says="unknown command ''")

    def test_missing_and_superfluous(self):
        for command, name in [("solve", "graph"), ("graph info", "graph"), ("graph features", "graphs"),
                              ("graph convert a.gr", "output"), ("graph generate road6", "output"), ("sweep", "space"),
                              ("db query", "sql"), ("db merge", "output"), ("db merge a.sqlite", "inputs")]:
            self.refuse(*command.split(), says=[f"'{name}' is missing", "--help"])
        self.refuse("solve", "road6", "road7", says="unexpected argument 'road7'")
        self.refuse("doctor", "now", says="unexpected argument 'now'")
        self.refuse("solve", "road6", "--sorce", "3", says=["'--sorce'", "did you mean '--source'?"])
        self.refuse("--bogus", says="unknown option '--bogus'")
        self.refuse("solve", "road6", "--source", says="--source needs a value")
        self.refuse("solve", "road6", "--device", "simt", "--device", "cuda", says="--device is given more than once")

    def test_conflicts(self):
        self.refuse("solve", "road6", "--directed", "--undirected", says=["--directed", "--undirected"])
        self.refuse("solve", "road6", "--config", "l1=none", "--model", "m.json", says=["--config", "--model"])
        for option in (["--directed"], ["--undirected"], ["--ignore-weights"], ["--weight-seed", "3"]):
            self.refuse("graph", "info", "road6", *option, says=[option[0], "'road6' is generated"])

    def test_numbers(self):
        for option in ("--source", "--seed", "--weight-seed", "--repeat", "--time-limit"):
            for value in ("-1", "abc", "", "1e", "99999999999999999999999", "nan", "inf", " 1", "1 "):
                # The largest double is a valid time limit.
                if option == "--time-limit" and value.isdigit():
                    continue
                self.refuse("solve", "road6", "--device", "simt", f"{option}={value}", says=option)
        self.refuse("solve", "road6", "--device", "simt", "--repeat", "0", says=["--repeat", "1 to 1000000"])
        self.refuse("solve", "road6", "--device", "simt", "--time-limit", "0", says=["--time-limit", "above 0"])
        self.refuse("solve", "road6", "--device", "simt", "--source", "18446744073709551616",
                    says=["--source", "'18446744073709551616'"])
        for option, value in [("--rounds", "0"), ("--rounds", "-1"), ("--rounds", "1000000000"), ("--depth", "0"),
                              ("--depth", "99"), ("--eta", "0"), ("--eta", "nan"), ("--eta", "2"),
                              ("--tolerance", "-1"), ("--tolerance", "nan"), ("--tolerance", "2")]:
            self.refuse("selector", "train", "none.sqlite", option, value, says=[option, f"'{value}'"])
        for value in ("-1", "0", "1", "x"):
            self.refuse("selector", "evaluate", "none.sqlite", "--folds", value, says=["--folds", f"'{value}'"])
        for value in ("-1", "0"):
            self.refuse("selector", "predict", "road6", "--count", value, says=["--count", f"'{value}'"])

    def test_empty_texts(self):
        for arguments in (["solve", ""], ["solve", "road6", "--device", ""], ["solve", "road6", "--output", ""],
                          ["solve", "road6", "--model", ""], ["graph", "info", ""], ["graph", "convert", "", "a.gr"],
                          ["graph", "generate", "road6", ""], ["graph", "features", "road6", ""], ["sweep", ""],
                          ["sweep", "s.yaml", "--db", ""], ["sweep", "s.yaml", "--workloads", ""], ["db", "status", ""],
                          ["db", "query", ""], ["db", "export", "a.sqlite", "--experiment", ""],
                          ["selector", "train", ""], ["selector", "export", ""]):
            self.refuse(*arguments, says="empty")
        self.assertEqual(self.names(), [])

    def test_devices(self):
        for device in ("cpu:", "cpu:x", "cpus", "simd", "simt:", "simt:0x1", "simt:4", "simt:-1x4", "simt:999999x1",
                       "cuda:x", "cuda:-1", "simt:4x8x2", "\udcff"):
            self.refuse("solve", "road6", "--device", device, says="device '")

    @unittest.skipIf(os.path.exists("/dev/nvidiactl"), "there is a GPU")
    def test_no_gpu(self):
        for device in ("cuda", "cuda:0", "cuda:7"):
            # Without the CUDA backend, the message names the device as typed; with it, as the first GPU.
            self.refuse("solve", "road6", "--device", device, says="device 'cuda")
        code, output, errors = self.run_program("solve", "road6", "--device", "auto")
        self.assertEqual(code, 0, errors)
        self.assertIn("(cpu)", output)
        self.assertIn("note: no GPU", errors)

    def test_names_that_are_no_text(self):
        for name in ("a\nb", "a\nb.gr", "\x1b[31m.gr", "\udcff\udcfe", "caf\udce9.gr", "caf\udce9", "x" * 5000,
                     "x" * 5000 + ".gr", "a/" * 2500):
            self.refuse("graph", "info", name)
            self.refuse("sweep", name)
            self.refuse("db", "status", name)
            self.refuse("solve", "road6", "--device", "simt", "--model", name)
        self.assertEqual(self.names(), [])

    def test_names_that_are_almost_text(self):
        # Bytes with the right pattern that encode no character: an overlong form, half a surrogate pair, beyond the
        # last one.
        for name in (b"\xe0\x80\x80", b"\xe0\x9f\xbf", b"\xed\xa0\x80", b"\xf0\x8f\xbf\xbf", b"\xf4\x90\x80\x80"):
            self.refuse("graph", "info", name + b".gr", says="".join(f"\\x{byte:02x}" for byte in name) + ".gr")
        for name in ("\u0800", "\ud7ff", "\U00010000", "\U0010ffff"):
            self.refuse("graph", "info", name + ".gr", says=name + ".gr")

    def test_errors_quote_the_ends_of_long_inputs(self):
        name = "y" + "x" * 5000
        for arguments in (["graph", "info", name + "/roads.gr"], ["sweep", name + "/roads.gr"],
                          ["db", "status", name + "/roads.gr"],
                          ["solve", "road6", "--model", name + "/roads.gr"]):
            errors = self.refuse(*arguments)
            self.assertIn("/roads.gr", errors)
            self.assertLess(len(errors), 500)
        for arguments in (["solve", "road6", "--config", name], ["solve", "road6", "--device", name],
                          ["graph", "info", name], ["solve", "road6", "--repeat", name], [name],
                          ["solve", "road6", "--" + name], ["solve", "road6", "--targets", "1," + name],
                          ["solve", "road6", "--config", "delta= " + "x " * 3000]):
            errors = self.refuse(*arguments)
            self.assertNotRegex(errors, "x{200}|(x ){100}")
            # The message is not cut off: the reason follows the input.
            self.assertNotRegex(errors, "…\n\\Z")
        self.write("s.yaml", f"name: s\nproblem: sssp\nparameters: {{{name}: [1]}}\nworkloads: [{{generate: road6}}]\n")
        self.assertNotRegex(self.refuse("sweep", "s.yaml", says="s.yaml:3:"), "x{200}")

    def test_names_control_no_terminal(self):
        """Control characters in names of files, folders and database entries never reach reports, tables or notes."""
        evil = "\x1b[31m\x9b2J\x07\x7f"
        self.write(f"{evil}.txt", "1 2 3\n2 1 3\n")
        self.write(f"copy{evil}.txt", "1 2 3\n2 1 3\n")
        self.write("s.yaml", f"name: \"s\\e[31m\"\nproblem: sssp\nparameters: {{threads: [64]}}\n"
                             "workloads: [{file: '*.txt'}]\nmeasurement: {warmup: 0, repeats: 1, counters: false}\n")
        graph, database = f"{evil}.txt", f"{evil}.sqlite"
        on_processors = ("solve", graph, "--device", "cpu")
        for arguments in (["graph", "info", graph], ["graph", "info", graph, "--format", "json"],
                          ["graph", "features", graph], ["graph", "convert", graph, f"{evil}.gr"],
                          [*on_processors, "--output", f"{evil}.csv"], [*on_processors, "--targets", "2"],
                          [*on_processors, "--sources", "all", "--output", f"{evil}.npy"],
                          [*on_processors, "--format", "json"],
                          ["centrality", graph, "--device", "cpu", "--output", f"{evil}.csv"],
                          ["sweep", "s.yaml", "--db", database, "--device", DEVICE],
                          ["db", "status", database], ["db", "status", database, "--format", "json"],
                          ["db", "query", "SELECT workload FROM result", database],
                          ["db", "export", database, "--format", "t4", "--output", f"folder{evil}/"],
                          ["db", "merge", f"merged{evil}.sqlite", database],
                          ["db", "compact", f"compact{evil}.sqlite", database],
                          ["verify", database, "--sample", "1"], ["selector", "candidates", database]):
            code, output, errors = self.run_program(*arguments)
            self.assertEqual(code, 0, (arguments, errors))
            self.assertTrue(output, arguments)
            self.assertNotRegex(output + errors, r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", arguments)

    def test_commands_print_through_one_function(self):
        """Commands print with print_text() or print_data(), which escape names. Skipped without sources."""
        folder = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "cli")
        if not os.path.isdir(folder):
            self.skipTest("there are no sources")
        for name in sorted(os.listdir(folder)):
            if name not in ("print_text.hpp", "progress_line.cpp"):
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    self.assertNotIn("fmt::print(", file.read(), name)

    def test_generator_names(self):
        for name, parts in [("nothing", ["'nothing'", "road", "rmat", "graph file"]), ("roda8", "did you mean 'road'?"),
                            ("road", "as in 'road9'"), ("road8x", "'8x'"), ("road0", "2 to 30"), ("road99", "2 to 30"),
                            ("road-3", "'road-3'"), ("rmat99999999999999", "not a number in range"),
                            ("road8:sed=1", "did you mean 'seed'?"), ("road8:seed", "seed=NUMBER"),
                            ("road8:seed=-1", "'-1'"), ("road8:", "''"), ("power8:degree=-1", "degree -1"),
                            ("power8:exponent=nan", "exponent nan"), ("path0", "0 vertices"),
                            ("grid99999", "9999800001 vertices"), ("complete999999", "GiB"),
                            ("rmat8:edge_factor=99999999", "GiB"), ("rmat8:edge_factor=0", "edge factor 0")]:
            self.refuse("graph", "info", name, says=parts)
        self.assertIn("power8:exponent=2.5", self.succeed("graph", "info", "power8:exponent=2.5"))
        self.refuse("graph", "info", "missing.gr", says="missing.gr: no such file")
        self.refuse("graph", "info", "./road8", says="no such file")
        self.refuse("graph", "info", ".", says="is a folder")

    def test_configurations_of_many_searches(self):
        for configuration in ("solver=hierarchy,threads=32,blocks=1,lane_searches=1",
                              "solver=supernode,threads=64,blocks=1,columns=1"):
            done = self.succeed("solve", "road6", "--device", "simt", "--config", configuration, "--check")
            self.assertIn(configuration.split(",", 1)[0], done)
        self.refuse("solve", "road6", "--device", "simt", "--config", "solver=hierarchy", "--counters",
                    says="no counters")
        self.solve("road6", "--sources", "1:random", "--config", "solver=hierarchy,threads=32,blocks=1,lane_searches=1",
                   "--check")

    def test_configurations(self):
        for label, parts in [("l1", ["NAME=VALUE", "'l1'"]), ("=", "NAME=VALUE"), (",", "NAME=VALUE"),
                             ("l1=", "none, vector"), ("l1=vectr", ["'l1'", "'vectr'", "none, vector"]),
                             ("thread=64", "did you mean 'threads'?"), ("threads=abc", ["'abc'", "64 to 1024"]),
                             ("threads=9999999999999999999999", "64 to 1024"), ("threads=-64", "64 to 1024"),
                             ("threads=64,threads=64", "twice"), ("l1=none,wb=3", "l1 == vector"),
                             ("delta=nan", "'delta'"), ("delta=0", "0.001 to 1e+09"), ("delta=1e300", "1e+300"),
                             ("Auto", "NAME=VALUE"), ("\udcff=1", "unknown parameter")]:
            self.refuse("solve", "road6", "--device", "simt", "--config", label, says=["--config: ", *(
                [parts] if isinstance(parts, str) else parts)])
        for label in ("", "defaults"):
            self.assertRegex(self.solve("road6", "--config", label), r"(?m)^configuration +defaults$")

    def test_configurations_are_shown_by_what_differs(self):
        # The shown label denotes the same configuration as the whole label in the database.
        for label in ("threads=64", "l1=none,delta=3.5,threads=128", "solver=near_far,threads=64",
                      "solver=dijkstra", "wb=16,l2=heap", "defaults"):
            device = "cpu" if "dijkstra" in label else "simt"
            output = self.succeed("solve", "path4", "--device", device, "--config", label)
            shown = re.search(r"(?m)^configuration +(.*)$", output).group(1)
            self.assertLess(len(shown), 60)
            again = self.succeed("solve", "path4", "--device", device, "--config", shown)
            self.assertIn(f"configuration  {shown}\n", again)
            self.assertEqual(sorted(shown.split(",")), sorted(label.split(",")))

    def test_standard_output_that_is_full(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        for arguments in (["--help"], ["doctor"], ["graph", "features", "road6"],
                          ["graph", "generate", "road9", "-", "--format", "csv"]):
            with open("/dev/full", "wb") as full:
                done = subprocess.run([program_test.PROGRAM, *arguments], stdout=full, stderr=subprocess.PIPE,
                                      check=False)
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stderr, rb"\Amlmq: standard output cannot be written: No space [^\n]+\n\Z")

    def test_standard_output_that_is_closed(self):
        self.write("s.yaml",
                   program_test.SMALL_SPACE.replace("l1: [none, vector]\n  threads: [64]", "solver: [dijkstra]"))
        for arguments in (["--help"], ["doctor"], ["graph", "features", "road6"], ["graph", "convert", "road6", "a.gr"],
                          ["graph", "convert", "road6", "-", "--format", "npz"],
                          ["solve", "path4", "--device", "cpu", "--output", "distances.txt"],
                          ["solve", "path4", "--device", "cpu", "--predecessors", "tree.txt"],
                          ["sweep", "s.yaml", "--device", "cpu", "--db", "r.sqlite"], ["db", "export", "r.sqlite"]):
            errors = self.path("errors")
            with open(errors, "wb") as file:
                done = subprocess.run([program_test.PROGRAM, *arguments], cwd=self.folder, stderr=file, check=False,
                                      preexec_fn=lambda: os.close(1))
            message = without_progress(self.read("errors").decode())
            self.assertEqual((done.returncode, message), (1, "mlmq: standard output cannot be written: it is closed\n"),
                             arguments)
        # The requested files are written, and no text for the terminal ends up in them.
        for name, lines in (("distances.txt", b"0 0\n1 1\n2 2\n3 3\n"), ("tree.txt", b"0 none\n1 0\n2 1\n3 2\n")):
            header, _, rest = self.read(name).partition(b"\n")
            self.assertTrue(header.startswith(b"# VERTEX"), header)
            self.assertEqual(rest, lines)
        self.succeed("graph", "info", "a.gr")
        self.assertIn("6 of 6 trials done", self.succeed("db", "status", "r.sqlite"))

    def test_standard_output_without_a_reader(self):
        for arguments in (["--help"], ["graph", "features", "road6"]):
            reader, writer = os.pipe()
            os.close(reader)
            done = subprocess.run([program_test.PROGRAM, *arguments], stdout=writer, stderr=subprocess.PIPE,
                                  check=False, restore_signals=False)  # SIGPIPE is ignored, as Python does
            os.close(writer)
            self.assertEqual(done.returncode, 1)
            self.assertEqual(done.stderr, b"mlmq: standard output cannot be written: its reader has closed it\n")


if __name__ == "__main__":
    program_test.main()
