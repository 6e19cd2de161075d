#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds and runs searches by the contraction hierarchy of RoutingKit, as a peer of 'mlmq compare' for sssp_batch.

usage: routingkit.py SOURCE METHOD GRAPH SOURCES ANSWERS HIERARCHY THREADS REPEAT
       routingkit.py SOURCE --build PROGRAM

SOURCE is a clone of github.com/RoutingKit/RoutingKit, which stays unchanged, or a PROGRAM that --build made from one.
Without --build the program is kept in the cache folder. routingkit_searches.cpp explains the other arguments. Needs
g++, or the compiler that the environment variable CXX names; MLMQ_PEER_MARCH is the value of -march [native].
"""

import hashlib
import os
import pathlib
import shutil
import subprocess
import sys

DRIVER = pathlib.Path(__file__).resolve().parent / "routingkit_searches.cpp"
FILES = ["contraction_hierarchy.cpp", "bit_vector.cpp", "graph_util.cpp", "timer.cpp", "vector_io.cpp"]


def fail(message):
    sys.exit(f"routingkit.py: {message}")


def build(source, program):
    """Builds the program, or finds it in the cache if no path is given. Returns its path."""
    files = [source / "src" / name for name in FILES]
    for file in files:
        if not file.is_file():
            fail(f"no file {file}: this is not a clone of RoutingKit")
    name = os.environ.get("CXX", "g++")
    compiler = shutil.which(name)
    if compiler is None:
        fail(f"there is no compiler {name} on PATH; the environment variable CXX can name another one")
    command = [compiler, "-std=c++20", "-O3", f"-march={os.environ.get('MLMQ_PEER_MARCH', 'native')}", "-DNDEBUG", "-w",
               f"-I{source / 'include'}", str(DRIVER), *map(str, files), "-pthread", "-static"]
    if program is None:
        headers = sorted((source / "include").rglob("*.h"))
        texts = [file.read_bytes() for file in [DRIVER, *files, *headers]]
        key = hashlib.sha256(b"\0".join([" ".join(command).encode(), *texts])).hexdigest()[:16]
        cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME", "~/.cache")).expanduser() / "mlmq" / "peers"
        program = cache / f"routingkit-{key}"
        if program.is_file():
            return program
        cache.mkdir(parents=True, exist_ok=True)
    unfinished = program.with_name(f"{program.name}.{os.getpid()}")
    run = subprocess.run([*command, "-o", unfinished], capture_output=True, text=True)
    if run.returncode != 0:
        fail(f"{compiler} failed:\n{(run.stdout + run.stderr)[-4000:]}")
    unfinished.rename(program)  # so that another process never sees half a file
    return program


def main():
    if len(sys.argv) == 4 and sys.argv[2] == "--build":
        build(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[3]).resolve())
        return
    if len(sys.argv) != 9:
        sys.exit(__doc__)
    source = pathlib.Path(sys.argv[1]).resolve()
    program = source if source.is_file() else build(source, None)
    os.execv(program, [program, *sys.argv[2:]])


if __name__ == "__main__":
    main()
