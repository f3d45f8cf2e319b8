"""Every threat in broker/SECURITY.md names the tests that show its answer, and each of them exists.

Run: python3 tests/tidy/named_tests.py.
"""
import ast
import re
import unittest
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
DOCUMENT = TESTS.parent / "broker/SECURITY.md"
NAMED = re.compile(r"`((?:unit|integration|simulation)/[\w./]+): ([^`]+)`")


def threats() -> list[tuple[str, list[tuple[str, str]]]]:
    """Rows of the table under "Threats and answers": the threat, and (file, test) of each test."""
    section = DOCUMENT.read_text().split("## Threats and answers", 1)[1].split("\n## ", 1)[0]
    rows = [line for line in section.splitlines() if line.startswith("| ")][1:]
    return [(row.split("|")[1].strip(), NAMED.findall(row)) for row in rows]


def names_in(path: Path) -> set[str]:
    text = path.read_text()
    if path.suffix == ".cpp":
        return set(re.findall(r'TEST_CASE\("([^"]+)"', text))
    return {f"{each.name}.{method.name}" for each in ast.parse(text).body
            if isinstance(each, ast.ClassDef) for method in each.body
            if isinstance(method, ast.FunctionDef) and method.name.startswith("test_")}


class Security(unittest.TestCase):
    def test_every_threat_names_a_test(self) -> None:
        self.assertGreater(len(threats()), 20)
        for threat, tests in threats():
            with self.subTest(threat):
                self.assertTrue(tests, "no test is named")

    def test_every_test_that_is_named_exists(self) -> None:
        for threat, tests in threats():
            for path, name in tests:
                with self.subTest(f"{threat}: {path}"):
                    self.assertTrue((TESTS / path).is_file(), "there is no such file")
                    self.assertIn(name, names_in(TESTS / path))


if __name__ == "__main__":
    unittest.main()
