#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the survey reads of a folder: programs, Makefiles, CMake's files, notes, headers, files that
define a name; each rule with a text that it must catch and one that looks alike."""

import sys
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "common/survey"))

import building  # noqa: E402
import makefiles  # noqa: E402
import recipes  # noqa: E402
import sources  # noqa: E402
import store  # noqa: E402


class Folder(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.TemporaryDirectory()
        self.root = Path(self.place.name).resolve()

    def tearDown(self):
        self.place.cleanup()

    def write(self, name, text=""):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def flags(self, program):
        return sources.flags_of(program, self.root, makefiles.nearest(program, self.root))

    def linked(self, program):
        """(target, files, missing) of what a Makefile says."""
        one = makefiles.linked_of(program, makefiles.nearest(program, self.root))
        return one and (one.target, [str(path.relative_to(self.root)) for path in one.files],
                        one.missing)

    def arguments(self, program):
        return [call.arguments for call in
                recipes.calls(program, makefiles.nearest(program, self.root))]


class Sources(Folder):
    def test_which_files_have_a_main(self):
        for text in ("int main() {}", "int\nmain(int argc, char **argv)\n{\n}", "void main(void){}",
                     "}int main(int n, char *a[]) {"):
            self.assertTrue(sources.has_main(self.write("a.cu", text)), text)
        for text in ("// int main() {}", "int main();", 'char *s = "int main() {";',
                     "int domain() {}", "/* int main() { */", "main_loop() {}"):
            self.assertFalse(sources.has_main(self.write("a.cu", text)), text)

    def test_programs_of_a_folder(self):
        self.write("a/one.cu", "int main() {}")
        self.write("a/part.cu", "void part() {}")
        self.write("a/host.cpp", "int main() {}")
        self.write("b/kernels.cu", "void k() {}")
        self.write("b/main.cpp", "int main() {}")
        self.write("c/only.cpp", "int main() {}")
        found = [str(path.relative_to(self.root)) for path in sources.programs(self.root)]
        self.assertEqual(sorted(found), ["a/one.cu", "b/main.cpp"])

    def test_flags_of_a_makefile(self):
        (self.root / "inc").mkdir()
        program = self.write("src/a.cu")
        self.write("Makefile", "F = -O2 $(G) -arch=sm_35\nG = -DN=4 -Iinc -I/not/there\n"
                               "G += -lm\nsrc/a: src/a.cu\n\tnvcc $(F) \\\n"
                               " -Xcompiler -fopenmp $<\n"
                               "b: b.cu\n\tnvcc -DOTHER b.cu\n\trm -rf /\n")
        self.assertEqual(makefiles.nearest(program, self.root).path, self.root / "Makefile")
        self.assertEqual(sorted(self.flags(program)[:-1]),
                         sorted(["-O2", "-DN=4", "-I", str(self.root / "inc"), "-lm",
                                 "-Xcompiler", "-fopenmp"]))

    def test_a_c_compilers_flags_are_left_out(self):
        program = self.write("a.cu")
        self.write("Makefile", "a: a.cu\n\tgcc -std=c99 -c b.c\n\tnvcc -std=c++14 a.cu\n")
        self.assertEqual(self.flags(program)[:-1], ["-std=c++14"])

    def test_arguments_of_a_makefile(self):
        program, other = self.write("src/a.cu"), self.write("src/b.cu")
        self.write("Makefile", "N = 64\nrun: a\n\t./src/a $(N) -v 'x y' > out.txt\n"
                               "\t./src/aa 7\n\techo ./src/b 9\n")
        self.assertEqual(self.arguments(program), [["64", "-v", "x y"]])
        self.assertEqual(self.arguments(other), [])

    def test_conditions_of_a_makefile(self):
        self.write("Makefile", "F = -DA\nifeq ($(OS), Windows_NT)\nF += -DB\nelse ifeq "
                               "($(shell uname -s),Linux)\nF += -DC\nelse\nF += -DD\nendif\n"
                               "ifdef DEBUG\nF += -DE\nelse\nF += -DG\nifneq \"a\" 'a'\n"
                               "F += -DH\nendif\nendif\na: a.cu\n\tif x; then\n\telse\n"
                               "\tnvcc $(F) a.cu\nifndef F\n\tnvcc -DI a.cu\nendif\n")
        program = self.write("a.cu")
        self.assertEqual(self.flags(program)[:-1], ["-DA", "-DC", "-DG"])

    def test_flags_of_cmakes_files(self):
        program = self.write("src/a.cu")
        self.write("CMakeLists.txt", "set(CMAKE_CXX_STANDARD 20)\n# set(CMAKE_CUDA_STANDARD 23)\n"
                                     "add_definitions(-DA -DB=2 ${C})\nadd_definitions(-DD)\n")
        self.write("src/CMakeLists.txt", 'add_compile_options("$<$<COMPILE_LANGUAGE:CUDA>:'
                                         '--extended-lambda>")\nadd_compile_definitions(E=3)\n')
        self.write("other/CMakeLists.txt", "set(CMAKE_CUDA_STANDARD 23)\n")
        self.assertEqual(self.flags(program)[:-1],
                         ["-std=c++20", "-DD", "--extended-lambda", "-DE=3"])
        self.write("src/CMakeLists.txt", "target_compile_features(a PUBLIC cuda_std_17)\n")
        self.assertEqual(self.flags(program)[:-1], ["-DD"]) # the default
        self.write("src/Makefile", "a: a.cu\n\tnvcc -DF a.cu\n")
        self.assertEqual(self.flags(program)[:-1], ["-DF"])

    def test_arguments_of_scripts_and_notes(self):
        program = self.write("src/a.cu", "int main() {}")
        self.write("src/run", "./a 512 in.txt > out\n./b 3\n./a <n>\n./a $N\n")
        self.write("src/README.md", "Type `./a 64 -v`, or\n\n    $ ./bin/a 5\n")
        self.write("src/other.txt", "./a 7\n")
        self.write("src/b.cu", "int main() {}")
        self.assertEqual(sources.hinted_arguments(program, self.root),
                         [["64", "-v"], ["512", "in.txt"]])
        printed = "Usage: ./a N\ne.g. ./a 9"
        self.assertEqual(sources.hinted_arguments(program, self.root, printed)[2:], [["9"]])
        (self.root / "src/b.cu").unlink() # the only program: its file may have any name
        self.assertIn(["3"], sources.hinted_arguments(program, self.root))

    def test_smaller_arguments_of_a_slow_program(self):
        self.assertEqual(sources.smaller_arguments(["-n", "4096", "in.txt", "100"]),
                         [["-n", "4096", "in.txt", "1"], ["-n", "64", "in.txt", "1"]])
        self.assertEqual(sources.smaller_arguments(["10", "5", "262144"]), # or one more size
                         [["10", "5", "1"], ["10", "5", "4096"]])
        self.assertEqual(sources.smaller_arguments(["65536"]), [["1024"]]) # a size
        self.assertEqual(sources.smaller_arguments(["8", "1"]), [])
        self.assertEqual(sources.smaller_arguments(["in.txt", "0.5"]), [])

    def test_headers_are_found_by_the_end_of_their_path(self):
        near = self.write("x/common/inc/a.h")
        self.write("y/common/inc/a.h")
        program = self.write("x/src/p.cu", "int main() {}")
        self.write("x/other/q.cu", "int main() {}")
        self.write("x/other/a.h") # nearer, but beside another program
        alone = self.write("x/other/alone.h")
        shared = self.write("far/shared.h")
        self.write("one/host_only/shared.h") # beside a main without CUDA files: that program's own
        self.write("one/host_only/main.cpp", "int main() {}")
        headers = sources.Headers(self.root)
        self.assertEqual(headers.folder_of("a.h", program), near.parent)
        self.assertEqual(headers.folder_of("inc/a.h", program), near.parent.parent)
        self.assertEqual(headers.folder_of("../common/inc/a.h", program) / "../common/inc/a.h",
                         self.root / "x/common/../common/inc/a.h")
        self.assertEqual(headers.folder_of("alone.h", program), alone.parent)
        self.assertEqual(headers.folder_of("shared.h", program), shared.parent)
        self.assertIsNone(headers.folder_of("b.h", program))
        self.assertIsNone(headers.folder_of("third/a.h", program))

    def test_the_file_that_defines_a_name(self):
        program = self.write("p.cu", "int main() { f(1); }")
        self.write("g.cu", "int g(int n) { return n; } // f(")
        wanted = self.write("f.cu", "int f(int n) { return n; }")
        self.write("main2.cu", "int f(int n) { return n; } int main() {}")
        self.assertEqual(sources.defining(program, "f(int)"), [wanted])
        self.assertEqual(sources.defining(program, "h(int)"), [])
        self.assertEqual(sources.defining(program, "__device_stub__f(int)"), [wanted]) # a kernel
        for name in ("void __device_stub__f<float, 16ul>(float const*)", "void f<a::b<int> >(int)"):
            self.assertEqual(sources.defining(program, name), [wanted], name)
        self.assertEqual(sources.defining(program, "void h<f(int)>(int)"), [])
        beside = self.write("common/h.cpp", "int h(int n) { return n; }") # a header's folder
        self.assertEqual(sources.defining(program, "h(int)", [beside.parent]), [beside])
        self.write("a.cpp", "int f(int n) { return n; }")
        self.write("b.c", "int f(int n) { return n; }")
        self.assertEqual([path.name for path in sources.defining(program, "f(int)")],
                         ["f.cu", "a.cpp"])
        self.assertEqual([path.name for path in sources.defining(program, "f")],
                         ["f.cu", "a.cpp", "b.c"])

    def test_the_files_that_cmake_links(self):
        program = self.write("p/p.cu", "int main() { f(1); }")
        there = self.write("p/parts/f.cu", "int f(int n) { return n; }")
        self.assertEqual(sources.cmake_linked(program, self.root), ([], []))
        for text, linked in (
                ("add_executable(p p.cu parts/f.cu gone.cpp f.h)", ([there], ["gone.cpp"])),
                ("add_executable(p ${CMAKE_CURRENT_SOURCE_DIR}/p.cu parts/f.cu)", ([there], [])),
                ("set(FILES p.cu parts/f.cu)\nadd_executable(p ${FILES})", ([there], [])),
                ("add_library(f STATIC parts/f.cu)\nadd_executable(p p.cu)\n"
                 "target_link_libraries(p PRIVATE f m)", ([there], [])),
                ("add_library(f parts/f.cu)\nadd_library(g gone.cu)\nadd_executable(p p.cu)\n"
                 "target_link_libraries(p g)\ntarget_link_libraries(g f p)",
                 ([there], ["gone.cu"])),
                ("add_library(f parts/f.cu)\nadd_executable(p p.cu)", ([], [])),
                ("add_library(p p.cu parts/f.cu)", ([], [])),
                ("# add_executable(p p.cu parts/f.cu)", ([], [])),
                ("add_executable(q q.cu parts/f.cu gone.cpp)", ([], []))):
            self.write("p/CMakeLists.txt", text)
            self.assertEqual(sources.cmake_linked(program, self.root), linked, text)
        self.assertEqual(sources.defining(program, "f(int)"), [])
        self.assertEqual(sources.defining(program, "f(int)", (), [there]), [there])
        self.assertEqual(sources.defining(program, "h(int)", (), [there]), [])

    def test_what_cmake_links_comes_together_and_only_where_a_name_is_undefined(self):
        program = self.write("p.cu", "int main() { f(1); }")
        for name in ("f", "g", "h"):
            self.write(f"parts/{name}.cu", f"int {name}(int n) {{ return n; }}")
        self.write("CMakeLists.txt", "add_executable(p p.cu parts/f.cu parts/g.cu)")
        for undefined, linked in (("f(int)", ["f.cu", "g.cu"]), ("h(int)", [])):
            def run(command, *_, undefined=undefined):
                return SimpleNamespace(good="f.cu" in " ".join(command), out_of_time=False,
                                       output=f"undefined reference to `{undefined}'")
            build = building.Builder(self.root, SimpleNamespace(run=run), None).build(
                "simtcc", program, "out")
            self.assertEqual((build.good, build.linked), (bool(linked), linked))

    def test_a_file_that_is_not_there_to_be_linked(self):
        program = self.write("p.cu", "int main() { f(1); }")
        said = SimpleNamespace(good=False, out_of_time=False, output="undefined reference to `f'")
        for text, outcome in (("p.cu gone.cpp", "needs"), ("p.cu", "refused")):
            self.write("CMakeLists.txt", f"add_executable(p {text})")
            builder = building.Builder(self.root, SimpleNamespace(run=lambda *_: said), None)
            self.assertEqual(builder.build("simtcc", program, "out").outcome, outcome)

    def test_how_arguments_are_read(self):
        main = "int main(int argc, char **argv) {{ {} }}"
        for text, reads in (("int n = atoi(argv[1]);", "unasked"), ("f(argv[12]);", "unasked"),
                            ("if (argc > 1) n = atoi(argv[1]);", "asked"),
                            ("if (argv[1]) n = 2;", "asked"), ("n = argv[1] ? 1 : 2;", "asked"),
                            ("while (!argv[1]) n = atoi(argv[2]);", "asked"),
                            ("puts(argv[0]);", ""), ("// argv[1]", ""), ('puts("argv[1]");', "")):
            program = self.write("a.cu", main.format(text))
            self.assertEqual(sources.reads_arguments(program), reads, text)
        for text, reads in (("int main(int n, const char *a[]) { f(a[1]); }", "unasked"),
                            ("int main(void) { f(argv[1]); }", ""),
                            ("int main(int n, char const* const* a) { f(n, a[1]); }", "asked")):
            self.assertEqual(sources.reads_arguments(self.write("a.cu", text)), reads, text)

    def test_files_that_are_opened_by_name(self):
        for text, names in (('f = fopen("data/a.wav", "rb");', ["data/a.wav"]),
                            ('std::ifstream in("a.txt");', ["a.txt"]),
                            ('fopen("a.txt", "w");', []), ('fopen(name, "r");', []),
                            ('  // fopen("a.txt", "r");', []), ('std::ofstream out("a.txt");', [])):
            self.assertEqual(sources.opened(self.write("a.cu", text)), names, text)


class Links(Folder):
    """What a program is linked from, as its Makefile says."""

    def test_objects_in_other_folders(self):
        program = self.write("one/main.cu", "int main() {}")
        for name in ("one/kernel/k.cu", "one/util/t.c", "far/read.cpp"):
            self.write(name)
        self.write("one/Makefile", "FAR = ../far\nobj = main.o ./kernel/k.o\n"
                   "prog: $(obj) util/t.o \\\n read.o\n\tnvcc -DLINK $^ -o $@\n"
                   "main.o: main.cu k.h\n\tnvcc -DMAIN -c $< -o $@\n"
                   "kernel/k.o: ./kernel/k.cu\n\tnvcc -DK -Ikernel ./kernel/k.cu -c -o kernel/k.o\n"
                   "%.o: %.c\n\tnvcc -DC -c $<\nread.o: $(FAR)/read.cpp $(FAR)/read.h\n"
                   "\tnvcc -DREAD -c -o read.o $(FAR)/read.cpp\n"
                   "%.o: %.other\n\tnvcc -DOTHER\nclean:\n\trm -f *.o main.cu gone.o\n")
        self.assertEqual(self.linked(program), ("prog", [
            "one/main.cu", "one/kernel/k.cu", "one/util/t.c", "far/read.cpp"], []))
        self.assertEqual(self.flags(program)[:-1], ["-DLINK", "-DMAIN", "-DK", "-I", str(
            self.root / "one/kernel"), "-DC", "-DREAD"])

    def test_lists_made_of_functions(self):
        program = self.write("src/main.cpp", "int main() {}")
        for name in ("src/a.cu", "src/b.cu", "src/skipped.cu", "x.c"):
            self.write(name)
        self.write("Makefile", "S := $(wildcard src/*.cu)\nS := $(filter-out src/skip%,$(S))\n"
                   "O = $(S:%.cu=build/%.o) $(patsubst src/%.cpp,obj/%.o,src/main.cpp)\n"
                   "p: $(O) $(addsuffix .o,x) | build\n\tg++ -o p $(O) x.o\n"
                   "build/%.o: %.cu\n\tnvcc -dc -o $@ $<\nobj/%.o: src/%.cpp\n\tg++ -c $<\n")
        self.assertEqual(self.linked(program), ("p", [
            "src/a.cu", "src/b.cu", "src/main.cpp", "x.c"], []))
        self.assertEqual(self.flags(program)[:-1], ["-rdc=true"])

    def test_what_is_included_is_not_linked(self):
        program = self.write("main.cu", "int main() {}")
        self.write("scan.cu")
        self.write("scan_kernels.cu")
        self.write("Makefile", "source = main.cu scan.cu\nobj = $(source:.cu=.o)\n"
                   "p: $(obj)\n\tnvcc $(obj) -o $@\n%.o: %.cu scan_kernels.cu\n\tnvcc -c $<\n"
                   "main.o: scan_kernels.cu\n")
        self.assertEqual(self.linked(program), ("p", ["main.cu", "scan.cu"], []))
        self.write("Makefile", "p: main.cu scan_kernels.cu\n\tnvcc main.cu -o p\n")
        self.assertEqual(self.linked(program), ("p", ["main.cu"], []))

    def test_objects_with_a_pattern_of_their_own(self):
        program = self.write("main.cu", "int main() {}")
        self.write("part.cu")
        self.write("Makefile", "p: o/main.o o/part.o\n\tnvcc -o p $^\n"
                   "o/main.o o/part.o: o/%.o: %.cu part.h\n\tnvcc -D$* -c $< -o $@\n")
        self.assertEqual(self.linked(program), ("p", ["main.cu", "part.cu"], []))
        self.assertEqual(self.flags(program)[:-1], ["-Dmain", "-Dpart"])

    def test_of_several_targets_the_one_with_its_name(self):
        program = self.write("a.cu", "int main() {}")
        self.write("b.cu")
        self.write("Makefile", "all: fast a\nfast: a.cu b.cu\n\tnvcc -DFAST $^\n"
                               "a: a.cu\n\tnvcc -DSLOW $^\nc: b.cu\n\tnvcc -DC b.cu\n")
        self.assertEqual(self.linked(program), ("a", ["a.cu"], []))
        self.assertEqual(self.flags(program)[:-1], ["-DSLOW"])
        self.assertIsNone(self.linked(self.write("d.cu", "int main() {}")))

    def test_files_that_are_not_there(self):
        program = self.write("a.cu", "int main() {}")
        self.write("Makefile", "a: a.o b.o lib/libx.a\n\tnvcc $^ -o $@\n%.o: %.cu\n\tnvcc -c $<\n"
                               "b.o: ../b.cpp\n\tnvcc -c $<\n")
        self.assertEqual(self.linked(program), ("a", ["a.cu"], ["../b.cpp", "lib/libx.a"]))

    def test_a_main_that_is_included(self):
        self.write("main.cu", '#include "driver.c"\n')
        self.write("driver.c", "int main() {}")
        self.assertEqual([path.name for path in sources.programs(self.root)], ["main.cu"])
        self.write("main.cu", '// "driver.c"\n')
        self.assertEqual([path.name for path in sources.programs(self.root)], ["driver.c"])


class Builds(Folder):
    """What is given to a compiler that knows what the files define."""

    def build(self, program, run):
        box = SimpleNamespace(run=lambda command, *_: SimpleNamespace(
            output=(said := run(command)), good=not said, out_of_time=False))
        return building.Builder(self.root, box, None).build("simtcc", program, self.root)

    def test_the_files_of_the_makefile_are_linked_at_once(self):
        program = self.write("a/main.cu", "int main() { f(); }")
        self.write("b/f.cpp", "void f() {}")
        self.write("a/Makefile", "p: main.cu ../b/f.cpp\n\tnvcc $^ -o p\n")
        build = self.build(program, lambda command: "" if str(self.root / "b/f.cpp") in command
                           else "undefined reference to `f()'\n")
        self.assertEqual((build.good, build.linked), (True, ["f.cpp"]))

    def test_files_of_the_makefile_that_do_not_go_together(self):
        program = self.write("main.cu", "int main() {}")
        self.write("f.cu")
        self.write("Makefile", "p: main.cu f.cu\n\tnvcc $^ -o p\n")
        build = self.build(program, lambda command: "" if str(self.root / "f.cu") not in command
                           else "ld: multiple definition of `f()'\n")
        self.assertEqual((build.good, build.linked), (True, []))

    def test_a_file_that_is_missing_is_needed(self):
        program = self.write("main.cu", "int main() { f(); }")
        self.write("Makefile", "p: main.cu part/f.cpp\n\tnvcc $^ -o p\n")
        build = self.build(program, lambda command: "undefined reference to `f()'\n")
        self.assertEqual((build.outcome, build.feature), ("needs", "part/f.cpp"))
        build = self.build(program, lambda command: "undefined reference to `dgeev_'\n")
        self.assertEqual((build.outcome, build.feature), ("needs", "LAPACK"))
        self.write("part/f.cpp")
        build = self.build(program, lambda command: "undefined reference to `f()'\n")
        self.assertEqual((build.outcome, build.feature), ("refused", "f()"))

    def test_what_a_compiler_says_last_is_the_reason(self):
        build = self.build(self.write("main.cu", "int main() {}"), lambda command: "\nbad day\n")
        self.assertEqual(build.reason, "simtcc failed: bad day")

    def test_a_result_is_kept_until_a_linked_file_changes(self):
        program = self.write("a/main.cu", "int main() {}")
        part = self.write("b/f.cpp", "one")
        self.write("a/Makefile", "p: main.cu ../b/f.cpp\n\tnvcc $^ -o p\n")
        before = store.key_of(program, "", self.root)
        self.assertEqual(store.key_of(program, "", self.root), before)
        part.write_text("other", encoding="utf-8")
        self.assertNotEqual(store.key_of(program, "", self.root), before)


class Architectures(Folder):
    def test_what_the_makefile_names_if_it_is_there(self):
        program = self.write("a.cu", "int main() {}")
        self.assertEqual(self.flags(program)[-1], "-arch=compute_90")
        for flags, wanted in (("-arch=sm_60", "90"), ("-arch=$(ARCH)", "80"), ("", "90"),
                              ("-gencode arch=compute_35,code=sm_35", "90"),
                              ("-gencode arch=compute_75,code=sm_75 "
                               "-gencode=arch=compute_86,code=sm_86", "86"),
                              ("-arch=sm_90a", "90a"), ("-arch=sm_120", "90"),
                              ("-arch=native", "90")):
            self.write("Makefile", f"ARCH = sm_80\na: a.cu\n\tnvcc {flags} a.cu\n")
            self.assertEqual(self.flags(program)[-1], f"-arch=compute_{wanted}", flags)

    def test_what_cmakes_files_name(self):
        program = self.write("a.cu", "int main() {}")
        for value, wanted in (("75 86", "86"), ("60", "90"), ("90a-real", "90a"), ("${A}", "90")):
            self.write("CMakeLists.txt", f"set(CMAKE_CUDA_ARCHITECTURES {value})\n")
            self.assertEqual(self.flags(program)[-1], f"-arch=compute_{wanted}", value)


class Calls(Folder):
    def calls(self, text, program="a.cu"):
        path = self.write(program, "int main() {}")
        self.write("Makefile", text)
        return [(call.arguments, str(call.folder.relative_to(self.root)), call.environment)
                for call in recipes.calls(path, makefiles.nearest(path, self.root))]

    def test_a_program_is_run_under_its_targets_name(self):
        rule = "program = main\n$(program): a.o\n\tnvcc a.o -o $@\n"
        self.assertEqual(self.calls(rule + "run: main\n\t$(LAUNCHER) ./$(program) 8\n"
                                    "    # once more\n\t./$(program) 9 | tee x\n\t./other 7\n"),
                         [(["8"], ".", {}), (["9"], ".", {})])

    def test_folder_and_environment(self):
        self.assertEqual(self.calls("run:\n\tcd data && OMP_NUM_THREADS=2 PATH=x time ../a 5; ls\n"
                                    "\tulimit -s unlimited; ./a in.txt < y\n"),
                         [(["5"], "data", {"OMP_NUM_THREADS": "2"}), (["in.txt"], ".", {})])

    def test_arguments_of_the_program_beside(self):
        beside = self.write("b.cu", "int main() {}")
        self.calls("p: a.cu\n\tnvcc a.cu -o p\nrun:\n\t./p 27 100\n")
        makefile = makefiles.nearest(beside, self.root)
        self.assertEqual(recipes.calls(beside, makefile), [])
        self.assertEqual([call.arguments for call in recipes.calls_beside(beside, makefile)],
                         [["27", "100"]])
        self.assertEqual(recipes.calls_beside(self.root / "a.cu", makefile), [])

    def test_variables(self):
        self.assertEqual(self.calls("N := 4\nN := $(N)2\nM ?= 7\nM ?= 8\nK = 1\nK = 2\n"
                                    "ifeq ($(N),42)\n\tK = 3\nendif\n"
                                    "run:\n\tK=9 ./a $(N) $(M) $(K)\n"),
                         [(["42", "7", "3"], ".", {"K": "9"})])


if __name__ == "__main__":
    unittest.main()
