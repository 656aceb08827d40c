#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How the survey builds a program: what compilers and linkers say, and what is added for it; each
rule with a text that it must catch and one that looks alike."""

import sys
import tempfile
import unittest
import unittest.mock
from pathlib import Path
from types import SimpleNamespace

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "common/survey"))

import building  # noqa: E402
import compilers  # noqa: E402
import foreign  # noqa: E402
import outcomes  # noqa: E402


class Compilers(unittest.TestCase):
    """A simtcc in a build folder and an installed one: both read parts of their own."""

    def check(self, root, script, parts):
        for file in (script, parts / "part.sh"):
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text("first")
        fronts = [compilers.Front("simtcc", script)]
        self.assertTrue(any(parts == Path(path) or Path(path) in parts.parents
                            for path in compilers.readable(fronts)))
        before = compilers.version(fronts)
        (parts / "part.sh").write_text("second")
        self.assertNotEqual(compilers.version(fronts), before)
        (parts / "part.sh").write_text("first")
        with tempfile.NamedTemporaryFile(dir=".") as other: # no part of it
            other.write(b"second")
            other.flush()
            self.assertEqual(compilers.version(fronts), before)

    def test_parts_are_visible_and_count(self):
        with tempfile.TemporaryDirectory() as name:
            root = Path(name).resolve()
            self.check(root, root / "bin/simtcc", root / "share/simt/compiler")
            (root / "build").mkdir()
            (root / "build/simtcc.paths").write_text("include=\nlibrary=\n")
            self.check(root, root / "build/simtcc", root / "build/compiler")


class Foreign(unittest.TestCase):
    def test_libraries_by_header_and_name(self):
        self.assertEqual(foreign.library_of_header("cublas_v2.h"), "cuBLAS")
        self.assertEqual(foreign.library_of_name("png_create_info_struct"), "an image library")
        self.assertEqual(foreign.library_of_header("thrust/scan.h"), "Thrust")
        self.assertEqual(foreign.library_of_header("cub/cub.cuh"), "CUB")
        self.assertIsNone(foreign.library_of_header("cubes.h"))
        self.assertIsNone(foreign.library_of_header("curand_kernel.h"))
        self.assertEqual(foreign.library_of_name("curandCreateGenerator"), "cuRAND (host)")
        self.assertIsNone(foreign.library_of_name("curand_uniform"))
        self.assertEqual(foreign.library_of_name("GOMP_parallel"), "OpenMP")
        self.assertIsNone(foreign.library_of_name("global"))
        self.assertEqual(foreign.library_of_name("dgeev_"), "LAPACK")
        self.assertEqual(foreign.library_of_name("sgemm_"), "BLAS")
        self.assertIsNone(foreign.library_of_name("copy_"))
        for name in ("testing::Message::Message()", "vtable for testing::Test",
                     "bool testing::internal::same<int>(int)",
                     "std::ostream& testing::operator<<(x)"):
            self.assertEqual(foreign.library_of_name(name), "GoogleTest", name)
        for name in ("f(testing::Test*)", "mytesting::f()", "f<testing::Test>(int)"):
            self.assertIsNone(foreign.library_of_name(name), name)
        self.assertEqual(foreign.library_of_name("fmt::v9::detail::f(int)"), "fmt")
        self.assertEqual(foreign.library_of_name("curandGenerator_t"), "cuRAND (host)")
        self.assertIsNone(foreign.library_of_name("curandState_t"))
        self.assertEqual(foreign.library_of_header("stb/stb_image.h"), "an image library")
        self.assertIsNone(foreign.library_of_header("cuda_util.h"))

    def test_a_library_that_is_installed_is_linked(self):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            (root / "main.cu").write_text("int main() { }\n", encoding="utf-8")
            for there, name, good in (({"gtest", "gtest_main"}, "testing::Test::Test()", True),
                                      ({"gtest_main"}, "testing::Test::Test()", False),
                                      ({"gtest"}, "other::Test::Test()", False)):
                asking = unittest.mock.Mock(run=lambda command, *_, name=name: SimpleNamespace(
                    good="-lgtest" in command[command.index("-o"):], out_of_time=False,
                    output=f"a.o: undefined reference to `{name}'"))
                with unittest.mock.patch.object(foreign, "is_installed", there.__contains__):
                    build = building.Builder(root, asking, None).build("simtcc", root / "main.cu",
                                                                       folder)
                self.assertEqual(build.good, good)
                if good:
                    self.assertEqual(build.record()["flags"][-3:],
                                     ["-lgtest_main", "-lgtest", "-lpthread"])
                elif name.startswith("testing"):
                    self.assertEqual((build.outcome, build.feature), ("needs", "GoogleTest"))
                else:
                    self.assertEqual(build.outcome, "refused")

    def test_a_library_and_a_file_are_added_at_once(self):
        with tempfile.TemporaryDirectory() as folder:
            root, calls = Path(folder), []
            (root / "main.cu").write_text("int main() { }\n", encoding="utf-8")
            for name in ("f", "Test"): # the second one only looks like the library's
                (root / f"{name}.cu").write_text(f"int {name}(int);\n", encoding="utf-8")

            def run(command, *_):
                calls.append(command)
                said = "undefined reference to `testing::Test()'\nundefined reference to `f(int)'"
                return SimpleNamespace(good="-lgtest" in command, out_of_time=False, output=said)
            with unittest.mock.patch.object(foreign, "is_installed", "gtest".__eq__):
                build = building.Builder(root, SimpleNamespace(run=run), None).build(
                    "simtcc", root / "main.cu", folder)
            self.assertEqual((build.good, build.linked, len(calls)), (True, ["f.cu"], 2))

    def test_what_is_installed(self):
        self.assertTrue(foreign.is_installed("m"))
        self.assertFalse(foreign.is_installed("there_is_none_of_this_name"))
        there = {"fmt", "gtest_main"}
        with unittest.mock.patch.object(foreign, "is_installed", there.__contains__):
            self.assertEqual(foreign.installed(), ["fmt"])

    def test_headers_of_other_folders(self):
        with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
            root, more = Path(one).resolve(), Path(other).resolve()
            (root / "a.cu").write_text("int main() {}\n", encoding="utf-8")
            (more / "inc").mkdir()
            (more / "inc/helper_timer.h").write_text("", encoding="utf-8")

            def run(command, *_):
                good = str(more / "inc") in command
                said = "" if good else "a.cu:1: fatal error: 'helper_timer.h' file not found"
                return SimpleNamespace(good=good, output=said, out_of_time=False)
            box = SimpleNamespace(run=run)
            alone = building.Builder(root, box, None).build("simtcc", root / "a.cu", one)
            self.assertEqual((alone.outcome, alone.feature), ("needs", foreign.SAMPLES))
            self.assertIn("--headers", alone.change)
            build = building.Builder(root, box, None, [more]).build("simtcc", root / "a.cu", one)
            self.assertTrue(build.good)

    def test_what_compilers_say(self):
        for text, name in (("a.cu:3:10: fatal error: 'x/y.h' file not found", "x/y.h"),
                           ("a.cu:1:10: fatal error: y.h: No such file or directory", "y.h"),
                           ('a.cu(2): error: could not open source file "z.h"', "z.h")):
            self.assertEqual(building.first(building.HEADER, text), name)
        self.assertEqual(building.UNDEFINED.findall("x.o: undefined reference to `f(int)'\n"),
                         ["f(int)"])
        for text in ("error: use of undeclared identifier 'q'",
                     'error: identifier "q" is undefined'):
            self.assertEqual(building.first(building.UNKNOWN, text), "q")
        self.assertIsNone(building.first(building.UNKNOWN, "error: expected ';' after expression"))

    def test_the_sentence_of_simtcc_goes_before_clangs(self):
        builder = building.Builder(Path("/nowhere"), None, None)
        for output, reason in (
                ("a.cu:9:2: error: no matching function for call to 'cudaMalloc'\n"
                 "simtcc: error: /nowhere/a.cu: a kernel launches a kernel: launch it elsewhere\n",
                 "a.cu: a kernel launches a kernel: launch it elsewhere"),
                ('a.h:4:2: error: "a.h: no matrices"', "a.h:4: a.h: no matrices"),
                ("a.h:4:2: error: static assertion failed due to requirement '16 < 0': no "
                 "matrices", "a.h:4: no matrices")):
            build = building.Build()
            build.output = output
            builder.explain(build, None, "simtcc")
            self.assertEqual((build.outcome, build.reason), ("refused", reason))

    def test_neighbours_that_define_the_same(self):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            (root / "main.cpp").write_text("int f(); int main() { return f(); }\n",
                                           encoding="utf-8")
            for name in ("one.cu", "two.cu"):
                (root / name).write_text("int f() { return 0; }\n", encoding="utf-8")
            linker = Linker()
            build = building.Builder(root, linker, None).build("simtcc", root / "main.cpp", folder)
            self.assertTrue(build.good)
            self.assertEqual((build.linked, linker.calls), (["one.cu"], 2))
            linker.always = True
            build = building.Builder(root, linker, None).build("simtcc", root / "main.cpp", folder)
            self.assertFalse(build.good)
            self.assertEqual(build.outcome, "refused")

    def test_headers_of_the_toolkit(self):
        with tempfile.TemporaryDirectory() as folder:
            root, toolkit = Path(folder) / "here", Path(folder) / "toolkit"
            for name in ("cublas_v2.h", "thrust/sort.h"):
                (toolkit / name).parent.mkdir(parents=True, exist_ok=True)
                (toolkit / name).write_text("", encoding="utf-8")
            root.mkdir()
            (root / "main.cu").write_text("int main() { }\n", encoding="utf-8")
            for lacks, known, feature in (("cublas_v2.h", toolkit, ""),
                                          ("cublas_v2.h", None, "cuBLAS"),
                                          ("thrust/sort.h", toolkit, "Thrust")):
                def run(command, *_, lacks=lacks):
                    good = str(toolkit) in command
                    return SimpleNamespace(good=good, out_of_time=False, output="" if good else
                                           f"a.cu:1:10: fatal error: '{lacks}' file not found")
                build = building.Builder(root, SimpleNamespace(run=run), None, (), known).build(
                    "simtcc", root / "main.cu", folder)
                self.assertEqual((build.good, build.feature), (not feature, feature))

    def test_a_flag_that_nvcc_asks_for(self):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            (root / "main.cu").write_text("int main() { }\n", encoding="utf-8")
            for said, flag in (("lambda requires --extended-lambda nvcc flag", "--extended-lambda"),
                               ("kernel launch from __device__ or __global__ functions requires "
                                "separate compilation mode", "-rdc=true"),
                               ("simtcc: error: a.cu:3: device code launches a kernel (dynamic "
                                "parallelism): compile with -rdc=true, as for nvcc", "-rdc=true")):
                asking = unittest.mock.Mock(run=lambda command, *_, flag=flag, said=said:
                                            SimpleNamespace(good=flag in command, output=said,
                                                            out_of_time=False))
                build = building.Builder(root, asking, None).build("nvcc", root / "main.cu", folder)
                self.assertEqual((build.good, build.flags[-1]), (True, flag))

    def test_a_newer_standard_that_a_header_asks_for(self):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            (root / "main.cu").write_text("int main() { }\n", encoding="utf-8")
            for given, said, good in (("11", "requires at least C++17", True),
                                      ("20", "requires at least C++17", False),
                                      ("11", "C++11 is deprecated", False)):
                (root / "Makefile").write_text(f"main: main.cu\n\tnvcc -std=c++{given} main.cu\n",
                                               encoding="utf-8")
                asking = unittest.mock.Mock(run=lambda command, *_, said=said: SimpleNamespace(
                    good="-std=c++17" in command, out_of_time=False,
                    output=f"a.h:3: error: {said}"))
                build = building.Builder(root, asking, None).build("nvcc", root / "main.cu", folder)
                self.assertEqual(build.good, good)

    def test_what_the_assembler_says(self):
        builder, build = building.Builder(Path("/nowhere"), None, None), building.Build()
        build.output = "ptxas /tmp/a.ptx, line 9; error   : Feature 'shfl' needs '.sync'\n" \
            "ptxas fatal   : Ptx assembly aborted due to errors\n"
        builder.explain(build, None, "nvcc")
        self.assertEqual(build.reason, "Feature 'shfl' needs '.sync'")

    def test_openmp_is_asked_for(self):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            (root / "main.cu").write_text("#include <omp.h>\nint main() { }\n", encoding="utf-8")
            linker = Linker()
            linker.lacks = "omp.h"
            build = building.Builder(root, linker, None).build("simtcc", root / "main.cu", folder)
            self.assertTrue(build.good)
            self.assertEqual(build.flags[-2:], ["-Xcompiler", "-fopenmp"])
            linker.lacks = "other.h"
            build = building.Builder(root, linker, None).build("simtcc", root / "main.cu", folder)
            self.assertEqual((build.good, build.feature), (False, "other.h"))

    def test_a_kernel_that_cannot_be_loaded(self):
        said = "simt: cudaErrorInvalidPtx: embedded PTX:9: unsupported instruction 'x'\nabort\n"
        run = SimpleNamespace(status=None, signal=6, output=said, out_of_time=False)
        self.assertEqual(outcomes.of_run(run, None)[:2],
                         ("refused", "embedded PTX:9: unsupported instruction 'x'"))
        run.output = "cudaErrorInvalidPtx in a sentence\nabort\n"
        self.assertEqual(outcomes.of_run(run, None)[0], "wrong")


class Linker:
    """Stands for a compiler that finds a function twice where both files are there, and that finds
    OpenMP's header only when it is asked for."""
    def __init__(self):
        self.calls, self.always, self.lacks = 0, False, ""

    def run(self, command, *_):
        self.calls += 1
        if self.lacks and not (self.lacks == "omp.h" and "-fopenmp" in command):
            return SimpleNamespace(good=False, out_of_time=False,
                                   output=f"a.cu:1:10: fatal error: '{self.lacks}' file not found")
        twice = self.always or "two.cu" in " ".join(command)
        return SimpleNamespace(good=not twice, out_of_time=False,
                               output="ld: multiple definition of `f()'\n" if twice else "")


if __name__ == "__main__":
    unittest.main()
