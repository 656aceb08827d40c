# SPDX-License-Identifier: MIT
"""What Doxygen's pages still lack: permanent anchors and contents on the page, reading time, links
to the glossary, folded answers, the full-text index, and the scripts of search and lab.

Part of build_book.py: finish(html) works on the finished HTML. A page that is finished twice stays
as it is.
"""

import html
import json
import re
import shutil
from html.parser import HTMLParser

WORDS_PER_MINUTE = 200
MOST_EARLIER = 12  # pieces of programs that a chapter remembers of those before it
MARK = "<!-- finished -->"
HEADING = re.compile(r'<h([12])><a class="anchor" id="(autotoc_md\d+|[\w-]+)"></a>\s*(.*?)</h\1>',
                     re.DOTALL)
CONTENTS = re.compile(r'(<div class="contents">\s*<div class="textblock">)(.*)'
                      r"((?:</div>\s*)?</div><!-- contents -->)", re.DOTALL)
LIST = re.compile(r'(<div class="contents">)(\s*<ul>.*</ul>\s*)(</div><!-- contents -->)',
                  re.DOTALL)
TERM = re.compile(r"<dt>(.*?)</dt>\s*<dd>(.*?)</dd>", re.DOTALL)
CHAPTER = re.compile(r"lesson_+\d+\.html$")
NOT_SEARCHED = re.compile(r"(_8\w+|_program|^usergroup\d+|^globals\w*|^files|^dir_\w+)\.html$")
# Words of the glossary that are ordinary English as well, or stand on every line.
NOT_LINKED = {"block", "thread", "grid", "mask", "device", "scan", "ticket", "registers", "u",
              "check", "degree", "diverge", "event", "exercise", "fault", "finding", "group",
              "invalid", "lesson", "measured", "modelled", "phase", "record", "refusal", "slot",
              "solution", "strong"}


def plain(markup):
    return html.unescape(re.sub(r"<[^>]*>", "", markup)).strip()


def slug(text):
    return re.sub(r"[^a-z0-9]+", "-", plain(text).lower()).strip("-")


# ---- Anchors, contents, time.

def with_anchors(body):
    """The headings with an id made of their words, and [(level, id, words)] of them."""
    found, taken = [], set()

    def one(match):
        name = slug(match[3]) or match[2]
        while name in taken:
            name += "-2"
        taken.add(name)
        found.append((int(match[1]), name, plain(match[3])))
        words = match[3].strip()
        return (f'<h{match[1]} id="{name}"><a class="anchor" id="{match[2]}"></a>{words} '
                f'<a class="permalink" href="#{name}" aria-label="Link to this section">#</a>'
                f"</h{match[1]}>")

    return HEADING.sub(one, body), found


def contents_of(headings):
    items = "".join(f'<li><a href="#{name}">{html.escape(words)}</a></li>'
                    for level, name, words in headings if level == 1)
    return f'<nav class="on-page" aria-label="On this page"><ul>{items}</ul></nav>' if items else ""


def minutes(body):
    prose = re.sub(r'<div class="fragment">.*?</div><!-- fragment -->', "", body, flags=re.DOTALL)
    return max(1, round(len(plain(prose).split()) / WORDS_PER_MINUTE))


# ---- The glossary.

def glossary_of(body):
    """{word as it is looked for: (anchor, explanation)}"""
    found = {}
    for name, text in TERM.findall(body):
        for word in re.sub(r"\(.*?\)", "", plain(name)).split(","):
            word = word.strip()
            if word and word.lower() not in NOT_LINKED:
                found[word] = (slug(name), plain(text))
    return found


def with_term_anchors(body):
    return re.sub(r"<dt>(.*?)</dt>", lambda m: f'<dt id="{slug(m[1])}">{m[1]}</dt>', body,
                  flags=re.DOTALL)


# What is no running text: listings, pictures, contents, and what has a meaning of its own.
ASIDE = re.compile(r'(<div class="fragment">.*?</div><!-- fragment -->'
                   r"|<(?:pre|section|svg|nav|table|details)\b.*?"
                   r"</(?:pre|section|svg|nav|table|details)>"
                   r"|<(a|code|h[1-6]|b|em|div)\b[^>]*>.*?</\2>|<[^>]*>)", re.DOTALL)


