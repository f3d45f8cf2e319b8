"""The house style as a test: what a reader should never have to point out twice.

Run: python3 tests/tidy/style_test.py. What is too long today stands in allowed_long.txt, with the
length that it may not exceed; entries that are no longer needed are an error, so the list only shrinks.
"""
import ast
import functools
import json
import os
import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

sys.path[:0] = [os.path.dirname(__file__), os.path.join(os.path.dirname(__file__), "../integration")]
import cpp_functions
import skipped

ROOT = Path(__file__).resolve().parents[2]
ALLOWED = ROOT / "tests/tidy/allowed_long.txt"
FUNCTION_LINES_MAX = 50
FILE_LINES_MAX = 350
TEST_LINES_MAX = 400  # a table of cases reads better whole
COLUMNS_MAX = 100
# Of the page: TypeScript, styles, and the programs and tests beside them.
OF_THE_PAGE = (".ts", ".tsx", ".css", ".mjs")
# A program makes it of the schemas: page_types_test.py.
PRINTED = ("broker/page/src/model.ts",)
TOP_LEVEL = {"CMakeLists.txt", "CMakePresets.json", "README.md", "agent", "broker", "common",
             "config", "schema", "scripts", "tests"}
VAGUE_NAMES = re.compile(r"(^|_)(manager|helpers?|utils?|impl|misc|stuff)(_|$)")
LATER_MARKS = re.compile(r"\b(" + "|".join(("TO" + "DO", "FIX" + "ME", "XX" + "X")) + r")\b")
OF_ONE_MACHINE = re.compile(r"(?<!\w)/(root|home/\w+|Users/\w+|work)/|/tmp/build|/\.(pyenv|cargo|npm)/")
FRAGMENT = re.compile(r"(Of|What|As|Who|Whom|Whose|Where|Once)\b")
QUESTION = re.compile(r"(How|Which|Whether|Why)\b")
PROGRAMS = ("agent/", "broker/", "common/")
PAGE_SOURCES = "broker/page/src/"
# Words of our own for what the field has a name for. Names of fields and of rules are no prose.
PRIVATE_WORDS = ("anew", "calm", "calmed", "calming", "calms", "desk", "door", "ground", "hang-up", "heard", "hears",
                 "mend", "mended", "mends", "refit", "scene", "settle", "settled", "settles", "settling", "standing",
                 "told", "untold")
PRIVATE = re.compile(rf"(?<![\w.>-])(?:{'|'.join(PRIVATE_WORDS)})(?![\w(]| *=)", re.I)  # settle = "15s": a key
PRIVATE_NAME = re.compile(r"\b\w*(?:(?<![a-z])(?:anew|desk|ground|mend|refit|scene|hang_up)(?![a-z])"
                          r"|(?:Anew|Desk|Door|Ground|Mend|Refit|Scene|HangUp)(?![a-z]))\w*\b")
# In tests too. `KEPT_NAMES` leave the process as they are (schema/README.md, "Words"; canaries.txt) or are C++'s own.
UNFIT_NAME = re.compile(r"\b\w*(?:(?<![a-z])(?:[Uu]n)?(?:told|heard|settle[ds]?|volatile)(?![a-z])"
                        r"|(?:Told|Heard|Settled?|Volatile)(?![a-z])"
                        r"|(?:(?<![A-Za-z])due|Due)(?![a-z])\w*_ms(?![a-z]))\w*\b")
KEPT_NAMES = ("answers_before_settle", "cluster_heard_age", "heard_boottime_ms", "heard_sent_ms", "last_heard",
              "settle_ms", "told_ms", "volatile")
CODE_OR_QUOTE = re.compile(r"`[^`]*`|\"[^\"]*\"")
GLOSSARY = "schema/README.md"
REGISTRY_HOSTS = re.compile(r"(registry\.npmjs|pypi|crates|proxy\.golang|deb\.debian)\.(org|io)\b")


