"""Every threat in broker/SECURITY.md, and every row of "What has been tried" in the guide's page for a
site that asks whether it is for it, names the tests that show it, and each of them exists; so do those
that the list of reports from other schedulers names. The slowest tests say why they start real processes.

Run: python3 tests/tidy/named_tests.py.
"""
import ast
import re
import sys
import unittest
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS / "support"))
import costs  # noqa: E402

TABLES = (("broker/SECURITY.md", "## Threats and answers"),
          ("broker/guide/is-it-for-my-site.md", "## What has been tried"))
REPORTS = "unit/rules/plan/reports_test.cpp"
NAMED = re.compile(r"`((?:unit|integration|schedulers|simulation)/[\w./]+): ([^`]+)`")


def rows_of(document: str, heading: str) -> list[tuple[str, list[tuple[str, str]]]]:
    """What is claimed in each row of the table below the heading, and (file, test) of each test."""
    section = (TESTS.parent / document).read_text().split(heading + "\n", 1)[1].split("\n## ", 1)[0]
    rows = [line for line in section.splitlines() if line.startswith("| ")][1:]
    return [(row.split("|")[1].strip(), NAMED.findall(row)) for row in rows]


def names_in(path: Path) -> set[str]:
    text = path.read_text()
    if path.suffix == ".cpp":
        return set(re.findall(r'TEST_CASE\(\s*"([^"]+)"', text))
    return {f"{each.name}.{method.name}" for each in ast.parse(text).body
            if isinstance(each, ast.ClassDef) for method in each.body
            if isinstance(method, ast.FunctionDef) and method.name.startswith("test_")}


class Claims(unittest.TestCase):
    def test_each_names_a_test(self) -> None:
        for table in TABLES:
            self.assertGreater(len(rows_of(*table)), 20)
            for claim, tests in rows_of(*table):
                with self.subTest(claim):
                    self.assertTrue(tests, "no test is named")

    def test_each_test_that_is_named_exists(self) -> None:
        for table in TABLES:
            for claim, tests in rows_of(*table):
                for path, name in tests:
                    with self.subTest(f"{claim}: {path}"):
                        self.assertTrue((TESTS / path).is_file(), "there is no such file")
                        self.assertIn(name, names_in(TESTS / path))

    def test_each_report_of_other_schedulers_is_shown_where_its_list_says(self) -> None:
        listed = re.sub(r"\n//\s*", " ", (TESTS / REPORTS).read_text())
        self.assertTrue(NAMED.findall(listed), "no test is named")
        for path, name in NAMED.findall(listed):
            with self.subTest(path):
                self.assertIn(name, names_in(TESTS / path))


class Reasons(unittest.TestCase):
    def test_each_of_the_slowest_says_why_it_is_one_with_real_processes(self) -> None:
        took = {name: float(seconds) for _, seconds, name in
                (line.split("\t") for line in (TESTS / "costs.tsv").read_text().splitlines())}
        self.assertEqual([name for name in costs.slowest(took) if name not in costs.reasons()], [])
        self.assertEqual(set(costs.reasons()) - set(took), set(), "there is no such test")


if __name__ == "__main__":
    unittest.main()
