#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a class may be handed in as: archives, the downloads of learning platforms, clones; and
archives that are made to do harm, each with an honest one beside it.

    test_grade_intake.py PATH/TO/grade [--rungs]

--rungs: on every rung of the sandbox that this machine has, with a table of rung x case.
"""

import csv
import ctypes
import ctypes.util
import io
import os
import shutil
import sys
import tarfile
import unittest
import warnings
import zipfile

import workplace

GOOD = {"01_one.cu": b"SOLUTION", "02_two.cu": b"SOLUTION"}


def zip_of(files, method=zipfile.ZIP_DEFLATED):
    """The bytes of a zip archive; files: name -> bytes."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return out.getvalue()


def tar_of(files, mode="w:gz", odd=()):
    """The bytes of a tar archive; odd: TarInfo that are added as they are."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as archive:
        for info in odd:
            archive.addfile(info)
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


def write_7z(path, files):
    """By libarchive itself: Python has no writer of this format."""
    lib = ctypes.CDLL(ctypes.util.find_library("archive"))
    for name in ("archive_write_new", "archive_entry_new"):
        getattr(lib, name).restype = ctypes.c_void_p
    archive = ctypes.c_void_p(lib.archive_write_new())
    assert lib.archive_write_set_format_7zip(archive) == 0
    assert lib.archive_write_open_filename(archive, os.fsencode(path)) == 0
    for name, data in files.items():
        entry = ctypes.c_void_p(lib.archive_entry_new())
        lib.archive_entry_set_pathname(entry, name.encode())
        lib.archive_entry_set_size(entry, ctypes.c_int64(len(data)))
        lib.archive_entry_set_filetype(entry, 0o100000)
        lib.archive_entry_set_perm(entry, 0o644)
        assert lib.archive_write_header(archive, entry) == 0
        lib.archive_write_data(archive, data, ctypes.c_size_t(len(data)))
        lib.archive_entry_free(entry)
    assert lib.archive_write_close(archive) == 0
    lib.archive_write_free(archive)


class Intake(workplace.Workplace):
    def put(self, path, data):
        place = self.root / "class" / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
        return place

    def remarks(self):
        with open(self.root / "out/intake.csv", newline="", encoding="utf-8") as file:
            return [(row["student"], row["path"], row["what"]) for row in csv.DictReader(file)]

    def said_of(self, student):
        return [f"{path}: {what}" for name, path, what in self.remarks() if name == student]

    def points(self, *arguments):
        done, rows = self.grade_class(*arguments)
        return {name: row["points"] for name, row in rows.items()}, rows, done


class Archives(Intake):
    def test_one_archive_per_student(self):
        self.put("ada.zip", zip_of(GOOD))
        self.put("bob.tar.gz", tar_of({f"./hw/{name}": text for name, text in GOOD.items()}))
        self.put("eve.TGZ", tar_of(GOOD))
        self.put("max.tar.xz", tar_of(GOOD, "w:xz"))
        write_7z(self.root / "class/sam.7z", GOOD)
        self.put("tim/01_one.cu", b"HALF")
        points, rows, done = self.points()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(points, {"ada": "10", "bob": "10", "eve": "10", "max": "10", "sam": "10",
                                  "tim": "2"})
        self.assertIn("01: taken from ada.zip/01_one.cu", rows["ada"]["note"])

    def test_names_in_other_scripts(self):
        names = ("\u00dcbung 1/", "e\u0301tude/", "\u7ec3\u4e60/", "\u202e/")
        for i, name in enumerate(names):
            files = {name + path: text for path, text in GOOD.items()}
            self.put(f"z{i}.zip", zip_of(files))
            self.put(f"t{i}.tar", tar_of(files, "w"))
            write_7z(self.root / f"class/s{i}.7z", {f"{i}/{path}": text
                                                    for path, text in GOOD.items()})
        latin = tarfile.TarInfo("x")
        out = io.BytesIO()
        with tarfile.open(fileobj=out, mode="w", format=tarfile.GNU_FORMAT,
                          encoding="latin-1") as archive:
            latin.name, latin.size = "\u00dcbung/01_one.cu", 8
            archive.addfile(latin, io.BytesIO(b"SOLUTION"))
        self.put("latin.tar", out.getvalue())
        points, rows, done = self.points()
        self.assertEqual((points.pop("latin"), done.returncode), ("5", 0), done.stderr)
        self.assertEqual(set(points.values()), {"10"})
        self.assertIn("taken from z0.zip/\u00dcbung 1/01_one.cu", rows["z0"]["note"])

    def test_control_characters_in_names(self):
        self.put("eve.zip", zip_of({"02_two\x1b[2J.cu": b"SOLUTION", "01_one.cu": b"SOLUTION"}))
        _, rows, _ = self.points()
        self.assertEqual((rows["eve"]["01_one"], rows["eve"]["02_two"]), ("5", "0"))
        self.assertIn("\\x1b[2J.cu: not taken", rows["eve"]["note"])

    def test_an_archive_in_a_students_folder(self):
        self.put("ada/homework (1).zip", zip_of({"x/02_two (2).cu": b"SOLUTION"}))
        self.put("ada/01_one.cu", b"SOLUTION")
        self.put("bob/all.zip", zip_of({"a/01_one.cu": b"SOLUTION", "b/01_one.cu": b"HALF"}))
        points, rows, _ = self.points()
        self.assertEqual(points, {"ada": "10", "bob": ""})
        self.assertIn("several files could be meant", rows["bob"]["note"])

    def test_a_folder_and_an_archive_of_one_student(self):
        self.put("ada.zip", zip_of(GOOD))
        self.put("ada/01_one.cu", b"HALF")
        points, rows, done = self.points()
        self.assertEqual((points["ada"], rows["ada"]["02_two"], done.returncode), ("7", "5", 0))

    def test_what_is_not_taken_is_listed(self):
        self.put("ada.zip", zip_of({**GOOD, "notes.pdf": b"x", "03_three.cu": b"x"}))
        self.put("bob/01_one.cu", b"SOLUTION")
        self.put("bob/a/b/c/d/02_two.cu", b"SOLUTION")
        self.put("bob/helper.cu", b"x")
        self.put("01_one.cu", b"SOLUTION")
        _, rows, _ = self.points()
        self.assertEqual(self.said_of("ada"), [
            "ada.zip/notes.pdf: not taken: no CUDA file",
            "ada.zip/03_three.cu: not taken: no exercise has this name"])
        self.assertEqual(self.said_of("bob"), [
            "a/b/c/d: not looked into: it lies too deep",
            "helper.cu: not taken: no exercise has this name"])
        self.assertEqual(self.said_of(""), [
            "01_one.cu: not taken: neither a student's folder nor an archive"])
        self.assertIn("a/b/c/d: not looked into", rows["bob"]["note"])

    def test_how_deep_a_file_may_lie_in_an_archive(self):
        self.put("ada.zip", zip_of({"a/b/01_one.cu": b"SOLUTION", "a/b/c/02_two.cu": b"SOLUTION"}))
        points, rows, _ = self.points()
        self.assertEqual((points, self.said_of("ada")), (
            {"ada": "5"}, ["ada.zip/a/b/c/02_two.cu: not taken: it lies too deep"]))
        self.assertIn("it lies too deep", rows["ada"]["note"])

    def test_a_plain_class_is_not_copied(self):
        self.submit("ada", b"SOLUTION", b"HALF")
        before = sorted(os.listdir(self.root / "class/ada"))
        points, _, _ = self.points()
        self.assertEqual((points, self.remarks()), ({"ada": "7"}, []))
        self.assertEqual(sorted(os.listdir(self.root / "class/ada")), before)

    def test_a_verdict_does_not_depend_on_the_way_it_came(self):
        self.submit("ada", b"SOLUTION", b"HALF")
        self.points()
        shutil.rmtree(self.root / "class/ada")
        self.put("ada.zip", zip_of({"01_one.cu": b"SOLUTION", "02_two.cu": b"HALF"}))
        done = self.points()[2]
        self.assertIn(b"0 exercises judged, 2 had a verdict already", done.stdout)


class Hostile(Intake):
    def judged(self, name, data):
        """One student's archive beside an honest one; (row, what is said, status)."""
        self.put(name, data)
        self.put("honest.zip", zip_of(GOOD))
        points, rows, done = self.points()
        student = name.split(".")[0]
        self.assertEqual(points["honest"], "10")
        self.assertFalse((self.root / "evil.cu").exists() or (self.root / "class/evil.cu").exists())
        return rows[student], "\n".join(self.said_of(student)), done.returncode

    def test_names_that_lead_out(self):
        for name, why in [("../../evil.cu", "leads out"), ("a/../../../evil.cu", "leads out"),
                          (str(self.root / "evil.cu"), "absolute"), ("C:\\evil.cu", "absolute"),
                          ("..\\evil.cu", "leads out"), ("x" * 700 + ".cu", "too long")]:
            with self.subTest(name):
                row, said, _ = self.judged("eve.zip", zip_of({name: b"x", **GOOD}))
                self.assertIn(why, said)
                self.assertEqual(row["points"], "10")

    def test_links_and_devices(self):
        secret = self.root / "secret"
        secret.write_bytes(b"SOLUTION")
        for kind, why in [(tarfile.SYMTYPE, "a link"), (tarfile.LNKTYPE, "a link"),
                          (tarfile.FIFOTYPE, "no regular file"), (tarfile.CHRTYPE, "no regular")]:
            with self.subTest(kind):
                odd = tarfile.TarInfo("01_one.cu")
                odd.type, odd.linkname = kind, str(secret)
                row, said, _ = self.judged("eve.tar", tar_of({"02_two.cu": b"SOLUTION"}, "w",
                                                             [odd]))
                self.assertIn("01_one.cu: not taken: " + why, said)
                self.assertEqual((row["01_one"], row["02_two"]), ("0", "5"))

    def test_a_file_below_a_link_of_the_archive(self):
        link = tarfile.TarInfo("d")
        link.type, link.linkname = tarfile.SYMTYPE, str(self.root)
        row, said, _ = self.judged("eve.tar", tar_of({"d/evil.cu": b"x", **GOOD}, "w", [link]))
        self.assertIn("d: not taken: a link", said)
        self.assertEqual(row["points"], "10")

    def refused(self, data, why, name="eve.zip"):
        row, said, status = self.judged(name, data)
        self.assertIn(why, said)
        self.assertEqual((row["status"], row["points"], status), ("grader_error", "", 3))
        self.assertIn(why, row["note"])
        shutil.rmtree(self.root / "class")
        (self.root / "class").mkdir()

    def test_bombs(self):
        zeros = bytes(1 << 20)
        self.refused(zip_of({**GOOD, **{f"{i}.cu": zeros for i in range(64)}}), "fill a disk")
        self.refused(tar_of({**GOOD, **{f"{i}.bin": zeros for i in range(64)}}), "fill a disk",
                     "eve.tar.gz")
        self.refused(tar_of({f"{i}": b"" for i in range(50001)}, "w"), "too many", "eve.tar")
        honest = {f"{i}.bin": os.urandom(1 << 20) for i in range(20)}
        row, _, _ = self.judged("eve.zip", zip_of({**GOOD, **honest}, zipfile.ZIP_STORED))
        self.assertEqual(row["points"], "10")

    def test_archives_in_archives_are_not_looked_into(self):
        row, _, status = self.judged("eve.zip", zip_of({"inner.zip": zip_of(GOOD)}))
        self.assertEqual((row["status"], status), ("grader_error", 3))
        self.assertIn("eve.zip/inner.zip has not been unpacked", row["note"])

    def test_what_cannot_be_read(self):
        whole = bytearray(zip_of(GOOD))
        self.refused(bytes(whole[:60]), "not unpacked")
        self.refused(b"MZ this is no archive", "is no zip")
        self.refused(b"", "is no zip")
        for mark, offset in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
            at = whole.find(mark)
            while at >= 0:
                whole[at + offset] |= 1
                at = whole.find(mark, at + 1)
        self.refused(bytes(whole), "needs a password")
        broken = bytearray(zip_of({**GOOD, "01_one.cu": os.urandom(4000)}))
        broken[200:260] = bytes(60)
        self.refused(bytes(broken), "damaged")

    def test_two_entries_of_one_name(self):
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as archive, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for name, data in (("01_one.cu", b"the stub"), ("01_one.cu", b"SOLUTION"),
                               ("02_two.cu", b"SOLUTION")):
                archive.writestr(name, data)
        row, _, status = self.judged("eve.zip", out.getvalue())
        self.assertEqual((row["status"], row["01_one"], status), ("grader_error", "", 3))
        self.assertIn("several files could be meant", row["note"])

    def test_a_size_that_is_a_lie(self):
        for mark, offset, size in ((b"PK\1\2", 24, 0), (b"PK\1\2", 24, 0xfffffffe),
                                   (b"PK\3\4", 22, 0x7fffffff)):
            with self.subTest((mark, size)):
                data = bytearray(zip_of(GOOD))
                at = data.find(mark)
                data[at + offset:at + offset + 4] = size.to_bytes(4, "little")
                self.judged("eve.zip", bytes(data))

    def test_an_archive_without_a_file_to_take_has_a_row(self):
        notes = tarfile.TarInfo("notes.txt")
        long = tarfile.TarInfo("d/" + "x" * 60000)
        for info in (notes, long):
            with self.subTest(info.name[:9]):
                out = io.BytesIO()
                with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as archive:
                    archive.addfile(info)
                row, _, _ = self.judged("eve.tar", out.getvalue())
                self.assertEqual((row["status"], row["points"]), ("judged", "0"))
                self.assertIn("there is no 01_one.cu", row["note"])

    def test_headers_that_lie(self):
        odd = tarfile.TarInfo("01_one.cu")
        odd.pax_headers = {"size": "9" * 18, "comment": "y" * 500000}
        out = io.BytesIO()
        with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as archive:
            archive.addfile(odd)
        row, _, status = self.judged("eve.tar", out.getvalue())
        self.assertEqual((row["status"], status), ("grader_error", 3))

    def test_a_large_file_of_an_archive(self):
        row, said, _ = self.judged("eve.zip", zip_of({**GOOD, "01_one.cu": os.urandom(2 << 20)}))
        self.assertIn("larger than 1 MiB", said)
        self.assertEqual((row["01_one"], row["02_two"]), ("0", "5"))

    def test_nothing_is_left_in_the_temporary_folder(self):
        self.put("ada.zip", zip_of(GOOD))
        self.put("eve.zip", b"no archive")
        temporary = self.root / "tmp"
        temporary.mkdir()
        self.grade("--submissions", self.root / "class",
                   env={**os.environ, "TMPDIR": str(temporary)})
        self.assertTrue(self.wait_for(lambda: not list(temporary.iterdir())))


