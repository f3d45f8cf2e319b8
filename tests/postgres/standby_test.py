"""Several brokers on one PostgreSQL, as processes: who leads, what a standby says, how another takes over.

Design: broker/store/postgres/README.md; each rule that a test shows is in its name. How long a standby waits:
unit/postgres/leader_test.cpp.
"""
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "integration"))

import one_site
from line import Line
from one_standby_site import OnStandbySite
from processes import PROGRAMS, run, wait_until
from standby_site import NoSlotTwice


class OneLeads(OnStandbySite):
    def begin(self) -> None:
        """West's agent has a line of its own to the first broker."""
        first, second = self.site.places
        type(self).line = Line(int(first.listen.rsplit(":", 1)[1]))
        self.addClassCleanup(self.line.__exit__)
        self.site.clusters["west"].agent["broker"] = [f"tcp://127.0.0.1:{self.line.port}", second.listen]
        self.site.write_agent_config("west")
        self.site.start_all()

    def test_a_killed_leader_is_followed_by_the_standby(self) -> None:
        site, first = self.site, self.first
        with NoSlotTwice(site):
            site.flips_again()
            known = site.flips()
            first.daemon.kill9()
            killed = time.monotonic()
            second = site.wait_for_leader(site.standbys())
            led = time.monotonic()
            self.assertGreaterEqual(site.flips(), known)
            print(f"from the kill: {led - killed:.1f} s until another leads, "
                  f"{site.flips_again() - killed:.1f} s until the next flip")
            self.assertEqual(second.row()["epoch"], self.epoch + 1)

    def test_a_leader_that_stood_still_past_its_time_says_nothing_more_rules_8_and_9(self) -> None:
        site, first = self.site, self.first
        with NoSlotTwice(site):
            site.flips_again()
            with first.daemon.stopped():
                site.wait_for_leader(site.standbys())
                site.wait_for_agents()
                site.flips_again()
            self.wait_until_said(first, "commit-failed")
            wait_until(lambda: first.row()["leader"] == self.wait_until_one_leads().name, "the first says who leads")
            site.flips_again()

    def test_a_standby_answers_questions_and_sends_orders_and_agents_to_the_leader(self) -> None:
        site, first, second = self.site, self.first, self.second
        site.flips_again()
        refused = run(PROGRAMS / "leasectl", "freeze", "--broker", second.control)
        self.assertEqual(refused.returncode, 1, refused.stdout)
        self.assertIn(f"'{first.name}' leads, at {first.control}", refused.stderr)
        self.assertEqual([row["id"] for row in second.ask("leases")], ["pool:west"])
        self.assertGreater(len(second.ask("history")), 5)
        self.assertEqual(second.row()["leader"], first.name)
        first.daemon.kill9()
        site.wait_for_leader([second])
        site.wait_for_agents()
        first.daemon.start()
        wait_until(first.stands_by, "who comes back stands by")
        self.wait_until_one_leads()
        site.flips_again()

    def test_an_agent_cut_off_from_the_leader_asks_the_others_and_comes_back(self) -> None:
        site, agent = self.site, self.site.agents["west"]
        if self.first is not site.places[0]:
            self.first.daemon.kill9()
            site.wait_for_leader(site.places[:1])
            self.first.daemon.start()
            wait_until(self.first.stands_by, "who comes back stands by")
            site.wait_for_agents()
        with NoSlotTwice(site):
            for to_leader, from_leader in ((True, True), (True, False), (False, True)):
                site.flips_again()
                asked = agent.log().count("event=redirected")
                self.line.cut(to_leader, from_leader)
                wait_until(lambda asked=asked: agent.log().count("event=redirected") > asked, "it asks who stands by")
                self.line.mend()
                site.wait_for_agents()
                site.flips_again()

    def test_agents_that_are_killed_meanwhile_find_whoever_leads(self) -> None:
        site = self.site
        with NoSlotTwice(site):
            site.flips_again()
            site.agents["west"].kill9()
            self.first.daemon.kill9()
            site.wait_for_leader(site.standbys())
            site.agents["east"].kill9()
            for agent in site.agents.values():
                agent.start()
            site.wait_for_agents()
            site.flips_again()


class WhoGivesTheLeadAway(OnStandbySite):
    """Within ten minutes it is by no time to live. The three brokers are started at once, on a new database."""

    brokers = 3
    settings = {"leader_ttl": "10m"}

    def begin(self) -> None:
        for daemon in [*(place.daemon for place in self.site.places), *self.site.agents.values()]:
            daemon.start()
        for place in self.site.places:
            place.daemon.wait_for_log("event=started")

    def test_by_a_stop_is_followed_at_once_rule_7(self) -> None:
        site, first = self.site, self.first
        with NoSlotTwice(site):
            site.flips_again()
            self.assertEqual(first.daemon.stop(), 0)
            self.assertIn("event=stepped-down", self.said(first))
            site.wait_for_leader(site.standbys())
            site.flips_again()

    def test_steps_down_for_whom_an_operator_names_and_for_nobody_who_is_not_there(self) -> None:
        site, first = self.site, self.first
        everybody = ",".join(place.control for place in site.places)
        with NoSlotTwice(site):
            site.flips_again()
            alone = run(PROGRAMS / "leasectl", "stepdown", "--broker", first.control)
            self.assertEqual(alone.returncode, 1, alone.stdout)
            self.assertIn("no standby has", alone.stderr)
            nobody = run(PROGRAMS / "leasectl", "stepdown", "--to", "hub-9", "--broker", everybody)
            self.assertEqual(nobody.returncode, 1, nobody.stdout)
            self.assertTrue(first.leads())
            for named in [place.name for place in site.standbys()]:
                wait_until(lambda: run(PROGRAMS / "leasectl", "stepdown", "--to", named, "--broker",
                                       everybody).returncode == 0, f"{named} may lead")
                leader = site.wait_for_leader()
                self.assertEqual(leader.name, named)
                site.flips_again()


if __name__ == "__main__":
    one_site.main(of_places=2)
