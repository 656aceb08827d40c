# SPDX-License-Identifier: MIT
"""The compilers that a survey can use: simtcc, and nvcc through simt-nvcc."""

import hashlib
import os
import shutil
from pathlib import Path

HERE = Path(__file__).resolve().parent


class Front:
    def __init__(self, name, command):
        self.name, self.command = name, Path(command)


def places(given):
    """Folders that may hold simtcc: named, the build folder's, the one of an installation."""
    if given:
        yield Path(given).resolve().parent
    build = Path(os.environ.get("BUILD") or "build")
    yield (build if build.is_absolute() else HERE.parents[1] / build) / "common/simt"
    yield HERE.parents[2] / "bin"
    found = shutil.which("simtcc")
    if found:
        yield Path(found).resolve().parent


def nvcc():
    named = os.environ.get("NVCC")
    return named or shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc")


def toolkit():
    """The folder of the toolkit that nvcc belongs to, or None."""
    tool = nvcc()
    return Path(shutil.which(tool) or tool).resolve().parents[1] if tool else None


def toolkit_headers():
    folder = toolkit()
    return folder / "include" if folder and (folder / "include").is_dir() else None


def find(wanted, given):
    """The fronts that are there, simtcc first."""
    folder = next((f for f in places(given) if (f / "simtcc").is_file()), None)
    if not folder:
        return []
    fronts = []
    if wanted in ("both", "simtcc"):
        fronts.append(Front("simtcc", folder / "simtcc"))
    if wanted in ("both", "nvcc") and nvcc() and (folder / "simt-nvcc").is_file():
        fronts.append(Front("nvcc", folder / "simt-nvcc"))
    return fronts


def paths_of(folder):
    """parts, include and library of a simtcc in a build folder, or of an installed one."""
    notes = folder / "simtcc.paths"
    if notes.is_file():
        pairs = dict(line.split("=", 1) for line in notes.read_text(encoding="utf-8").splitlines())
        return [str(folder / "compiler"), pairs.get("include", ""), pairs.get("library", "")]
    prefix = folder.parent
    libraries = sorted(prefix.glob("lib*/libsimt.a")) + sorted(prefix.glob("lib/*/libsimt.a"))
    return [str(prefix / "share/simt/compiler"), str(prefix / "include/simt"), *map(str, libraries)]


def readable(fronts):
    """What must be visible for the compilers to work, besides the system."""
    found = set()
    for front in fronts:
        found |= {str(front.command.parent), *paths_of(front.command.parent)}
    if toolkit():
        found.add(str(toolkit()))
    return sorted(path for path in found if path and os.path.exists(path))


def version(fronts):
    """Changes when anything that makes a result does: compilers, headers, the library."""
    digest = hashlib.sha256()
    for front in fronts:
        digest.update(front.command.read_bytes())
        for path in filter(None, paths_of(front.command.parent)):
            files = [Path(path)] if os.path.isfile(path) else sorted(Path(path).rglob("*"))
            for file in files:
                if file.is_file():
                    digest.update(file.read_bytes())
    for file in sorted(HERE.glob("*.py")):
        digest.update(file.read_bytes())
    return digest.hexdigest()
