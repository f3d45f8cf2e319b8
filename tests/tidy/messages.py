#!/usr/bin/python3
"""What the programs say, in one table: each log event with its fields, each error and sentence in the C++ sources,
each sentence of the page, and each alert.

Run: tests/tidy/messages.py [FOLDER]... Columns, by tabs: kind, folder, file and line, text. {…} stands for what the
program fills in. messages_test.py holds the rules for these texts.
"""
import functools
import os
import re
import sys
from pathlib import PurePosixPath
from typing import NamedTuple

sys.path.insert(0, os.path.dirname(__file__))
import log_events_test
import style_test

FOLDERS = ("agent/", "broker/", "common/")
TOKEN = re.compile(r"""(?P<noise>//[^\n]*|/\*.*?\*/|\s+|^[ \t]*\#(?:[^\n]*\\\n)*[^\n]*)"""
                   r"""|(?P<raw>R"(?P<tag>[^(\s]*)\((?P<inside>.*?)\)(?P=tag)")|"(?P<plain>(?:\\.|[^"\\\n])*)\""""
                   r"""|(?P<char>(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])*')"""
                   r"""|(?P<word>[\w:]*\w)|(?P<sign><<|>>|&&|\|\||[=!<>+*/-]=|->|.)""", re.S | re.M)
CLOSES = {"(": ")", "[": "]", "{": "}"}
ENDS = {",", ";", "?", ":", "=", "+=", "<<", "&&", "||", "==", "!=", "return"}  # no text goes on over one of these
WORDS = re.compile(r"[A-Za-z]{2,}[,;:.]?\s+[a-z]")  # two words make a sentence for us, one is a token
SQL = re.compile(r"\s*(select .* from|insert (or \w+ )?into|update \w+ set|delete from|alter table|order by|where|from|"
                 r"create (temp|unique|table|view|index|trigger)|drop (table|view)|begin|pragma|attach|with \w+ as|"
                 r"and \w+ =|values|limit|on conflict)\b", re.I)
PAGE = "broker/page/src/"
FILLED_IN = re.compile(r"\$\{(?:[^{}]|\{[^{}]*\})*\}")
PAGE_NOISE = re.compile(r"""(?<![:'"])//[^\n]*|/\*.*?\*/|^import[^;\n]*from[^\n]*|"""
                        r"""\b(?:className|class|d|viewBox|points)=(?:"[^"]*"|\{`[^`]*`\}|\{'[^']*'\})""", re.S | re.M)
PAGE_TEXT = re.compile(r""">([^<>{}=;]*)<|'((?:\\.|[^'\\\n])*)'|"([^"\n]*)"|`([^`]*)`""")
PAGE_CODE = re.compile(r"\)\s*[:?]|\b(return|readonly|const|function|export)\b|system-ui|^\(|\[type=|"
                       r"contenteditable")
ALERTS = "config/prometheus/alerts.yml"
ALERT = re.compile(r'^ *summary: "(.*)"$', re.M)
ESCAPES = {"n": " ", "t": " ", "r": " ", '"': '"', "\\": "\\"}


class Leaf(NamedTuple):
    text: str
    line: int
    is_text: bool = False


class Group(NamedTuple):
    opens: str
    inside: list
    line: int


class Message(NamedTuple):
    kind: str  # event, error, text, page or alert
    path: str
    line: int
    text: str
    fields: tuple[tuple[str, str], ...] = ()  # of an event

    @property
    def room(self) -> str:
        return str(PurePosixPath(self.path).parent)


def spoken(literal: str) -> str:
    return re.sub(r"\\(.)", lambda found: ESCAPES.get(found[1], found[0]), literal)


def leaves(code: str):
    line = 1
    for found in TOKEN.finditer(code):
        if found["raw"] is not None:
            yield Leaf(" ".join(found["inside"].split()), line, True)
        elif found["plain"] is not None:
            yield Leaf(spoken(found["plain"]), line, True)
        elif found["noise"] is None:
            yield Leaf(found[0], line)
        line += found[0].count("\n")


def tree(code: str) -> list:
    """The file's tokens, nested by its brackets; neighbouring literals are one."""
    stack: list[Group] = [Group("", [], 1)]
    for leaf in leaves(code):
        inside = stack[-1].inside
        if leaf.is_text and inside and isinstance(inside[-1], Leaf) and inside[-1].is_text:
            inside[-1] = inside[-1]._replace(text=inside[-1].text + leaf.text)
        elif leaf.is_text or leaf.text not in "()[]{}":
            inside.append(leaf)
        elif leaf.text in CLOSES:
            stack.append(Group(leaf.text, [], leaf.line))
            inside.append(stack[-1])
        elif len(stack) > 1:
            stack.pop()
    return stack[0].inside


