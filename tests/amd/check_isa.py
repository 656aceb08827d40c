#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What AMD's compiler makes of lesson 14, looked at in the instructions themselves: no AMD GPU is
at hand, so that this is all there is to be known of one.

    check_isa.py             compiles for gfx90a (64 lanes) and gfx1030 (32): what the chapter
                             claims holds, and by the stored compiler the counts are as stored
    check_isa.py --store     writes the counts, figures/data/amd-isa.csv
    check_isa.py --twins     the claims must be found wrong where the source is made wrong, and hold
                             where it is changed without harm

The compiler is clang, which hipcc starts as well; AMD's packages give it headers and libraries of
device code. Environment: HIP_CLANG, the clang to use; HIP_DEVICE_LIB_PATH, the folder of ockl.bc.
Exit: 0 all holds, 1 not, 77 something is not installed.
"""

import csv
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LESSON = ROOT / "lessons/14_portable"
STORED = ROOT / "figures/data/amd-isa.csv"
GPUS = {"gfx90a": 64, "gfx1030": 32}  # lanes of a wavefront
OLDEST_CLANG = 15
HEADERS = ("/usr/include/hip/hip_runtime.h", "/opt/rocm/include/hip/hip_runtime.h")
LIBRARIES = ("usr/lib/*/amdgcn/bitcode", "usr/lib*/amdgcn/bitcode", "usr/share/amdgcn/bitcode",
             "usr/lib/llvm-*/lib/clang/*/amdgcn/bitcode", "usr/lib/clang/*/amdgcn/bitcode",
             "usr/lib64/rocm/llvm/lib/clang/*/amdgcn/bitcode", "opt/rocm/amdgcn/bitcode")
COUNTED = {"block_barriers": r"^\s+s_barrier\b", "wave_barriers": r"^\s+; wave barrier$",
           "shuffles": r"^\s+ds_bpermute_b32\b", "dpp": r"^\s+v_\w+.*\b(?:row_|quad_perm|dpp)",
           "traps": r"^\s+s_trap\b", "counts_of_64_bits": r"^\s+s_bcnt1_i32_b64\b",
           "counts_of_32_bits": r"^\s+(?:s_bcnt1_i32_b32|v_bcnt_u32_b32)\b"}
COLUMNS = ("kernel", "lanes", "gpu", "wavefront", *COUNTED)
KERNEL = re.compile(r"^_Z\d+([a-z]\w*?)(?:ILj(\d+)EE\w+|PK\w+):.*?^\s+\.amdhsa_kernel",
                    re.MULTILINE | re.DOTALL)


class NotInstalled(Exception):
    """What the check needs and the machine does not have."""


def find_clang():
    """(command, "clang 19.1.7") of the clang to use: simtcc's favourite first."""
    names = [os.environ.get("HIP_CLANG")] + [f"clang-{n}" for n in (19, 22, 21, 20, 18, 17, 16, 15)]
    for name in [*filter(None, names), "clang"]:
        if shutil.which(name):
            said = subprocess.run([name, "--version"], capture_output=True, text=True, check=False)
            found = re.search(r"clang version (\d+)([.\d]*)", said.stdout)
            if found and int(found[1]) >= OLDEST_CLANG:
                return name, f"clang {found[1]}{found[2]}"
    raise NotInstalled(f"a clang of version {OLDEST_CLANG} or newer (Debian: clang-19)")


def find_packages():
    """(prefix of HIP's headers, folder of the device libraries)"""
    header = next((Path(path) for path in HEADERS if Path(path).exists()), None)
    if not header:
        raise NotInstalled("HIP's headers (Debian: libamdhip64-dev)")
    folders = [os.environ["HIP_DEVICE_LIB_PATH"]] if "HIP_DEVICE_LIB_PATH" in os.environ else [
        str(path) for pattern in LIBRARIES for path in sorted(Path("/").glob(pattern))]
    for folder in folders:
        if (Path(folder) / "ockl.bc").exists():
            return header.parents[2], folder
    raise NotInstalled("AMD's libraries of device code (Debian: rocm-device-libs)")