@functools.cache
def tracked() -> list[str]:
    """Paths of the tree under version control; of an unpacked archive, every file outside build*/."""
    try:
        out = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True)
        paths = out.stdout.decode().split("\0")
    except (OSError, subprocess.CalledProcessError):
        paths = [str(path.relative_to(ROOT)) for path in ROOT.rglob("*")
                 if not re.match(r"build|\.git(/|$)", str(path.relative_to(ROOT)))]
    return sorted(path for path in paths if path and (ROOT / path).is_file())


def ending(*suffixes: str) -> list[str]:
    return [path for path in tracked() if path.endswith(suffixes)]


@functools.cache
def text(path: str) -> str:
    """"" for files that are not text."""
    data = (ROOT / path).read_bytes()
    return "" if b"\0" in data else data.decode("utf-8", errors="replace")


def is_golden(path: str) -> bool:
    return "/golden/" in path


def lines_of_python(path: str) -> list[tuple[str, int]]:
    tree = ast.parse(text(path))
    return [(node.name, node.end_lineno - node.lineno + 1) for node in ast.walk(tree)
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]


@functools.cache
def long_things() -> dict[str, int]:
    """What exceeds a limit: "path" or "path:function" to its length."""
    found: dict[str, int] = {}
    for path in ending(".cpp", ".hpp", ".py", *OF_THE_PAGE):
        if path in PRINTED:
            continue
        length = text(path).count("\n")
        if length > (TEST_LINES_MAX if path.startswith("tests/") else FILE_LINES_MAX):
            found[path] = length
        if path.endswith(".py"):
            functions = lines_of_python(path)
        elif path.endswith(OF_THE_PAGE):
            functions = []  # their linter is the compiler of types
        else:
            functions = [(item.name, item.lines) for item in cpp_functions.functions(text(path))]
        for name, lines in functions:
            if lines > FUNCTION_LINES_MAX:
                key = f"{path}:{name}"
                found[key] = max(lines, found.get(key, 0))
    return found


def allowed_long() -> dict[str, int]:
    rows = [line.split() for line in ALLOWED.read_text().splitlines()
            if line.strip() and not line.startswith("#")]
    return {name: int(length) for length, name in rows}


@functools.cache
def comment_starts(code: str) -> list[tuple[int, str]]:
    """Line and text of each comment block's first line, and of each comment behind code."""
    found = []
    in_block = False
    for number, line in enumerate(code.splitlines(), 1):
        own_line = re.match(r"\s*//[/<]*\s?(.*)", line)
        behind = None if own_line or '"' in line else re.search(r"\S\s+//[/<]*\s+(\S.*)", line)
        words = own_line or behind
        if words and words[1].strip() and not (own_line and in_block):
            found.append((number, words[1].strip()))
        in_block = bool(own_line and own_line[1].strip())
    return found


def comments(code: str) -> list[tuple[int, str]]:
    """Line and text of each line that has a comment, without what it quotes."""
    found = ((number, re.search(r"(?:^|\s)//[/<]*\s+(\S.*)", line))
             for number, line in enumerate(code.splitlines(), 1))
    return [(number, CODE_OR_QUOTE.sub("", words[1])) for number, words in found if words]


def rewritten() -> list[str]:
    return [path for path in ending(".cpp", ".hpp")
            if path.startswith(PROGRAMS)]


def of_the_page() -> list[str]:
    return [path for path in ending(".ts", ".tsx") if path.startswith(PAGE_SOURCES) and path not in PRINTED]


class CommentStarts(unittest.TestCase):
    """The finder of comments, before it is used."""

    def test_it_finds_the_first_line_of_a_block_and_comments_behind_code(self) -> None:
        code = ("/// A room.\n/// Of one door.\nint a;  // Of b\nint c;  ///< As d\n//\n// Who asks\n"
                "// What for\nauto e = \"f  // Of g\";\n")
        self.assertEqual(comment_starts(code), [(1, "A room."), (3, "Of b"), (4, "As d"),
                                                (6, "Who asks")])


