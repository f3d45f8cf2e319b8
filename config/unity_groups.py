#!/usr/bin/env python3
"""Says which files of a program can be compiled as one: unity_groups.py SIZE FILE...

Prints the number of a group for each file, in the order given, with a ';' between. Files of one
group keep out of each other's way: a name that one has for itself (in an unnamed namespace, static,
by using or #define) no other has in its text or in a header of the project that it includes, be it as
its own or as a local name. No group is larger than SIZE.
"""
import functools
import re
import sys
from pathlib import Path

NOT_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|#include[^\n]*', re.DOTALL)
# clang-format puts what stands in a namespace at the start of its line.
TYPE = re.compile(r"(?:template <.*> )?(?:struct|class|enum class|enum|union) (\w+)")
USING = re.compile(r"using (?:(\w+) =.*|(?:\w+::)*(\w+);)$")
OTHER = re.compile(r"[A-Za-z][\w:<>,&*\[\] ]*?[ &*>](\w+)(?: ?[{\[=;]|(\())")
WORD = re.compile(r"(?<![\w.])(?<!->)([A-Za-z_]\w*)(?:\s*(\())?")
MACRO = re.compile(r"#define (\w+)")
INCLUDE = re.compile(r'#include "([^"]+)"')
ROOT = Path(__file__).resolve().parent.parent


def own_names(text: str) -> dict[str, str]:
    """What a file keeps to itself, and the line it stands in; a function's name ends in '('."""
    names, unnamed = {name: "#define" for name in MACRO.findall(text)}, False
    for line in text.splitlines():
        if line in ("namespace {", "}  // namespace"):
            unnamed = line == "namespace {"
        elif found := USING.match(line):
            names[found[1] or found[2]] = line
        elif unnamed or line.startswith("static "):
            if found := TYPE.match(line):
                names[found[1]] = line
            elif found := OTHER.match(line):
                names[found[1] + (found[2] or "")] = line
    return names


def words_of(text: str) -> set[str]:
    """Every name in it that does not follow a dot or an arrow; with '(' too where one follows."""
    words = set()
    for word, call in WORD.findall(NOT_CODE.sub(" ", text)):
        words |= {word, word + call}
    return words


@functools.cache
def names_of_header(header: str) -> frozenset[str]:
    """What a header of the project declares, and those that it includes."""
    path = ROOT / header
    if not path.is_file():
        return frozenset()
    text = path.read_text(encoding="utf-8")
    names = set().union(*map(names_of_header, INCLUDE.findall(text)))
    for line in text.splitlines():
        line = line.removeprefix("inline ").removeprefix("constexpr ")
        if found := TYPE.match(line):
            names.add(found[1])
        elif found := OTHER.match(line):
            names.add(found[1] + (found[2] or ""))
    return frozenset(names)


def words_with_headers(text: str) -> set[str]:
    return words_of(text).union(*map(names_of_header, INCLUDE.findall(text)))


def meets(names: dict[str, str], others: dict[str, str], words: set[str]) -> bool:
    """Whether names stand in the way of a file of those words; what both mean alike does not."""
    return any(name in words and not (line.startswith("using ") and others.get(name) == line)
               for name, line in names.items())


def groups(files: list[str], size: int) -> list[int]:
    texts = [Path(file).read_text(encoding="utf-8") for file in files]
    own = [own_names(text) for text in texts]
    words = [words_with_headers(text) for text in texts]
    every = range(len(files))
    in_the_way = [[meets(own[a], own[b], words[b]) or meets(own[b], own[a], words[a])
                   for b in every] for a in every]
    members: list[list[int]] = []
    chosen = [0] * len(files)
    for file in sorted(every, key=lambda file: -sum(in_the_way[file])):
        fits = [group for group in range(len(members)) if len(members[group]) < size
                and not any(in_the_way[file][other] for other in members[group])]
        if not fits:
            members.append([])
        chosen[file] = fits[0] if fits else len(members) - 1
        members[chosen[file]].append(file)
    return chosen


if __name__ == "__main__":
    print(";".join(map(str, groups(sys.argv[2:], int(sys.argv[1])))), end="")