class Compiler:
    def __init__(self):
        self.clang, self.version = find_clang()
        self.prefix, self.libraries = find_packages()

    def assembly(self, source, gpu):
        done = subprocess.run(
            [self.clang, "-x", "hip", f"--offload-arch={gpu}", "--cuda-device-only", "-S", "-O3",
             f"--rocm-path={self.prefix}", f"--rocm-device-lib-path={self.libraries}", "-o", "-",
             str(source)], capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"{source.name} does not compile for {gpu}:\n{done.stderr}")
        return done.stdout

    def check_host(self, source):
        """HIP's host side: it compiles; nothing is linked."""
        done = subprocess.run(
            [self.clang, "-x", "hip", "--offload-arch=gfx90a", "--cuda-host-only", "-fsyntax-only",
             f"--rocm-path={self.prefix}", str(source)], capture_output=True, text=True,
            check=False)
        if done.returncode:
            raise RuntimeError(f"{source.name}: its host side does not compile:\n{done.stderr}")


def rows_of(text, gpu):
    """One row for each kernel: what is counted between its label and its descriptor."""
    wavefront = re.findall(r"\.wavefront_size: (\d+)", text)
    for number, match in enumerate(KERNEL.finditer(text)):
        body = match[0]
        counts = {name: len(re.findall(pattern, body, re.MULTILINE))
                  for name, pattern in COUNTED.items()}
        yield {"kernel": match[1], "lanes": match[2] or "-", "gpu": gpu,
               "wavefront": wavefront[number] if number < len(wavefront) else "?", **counts}


def all_rows(compiler):
    compiler.check_host(LESSON / "portable.hip")
    rows = []
    for source in (LESSON / "portable.hip", ROOT / "tests/amd/few.hip"):
        for gpu in GPUS:
            rows += rows_of(compiler.assembly(source, gpu), gpu)
    return rows


def steps(lanes):
    """Halvings of a wave down to one lane."""
    return lanes.bit_length() - 1


def wanted_of(kernel, lanes, hardware):
    """{quantity: count} that the chapter claims; a string: an inequality."""
    if kernel == "block_of_64":  # one wave needs no barrier, and the compiler knows
        return {"block_barriers": 0 if hardware == 64 else "> 0"}
    if kernel == "count_positive":
        return ({"counts_of_64_bits": "> 0", "counts_of_32_bits": 0} if hardware == 64
                else {"counts_of_64_bits": 0, "counts_of_32_bits": "> 0"})
    if kernel == "tree":
        return {"block_barriers": "> 0", "wave_barriers": 0, "shuffles": 0, "traps": 0}
    if lanes > hardware:
        return {"traps": "> 0", "shuffles": 0}
    if kernel == "fold":
        return {"block_barriers": 1, "wave_barriers": steps(lanes), "shuffles": 0, "traps": 0}
    return {"block_barriers": 1, "wave_barriers": 0, "shuffles": 2 * steps(lanes), "dpp": 0,
            "traps": 0}


LADDER = {("tree", "-")} | {(name, lanes) for name in ("fold", "first", "stride")
                            for lanes in ("32", "64")}
FEW = {("block_of_64", "-"), ("count_positive", "-")}


def complaints_about(rows, gpus=tuple(GPUS), kernels=frozenset(LADDER | FEW)):
    for gpu in gpus:
        hardware = GPUS[gpu]
        found = {(row["kernel"], row["lanes"]) for row in rows if row["gpu"] == gpu}
        for name, lanes in sorted(kernels - found):
            yield f"{gpu}: no kernel {name}, lanes {lanes}, in what the compiler wrote"
        for row in (row for row in rows if row["gpu"] == gpu):
            where = f"{gpu}: {row['kernel']}<{row['lanes']}>"
            if row["wavefront"] != str(hardware):
                yield f"{where}: a wavefront of {row['wavefront']} lanes, want {hardware}"
            lanes = int(row["lanes"]) if row["lanes"] != "-" else hardware
            for name, want in wanted_of(row["kernel"], lanes, hardware).items():
                if row[name] != want if isinstance(want, int) else not row[name] > 0:
                    yield f"{where}: {name.replace('_', ' ')} {row[name]}, want {want}"


def stored_rows():
    """(the compiler of the stored counts, the counts)"""
    lines = STORED.read_text(encoding="utf-8").splitlines()
    version = next(line for line in lines if line.startswith("# toolkit: ")).split(": ", 1)[1]
    rows = list(csv.DictReader(line for line in lines if not line.startswith("#")))
    return version.split(",")[0], rows