class PrivateWords(unittest.TestCase):
    """The finder of words, before it is used."""

    def test_it_finds_names_of_ours_and_no_others(self) -> None:
        self.assertEqual(PRIVATE_NAME.findall("int copy_anew, mend_ms, background, Ground, recommended, groundless;"),
                         ["copy_anew", "mend_ms", "Ground"])
        self.assertEqual(UNFIT_NAME.findall("int told_, kToldMost, settle_all, unheard; kForgetOld, settling, Untold;"),
                         ["told_", "kToldMost", "settle_all", "unheard", "Untold"])
        self.assertEqual(UNFIT_NAME.findall("int due, due_ms, next_due_ms_, kDue_ms; overdue_ms, due_msg, residue_ms;"),
                         ["due_ms", "next_due_ms_", "kDue_ms"])

    def test_a_key_of_a_configuration_is_no_word(self) -> None:
        self.assertEqual(PRIVATE.findall("settle  = 15, then settle; settle_ms, standing"), ["settle", "standing"])

    def test_it_reads_the_page_and_the_tests(self) -> None:
        self.assertTrue(set(of_the_page()) >= {"broker/page/src/cell.ts", "broker/page/src/views/lease.tsx"})
        self.assertEqual(comment_starts("/// Of a\nconst b = 1  // What c\n"), [(1, "Of a"), (2, "What c")])

    def test_it_reads_comments_and_not_what_they_quote(self) -> None:
        self.assertEqual(comments('int a;  // of `told_ms`\n/// "told" so\nauto b = "http://c";\n'),
                         [(1, "of "), (2, " so")])


class CppFunctions(unittest.TestCase):
    """The measure itself, before it is used."""

    def test_it_counts_a_function_and_not_its_class(self) -> None:
        code = "class A {\n  int f(int x) const {\n    if (x) {\n    }\n    return 1;\n  }\n};\n"
        self.assertEqual([(f.name, f.line, f.lines) for f in cpp_functions.functions(code)],
                         [("f", 2, 5)])

    def test_a_lambda_belongs_to_its_function_and_braces_in_text_do_not_count(self) -> None:
        code = 'void g() {\n  auto h = [] {\n    puts("}{");  // }\n  };\n}\nint k() { return \'{\'; }\n'
        self.assertEqual([(f.name, f.lines) for f in cpp_functions.functions(code)],
                         [("g", 5), ("k", 1)])

    def test_a_body_on_a_line_of_its_own_has_braces(self) -> None:
        code = ("if (a) b();\nif (a())\n  b();\nfor (int c : {1, 2}) {\n}\nwhile (a)  // {\n  b();\nif (a) {\n"
                "} else if (b) {\n} else\n  c();\nif constexpr (a) [[likely]] {\n}\ndo {\n} while (a);\n"
                "do b(); while (a);\nint undo = 1, elsewhere;\n")
        self.assertEqual(list(cpp_functions.bodies_without_braces(code)), [2, 6, 10, 16])

    def test_a_table_is_not_a_function(self) -> None:
        code = "constexpr int kTable[] = {\n 1,\n 2};\nnamespace a::b {\nstruct S { int x = f(2); };\n}\n"
        self.assertEqual(list(cpp_functions.functions(code)), [])


