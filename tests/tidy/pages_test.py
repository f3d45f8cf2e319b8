"""How much there is to read: the pages of the tree, by their words; and that their lines are of one width.

Run: python3 tests/tidy/pages_test.py. What programs print is not counted, nor the glossary (schema/README.md,
"Words"), nor comments, which no page shows. A page that says more lets another say less: WORDS_MOST may only fall.
"""
import re
import unittest
from pathlib import Path
from typing import Iterator

import style_test
import words_test

ROOT = Path(__file__).resolve().parents[2]
TABLES = {"broker/guide/log-events.md"}  # to look things up in; log_events_test.py holds it against the source
PRINTED = {"config/AGENT_KEYS.md", "config/KEYS.md", "schema/AGENT_METRICS.md", "schema/COMMANDS.md",
           "schema/EVENTS.md", "schema/METRICS.md", "schema/REASONS.md"}
WORDS_MOST = 45_000
README_LINES_MOST = 150
COLUMNS_MOST = 120
FENCE = re.compile(r" *(```+|~~~+)")


def words_of(page: str) -> int:
    text = re.sub(r"<!--.*?-->", "", style_test.text(page), flags=re.DOTALL)
    if page == words_test.PAGE:
        text = text.replace(words_test.section(text, words_test.HEADING), "")
    return len(text.split())


def lines_of_prose(text: str) -> Iterator[tuple[int, str]]:
    """The lines, with their numbers, that stand neither in a table nor in code."""
    fence = ""
    for number, line in enumerate(text.splitlines(), 1):
        mark = FENCE.match(line)
        if fence:
            fence = "" if mark and mark[1].startswith(fence) else fence
        elif mark:
            fence = mark[1]
        elif not line.lstrip().startswith("|"):
            yield number, line


class Measure(unittest.TestCase):
    def test_finds_prose_and_neither_tables_nor_code(self) -> None:
        page = "# A page\n\n| a | b |\n```console\n$ a\n```\nprose\n  ````\n```\n  ````\n- an item\n"
        self.assertEqual([number for number, _ in lines_of_prose(page)], [1, 2, 7, 11])


class Pages(unittest.TestCase):
    def test_wrap_at_one_width(self) -> None:
        self.assertEqual([f"{page}:{number}: {len(line)} columns" for page in style_test.ending(".md")
                          for number, line in lines_of_prose(style_test.text(page))
                          if len(line) > COLUMNS_MOST], [])

    def test_are_no_more_to_read_than_before(self) -> None:
        pages = set(style_test.ending(".md")) - TABLES
        self.assertLessEqual(PRINTED, pages)
        words = {page: words_of(page) for page in pages - PRINTED}
        longest = sorted(words, key=words.get, reverse=True)[:8]
        self.assertLessEqual(sum(words.values()), WORDS_MOST,
                             "; ".join(f"{page}: {words[page]}" for page in longest))

    def test_of_which_the_first_is_read_in_some_minutes(self) -> None:
        self.assertLessEqual(len((ROOT / "README.md").read_text().splitlines()), README_LINES_MOST)


if __name__ == "__main__":
    unittest.main()
