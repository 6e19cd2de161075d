#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the examples in the Markdown of a source tree against the page of all commands, and compiles the README's.

- Every command line of mlmq in a block of sh or console names existing commands and options.
- Every file of experiments/, plots/ and scripts/ that such a block names exists.
- The C++ program of README.md compiles with the public headers.

usage: check_examples.py [ROOT] [--compiler CXX]     Exit status: 0 nothing found, 1 findings, one per line.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import check_links

OPTION = re.compile(r"^  (?:-\w, )?(--[a-z][a-z0-9-]*)", re.MULTILINE)
OWN_FILE = re.compile(r"^(?:experiments|plots|scripts)/[\w./-]+$")
COMMANDS = "docs/reference/commands.md"


def commands_of(page: str) -> dict[tuple[str, ...], set[str]]:
    """Returns the options of each command, by its words: ("db", "merge")."""
    options = {}
    for section in re.split(r"^##+ ", page, flags=re.MULTILINE)[1:]:
        words, _, text = section.partition("\n")
        options[tuple(words.split())] = set(OPTION.findall(text))
    return options


def blocks(path: Path) -> list[tuple[int, str, str]]:
    """Returns the fenced blocks: number of the first line, language, text."""
    blocks = []
    for match in re.finditer(r"^```(\w+)\n(.*?)^```", path.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL):
        line = path.read_text(encoding="utf-8")[:match.start(2)].count("\n") + 1
        blocks.append((line, match.group(1), match.group(2)))
    return blocks


def lines_of(language: str, first: int, text: str) -> list[tuple[int, str]]:
    """Returns the command lines of a block, with continued lines joined; for a console, only the typed lines."""
    commands = []
    number, whole = first, ""
    for offset, line in enumerate(text.splitlines()):
        if language == "console":
            if not line.startswith("$ "):
                continue
            line = line[2:]
        if not whole:
            number = first + offset
        whole += line.removesuffix("\\") + " "
        if not line.endswith("\\"):
            commands.append((number, whole))
            whole = ""
    return commands


def check_line(line: str, commands: dict[tuple[str, ...], set[str]], root: Path) -> list[str]:
    try:
        words = shlex.split(line, comments=True)
    except ValueError as error:
        return [f"{error}: {line.strip()}"]
    findings = [f"{word}: there is no such file" for word in words
                if OWN_FILE.match(word) and not (root / word).exists()]
    for start, word in enumerate(words):
        if "=" in word or word.rsplit("/", 1)[-1] != "mlmq":
            continue
        if start and not re.match(r"^(\w+=.*|&&|do|;|\|)$", words[start - 1]):
            continue  # an argument
        these = words[start + 1:]
        for stop, other in enumerate(these):
            if other in ("&&", "|", ";", ">", "done") or other.endswith(";"):
                these = these[:stop]
                break
        command: tuple[str, ...] = ()
        while these and (*command, these[0]) in commands:
            command = (*command, these.pop(0))
        if not command:
            if these and these[0] not in ("--version", "--help"):
                findings.append(f"mlmq {these[0]}: there is no such command")
            continue
        for option in these:
            if option.startswith("--") and option != "--" and option.split("=")[0] not in commands[command]:
                findings.append(f"mlmq {' '.join(command)} {option}: there is no such option")
    return findings


def check(root: Path, compiler: list[str]) -> list[str]:
    root = root.resolve()
    commands = commands_of((root / COMMANDS).read_text(encoding="utf-8"))
    findings = []
    for path in check_links.files_of(root):
        if path.suffix != ".md":
            continue
        name = path.relative_to(root).as_posix()
        for first, language, text in blocks(path):
            if language in ("sh", "console"):
                for number, line in lines_of(language, first, text):
                    findings += [f"{name}:{number}: {what}" for what in check_line(line, commands, root)]
            elif language == "cpp" and name == "README.md" and compiler:
                run = subprocess.run([*compiler, "-std=c++20", "-fsyntax-only", f"-I{root}/library",
                                      f"-I{root}/base/public", "-x", "c++", "-"], input=text, text=True,
                                     capture_output=True, check=False)
                if run.returncode != 0:
                    findings.append(f"{name}:{first}: does not compile\n{run.stderr}")
    return findings


def main() -> int:
    arguments = sys.argv[1:]
    compiler: list[str] = []
    if "--compiler" in arguments:
        place = arguments.index("--compiler")
        compiler = arguments[place + 1:place + 2]
        del arguments[place:place + 2]
    findings = check(Path(arguments[0]) if arguments else Path(__file__).resolve().parents[2], compiler)
    for finding in findings:
        print(finding)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
