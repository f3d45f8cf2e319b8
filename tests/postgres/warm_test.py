"""Take-overs that skip quarantine, and those that may not, as processes: rule 15 of
broker/store/postgres/README.md.
"""
import os
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "integration"))

import one_site
import replica_test
from configs import Cluster
from one_standby_site import OnStandbySite
from postgres_server import PostgresServer
from processes import PROGRAMS, run, wait_until
from standby_site import NoSlotTwice, StandbySite

PLAN = """
[[resource_group]]
name = "compute"
policies = ["pool"]
policy = "hybrid"
cycle = "300ms"
[[consumer]]
path = "/west"
cluster = "west"
owned = 2
[[consumer]]
path = "/south"
cluster = "south"
owned = 2
[[consumer]]
path = "/north"
cluster = "north"
owned = 2
"""


def bursts(busy: float, seed: int) -> dict:
    return {"generator": "bursts", "busy": busy, "period": "2s", "widths": [1, 2], "run_time": "300ms", "seed": seed}


def starts(site: StandbySite) -> list[str]:
    """Why each take-over was what it was, as the history tells."""
    return [row["reason"] or "none" for row in site.ask("history") if row["kind"] == "broker-started"]


class Warm(OnStandbySite):
    settings = {"database_fenced": True}

    def check(self, **environment: str):
        env = {name: value for name, value in os.environ.items() if name != "STATE_DIRECTORY"}
        return run(PROGRAMS / "lease-broker", "--config", self.first.daemon.config, "--check-config",
                   env={**env, **environment})

    def test_a_check_by_hand_judges_no_other_file_than_the_service_has(self) -> None:
        """Symptom: by hand the file beside the configuration was judged, which no service writes."""
        by_hand = self.check()
        self.assertEqual(by_hand.returncode, 0, by_hand.stderr)
        self.assertIn("last_commit_file is not set", by_hand.stderr)
        of_service = self.check(STATE_DIRECTORY="/dev/null/state")
        self.assertEqual(of_service.returncode, 2)
        self.assertIn("/dev/null/state", of_service.stderr)

    def test_a_first_leader_of_a_database_is_not(self) -> None:
        """The first test: nobody has led before."""
        self.assertEqual(starts(self.site), ["none"])

    def test_a_killed_leader_is_followed_by_a_warm_one_and_that_by_another(self) -> None:
        site = self.site
        with NoSlotTwice(site):
            for _ in range(2):
                site.flips_again()
                leader = site.wait_for_leader()
                before = len(starts(site))
                leader.daemon.kill9()
                self.assertIn("warm=true", follow(self, site, before))
                self.assertEqual(starts(site)[-1], "warm")
                leader.daemon.start()
                wait_until(leader.stands_by, "it stands by")

    def test_who_steps_down_is_followed_by_a_warm_one(self) -> None:
        site = self.site
        everybody = ",".join(place.control for place in site.places)
        with NoSlotTwice(site):
            for _ in range(2):
                site.flips_again()
                before = len(starts(site))
                wait_until(lambda: run(PROGRAMS / "leasectl", "stepdown", "--broker", everybody).returncode == 0,
                           "a standby is near enough")
                self.assertIn("warm=true", follow(self, site, before))
                site.wait_for_leader()
        self.assertEqual(starts(site)[-2:], ["warm", "warm"])

    def test_a_server_that_was_started_again_is_another(self) -> None:
        site, before = self.site, len(starts(self.site))
        with NoSlotTwice(site):
            site.flips_again()
            self.server.kill()
            self.server.start()
            wait_until(lambda: len(starts(site)) > before, "a broker leads again")
            site.wait_for_leader()
            site.wait_for_agents()
            site.flips_again()
        self.assertEqual(starts(site)[-1], "none")


def follow(test: unittest.TestCase, site: StandbySite, before: int) -> str:
    """Of the take-over that comes after so many, once leases flip again."""
    leader = site.wait_for_leader(site.standbys())
    site.flips_again()
    site.wait_for_agents()
    test.assertGreater(len(starts(site)), before)
    return leader.daemon.log().rsplit("event=leadership-acquired", 1)[1].splitlines()[0]


class WithoutTheOperatorsWord(OnStandbySite):
    def test_no_take_over_is_warm(self) -> None:
        with NoSlotTwice(self.site):
            self.site.flips_again()
            before = len(starts(self.site))
            self.first.daemon.kill9()
            self.assertIn("warm=false", follow(self, self.site, before))
        self.assertEqual(set(starts(self.site)), {"none"})


class OfAPlan(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.server = cls.enterClassContext(PostgresServer())

    def plan_site(self, fenced: bool) -> StandbySite:
        """West and south take turns with what north does not use, and so does it."""
        clusters = {"east": Cluster({"big1": 6}),
                    "west": Cluster({"small1": 2}, workload=bursts(1.2, 2)),
                    "south": Cluster({"other1": 2}, workload=bursts(1.2, 3)),
                    "north": Cluster({"other2": 2}, workload=bursts(0.5, 4))}
        pool = {"name": "pool", "provider": "east", "hosts": ["big1"], "slots_per_host": 6}
        word = {"database_fenced": True} if fenced else {}
        return StandbySite(self.server, clusters, [pool], more=PLAN,
                           broker={"reclaim_delay": "300ms", **word})

    def grants(self, site: StandbySite) -> int:
        return sum(row["kind"] == "transfer-granted" for row in site.ask("history", "--lease", "compute:/west"))

    def test_a_plan_goes_on_before_all_of_its_clusters_have_been_heard(self) -> None:
        for fenced in (True, False):
            with self.subTest(fenced=fenced), self.plan_site(fenced) as site:
                first = site.start_all()
                with NoSlotTwice(site):
                    wait_until(lambda: self.grants(site) > 2, "slots move")
                    site.agents["north"].kill9()
                    first.daemon.kill9()
                    site.wait_for_leader(site.standbys())
                    wait_until(lambda: {row["cluster"] for row in site.ask("clusters") if row["agent"] == "up"}
                               >= {"east", "west", "south"}, "three of four are up")
                    if fenced:
                        before = self.grants(site)
                        wait_until(lambda: self.grants(site) > before, "slots move")
                    self.assertEqual(site.ask("lease", "compute:/west")["quarantined"], not fenced)
                    site.agents["north"].start()
                    before = self.grants(site)
                    wait_until(lambda: self.grants(site) > before, "slots move")
                    self.assertFalse(site.ask("lease", "compute:/west")["quarantined"])


class OfAReplica(replica_test.FailOver):
    """The same fail-over, with the operator's word that the primary is fenced: no slot twice, and the first take-over
    on the replica is not warm. Which rows of a replica allow that: unit/postgres/leader_test.cpp, rule 15."""

    def site(self) -> StandbySite:
        site = super().site()
        site.settings["database_fenced"] = True
        site.write_places()
        return site

    def goes_on(self, site: StandbySite) -> None:
        super().goes_on(site)
        self.assertNotIn(starts(site)[-1], ("warm",))

    test_the_old_primary_left_running_with_a_broker_rules_12_and_13 = None  # it is not fenced
    test_of_several_hosts_no_replica_that_is_behind_is_read_from = None  # nothing is lost there
    test_a_lost_tail_that_held_a_step_down_rule_7 = None  # it tells the same as the one that held a take-over


if __name__ == "__main__":
    one_site.main(of_places=3)
