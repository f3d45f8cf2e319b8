"""A cold standby: copies of the first broker's database are pulled to another machine, a broker is
started there from the newest one when the first is dead, and agents find it by their list. Then the way
back, and what becomes of a first broker that comes back by itself.
"""
import time
import unittest

import side_by_side
from cold_standby_site import ColdSite
from configs import POOL, Cluster, Job
from no_slot_twice import NoSlotTwice
from processes import PROGRAMS, run, wait_until
from scenes import LONG_S, busy_site, made, moved


def flips_again(site: ColdSite) -> None:
    before = site.flips()
    wait_until(lambda: site.flips() > before, "it flips")


def with_a_copy_that_is_older(site: ColdSite) -> None:
    """The lease flips, a copy is pulled, and the lease flips on."""
    site.start()
    wait_until(lambda: site.flips() > 3, "the lease flips")
    pulled = site.pull()
    assert pulled.returncode == 0, pulled.stderr
    before = site.flips()
    wait_until(lambda: site.flips() > before + 2, "the broker goes on")


class AStandby(unittest.TestCase):
    def test_begins_from_the_newest_copy_and_agents_find_it_and_the_way_back(self) -> None:
        """How soon is told, not judged."""
        with busy_site(ColdSite) as site:
            with_a_copy_that_is_older(site)
            with NoSlotTwice(site):
                site.broker.kill9()
                killed = time.monotonic()
                site.take_over()
                started = time.monotonic()
                known = site.flips()
                site.wait_for_agents()
                heard = time.monotonic()
                wait_until(lambda: site.flips() > known, "it flips")
                print(f"from the kill: {started - killed:.1f} s until the standby answers, "
                      f"{heard - killed:.1f} s until all agents are heard, "
                      f"{time.monotonic() - killed:.1f} s until the first flip", flush=True)
                self.assertIn("database-older", site.kinds())
                site.broker.wait_for_log("event=database-older")
                flips_again(site)
            site.check_ledgers()
            self.way_back(site)

    def way_back(self, site: ColdSite) -> None:
        """In order: the standby ends, its last copy goes to the first, with the number beside it."""
        with NoSlotTwice(site):
            self.assertEqual(site.broker.stop(), 0)
            site.verify()
            last = site.path / "last.db"
            made = run(PROGRAMS / "leasectl", "backup", last, "--db", site.database)
            self.assertEqual(made.returncode, 0, made.stderr)
            number = site.database.with_name("leasehold.db.commit").read_bytes()
            site.look_at("first")
            site.database.with_name("leasehold.db.commit").write_bytes(number)
            site.restore("first", last)
            site.start_broker()
            self.assertNotIn("event=database-older", site.broker.log())
            site.wait_for_agents()
            flips_again(site)

    def test_that_has_a_lease_more_than_the_copy_is_told_and_moves_nothing_of_it(self) -> None:
        """What was exported for the first time after the copy: its agents keep what they hold, and are
        refused until the newer database is there."""
        clusters = {"east": Cluster({"big1": 8}), "west": Cluster({"small1": 1}, [Job(0, LONG_S)] * 5)}
        with ColdSite(clusters, [POOL], broker={"reclaim_delay": "1h"}) as site:
            site.start_broker()
            self.assertEqual(site.pull().returncode, 0)
            for agent in site.agents.values():
                agent.start()
            site.wait_for_lease(phase="active", consumer_slots__used=1)
            with NoSlotTwice(site):
                site.broker.kill9()
                site.take_over()
                for name in clusters:
                    wait_until(lambda: site.flow(name, reason="database-older"), f"{name} is refused")
                told = site.ctl("attention").stdout
                self.assertIn("put the newest copy of the database back", told)
                self.assertEqual(site.broker.stop(), 0)
                site.look_at("first")
                site.start_broker()
                site.wait_for_agents()
                site.wait_for_lease(phase="active", consumer_slots__used=1)


    def test_lets_the_first_that_comes_wait_for_the_other(self) -> None:
        """By the copy the provider still holds what the consumer has got since."""
        clusters = {"east": Cluster({"big1": 8}), "west": Cluster({"small1": 1}, [Job(0, LONG_S)] * 5)}
        with ColdSite(clusters, [POOL], broker={"reclaim_delay": "1h"}) as site:
            made(site)
            self.assertEqual(site.pull().returncode, 0)
            site.order("rebalance", "pool:west")
            moved(site)
            with NoSlotTwice(site) as watch:
                with site.agents["west"].stopped():
                    site.broker.kill9()
                    site.take_over()
                    wait_until(lambda: site.flow("east", agent="up"), "east is heard")
                    looks = watch.looks
                    wait_until(lambda: watch.looks >= looks + 20 or watch.wrong, "looks at it")
                    self.assertNotIn("event=quarantine-over", site.broker.log())
                site.wait_for_agents()
            moved(site)