def compare(compiler, rows):
    version, stored = stored_rows()
    if version != compiler.version:
        print(f"The stored counts are {version}'s; this is {compiler.version}: not compared")
        return
    now = [{name: str(value) for name, value in row.items()} for row in rows]
    for row in now:
        if row not in stored:
            yield (f"{row['gpu']}: {row['kernel']}<{row['lanes']}> is not as stored; if that is "
                   f"right: tests/amd/check_isa.py --store, then read chapter 14: {row}")
    if len(stored) != len(now):
        yield f"{len(stored)} kernels are stored, and there are {len(now)}"


def store(compiler, rows):
    with STORED.open("w", encoding="utf-8", newline="") as file:
        file.write("# device: compiled for AMD's gfx90a and gfx1030, not run\n"
                   f"# toolkit: {compiler.version}, as hipcc starts it\n"
                   "# command: tests/amd/check_isa.py --store\n"
                   "# method: counted in the assembly of portable.hip and few.hip\n"
                   "# key: kernel/lanes/gpu\n")
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    print(f"{STORED.relative_to(ROOT)}: {len(rows)} kernels")


# (GPU, file, old, new, what must be said; "": nothing)
TWINS = [
    ("gfx90a", "kernels.cuh", "    wave<lanes>::sync();\n", "    __syncthreads();\n",
     "fold<64>: block barriers 7, want 1"),
    ("gfx1030", "kernels.cuh", "    wave<lanes>::sync();\n", "",
     "fold<32>: wave barriers 0, want 5"),
    ("gfx90a", "kernels.cuh", "unsigned s = lanes / 2; s > 0; s /= 2) value",
     "unsigned s = 16; s > 0; s /= 2) value", "first<64>: shuffles 10, want 12"),
    ("gfx1030", "kernels.cuh", "  __syncthreads(); // every slot is written\n", "",
     "stride<32>: block barriers 0, want 1"),
    ("gfx1030", "wave.cuh", "    if (lanes > warpSize) __builtin_trap();\n    return",
     "    return", "first<64>: traps 0, want > 0"),
    ("gfx90a", "kernels.cuh", "float sum = 0.0f, item[8];", "float item[8], sum = 0.0f;", ""),
]


def try_twin(compiler, gpu, name, old, new):
    """The complaints about the ladder with one place changed, for one GPU."""
    with tempfile.TemporaryDirectory() as work:
        folder = Path(work)
        for path in [LESSON / "portable.hip", *LESSON.glob("*.cuh")]:
            text = path.read_text(encoding="utf-8")
            if path.name == name and text.count(old) != 1:
                raise RuntimeError(f"{name} has {text.count(old)} places with: {old.strip()}")
            text = text.replace(old, new) if path.name == name else text
            (folder / path.name).write_text(text, encoding="utf-8")
        rows = list(rows_of(compiler.assembly(folder / "portable.hip", gpu), gpu))
    return list(complaints_about(rows, (gpu,), LADDER))


def complaints_about_twins(compiler):
    """Those that are not judged as they must be."""
    for gpu, name, old, new, must_say in TWINS:
        said = try_twin(compiler, gpu, name, old, new)
        if must_say and f"{gpu}: {must_say}" not in said:  # matching: the complaint is the result
            yield f"{old.strip()} -> {new.strip()}: not said: {must_say}; said: {said}"
        if not must_say and said:
            yield f"{old.strip()} -> {new.strip()}: does no harm, and is complained about: {said}"


def main(arguments):
    if arguments not in ([], ["--store"], ["--twins"]):
        sys.exit(__doc__)
    try:
        compiler = Compiler()
    except NotInstalled as what:
        print(f"skipped: compiling for AMD's GPUs needs {what}")
        return 77
    if arguments == ["--twins"]:
        complaints = list(complaints_about_twins(compiler))
        print(f"{len(TWINS)} twins, {len(complaints)} complaints")
    else:
        rows = all_rows(compiler)
        complaints = list(complaints_about(rows))
        if arguments == ["--store"] and not complaints:
            store(compiler, rows)
        if not arguments:
            complaints += compare(compiler, rows)
        print(f"{len(rows)} kernels compiled by {compiler.version}, {len(complaints)} complaints")
    for complaint in complaints:
        print(complaint)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
