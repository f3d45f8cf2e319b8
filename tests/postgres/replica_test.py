"""Several brokers whose database fails over to a replica without its last commits: asynchronous replication.

Rules of broker/store/postgres/README.md by number. The lost tail is what the primary committed after the replica was
stopped.
"""
import contextlib
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "integration"))

import places
from ports import Claim
from postgres_server import PostgresServer, owned_folder
from processes import wait_until
from scenes import busy_site
from standby_site import NoSlotTwice, StandbySite


class Replica(PostgresServer):
    """Of a server that runs; started it follows it."""

    def __init__(self, primary: PostgresServer) -> None:
        self.place = contextlib.ExitStack()
        self.place.enter_context(places.one())
        self.path = owned_folder()
        self.settings = ()
        self.claim = Claim()
        self.port = self.claim.ports[0]
        self.data = self.path / "data"
        self.run("pg_basebackup", "-h", "127.0.0.1", "-p", str(primary.port), "-U", "leasehold", "-D",
                 str(self.data), "-R", "-X", "stream", "-c", "fast")

    def promote(self) -> None:
        self.run("pg_ctl", "-D", str(self.data), "-w", "-s", "promote")


class FailOver(unittest.TestCase):
    def setUp(self) -> None:
        self.enterContext(places.taken(3))  # two servers and a site
        self.primary = self.enterContext(PostgresServer())

    def site(self) -> StandbySite:
        site = busy_site(lambda *words, broker: StandbySite(self.primary, *words, broker=broker))
        self.replica = self.enterContext(Replica(self.primary))
        ports = f"127.0.0.1:{self.primary.port},127.0.0.1:{self.replica.port}"
        site.database = site.database.replace(f"127.0.0.1:{self.primary.port}", ports)
        site.sql_database = self.primary.url("leasehold")
        site.write_places()
        return site

    def forget_from_here(self, site: StandbySite) -> None:
        """What is committed from now on is in no replica."""
        here = int(site.sql("SELECT log_end FROM leader"))

        def follows() -> bool:
            site.sql_database = self.replica.url("leasehold")
            return int(site.sql("SELECT log_end FROM leader")) >= here
        wait_until(follows, "the replica follows")
        site.sql_database = self.primary.url("leasehold")
        self.replica.stop()
        site.flips_again()

    def fail_over(self, site: StandbySite) -> None:
        self.primary.kill()
        self.replica.start()
        self.replica.promote()
        site.sql_database = self.replica.url("leasehold")

    def goes_on(self, site: StandbySite) -> None:
        site.wait_for_leader()
        site.wait_for_agents()
        site.flips_again()

    def test_of_several_hosts_no_replica_that_is_behind_is_read_from(self) -> None:
        with self.site() as site:
            hosts = [f"127.0.0.1:{server.port}" for server in (self.replica, self.primary)]
            site.database = self.primary.url("leasehold").replace(hosts[1], ",".join(hosts))
            site.write_places()
            site.start_all()
            self.of(site, self.replica, "SELECT 1 FROM pg_wal_replay_pause()")
            site.sql_database = self.primary.url("leasehold")
            with NoSlotTwice(site):
                site.flips_again()
                site.flips_again()

    def test_a_lost_tail_of_commits_rules_5_and_7(self) -> None:
        with self.site() as site:
            site.start_all()
            with NoSlotTwice(site):
                site.flips_again()
                self.forget_from_here(site)
                end = int(site.sql("SELECT log_end FROM leader"))
                self.fail_over(site)
                self.assertLess(int(site.sql("SELECT log_end FROM leader")), end)
                self.goes_on(site)
                self.assertTrue(any(event["reason"] == "database-older" for event in site.ask("history")))

    def test_a_lost_tail_that_held_a_take_over_rules_5_and_13(self) -> None:
        with self.site() as site:
            first = site.start_all()
            with NoSlotTwice(site):
                site.flips_again()
                self.forget_from_here(site)
                first.daemon.kill9()
                second = site.wait_for_leader(site.standbys())
                site.wait_for_agents()
                site.flips_again()
                # Nobody but the agents has seen it.
                second.daemon.kill9()
                self.fail_over(site)
                first.daemon.start()
                second.daemon.start()
                wait_until(lambda: int(site.sql("SELECT epoch FROM leader")) >= 3, "it is above 2")
                self.goes_on(site)

    def test_a_lost_tail_that_held_a_step_down_rule_7(self) -> None:
        with self.site() as site:
            first = site.start_all()
            with NoSlotTwice(site):
                site.flips_again()
                self.forget_from_here(site)
                self.assertEqual(first.daemon.stop(), 0)
                site.wait_for_leader(site.standbys())
                site.wait_for_agents()
                site.flips_again()
                self.fail_over(site)
                first.daemon.start()
                self.goes_on(site)

    def test_the_old_primary_left_running_with_a_broker_rules_12_and_13(self) -> None:
        with self.site() as site:
            old, new = site.places
            site.database_of = {"hub-1": self.primary.url("leasehold"), "hub-2": self.replica.url("leasehold")}
            site.write_places()
            old.daemon.start()
            for agent in site.agents.values():
                agent.start()
            site.wait_for_leader([old])
            site.wait_for_agents()
            with NoSlotTwice(site):
                site.flips_again()
                wait_until(lambda: self.of(site, self.replica, "SELECT epoch FROM leader") == 1, "it follows")
                self.replica.promote()
                new.daemon.start()
                site.wait_for_leader([new])  # of another database, by now
                site.look_at(old)
                site.flips_again()  # agents stay with who answers
                old.daemon.kill9()
                site.look_at(new)
                site.wait_for_agents()
                site.flips_again()
                old.daemon.start()
                site.wait_for_leader([old])
                for agent in site.agents.values():
                    self.assertTrue(agent.running())
                new.daemon.kill9()
                # The agents have greeted epoch 2 of the other server: it goes above.
                wait_until(lambda: self.of(site, self.primary, "SELECT epoch FROM leader") >= 3, "it is above 2")
                site.look_at(old)
                site.wait_for_agents()
                site.flips_again()
            site.sql_database = self.primary.url("leasehold")
            site.database = site.sql_database

    def of(self, site: StandbySite, server: PostgresServer, statement: str) -> int:
        site.sql_database = server.url("leasehold")
        return int(site.sql(statement))


if __name__ == "__main__":
    unittest.main()
