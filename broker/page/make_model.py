"""The page's types of the broker's answers, made of the lists of fields in schema/: what this prints is
src/model.ts, and tests/tidy/page_types_test.py compares the two.

    python3 -B broker/page/make_model.py > broker/page/src/model.ts

What the schemas leave open is `unknown`, so that the page can show it only once they say what it is.
"""
import json
import re
from pathlib import Path
from typing import Any, Iterator

ROOT = Path(__file__).resolve().parents[2]
HEAD = """\
// The fields of the broker's answers: what make_model.py prints, of the schemas in schema/.
"""
# What the page calls it: a schema, and a path into it; "[]" are the items of a list, a number is one of
# several kinds of answer. An object that has all fields of an earlier type is written with its name.
PLACES = {
    "AsOf": "http/as_of", "About": "http/about", "NobodyLeads": "http/nobody_leads",
    "BrokerEvent": "http/stream-broker", "StateEvent": "http/stream-state", "ErrorAnswer": "json/error",
    "Attention": "json/attention []", "Order": "json/status frozen", "StatusRow": "json/status",
    "Cluster": "json/clusters []", "Side": "json/leases [] provider_slots", "Lease": "json/leases []",
    "LeaseHost": "json/lease hosts []", "Transfer": "json/lease transfers []", "HistoryRow": "json/history []",
    "LeaseDetail": "json/lease", "Condition": "json/explain 0 conditions []",
    "ShadowSaid": "json/explain 0 shadow", "Explain": "json/explain 0", "OtherExplain": "json/explain 1",
    "Premise": "json/forecast holds []", "Moment": "json/forecast likely", "Forecast": "json/forecast",
    "Usage": "json/usage []", "UsedBy": "json/usage-by []", "Compared": "json/compare []",
    "Consumer": "json/consumers []", "Host": "json/hosts []", "Policy": "json/policies []"}
COLUMNS = 118
KINDS = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}
CUT = re.compile(r"(?<=;) |(?<=\|) (?=')")  # of a line that is too long: between fields, and between words
Schema = dict[str, Any]
Fields = dict[str, str]  # the name, with a ? where the field may be absent: its type


class Types:
    """Types out of schemas; those with a name are known from then on."""

    def __init__(self) -> None:
        self.named: dict[str, Fields] = {}

    def of(self, schema: Schema) -> str:
        return " | ".join(self.kinds_of(schema))

    def kinds_of(self, schema: Schema) -> list[str]:
        """The types that a value may have, null last."""
        if "const" in schema or "enum" in schema:
            found = [literal(value) for value in schema.get("enum", [schema.get("const")])]
        elif choices := schema.get("oneOf", schema.get("anyOf")):
            found = [kind for choice in choices for kind in self.kinds_of(choice)]
        else:
            kinds = schema.get("type", "unknown")
            found = [self.of_kind(kind, schema) for kind in ([kinds] if isinstance(kinds, str) else kinds)]
        return sorted(dict.fromkeys(found), key=lambda kind: kind == "null")

    def of_kind(self, kind: str, schema: Schema) -> str:
        if kind == "array":
            kinds = self.kinds_of(schema.get("items", {}))
            single = len(kinds) == 1 and (kinds[0].startswith("{") or " & " not in kinds[0])
            return f"{kinds[0]}[]" if single else f"({' | '.join(kinds)})[]"
        if kind == "object" and "properties" in schema:
            return self.of_fields(self.fields_of(schema))
        if kind == "object":
            values = [*schema.get("patternProperties", {}).values(), schema.get("additionalProperties")]
            return f"Record<string, {self.of(values[0] if isinstance(values[0], dict) else {})}>"
        return KINDS.get(kind, "unknown")

    def fields_of(self, schema: Schema) -> Fields:
        required = schema.get("required", [])
        return {name if name in required else f"{name}?": self.of(field)
                for name, field in schema["properties"].items()}

    def of_fields(self, fields: Fields) -> str:
        base = self.base_of(fields)
        own = "; ".join(f"{name}: {kind}" for name, kind in self.own_of(fields, base).items())
        return " & ".join(part for part in (base, own and f"{{ {own} }}") if part)

    def base_of(self, fields: Fields) -> str:
        """The largest named type whose fields are all among these; "": none."""
        fits = [name for name, known in self.named.items() if known.items() <= fields.items()]
        return max(fits, key=lambda name: len(self.named[name]), default="")

    def own_of(self, fields: Fields, base: str) -> Fields:
        return {name: kind for name, kind in fields.items() if name not in self.named.get(base, {})}

    def interface(self, name: str, schema: Schema) -> Iterator[str]:
        fields = self.fields_of(schema)
        base = self.base_of(fields)
        yield f"export interface {name}{base and f' extends {base}'} {{"
        for field, kind in self.own_of(fields, base).items():
            yield from laid_out(f"  {field}: {kind}")
        yield "}"
        self.named[name] = fields


def literal(value: str | int | bool | None) -> str:
    return f"'{value}'" if isinstance(value, str) else json.dumps(value)


def laid_out(line: str) -> list[str]:
    """The line, as several where it is too long."""
    first, *parts = CUT.split(line)
    lines = [first]
    for part in parts:
        if len(lines[-1]) + 1 + len(part) > COLUMNS:
            lines.append("   ")
        lines[-1] += " " + part
    return lines


def schema_at(place: str) -> Schema:
    """The object at one of PLACES."""
    file, *steps = place.split()
    schema = json.loads((ROOT / "schema" / f"{file}.schema.json").read_text())
    for step in steps:
        schema = schema["items"] if step == "[]" else schema["oneOf"][int(step)] if step.isdigit() \
            else schema["properties"][step]
    return next(each for each in schema.get("oneOf", [schema]) if "properties" in each)


def model() -> str:
    types = Types()
    return "\n".join([HEAD, *("\n".join(types.interface(name, schema_at(place))) + "\n"
                              for name, place in PLACES.items())])


if __name__ == "__main__":
    print(model(), end="")
