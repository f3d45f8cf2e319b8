"""Citations lead somewhere: each document that a comment or a document names is in the tree, and so is
the heading that it names there; so is each other file that is named from the root.
Run: python3 -B tests/tidy/citations_test.py.

The one form, and why it is this one: tests/tidy/README.md, "How documents are cited".
"""
import os
import posixpath
import re
import sys
import unittest
from typing import Iterator, NamedTuple

sys.path.insert(0, os.path.dirname(__file__))
import style_test

Tree = dict[str, str]  # path from the root: text

# A line's end with the mark of a comment that goes on in the next line.
WRAP = re.compile(r"\s*\n[ \t]*(?:///?|#|--|\*|>)?[ \t]*")
DOCUMENT = re.compile(r"(?<![\w/.*-])((?:[\w.-]+/)*[\w-][\w.-]*\.md)\b`?")
HEADINGS = re.compile(r',\s+("[^"]+"(?:(?:,|\s+and|\s+to)\s+"[^"]+")*)')
LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]*))?\)")
TOP = "agent|broker|common|config|schema|scripts|tests"
FILE = re.compile(rf"(?<![\w./*{{}}$<-])((?:{TOP})/[\w./-]*\.(?:hpp|cpp|py|sql|toml|json|txt|cmake))\b")
FENCE = re.compile(r"^```.*?^```", re.S | re.M)

# Numbers and names that mean documents which nobody who opens the tree can find.
OLD_FORMS = re.compile(
    r"\b(?:(?:architecture|contracts?|house|(?P<product>Grid\s+)?engine)[\s,]+(?:section\s+)?\d"
    r"|architecture[\s,]+invariant|invariants?\s+\d|plan[ -]semantics|lsf-ego|seed\s+00\d"
    r"|sections?\s+\d|source\s+texts?\s+(?:[\"“]|00\d))", re.I)
OUTSIDE = re.compile(r'\b(?:LSF|Symphony),\s+"[^"]+"')
OUTSIDE_LIST = ("broker/rules/README.md", "Outside sources")
NOT_READ = ("/golden/", "/corpus/", "tests/data/", "tests/tidy/citations_test.py",
            "tests/tidy/doors_test.py")


class Place(NamedTuple):
    path: str
    offset: int


def unwrapped(text: str) -> str:
    """On one line, every character at its old place."""
    return WRAP.sub(lambda match: " " * len(match.group()), text)


def plain(heading: str) -> str:
    return " ".join(heading.replace("`", "").split())


def headings(text: str) -> list[str]:
    return [plain(line) for line in re.findall(r"^#+ +(.*)$", FENCE.sub("", text), re.M)]


def anchor(heading: str) -> str:
    return re.sub(r"[^\w -]", "", plain(heading).lower()).replace(" ", "-")


def section(text: str, heading: str) -> str:
    return text.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]


def document(tree: Tree, path: str, cited: str) -> str | None:
    """Where `cited` lies: from the root, or beside the file that names it."""
    beside = posixpath.normpath(posixpath.join(posixpath.dirname(path), cited))
    return next((each for each in (cited, beside) if each in tree), None)


def cited_documents(tree: Tree, path: str, flat: str) -> Iterator[tuple[int, str]]:
    for match in DOCUMENT.finditer(flat):
        target = document(tree, path, match.group(1))
        if target is None:
            yield match.start(), f"there is no {match.group(1)}"
            continue
        parts = HEADINGS.match(flat, match.end())
        known = headings(tree[target])
        for part in re.findall(r'"([^"]+)"', parts.group(1) if parts else ""):
            if plain(part) not in known:
                yield match.start(), f'{target} has no heading "{plain(part)}"'


def cited_files(tree: Tree, path: str, text: str) -> Iterator[tuple[int, str]]:
    """Other files than documents, where they are named from the root; .in: made when configured."""
    for match in FILE.finditer(text):
        if document(tree, path, match.group(1)) is None and match.group(1) + ".in" not in tree:
            yield match.start(), f"there is no {match.group(1)}"


def links(tree: Tree, path: str, text: str) -> Iterator[tuple[int, str]]:
    for match in LINK.finditer(text) if path.endswith(".md") else ():
        target = path
        if match.group(1):
            target = posixpath.normpath(posixpath.join(posixpath.dirname(path), match.group(1)))
        if target not in tree and not any(each.startswith(target + "/") for each in tree):
            yield match.start(), f"there is no {target}"
        elif match.group(2) and match.group(2) not in map(anchor, headings(tree.get(target, ""))):
            yield match.start(), f"{target} has no heading #{match.group(2)}"


def old_forms(flat: str) -> Iterator[tuple[int, str]]:
    for match in OLD_FORMS.finditer(flat):
        if not match.group("product"):
            yield match.start(), f'"{plain(match.group())}" names no document; ' \
                                 "cite a path and a heading"


