"""An operator's day on two real Slurm clusters: each question of the guide's page is asked by the command that the
page writes, and its answer names the jobs, users, accounts, reasons and fates of that day.

What the page's own history answers, to the letter: guide_test.py."""
import contextlib
import json
import os
import re
import time
import unittest
from datetime import datetime, timezone

import side_by_side
from processes import PROGRAMS, ROOT, run, wait_until
from scenes import PATIENT
from slurm_site import LONG, SlurmSite, pool, two_slurm_clusters
from slurm_clusters import installed

PAGE = ROOT / "broker/guide/questions.md"
QUESTION = re.compile(r"^## (\d+)\. ([^\n]+)\n(.*?)(?=^## |\Z)", re.M | re.S)
COMMAND = re.compile(r"(?:^\$ |`)(leasectl [^`\n|]*?)(?: \| [^\n]+)?(?:`|$)", re.M)
OF_THE_DAY = re.compile(r"<!-- of a real day -->\n```console\n\$ [^\n]+\n(.*?)```", re.S)
INSTANT = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+Z")
EAST_FIRST = {"rule": "demand-aware", "use_by": "2m", "provider_first": True, "reclaim_grace": "2s",
              "initial_slots": 4}
CHEM, PHYSICS = ("--uid=daemon", "-A", "chem"), ("--uid=nobody", "-A", "physics")
THERE = "--nodelist=imp-p1"
KILLED = r"exit code 1(43|37)"  # by SIGTERM, or where that takes long by SIGKILL


def now() -> str:
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def shape(answer: str) -> set[str]:
    """Its lines without numbers and widths of columns: what two such days have in common."""
    return {re.sub(r"  +", "  ", re.sub(r"[\d:.T-]*\d", "0", line)).rstrip() for line in answer.splitlines()}


class Day(SlurmSite):
    """A night in which east wants back what west's users compute on, and the morning after it."""

    def ended(self) -> list[dict]:
        return [row for row in self.ask("history") if row["kind"] == "work-ended"]

    def goes_by(self) -> None:
        east, west = self.slurm["east"], self.slurm["west"]
        self.began = now()
        self.start()
        self.wait_for_agents()
        self.again = west.submit(2, LONG, THERE, *CHEM)
        self.for_good = west.submit(1, LONG, THERE, *PHYSICS, "--no-requeue")
        self.wait_for_running("west", "imp-p1", 3)
        wide = west.submit(8, LONG, THERE, *PHYSICS)
        self.wait_for_lease(phase="active", consumer_slots__used=3, pending__consumer=8, in_transfer=0)
        self.in_use = now()
        owners = east.submit(6, LONG)
        wait_until(lambda: len(self.ended()) == 2, "the history says what became of both jobs")
        self.wait_for_running("east", "p1", 6)
        self.reclaimed = [row["time"] for row in self.history("transfer-started")
                          if row["reason"] == "provider-first" and row["time"] < self.ended()[0]["time"]][-1]
        self.over = now()
        self.lease_ends()
        west.run("scancel", wide)
        east.run("scancel", owners)
        self.morning(west)

    def lease_ends(self) -> None:
        """And with it what its agent counts."""
        policies, self.policies = self.policies, []
        self.write_broker_config()
        self.order("reload", "--yes")
        wait_until(lambda: {row["name"] for row in self.ask("usage", "--by", "user")} >= {"daemon", "nobody"},
                   "west's agent has told whose work used slots")
        self.policies = policies
        self.write_broker_config()
        self.order("reload", "--yes")

    def morning(self, west) -> None:
        west.run("scontrol", "update", f"JobId={self.again}", "StartTime=now")
        self.wait_for_running("west", "imp-p1", 2)
        self.wait_for_lease(phase="active", consumer_slots__used=2)
        self.agents["west"].stop()
        wait_until(lambda: [need for need in self.ask("attention") if need["kind"] == "agent-stopped"],
                   "somebody is needed")

    def answer(self, command: str, *words: str):
        """As the page writes it, without what names its file: here the running broker answers."""
        command = command.replace(" --db site.db", "").replace("site.db", str(self.database))
        environment = {**os.environ, "PATH": f"{PROGRAMS}:{os.environ['PATH']}", "LEASEHOLD_BROKER": self.control}
        began = time.monotonic()
        done = run("sh", "-c", " ".join([command, "--timeout 30m", *words]), env=environment)
        print(f"{time.monotonic() - began:5.2f} s  {command}\n{done.stdout}", flush=True)
        assert done.returncode == (1 if command.endswith("attention") else 0) and not done.stderr, \
            f"{command}: {done.returncode}: {done.stderr}"
        return json.loads(done.stdout) if "--json" in words else done.stdout


