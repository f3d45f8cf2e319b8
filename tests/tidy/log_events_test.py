"""The guide's table of log events is what the daemons can log: each event is named, and each that is named
is there, in the section of the program that logs it. Events of the history are in schema/EVENTS.md.

Run: python3 tests/tidy/log_events_test.py.
"""
import os
import re
import sys
import unittest

sys.path.insert(0, os.path.dirname(__file__))
import style_test

PAGE = "broker/guide/log-events.md"
SECTIONS = {"The broker": "broker/", "An agent": "agent/", "Both": "common/"}
ROW = re.compile(r"^\| `([a-z-]+)` \|", re.M)
CALL = re.compile(r"\blog_(?:trace|debug|info|warn|error|list)\(\s*([^,;{)]+(?:\(\))?)")
NAME = re.compile(r'"([a-z-]+)"')
# Calls whose event is no literal: the folder in which its names stand, and how; None: an event of the history.
ELSEWHERE = {
    ("agent/io/agent/reclaims.cpp", "how"): ("agent/io/agent/", re.compile(r'\bend\([^;{]*?"([a-z-]+)"')),
    ("broker/daemon/record_log.cpp", "level"): None,
}
LOG_ITSELF = {"common/log.cpp": re.compile(r'\blog_line\([^;]*?"([a-z-]+)"'), "common/log.hpp": None}


def names_in(folder: str, pattern: re.Pattern[str]) -> list[str]:
    return [name for path in style_test.ending(".cpp") if path.startswith(folder)
            for name in pattern.findall(style_test.text(path))]


def logged_in(path: str, text: str) -> set[str]:
    if path in LOG_ITSELF:
        return set(LOG_ITSELF[path].findall(text)) if LOG_ITSELF[path] else set()
    found: set[str] = set()
    for call in CALL.finditer(text):
        event = " ".join(call[1].split())
        names = NAME.findall(event)
        if not names:
            source = ELSEWHERE[path, event]  # a call in another form: say there where its names stand
            names = names_in(*source) if source else []
        found.update(names)
    return found


def logged() -> dict[str, set[str]]:
    """The events of each section, by the source."""
    found: dict[str, set[str]] = {section: set() for section in SECTIONS}
    for section, folder in SECTIONS.items():
        for path in style_test.ending(".cpp", ".hpp"):
            if path.startswith(folder):
                found[section] |= logged_in(path, style_test.text(path))
    return found


def inside_the_log() -> set[str]:
    """Events of the log itself, which it writes without a call."""
    return logged_in("common/log.cpp", style_test.text("common/log.cpp"))


def section(text: str, heading: str) -> str:
    return text.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]


class LogEvents(unittest.TestCase):
    def test_are_each_in_the_table_of_their_program_and_the_table_names_no_others(self) -> None:
        history = set(ROW.findall(style_test.text("schema/EVENTS.md")))
        self.assertGreater(len(history), 20)
        page = style_test.text(PAGE)
        for heading, events in logged().items():
            with self.subTest(heading):
                self.assertTrue(events)
                self.assertEqual(sorted(ROW.findall(section(page, heading))), sorted(events - history))

    def test_stand_in_their_order_with_three_columns(self) -> None:
        for heading in SECTIONS:
            rows = [line for line in section(style_test.text(PAGE), heading).splitlines()
                    if line.startswith("| `")]
            self.assertEqual(rows, sorted(rows, key=lambda row: ROW.match(row)[1]))
            for row in rows:
                self.assertEqual(len(row.split(" | ")), 3, row)


class Finder(unittest.TestCase):
    """The measure itself."""

    def test_finds_events_behind_conditions_and_line_ends(self) -> None:
        self.assertEqual(logged_in("x.cpp", 'log_warn(\n    "a-b", {{"why", w}});log_info(x ? "c" : "d",'),
                         {"a-b", "c", "d"})

    def test_refuses_a_call_whose_event_it_cannot_find(self) -> None:
        with self.assertRaises(KeyError):
            logged_in("x.cpp", "log_info(name, {});")


if __name__ == "__main__":
    unittest.main()
