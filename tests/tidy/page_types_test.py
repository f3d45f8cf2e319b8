"""The page's types of answers (broker/page/src/model.ts) are what broker/page/make_model.py makes of the schemas.

Run: python3 -B tests/tidy/page_types_test.py.
"""
import json
import re
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "broker/page"))
import make_model  # noqa: E402

TEXT = {"type": "string"}
NUMBER = {"type": "integer"}


class ThePagesTypes(unittest.TestCase):
    def test_are_what_is_made_of_the_schemas(self) -> None:
        written = (ROOT / "broker/page/src/model.ts").read_text()
        self.assertEqual(written, make_model.model(), "the schemas are other than the page's types say; write them "
                         "anew: python3 -B broker/page/make_model.py > broker/page/src/model.ts")

    def test_of_rows_that_several_answers_have_are_one(self) -> None:
        for line in ("  needs: Attention[]", "  decisions: HistoryRow[]",
                     "export interface LeaseDetail extends Lease {", "  closed: Order | null"):
            self.assertIn(line + "\n", make_model.model())


class Errors(unittest.TestCase):
    def test_have_the_codes_of_the_programs(self) -> None:
        """A code that a standby answers was not in the schema."""
        tokens = re.search(r"tokens<ErrorCode>\(\{(.*?)\}\);", (ROOT / "common/result.hpp").read_text(), re.S)
        schema = json.loads((ROOT / "schema/json/error.schema.json").read_text())
        codes = schema["properties"]["error"]["properties"]["code"]["enum"]
        self.assertEqual(re.findall(r'"([a-z]+)"', tokens[1]), codes)


class Types(unittest.TestCase):
    def test_of_values_follow_the_schema(self) -> None:
        for schema, right in (
                (TEXT, "string"), ({"type": ["number", "null"]}, "number | null"), ({"type": "boolean"}, "boolean"),
                ({"enum": ["a-b", None, "c"]}, "'a-b' | 'c' | null"), ({"const": "lease"}, "'lease'"),
                ({"oneOf": [{"type": "null"}, NUMBER]}, "number | null"),
                ({"type": "array", "items": TEXT}, "string[]"),
                ({"type": "array", "items": {"type": ["string", "null"]}}, "(string | null)[]"),
                ({"type": "object", "additionalProperties": NUMBER}, "Record<string, number>"),
                ({"type": "object", "additionalProperties": True, "patternProperties": {".*": TEXT}},
                 "Record<string, string>"),
                ({"type": "array", "items": {"type": "object", "required": ["a"],
                                             "properties": {"a": TEXT, "b": NUMBER}}}, "{ a: string; b?: number }[]")):
            with self.subTest(schema):
                self.assertEqual(make_model.Types().of(schema), right)

    def test_of_what_a_schema_leaves_open_are_unknown(self) -> None:
        for schema, right in (({}, "unknown"), ({"type": "object", "additionalProperties": True},
                                                "Record<string, unknown>"), ({"type": "array"}, "unknown[]")):
            self.assertEqual(make_model.Types().of(schema), right)

    def test_with_all_fields_of_a_named_one_are_written_with_its_name(self) -> None:
        side = {"type": "object", "required": ["used", "idle"], "properties": {"used": NUMBER, "idle": NUMBER}}
        more = {**side, "properties": {**side["properties"], "of": TEXT}}
        other = {**side, "properties": {**side["properties"], "used": TEXT}}
        types = make_model.Types()
        self.assertEqual(list(types.interface("Side", side)),
                         ["export interface Side {", "  used: number", "  idle: number", "}"])
        self.assertEqual(types.of(side), "Side")
        self.assertEqual(types.of({"type": "array", "items": more}), "(Side & { of?: string })[]")
        self.assertEqual(types.of(other), "{ used: string; idle: number }")
        self.assertEqual(list(types.interface("More", more)),
                         ["export interface More extends Side {", "  of?: string", "}"])

    def test_fit_a_screen(self) -> None:
        words = {"enum": [f"word-{number}" for number in range(40)]}
        lines = list(make_model.Types().interface("Word", {"properties": {"word": words}}))
        self.assertGreater(len(lines), 4)
        self.assertLessEqual(max(map(len, lines)), make_model.COLUMNS)


if __name__ == "__main__":
    sys.exit(unittest.main())
