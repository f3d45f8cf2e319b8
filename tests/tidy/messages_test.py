"""What the programs say is for an operator who has never seen the source: rules for each text that messages.py finds,
and for the files that are installed beside them.

Run: python3 -B tests/tidy/messages_test.py.
"""
import os
import re
import sys
import unittest
from collections.abc import Callable
from fnmatch import fnmatch
from pathlib import Path

sys.path[:0] = [os.path.dirname(__file__), str(Path(__file__).resolve().parents[2] / "broker/guide")]
import log_events_test
import make_site
import messages
import style_test
from messages import Message

# Pages and examples that are installed have no folder of the tree before their name.
SOURCE_PATH = re.compile(r"\b[\w/-]+\.(?:cpp|hpp|py|ts|cmake)\b|"
                         r"(?<![\w./-])(?:agent|broker|common|config|schema|scripts|tests)/[\w-]+(?:/|\.)")
INSTALLED = ("config/*.toml", "config/systemd/*", "config/prometheus/*.yml")  # config/install.cmake
GUIDE_PAGE = re.compile(r"(?:/docs|/usr/share/doc/leasehold)/([\w-]+\.html)(?:#([\w-]+))?")
FILLED_IN = re.compile(r"\{[^{}]*\}")
LITERAL = re.compile(r'"([^"]*)"')
FIELD = re.compile(r'\w+\(\w+ , "\w+"\)')  # text(row , "mend"): a value, whose key is not shown
EVENT = re.compile(r"[a-z]+(?:-[a-z]+)*")
# An event is something that happened or is so: a noun or a participle, never what somebody does, is or hears.
NOT_IN_EVENTS = {"alike", "anew", "does", "elsewhere", "hears", "is", "leads", "of", "refuses", "stands", "told",
                 "whom"}
SPELLINGS = {"why": {"because", "cause", "error", "problem", "trouble", "what"},
             "then": {"consequence", "effect", "in_force", "leases", "orders", "so", "tried_again"},
             "do": {"advice", "all_of_it", "hint", "to_choose", "to_do"}}
TWO_ENDS = re.compile(r"(?<!\.)\.\s*\.(?!\.)(?![\w/])")


def paths_of_the_source(message: Message) -> list[str]:
    is_page = message.text.startswith("# Metrics of")  # a page of the tree that a program writes
    return [] if is_page else SOURCE_PATH.findall(said_by(message))


def private_words(message: Message) -> list[str]:
    return style_test.PRIVATE.findall(said_by(message))


def said_by(message: Message) -> str:
    """The words, with those that may be filled in between them, and without the code."""
    text = " ".join([message.text, *(value for _, value in message.fields if " " in value)])
    while FILLED_IN.search(text):
        text = FILLED_IN.sub(lambda found: "…".join(["", *LITERAL.findall(FIELD.sub("", found[0])), ""]), text)
    return text


def badly_named(message: Message) -> list[str]:
    if message.kind != "event" or (EVENT.fullmatch(message.text)
                                   and not NOT_IN_EVENTS & set(message.text.split("-"))):
        return []
    return [message.text]


def other_spellings(message: Message) -> list[str]:
    return [f"{key} (say {right})" for key, _ in message.fields
            for right, wrong in SPELLINGS.items() if key in wrong]


def two_ends(message: Message) -> list[str]:
    return TWO_ENDS.findall(said_by(message))


def empty_advice(message: Message) -> list[str]:
    return [key for key, value in message.fields if key in SPELLINGS and not value.strip('"')]


Rule = Callable[[Message], list[str]]
# A rule, and a call that breaks it.
RULES: dict[str, tuple[Rule, str]] = {
    "names no file of the source": (paths_of_the_source, 'fail(Code::io, "see broker/guide/keys.md for " + name);'),
    "has no word of our own": (private_words, 'return "the agent of " + name + " is not heard";'),
    "an event is a noun or a participle": (badly_named, 'log_warn("host-of-whom", {{"host", host}});'),
    "reason, consequence and advice are why, then and do": (
        other_spellings, 'log_warn("host-lost", {{"error", describe(e)}});'),
    "ends once": (two_ends, 'return "the file " + name + " is empty. ." ;'),
    "advises something, or nothing": (empty_advice, 'log_warn("host-lost", {{"do", ""}});'),
}


