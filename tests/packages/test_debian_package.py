# SPDX-License-Identifier: Apache-2.0
"""The Debian package: its dependencies and files, and whether it runs after unpacking.

usage: test_debian_package.py BUILD [--keep FILE.deb]

BUILD has been built. Skipped with exit status 77 without dpkg or CPack, or if the system is not Debian 12.
"""

import argparse
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD = ""
KEEP = None


def output_of(*command, **settings):
    done = subprocess.run(command, capture_output=True, text=True, **settings)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(command)}\nends with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


class DebianPackage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="mlmq-deb-")
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        # An unusual umask must not affect the package.
        output_of("sh", "-c", 'umask 077; exec cpack -G DEB --config "$1" -B "$2"', "sh",
                  os.path.join(BUILD, "CPackConfig.cmake"), cls.folder, cwd=BUILD)
        (cls.package,) = glob.glob(os.path.join(cls.folder, "*.deb"))
        if KEEP:
            shutil.copy(cls.package, KEEP)
        cls.root = os.path.join(cls.folder, "root")
        output_of("dpkg", "-x", cls.package, cls.root)

    def field(self, name):
        return output_of("dpkg-deb", "-f", self.package, name).strip()

    def program(self, *arguments):
        environment = {"PATH": os.environ["PATH"], "MLMQ_CACHE": os.path.join(self.folder, "cache"), "LC_ALL": "C"}
        return output_of(os.path.join(self.root, "usr/bin/mlmq"), *arguments, env=environment, cwd=self.folder)

    def test_name_and_dependencies(self):
        self.assertRegex(os.path.basename(self.package), r"^mlmq_\d+\.\d+\.\d+-1_amd64\.deb$")
        self.assertEqual((self.field("Package"), self.field("Section")), ("mlmq", "science"))
        needed = {re.match(r"\S+", dependency).group() for dependency in self.field("Depends").split(", ")}
        self.assertTrue({"libc6", "libstdc++6", "libxgboost0", "libsqlite3-0", "libfmt9"} <= needed, needed)
        for package in needed:
            # The package exists in Debian, and can be installed.
            self.assertIn("install ok", output_of("dpkg-query", "-W", "-f", "${Status}", package))
        # The package needs neither a compiler nor CUDA: the program opens NVRTC and the driver if they are installed.
        self.assertFalse([package for package in needed if "nvidia" in package or "cuda" in package
                          or package.startswith("g++")])
        self.assertIn("g++", self.field("Recommends").split(", "))

    def test_content(self):
        listed = output_of("dpkg-deb", "-c", self.package).splitlines()
        names = {line.split()[5].rstrip("/"): line.split()[0] for line in listed}
        for name in ("bin/mlmq", "lib/libmlmq.so", "include/mlmq/mlmq.hpp", "include/mlmq/mlmq.h",
                     "lib/cmake/mlmq/mlmqConfig.cmake", "lib/python3/dist-packages/mlmq/__init__.py",
                     "share/man/man1/mlmq.1.gz", "share/man/man1/mlmq-solve.1.gz",
                     "share/bash-completion/completions/mlmq", "share/zsh/vendor-completions/_mlmq",
                     "share/fish/vendor_completions.d/mlmq.fish", "share/doc/mlmq/copyright",
                     "share/doc/mlmq/changelog.gz", "share/doc/mlmq/changelog.Debian.gz",
                     "share/mlmq/kernels/sssp.cu", "share/mlmq/experiments/short_list.yaml"):
            self.assertIn("./usr/" + name, names)
        self.assertFalse([name for name in names if name.startswith("./usr/lib/mlmq") or "__pycache__" in name])
        for name, mode in names.items():
            kind = {"d": "drwxr-xr-x", "l": "lrwxrwxrwx"}.get(mode[0])
            self.assertIn(mode, [kind] if kind else ["-rw-r--r--", "-rwxr-xr-x"], name)
        owners = {line.split()[1] for line in listed}
        self.assertEqual(owners, {"root/root"})
        # Libraries come from the system.
        for name in ("usr/bin/mlmq", "usr/lib/libmlmq.so"):
            self.assertNotRegex(output_of("readelf", "-d", os.path.join(self.root, name)), "RPATH|RUNPATH")
        output_of("dpkg-deb", "-e", self.package, os.path.join(self.folder, "control"))
        # dpkg would keep a postrm after the package has been removed.
        self.assertEqual(set(os.listdir(os.path.join(self.folder, "control"))),
                         {"control", "md5sums", "prerm", "shlibs", "triggers"})
        with open(os.path.join(self.folder, "control", "triggers")) as file:
            self.assertEqual(file.read(), "activate-noawait ldconfig\n")
        with open(os.path.join(self.folder, "control", "shlibs")) as file:
            self.assertRegex(file.read(), r"^libmlmq 0\.1 mlmq ")

    def test_it_runs(self):
        self.assertRegex(self.program("--version"), r"^mlmq \d")
        doctor = json.loads(self.program("doctor", "--format", "json"))
        self.assertEqual(doctor["kernels"],
                         {"folder": os.path.join(self.root, "usr/share/mlmq/kernels"), "found": True})
        for device in ("cpu", "simt"):
            self.assertIn("every distance is right", self.program("solve", "road8", "--device", device, "--check"))
        self.assertIn("fig", self.program("reproduce", "--list"))
        # The Python package loads the library of its own tree.
        code = "import mlmq; print(mlmq.__version__, mlmq.__file__)"
        environment = {**os.environ, "PYTHONPATH": os.path.join(self.root, "usr/lib/python3/dist-packages")}
        self.assertIn(self.root, output_of(sys.executable, "-B", "-c", code, env=environment))

    def test_programs_of_others_can_be_built(self):
        source = os.path.join(self.folder, "other")
        os.mkdir(source)
        with open(os.path.join(source, "CMakeLists.txt"), "w") as file:
            file.write("cmake_minimum_required(VERSION 3.20)\nproject(other LANGUAGES CXX)\n"
                       "find_package(mlmq 0.1 REQUIRED)\n"
                       "add_executable(other other.cpp)\ntarget_link_libraries(other PRIVATE mlmq::mlmq)\n"
                       "target_compile_features(other PRIVATE cxx_std_20)\n")
        with open(os.path.join(source, "other.cpp"), "w") as file:
            file.write('#include <cstdio>\n#include "mlmq/mlmq.hpp"\nint main() {\n'
                       '  mlmq::solver search(mlmq::device("cpu:1"), mlmq::digraph::open("road6"));\n'
                       '  std::printf("%g\\n", search.solve(0).distance(61));\n}\n')
        build = os.path.join(source, "build")
        output_of("cmake", "-S", source, "-B", build, f"-DCMAKE_PREFIX_PATH={self.root}/usr")
        output_of("cmake", "--build", build)
        self.assertGreater(float(output_of(os.path.join(build, "other"))), 0)

    @unittest.skipUnless(shutil.which("lintian"), "no lintian")
    def test_lintian(self):
        done = subprocess.run(["lintian", "--no-cfg", "--fail-on", "none", "--tag-display-limit", "0", self.package],
                              capture_output=True, text=True)
        errors = {line.split()[2] for line in done.stdout.splitlines() if line.startswith("E:")}
        # The publisher of the package sets an address with CPACK_PACKAGE_CONTACT.
        self.assertLessEqual(errors, {"bogus-mail-host", "bogus-mail-host-in-debian-changelog"}, done.stdout)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--keep")
    arguments, rest = parser.parse_known_args()
    BUILD, KEEP = os.path.realpath(arguments.build), arguments.keep
    with open("/etc/os-release") as release:
        is_debian = 'VERSION_ID="12"' in release.read() and all(map(shutil.which,
                                                                    ("dpkg-deb", "dpkg-shlibdeps", "cpack")))
    if not is_debian:
        print("skipped: not on Debian 12 with dpkg-dev")
        sys.exit(77)
    unittest.main(argv=[sys.argv[0], *rest])