def outside_sources(tree: Tree, flat: str) -> Iterator[tuple[int, str]]:
    known = section(tree.get(OUTSIDE_LIST[0], ""), OUTSIDE_LIST[1])
    for match in OUTSIDE.finditer(flat):
        if f"| {plain(match.group())} |" not in known:
            yield match.start(), f"{plain(match.group())} is not among the sources in " \
                                 f"{OUTSIDE_LIST[0]}"


def offences(tree: Tree) -> list[str]:
    found = []
    for path, text in sorted(tree.items()):
        if any(each in f"/{path}" for each in NOT_READ):
            continue
        flat = unwrapped(text)
        for offset, what in (*cited_documents(tree, path, flat), *cited_files(tree, path, text),
                             *links(tree, path, text), *old_forms(flat),
                             *outside_sources(tree, flat)):
            line = text.count("\n", 0, offset) + 1
            found.append(f"{path}:{line}: {what}")
    return found


class Finder(unittest.TestCase):
    """The measure itself, on a small tree, before it is used."""

    TREE = {
        "a/README.md": "# A\n\n## Orders\n\n### `lease_ttl` alone\n```sh\n# no heading\n```\n",
        "b/NOTES.md": "# B\n",
        OUTSIDE_LIST[0]: "# R\n\n## Outside sources\n\n| LSF, \"Shared lease\" | a page |\n\n## Z\n",
    }

    def found(self, text: str, path: str = "b/x.cpp") -> list[str]:
        return offences({**self.TREE, path: text})

    def right(self, text: str, path: str = "b/x.cpp") -> None:
        self.assertEqual(self.found(text, path), [])

    def test_what_is_there_is_found(self) -> None:
        for text in ('// a/README.md, "Orders".', "// a/README.md", "# NOTES.md",
                     '// (a/README.md, "Orders" and "lease_ttl alone")',
                     '// a/README.md,\n  /// "lease_ttl\n  /// alone".', "-- see b/NOTES.md.",
                     '// LSF, "Shared\n// lease"'):
            self.right(text)
        self.right('As `a/README.md`, "Orders", says.\n[A](../a), [x](../a/README.md#orders)\n',
                   "b/other.md")

    def test_a_path_that_is_missing_is_told_with_its_place(self) -> None:
        self.assertEqual(self.found("int x;\n// see c/README.md"),
                         ["b/x.cpp:2: there is no c/README.md"])
        self.assertEqual(self.found("[x](c.md)", "b/other.md"),
                         ["b/other.md:1: there is no c.md", "b/other.md:1: there is no b/c.md"])
        self.assertEqual(self.found("[x](#nowhere)\n", "b/other.md"),
                         ["b/other.md:1: b/other.md has no heading #nowhere"])

    def test_a_file_that_was_moved_is_told_where_it_is_named_from_the_root(self) -> None:
        self.assertEqual(self.found("// as broker/core/gone.hpp says"),
                         ["b/x.cpp:1: there is no broker/core/gone.hpp"])
        self.assertEqual(offences({"common/v.hpp.in": "", "a.md": "`common/v.hpp`, `x/common/y.hpp`"}),
                         [])

    def test_a_heading_that_is_missing_is_told(self) -> None:
        for cited, missing in (('"orders"', "orders"), ('"Orders" and "B"', "B"),
                               ('"no\n// heading"', "no heading")):
            self.assertEqual(self.found(f"// a/README.md, {cited}"),
                             [f'b/x.cpp:1: a/README.md has no heading "{missing}"'])

    def test_numbers_of_sections_are_no_citation(self) -> None:
        for text in ("(architecture 4)", "(Architecture 4, \"Orders\")", "architecture\n// 3.1",
                     "architecture, invariant 4", "invariant 6", "plan-semantics 5", "plan semantics",
                     "contracts 7", "contracts\n// 7", "lsf-ego 1.4", "seed 004", "(section 7)",
                     "sections 3, 4", 'source text "Shared lease"', "house 3", "engine 2"):
            self.assertEqual(len(self.found(f"// {text}")), 1, text)
        for text in ("Grid Engine 8.1.9", "Grid\n// Engine 8.1", "its architecture", "--seed 7",
                     "a source text", "the engine", "steps 3 to 6", "a section of 3 lines"):
            self.right(f"// {text}")

    def test_a_page_from_elsewhere_must_be_listed(self) -> None:
        self.assertEqual(len(self.found('// LSF, "Another page"')), 1)
        self.assertEqual(len(self.found('// Symphony, "Shared lease"')), 1)


class Citations(unittest.TestCase):
    def test_they_lead_somewhere(self) -> None:
        tree = {path: style_test.text(path) for path in style_test.tracked()}
        found = offences(tree)
        if found:
            self.fail("\n" + "\n".join(found))


if __name__ == "__main__":
    unittest.main()
