# SPDX-License-Identifier: MIT
"""Numbers that were measured or counted, by key.

A number in the book's prose is never typed: it is looked up here. Two kinds of file, both in
figures/data/ and both carrying their provenance:

  NAME.csv    comment lines `# field: text` (device, driver, toolkit, date, method, key), then a
              table in long form whose last three columns are quantity, value, unit; or in wide
              form, without a column `quantity`: then every column is a quantity.
  NAME.jsonl  a first object {"provenance": {...}}, then one object a line as a lesson's --json
              prints them.

The `key` field of the provenance says which columns, joined by '/', name a row. A value is then
`NAME:KEY:QUANTITY`, as in h200-ladder:partials/divergent/256/2^28:gb_per_s; nested JSON fields
are joined by dots, as in simt-lessons:00_naive_atomic/one_address:counters.launches. In a key, an n
that is a power of two reads 2^28 and a column that a line does not have '-'. The ceilings of a
measured sweep stand in its provenance; their rows are ceiling/read and ceiling/copy, with one
quantity, gb_per_s.

Not done here: units are stored and shown in tables, never converted.
"""

import csv
import json
from pathlib import Path


# Short names for what many pages quote.
ALIASES = {
    # the fastest kernel that only reads: what 100 % means for a sum; of the run that the sums are
    # of
    "ceiling": "h200-sweep:ceiling/read:gb_per_s",
}


class UnknownKey(Exception):
    """A value was asked for that no stored run holds."""


class Table:
    """One file of stored data: its provenance and its values."""

    def __init__(self, name, provenance, values):
        self.name = name
        self.provenance = provenance  # {field: text}
        self.values = values  # {row key: {quantity: text as stored}}

    def row(self, key):
        if key not in self.values:
            raise UnknownKey(f"{self.name} has no row '{key}'; it has: {nearest(key, self.values)}")
        return self.values[key]

    def value(self, key, quantity):
        row = self.row(key)
        if quantity not in row:
            raise UnknownKey(f"{self.name}:{key} has no '{quantity}'; it has: {', '.join(row)}")
        return row[quantity]

    def source(self):
        """One line that says where the numbers come from."""
        fields = ("device", "driver", "toolkit", "date", "method")
        labels = {"driver": "driver "}
        known = [f for f in fields if f in self.provenance]
        return ", ".join(labels.get(f, "") + self.provenance[f] for f in known)


def nearest(key, values):
    """The few stored keys that share most leading parts with `key`, for a useful complaint."""
    wanted = key.split("/")

    def shared(candidate):
        return sum(a == b for a, b in zip(wanted, candidate.split("/")))

    return ", ".join(sorted(values, key=lambda k: (-shared(k), k))[:4]) or "nothing at all"


def load_csv(path):
    provenance, lines = {}, []
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            field, _, text = line[1:].partition(":")
            provenance[field.strip()] = text.strip()
        elif line.strip():
            lines.append(line)
    columns = key_columns(path, provenance)
    values = {}
    for row in csv.DictReader(lines):
        quantities = values.setdefault("/".join(row[c] for c in columns), {})
        if "quantity" not in row:
            if quantities:
                raise ValueError(f"{path}: two lines for {row}")
            quantities.update(row)
            continue
        if row["quantity"] in quantities:
            raise ValueError(f"{path}: '{row['quantity']}' is given twice for {row}")
        quantities[row["quantity"]] = row["value"]
    return Table(path.stem, provenance, values)


def load_jsonl(path):
    text = path.read_text(encoding="utf-8")
    lines = [json.loads(line) for line in text.splitlines() if line.strip()]
    provenance = lines[0].get("provenance") if lines else None
    if not isinstance(provenance, dict):
        raise ValueError(f"{path}: the first line must be a {{\"provenance\": …}} object")
    columns = key_columns(path, provenance)
    values = {}
    for entry in lines[1:]:
        key = "/".join(key_part(c, entry.get(c)) for c in columns)
        if key in values:
            raise ValueError(f"{path}: two lines for {key}")
        values[key] = flatten(entry)
    for kind, gb_per_s in provenance.get("ceilings", {}).items():
        values[f"ceiling/{kind}"] = {"gb_per_s": json.dumps(gb_per_s)}
    return Table(path.stem, provenance, values)


def key_columns(path, provenance):
    if not provenance.get("key"):
        raise ValueError(f"{path}: no 'key' in the provenance: which columns name a row?")
    return provenance["key"].split("/")


def key_part(column, value):
    """A column's value as a part of a key: 2^28 for an n that is a power of two, '-' for none."""
    if value is None:
        return "-"
    if column == "n" and value > 1 and value & (value - 1) == 0:
        return f"2^{value.bit_length() - 1}"
    return str(value)


def flatten(entry, prefix=""):
    flat = {}
    for name, value in entry.items():
        if isinstance(value, dict):
            flat.update(flatten(value, f"{prefix}{name}."))
        else:
            flat[prefix + name] = value if isinstance(value, str) else json.dumps(value)
    return flat


class StoredData:
    """All of figures/data/, read on demand."""

    def __init__(self, directory):
        self.directory = Path(directory)
        self.tables = {}

    def table(self, name):
        if name not in self.tables:
            for suffix, load in ((".csv", load_csv), (".jsonl", load_jsonl)):
                path = self.directory / (name + suffix)
                if path.is_file():
                    self.tables[name] = load(path)
                    break
            else:
                raise UnknownKey(f"no stored data named '{name}' in {self.directory.name}/")
        return self.tables[name]

    def value(self, reference):
        """The stored text of NAME:KEY:QUANTITY, or of an alias."""
        reference = ALIASES.get(reference.strip(), reference.strip())
        parts = reference.split(":")
        if len(parts) != 3:
            raise UnknownKey(f"'{reference}' is not of the form name:key:quantity")
        name, key, quantity = parts
        return self.table(name).value(key, quantity)
