"""How much there is to read: the pages of the tree, by their words.

Run: python3 tests/tidy/pages_test.py. What programs print is not counted, nor the glossary (schema/README.md,
"Words"), nor comments, which no page shows. A page that says more lets another say less: WORDS_MOST may only fall.
"""
import re
import unittest
from pathlib import Path

import style_test
import words_test

ROOT = Path(__file__).resolve().parents[2]
TABLES = {"broker/guide/log-events.md"}  # to look things up in; log_events_test.py holds it against the source
PRINTED = {"config/AGENT_KEYS.md", "config/KEYS.md", "schema/AGENT_METRICS.md", "schema/COMMANDS.md",
           "schema/EVENTS.md", "schema/METRICS.md", "schema/REASONS.md"}
WORDS_MOST = 45_000
README_LINES_MOST = 150


def words_of(page: str) -> int:
    text = re.sub(r"<!--.*?-->", "", style_test.text(page), flags=re.DOTALL)
    if page == words_test.PAGE:
        text = text.replace(words_test.section(text, words_test.HEADING), "")
    return len(text.split())


class Pages(unittest.TestCase):
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
