"""Which files may be compiled as one (config/unity_groups.py): python3 tests/tidy/unity_groups_test.py."""
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "config"))
import unity_groups


def unnamed(code: str) -> str:
    return f"namespace {{\n{code}\n}}  // namespace\n"


class Groups(unittest.TestCase):
    def grouped(self, texts: list[str], size: int = 10) -> list[int]:
        with tempfile.TemporaryDirectory() as folder:
            files = [Path(folder) / f"{number}.cpp" for number in range(len(texts))]
            for file, text in zip(files, texts):
                file.write_text(text)
            return unity_groups.groups([str(file) for file in files], size)

    def together(self, one: str, other: str) -> bool:
        first, second = self.grouped([one, other])
        return first == second

    def test_files_that_share_no_name_are_compiled_as_one(self) -> None:
        self.assertTrue(self.together(unnamed("int one() {"), unnamed("int other() {")))

    def test_the_same_own_name_keeps_files_apart(self) -> None:
        for code in ("constexpr int64_t kMs = 3;", "struct Row {", "std::string text_of(const Row& r) {",
                     "template <typename T> struct Box {", "const char* const kText[] = {",
                     "enum class Kind { a };"):
            self.assertFalse(self.together(unnamed(code), unnamed(code)), code)
        self.assertFalse(self.together("static int count = 0;\n", "static int count = 1;\n"))

    def test_what_names_nothing_does_not(self) -> None:
        for code in ("using namespace leasehold;", "const struct {"):
            self.assertTrue(self.together(unnamed(code), "namespace leasehold {\nstruct Row {\n"), code)

    def test_the_same_name_in_named_places_does_not(self) -> None:
        one, other = (unnamed(f"namespace {place} {{\nstruct Row {{\n}}  // namespace {place}\nint {place}_x = 1;")
                      for place in ("shares", "quotas"))
        self.assertTrue(self.together(one, other))
        self.assertFalse(self.together(one, one))
        self.assertFalse(self.together(one, other + unnamed("int shares_x = 1;")))

    def test_a_name_that_another_file_has_from_elsewhere_keeps_them_apart(self) -> None:
        own = unnamed("Error refuse(const std::string& text) {")
        self.assertFalse(self.together(own, "int f() { return refuse(3); }\n"))
        self.assertFalse(self.together(unnamed("struct Row {"), "void f() { struct Row { int x; }; }\n"))
        self.assertFalse(self.together("using nlohmann::json;\n", "int f(int json) { return json; }\n"))
        self.assertFalse(self.together("#define STEP 1\n", "int STEP;\n"))

    def test_a_name_of_a_header_that_another_file_includes_keeps_them_apart(self) -> None:
        # A test's own borrowed() beside that of the scenes: the call was ambiguous.
        other = '#include "tests/unit/core/fixtures.hpp"\nint x;\n'
        self.assertFalse(self.together(unnamed("PlanSite borrowed(int slots) {"), other))
        self.assertTrue(self.together(unnamed("PlanSite borrowed_of(int slots) {"), other))

    def test_members_comments_and_texts_do_not(self) -> None:
        own = unnamed("bool check(int x) {")
        for code in ("a.check(1);", "a->check(1);", "// check(1)", 'f("check(1)");', "int check = 1;"):
            self.assertTrue(self.together(own, f"void g() {{\n  {code}\n}}\n"), code)

    def test_a_name_in_a_place_that_is_named_does_not_but_for_a_macro(self) -> None:
        other = "void g() { text::check(1); }\n"
        self.assertTrue(self.together(unnamed("bool check(int x) {"), other))
        self.assertFalse(self.together("#define check(x) x\n", other))

    def test_a_name_brought_nearer_does_not_where_headers_declare_it_alike(self) -> None:
        header = '#include "common/wire/message.hpp"\n'
        near = header + "using wire::Hello;\n"
        self.assertTrue(self.together(near, header + "wire::Hello f();\n"))
        self.assertTrue(self.together(near, "int f();\n"))
        self.assertFalse(self.together(near, header + "int f(int Hello) { return Hello; }\n"))
        self.assertFalse(self.together("using other::Hello;\n", header + "wire::Hello f();\n"))
        self.assertFalse(self.together(header + "using Hello = int;\n", header + "wire::Hello f();\n"))

    def test_what_both_mean_alike_does_not(self) -> None:
        self.assertTrue(self.together("using nlohmann::json;\n", "using nlohmann::json;\n"))
        self.assertFalse(self.together("using Row = int;\n", "using Row = long;\n"))

    def test_no_group_is_larger_than_asked(self) -> None:
        groups = self.grouped(["int x;\n"] * 7, 3)
        self.assertEqual(sorted(groups.count(group) for group in set(groups)), [1, 3, 3])


if __name__ == "__main__":
    unittest.main()
