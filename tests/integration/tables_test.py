"""The readable tables beside a broker's log, `<database>.state`: what people ask sqlite3."""
import json
import os
import re
import sqlite3
import unittest
from pathlib import Path

import one_site
from ledgers import rows_of, tables
from one_site import OnAMadeSite
from processes import PROGRAMS, ROOT, run, wait_until
from scenes import PATIENT, busy_site, made, still_site

README = ROOT / "schema/sql/README.md"
QUESTIONS = re.findall(r"^([A-Z][^\n]*\?)\n\n```sql\n(.*?)```", README.read_text(), re.M | re.S)

SCENARIO = """
[simulation]
compare = ["{rule}"]
{more}
[[cluster]]
name = "east"
slots = 64
trace = "{trace}"
jobs = 600
[[cluster]]
name = "west"
slots = 64
trace = "{trace}"
load = 2.0
jobs = 600
[[export_policy]]
name = "pool"
provider = "east"
slots = 64
type = "shared"
"""
LEASE = 'distribution = [{ cluster = "west", shares = 1 }]\n'
PLAN = """
[[resource_group]]
name = "compute"
policies = ["pool"]
policy = "hybrid"
cycle = "1m"
[[consumer]]
path = "/east"
cluster = "east"
owned = 48
[[consumer]]
path = "/west"
cluster = "west"
owned = 16
"""


def state_of(site) -> Path:
    return site.database.with_name(site.database.name + ".state")


def asked(site, query: str) -> list[dict]:
    """Of the file that the broker makes; nothing where there is none."""
    try:
        return rows_of(state_of(site), query)
    except sqlite3.Error:
        return []


def number(site, query: str) -> int:
    rows = asked(site, query)
    return next(iter(rows[0].values())) if rows else -1


def at_the_logs_end(site) -> bool:
    follows = asked(site, "SELECT upper(hash) AS hash FROM follows")
    (end,) = rows_of(site.database, "SELECT hex(hash) AS hash FROM log ORDER BY first_event DESC LIMIT 1")
    return bool(follows) and follows[0]["hash"] == end["hash"]


def told(site, question: str):
    """Its exit status says whether somebody is needed."""
    return json.loads(site.ctl(question, "--json").stdout)


def kept(site) -> dict:
    return told(site, "status")["tables"]


