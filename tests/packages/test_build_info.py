# SPDX-License-Identifier: Apache-2.0
"""The build information of --version: cmake/WriteBuildInfo.cmake in checkouts, archives and other folders.

usage: test_build_info.py PROJECT
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

PROJECT = ""


class BuildInfo(unittest.TestCase):
    def setUp(self):
        self.folder = os.path.realpath(tempfile.mkdtemp(prefix="mlmq-build-info-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.source = os.path.join(self.folder, "sources")
        os.makedirs(os.path.join(self.source, "cmake"))
        for name in ("cmake/commit.txt", ".gitattributes"):
            shutil.copy(os.path.join(PROJECT, name), os.path.join(self.source, name))

    def git(self, *arguments, folder=None):
        settings = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main"]
        return subprocess.run(["git", *settings, *arguments], cwd=folder or self.source, check=True,
                              capture_output=True).stdout

    def commit(self, folder=None):
        for arguments in (["init"], ["add", "."], ["commit", "-m", "x"]):
            self.git(*arguments, folder=folder)
        return self.git("rev-parse", "--short=12", "HEAD", folder=folder).decode().strip()

    def written(self, source=None, code=0, **settings):
        """Returns version, commit and toolkit from the file that is written."""
        output = os.path.join(self.folder, "info.cpp")
        values = {"SOURCE": source or self.source, "OUTPUT": output, "VERSION": "1.2.3", "TOOLKIT": "13.0.88",
                  "COMMIT": "", **settings}
        script = os.path.join(PROJECT, "cmake", "WriteBuildInfo.cmake")
        # Parent folders are not searched, even if they are a repository.
        done = subprocess.run(["cmake", *[f"-D{key}={value}" for key, value in values.items()], "-P", script],
                              capture_output=True, env={**os.environ, "GIT_CEILING_DIRECTORIES": self.folder})
        self.assertEqual(done.returncode != 0, code != 0, done.stderr)
        if code:
            return None
        with open(output) as file:
            text = file.read()
        return re.search(r'\.version = "(.*)", \.commit = "(.*)", \.toolkit = "(.*)"}', text).groups()

    def test_checkout(self):
        commit = self.commit()
        self.assertRegex(commit, "^[0-9a-f]{12}$")
        self.assertEqual(self.written(), ("1.2.3", commit, "13.0.88"))
        # Untracked files do not mark the commit as changed.
        with open(os.path.join(self.source, "new"), "w"):
            pass
        self.assertEqual(self.written(TOOLKIT=""), ("1.2.3", commit, ""))
        with open(os.path.join(self.source, ".gitattributes"), "a") as file:
            file.write("# more\n")
        self.assertEqual(self.written()[1], commit + "+changes")
        self.assertEqual(self.written(COMMIT="release-7")[1], "release-7")

    def test_no_checkout(self):
        self.assertEqual(self.written()[1], "")
        # A folder inside a checkout of another project.
        self.commit(folder=self.folder)
        self.assertEqual(self.written()[1], "")

    def test_archive(self):
        commit = self.commit()
        packed = self.git("archive", "--format=tar", "--prefix=unpacked/", "HEAD")
        subprocess.run(["tar", "-x"], input=packed, cwd=self.folder, check=True)
        self.assertEqual(self.written(os.path.join(self.folder, "unpacked"))[1], commit)

    def test_only_what_is_new_is_written(self):
        self.commit()
        self.written()
        output = os.path.join(self.folder, "info.cpp")
        os.utime(output, (1, 1))
        self.written()
        self.assertEqual(os.stat(output).st_mtime, 1)
        self.written(VERSION="1.2.4")
        self.assertNotEqual(os.stat(output).st_mtime, 1)

    def test_what_is_no_commit(self):
        self.written(COMMIT='x"; evil()', code=1)
        self.written(TOOLKIT="new", code=1)


if __name__ == "__main__":
    PROJECT = os.path.realpath(sys.argv.pop(1))
    unittest.main()
