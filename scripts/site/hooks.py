# SPDX-License-Identifier: Apache-2.0
"""Adapts pages of the repository to the site, which has only docs/ and the API reference.

A link to a header of the library becomes a link to its page in the API reference. Of other links out of docs/, the
text remains. The index of the search is also written as a script, because pages that are opened from a folder may not
read files.
"""

import os
import posixpath
import re

LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)")


def api_page(path):
    """Returns Doxygen's page of a header, or of the folder of all headers; None for another file."""
    if path == "library/mlmq":
        return "api/annotated.html"
    name = re.fullmatch(r"library/mlmq/(\w+)\.(hpp|h)", path)
    return f"api/{name.group(1).replace('_', '__')}_8{name.group(2)}.html" if name else None


def on_files(files, config):
    """Removes programs from the files of the site."""
    for file in list(files):
        if file.src_path.startswith("example/"):
            files.remove(file)
    return files


def on_page_markdown(markdown, page, config, files):
    folder = posixpath.dirname(posixpath.join("docs", page.file.src_path))
    to_root = posixpath.relpath(".", posixpath.dirname(page.file.dest_path) or ".")

    def mended(match):
        text, target = match.groups()
        if re.match(r"[a-z]+:|#", target):
            return match.group(0)
        path = posixpath.normpath(posixpath.join(folder, target.partition("#")[0]))
        if path.startswith("docs/") and not path.startswith("docs/example"):
            return match.group(0)
        api = api_page(path)
        return f'<a href="{to_root}/{api}">{text.replace("`", "")}</a>' if api else text

    # Links may continue on the next line. Fenced code has no links.
    parts = re.split(r"(^```.*?^```)", markdown, flags=re.MULTILINE | re.DOTALL)
    return "".join(part if part.startswith("```") else LINK.sub(mended, part) for part in parts)


def on_post_build(config):
    folder = os.path.join(config["site_dir"], "search")
    with open(os.path.join(folder, "search_index.json"), encoding="utf-8") as file:
        index = file.read()
    with open(os.path.join(folder, "search_index.js"), "w", encoding="utf-8") as file:
        file.write(f"var __search = {{ index: Promise.resolve({index}) }};\n")