class OfARunningBroker(OnAMadeSite):
    def site_for_all(self):
        return still_site(broker={**PATIENT, "tables": "1s"})

    def test_show_a_lease_and_its_ledger_and_how_old_they_are(self) -> None:
        site = self.site
        wait_until(lambda: asked(site, "SELECT lease FROM lease WHERE phase = 'active'"), "the lease")
        flips = number(site, "SELECT count(*) FROM history WHERE kind = 'flip'")
        self.all_moved()
        wait_until(lambda: at_the_logs_end(site), "the tables are made again")
        self.assertEqual(number(site, "SELECT held FROM ledger WHERE cluster = 'west' ORDER BY generation DESC"), 4)
        self.assertEqual(number(site, "SELECT count(*) FROM history WHERE kind = 'flip'"), flips + 1)
        self.assertEqual(state_of(site).stat().st_mode, site.database.stat().st_mode)
        made = asked(site, "SELECT made FROM age")[0]["made"]
        wait_until(lambda: (kept(site)["made"] or "") >= made, "status says how old they are")
        self.assertEqual((kept(site)["file"], kept(site)["failing"]), (str(state_of(site)), None))

    def test_come_back_when_somebody_deletes_them(self) -> None:
        site = self.site
        wait_until(lambda: at_the_logs_end(site), "the tables are made")
        state_of(site).rename(site.path / "away")
        wait_until(lambda: at_the_logs_end(site), "they come back")
        self.assertNotIn("readable-tables-failed", site.broker.log())

    def test_that_cannot_be_made_are_told_of_once_and_hold_up_no_flip(self) -> None:
        with busy_site(tables="1s") as site:
            state_of(site).mkdir()
            site.start()
            site.broker.wait_for_log("event=readable-tables-failed")
            wait_until(lambda: kept(site)["failing"], "status says so")
            (need,) = [need for need in told(site, "attention") if need["kind"] == "tables-not-made"]
            self.assertEqual(need["subject"], str(state_of(site)))
            flips = site.flips() if site.ask("leases") else 0
            wait_until(lambda: site.flips() > flips + 3, "flips go on")
            self.assertEqual([row for row in site.ask("history") if row["kind"] == "alarm"], [])
            state_of(site).rmdir()
            site.broker.wait_for_log("event=readable-tables-recovered")
            wait_until(lambda: number(site, "SELECT flips FROM lease") > flips + 3, "they are there")
            wait_until(lambda: kept(site)["failing"] is None, "attention is over")
            self.assertNotIn("tables-not-made", {need["kind"] for need in told(site, "attention")})
            self.assertEqual(site.broker.log().count("event=readable-tables-failed"), 1)
            self.assertEqual(site.broker.log().count("event=readable-tables-recovered"), 1)

    def test_are_made_where_they_stand_and_nowhere_else(self) -> None:
        with still_site(broker=PATIENT) as site:
            made(site)
            self.assertIsNone(kept(site))
            self.assertFalse(state_of(site).exists())
            site.broker.stop()
            state_of(site).write_bytes(tables(site.database))
            with sqlite3.connect(state_of(site)) as file:  # as earlier brokers kept it
                file.execute("PRAGMA journal_mode = WAL")
                file.execute("DROP TABLE follows")
            os.utime(state_of(site), (0, 0))
            site.start_broker()
            site.wait_for_agents()
            wait_until(lambda: asked(site, "SELECT * FROM age"), "they are made anew")
            self.assertEqual(kept(site)["every_ms"], 60_000)
            self.assertEqual(number(site, "SELECT count(*) FROM lease"), 1)


class TheQuestions(unittest.TestCase):
    """Of schema/sql/README.md: each has an answer in one of these files."""

    def simulated(self, folder: Path, name: str, scenario: str) -> Path:
        path = folder / f"{name}.toml"
        path.write_text(scenario)
        database = folder / f"{name}.db"
        answer = run(PROGRAMS / "leasectl", "simulate", path, "--database", database)
        self.assertEqual(answer.returncode, 0, answer.stderr)
        self.assertFalse(Path(f"{database}.state").exists())
        answer = run(PROGRAMS / "leasectl", "tables", database)
        self.assertEqual(answer.returncode, 0, answer.stderr)
        return Path(f"{database}.state")

    def test_are_ten_and_are_answered(self) -> None:
        self.assertEqual(len(QUESTIONS), 10)
        trace = ROOT / "tests/data/campus.swf.gz"
        with still_site(broker={"transfer_timeout": "10m", "tables": "1s"}) as site:
            made(site)
            (site.path / "shares.toml").write_text(PLAN)
            files = [state_of(site),
                     self.simulated(site.path, "leases", SCENARIO.format(
                         rule="idle-comparison", trace=trace, more="") + LEASE),
                     self.simulated(site.path, "plan", SCENARIO.format(
                         rule="plan", trace=trace, more='plan = "shares.toml"'))]
            site.agents["west"].stop()
            site.agents["west"].start()
            site.wait_for_agents()
            site.agents["east"].kill9()
            site.order("rebalance", "pool:west")  # a transfer that nobody answers
            # Asked at once: until the provider counts as lost and it is undone.
            wait_until(lambda: asked(site, "SELECT * FROM transfer"), "it is on its way")
            state_of(site).rename(kept_then := site.path / "then.state")
            files[0] = kept_then
            for question, query in QUESTIONS:
                with self.subTest(question):
                    self.assertTrue(any(rows_of(file, query) for file in files))
            site.agents["east"].start()
            site.wait_for_agents()
            wait_until(lambda: site.lease()["in_transfer"] == 0, "it is done")


if __name__ == "__main__":
    one_site.main(of_places=2)