@contextlib.contextmanager
def day():
    with two_slurm_clusters(own=1, settings={"MinJobAge": "3600"}) as (east, west), \
            Day(east, west, [pool(6, **EAST_FIRST)], broker=PATIENT, tell_users=True) as site, \
            site.watch_slots() as watch:
        site.goes_by()
        yield site
        assert watch.breaches == [], watch.breaches


class Page:
    """Its questions by their numbers; each command with instants and slots of this day instead of the page's."""

    def __init__(self, site: Day) -> None:
        self.sections = {int(each[1]): each[3] for each in QUESTION.finditer(PAGE.read_text())}
        self.instants = {2: [site.reclaimed], 3: [site.in_use], 5: [site.in_use], 6: [site.in_use],
                         7: [site.began, site.over], 8: [site.reclaimed, site.over]}

    def command(self, number: int) -> str:
        instants = iter(self.instants.get(number, []))
        command = COMMAND.search(self.sections[number])[1].replace("--slots 64", "--slots 4")
        return INSTANT.sub(lambda _: next(instants), command)

    def shown(self, number: int) -> str:
        """Its answer, where that is of such a day: of what is on no list there may be some or none."""
        found = OF_THE_DAY.search(self.sections[number])
        return "\n".join(line for line in found[1].splitlines() if "(others)" not in line) if found else ""


def wanted(site: Day) -> dict[int, list[str]]:
    """What the answer to each question must have, by number."""
    again = rf"job {site.again} of daemon requeued, account chem; 2 slots; provider-first$"
    for_good = rf"job {site.for_good} of nobody ended, {KILLED}, account physics; 1 slot; provider-first$"
    return {
        1: [r"^pool:west +east +0/\d +west +2/\d .* active "],
        2: [r"\Apool:west .*\nprovider-first: ", r"^  provider_pending = 6$"],
        3: [r"^pool:west +east +0/\d +west +3/\d "],
        4: [r" agent-stopped  west\n.* it has \d slots of others\n", r"^  do: start the agent of west;"],
        5: [r"^4 slots at east can be had ", r"^latest .* slots? from west$"],
        6: [r"^  - 1 job waits for 8 slots on one host, ", r"no host of pool:west has 8 slots: the largest has 6$"],
        7: [r"^east +- +- +\d+ +([1-9]\d*) +0 .*\nwest +- +- +0 +0 +\1 "],
        8: [r" transfer-started +\d slots west -> east; provider-first; ", again, for_good],
        9: [r"\AAn estimate: what if reclaim_delay = 1h\.$", r"^  by west, slot-h( +[\d.]+){3}$"],
        10: [r"\Averified: \d+ events .*; the hash chain is whole$"],
        11: [r"^\S+Z  pool:west  work-ended  " + each for each in (again, for_good)],
        12: [rf"^{site.again} +daemon +requeued +-$", rf"^{site.for_good} +nobody +ended +1\d\d$"],
        13: [r"^west +daemon, chem +\d+\.\d\d ", r"^west +nobody, physics +\d+\.\d\d "],
        14: [r"\AAn estimate: what if rule = none\.$", r"^slots moved +[1-9]\d* +\d+ +0$"]}


@unittest.skipUnless(installed(), "Slurm is not installed: scripts/install-packages")
class EachQuestion(unittest.TestCase):
    maxDiff = None

    def test_has_its_answer_by_one_command(self) -> None:
        with day() as site:
            page, patterns = Page(site), wanted(site)
            self.assertEqual(list(page.sections), list(patterns))
            for number, each in patterns.items():
                with self.subTest(number):
                    answer = site.answer(page.command(number))
                    for pattern in each:
                        self.assertRegex(answer, re.compile(pattern, re.M))
                    self.assertLessEqual(shape(page.shown(number)), shape(answer))
            self.counts(site, page.command(13), page.command(14))

    def counts(self, site: Day, usage: str, saved: str) -> None:
        """Hours of such a day are short: to the second both users used slots, and west waited less."""
        used = {row["name"]: row["used_slot_s"] for row in site.answer(usage, "--json")}
        self.assertGreater(used["daemon, chem"], 0, used)
        self.assertGreater(used["nobody, physics"], 0, used)
        runs = {run["name"]: run for run in site.answer(saved, "--json")["runs"]}
        waited = {name: {each["cluster"]: each["unmet_slot_s"] for each in run["clusters"]}["west"]
                  for name, run in runs.items()}
        self.assertGreater(waited["what-if"], waited["modelled"])
        self.assertEqual((runs["what-if"]["lent_slot_s"], runs["happened"]["lent_used_slot_s"] > 0), (0, True))


if __name__ == "__main__":
    side_by_side.main(of_places=2)
