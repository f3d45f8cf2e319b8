"""One type, one definition: the linker takes the first of two with the same name, and says nothing.

Run: python3 tests/tidy/one_definition_test.py. A broker of before ended at its start with `free(): invalid
pointer`: two rooms had each a `Door` of their own, so `optional<Door>` of the one was that of the other.
"""
import collections
import re
import unittest

import style_test

OPENED = re.compile(r"(?:inline )?namespace\s*([\w:]*)\s*{(?!.*})")
CLOSED = re.compile(r"}\s*//\s*namespace")
# A member of another type (struct Log::Row) and a specialization belong to a name that has its place.
DEFINED = re.compile(r"(?:struct|class|union|enum(?: class)?)\s+(?:\[\[\w+\]\]\s*)?(\w+)\s*"
                     r"(?:final\s*)?(?::\s*[^:].*)?{")


def types_of(code: str) -> set[str]:
    """The types that `code` defines where others can name them: not in unnamed namespaces, not in types."""
    spaces: list[str] = []
    found = set()
    for line in code.splitlines():
        if opened := OPENED.match(line):
            spaces.append(opened[1])
        elif CLOSED.match(line) and spaces:
            spaces.pop()
        elif (defined := DEFINED.match(line)) and "" not in spaces:
            found.add("::".join([*spaces, defined[1]]))
    return found


class OneDefinition(unittest.TestCase):
    def test_what_counts_as_one(self) -> None:
        for code, names in (("struct Row {", {"Row"}), ("class Door final : public Exchange {", {"Door"}),
                            ("enum class Door : uint8_t { in, out };", {"Door"}), ("struct Row;", set()),
                            ("struct Log::Row {", set()), ("  struct Row {", set())):
            self.assertEqual(types_of(code), names, code)
        named = "namespace leasehold::ctl {\nclass Row {\n}  // namespace leasehold::ctl\nclass Door {"
        self.assertEqual(types_of(named), {"leasehold::ctl::Row", "Door"})
        self.assertEqual(types_of("namespace {\nstruct Row {\n}  // namespace\nstruct Door {"), {"Door"})

    def test_each_type_has_one(self) -> None:
        places = collections.defaultdict(list)
        for path in style_test.ending(".hpp", ".cpp"):
            for name in types_of(style_test.text(path)):
                places[name].append(path)
        self.assertGreater(len(places), 500)
        twice = {name: paths for name, paths in places.items() if len(paths) > 1}
        self.assertEqual(twice, {})


if __name__ == "__main__":
    unittest.main()
