# SPDX-License-Identifier: Apache-2.0
"""Runs the commands of the README's section "A first result", and its programs, in C++ and in Python, whose output is
compared with the command's answer.

usage: test_readme.py ROOT COMPILER LIBRARY MLMQ

PYTHONPATH and MLMQ_LIBRARY lead to the Python package and its library. A program added to the README must also be
added here: an unknown block is an error. The command that builds the program is not run, and budgets are reduced.
"""

import os
import re
import subprocess
import sys
import tempfile


def output_of(*command, **settings):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False, **settings)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\nends with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def blocks(text, language):
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def run_first_results(text, root, program):
    """Runs the blocks of commands, each of at most five lines. @return their number"""
    section = re.search(r"^## A first result$(.*?)^## ", text, re.MULTILINE | re.DOTALL)[1]
    commands = [block for block in blocks(section, "sh") if not block.startswith("scripts/")]
    long = [block for block in [*commands, *blocks(section, "python")] if block.count("\n") > 5]
    if long or len(commands) != 3:
        sys.exit(f"README.md: expected three blocks of commands, none longer than five lines: {commands} {long}")
    with tempfile.TemporaryDirectory(prefix="mlmq-readme-") as folder:
        os.symlink(os.path.join(root, "experiments"), os.path.join(folder, "experiments"))
        os.mkdir(os.path.join(folder, "graphs"))
        environment = {**os.environ, "PATH": f"{os.path.dirname(program)}{os.pathsep}{os.environ['PATH']}",
                       "MLMQ_SELECTORS": os.path.join(folder, "selectors")}
        for name, graph in (("road10", "roads"), ("rmat10", "web")):
            output_of(program, "graph", "generate", name, f"graphs/{graph}.gr", cwd=folder)
        for block in commands:
            output_of("bash", "-euo", "pipefail", "-c", re.sub(r"--budget \w+", "--budget 4s", block), cwd=folder,
                      env=environment)
    return len(commands)


def main():
    root, compiler, library, program = (os.path.realpath(argument) for argument in sys.argv[1:])
    with open(os.path.join(root, "README.md"), encoding="utf-8") as file:
        text = file.read()
    others = set(re.findall(r"^```(\w+)", text, re.MULTILINE)) - {"cpp", "python", "sh", "bibtex", "console", "text"}
    if others or len(blocks(text, "cpp")) != 1 or len(blocks(text, "python")) != 1:
        sys.exit(f"README.md: expected one block of cpp and one of python, and none of {others}")
    (cpp,), (python,) = blocks(text, "cpp"), blocks(text, "python")
    if cpp.count("road18") != 1 or python.count("road18") != 1:
        sys.exit("README.md: the programs do not open road18 any more")
    with tempfile.TemporaryDirectory(prefix="mlmq-readme-") as folder:
        distances = output_of(program, "solve", "road18", "--source", "0", "--device", "cpu", "--output",
                              "-", cwd=folder)
        expected = dict(line.split() for line in distances.splitlines() if line[0] != "#")["42"]
        source, example = os.path.join(folder, "example.cpp"), os.path.join(folder, "example")
        with open(source, "w", encoding="utf-8") as file:
            file.write(cpp)
        output_of(compiler, "-std=c++20", "-Wall", "-Wextra", "-Werror", f"-I{root}/library", f"-I{root}/base/public",
                  source, library, f"-Wl,-rpath,{os.path.dirname(library)}", "-o", example)
        printed = {"C++": output_of(example, cwd=folder),
                   "Python": output_of(sys.executable, "-B", "-W", "error", "-c", python, cwd=folder)}
    if not re.fullmatch(rf"{re.escape(expected)} away, found in [0-9.]+ ms\n", printed["C++"]):
        sys.exit(f"README.md: the C++ program prints '{printed['C++']}', expected '{expected} away, …'")
    if printed["Python"].strip() != expected:
        sys.exit(f"README.md: the Python program prints '{printed['Python']}', expected '{expected}'")
    print(f"both print {expected}; {run_first_results(text, root, program)} blocks of commands")


if __name__ == "__main__":
    main()
