"""Brokers behind a PgBouncer that is pointed to a replica without the last commits: none of their sessions breaks, and
nothing but the log itself tells that it is another.
"""
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "integration"))

import places
from postgres_server import Pooler, PostgresServer
from processes import wait_until
from replica_test import Replica
from scenes import busy_site
from standby_site import NoSlotTwice, StandbySite


class PoolerFailOver(unittest.TestCase):
    def setUp(self) -> None:
        self.enterContext(places.taken(3))  # two servers and a site
        self.primary = self.enterContext(PostgresServer())
        self.pooler = self.enterContext(Pooler(self.primary))

    def site(self) -> StandbySite:
        site = busy_site(lambda *words, broker: StandbySite(self.primary, *words, broker=broker))
        site.database = self.pooler.url("leasehold")
        site.sql_database = self.primary.url("leasehold")
        site.write_places()
        return site

    def end(self, site: StandbySite) -> int:
        return int(site.sql("SELECT log_end FROM leader"))

    def make_replica(self) -> None:
        """What happens from here on is not in it."""
        self.replica = Replica(self.primary)
        self.replica.settings = ("-c", "primary_conninfo=")
        self.enterContext(self.replica)

    def fail_over(self, site: StandbySite) -> None:
        self.replica.promote()
        self.pooler.point_to(self.replica)
        self.primary.kill()
        site.sql_database = self.replica.url("leasehold")

    def tell_frozen(self, site: StandbySite) -> bool:
        return all("lost tail" in str(place.ask("status")) for place in site.places)

    def test_nobody_answers_from_the_history_that_was_lost(self) -> None:
        with self.site() as site:
            site.start_all()
            with NoSlotTwice(site):
                site.flips_again()
                self.make_replica()
                site.flips_again()
                site.order("freeze", "--reason", "lost tail")
                wait_until(lambda: self.tell_frozen(site), "both brokers tell it")
                for agent in site.agents.values():
                    agent.kill9()  # without them the log stays short of its old end
                end = self.end(site)
                self.fail_over(site)
                self.assertLess(self.end(site), end)
                site.wait_for_leader()
                wait_until(lambda: not any("lost tail" in str(place.ask("status")) for place in site.places),
                           "nobody tells it any more")
                self.assertLess(self.end(site), end)
                for agent in site.agents.values():
                    agent.start()
                wait_until(lambda: self.end(site) > end, "the log passes the old end")
                site.wait_for_agents()
                site.flips_again()
            for place in site.places:
                self.assertNotIn("log is damaged", place.daemon.log(whole=True))


if __name__ == "__main__":
    unittest.main()