class TheFirstBroker(unittest.TestCase):
    """That nobody kept away, as the guide demands: what protects then, and what it comes to."""

    def test_that_is_started_again_beside_the_standby_has_no_agents_and_moves_nothing(self) -> None:
        with busy_site(ColdSite) as site:
            with_a_copy_that_is_older(site)
            with NoSlotTwice(site):
                site.broker.kill9()
                site.take_over()
                site.wait_for_agents()
                flips_again(site)
                site.look_at("first")
                site.start_broker()
                self.stands_aside(site, len(site.kinds()))
                self.has_all_when_the_standby_dies(site)
            site.check_ledgers()

    def test_that_stood_still_and_goes_on_waits_for_all_as_if_it_had_been_started(self) -> None:
        """Its memory says that it has heard everybody; what they say tells it otherwise."""
        with busy_site(ColdSite, agent_timeout="8s") as site:
            with_a_copy_that_is_older(site)
            with NoSlotTwice(site):
                with site.broker.stopped():
                    stood = time.monotonic()
                    site.take_over()
                    known = site.flips()
                    site.wait_for_agents()
                    wait_until(lambda: site.flips() > known, "it flips")
                    print(f"from when the first stood still: {time.monotonic() - stood:.1f} s until "
                          "the first flip", flush=True)
                site.look_at("first")
                wait_until(lambda: {row["agent"] for row in site.ask("clusters")} == {"lost"},
                           "it has lost its agents")
                self.stands_aside(site, len(site.kinds()))
                self.has_all_when_the_standby_dies(site)
            site.check_ledgers()

    def stands_aside(self, site: ColdSite, known: int) -> None:
        """All agents are the standby's, and slots move there alone."""
        site.look_at("standby")
        flips_again(site)
        flips_again(site)
        site.wait_for_agents()
        site.look_at("first")
        self.assertEqual({row["agent"] for row in site.ask("clusters")}, {"lost"})
        self.assertNotIn("flip", site.kinds()[known:])
        self.assertEqual(site.ctl("status").returncode, 1)

    def has_all_when_the_standby_dies(self, site: ColdSite) -> None:
        """It knows less than they, says so, and goes on once all are heard."""
        known = len(site.kinds())
        site.places["standby"][0].kill9()
        site.wait_for_agents()
        wait_until(lambda: "database-older" in site.kinds()[known:], "it notices")
        flips_again(site)


class APull(unittest.TestCase):
    def test_needs_an_admins_key_and_a_broker_that_goes_on_from_the_copy(self) -> None:
        """With keys over TCP it keeps the newest and those before it."""
        with busy_site(ColdSite) as site:
            site.start()
            wait_until(lambda: site.flips() > 0, "the lease flips")
            for _ in range(4):
                pulled = site.pull()
                self.assertEqual(pulled.returncode, 0, pulled.stderr)
                self.assertIn("; verified", pulled.stdout)
                flips_again(site)
            kept = ["leasehold.db", "leasehold.db.1", "leasehold.db.2", "leasehold.db.lock"]
            self.assertEqual(sorted(path.name for path in site.copy.parent.iterdir()), kept)
            for name in kept[:3]:
                verified = run(PROGRAMS / "leasectl", "replay", site.copy.with_name(name), "--verify")
                self.assertEqual(verified.returncode, 0, verified.stdout + verified.stderr)
            whole = site.copy.read_bytes()
            refused = site.ctl("backup", str(site.copy), "--keep", "3", operator="desk")
            self.assertEqual(refused.returncode, 1)
            self.assertIn("admin", refused.stderr)
            site.broker.kill9()
            away = site.pull("--timeout", "1s")
            self.assertEqual(away.returncode, 3)
            site.look_at("standby")  # anew, as on a machine where nothing was restored
            site.start_broker()
            refused = site.pull()
            self.assertEqual(refused.returncode, 1)
            self.assertIn("does not go on from", refused.stderr)
            self.assertEqual(site.copy.read_bytes(), whole)
            self.assertEqual(sorted(path.name for path in site.copy.parent.iterdir()), kept)
            self.assertEqual(site.broker.stop(), 0)
            site.look_at("first")
            site.start_broker()
            site.wait_for_agents()


if __name__ == "__main__":
    side_by_side.main()
