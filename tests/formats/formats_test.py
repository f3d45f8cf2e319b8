"""Databases that programs of each format wrote say today what they said then.

formats_test.py --make writes the folder of the format to come anew (LEASEHOLD_BIN).
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "integration"))
from processes import LAST_BOUND_S  # noqa: E402

HERE = Path(__file__).resolve().parent
LEASECTL = Path(os.environ.get("LEASEHOLD_BIN", HERE.parents[1] / "build/bin")) / "leasectl"
TO_COME = "10"

CLUSTERS = """
[[cluster]]
name = "east"
slots = {own}
trace = "east.swf"
[[cluster]]
name = "west"
slots = {own}
trace = "west.swf"
[[export_policy]]
name = "pool"
provider = "east"
slots = 8
"""
SCENARIOS = {
    "lease": """
[simulation]
until = "6h"
reclaim_delay = "5m"
transfer_time = "2s"
compare = ["idle-comparison"]
""" + CLUSTERS.format(own=4) + """
type = "shared"
distribution = [{ cluster = "west", shares = 1 }]
""",
    "plan": """
[simulation]
until = "6h"
compare = ["plan"]
plan = "shares.toml"
""" + CLUSTERS.format(own=1),
}
PLAN = """
[[resource_group]]
name = "compute"
policies = ["pool"]
policy = "ownership"
cycle = "1m"
[[consumer]]
path = "/east"
cluster = "east"
owned = 6
lend_limit = 3
[[consumer]]
path = "/west"
cluster = "west"
owned = 2
borrow_limit = 4
borrow_from = ["*"]
reclaim_grace = "30s"
"""
QUESTIONS = {
    "history.csv": ["history", "--csv"],
    "usage.json": ["usage", "--json"],
    "leases.json": ["leases", "--json"],
    "then.json": ["leases", "--at", "{half}", "--json"],
    "consumers.json": ["consumers", "--json"],
    "hosts.json": ["hosts", "--json"],
}


def leasectl(*words) -> str:
    done = subprocess.run([LEASECTL, *map(str, words)], capture_output=True, text=True, check=False,
                          stdin=subprocess.DEVNULL, timeout=LAST_BOUND_S)
    if done.returncode != 0:
        raise AssertionError(f"leasectl {' '.join(map(str, words))}: {done.stdout}{done.stderr}")
    return done.stdout


def asked(database: Path) -> dict[str, str]:
    rows = json.loads(leasectl("history", "--json", "--db", database))
    half = rows[len(rows) // 2]["time"]
    return {name: leasectl(*[word.format(half=half) for word in words], "--db", database)
            for name, words in QUESTIONS.items()}


def trace(seed: int, jobs: int) -> str:
    """Jobs of a few widths and lengths that come in waves, in the Standard Workload Format."""
    lines = []
    for job in range(jobs):
        at = job * 97 * seed % 21_600
        lines.append((at, f"{at} -1 {300 + job * 61 % 2_400} {1 + job * seed % 4}"))
    return "".join(f"{number} {line} -1 -1 -1 -1 -1 1 1 1 1 1 1 -1 -1\n"
                   for number, (_, line) in enumerate(sorted(lines), 1))


def make() -> None:
    folder = HERE / TO_COME
    folder.mkdir(exist_ok=True)
    for name, scenario in SCENARIOS.items():
        with tempfile.TemporaryDirectory() as path:
            for file, text in {"east.swf": trace(3, 60), "west.swf": trace(5, 90),
                               "shares.toml": PLAN, "scenario.toml": scenario}.items():
                Path(path, file).write_text(text)
            database = Path(path, "run.db")
            leasectl("simulate", Path(path, "scenario.toml"), "--database", database)
            (folder / f"{name}.db").write_bytes(database.read_bytes())
        for file, text in asked(folder / f"{name}.db").items():
            (folder / f"{name}.{file}").write_text(text)


class Databases(unittest.TestCase):
    def test_of_each_format_say_what_they_said(self) -> None:
        databases = sorted(HERE.glob("*/*.db"))
        self.assertGreaterEqual(len(databases), 2)
        for database in databases:
            for file, text in asked(database).items():
                with self.subTest(database=database.name, file=file):
                    self.assertEqual(text, database.with_suffix(f".{file}").read_text())

    def test_of_each_format_have_a_whole_chain(self) -> None:
        for database in HERE.glob("*/*.db"):
            with self.subTest(database=database.name):
                told = json.loads(leasectl("replay", database, "--verify", "--json"))
                self.assertTrue(told["ok"])
                self.assertGreater(told["events"], 50)


    def test_of_another_core_are_not_said_to_decide_the_same(self) -> None:
        """What was not judged is no part of the sentence that all was decided again."""
        for database in HERE.glob("*/*.db"):
            told = json.loads(leasectl("replay", database, "--verify", "--json"))
            not_judged = sum(part["last_event"] - part["first_event"] + 1
                             for part in told["not_judged"])
            judged = told["events"] - not_judged
            verified = leasectl("replay", database, "--verify")
            looked = leasectl("doctor", "--db", database)
            with self.subTest(database=database, verified=verified, looked=looked):
                self.assertEqual("deciding them again gives the same" in verified, judged > 0)
                self.assertEqual(f"verified: {judged} events" in verified, judged > 0)
                self.assertEqual("were not judged" in looked, not_judged > 0)
                self.assertEqual(f"all {told['events']} events were decided again with the same outcome" in looked,
                                 not_judged == 0)


if __name__ == "__main__":
    if sys.argv[1:] == ["--make"]:
        make()
    else:
        unittest.main()
