#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The link checker finds each kind of fault and accepts a correct tree."""

import tempfile
import unittest
from pathlib import Path

import check_links

GOOD = {
    "mkdocs.yml": "nav:\n  - index.md\n  - Guide:\n      - Start: guide/start.md\n",
    "README.md":
        "[start](docs/guide/start.md#two-commands), [code](src/a.cpp), [folder](src), [web](https://a.b/c.md)\n",
    "docs/index.md": "# Index\n\n[start](guide/start.md)\n",
    "docs/guide/start.md": "# Start\n\n## Two commands\n\nText:\n\n- one\n  goes on\n- two\n\n"
                           "```sh\n- [no](link.md)\n```\n"
                           "`[no](link.md)` and [itself](#two-commands), [index](../index.md#index)\n",
    "src/a.cpp": "// docs/guide/start.md says how.\n",
    "build/other.md": "[nowhere](missing.md)\n",
}


class Checking(unittest.TestCase):
    def findings(self, **changed: str) -> list[str]:
        with tempfile.TemporaryDirectory() as folder:
            for name, text in {**GOOD, **changed}.items():
                path = Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            return check_links.check(Path(folder))

    def expect(self, finding: str, **changed: str) -> None:
        self.assertEqual(self.findings(**changed), [finding])

    def test_nothing(self) -> None:
        self.assertEqual(self.findings(), [])

    def test_missing_file(self) -> None:
        self.expect("docs/index.md:3: guide/gone.md: there is no such file",
                    **{"docs/index.md": "# Index\n\n[a](guide/gone.md)\n"})

    def test_missing_picture(self) -> None:
        self.expect("docs/index.md:3: a.svg: there is no such file", **{"docs/index.md": "# Index\n\n![a](a.svg)\n"})

    def test_two_links_of_a_line(self) -> None:
        self.expect("docs/index.md:3: gone.md: there is no such file",
                    **{"docs/index.md": "# Index\n\n[a](guide/start.md), [b](gone.md)\n"})

    def test_link_that_goes_on_in_the_next_line(self) -> None:
        self.expect("docs/index.md:5: gone.md: there is no such file",
                    **{"docs/index.md": "# Index\n\nText `a\nb` [of\na link](gone.md) and\nmore\n"})

    def test_missing_anchor(self) -> None:
        self.expect("docs/index.md:3: guide/start.md#three: there is no such heading",
                    **{"docs/index.md": "# Index\n\n[a](guide/start.md#three)\n"})

    def test_anchor_of_itself(self) -> None:
        self.expect("docs/index.md:3: #three: there is no such heading",
                    **{"docs/index.md": "# Index\n\n[a](#three)\n"})

    def test_anchor_in_fence_is_none(self) -> None:
        self.expect("docs/index.md:7: #no: there is no such heading",
                    **{"docs/index.md": "# Index\n\n```sh\n# no\n```\n\n[a](#no)\n"})

    def test_anchor_that_differs(self) -> None:
        self.expect("docs/index.md:5: #δ-stepping: GitHub and MkDocs make different anchors of this heading",
                    **{"docs/index.md": "# Index\n\n## Δ-stepping\n\n[a](#δ-stepping)\n"})

    def test_anchor_of_source(self) -> None:
        self.expect("docs/index.md:3: ../src/a.cpp#x: only Markdown has anchors",
                    **{"docs/index.md": "# Index\n\n[a](../src/a.cpp#x)\n"})

    def test_out_of_the_project(self) -> None:
        self.expect("README.md:1: ../x: leads out of the project", **{"README.md": "[x](../x)\n"})

    def test_broken_row(self) -> None:
        table = "# Index\n\n| a | b |\n|---|---|\n| `x` | the first line\nthe second line |\n| `y` | `1 \\| 2` |\n"
        self.assertEqual(self.findings(**{"docs/index.md": table}),
                         [f"docs/index.md:{line}: this is not one whole row of the table" for line in (5, 6)])
        self.expect("docs/index.md:5: this is not one whole row of the table",
                    **{"docs/index.md": "# Index\n\n| a | b |\n|---|---|\n| x | y | z |\n\nText\n"})

    def test_tight_list(self) -> None:
        self.expect("docs/index.md:4: a list needs a blank line before it",
                    **{"docs/index.md": "# Index\n\nText:\n- one\n"})

    def test_mention(self) -> None:
        self.expect("src/a.cpp:2: docs/gone.md: there is no such page", **{"src/a.cpp": "\n// docs/gone.md\n"})

    def test_page_not_in_navigation(self) -> None:
        self.expect("docs/new.md:1: the navigation of mkdocs.yml lacks this page", **{"docs/new.md": "# New\n"})

    def test_notebook_not_in_navigation(self) -> None:
        self.expect("docs/new.ipynb:1: the navigation of mkdocs.yml lacks this page", **{"docs/new.ipynb": "{}\n"})

    def test_navigation_without_page(self) -> None:
        self.expect("mkdocs.yml:5: gone.md: there is no such page in docs/",
                    **{"mkdocs.yml": GOOD["mkdocs.yml"] + "  - Gone: gone.md\n"})
        self.expect("mkdocs.yml:5: gone.ipynb: there is no such page in docs/",
                    **{"mkdocs.yml": GOOD["mkdocs.yml"] + "  - Gone: gone.ipynb\n"})


if __name__ == "__main__":
    unittest.main()
