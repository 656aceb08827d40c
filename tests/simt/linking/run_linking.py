#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Device code of several files: programs of two and three files, in every way to link them, and
what is said when a symbol is missing or there twice.

    run_linking.py COMPILER WORK_DIR

COMPILER is simtcc or simt-nvcc. Exits 0 when all holds.
"""

import os
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
FILES = ("main.cu", "functions.cu", "tables.cu")
OBJECTS = ("main.o", "functions.o", "tables.o")
COMPILER, WORK = "", Path()


def call(*command, **options):
    return subprocess.run([str(part) for part in command], capture_output=True, text=True,
                          check=False, timeout=300, **options)


class Linking(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        shutil.rmtree(WORK, ignore_errors=True)
        WORK.mkdir(parents=True)
        for name in (*FILES, "storing.cu", "again.cu"):
            cls.compile("-dc", HERE / name, "-o", f"{Path(name).stem}.o")

    @staticmethod
    def compile(*arguments):
        done = call(COMPILER, "-std=c++17", *arguments, cwd=WORK)
        if done.returncode != 0:
            raise AssertionError(done.stderr)

    def build(self, *arguments):
        self.compile(*arguments, "-o", "program")

    def prints_what_it_should(self):
        done = call(WORK / "program")
        self.assertEqual((done.stdout, done.returncode),
                         ((HERE / "linking.expected").read_text(encoding="utf-8"), 0), done.stderr)

    def refused(self, *arguments):
        done = call(COMPILER, "-std=c++17", *arguments, "-o", "refused", cwd=WORK)
        self.assertNotEqual(done.returncode, 0)
        self.assertFalse((WORK / "refused").exists())
        return done.stderr

    def test_both_orders(self):
        for order in (OBJECTS, reversed(OBJECTS)):
            self.build("-rdc=true", *order)
            self.prints_what_it_should()

    def test_a_static_library_gives_what_is_needed(self):
        call("ar", "rcs", "libparts.a", "storing.o", "tables.o", "functions.o", cwd=WORK)
        self.build("-rdc=true", "main.o", "-L.", "-lparts")
        self.prints_what_it_should()

    def test_two_files_in_one_command_and_a_fault_in_the_second(self):
        self.build("-rdc=true", HERE / "faulty.cu", HERE / "storing.cu")
        done = call(WORK / "program")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("storing.cu:2", done.stderr)

    def test_kernels_launch_kernels_of_another_file(self):
        self.build("-rdc=true", HERE / "parents.cu", HERE / "children.cu", "-lcudadevrt")
        done = call(WORK / "program")
        self.assertEqual((done.stdout, done.returncode), ("cudaSuccess 34 601 11\n", 0),
                         done.stderr)

    def test_another_size_is_refused_when_the_program_runs(self):
        self.build("-rdc=true", HERE / "narrow.cu", "tables.o")
        done = call(WORK / "program")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("variable 'weights' has another size", done.stderr)
        self.assertIn("narrow.cu", done.stderr)
        if "nvcc" not in COMPILER:  # its PTX of variables alone names no file
            self.assertIn("tables.cu", done.stderr)


class WithNvcc(Linking):
    """What nvcc's front end compiles and clang does not."""

    def test_host_files_and_openmp_beside_device_code(self):
        for flag in (("-Xcompiler", "-Wall,-fopenmp"), ("-Xcompiler=-fopenmp",)):
            self.build("-rdc=true", *flag, HERE / "hosts.cu", HERE / "storing.cu",
                       HERE / "host_part.c", HERE / "host_part_openmp.cpp")
            done = call(WORK / "program")
            self.assertEqual((done.stdout, done.returncode), ("42 5050\n", 0), done.stderr)

    def test_a_kernel_that_is_missing_is_named(self):
        self.build("-rdc=true", HERE / "parents.cu", "-lcudadevrt")
        said = call(WORK / "program").stderr
        self.assertRegex(said, "launches '_Z5therePi', which is defined nowhere in this module")


class WithSimtcc(Linking):
    """What simtcc finds when it links."""

    def test_the_host_compiler_links_objects(self):
        library = Path(COMPILER).parent / "libsimt.a"
        done = call("c++", *OBJECTS, library, "-lpthread", "-lm", "-o", "program", cwd=WORK)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.prints_what_it_should()

    def test_a_step_for_device_linking_does_no_harm(self):
        self.compile("-dlink", *OBJECTS, "-o", "device.o")
        self.build(*OBJECTS, "device.o", "-lcudadevrt")
        self.prints_what_it_should()

    def test_a_missing_symbol_is_named(self):
        said = self.refused("main.o", "tables.o")
        self.assertIn("main.o: device code uses 'doubled(int)', which no file or library", said)
        self.assertIn("main.o: device code uses 'operations', which no file", said)
        self.assertNotIn("'weights'", said)
        said = self.refused("-rdc=true", HERE / "faulty.cu")
        self.assertIn("faulty.cu: device code uses 'store(int*, int)', which no file", said)

    def test_a_symbol_that_is_there_twice_is_named(self):
        said = self.refused(*OBJECTS, "again.o")
        # The linker names objects, or sources where it knows them.
        self.assertRegex(said, r"code of tables\.(o|cu) and of again\.(o|cu) defines 'counter'")
        self.assertRegex(said, r"of functions\.(o|cu) and of again\.(o|cu) defines 'doubled\(int")

    def test_a_launched_kernel_that_is_missing_is_named(self):
        said = self.refused("-rdc=true", HERE / "parents.cu", "-o", WORK / "program")
        self.assertIn("device code uses 'there(int*)', which no file or library", said)

    def test_without_the_flag_the_way_out_is_named(self):
        said = self.refused("-c", HERE / "faulty.cu")
        self.assertIn("which another file defines: compile with -rdc=true", said)


def main():
    global COMPILER, WORK
    COMPILER, WORK = os.path.abspath(sys.argv[1]), Path(sys.argv[2]).resolve()
    case = WithNvcc if "nvcc" in Path(COMPILER).name else WithSimtcc
    suite = unittest.defaultTestLoader.loadTestsFromTestCase(case)
    sys.exit(not unittest.TextTestRunner(verbosity=2).run(suite).wasSuccessful())


if __name__ == "__main__":
    main()
