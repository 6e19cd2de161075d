#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the Markdown of a source tree, and the names of pages in all other files.

- Every relative link of a Markdown file leads to a file or folder, and every anchor to a heading. A heading that is
  linked to must have the same anchor by the rules of GitHub and of MkDocs.
- A list has a blank line before it, or MkDocs makes it part of the paragraph above.
- A row of a table is one line with as many cells as the head: a line break inside a row ends the table.
- Every page of docs/, notebooks included, is in the navigation of mkdocs.yml, and every page of the navigation exists.
- Every docs/….md that another file mentions exists.

usage: check_links.py [ROOT]      Exit status: 0 nothing found, 1 findings, one per line as FILE:LINE: MESSAGE.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from dataclasses import dataclass, field
from pathlib import Path

SKIPPED_FOLDERS = re.compile(r"^(\..*|build|build-.*|out|node_modules|__pycache__)$")
LINK = re.compile(r"!?\[(?:[^\[\]]|\[[^\]]*\])*\]\(<?([^()\s>]+(?:\([^()\s]*\))?)>?(?:\s+\"[^\"]*\")?\)")
MENTION = re.compile(r"docs/[A-Za-z0-9_./-]*\.md")
TEXT_FILES = {".cpp", ".hpp", ".c", ".h", ".toml", ".cu", ".cuh", ".py", ".yaml", ".yml", ".txt", ".cmake", ".json",
              ".md", ".sbatch", ".cff", ".in", ""}


@dataclass
class Page:
    """Returns the anchors of a Markdown file."""

    path: Path
    links: list[tuple[int, str]] = field(default_factory=list)
    anchors: dict[str, set[str]] = field(default_factory=dict)  # anchor to the rules that produce it
    tight_lists: list[int] = field(default_factory=list)
    broken_rows: list[int] = field(default_factory=list)


def plain(heading: str) -> str:
    """Returns a heading without the marks of links, code and emphasis."""
    heading = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    return re.sub(r"[`*]", "", heading).replace("\\", "").strip()


