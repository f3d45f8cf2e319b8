#!/usr/bin/python3
"""The page's types of answers (broker/page/src/model.ts) are those of schema/json: each field is in the schema of its
question, has its kinds of values, and may be absent or null only where the schema says so."""
import json
import re
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Where the schema of each interface stands: a question's, and a path into it; "[]" are the items of a list.
PLACES = {"Attention": "attention []", "Order": "status frozen", "StatusRow": "status", "Cluster": "clusters []",
          "Side": "leases [] provider_slots", "Lease": "leases []", "LeaseHost": "lease hosts []",
          "Transfer": "lease transfers []", "HistoryRow": "history []", "LeaseDetail": "lease",
          "Condition": "explain 0 conditions []", "ShadowSaid": "explain 0 shadow", "Explain": "explain 0",
          "OtherExplain": "explain 1", "Premise": "forecast holds []", "Moment": "forecast likely",
          "Forecast": "forecast", "Usage": "usage []", "Compared": "compare []", "Consumer": "consumers []",
          "Host": "hosts []"}
ELSEWHERE = {"AsOf", "Answer", "About"}  # of schema/http
INTERFACE = re.compile(r"^export interface (\w+)(?:<\w+>)?(?: extends \w+)? \{((?s:\n.*?^)|.*)\}$", re.M)
FIELD = re.compile(r"\s*(\w+)(\?)?: ")


def schema_at(place: str) -> dict:
    question, *steps = place.split()
    schema = json.loads((ROOT / "schema/json" / f"{question}.schema.json").read_text())
    for step in steps:
        schema = schema["items"] if step == "[]" else schema["oneOf"][int(step)] if step.isdigit() \
            else schema["properties"][step]
    return next(each for each in schema.get("anyOf", schema.get("oneOf", [schema])) if "properties" in each)


def kinds_of_schema(schema: dict) -> set[str]:
    for choice in ("oneOf", "anyOf"):
        if choice in schema:
            return set().union(*map(kinds_of_schema, schema[choice]))
    names = {"NoneType": "null", "str": "string", "bool": "boolean", "int": "number"}
    if "enum" in schema or "const" in schema:
        return {names[type(value).__name__] for value in schema.get("enum", [schema.get("const")])}
    kinds = schema["type"]
    return {"number" if kind == "integer" else kind for kind in ([kinds] if isinstance(kinds, str) else kinds)}


def parts(text: str, separators: str) -> list[str]:
    """The text, cut at separators outside of all brackets."""
    depth, cut = 0, [""]
    for sign in text:
        depth += (sign in "({<[") - (sign in ")}>]")
        if sign in separators and depth == 0:
            cut.append("")
        else:
            cut[-1] += sign
    return [part.strip() for part in cut if part.strip()]


def kinds_of_type(text: str) -> set[str]:
    kinds = set()
    for one in parts(text, "|"):
        if one.endswith("[]"):
            kinds.add("array")
        elif one.startswith("'"):
            kinds.add("string")
        elif one.startswith("(") and "&" not in one:
            kinds |= kinds_of_type(one[1:-1])
        else:
            kinds.add(one if one in ("string", "number", "boolean", "null") else "object")
    return kinds


def words_of_type(text: str) -> set[str]:
    return {one.strip("'") for one in parts(text, "|") if one.startswith("'")}


def words_of_schema(schema: dict) -> set[str]:
    return {value for value in schema.get("enum", [schema.get("const")]) if isinstance(value, str)}


def fields_of(body: str) -> list[tuple[str, bool, str]]:
    found = []
    for line in parts(re.sub(r"\n\s{4,}", " ", body), "\n;"):
        field = FIELD.match(line)
        found.append((field[1], field[2] == "?", line[field.end():]))
    return found


def offences(model: str) -> list[str]:
    found = []
    for name, body in INTERFACE.findall(model):
        if name in ELSEWHERE:
            continue
        schema = schema_at(PLACES[name])
        for field, optional, text in fields_of(body):
            known = schema["properties"].get(field)
            if known is None:
                found.append(f"{name}.{field}: {PLACES[name]} has no such field")
                continue
            kinds, right = kinds_of_type(text), kinds_of_schema(known)
            if kinds != right:
                found.append(f"{name}.{field}: its values are {sorted(right)}, not {sorted(kinds)}")
            words, right = words_of_type(text), words_of_schema(known)
            if words and words != right:
                found.append(f"{name}.{field}: its words are {sorted(right)}, not {sorted(words)}")
            if field not in schema["required"] and not optional:
                found.append(f"{name}.{field}: it may be absent; write {field}?")
    return found


class ThePagesTypes(unittest.TestCase):
    model = (ROOT / "broker/page/src/model.ts").read_text()

    def test_are_those_of_the_schemas(self) -> None:
        self.assertEqual(offences(self.model), [])

    def test_each_has_its_schema(self) -> None:
        self.assertEqual({name for name, _ in INTERFACE.findall(self.model)}, PLACES.keys() | ELSEWHERE)

    def test_a_field_of_another_name_or_kind_is_found(self) -> None:
        for changed in (("  flips: number", "  flops: number"), ("  flips: number", "  flips: string"),
                        ("  flow: 'import' |", "  flow: 'improt' |"), ("  left: number | null", "  left: number")):
            with self.subTest(changed[1]):
                self.assertIn(changed[0], self.model)
                self.assertTrue(offences(self.model.replace(*changed)))


if __name__ == "__main__":
    sys.exit(unittest.main())
