"""Each name in the table of schema/README.md, "Words", exists where the table says.

Run: python3 -B tests/tidy/words_test.py.
"""
import functools
import json
import os
import re
import sys
import unittest

sys.path.insert(0, os.path.dirname(__file__))
import style_test

PAGE = "schema/README.md"
HEADING = "Words"
COLUMNS = ("C++", "TOML", "wire", "JSON", "SQL", "leasectl", "metrics")
PREFIX = "leasehold_"  # of every metric
WIRE_SHARED = ("groups",)  # rows that several messages have, told before them
SQL_OBJECT = re.compile(r"^CREATE (?:TABLE|VIEW) (\w+)(.*?);$", re.M | re.S)
KEY_SECTION = re.compile(r"^## (\[.*)$", re.M)


def section(text: str, heading: str, level: str = "##") -> str:
    found = re.search(rf"^{level} {re.escape(heading)}\n(.*?)(?=^#{{1,{len(level)}}} |\Z)", text,
                      re.M | re.S)
    return found[1] if found else ""


def rows_of(page: str) -> list[dict[str, str]]:
    """Cells by the name of their column."""
    lines = [line for line in section(page, HEADING).splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [dict(zip(cells[0], row, strict=True)) for row in cells[2:]]


@functools.cache
def headers() -> str:
    """Without comments, which may say any word."""
    return re.sub(r"//.*", "", "\n".join(style_test.text(path) for path in style_test.ending(".hpp")
                                         if not path.startswith("tests/")))


def bodies_of(kind: str) -> list[str]:
    """What stands in each definition of a type of that name."""
    start = re.compile(rf"^(?:struct|class|enum class) {kind}\b[^;{{]*{{(.*?)^}};|"
                       rf"^enum class {kind}\b[^{{]*{{(.*?)}};", re.M | re.S)
    return [found[1] or found[2] or "" for found in start.finditer(headers())]


def in_cpp(name: str) -> bool:
    kind, _, member = name.partition("::")
    if not member and re.search(rf"^using {kind} =", headers(), re.M):
        return True
    return any(re.search(rf"\b{member}\b", body) for body in bodies_of(kind))


def in_toml(name: str) -> bool:
    """`[section] key`, or `key` of any section."""
    place, key = name.rsplit(" ", 1) if " " in name else ("", name)
    pages = [style_test.text(page) for page in ("config/KEYS.md", "config/AGENT_KEYS.md")]
    return any(f"\n| `{key}` |" in section(page, found) for page in pages
               for found in KEY_SECTION.findall(page) if found.startswith(place))


def in_wire(name: str) -> bool:
    """`message.field`; where a message has maps of its own, a field of these."""
    message, field = name.split(".")
    page = style_test.text("schema/wire/README.md")
    told = section(page, HEADING) if message in WIRE_SHARED else section(page, message, "###")
    return any(re.search(rf"\b{field}\b", names) for names in re.findall(r"`([^`]+)`", told))


def fields_of(schema: object) -> set[str]:
    if isinstance(schema, list):
        return set().union(*map(fields_of, schema))
    if not isinstance(schema, dict):
        return set()
    return set(schema.get("properties", ())).union(*map(fields_of, schema.values()))


def in_json(name: str) -> bool:
    file, field = name.split(".")
    text = style_test.text(f"schema/json/{file}.schema.json") \
        if f"schema/json/{file}.schema.json" in style_test.tracked() else "{}"
    return field in fields_of(json.loads(text))


def in_sql(name: str) -> bool:
    table, _, column = name.partition(".")
    found = dict(SQL_OBJECT.findall(style_test.text("schema/sql/readable/tables.sql")))
    return table in found and re.search(rf"\b{column}\b", found[table]) is not None


def in_leasectl(name: str) -> bool:
    command, _, option = name.partition(" ")
    told = section(style_test.text("schema/COMMANDS.md"), command)
    return bool(told) and (not option or f"`{option}`" in told)


def in_metrics(name: str) -> bool:
    return any(f"`{PREFIX}{name}`" in style_test.text(page)
               for page in ("schema/METRICS.md", "schema/AGENT_METRICS.md"))


EXISTS = {"C++": in_cpp, "TOML": in_toml, "wire": in_wire, "JSON": in_json, "SQL": in_sql,
          "leasectl": in_leasectl, "metrics": in_metrics}


class Measure(unittest.TestCase):
    """The measure itself: what is not there is not found."""

    def test_finds_what_is_there_and_nothing_else(self) -> None:
        for column, right, wrong in (
                ("C++", "Holding::held", "Holding::hold"), ("C++", "SlotGroup", "SlotGroups"),
                ("TOML", "[[export_policy]] hosts", "[[resource_group]] hosts"),
                ("wire", "order.seq", "welcome.seq"), ("JSON", "leases.phase", "leases.stage"),
                ("JSON", "leases.phase", "tenancies.phase"), ("SQL", "lease", "rent"),
                ("SQL", "holding.due", "lease.due"), ("leasectl", "drain", "drains"),
                ("leasectl", "leases --phase", "drain --phase"),
                ("metrics", "flips_total", "flip_total")):
            with self.subTest(f"{column}: {wrong}"):
                self.assertTrue(EXISTS[column](right), right)
                self.assertFalse(EXISTS[column](wrong))


class Words(unittest.TestCase):
    def setUp(self) -> None:
        self.rows = rows_of(style_test.text(PAGE))

    def test_are_told_once_each_with_their_meaning(self) -> None:
        self.assertGreater(len(self.rows), 40)
        words = [row["Word"] for row in self.rows]
        self.assertEqual(sorted(set(words)), sorted(words))
        self.assertEqual([row["Word"] for row in self.rows if not row["Is"]], [])

    def test_each_name_exists_where_the_table_says(self) -> None:
        for row in self.rows:
            for column in COLUMNS:
                names = re.findall(r"`([^`]+)`", row[column])
                self.assertEqual(bool(names), bool(row[column]), f"{row['Word']}, {column}")
                for name in names:
                    with self.subTest(f"{row['Word']}, {column}: {name}"):
                        self.assertTrue(EXISTS[column](name), "there is no such name")


if __name__ == "__main__":
    unittest.main()
