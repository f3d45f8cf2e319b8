#!/usr/bin/env python3
"""Says which files of a program can be compiled as one: unity_groups.py SIZE FILE...

Prints the number of a group for each file, in the order given, with a ';' between. Files of one
group keep out of each other's way: a name that one has for itself (in an unnamed namespace, static,
by using or #define) no other has in its text or in a header of the project that it includes, be it as
its own or as a local name. What a header declares may be brought nearer, as by `using wire::Hello;`,
beside files that include that header too. No group is larger than SIZE.
"""
import functools
import re
import sys
from pathlib import Path

NOT_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|#include[^\n]*', re.DOTALL)
# clang-format puts what stands in a namespace at the start of its line.
TYPE = re.compile(r"(?:template <.*> )?(?:struct|class|enum class|enum|union) (\w+)")
USING = re.compile(r"using (?:(\w+) =.*|(?:\w+::)*(\w+);)$")
OTHER = re.compile(r"(?!using namespace )[A-Za-z][\w:<>,&*\[\] ]*?[ &*>](?!struct\b)(\w+)(?: ?[{\[=;]|(\())")
WORD = re.compile(r"(::)?\b(?<!\.)(?<!->)([A-Za-z_]\w*)(?:\s*(\())?")
NAMED = re.compile(r"namespace (\w+) \{$")
MACRO = re.compile(r"#define (\w+)")
INCLUDE = re.compile(r'#include "([^"]+)"')
ROOT = Path(__file__).resolve().parent.parent


def own_names(text: str) -> dict[str, str]:
    """What a file keeps to itself, and the line it stands in; a function's name ends in '('.

    A named place in an unnamed namespace counts by its name: others do not see what stands in it.
    """
    names, unnamed = {name: "#define" for name in MACRO.findall(text)}, False
    place = ""
    for line in text.splitlines():
        if place:
            place = "" if line == f"}}  // namespace {place}" else place
        elif line in ("namespace {", "}  // namespace"):
            unnamed = line == "namespace {"
        elif unnamed and (found := NAMED.match(line)):
            place = found[1]
            names[place] = line
        elif found := USING.match(line):
            names[found[1] or found[2]] = line
        elif unnamed or line.startswith("static "):
            if found := TYPE.match(line):
                names[found[1]] = line
            elif found := OTHER.match(line):
                names[found[1] + (found[2] or "")] = line
    return names


def words_of(text: str) -> set[str]:
    """Every name in it that does not follow a dot or an arrow; with '(' too where one follows.

    What is looked up in a place that is named, as in wire::Hello, is '::Hello': no name of another
    file is found there but a macro, for what a header declares there counts as a word (below).
    """
    words = set()
    for place, word, call in WORD.findall(NOT_CODE.sub(" ", text)):
        words |= {place + word, place + word + call}
    return words


@functools.cache
def names_of_header(header: str) -> frozenset[tuple[str, str]]:
    """What a header of the project declares, and those that it includes, each with its header."""
    path = ROOT / header
    if not path.is_file():
        return frozenset()
    text = path.read_text(encoding="utf-8")
    names = set().union(*map(names_of_header, INCLUDE.findall(text)))
    for line in text.splitlines():
        line = line.removeprefix("inline ").removeprefix("constexpr ")
        if found := TYPE.match(line):
            names.add((found[1], header))
        elif found := OTHER.match(line):
            names.add((found[1] + (found[2] or ""), header))
    return frozenset(names)


class File:
    def __init__(self, text: str) -> None:
        self.own = own_names(text)
        self.words = words_of(text)
        self.declared: dict[str, set[str]] = {}
        for name, header in frozenset().union(*map(names_of_header, INCLUDE.findall(text))):
            self.declared.setdefault(name, set()).add(header)

    def meets(self, other: "File") -> bool:
        return any(self.name_meets(name, line, other) for name, line in self.own.items())

    def name_meets(self, name: str, line: str, other: "File") -> bool:
        """Whether it stands in the way of the other file; what both mean alike does not."""
        if line == "#define" and f"::{name}" in other.words:
            return True
        if line.startswith("using "):
            if other.own.get(name) == line:
                return False
            # What is only brought nearer is the same as where headers declare it.
            if "=" not in line and other.declared.get(name, set()) <= self.declared.get(name, set()):
                return name in other.words
        return name in other.words or name in other.declared


def groups(files: list[str], size: int) -> list[int]:
    read = [File(Path(file).read_text(encoding="utf-8")) for file in files]
    every = range(len(files))
    in_the_way = [[one.meets(other) or other.meets(one) for other in read] for one in read]
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