class Style(unittest.TestCase):
    def no_offence(self, offences: list[str]) -> None:
        if offences:
            self.fail("\n" + "\n".join(offences))

    def offences(self, pattern: re.Pattern[str], paths: list[str]) -> list[str]:
        return [f"{path}:{number}: {match.group()}" for path in paths
                for number, line in enumerate(text(path).splitlines(), 1)
                if (match := pattern.search(line))]

    def test_functions_and_files_are_short(self) -> None:
        allowed = allowed_long()
        self.no_offence([f"{name}: {lines} lines" for name, lines in sorted(long_things().items())
                         if lines > allowed.get(name, 0)])

    def test_the_list_of_long_things_only_shrinks(self) -> None:
        found = long_things()
        self.no_offence([f"{name}: no longer needed in {ALLOWED.name}" for name in allowed_long()
                         if name not in found])

    def test_lines_fit_a_screen(self) -> None:
        paths = [path for path in ending(".cpp", ".hpp", ".py", ".sql", ".txt", *OF_THE_PAGE)
                 if not is_golden(path)]
        self.no_offence([f"{path}:{number}: {len(line)} columns" for path in paths
                         for number, line in enumerate(text(path).splitlines(), 1)
                         if len(line) > COLUMNS_MAX + (20 if not path.endswith("pp") else 0)])

    def test_bodies_have_braces(self) -> None:
        self.no_offence([f"{path}:{line}: the body on a line of its own has braces"
                         for path in ending(".cpp", ".hpp")
                         for line in cpp_functions.bodies_without_braces(text(path))])

    def test_json_is_read_behind_one_door(self) -> None:
        """common/text/json_text.hpp bounds the depth of trees; who reads token by token has a bound."""
        library = re.compile(r"(Json|json)::(parse|accept)\(|json_sax_dom")
        self.no_offence(self.offences(library, [path for path in ending(".cpp", ".hpp")
                                                if path != "common/text/json_text.cpp"
                                                and not path.startswith("tests/")]))

    def test_memory_is_asked_for_where_the_compiler_keeps_it(self) -> None:
        """A function that does nothing else is dropped with what it asks for: common/prefetch.hpp."""
        self.no_offence(self.offences(re.compile(r"__builtin_prefetch\("), [
            path for path in ending(".cpp", ".hpp") if path != "common/prefetch.hpp"]))

    def test_properties_are_judged(self) -> None:
        """rc::check tells by its value alone that it failed: without a CHECK around it, it cannot."""
        offences = []
        for path in ending(".cpp", ".hpp"):
            code = cpp_functions.blank(text(path))
            offences += [f"{path}:{code.count(chr(10), 0, found.start()) + 1}: put a CHECK around it"
                         for found in re.finditer(r"\brc::check\(", code)
                         if not re.search(r"\b(CHECK|REQUIRE)\(\s*$", code[:found.start()])]
        self.no_offence(offences)

    def test_file_names_say_what_is_in_the_file(self) -> None:
        sources = ending(".cpp", ".hpp", ".py", *OF_THE_PAGE)
        self.no_offence([path for path in sources if VAGUE_NAMES.search(Path(path).stem)])

    def test_the_top_level_is_a_table_of_contents(self) -> None:
        tops = {path.split("/")[0] for path in tracked()}
        self.no_offence(sorted(top for top in tops - TOP_LEVEL if not top.startswith(".")))

    def test_nothing_is_left_for_later(self) -> None:
        self.no_offence(self.offences(LATER_MARKS, [p for p in tracked() if not is_golden(p)]))

    def test_nothing_is_said_of_one_machine(self) -> None:
        paths = [path for path in tracked() if path != "tests/tidy/style_test.py"]
        self.no_offence(self.offences(OF_ONE_MACHINE, paths) + self.offences(REGISTRY_HOSTS, paths))

    def test_migrations_are_numbered_without_a_gap(self) -> None:
        names = [Path(path).name for path in ending(".sql")
                 if os.path.dirname(path) == "schema/sql"]
        numbers = [int(match.group(1)) for name in names if (match := re.match(r"(\d+)[_-]", name))]
        self.assertEqual(len(numbers), len(names), names)
        self.assertEqual(sorted(numbers), list(range(10, 10 + len(numbers))), names)

    def test_comments_begin_as_sentences(self) -> None:
        """A comment that begins with one of these words leaves its noun in another file."""
        self.no_offence([f"{path}:{number}: the comment begins with '{match[1]}'; write a whole "
                         f"sentence, with a subject and a verb: {words}"
                         for path in [*ending(".cpp", ".hpp"), *of_the_page()]
                         for number, words in comment_starts(text(path))
                         if (match := FRAGMENT.match(words))])

    def test_comments_say_what_is_so_and_ask_nothing(self) -> None:
        self.no_offence([f"{path}:{number}: the comment begins with '{match[1]}'; say 'Returns how', 'True if', "
                         f"'The X that': {words}" for path in rewritten() + of_the_page()
                         for number, words in comment_starts(text(path)) if (match := QUESTION.match(words))])

    def test_comments_pages_and_names_use_the_words_of_the_field(self) -> None:
        found = [f"{path}:{number}: {match[0]}" for path in [*ending(".cpp", ".hpp"), *of_the_page()]
                 for number, words in comments(text(path)) for match in PRIVATE.finditer(words)]
        found += [f"{path}:{number}: {match[0]}" for path in ending(".md")
                  for number, line in enumerate(text(path).splitlines(), 1)
                  if path != GLOSSARY or not line.startswith("|")
                  for match in PRIVATE.finditer(CODE_OR_QUOTE.sub("", line))]
        found += [f"{path}: the name {match[0]}" for path in rewritten() + of_the_page()
                  for match in PRIVATE_NAME.finditer(cpp_functions.blank(text(path)))]
        found += [f"{path}: the name {match[0]}" for path in [*ending(".cpp", ".hpp"), *of_the_page()]
                  for match in UNFIT_NAME.finditer(cpp_functions.blank(text(path))) if match[0] not in KEPT_NAMES]
        self.no_offence(found)

    def test_headers_are_guarded_by_pragma_once(self) -> None:
        self.no_offence([path for path in ending(".hpp") if "#pragma once" not in text(path)])

    def test_packages_are_pinned_and_name_no_place(self) -> None:
        """Each in one version, with its hash; from whatever registry the machine knows."""
        for path in ending("package.json"):
            wanted = json.loads(text(path))
            versions = {**wanted.get("dependencies", {}), **wanted.get("devDependencies", {})}
            self.no_offence([f"{path}: {name} {version}" for name, version in versions.items()
                             if not re.fullmatch(r"\d+\.\d+\.\d+", version)])
        for path in ending("package-lock.json"):
            packages = json.loads(text(path))["packages"]
            self.no_offence([f"{path}: {name}" for name, row in packages.items()
                             if name and ("resolved" in row or "integrity" not in row)])

    def test_lines_end_plainly(self) -> None:
        paths = [path for path in ending(".cpp", ".hpp", ".py", ".sql", ".toml", ".md", ".txt",
                                         *OF_THE_PAGE)
                 if not is_golden(path)]
        self.no_offence(self.offences(re.compile(r"[ \t]+$|\t.*|\r"), paths))

    def test_scripts_are_executable_and_parse(self) -> None:
        for path in [path for path in tracked() if path.startswith("scripts/")]:
            self.assertTrue(os.access(ROOT / path, os.X_OK), path)
            if text(path).startswith("#!/bin/sh"):
                subprocess.run(["sh", "-n", path], cwd=ROOT, check=True)

    @unittest.skipUnless(shutil.which("clang-format"), "clang-format is not installed: scripts/install-packages")
    def test_cpp_is_formatted(self) -> None:
        paths = ending(".cpp", ".hpp")
        run = subprocess.run(["clang-format", "--dry-run", *paths], cwd=ROOT, capture_output=True,
                             text=True, check=False)
        bad = sorted({line.split(":")[0] for line in run.stderr.splitlines() if "warning:" in line})
        self.no_offence([f"{path}: not formatted; run scripts/format" for path in bad])


if __name__ == "__main__":
    skipped.main()
