# SPDX-License-Identifier: MIT
"""The files that belong to the repository, for its checks."""

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SKIPPED_FOLDERS = re.compile(r"^(build|\.git)(/|-)|(^|/)(__pycache__|backup)(/|$)")


def files_of(root=ROOT):
    """What git would commit (tracked and untracked, not ignored), sorted; without git (a released
    tarball), every file that is not in a build folder."""
    root = Path(root)
    try:
        listing = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=root,
            capture_output=True, check=True).stdout.decode()
        names = [name for name in listing.split("\0") if name]
    except (OSError, subprocess.CalledProcessError):
        names = [path.relative_to(root).as_posix() for path in root.rglob("*")]
    return sorted(name for name in set(names)
                  if not SKIPPED_FOLDERS.search(name) and (root / name).is_file())
