#!/usr/bin/python3
"""What tests cost, as support/run_test.py measured it: processor seconds by test, then by kind of test.

    tests/support/costs.py build/costs [--beside KEPT] [--keep KEPT]

--beside: each row has what it was in a table that --keep wrote, and rows that are only there are told. Of what --keep
wrote to tests/costs.tsv cmake takes the order in which tests start, the longest first; tests/costs_before.tsv is the
oldest table that was measured, and has no seconds."""
import argparse
import json
import re
import sys
from collections import defaultdict
from pathlib import Path

SLOWEST = 20
TESTS = Path(__file__).resolve().parents[1]
REASONS = TESTS / "why_processes.tsv"
KEPT = TESTS / "costs.tsv"
BEFORE = TESTS / "costs_before.tsv"
# Kinds of tests that start programs to see how they get on with each other.
OF_PROCESSES = {"integration", "postgres", "crash", "stress", "releases", "page"}
HEAD = f"{'processor s':>11} {'before':>8} {'seconds':>8}  test"


def file_of(folder: Path, name: str) -> Path:
    """What run_test.py writes of a test."""
    return folder / (re.sub(r"[^A-Za-z0-9.-]+", "_", name) + ".json")


def of(folder: Path, name: str) -> dict:
    file = file_of(folder, name)
    return json.loads(file.read_text()) if file.exists() else {}


def measured(folder: Path) -> dict[str, dict]:
    rows = [json.loads(each.read_text()) for each in folder.glob("*.json")]
    return {row["name"]: row for row in rows}


def _rows(path: Path | None) -> list[list[str]]:
    return [line.split("\t") for line in path.read_text().splitlines()] if path and path.exists() else []


def kept(path: Path | None) -> dict[str, float]:
    """Processor seconds of a table."""
    return {row[-1]: float(row[0]) for row in _rows(path)}


def seconds_kept(path: Path) -> dict[str, float]:
    return {row[-1]: float(row[1]) for row in _rows(path) if len(row) == 3}


def kind(name: str) -> str:
    before, colon, what = name.partition(": ")
    return "unit" if what == "unit" else before if colon else name


def line(now: float | None, before: float | None, took: float | None, name: str) -> str:
    words = ["-" if each is None else f"{each:.1f}" for each in (now, before, took)]
    return f"{words[0]:>11} {words[1]:>8} {words[2]:>8}  {name}"


def by_kind(costs: dict[str, float]) -> dict[str, float]:
    sums: dict[str, float] = defaultdict(float)
    for name, cost in costs.items():
        sums[kind(name)] += cost
    return sums


def table(now: dict[str, float], before: dict[str, float], took: dict[str, float]) -> list[str]:
    names = sorted({*now, *before}, key=lambda name: (-now.get(name, 0.0), name))
    return [line(now.get(name), before.get(name), took.get(name), name) for name in names]


def slowest(took: dict[str, float]) -> list[str]:
    """With real processes."""
    of_processes = [name for name in took if kind(name) in OF_PROCESSES and "what needs no browser" not in name]
    return sorted(of_processes, key=took.get, reverse=True)[:SLOWEST]


def reasons() -> dict[str, str]:
    """By test, why it is one with real processes."""
    return dict(line.split("\t") for line in REASONS.read_text().splitlines())


def main() -> int:
    words = argparse.ArgumentParser()
    words.add_argument("folder", type=Path)
    words.add_argument("--beside", type=Path)
    words.add_argument("--keep", type=Path)
    asked = words.parse_args()
    rows, before = measured(asked.folder), kept(asked.beside)
    if not rows:
        print(f"{asked.folder} has no measured tests: scripts/test --cost runs them", file=sys.stderr)
        return 2
    costs = {name: row["processor_s"] for name, row in rows.items()}
    took = {name: row["seconds"] for name, row in rows.items()}
    if asked.beside:
        which = ", the oldest that was measured" if asked.beside.resolve() == BEFORE else ""
        print(f"before: {asked.beside}{which if before else ': there is no such table'}")
    print("\n".join([HEAD, *table(costs, before, took), "", HEAD.replace("test", "kind"),
                     *table(by_kind(costs), by_kind(before), by_kind(took))]))
    print(line(sum(costs.values()), sum(before.values()) if before else None, None, "all"))
    print(f"\nThe {SLOWEST} slowest with real processes, and why they are:")
    print("\n".join(f"{took[name]:8.1f} s  {name}: {reasons().get(name, f'add it to {REASONS.name}')}"
                    for name in slowest(took)))
    for row in rows.values():
        for left in row["left"]:
            print(f"{row['name']} left a process running: {left}")
    if asked.keep:
        asked.keep.write_text("".join(f"{cost}\t{took[name]}\t{name}\n" for name, cost in sorted(costs.items())))
    return 0


if __name__ == "__main__":
    sys.exit(main())
