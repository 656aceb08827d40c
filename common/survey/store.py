# SPDX-License-Identifier: MIT
"""Results that are kept, one line of JSON each, under a hash of all that they depend on: the
program's folder, compilers, library, limits. A killed survey loses what was running."""

import hashlib
import json

import makefiles


def key_of(path, worker_key, root):
    """Of one program: its text and that of the files beside it and of those that its Makefile
    links."""
    digest = hashlib.sha256(worker_key.encode())
    files = set(path.parent.iterdir())
    makefile = makefiles.nearest(path, root)
    if makefile:
        linked = makefiles.linked_of(path, makefile)
        files |= {makefile.path, *(linked.files if linked else [])}
    for file in sorted(files):
        if file.is_file() and (file == path or file.stat().st_size < 1 << 20):
            digest.update(file.name.encode() + b"\0")
            digest.update(file.read_bytes())
    digest.update(path.name.encode())
    return digest.hexdigest()


class Store:
    def __init__(self, out, root, worker_key, fresh):
        self.root, self.worker_key = root, worker_key
        out.mkdir(parents=True, exist_ok=True)
        self.file = out / "results.jsonl"
        self.kept = {} if fresh else self.read()
        if fresh:
            self.file.unlink(missing_ok=True)

    def read(self):
        kept = {}
        if self.file.exists():
            for line in self.file.read_text(encoding="utf-8").splitlines():
                try:
                    result = json.loads(line)
                except ValueError:
                    continue  # the line that a killed survey was writing
                kept[result["key"]] = result
        return kept

    def has(self, path):
        return key_of(path, self.worker_key, self.root) in self.kept

    def add(self, result):
        path = self.root / result["program"]
        result["key"] = key_of(path, self.worker_key, self.root)
        self.kept[result["key"]] = result
        with open(self.file, "a", encoding="utf-8") as file:
            file.write(json.dumps(result) + "\n")

    def of(self, paths):
        keys = [key_of(path, self.worker_key, self.root) for path in paths]
        return [self.kept[key] for key in keys if key in self.kept]
