"""Finds the functions of a C++ file and their length in lines, well enough to keep them short.

Not a parser: comments and literals are blanked, then braces are matched. A brace that opens after a
parameter list, outside of any other function, opens a function; lambdas and tables belong to what
surrounds them.
"""
import functools
import re
from typing import Iterator, NamedTuple

_NOISE = re.compile(
    r"""//[^\n]*|/\*.*?\*/|R"(?P<tag>[^(\s]*)\(.*?\)(?P=tag)"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])*'"""
    r"""|^[ \t]*\#(?:[^\n]*\\\n)*[^\n]*""",
    re.DOTALL | re.MULTILINE,
)
_SCOPE = re.compile(r"\b(namespace|class|struct|union|enum|extern)\b")
_HEAD = re.compile(r"\b(?:(?:if|for|while)\b[^(;{}]*(?P<open>\()|else\b(?!\s+if\b)|do\b)")
_BEFORE_BODY = re.compile(r"\s*(?:\[\[\w+\]\]\s*)?")
_NAME = re.compile(r"([~\w:]+|operator[^(]*)\s*\(")


class Function(NamedTuple):
    name: str
    line: int
    lines: int


@functools.cache
def blank(text: str) -> str:
    """`text` with comments, literals and directives replaced by spaces; lines stay where they are."""
    return _NOISE.sub(lambda match: "\n".join(" " * len(line) for line in match.group().split("\n")), text)


def _opens(head: str, inside_function: bool) -> str:
    if inside_function:
        return "block"
    if "(" in head and not head.rstrip().endswith("="):
        return "function"
    return "scope" if _SCOPE.search(head) else "block"


def functions(text: str) -> Iterator[Function]:
    """Every function defined in `text`, with the line of its first word and its length."""
    code = blank(text)
    kinds: list[tuple[str, str, int]] = []
    head_start = 0
    for found in re.finditer("[;{}]", code):
        position, char = found.start(), found.group()
        if char == ";":
            head_start = position + 1
        elif char == "{":
            head = code[head_start:position]
            kind = _opens(head, any(entry[0] == "function" for entry in kinds))
            start = head_start + len(head) - len(head.lstrip())
            name = _NAME.search(head)
            kinds.append((kind, name.group(1) if name else "?", start))
            head_start = position + 1
        elif char == "}" and kinds:
            kind, name, start = kinds.pop()
            head_start = position + 1
            if kind == "function":
                first = code.count("\n", 0, start) + 1
                yield Function(name, first, code.count("\n", start, position) + 1)


def bodies_without_braces(text: str) -> Iterator[int]:
    """The line of each head whose body begins on a line of its own, or is that of else or do, without braces."""
    code = blank(text)
    for head in _HEAD.finditer(code):
        end, depth = head.end(), 1 if head["open"] else 0
        while depth and end < len(code):
            depth += {"(": 1, ")": -1}.get(code[end], 0)
            end += 1
        body = _BEFORE_BODY.match(code, end)
        if code[body.end():body.end() + 1] != "{" and (not head["open"] or "\n" in body.group()):
            yield code.count("\n", 0, head.start()) + 1
