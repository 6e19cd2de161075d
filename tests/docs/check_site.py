#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the built site: every local link of its pages leads to a file, and every anchor to a place in it. Nothing is
loaded from another host.

usage: check_site.py FOLDER       Exit status: 0 nothing found, 1 findings, one per line.
"""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.links: list[tuple[str, bool]] = []  # whether the browser loads it with the page
        self.anchors: set[str] = set()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, "str | None"]]) -> None:
        for name, value in attributes:
            if name in ("id", "name") and value:
                self.anchors.add(value)
            elif name == "src" or (name == "href" and tag in ("a", "link")):
                self.links.append((value or "", tag != "a"))


def check(site: Path) -> list[str]:
    pages: dict[Path, Page] = {}
    for path in sorted(site.rglob("*.html")):
        pages[path.resolve()] = page = Page()
        page.feed(path.read_text(encoding="utf-8"))
    findings = []
    for path, page in pages.items():
        if "api" in path.relative_to(site.resolve()).parts[:1]:
            continue  # Doxygen checks its own pages
        if path.name == "404.html":
            continue  # links of this page are relative to a server's root
        for link, loaded in page.links:
            url = urlsplit(link)
            if url.scheme or url.netloc:
                if loaded and url.scheme != "data":
                    findings.append(f"{path}: loads {link}")
                continue
            to = (path.parent / unquote(url.path)).resolve() if url.path else path
            if to.is_dir():
                to /= "index.html"
            if not to.exists():
                findings.append(f"{path}: {link}: there is no such file")
            elif url.fragment and to in pages and unquote(url.fragment) not in pages[to].anchors:
                findings.append(f"{path}: {link}: there is no such place")
    return findings if pages else [f"{site}: there are no pages"]


if __name__ == "__main__":
    found = check(Path(sys.argv[1]))
    print("\n".join(found), end="\n" if found else "")
    sys.exit(1 if found else 0)
