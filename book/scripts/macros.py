# SPDX-License-Identifier: MIT
r"""The `{{…}}` of a chapter, replaced before Doxygen reads it.

  {{h200-ladder:partials/divergent/256/2^28:gb_per_s}}      the value as stored, thousands grouped
  {{h200-ladder:…:gb_per_s | 0}}                            rounded to that many decimals
  {{[h200-ladder:…:gb_per_s] / [h200-ladder:…:gb_per_s] | 1}}  arithmetic on values in brackets,
                                                            max(…) and min(…) too
  {{source h200-ladder}}                                    device, driver, toolkit, date, method
  {{ceiling}}, {{[…] / [ceiling] | 2}}                      an alias (see stored_data.py)
  {{figure NAME}}                                           a named figure (FIGURES in tables.py)
  {{ladder}}, {{per_block LESSON VARIANTS ROWS}}, …         a generated piece (see tables.py)

An unknown key, an unknown piece, a wrong expression: each is an error that names file and line.
In a table write \| for the bar, so that other viewers keep their columns. Code blocks are
substituted too; write `{ {` where braces must stay.
"""

import ast
import operator
import re

from stored_data import UnknownKey

MACRO = re.compile(r"\{\{(.+?)\}\}", re.DOTALL)
LIST_MARK = re.compile(r"[.)](\s|$)")
REFERENCE = re.compile(r"\[([^\[\]]+)\]")
OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
             ast.Div: operator.truediv, ast.Pow: operator.pow}
FUNCTIONS = {"max": max, "min": min}


FAILURES = (UnknownKey, ValueError, KeyError, SyntaxError, TypeError, ZeroDivisionError)


class MacroError(Exception):
    """What is wrong with a macro, with file and line."""


def grouped(number, decimals=None):
    """1234.5 as '1,234.5'; a string keeps the decimals it has."""
    if decimals is None:
        text = str(number)
        whole, point, rest = text.partition(".")
        return f"{int(whole):,}" + point + rest
    return f"{float(number):,.{decimals}f}"


def powers(text):
    """2^28 as Markdown that shows a raised 28."""
    return re.sub(r"(\d)\^(\d+)", r"\1<sup>\2</sup>", text)


def evaluate(node):
    if isinstance(node, ast.Expression):
        return evaluate(node.body)
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -evaluate(node.operand)
    if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
        return OPERATORS[type(node.op)](evaluate(node.left), evaluate(node.right))
    if isinstance(node, ast.Call) and getattr(node.func, "id", "") in FUNCTIONS:
        return FUNCTIONS[node.func.id](evaluate(argument) for argument in node.args)
    raise ValueError("only + - * / **, brackets, max(…) and min(…) are understood")


def number(data, text):
    """The value of `text`: one reference, or an expression over references in brackets."""
    expression, bar, decimals = text.rpartition("|")
    if not bar:
        expression, decimals = text, ""
    places = int(decimals) if decimals.strip() else None
    if "[" not in expression:
        return grouped(data.value(expression), places)
    if places is None:
        raise ValueError("say how many decimals: … | 1")
    with_values = REFERENCE.sub(lambda m: f"({float(data.value(m[1]))!r})", expression)
    return grouped(evaluate(ast.parse(with_values.strip(), mode="eval")), places)


def expand(text, data, pieces, where):
    """`text` with every macro replaced. `pieces` maps a name to a function returning Markdown."""

    def one(match):
        line = text.count("\n", 0, match.start()) + 1
        body = " ".join(match[1].replace("\\|", "|").split())
        word, _, rest = body.partition(" ")
        try:
            if word in pieces:
                return pieces[word](*rest.split())
            if word == "source":
                return powers(data.table(rest.strip()).source())
            return number(data, body)
        except FAILURES as error:
            raise MacroError(f"{where}:{line}: {{{{{body}}}}}: {error}") from error

    def checked(match):
        value = one(match)
        begins_line = not text[text.rfind("\n", 0, match.start()) + 1:match.start()].strip(" >")
        if begins_line and value.isdecimal() and LIST_MARK.match(text, match.end()):
            line = text.count("\n", 0, match.start()) + 1
            raise MacroError(f"{where}:{line}: a line that begins '{value}.' is a list")
        return value

    return MACRO.sub(checked, text)
