# SPDX-License-Identifier: Apache-2.0
"""Runs the programs of README.md, in C++ and in Python, and compares their output with the command's answer.

usage: test_readme.py ROOT COMPILER LIBRARY MLMQ

PYTHONPATH and MLMQ_LIBRARY lead to the Python package and its library. A program added to the README must also be
added here: an unknown block is an error.
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
    print(f"both print {expected}")


if __name__ == "__main__":
    main()