def source(node) -> str:
    """A node as it stands in the source, for the place that a program fills in."""
    if isinstance(node, Leaf):
        if node.is_text:
            return f'"{node.text}"'
        return f" {node.text} " if node.text in ENDS | {"+"} else node.text
    return node.opens + "".join(map(source, node.inside)) + CLOSES[node.opens]


def runs(nodes: list):
    """The parts of an expression that a text may be made of."""
    run: list = []
    for node in nodes:
        if isinstance(node, Leaf) and not node.is_text and node.text in ENDS:
            yield run
            run = []
        else:
            run.append(node)
    yield run


def has_text(run: list) -> bool:
    return any(isinstance(node, Leaf) and node.is_text for node in run)


def rendered(run: list) -> str:
    """Literals verbatim, the rest as {its source}."""
    parts: list[str] = []
    filled = ""
    for node in [*run, Leaf("+", 0)]:
        plus = isinstance(node, Leaf) and not node.is_text and node.text == "+"
        if (plus or (isinstance(node, Leaf) and node.is_text)) and filled:
            parts.append("{" + " ".join(filled.split()) + "}")
            filled = ""
        if isinstance(node, Leaf) and node.is_text:
            parts.append(node.text)
        elif not plus:
            filled += source(node)
    return " ".join("".join(parts).split())


def is_sentence(run: list) -> bool:
    """Nested texts count, if what is around them is one text with them."""
    said = " ".join(node.text for node in run if isinstance(node, Leaf) and node.is_text)
    return bool(WORDS.search(said)) and not SQL.match(said)


def name_before(nodes: list, at: int) -> str:
    before = nodes[at - 1] if at else None
    return before.text if isinstance(before, Leaf) and not before.is_text else ""


def texts(nodes: list, kind: str = "text"):
    """Kind, line and text of each sentence; those in an event's fields are told with the event as well."""
    for run in runs(nodes):
        if has_text(run) and is_sentence(run):
            yield kind, next(node.line for node in run if isinstance(node, Leaf) and node.is_text), rendered(run)
            continue
        for at, node in enumerate(run):
            if isinstance(node, Group):
                failing = name_before(run, at) in ("fail", "Error")
                yield from texts(node.inside, "error" if failing else kind)


def values(nodes: list) -> str:
    return " ".join("".join(map(source, nodes)).split()) if not has_text(nodes) else rendered(nodes)


def fields_of(nodes: list) -> tuple[tuple[str, str], ...]:
    """Key and value of each {key, value} in a call of the log."""
    found = []
    for node in nodes:
        if not isinstance(node, Group):
            continue
        first = node.inside[0] if node.inside else None
        if node.opens == "{" and isinstance(first, Leaf) and first.is_text:
            found.append((first.text, values(node.inside[2:])))
        else:
            found.extend(fields_of(node.inside))
    return tuple(found)


def events(path: str, nodes: list):
    """Each call of the log; its names are found as in log_events_test.py."""
    for at, node in enumerate(nodes):
        if not isinstance(node, Group):
            continue
        call = name_before(nodes, at)
        if node.opens == "(" and re.fullmatch(r"log_(trace|debug|info|warn|error|list)", call):
            names = log_events_test.logged_in(path, call + "".join(map(source, [node])))
            for name in sorted(names):
                yield Message("event", path, node.line, name, fields_of(node.inside[1:]))
        else:
            yield from events(path, node.inside)


def messages_in(path: str, code: str) -> list[Message]:
    nodes = tree(code)
    return [*events(path, nodes), *(Message(kind, path, line, said) for kind, line, said in texts(nodes))]


def found_by(pattern: re.Pattern[str], kind: str, path: str, text: str):
    for found in pattern.finditer(text):
        said = " ".join(next(filter(None, found.groups()), "").split())
        if WORDS.search(FILLED_IN.sub("", said)) and not PAGE_CODE.search(said):
            yield Message(kind, path, text.count("\n", 0, found.start()) + 1, said)


def of_the_page(path: str, code: str):
    """Sentences between tags and in literals; names of classes and forms of pictures are none."""
    blank = PAGE_NOISE.sub(lambda found: "\n" * found[0].count("\n"), code)
    return found_by(PAGE_TEXT, "page", path, blank)


@functools.cache
def messages() -> tuple[Message, ...]:
    programs = [message for path in style_test.ending(".cpp", ".hpp") if path.startswith(FOLDERS)
                for message in messages_in(path, style_test.text(path))]
    page = [message for path in style_test.ending(".ts", ".tsx") if path.startswith(PAGE)
            for message in of_the_page(path, style_test.text(path))]
    alerts = found_by(ALERT, "alert", ALERTS, style_test.text(ALERTS))
    return (*programs, *page, *alerts)


def main() -> int:
    for message in messages():
        if not sys.argv[1:] or message.path.startswith(tuple(sys.argv[1:])):
            said = message.text + "".join(f" {key}={value}" for key, value in message.fields)
            print("\t".join((message.kind, message.room, f"{message.path}:{message.line}", said)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
