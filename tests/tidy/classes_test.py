"""Classes are parts: each has few members, and its functions stand in one place.

Run: python3 -B tests/tidy/classes_test.py. A class has at most 15 members, and its functions are
defined in at most 2 files, its header and one source: any function may touch any member, so that a
class cut into many files is still one thing to read. A struct counts where functions of it stand in
a source; one that only holds values may hold many.
"""
import os
import re
import sys
import unittest
from collections import defaultdict
from typing import Iterator, NamedTuple

sys.path.insert(0, os.path.dirname(__file__))
import cpp_functions
import style_test

Tree = dict[str, str]  # path from the root: text
MEMBERS_MAX = 15
FILES_MAX = 2

_CLASS = re.compile(r"\b(?P<kind>class|struct)\s+(?:\w+::)*(?P<name>\w+)(?:\s+final)?(?:\s*:[^;{()]*)?\s*\{")
_ENUM = re.compile(r"\benum\s+$")
# What begins a statement of a class that is no member of its objects.
_NO_MEMBER = re.compile(r"(using|friend|typedef|static|enum|struct|class|template|public|private)\b")
_LABEL = re.compile(r"^(?:\s*(?:public|private|protected)\s*:)+")
_MEMBER = re.compile(r"[\w>*&\s\]]\s*\b\w+\s*(?:\[[^\]]*\]\s*)*$")


class Class(NamedTuple):
    name: str
    is_struct: bool
    members: int


def _end_of(code: str, start: int) -> int:
    """Position behind the brace that closes the one before `start`."""
    depth = 1
    for position in range(start, len(code)):
        depth += {"{": 1, "}": -1}.get(code[position], 0)
        if depth == 0:
            return position + 1
    return len(code)


def _without(text: str, opening: str, closing: str) -> str:
    """`text` without what stands between brackets of that kind."""
    depth, kept = 0, []
    for char in text:
        if char == closing and depth:
            depth -= 1
        if depth == 0:
            kept.append(char)
        if char == opening:
            depth += 1
    return "".join(kept)


def _statements(body: str) -> Iterator[str]:
    """What stands directly in a class; of functions only their heads."""
    flat = _without(body, "{", "}")
    # A body ends its function; behind an initializer stands a semicolon, or another member.
    for statement in re.split(r";|(?<=\{\})(?!\s*[;,])", flat):
        yield _LABEL.sub("", statement).strip()


def _members(statement: str) -> int:
    """How many members of its objects a statement of a class declares."""
    declared = re.sub(r"\boperator\s*\S*", "operator(", statement)
    declared = _without(declared.replace("->", ""), "<", ">").split("=")[0]
    declared = re.sub(r"\{\}", "", declared)
    if "(" in declared or _NO_MEMBER.match(declared):
        return 0
    names = declared.split(",")
    return len(names) if _MEMBER.search(names[0]) and len(names[0].split()) > 1 else 0


def classes(text: str) -> list[Class]:
    """Every class and struct of `text`, nested ones by their own names."""
    code = cpp_functions.blank(text)
    found = []
    for match in _CLASS.finditer(code):
        if _ENUM.search(code, 0, match.start()):
            continue
        body = code[match.end():_end_of(code, match.end()) - 1]
        members = sum(_members(statement) for statement in _statements(body))
        found.append(Class(match["name"], match["kind"] == "struct", members))
    return found


def definitions(tree: Tree) -> dict[str, set[str]]:
    """Names of classes to the sources in which their functions are defined."""
    found: dict[str, set[str]] = defaultdict(set)
    for path, text in tree.items():
        if path.endswith(".cpp"):
            for function in cpp_functions.functions(text):
                parts = function.name.split("::")
                for part in parts[:-1]:
                    found[part].add(path)
    return found


def concerns(tree: Tree, source: str, header: str) -> bool:
    """True if `source` sees the header: it includes it, or the header of its own name does."""
    seen = f'"{header}"'
    own = tree.get(source[:-len(".cpp")] + ".hpp", "")
    return seen in tree[source] or seen in own


def measures(tree: Tree) -> dict[str, int]:
    """What exceeds a limit: "path:Class members" or "path:Class files" to its number."""
    found = {}
    defined = definitions(tree)
    for path, text in tree.items():
        for one in classes(text):
            sources = {source for source in defined[one.name]
                       if source == path or concerns(tree, source, path)}
            counts = {"files": len(sources | {path}),
                      "members": one.members if sources or not one.is_struct else 0}
            for what, most in (("files", FILES_MAX), ("members", MEMBERS_MAX)):
                if counts[what] > most:
                    found[f"{path}:{one.name} {what}"] = counts[what]
    return found


def product() -> Tree:
    return {path: style_test.text(path) for path in style_test.ending(".cpp", ".hpp")
            if path.startswith(("agent/", "broker/", "common/"))}


class Classes(unittest.TestCase):
    def test_classes_have_few_members_and_stand_in_one_place(self) -> None:
        self.assertEqual(measures(product()), {}, "split it by what changes together")


class TheMeasure(unittest.TestCase):
    def members(self, body: str) -> int:
        return classes(f"class A final : public B {{\n{body}\n}};\n")[0].members

    def test_members_are_counted_and_functions_types_and_statics_are_not(self) -> None:
        self.assertEqual(self.members(
            "public:\n explicit A(int x) : x_(x) {}\n A(A&&) = default;\n"
            " int x() const { return x_; }\n bool operator==(const A&) const = default;\n"
            " std::function<void(int)> made();\n using B = int;\n static constexpr int kMost = 4;\n"
            " struct C;\n friend class D;\n enum class E { a, b };\nprivate:\n int x_ = 0;\n"
            " std::map<int, std::pair<int, int>> map_;\n std::function<void(int)> call_;\n"
            " B b_{1, 2};\n int array_[3] = {};\n int one_, two_;\n"), 7)

    def test_members_of_a_nested_type_are_its_own(self) -> None:
        found = classes("class A {\n struct B {\n int x = 0;\n int y = 0;\n };\n B b_;\n};\n")
        self.assertEqual([(each.name, each.members) for each in found], [("A", 1), ("B", 2)])

    def test_files_are_the_header_and_each_source_that_defines_a_function(self) -> None:
        include = '#include "x/a.hpp"\n'
        tree = {"x/a.hpp": "class A {\n void f();\n void g();\n};\n",
                "x/a.cpp": include + "void A::f() {\n}\n",
                "x/b.cpp": include + "B A::g() {\n}\n",
                "x/c.cpp": include + "void h() {\n A::f();\n}\n",
                "x/d.cpp": "class A {\n void k();\n};\nvoid A::k() {\n}\n"}
        self.assertEqual(measures(tree), {"x/a.hpp:A files": 3})

    def test_a_struct_without_functions_in_a_source_may_hold_many_values(self) -> None:
        values = "struct A {\n" + "".join(f" int x{i} = 0;\n" for i in range(16)) + "};\n"
        tree = {"x/a.hpp": values}
        self.assertEqual(measures(tree), {})
        tree["x/a.cpp"] = '#include "x/a.hpp"\nvoid A::f() {\n}\n'
        self.assertEqual(measures(tree), {"x/a.hpp:A members": 16})


if __name__ == "__main__":
    unittest.main()