def with_glossary_links(body, words):
    """The first place in running text where each word stands becomes a link."""
    left, parts, at = dict(words), [], 0
    for aside in [*ASIDE.finditer(body), None]:
        parts.append(linked(body[at:aside.start() if aside else len(body)], left))
        if aside:
            parts.append(aside[0])
            at = aside.end()
    return "".join(parts)


def linked(text, left):
    """`text`, which has no markup, with its first known word as a link; takes it from `left`."""
    for word in sorted(left, key=len, reverse=True):
        found = re.search(rf"\b{re.escape(word)}s?\b", text)
        if found:
            anchor, meaning = left.pop(word)
            return (linked(text[:found.start()], left)
                    + f'<a class="term" href="glossary.html#{anchor}" '
                    f'title="{html.escape(meaning[:200])}">{found[0]}</a>'
                    + linked(text[found.end():], left))
    return text


# ---- Paragraphs.

def without_empty_paragraphs(body):
    """Doxygen opens a paragraph before each tag of HTML that stands alone; a browser closes it,
    empty, and a page of paper may then end between a program and its caption."""
    body = re.sub(r'<p\s*>\s*(?=<(?:div class="snippet-from"|/?(?:details|section)\b))', "", body)
    return re.sub(r"(</div>|</summary>|</details>|</section>|<details[^>]*>)</p>", r"\1", body)


# ---- Tables.

def with_breaks(body):
    """In tables a long name of code may go on in the next line after an underscore or a slash."""
    return re.sub(r"<t[dh]\b[^>]*>.*?</t[dh]>", lambda cell: re.sub(
        r"<code>([^<]*)</code>",
        lambda m: "<code>" + re.sub(r"(?<=[^\W_])([_/])(?=[^\W_])", r"\1<wbr>", m[1]) + "</code>",
        cell[0]), body, flags=re.DOTALL)


# ---- Answers.

def with_folds(body):
    """What the counters say stands folded under the predictions."""
    pattern = re.compile(r'(<h1 id="what-the-counters-say">.*?</h1>)(.*?)(?=<h1 )', re.DOTALL)
    return pattern.sub(r'\1<details class="answers"><summary>Show the answers: first make your '
                       r"predictions, and run them</summary>\2</details>", body, count=1)


# ---- Programs.

FRAGMENT = re.compile(r'<div class="fragment">(.*?)</div><!-- fragment -->', re.DOTALL)
SNIPPET = re.compile(r'<div class="fragment">((?:(?!<!-- fragment).)*)</div><!-- fragment -->'
                     r'(\s*(?:<p\s*>\s*)?<div class="snippet-from">)', re.DOTALL)
LINE = re.compile(r'<div class="line">(.*?)</div>', re.DOTALL)
LIKE = 0.4  # of a snippet's lines: then it is another form of the earlier one


def code_lines(markup):
    """The lines of a listing as they are compared: without comments and indentation."""
    return [re.sub(r"//.*", "", plain(line)).strip() for line in LINE.findall(markup)]


def marked(markup, earlier):
    """The listing with those of its lines marked that the most similar one of `earlier` has not;
    unmarked where none is similar. The second value says whether any line is marked."""
    lines = code_lines(markup)
    wanted = [line for line in lines if len(line) > 1]
    if not wanted:
        return markup, False
    known = max(earlier, key=lambda other: sum(line in other for line in wanted), default=set())
    new = [len(line) > 1 and line not in known for line in lines]
    if sum(new) == 0 or sum(new) > (1 - LIKE) * len(wanted):
        return markup, False
    found = iter(new)
    return LINE.sub(lambda m: f'<div class="line{" new" * next(found)}">{m[1]}</div>', markup), True


def with_differences(body, earlier):
    """The chapter with what is new in each piece of a program; `earlier` holds the pieces before
    it, as sets of lines, and grows."""

    def one(match):
        listing, has_new = marked(match[1], earlier)
        earlier.append(set(code_lines(match[1])))
        note = '<span class="new-key">Marked: new since the version before.</span> '
        return (f'<div class="fragment">{listing}</div><!-- fragment -->{match[2]}'
                + note * has_new)

    return SNIPPET.sub(one, body)


