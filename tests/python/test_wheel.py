# SPDX-License-Identifier: Apache-2.0
"""The installed package: in a moved install tree; as a wheel with libmlmq, and without.

usage: test_wheel.py CMAKE BUILD PACKAGE

The package runs without a compiler, a GPU or any file of this build. Exit status 77 without pip, setuptools and wheel.
"""

import configparser
import glob
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile

CHECK = """
import mlmq, mlmq.networkx, numpy
graph = mlmq.Graph.from_arrays([0, 2, 4, 6, 8, 8], [1, 2, 0, 2, 1, 3, 2, 1], [4, 9, 4, 3, 3, 0, 0, 5])
answer = mlmq.Solver(graph).solve(0)
assert answer.distances.tolist() == [0, 4, 7, 7, mlmq.UNREACHABLE], answer.distances
assert answer.choice.device.startswith("cpu"), answer.choice
assert mlmq.Device("simt").kind == "simt"
loaded = [line.split()[-1] for line in open("/proc/self/maps") if "libmlmq.so" in line]
print(mlmq.__file__, loaded[0])
"""


def run(*command, **environment):
    variables = {name: value for name, value in os.environ.items() if name in ("HOME", "TMPDIR")}
    done = subprocess.run(command, env={**variables, **environment}, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def check(packages, library_folder, folder):
    """Checks that the package in this folder works with a libmlmq below `library_folder`."""
    package, library = run(sys.executable, "-B", "-c", CHECK, PYTHONPATH=packages, PATH="/nonexistent",
                           MLMQ_CACHE=os.path.join(folder, "cache"), CUDA_VISIBLE_DEVICES="").split()
    for path, below in ((package, packages), (library, library_folder)):
        if not os.path.realpath(path).startswith(os.path.realpath(below) + "/"):
            sys.exit(f"{path} is not below {below}")


def entry_points(packages):
    files = glob.glob(f"{packages}/mlmq-*.dist-info/entry_points.txt")
    if len(files) != 1:
        sys.exit(f"{packages}: {len(files)} files of entry points, expected one")
    parser = configparser.ConfigParser()
    parser.read(files[0])
    return {section: dict(parser[section]) for section in parser.sections()}


def wheel(source, folder, **environment):
    """Builds the wheel of the package. Returns the wheel and the folder that it is unpacked to."""
    # pip builds in the source folder, so the sources are copied.
    copy = shutil.copytree(source, os.path.join(folder, "source"), ignore=shutil.ignore_patterns("__pycache__"))
    run(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-index", "--no-build-isolation", "--no-deps",
        "--no-cache-dir", "--wheel-dir", folder, copy, PATH=os.environ["PATH"], **environment)
    shutil.rmtree(copy)
    return installed(folder)


def installed(folder):
    """Installs the wheel of a folder there. Returns the wheel and the folder that it is unpacked to."""
    file, = glob.glob(f"{folder}/*.whl")
    to = os.path.join(folder, "site")
    run(sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--no-compile", "--target", to,
        file, PATH=os.environ["PATH"], PIP_ROOT_USER_ACTION="ignore")
    return file, to


def main():
    cmake, build, source = map(os.path.abspath, sys.argv[1:])
    missing = [name for name in ("pip", "setuptools", "wheel") if importlib.util.find_spec(name) is None]
    if missing:
        print(f"skipped: no {', '.join(missing)} (Debian: python3-pip, python3-setuptools, python3-wheel)")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        run(cmake, "--install", build, "--prefix", f"{folder}/installed", PATH=os.environ["PATH"])
        tree = shutil.move(f"{folder}/installed", f"{folder}/moved")
        packages = f"{tree}/lib/python3/dist-packages"
        check(packages, tree, folder)
        of_tree = entry_points(packages)
        print("install tree: works")

        script = os.path.join(os.path.dirname(os.path.dirname(source)), "scripts", "wheel")
        print(run(script, "--build", build, "--output", f"{folder}/whole", PATH=os.environ["PATH"],
                  MLMQ_PYTHON=sys.executable), end="")
        for arguments, message in ((["--build", folder], "no build"), (["--nothing"], "unknown argument '--nothing'"),
                                   (["--build", build, "/bin/false"], "is no Python with the module venv")):
            refused = subprocess.run([script, *arguments], env={**os.environ, "MLMQ_PYTHON": sys.executable},
                                     capture_output=True, text=True, check=False)
            if refused.returncode != 2 or message not in refused.stderr:
                sys.exit(f"scripts/wheel {arguments}: {refused.returncode}, {refused.stderr}")
        whole, site = installed(f"{folder}/whole")
        if "-py3-none-manylinux_" not in whole:
            sys.exit(f"{whole}: the name of a wheel for this C library is expected")
        shutil.move(tree, f"{folder}/away")
        check(site, site, folder)
        if entry_points(site) != of_tree:
            sys.exit(f"entry points of the wheel: {entry_points(site)}, of the tree: {of_tree}")
        with zipfile.ZipFile(whole) as file:
            if not any(name.endswith("/kernels/sssp.cu")
                       for name in file.namelist()) or "mlmq/py.typed" not in file.namelist():
                sys.exit(f"{whole} lacks kernels or py.typed: {file.namelist()}")
        print(f"wheel with libmlmq: works, {os.path.getsize(whole) >> 20} MiB")

        pure, site = wheel(source, os.path.join(folder, "pure"))
        if not pure.endswith("-py3-none-any.whl"):
            sys.exit(f"{pure}: the name of a wheel for any system is expected")
        run(sys.executable, "-B", "-c", CHECK, PYTHONPATH=site, PATH="/nonexistent", CUDA_VISIBLE_DEVICES="",
            MLMQ_LIBRARY=f"{folder}/away/lib/libmlmq.so", MLMQ_CACHE=f"{folder}/cache")
        print("wheel without: works")
    return 0


if __name__ == "__main__":
    sys.exit(main())
