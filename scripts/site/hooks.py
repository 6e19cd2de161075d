# SPDX-License-Identifier: Apache-2.0
"""Adapts pages of the repository to the site, which has only docs/ and the API reference.

A link to a header of the library becomes a link to its page in the API reference. Of other links out of docs/, the
text remains. A notebook becomes a page with its text, code and stored outputs. The index of the search is also written
as a script, because pages that are opened from a folder may not read files.
"""

import json
import os
import posixpath
import re
import shutil

from mkdocs.structure.files import File
from nbconvert import MarkdownExporter

FOLDER = os.path.dirname(os.path.abspath(__file__))
LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)")


def api_page(path):
    """Returns Doxygen's page of a header, or of the folder of all headers; None for another file."""
    if path == "library/mlmq":
        return "api/annotated.html"
    name = re.fullmatch(r"library/mlmq/(\w+)\.(hpp|h)", path)
    return f"api/{name.group(1).replace('_', '__')}_8{name.group(2)}.html" if name else None


class Notebook(File):
    def is_documentation_page(self):
        return True


def notebook_markdown(path):
    """Converts a notebook to Markdown. Tables of pandas lose their style, so that they look like the site's tables."""
    exporter = MarkdownExporter(extra_template_basedirs=[FOLDER], template_file=os.path.join(FOLDER, "notebook.md.j2"))
    body, _ = exporter.from_filename(path)
    return re.sub(r"<style.*?</style>\n|(?<=<table) [^>]*", "", body, flags=re.DOTALL)


def on_files(files, config):
    """Removes programs from the files of the site, and makes notebooks pages."""
    for file in list(files):
        if file.src_path.startswith("example/"):
            files.remove(file)
        elif file.src_path.endswith(".ipynb"):
            files.remove(file)
            files.append(Notebook(file.src_path, config["docs_dir"], config["site_dir"], config["use_directory_urls"]))
    return files


def on_page_read_source(page, config):
    if isinstance(page.file, Notebook):
        name = posixpath.basename(page.file.src_path)
        text = notebook_markdown(page.file.abs_src_path)
        return text.replace("\n", f'\n\n<a href="{name}" download>Download this Jupyter notebook</a>\n', 1)
    return None


def on_post_page(output, page, config):
    if isinstance(page.file, Notebook):
        shutil.copy(page.file.abs_src_path, os.path.dirname(page.file.abs_dest_path))
    return output


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
        index = json.load(file)
    # The theme's search ranks matches of tags first. So the pages about tasks come before those that mention them.
    for entry in index["docs"]:
        if re.fullmatch(r"(guide|recipes)/[\w-]+\.html", entry["location"]):
            words = config["extra"]["search_words"].get(entry["location"], "")
            entry["tags"] = f"{entry['title']} {words}".split()
    with open(os.path.join(folder, "search_index.js"), "w", encoding="utf-8") as file:
        file.write(f"var __search = {{ index: Promise.resolve({json.dumps(index)}) }};\n")