def with_line_ids(body):
    """Each line of a page of whole programs by file and number; Doxygen's ids begin anew with
    every file."""
    names = iter(re.findall(r"<p\s*><code>([^<]*)</code></p>", body))

    def one(match):
        name = next(names, "").rpartition("/")[2]
        return re.sub(r'<a id="l0*(\d+)" name="l\d+"></a>', rf'<a id="{name}-\1"></a>', match[0])

    return FRAGMENT.sub(one, body)


# ---- The index.

class Sections(HTMLParser):
    """The text of a page, section by section."""

    def __init__(self):
        super().__init__()
        self.found = [["", "", []]]  # anchor, title, text
        self.in_heading, self.in_permalink, self.skip = False, False, 0

    def handle_starttag(self, tag, attributes):
        named = dict(attributes)
        if tag in ("h1", "h2", "dt") and named.get("id"):
            self.found.append([named["id"], "", []])
            self.in_heading = True
        self.skip += tag in ("script", "style", "nav", "button")
        if tag == "a" and named.get("class") == "permalink":
            self.in_permalink = True
        if tag in ("div", "p", "li", "td", "th", "dd", "summary", "br"):
            self.found[-1][2].append(" ")

    def handle_endtag(self, tag):
        if tag in ("h1", "h2", "dt"):
            self.in_heading = False
        if tag == "a":
            self.in_permalink = False
        self.skip -= tag in ("script", "style", "nav", "button")

    def handle_data(self, data):
        if self.skip or self.in_permalink:
            return
        if self.in_heading:
            self.found[-1][1] += data
        self.found[-1][2].append(data)


def documents_of(name, title, body):
    reader = Sections()
    reader.feed(body)
    for anchor, heading, text in reader.found:
        words = " ".join("".join(text).split())
        if words:
            yield {"at": name + ("#" + anchor if anchor else ""), "page": title,
                   "title": heading.strip() or title, "text": words}


# ---- All pages.

def finish_page(path, words, has_lab, has_search, earlier):
    text = path.read_text("utf-8")
    title = re.search(r"<title>(.*?)(?: - [^<]*)?</title>", text)
    found = CONTENTS.search(text) or LIST.search(text)
    if MARK in text or not found or not title:
        return []
    body, headings = with_anchors(found[2])
    if path.name.endswith("_program.html"):
        body = with_line_ids(body)
    if path.name == "glossary.html":
        body = with_term_anchors(body)
    else:
        body = with_breaks(without_empty_paragraphs(body))
    if path.name.startswith("usergroup"):
        body = body.replace("&#160;", " ")  # titles that may go on in the next line
    documents = [] if NOT_SEARCHED.search(path.name) else list(
        documents_of(path.name, plain(title[1]), body))
    scripts = []
    if CHAPTER.search(path.name):
        body = with_differences(body, earlier)
        del earlier[:-MOST_EARLIER]
        body = with_glossary_links(with_folds(body), words)
        time = f'<p class="reading-time">{minutes(body)} minutes to read</p>'
        body = time + contents_of(headings) + body
        if has_lab:
            scripts += ['<link href="lab/lab.css" rel="stylesheet"/>']
            scripts += [f'<script src="lab/{name}.js"></script>'
                        for name in ("wasi", "trace", "player", "lab", "predict")]
    scripts += ['<script src="pages.js"></script>']
    if has_search:
        scripts += ['<script src="find.js"></script>']
    text = text[:found.start(2)] + body + text[found.end(2):]
    text = text.replace("</body>", "\n".join(scripts) + f"\n{MARK}\n</body>")
    path.write_text(text, encoding="utf-8")
    return documents


def finish(directory, has_lab, lunr, theme):
    """Finishes every page of `directory`; `theme` holds pages.js and find.js."""
    pages = sorted(directory.glob("*.html"))
    glossary = directory / "glossary.html"
    words = glossary_of(glossary.read_text("utf-8")) if glossary.is_file() else {}
    documents, earlier = [], []  # pieces of programs that chapters have shown
    for path in pages:
        documents += finish_page(path, words, has_lab, bool(lunr), earlier)
    shutil.copyfile(theme / "pages.js", directory / "pages.js")
    if lunr:
        shutil.copyfile(lunr, directory / "lunr.min.js")
        shutil.copyfile(theme / "find.js", directory / "find.js")
        (directory / "find-index.js").write_text(
            "window.findDocuments = " + json.dumps(documents, ensure_ascii=False) + ";\n",
            encoding="utf-8")
