# SPDX-License-Identifier: MIT
"""A terminal of the kind vt100, as far as ncurses uses it: bytes in, lines of text out."""

import re

SEQUENCE = re.compile(rb"\x1b(?:\[([0-9;?]*)([A-Za-z])|[()]([A-Z0-9])|([A-Z=>78]))")


class Screen:
    def __init__(self, rows=24, columns=80):
        self.rest = b""
        self.resize(rows, columns)

    def resize(self, rows, columns):
        self.rows, self.columns = rows, columns
        self.cells = [[" "] * columns for _ in range(rows)]
        self.row = self.column = 0
        self.top, self.bottom = 0, rows - 1

    def text(self):
        return "\n".join("".join(line).rstrip() for line in self.cells)

    def feed(self, data):
        data = self.rest + data
        at = 0
        while at < len(data):
            if data[at] == 0x1b:
                found = SEQUENCE.match(data, at)
                if not found:
                    if len(data) - at > 32:
                        raise ValueError(f"an unknown sequence: {data[at:at + 32]!r}")
                    break
                self.control(found)
                at = found.end()
                continue
            length = 1 if data[at] < 0x80 else 2 if data[at] < 0xe0 else 3 if data[at] < 0xf0 else 4
            if at + length > len(data):
                break
            self.put(data[at:at + length].decode("utf-8", "replace"))
            at += length
        self.rest = data[at:]

    def put(self, char):
        if char == "\r":
            self.column = 0
        elif char == "\n":
            self.line_feed()
        elif char == "\b":
            self.column = max(0, self.column - 1)
        elif char == "\t":
            self.column = min(self.columns - 1, self.column // 8 * 8 + 8)
        elif char >= " ":
            if self.column >= self.columns:
                self.column = 0
                self.line_feed()
            self.cells[self.row][self.column] = char
            self.column += 1

    def line_feed(self):
        if self.row == self.bottom:
            del self.cells[self.top]
            self.cells.insert(self.bottom, [" "] * self.columns)
        else:
            self.row = min(self.rows - 1, self.row + 1)

    def reverse_line_feed(self):
        if self.row == self.top:
            del self.cells[self.bottom]
            self.cells.insert(self.top, [" "] * self.columns)
        else:
            self.row = max(0, self.row - 1)

    def erase(self, row, first, last):
        for column in range(first, last):
            self.cells[row][column] = " "

    def control(self, found):
        if found[4] == b"M":
            self.reverse_line_feed()
        if not found[2]:
            return
        numbers = [int(n or 0) for n in found[1].decode().lstrip("?").split(";")]
        count = max(1, numbers[0])
        letter = found[2].decode()
        if letter == "H":
            self.row = min(self.rows, count) - 1
            self.column = min(self.columns, max(1, (numbers + [1])[1])) - 1
        elif letter == "A":
            self.row = max(0, self.row - count)
        elif letter == "B":
            self.row = min(self.rows - 1, self.row + count)
        elif letter == "C":
            self.column = min(self.columns - 1, self.column + count)
        elif letter == "D":
            self.column = max(0, self.column - count)
        elif letter == "K":
            first, last = {0: (self.column, self.columns), 1: (0, self.column + 1),
                           2: (0, self.columns)}[numbers[0]]
            self.erase(self.row, first, last)
        elif letter == "J":
            if numbers[0] == 0:
                self.erase(self.row, self.column, self.columns)
            for row in range(self.row + 1 if numbers[0] == 0 else 0, self.rows):
                self.erase(row, 0, self.columns)
        elif letter == "r" and len(numbers) == 2:
            self.top, self.bottom = numbers[0] - 1, numbers[1] - 1
            self.row = self.column = 0