class Messages(unittest.TestCase):
    def test_follow_each_rule(self) -> None:
        for name, (rule, _) in RULES.items():
            with self.subTest(name):
                broken = [f"{each.path}:{each.line}: {', '.join(rule(each))}: {each.text}"
                          for each in messages.messages() if rule(each)]
                self.assertFalse(broken, "\n" + "\n".join(broken))

    def test_have_every_event_that_the_guide_has(self) -> None:
        found = {each.text for each in messages.messages() if each.kind == "event"}
        by_the_page = set().union(*log_events_test.logged().values())
        self.assertEqual(sorted(by_the_page - found - log_events_test.inside_the_log()), [])


class InstalledFiles(unittest.TestCase):
    def setUp(self) -> None:
        self.files = {path: style_test.text(path) for path in style_test.tracked()
                      if any(fnmatch(path, each) for each in INSTALLED)}

    def test_name_no_file_of_the_source(self) -> None:
        self.assertLessEqual({"config/broker.toml", "config/packages/broker.toml",
                              "config/systemd/leasehold-backup.service"}, set(self.files))
        self.assertEqual([f"{path}:{number}: {line.strip()}" for path, text in self.files.items()
                          for number, line in enumerate(text.splitlines(), 1) if SOURCE_PATH.search(line)], [])

    def test_name_pages_and_places_that_the_guide_has(self) -> None:
        pages = {page.file: page.source.read_text() for page in make_site.pages()}
        named = [(path, *found) for path, text in self.files.items() for found in GUIDE_PAGE.findall(text)]
        self.assertIn(("config/scenario.toml", "schema.html", "simulated-time"), named)
        for path, page, place in named:
            with self.subTest(f"{path}: {page}#{place}"):
                taken: set[str] = set()
                places = {make_site.anchor_of(heading.replace("`", ""), taken)
                          for heading in re.findall(r"^#+ (.*)$", pages[page], re.M)}
                self.assertIn(place, places | {""})


class Finder(unittest.TestCase):
    """The measure itself."""

    def found(self, code: str) -> list[Message]:
        return messages.messages_in("x.cpp", code)

    def test_finds_what_breaks_each_rule(self) -> None:
        for name, (rule, code) in RULES.items():
            with self.subTest(name):
                self.assertTrue([each for each in self.found(code) if rule(each)])

    def test_joins_a_sentence_over_lines_and_what_is_filled_in(self) -> None:
        code = 'return fail(ErrorCode::io,\n  "host " + name(of) +\n  " has no " "slots" + (all ? " at all" : ""));'
        self.assertEqual([(each.kind, each.line, each.text) for each in self.found(code)],
                         [("error", 2, 'host {name(of)} has no slots{(all ? " at all" : "")}')])

    def test_finds_an_event_with_its_fields(self) -> None:
        event = self.found('if (x) log_warn("host-lost", {{"host", name}, {"why", "no answer of " + name}});')[0]
        self.assertEqual((event.kind, event.text, event.fields),
                         ("event", "host-lost", (("host", "name"), ("why", "no answer of {name}"))))

    def test_finds_sentences_of_the_page_and_no_code(self) -> None:
        code = """import { a } from '../a b'
          // 'no such host'
          export const few = (a: number): Promise<void> => ({ title: 'Last report', key: 'last_report' })
          const row = <p className="wide row">Nothing needs <b>{few}</b> any person.</p>
          const end = `${plain(row.cluster, 'of it')} reports it down`"""
        self.assertEqual([each.text for each in messages.of_the_page("x.tsx", code)],
                         ["Last report", "Nothing needs", "any person.",
                          "${plain(row.cluster, 'of it')} reports it down"])

    def test_finds_alerts(self) -> None:
        alerts = [each for each in messages.messages() if each.kind == "alert"]
        rules = style_test.text(messages.ALERTS).count("- alert:")
        self.assertEqual(len(alerts), rules)

    def test_leaves_out_comments_sql_and_single_words(self) -> None:
        self.assertEqual(self.found('// "no such host"\nf("select a from b where c"); g("tables");'), [])


if __name__ == "__main__":
    unittest.main()
