"""Everything that leasectl prints with --json keeps to its schema in schema/json, and every field that
it prints is described there. Exit codes and streams are looked at along the way.
"""
import csv
import functools
import io
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from datetime import datetime
from pathlib import Path
from xml.etree import ElementTree

import jsonschema

from on_terminal import on_terminal
from processes import LAST_BOUND_S, PROGRAMS, wait_until
from scenes import made, moved, still_site

ROOT = Path(__file__).resolve().parents[2]
SCHEMAS = ROOT / "schema" / "json"

SCENARIO = """
[simulation]
reclaim_delay = "5m"
transfer_time = "10s"
compare = ["isolated", "demand-aware", "idle-comparison", "pooled"]
[[cluster]]
name = "east"
slots = 64
trace = "{trace}"
jobs = 300
[[cluster]]
name = "west"
slots = 64
trace = "{trace}"
load = 2.0
jobs = 300
[[export_policy]]
name = "pool"
provider = "east"
slots = 64
distribution = [{{ cluster = "west", shares = 1 }}]
type = "shared"
"""


def instant(text: str) -> datetime:
    return datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%f%z")


def closed(schema):
    """The schema, but with every object refusing fields that it does not describe."""
    if isinstance(schema, list):
        return [closed(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    result = {key: closed(value) for key, value in schema.items()}
    if "properties" in result:
        result.setdefault("additionalProperties", False)
    return result


@functools.cache
def validator(name: str) -> jsonschema.Draft202012Validator:
    schema = json.loads((SCHEMAS / f"{name}.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(closed(schema))


def check(name: str, value) -> None:
    validator(name).validate(value)


def leasectl(*words, **options):
    environment = {**os.environ, "HOME": "/nonexistent"}
    environment.pop("LEASEHOLD_BROKER", None)
    return subprocess.run([PROGRAMS / "leasectl", *map(str, words)], capture_output=True, text=True,
                          env=environment, timeout=LAST_BOUND_S, stdin=subprocess.DEVNULL, **options)


class TheSchemas(unittest.TestCase):
    def test_notice_a_field_that_they_do_not_describe(self) -> None:
        error = {"code": "io", "message": "x", "file": None, "line": None, "column": None}
        check("error", {"error": error})
        with self.assertRaises(jsonschema.ValidationError):
            check("error", {"error": error, "colour": "red"})
        with self.assertRaises(jsonschema.ValidationError):
            check("error", {"error": {**error, "line": "one"}})


class OfADatabase(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.path = Path(tempfile.mkdtemp(prefix="leasehold-json-"))
        cls.addClassCleanup(shutil.rmtree, cls.path)
        cls.database = cls.path / "run.db"
        cls.scenario = cls.path / "scenario.toml"
        cls.scenario.write_text(SCENARIO.format(trace=ROOT / "tests/data/campus.swf.gz"))
        cls.simulated = leasectl("simulate", cls.scenario, "--json", "--database", cls.database)

    def ask(self, *words, schema=None):
        answer = leasectl(*words, "--json", "--db", self.database)
        self.assertEqual((answer.returncode, answer.stderr), (0, ""), words)
        value = json.loads(answer.stdout)
        check(schema or words[0], value)
        return value

    def refused(self, code: int, *words):
        answer = leasectl(*words, "--json")
        self.assertEqual(answer.returncode, code, f"{words}: {answer.stdout}{answer.stderr}")
        value = json.loads(answer.stdout)
        self.assertTrue(answer.stderr)
        return value

    def test_simulate(self) -> None:
        self.assertEqual(self.simulated.returncode, 0, self.simulated.stderr)
        check("simulate", json.loads(self.simulated.stdout))

    def test_the_example_of_a_scenario_runs_with_each_key_that_it_names(self) -> None:
        for trace in ("east", "west"):
            shutil.copy(ROOT / "tests/data/campus.swf.gz", self.path / f"{trace}.swf.gz")
        example = (ROOT / "config/scenario.toml").read_text().replace("= 6000", "= 600").replace(
            '"1d"', '"1h"')
        for rule, keys in (("idle-comparison", r"(?!)"), ("demand-aware", r"(?!plan|start)\w+")):
            scenario = self.path / "example.toml"
            scenario.write_text(re.sub(r"^compare.*", f'compare = ["{rule}"]', re.sub(
                rf"^# ({keys}) *=", r"\1 =", example, flags=re.M), flags=re.M))
            with self.subTest(rule):
                done = leasectl("simulate", scenario, "--json")
                self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_simulate_draws_a_picture_or_says_why_not(self) -> None:
        picture = self.path / "rules.svg"
        drawn = leasectl("simulate", self.scenario, "--json", "--plot", picture)
        self.assertEqual((drawn.returncode, drawn.stderr), (0, ""))
        self.assertEqual(json.loads(drawn.stdout), json.loads(self.simulated.stdout))
        svg = ElementTree.parse(picture).getroot()
        self.assertEqual(svg.tag, "{http://www.w3.org/2000/svg}svg")
        self.assertIn("Slots held by west", [text.text for text in svg.iter() if text.text])
        nowhere = leasectl("simulate", self.scenario, "--plot", "/nowhere/rules.svg")
        self.assertEqual((nowhere.returncode, nowhere.stdout), (1, ""))
        self.assertIn("/nowhere/rules.svg: cannot be written", nowhere.stderr)

    def test_simulate_with_seeds(self) -> None:
        """The jobs of the scenario are from some hours: a seed draws parts of an hour."""
        scenario = self.path / "seeds.toml"
        scenario.write_text(self.scenario.read_text().replace(
            "[simulation]", '[simulation]\nseeds = 3\nblock = "30m"'))
        done = leasectl("simulate", scenario, "--json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        answer = json.loads(done.stdout)
        check("simulate-seeds", answer)
        self.assertEqual([run["seed"] for run in answer["runs"]], [1, 2, 3])
        for run in answer["runs"]:
            check("simulate", run["outcomes"])
        self.assertEqual(len(answer["differences"]), 6)
        self.assertEqual(json.loads(leasectl("simulate", scenario, "--json", "--seeds", 2).stdout)["runs"],
                         answer["runs"][:2])
        kept = self.refused(2, "simulate", scenario, "--database", self.path / "none.db")
        check("error", kept)

    def test_views(self) -> None:
        self.assertEqual([row["id"] for row in self.ask("leases")], ["pool:west"])
        self.assertEqual(len(self.ask("clusters")), 2)
        self.assertEqual(len(self.ask("clusters", "--cluster", "east")), 1)
        self.assertNotIn("work", self.ask("clusters")[0])
        self.assertIn("demand", self.ask("clusters", "-l")[0]["work"])
        self.assertGreater(len(self.ask("hosts")), len(self.ask("hosts", "-e")))
        self.assertNotIn("values", self.ask("policies")[0])
        self.assertIn("values", self.ask("policies", "-l")[0])
        self.assertEqual(len(self.ask("lease", "pool:west")["decisions"]), 20)
        self.assertTrue(self.ask("explain", "pool:west")["would_change"])
        self.assertEqual(self.ask("explain", "pool:west")["conditions"], [])

    def test_history_in_pages_and_windows(self) -> None:
        rows = self.ask("history")
        self.assertEqual([row["id"] for row in rows], sorted(row["id"] for row in rows))
        self.assertEqual(self.ask("history", "--limit", "3"), rows[-3:])
        middle = rows[len(rows) // 2]["time"]
        before = self.ask("history", "--until", middle)
        self.assertEqual(len(before) + len(self.ask("history", "--since", middle)), len(rows))
        table = leasectl("history", "--csv", "--db", self.database).stdout
        self.assertEqual(len(table.splitlines()), len(rows) + 1)
        replayed = leasectl("replay", self.database, "--json")
        self.assertEqual(json.loads(replayed.stdout), rows)

    def test_history_is_bounded_on_a_terminal_alone_which_it_says(self) -> None:
        def lines(*words, where=on_terminal) -> list[str]:
            return where("history", "--db", self.database, "--color", "never", *words).splitlines()

        all_rows = lines(where=lambda *words: leasectl(*words).stdout)
        self.assertGreater(len(all_rows), 200)
        *newest, empty, said = lines()
        self.assertEqual(newest, all_rows[-200:])
        self.assertEqual((empty, said.split(";")[0]), ("", "these are the newest 200 rows"))
        first = self.ask("history")[0]["time"]
        self.assertEqual(lines("--since", first), all_rows)
        self.assertEqual(lines("-n", "201"), all_rows[-201:])
        self.assertEqual(len(json.loads("".join(lines("-o", "json")))), len(all_rows))

    def test_simulate_has_the_forms_of_rows(self) -> None:
        rules = [row["rule"] for row in json.loads(self.simulated.stdout)]
        named = leasectl("-o", "name", "simulate", self.scenario).stdout.splitlines()
        self.assertEqual(named, rules)
        rows = list(csv.DictReader(io.StringIO(leasectl("simulate", self.scenario, "-o", "csv").stdout)))
        self.assertEqual([row["rule"] for row in rows], rules)

    def test_leases_at_a_past_instant(self) -> None:
        flips = [row for row in self.ask("history") if row["kind"] == "flip"]
        some = flips[len(flips) // 2]
        (lease,) = self.ask("leases", "--at", some["time"])
        self.assertEqual(lease["flips"], len(flips) // 2 + 1)
        self.assertLess(lease["epoch"], self.ask("leases")[0]["epoch"])

    def test_usage(self) -> None:
        east, west = self.ask("usage")
        self.assertEqual((east["cluster"], west["cluster"], east["consumer"]), ("east", "west", None))
        self.assertGreater(east["owned_slot_s"], 0)
        self.assertEqual(east["lent_slot_s"], west["borrowed_slot_s"])
        flips = [row["time"] for row in self.ask("history") if row["kind"] == "flip"]
        since, until = flips[0], flips[-1]
        part = self.ask("usage", "--since", since, "--until", until)[0]
        seconds = (instant(until) - instant(since)).total_seconds()
        exported = sum(part[key] for key in ("owned_slot_s", "lent_slot_s", "in_transfer_slot_s"))
        self.assertLessEqual(abs(exported - 64 * seconds), 3, "each is rounded down by itself")
        table = leasectl("usage", "--csv", "--db", self.database).stdout.splitlines()
        self.assertEqual(table[1], f"east,,,{east['owned_slot_s']},{east['lent_slot_s']},0,0,"
                                   f"{east['in_transfer_slot_s']}")
        self.assertEqual(self.ask("consumers") + self.ask("groups"), [], "no plan is configured")
        self.assertEqual(self.ask("usage", "--by", "user", schema="usage-by"), [], "nobody told")

    def test_compare_of_a_site_without_a_shadow(self) -> None:
        self.assertEqual(self.ask("compare"), [])
        check("summary", self.ask("compare", "--summary", schema="summary"))

    def test_verify(self) -> None:
        answer = leasectl("replay", self.database, "--verify", "--json")
        self.assertEqual(answer.returncode, 0, answer.stdout)
        check("verify", json.loads(answer.stdout))

    def test_check_config_and_import(self) -> None:
        answer = leasectl("check-config", ROOT / "config/broker.toml", "--json")
        check("check-config", json.loads(answer.stdout))
        self.assertEqual(answer.returncode, 0, answer.stderr)
        wrong = self.path / "wrong.toml"
        wrong.write_text('[broker]\nlisten = "tcp://127.0.0.1:7440"\nrecaim_delay = "5m"\n')
        found = self.refused(2, "check-config", wrong)
        check("check-config", found)
        self.assertEqual((found["error"]["file"], found["error"]["line"]), (str(wrong), 3))
        self.assertIn("reclaim_delay", found["error"]["message"])
        sources = sorted((ROOT / "config/lsf").rglob("lsb.*"))
        self.assertTrue(sources)
        answer = leasectl("import-lsf", *sources, "--provider", "east", "--json")
        self.assertEqual(answer.returncode, 0, answer.stderr)
        check("import-lsf", json.loads(answer.stdout))

    def test_keygen(self) -> None:
        answer = leasectl("keygen", "--out", self.path / "some", "--json")
        self.assertEqual(answer.returncode, 0, answer.stderr)
        made_key = json.loads(answer.stdout)
        check("keygen", made_key)
        self.assertEqual({part["for"] for part in made_key["put"]}, {"broker", "agent", "operator"})
        check("error", self.refused(1, "keygen", "--out", self.path / "some"))

    def test_tables(self) -> None:
        file = self.path / "some.state"
        answer = leasectl("tables", self.database, file, "--json")
        self.assertEqual(answer.returncode, 0, answer.stderr)
        made_tables = json.loads(answer.stdout)
        check("tables", made_tables)
        self.assertEqual(made_tables["file"], str(file))
        self.assertTrue(file.exists())
        for words in [[file], [self.path / "broker.toml"], [self.database, self.database]]:
            check("error", self.refused(1, "tables", *words))
        check("error", self.refused(2, "tables"))

    def test_backup_and_restore(self) -> None:
        copy = self.path / "copy.db"
        for words in (["backup", copy, "--db", self.database],
                      ["restore", copy, self.path / "restored.db"]):
            answer = leasectl(*words, "--json")
            self.assertEqual(answer.returncode, 0, answer.stderr)
            check("backup", json.loads(answer.stdout))
            check("error", self.refused(1, *words))
        check("error", self.refused(2, "backup"))
        check("error", self.refused(2, "restore", copy))

    def test_errors(self) -> None:
        cases = [(2, "usage", ["lease-s"]),
                 (2, "usage", ["freeze", "--db", self.database]),
                 (2, "usage", ["check-config"]),
                 (1, "unknown", ["lease", "pool:wst", "--db", self.database]),
                 (1, "unknown", ["clusters", "--cluster", "eats", "--db", self.database]),
                 (1, "unknown", ["history", "--lease", "nobody:none", "--db", self.database]),
                 (1, "io", ["leases", "--db", self.path / "none.db"]),
                 (3, "unreachable", ["leases", "--broker", "tcp://127.0.0.1:1"]),
                 (3, "unreachable", ["freeze", "--broker", f"ipc://{self.path}/nobody"]),
                 (3, "unreachable", ["stepdown", "--broker", "tcp://127.0.0.1:1"])]
        for code, token, words in cases:
            with self.subTest(words=words):
                found = self.refused(code, *words)
                check("error", found)
                self.assertEqual(found["error"]["code"], token)

    def test_brokers_that_nobody_reaches_are_rows_and_exit_code_3(self) -> None:
        """A monitor took it for brokers none of which leads: exit code 1."""
        answer = leasectl("brokers", "--broker", "tcp://127.0.0.1:1,tcp://127.0.0.1:2", "--json")
        self.assertEqual(answer.returncode, 3, answer.stderr)
        rows = json.loads(answer.stdout)
        check("brokers", rows)
        self.assertEqual([row["role"] for row in rows], ["unreachable"] * 2)
        self.assertIn("no other broker of the list answers either", answer.stderr)

    def test_a_reader_that_goes_away_is_no_error(self) -> None:
        line = f"'{PROGRAMS}/leasectl' history --db '{self.database}' | head -n 1"
        answer = subprocess.run(line, shell=True, capture_output=True, text=True, timeout=LAST_BOUND_S)
        self.assertEqual((answer.stdout.count("\n"), answer.stderr), (1, ""))

    def test_a_full_disk_is_an_error(self) -> None:
        with open("/dev/full", "w") as full:
            answer = subprocess.run([PROGRAMS / "leasectl", "leases", "--db", self.database],
                                    stdout=full, stderr=subprocess.PIPE, text=True, timeout=LAST_BOUND_S)
        self.assertEqual(answer.returncode, 1)
        self.assertIn("No space left", answer.stderr)


class OfABroker(unittest.TestCase):
    def test_views_changes_and_reloads(self) -> None:
        with still_site() as site:
            made(site)
            for words in ["status"], ["attention"], ["doctor"], ["clusters"], ["leases"], ["hosts"], \
                    ["policies", "-l"], ["groups"], ["consumers"], \
                    ["usage"], ["compare"], ["brokers"], ["history"], ["lease", "pool:west"], \
                    ["explain", "pool:west"], ["explain", "west"], ["explain", "big1@east"], \
                    ["forecast", "pool:west", "--slots", "3"], \
                    ["forecast", "west", "--slots", "9"], ["forecast", "pool:west", "--provider"]:
                check(words[0], site.ask(*words))
            for words in ["freeze"], ["thaw"], ["rebalance", "pool:west"], ["drain", "west"], \
                    ["resume", "west"], ["close", "big1@east", "--for", "west"], \
                    ["open", "big1@east", "--for", "west"]:
                check("change", site.ask(*words))
            kinds = [row["kind"] for row in site.ask("history")]
            self.assertEqual(kinds.count("operator-command"), 7)
            check("reload", site.ask("reload", "--yes"))
            site.policies = []
            site.write_broker_config()
            refused = site.ctl("reload", "--json")
            self.assertEqual(refused.returncode, 1)
            check("reload", json.loads(refused.stdout))

    def test_what_needs_a_person(self) -> None:
        """A monitor asks for the exit code alone."""
        with still_site() as site:
            made(site)
            for command in "status", "attention":
                fine = site.ctl(command)
                self.assertEqual((fine.returncode, fine.stderr), (0, ""), fine.stdout)
                self.assertIn("nothing needs a person", fine.stdout)
            site.agents["west"].stop()
            wait_until(lambda: site.ask("attention"), "somebody is needed")
            needs = site.ctl("attention", "--json")
            self.assertEqual((needs.returncode, needs.stderr), (1, ""))
            rows = json.loads(needs.stdout)
            check("attention", rows)
            self.assertEqual([(row["kind"], row["subject"]) for row in rows], [("agent-stopped", "west")])
            status = site.ctl("status", "--json")
            self.assertEqual(status.returncode, 1)
            check("status", json.loads(status.stdout))
            site.agents["west"].start()
            wait_until(lambda: not site.ask("attention"), "nobody is needed any more")

    def test_follows_history(self) -> None:
        with still_site() as site:
            made(site)
            following = subprocess.Popen([PROGRAMS / "leasectl", "history", "--follow", "--json",
                                          "--broker", site.control], stdout=subprocess.PIPE, text=True)
            site.order("rebalance", "pool:west")
            moved(site)
            seen = []
            while not seen or seen[-1]["kind"] != "transfer-done":
                seen.append(json.loads(following.stdout.readline()))
            check("history", seen)
            following.send_signal(2)
            self.assertEqual(following.wait(timeout=LAST_BOUND_S), 130)
            following.stdout.close()


if __name__ == "__main__":
    unittest.main()