class Platforms(Intake):
    """The names that the platforms' own pages describe."""

    MOODLE = {"Ada Byron_1234_assignsubmission_file_/01_one.cu": b"SOLUTION",
              "Ada Byron_1234_assignsubmission_onlinetext_/onlinetext.html": b"<p>done</p>",
              "Bob O'Neil_77_assignsubmission_file_/hw.zip": zip_of(GOOD),
              "Eve_5_assignsubmission_file_01_one.cu": b"HALF",
              "Eve_5_assignsubmission_file_02_two.cu": b"SOLUTION"}
    CANVAS = {"byronada_5678_91011_01_one.cu": b"SOLUTION",
              "byronada_5678_91012_02_two-2.cu": b"SOLUTION",
              "oneilbob_LATE_42_91013_hw-1.zip": zip_of(GOOD)}
    GRADESCOPE = {
        "submission_metadata.yml":
            b"---\nsubmission_11:\n  :submitters:\n  - :name: Ada Byron\n    :sid: '100'\n"
            b"    :email: ada@example.org\n"
            b"  - :name: Bob\n    :sid: \n    :email: bob@example.org\n"
            b"  :created_at: 2026-01-02 03:04:05.000000000 Z\n  :score: 1.0\n  :results:\n"
            b"    tests:\n    - :name: not a person\nsubmission_12:\n  :submitters:\n"
            b"  - :name: Eve\n    :sid: '300'\n    :email: eve@example.org\n",
        "submission_11/01_one.cu": b"SOLUTION", "submission_11/02_two.cu": b"SOLUTION",
        "submission_12/src/01_one.cu": b"HALF"}

    def check(self, files, expected):
        """As a folder, as an archive, and as an archive of a folder."""
        for path, data in files.items():
            self.put(path, data)
        self.assertEqual(self.points()[0], expected)
        for name, prefix in (("download.zip", ""), ("export.zip", "assignment_9_export/")):
            with self.subTest(name):
                place = self.root / name
                place.write_bytes(zip_of({prefix + path: data for path, data in files.items()}))
                points, _, done = self.points("--submissions", place)
                self.assertEqual(points, expected, done.stderr)

    def test_moodle(self):
        self.check(self.MOODLE, {"Ada Byron_1234": "5", "Bob O'Neil_77": "10", "Eve_5": "7"})
        self.assertIn("onlinetext.html: not taken: no CUDA file", "\n".join(
            f"{path}: {what}" for _, path, what in self.remarks()))

    def test_canvas(self):
        self.check(self.CANVAS, {"byronada_5678": "10", "oneilbob_42": "10"})
        self.assertIn("hw-1.zip: taken; the learning platform marks it as late",
                      self.said_of("oneilbob_42"))
        self.assertEqual(self.said_of("byronada_5678"), [])

    def test_gradescope(self):
        self.check(self.GRADESCOPE, {"100": "10", "bob@example.org": "10", "300": "2"})

    def test_a_download_that_is_no_archive(self):
        place = self.root / "download.zip"
        place.write_bytes(b"no archive")
        done = self.grade("--submissions", place)
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"is no zip", done.stderr)

    def test_clones_of_the_workbook(self):
        for path in ("exercises", "solutions", "tests/mutants"):
            self.put(f"ada/{path}/01_one.cu", b"HALF" if path == "exercises" else b"SOLUTION")
        self.put("ada/.git/01_one.cu", b"SOLUTION")
        for path in ("mine", "solutions"):
            self.put(f"bob/{path}/01_one.cu", b"SOLUTION")
        _, rows, _ = self.points()
        self.assertEqual((rows["ada"]["01_one"], rows["bob"]["01_one"]), ("2", ""))
        self.assertIn("taken from exercises/01_one.cu", rows["ada"]["note"])
        self.assertIn("several files could be meant", rows["bob"]["note"])


