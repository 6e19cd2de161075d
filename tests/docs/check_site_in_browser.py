#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Looks at the built site in a headless Chromium, from its folder and without a server: pages fit on a telephone, log
no errors and load nothing from another host; the search finds pages by task; dark mode follows the system.

usage: check_site_in_browser.py CHROMIUM FOLDER       Exit status: 0 nothing found, 1 findings, one per line.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "report"))
from browser import Browser  # noqa: E402

# The words of a task, and the page that must be the first result.
SEARCHES = {
    "Slurm": "guide/clusters.html",
    "tune my kernel": "guide/tune-your-kernel.html",
    "distance matrix": "recipes/distance-matrix.html",
    "isochrone": "recipes/isochrone.html",
    "accessibility": "recipes/accessibility.html",
    "Jupyter": "recipes/first-hour.html",
    "k nearest": "recipes/k-nearest.html",
    "nearest facility": "recipes/nearest-facility.html",
    "pandas": "recipes/results-in-pandas.html",
    "reproduce figures": "guide/figures.html",
    "centrality": "guide/centrality.html",
    "betweenness": "guide/centrality.html",
    "path finding": "guide/path-finding.html",
    "NumPy": "guide/python.html",
    "cluster": "guide/clusters.html",
    "add a problem": "guide/add-a-problem.html",
    "wrong_answer": "guide/verify.html",
}
SECONDS_FOR_RESULTS = 30
TELEPHONE_WIDTH = 390

RESULTS = "[...document.querySelectorAll('.md-search-result__link')].map((link) => link.href)"
STATE = "document.querySelector('.md-search-result__meta').textContent.trim()"
TYPE = """
(() => {
  const input = document.querySelector('.md-search__input');
  document.getElementById('__search').checked = true;
  input.focus();
  input.value = %r;
  input.dispatchEvent(new KeyboardEvent('keyup', { bubbles: true }));
})()
"""


def wait_for(condition):
    """Evaluates a condition until it holds. Returns whether it did before the time was over."""
    end = time.monotonic() + SECONDS_FOR_RESULTS
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.05)
    return False


def check_pages(browser: Browser, site: Path) -> list[str]:
    findings = []
    browser.screen(TELEPHONE_WIDTH, 800, phone=True)
    for page in sorted(site.rglob("*.html")):
        name = page.relative_to(site).as_posix()
        if name.startswith("api/") or name == "404.html":
            continue
        browser.open(page)
        width = browser.evaluate("document.documentElement.scrollWidth")
        if width > TELEPHONE_WIDTH:
            findings.append(f"{name}: {width} pixels wide on a screen of {TELEPHONE_WIDTH}")
    return findings


def check_search(browser: Browser, site: Path) -> list[str]:
    findings = []
    browser.screen(1280)
    browser.open(site / "index.html")
    if not wait_for(lambda: browser.evaluate(STATE) != "Initializing search"):
        return ["the search does not become ready"]
    for words, page in SEARCHES.items():
        browser.evaluate(TYPE % "")
        wait_for(lambda: not browser.evaluate(RESULTS))
        browser.evaluate(TYPE % words)
        wait_for(lambda: browser.evaluate(RESULTS) or browser.evaluate(STATE).startswith("No "))
        links = [link.partition("?")[0].removeprefix(site.as_uri() + "/") for link in browser.evaluate(RESULTS)]
        pages = list(dict.fromkeys(link.partition("#")[0] for link in links))
        if page not in pages[:1]:
            findings.append(f"search for {words!r}: {page} is not the first result: {pages[:5]}")
    return findings


def check_dark_mode(browser: Browser, site: Path) -> list[str]:
    browser.screen(1280, dark=True)
    browser.open(site / "index.html")
    scheme = browser.evaluate("document.body.dataset.mdColorScheme")
    return [] if scheme == "slate" else [f"a dark system gets the colours {scheme}"]


def main() -> int:
    chromium, site = sys.argv[1], Path(sys.argv[2]).resolve()
    browser = Browser(chromium)
    findings = []
    try:
        # Every check starts without the storage of the others, in which the theme keeps the colours.
        for check in (check_dark_mode, check_pages, check_search):
            browser.begin()
            findings += check(browser, site)
            findings += [f"console: {text}" for text in browser.complaints]
            findings += [f"loads {url}" for url in browser.requests if not url.startswith(("file:", "data:"))]
            browser.end()
    finally:
        browser.close()
    print("\n".join(findings), end="\n" if findings else "")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
