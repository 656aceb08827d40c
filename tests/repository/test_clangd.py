#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The flags that .clangd gives for CUDA files parse a file of every folder that has some, from the
file's folder and from the root (clangd has done either), and catch a mistake. Runs the compiler
with them, and clangd itself where there is one."""

import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from tracked import ROOT, files_of

CLANG = next(filter(None,
                    map(shutil.which, ["clang++", *(f"clang++-{n}" for n in range(30, 13, -1))])))
# Needs a GPU's own headers (CUB, a driver API), MPI's, or a project's own flags, or is wrong on
# purpose.
ELSEWHERE = re.compile(r"^bench/gpu_|^tests/(nvcc|mutants|compilers|survey|simt/ptx|simt/mpi)/"
                       r"|/corpus/|install/plain|^figures/|fault_opcode|fault_grid_sync")


def flags():
    text = (ROOT / ".clangd").read_text(encoding="utf-8").split("\n---\n")[1]
    return re.findall(r"^ {4}- (\S+)$", text, re.MULTILINE)


def parse(path, folder):
    done = subprocess.run([CLANG, *flags(), "-fsyntax-only", path], cwd=folder, text=True,
                          capture_output=True, check=False)
    return done.returncode, done.stderr


def is_edited(name):
    stub = subprocess.run([ROOT / "common/scripts/make_exercise", "--stdout", Path(name).stem],
                          capture_output=True, check=False).stdout
    return (ROOT / name).read_bytes() != stub


class Clangd(unittest.TestCase):
    def test_every_folder(self):
        first = {}
        for name in files_of():
            if name.endswith(".cu") and not ELSEWHERE.search(name):
                first.setdefault(name.split("/")[0] if name.startswith("lessons") else
                                 str(Path(name).parent), ROOT / name)
        self.assertGreater(len(first), 5)
        for path in first.values():
            for folder in (path.parent, ROOT):
                with self.subTest(path=path.name, folder=folder.name):
                    status, said = parse(path, folder)
                    self.assertEqual(status, 0, said)

    def test_a_mistake_is_seen(self):
        kernel = "__global__ void k(int *a) { a[threadIdx.x] = %s; }\n"
        launch = "int main() { k<<<1, 32>>>(nullptr); return cudaDeviceSynchronize(); }\n"
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "a.cu"
            for value, wanted in (("__shfl_sync(~0u, 1, 0)", 0), ("undeclared", 1)):
                path.write_text(kernel % value + launch, encoding="utf-8")
                self.assertEqual(parse(path, ROOT)[0], wanted)

    def test_clangd_itself(self):
        clangd = shutil.which("clangd")
        if clangd is None:
            return  # an editor's tool, which nothing here needs
        # Every lesson and every exercise as it is given out; one with a mistake is the twin. Where
        # MPI's headers are, only mpicc knows.
        names = [name for name in files_of()
                 if re.match(r"(lessons/.*|solutions/[^/]*|exercises/[^/]*)\.cu$", name)
                 and "#include <mpi.h>" not in (ROOT / name).read_text(encoding="utf-8")
                 and not (name.startswith("exercises/") and is_edited(name))]
        self.assertGreater(len(names), 30)
        with tempfile.NamedTemporaryFile("w", suffix=".cu", dir=ROOT / "exercises") as wrong:
            wrong.write("__global__ void k(int *a) { a[threadIdx.x] = undeclared; }\n")
            wrong.flush()
            for name in (*names, wrong.name):
                with self.subTest(name=name):
                    # Of one line the refactorings too: they are clangd's own, and fail at times.
                    done = subprocess.run([clangd, f"--check={name}", "--check-lines=1-1",
                                           "--log=error"], cwd=ROOT, text=True,
                                          capture_output=True, check=False)
                    self.assertEqual(done.returncode != 0, name == wrong.name,
                                     done.stderr[-2000:])


if __name__ == "__main__":
    unittest.main()