class Rung(workplace.Workplace):
    """Whether a rung works here."""

    missing = ""  # why it does not

    def runTest(self):
        self.submit("ada", b"SOLUTION", b"SOLUTION")
        done = self.grade("--submissions", self.root / "class")
        Rung.missing = done.stderr.decode().strip() if done.returncode == 2 else ""


class Names(unittest.TestResult):
    """Which tests went wrong."""

    def wrong(self):
        return {test.id(): text for test, text in self.failures + self.errors}


def cases_of(suite):
    for one in suite:
        if isinstance(one, unittest.TestSuite):
            yield from cases_of(one)
        elif not isinstance(one, Rung):
            yield one


def on_every_rung(program):
    """Prints the table; returns the exit status."""
    workplace.Workplace.grader = os.path.abspath(program)
    rungs, table, complaints = ("bubblewrap", "landlock", "limits"), {}, []
    for rung in rungs:
        workplace.Workplace.rung = rung
        Rung().run(unittest.TestResult())
        if Rung.missing:
            print(f"{rung}: not on this machine: {Rung.missing}")
        for case in cases_of(unittest.defaultTestLoader.loadTestsFromModule(
                sys.modules[__name__])):
            name, result = case.id().split(".test_")[-1], Names()
            if not Rung.missing:
                case.run(result)
                complaints += [f"{rung}: {name}: {text}" for text in result.wrong().values()]
            table.setdefault(name, []).append(
                "-" if Rung.missing else "WRONG" if result.wrong() else "ok")
    print(f"{'case':56}" + "".join(f"{rung:>12}" for rung in rungs))
    for name, row in table.items():
        print(f"{name:56}" + "".join(f"{one:>12}" for one in row))
    print("\n".join(complaints) or "Every class was taken as it was meant.")
    return 1 if complaints else 0


if __name__ == "__main__":
    if "--rungs" in sys.argv:
        sys.exit(on_every_rung(sys.argv[1]))
    workplace.main()