def github_anchor(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", plain(heading).lower()).replace(" ", "-")


def mkdocs_anchor(heading: str) -> str:
    text = unicodedata.normalize("NFKD", plain(heading)).encode("ascii", "ignore").decode()
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", text).strip().lower())


def read_page(path: Path) -> Page:
    page = Page(path)
    fence = ""
    before = ""
    paragraph = ""

    def end_of_paragraph(next_line: int) -> None:
        nonlocal paragraph
        first = next_line - paragraph.count("\n")
        without_code = re.compile(r"(`+).+?\1", re.DOTALL)
        text = without_code.sub(lambda code: "\n" * code.group(0).count("\n"), paragraph)
        page.links += [(first + text.count("\n", 0, link.start(1)), link.group(1)) for link in LINK.finditer(text)]
        paragraph = ""

    columns = 0  # of the current table
    seen: dict[str, dict[str, int]] = {"GitHub": {}, "MkDocs": {}}
    number = 0
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        mark = re.match(r"\s*(```+|~~~+)", line)
        if mark and (not fence or line.strip().startswith(fence)):
            end_of_paragraph(number)
            fence = "" if fence else mark.group(1)
            before = ""
            continue
        if fence:
            continue
        cells = len(re.findall(r"(?<!\\)\|", line)) - 1
        if line.startswith("|"):
            columns = columns or cells
            if cells != columns or not line.rstrip().endswith("|"):
                page.broken_rows.append(number)
        else:
            if columns and line.strip():
                page.broken_rows.append(number)
            columns = 0
        if not line.strip() or line.startswith(("|", "#")):
            end_of_paragraph(number)
        paragraph += line + "\n"
        if heading := re.match(r"#{1,6}\s+(.*?)\s*#*$", line):
            for rule, make, joint in (("GitHub", github_anchor, "-"), ("MkDocs", mkdocs_anchor, "_")):
                anchor = make(heading.group(1))
                count = seen[rule].get(anchor, 0)
                seen[rule][anchor] = count + 1
                page.anchors.setdefault(f"{anchor}{joint}{count}" if count else anchor, set()).add(rule)
        for anchor in re.findall(r"<a (?:id|name)=\"([^\"]+)\"", line):
            page.anchors[anchor] = {"GitHub", "MkDocs"}
        item = re.match(r"([-*+]|\d+\.) ", line)
        if item and before and not re.match(r"([-*+]|\d+\.) |\s", before):
            page.tight_lists.append(number)
        inside = before and re.match(r"([-*+]|\d+\.) |\s", before)
        if line.strip() and not item and inside:
            before = "- "  # the following lines continue the item
        else:
            before = line.strip() and line
    end_of_paragraph(number + 1)
    return page


def files_of(root: Path) -> list[Path]:
    found: list[Path] = []
    for entry in sorted(root.iterdir()):
        if entry.is_dir() and not entry.is_symlink():
            if not SKIPPED_FOLDERS.match(entry.name) or entry.name == ".ci":
                found += files_of(entry)
        elif entry.is_file():
            found.append(entry)
    return found


def navigation_of(text: str) -> list[tuple[int, str]]:
    """Returns the pages that mkdocs.yml names, with their lines."""
    return [(number, match.group(1)) for number, line in enumerate(text.splitlines(), 1)
            if (match := re.match(r"\s*-\s.*?([\w./-]+\.(?:md|ipynb))\s*$", line))]


def check(root: Path) -> list[str]:
    root = root.resolve()
    findings: list[str] = []
    files = files_of(root)
    pages = {path: read_page(path) for path in files if path.suffix == ".md"}

    def found(path: Path, line: int, message: str) -> None:
        findings.append(f"{path.relative_to(root)}:{line}: {message}")

    for path, page in pages.items():
        for line in page.tight_lists:
            found(path, line, "a list needs a blank line before it")
        for line in page.broken_rows:
            found(path, line, "this is not one whole row of the table")
        for line, target in page.links:
            if re.match(r"[a-z][a-z0-9+.-]*:", target):
                continue
            name, _, anchor = target.partition("#")
            to = (path.parent / name).resolve() if name else path
            if not to.is_relative_to(root):
                found(path, line, f"{target}: leads out of the project")
            elif not to.exists():
                found(path, line, f"{target}: there is no such file")
            elif anchor and to not in pages:
                found(path, line, f"{target}: only Markdown has anchors")
            elif anchor and anchor not in pages[to].anchors:
                found(path, line, f"{target}: there is no such heading")
            elif anchor and len(pages[to].anchors[anchor]) < 2:
                found(path, line, f"{target}: GitHub and MkDocs make different anchors of this heading")

    for path in files:
        if path.suffix not in TEXT_FILES or path.name == Path(__file__).name or "tests/docs/" in path.as_posix():
            continue
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        for number, line in enumerate(text.splitlines(), 1):
            for mention in MENTION.findall(line):
                if path in pages and f"]({mention}" in line or f"/{mention})" in line:
                    continue  # a link
                if not (root / mention).is_file():
                    found(path, number, f"{mention}: there is no such page")

    site = root / "mkdocs.yml"
    if site.is_file():
        listed = navigation_of(site.read_text(encoding="utf-8"))
        for line, name in listed:
            if not (root / "docs" / name).is_file():
                found(site, line, f"{name}: there is no such page in docs/")
        names = {name for _, name in listed}
        notebooks = [path for path in files if path.suffix == ".ipynb"]
        for path in [*pages, *notebooks]:
            if path.is_relative_to(root / "docs") and path.relative_to(root / "docs").as_posix() not in names:
                found(path, 1, "the navigation of mkdocs.yml lacks this page")
    return findings


def main() -> int:
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[2]
    findings = check(root)
    for finding in findings:
        print(finding)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
