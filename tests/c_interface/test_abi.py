# SPDX-License-Identifier: Apache-2.0
"""Programs that were compiled against an earlier mlmq/mlmq.h of this minor version must keep working.

usage: test_abi.py HEADER LIBRARY RECORDED COMPILER [--record]

Compares the functions and types of HEADER, as described by abidw (libabigail), with the file RECORDED, and checks that
LIBRARY has every function. New functions, new members at the end of a structure that begins with its size, and new
constants are compatible; anything else is a failure. --record rewrites RECORDED. Exit status: 0 compatible, 1
incompatible, 77 without abidw and abidiff (Debian: abigail-tools).
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile

# Types that may grow, because callers pass the size that they know.
GROWING_STRUCTS = ("device_facts", "read_options", "device_rows", "solve_times", "solve_options", "device_array",
                   "batch_options", "distance_rows", "reduction", "path_options")
GROWING = f"""\
[suppress_type]
  type_kind = struct
  name_regexp = ^mlmq_({"|".join(GROWING_STRUCTS)})$
  has_data_member_inserted_at = end
"""


def run(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def succeed(*command):
    status, out, errors = run(*command)
    if status != 0:
        sys.exit(f"{' '.join(command)}: {status}\n{out}{errors}")
    return out


def declarations(header):
    """Returns the declarations that follow MLMQ_API, without comments."""
    with open(header, encoding="utf-8") as file:
        text = re.sub(r"/\*.*?\*/", " ", file.read(), flags=re.DOTALL)
    return [" ".join(declaration.split()) for declaration in re.findall(r"^MLMQ_API\s+([^;{]*);", text,
                                                                        re.MULTILINE | re.DOTALL)]


def name_of(declaration):
    return re.search(r"\b(mlmq_\w+)\(", declaration).group(1)


def describe(header, compiler, folder):
    """Returns a file that describes a library with exactly the declarations of the header."""
    source, library, described = (os.path.join(folder, name) for name in ("stubs.c", "libstubs.so", "found.abi"))
    include = os.path.dirname(os.path.dirname(os.path.abspath(header)))
    with open(source, "w", encoding="utf-8") as file:
        file.write(f'#include "mlmq/{os.path.basename(header)}"\n#include <stdlib.h>\n')
        file.writelines(f"{declaration} {{ abort(); }}\n" for declaration in declarations(header))
    succeed(compiler, "-std=c99", "-g", "-O0", "-w", "-shared", "-fPIC", f"-I{include}", source, "-o", library)
    options = ("--no-corpus-path", "--no-comp-dir-path", "--no-show-locs", "--no-elf-needed",
               "--no-write-default-sizes")
    with open(described, "w", encoding="utf-8") as file:
        # The compilation uses a temporary folder.
        file.write(re.sub(r" (path|comp-dir-path|filepath)='[^']*'", "", succeed("abidw", *options, library)))
    return described


def compare(recorded, found, folder):
    """Returns the output of abidiff, or "" if they are compatible."""
    suppressions = os.path.join(folder, "growing.abignore")
    with open(suppressions, "w", encoding="utf-8") as file:
        file.write(GROWING)
    status, out, errors = run("abidiff", "--no-default-suppression", "--no-added-syms", "--suppressions", suppressions,
                              recorded, found)
    if status & 3:
        sys.exit(f"abidiff: {status}\n{out}{errors}")
    return out if status & 12 else ""


# Changes of the header, and whether programs keep working after each.
CHANGES = (
    (r"(mlmq_device_set_seed\(mlmq_device\* device), uint64_t seed", r"\1", False),
    (r"(MLMQ_API uint64_t) (mlmq_digraph_edge_count)", r"MLMQ_API uint32_t \2", False),
    (r"(uint32_t y;)(\s*\} mlmq_cell;)", r"\1 uint32_t z;\2", False),
    (r"(typedef struct mlmq_solve_options \{\s*size_t struct_size;)", r"\1 double first;", False),
    (r"(MLMQ_FLOAT32 = )1", r"\g<1>9", False),
    (r"(\} mlmq_solve_options;)", r"double last; \1", True),
    (r"(MLMQ_STOPPED = 12)", r"\1, MLMQ_TIRED = 13", True),
)


def check_the_check(header, described, compiler, folder):
    """Compares changed headers; returns the first wrong verdict, or ""."""
    with open(header, encoding="utf-8") as file:
        text = file.read()
    changed_header = os.path.join(folder, "mlmq", "mlmq.h")
    os.mkdir(os.path.dirname(changed_header))
    original = shutil.copyfile(described, os.path.join(folder, "original.abi"))
    for pattern, replacement, compatible in CHANGES:
        changed, count = re.subn(pattern, replacement, text)
        if count != 1:
            return f"the header has {count} places like {pattern}"
        with open(changed_header, "w", encoding="utf-8") as file:
            file.write(changed)
        if (compare(original, describe(changed_header, compiler, folder), folder) == "") != compatible:
            return f"{pattern} is taken to be {'incompatible' if compatible else 'compatible'}"
    return ""


def main():
    arguments = [argument for argument in sys.argv[1:] if argument != "--record"]
    if len(arguments) != 4:
        sys.exit(__doc__)
    header, library, recorded, compiler = arguments
    if not shutil.which("abidw") or not shutil.which("abidiff"):
        print("skipped: no abidw and abidiff (Debian: abigail-tools)")
        return 77
    exported = set(re.findall(r" T (mlmq_\w+)$", succeed("nm", "--dynamic", "--defined-only", library), re.MULTILINE))
    declared = {name_of(declaration) for declaration in declarations(header)}
    if exported != declared:
        print(f"declared, but not in {library}: {sorted(declared - exported)}; not declared: "
              f"{sorted(exported - declared)}")
        return 1
    with tempfile.TemporaryDirectory() as folder:
        description = describe(header, compiler, folder)
        if "--record" in sys.argv:
            shutil.copyfile(description, recorded)
            return 0
        difference = compare(recorded, description, folder)
        wrong = check_the_check(header, description, compiler, folder)
    if difference:
        print(f"{difference}\nmlmq/mlmq.h has changed so that compiled programs stop working. Where that is wanted, "
              f"which takes a new\n"
              f"minor version, record it:\n  {sys.executable} {' '.join(sys.argv)} --record")
        return 1
    if wrong:
        print(f"the comparison does not see what it should: {wrong}")
        return 1
    print(f"{len(declared)} functions: compatible")
    return 0


if __name__ == "__main__":
    sys.exit(main())
