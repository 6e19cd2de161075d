# SPDX-License-Identifier: Apache-2.0
"""The cache of compiled code: damaged files, and folders that cannot be used or must not be trusted."""

import contextlib
import os
import shutil
import sqlite3
import subprocess
import tempfile
import unittest

import program_test  # in this folder
from program_test import SMALL_SPACE, SMALL_TRIALS, ProgramTest

NOBODY = 65534


def damages(whole):
    """Returns damaged versions of a file's content, by name."""
    flipped = bytearray(whole)
    flipped[len(flipped) // 2] ^= 1
    return {"empty": b"", "cut in the head": whole[:100], "cut at a page": whole[:4096],
            "cut near the end": whole[:-50], "zeros": bytes(len(whole)), "a bit": bytes(flipped),
            "foreign": b"#!/bin/sh\n"}


class Caching(ProgramTest):
    SOLVE = ("solve", "path4", "--device", "simt", "--config", "l1=none,threads=64")
    SPACE = SMALL_SPACE.replace("  - {generate: del6, queries: {source: 0}}\n"
                                "  - {generate: rmat6, queries: {source: 0}}\n", "")

    def setUp(self):
        super().setUp()
        os.mkdir(self.path("tmp"))
        self.own = {"MLMQ_CACHE": self.path("cache"), "TMPDIR": self.path("tmp")}

    def variants(self):
        folder = self.path("cache/simt")
        return [os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".so")]

    def warned(self, *arguments, environment, says, code=0):
        """Checks that a command succeeds with one warning (reason and remedy) and leaves the temporary folder empty."""
        got, output, errors = self.run_program(*arguments, environment=environment)
        errors = program_test.without_progress(errors)
        self.assertEqual(got, code, errors)
        self.assertRegex(errors, r"\Amlmq: warning: [^\n]+ MLMQ_CACHE [^\n]+\n\Z")
        self.assertIn(says, errors)
        self.assertEqual([name for name in os.listdir(self.path("tmp")) if name != "mlmq-cache-0"], [])
        return output

    def test_damaged_files(self):
        self.assertIn("to compile", self.succeed(*self.SOLVE, environment=self.own))
        [file] = self.variants()
        with open(file, "rb") as stored:
            whole = stored.read()
        for name, content in damages(whole).items():
            with self.subTest(damage=name):
                with open(file, "wb") as stored:
                    stored.write(content)
                self.assertIn("1 damaged", self.succeed("doctor", environment=self.own))
                self.assertIn("to compile", self.succeed(*self.SOLVE, environment=self.own))
                self.assertIn("from the cache", self.succeed(*self.SOLVE, environment=self.own))
                self.assertNotIn("damaged", self.succeed("doctor", environment=self.own))
        # The file must belong to its key: a complete file of another key is not accepted.
        other = [*self.SOLVE[:-1], "l1=none,threads=128"]
        self.succeed(*other, environment=self.own)
        [second] = [path for path in self.variants() if path != file]
        shutil.copyfile(second, file)
        self.assertIn("to compile", self.succeed(*self.SOLVE, environment=self.own))

    def test_damaged_files_in_a_sweep(self):
        self.write("s.yaml", self.SPACE)
        self.succeed("sweep", "s.yaml", "--device", "simt", "--db", "0.sqlite", environment=self.own)
        files = self.variants()
        for number, kind in enumerate(("empty", "cut at a page", "zeros", "a bit")):
            for file in files:
                with open(file, "r+b") as stored:
                    content = damages(stored.read())[kind]
                    stored.seek(0)
                    stored.truncate()
                    stored.write(content)
            database = f"{number + 1}.sqlite"
            self.succeed("sweep", "s.yaml", "--device", "simt", "--db", database, environment=self.own)
            with contextlib.closing(sqlite3.connect(self.path(database))) as opened:
                outcomes = opened.execute("SELECT outcome, count(*) FROM trial GROUP BY outcome").fetchall()
            self.assertEqual(outcomes, [("ok", SMALL_TRIALS // 3)], kind)

    def test_unusable_folder(self):
        self.write("file", "")
        self.write("s.yaml", self.SPACE)
        unusable = {**self.own, "MLMQ_CACHE": self.path("file")}
        self.assertIn("to compile", self.warned(*self.SOLVE, environment=unusable, says="Not a directory"))
        # Workers share the temporary folder: nothing is compiled twice, and the warning is printed once.
        output = self.warned("sweep", "s.yaml", "--device", "simt", "--workers", "2", "--db", "r.sqlite",
                             environment=unusable, says="Not a directory")
        self.assertIn(f"{SMALL_TRIALS // 3} of {SMALL_TRIALS // 3} trials done", output)
        self.assertRegex(output, r"kernel variants: 4 compiled")
        # Commands that need no compiled code print no warning.
        self.succeed("solve", "path4", "--device", "cpu", environment=unusable)
        self.assertIn("not used: it cannot be opened: Not a directory", self.succeed("doctor", environment=unusable))
        # Without a temporary folder, no compiled code is kept.
        nowhere = {**unusable, "TMPDIR": self.path("none")}
        code, _, errors = self.run_program(*self.SOLVE, environment=nowhere)
        self.assertEqual(code, 1)
        self.assertIn("nothing is cached", errors)
        self.assertIn("TMPDIR", errors)

    def test_folder_that_others_can_write(self):
        self.succeed(*self.SOLVE, environment=self.own)
        os.chmod(self.path("cache"), 0o777)
        self.assertIn("to compile", self.warned(*self.SOLVE, environment=self.own, says="other users can write to it"))
        os.chmod(self.path("cache"), 0o755)
        self.assertIn("from the cache", self.succeed(*self.SOLVE, environment=self.own))

    @unittest.skipUnless(os.geteuid() == 0, "only root can give files away")
    def test_folder_of_another_user(self):
        homeless = {**self.own, "MLMQ_CACHE": "", "XDG_CACHE_HOME": "", "HOME": ""}
        self.succeed(*self.SOLVE, environment=homeless)
        place = self.path("tmp/mlmq-cache-0")
        self.assertIn("from the cache", self.succeed(*self.SOLVE, environment=homeless))
        for folder, folders, names in os.walk(place):
            for name in [".", *folders, *names]:
                os.chown(os.path.join(folder, name), NOBODY, NOBODY)
        self.assertIn("to compile", self.warned(*self.SOLVE, environment=homeless, says="belongs to another user"))
        # This user owns only the folder, not the code.
        os.chown(place, 0, 0)
        os.chown(os.path.join(place, "simt"), 0, 0)
        self.assertIn("to compile", self.succeed(*self.SOLVE, environment=homeless))

    @unittest.skipUnless(os.geteuid() == 0 and shutil.which("setpriv"), "only root can run it as another user")
    def test_read_only_folder(self):
        # Permissions do not restrict root: run as another user who can enter all parent folders.
        place = tempfile.mkdtemp(prefix="mlmq-cli-", dir="/tmp")
        self.addCleanup(shutil.rmtree, place, ignore_errors=True)
        os.chmod(place, 0o777)
        os.mkdir(os.path.join(place, "cache"))
        os.chown(os.path.join(place, "cache"), NOBODY, NOBODY)
        os.chmod(os.path.join(place, "cache"), 0o555)
        variables = {**os.environ, "TMPDIR": place, "MLMQ_CACHE": os.path.join(place, "cache"), "LC_ALL": "C"}
        done = subprocess.run(["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}",
                               "--clear-groups", program_test.PROGRAM, *self.SOLVE], cwd=place, env=variables,
                               capture_output=True, text=True, check=False)
        if "Permission denied" in done.stderr and "setpriv" in done.stderr:
            self.skipTest("another user cannot reach the program")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr,
                         r"\Amlmq: warning: [^\n]*files cannot be created in it: Permission denied[^\n]*\n\Z")
        self.assertEqual(os.listdir(place), ["cache"])


if __name__ == "__main__":
    program_test.main()
