"""replay --what-if on the database of a real broker, beside it and after it; its schema, its picture,
what it refuses.
"""
import json
import os
import subprocess
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import jsonschema

import one_site
from one_site import OnAMadeSite
from processes import LAST_BOUND_S, PROGRAMS, wait_until
from scenes import busy_site

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = json.loads((ROOT / "schema/json/what-if.schema.json").read_text())


def replay(database, *words: str) -> subprocess.CompletedProcess:
    return subprocess.run([PROGRAMS / "leasectl", "replay", database, "--what-if", *words],
                          capture_output=True, text=True, timeout=LAST_BOUND_S)


def runs_of(test: unittest.TestCase, database, *words: str) -> dict:
    answer = replay(database, *words, "--json")
    test.assertEqual(answer.returncode, 0, answer.stderr)
    document = json.loads(answer.stdout)
    jsonschema.validate(document, SCHEMA)
    return {run["name"]: run for run in document["runs"]}


class WhatIf(OnAMadeSite):
    def test_a_flip_that_an_operator_asked_for_would_have_come_by_itself(self) -> None:
        """Nothing is evaluated for an hour; with a delay of a second the slots would have moved."""
        site = self.site
        self.all_moved()
        runs = runs_of(self, site.database, "--reclaim-delay", "1s")
        self.assertEqual(runs["happened"]["flips"], 1)
        self.assertEqual(runs["happened"]["slots_moved"], 3)
        # The operator's order is there in both, and finds nothing to do in the other.
        self.assertEqual(runs["modelled"]["slots_moved"], 3)
        self.assertEqual(runs["what-if"]["slots_moved"], 3)
        self.assertLessEqual(runs["what-if"]["unmet_slot_s"], runs["modelled"]["unmet_slot_s"])
        alone = runs_of(self, site.database, "--rule", "none")["what-if"]
        self.assertEqual([alone[key] for key in ("flips", "slots_moved", "lent_slot_s")], [0, 0, 0])

    def test_a_busy_site_is_asked_while_it_runs_and_after_also_of_work_that_was_recorded_as_waiting(self) -> None:
        with busy_site() as site:
            site.start()
            wait_until(lambda: site.flips() >= 10, "ten flips")
            faster = runs_of(self, site.database, "--reclaim-delay", "2s")
            self.assertLess(faster["what-if"]["flips"], faster["modelled"]["flips"])
            exclusive = runs_of(self, site.database, "--rule", "exclusive")
            self.assertEqual(exclusive["what-if"]["flips"], 0)
            # Its demand under its own rule is enough to ask what another rule would have done. That one moves nothing
            # twice within its min_hold, so ten flips need not be history enough.
            by_demand = ("--rule", "demand-aware")
            patient = (*by_demand, "--use-by", "1h", "--provider-first", "false")
            for words in (by_demand, patient):
                wait_until(lambda words=words: runs_of(self, site.database, *words)["what-if"]["flips"] > 0,
                           f"flips by {words}")
            site.kill_all()
            self.assertGreaterEqual(runs_of(self, site.database)["happened"]["flips"], 10)
            home = runs_of(self, site.database, "--rule", "demand-aware",
                           "--provider-first", "true")["what-if"]
            # Its work is served by reclaims, which are no flips.
            self.assertIn("slots_moved", home)

    def test_the_picture_is_a_file_that_stands_alone(self) -> None:
        site = self.site
        picture = site.database.with_name("what if.svg")
        answer = replay(site.database, "--reclaim-delay", "1s", "--plot", str(picture))
        self.assertEqual(answer.returncode, 0, answer.stderr)
        self.assertIn("An estimate: what if reclaim_delay = 1s.", answer.stdout)
        self.assertEqual(ElementTree.parse(picture).getroot().tag,
                         "{http://www.w3.org/2000/svg}svg")
        nowhere = replay(site.database, "--plot", "/nowhere/what.svg")
        self.assertEqual(nowhere.returncode, 1)
        self.assertIn("/nowhere/what.svg", nowhere.stderr)

    def test_settings_that_cannot_be_are_bad_usage(self) -> None:
        site = self.site
        for words, said in [(["--rule", "tie"], "--rule"), (["--min-hold", "1h"], "--plan"),
                            (["--reclaim-delay", "5"], "--reclaim-delay"),
                            (["--rule", "none", "--reclaim-delay", "1s"], "leave one of the two out"),
                            (["--verify"], "--verify"), (["--max-share-moved", "2"], "1"),
                            (["--plan", "nowhere.toml"], "nowhere.toml")]:
            with self.subTest(words):
                answer = replay(site.database, *words)
                self.assertEqual(answer.returncode, 2, answer.stdout + answer.stderr)
                self.assertIn(said, answer.stderr)
        late = replay(site.database, "--since", "2100-01-01T00:00:00Z")
        self.assertEqual(late.returncode, 1, late.stderr)

    def test_the_study_of_how_good_estimates_are_is_as_published(self) -> None:
        """broker/lab/what_if/accuracy.txt: the lines of the workload that is in the tree."""
        study = subprocess.run([ROOT / "scripts/what-if-study"], capture_output=True, text=True,
                               env={**os.environ, "LEASEHOLD_BIN": str(PROGRAMS)}, timeout=LAST_BOUND_S)
        self.assertEqual(study.returncode, 0, study.stderr)
        published = (ROOT / "broker/lab/what_if/accuracy.txt").read_text()
        for line in study.stdout.splitlines():
            self.assertIn(line, published)

if __name__ == "__main__":
    one_site.main(of_places=2)
