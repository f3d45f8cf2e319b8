"""Agents that mean harm, or were set up wrongly: each harms its own cluster only."""
import os
import sqlite3
import unittest

import ledgers
import side_by_side
from configs import Cluster, Job, table
from leasehold_site import Site
from processes import Daemon, wait_until
from scenes import LONG_S, made, moved, still_site
from wire import FakeAgent

INVENTORY_HOSTS = 2_000


def site_with_south(**settings) -> Site:
    """East and west as ever; nobody speaks for south, which has no lease."""
    clusters = {"east": Cluster({"big1": 8}), "west": Cluster({"small1": 1}, [Job(0, LONG_S)] * 5),
                "south": Cluster({"tiny1": 1})}
    site = Site(clusters, broker={"reclaim_delay": "1h", "agent_timeout": "10m"}, **settings)
    site.start_broker()
    for name in ("east", "west"):
        site.agents[name].start()
    site.wait_for_lease(phase="active", consumer_slots__used=1)
    return site


class AHello(unittest.TestCase):
    def test_with_orders_of_the_future_in_a_group_of_others_stops_nobody(self) -> None:
        with site_with_south() as site, FakeAgent(site.listen) as liar:
            (group,) = ledgers.table_rows(site.database, "SELECT generation FROM slot_group")
            generation = group["generation"]
            groups = [(generation, 2 ** 36, False, 0, []), (generation + 99, 2 ** 36, False, 0, [])]
            self.assertEqual(liar.hello("south", groups=groups)["t"], "configuration")
            kinds = {row["kind"] for row in site.ask("history")}
            self.assertNotIn("database-older", kinds)
            self.assertNotEqual(site.lease()["reason"], "quarantine")
            site.order("rebalance", "pool:west")
            moved(site)


class ACopiedState(unittest.TestCase):
    def copy_of_west(self, site) -> Daemon:
        """Another agent for west, with a copy of the state file, in a folder of its own."""
        folder = site.path / "copy"
        folder.mkdir()
        with sqlite3.connect(site.path / "west-agent.db") as state, \
                sqlite3.connect(folder / "west-agent.db") as copy:
            state.backup(copy)
            copy.execute("UPDATE agent SET boot = boot + 5")
        for name in ("west.toml", "west.swf"):
            (folder / name).write_bytes((site.path / name).read_bytes())
        return Daemon("lease-agent", "copy of west", folder / "west.toml")

    def test_is_refused_while_its_first_agent_is_heard_with_an_alarm(self) -> None:
        with still_site() as site:
            made(site)
            copy = self.copy_of_west(site)
            try:
                copy.start()
                site.broker.wait_for_log("reason=copied-state")
                row = wait_until(lambda: site.flow("west", reason="copied-state"), "it is shown")
                self.assertEqual(row["agent"], "up")
                self.assertNotIn("forget", row["detail"], "it is refused while the first one is heard")
                alarms = [row for row in site.ask("history") if row["kind"] == "alarm"]
                self.assertEqual([(row["cluster"], row["reason"]) for row in alarms],
                                 [("west", "copied-state")])
                site.order("rebalance", "pool:west")
                moved(site)  # with the first agent
                self.assertEqual(site.agents["west"].log().count("event=connected"), 1)
                self.assertNotIn("event=connected", copy.log())
                # A move: the first one falls silent for agent_timeout.
                self.assertEqual(site.agents["west"].stop(), 0)
                copy.wait_for_log("event=connected")
                self.assertEqual(copy.stop(), 0)
            finally:
                copy.kill9()


def hosts_of_south(site) -> dict[str, int]:
    return {row["host"]: row["slots"] for row in site.ask("hosts") if row["cluster"] == "south"}


class Inventories(unittest.TestCase):
    def test_that_alternate_without_end_neither_fill_the_disk_nor_are_lost(self) -> None:
        limits = table("[limits]", {"record_mb_per_hour": 1})
        with site_with_south(more=limits) as site, FakeAgent(site.listen) as agent:
            self.assertEqual(agent.hello("south")["t"], "configuration")
            for number in range(100):
                agent.inventory({f"{'ab'[number % 2]}{host}": 1 for host in range(INVENTORY_HOSTS)})
            agent.inventory({"newest1": 1})
            site.broker.wait_for_log("event=reports-delayed")
            wait_until(lambda: site.flow("south")["late_since"], "clusters shows it")
            rows = [row for row in site.ask("history") if row["kind"] == "inventory"]
            of_south = [row for row in rows if row["cluster"] == "south"]
            self.assertLess(len(of_south), 20)  # of a hundred: as many as its saved bytes hold
            self.assertEqual(site.broker.log().count("event=reports-delayed"), 1)
            alarms = [row for row in site.ask("history") if row["kind"] == "alarm"]
            self.assertEqual([(row["cluster"], row["reason"]) for row in alarms],
                             [("south", "over-rate")])
            self.assertIsNone(site.flow("west")["late_since"])
            site.order("rebalance", "pool:west")
            moved(site)
            grown = sum(path.stat().st_size for path in site.path.glob("leasehold.db*"))
            self.assertLess(grown, 8 << 20)

    def test_of_which_one_host_changes_are_recorded_by_that_host(self) -> None:
        with site_with_south() as site, FakeAgent(site.listen) as agent:
            self.assertEqual(agent.hello("south")["t"], "configuration")
            hosts = {f"host{number}": 1 for number in range(INVENTORY_HOSTS)}
            agent.inventory(hosts)
            wait_until(lambda: len(hosts_of_south(site)) == INVENTORY_HOSTS, "all are there")
            before = (site.path / "leasehold.db-wal").stat().st_size
            for number in range(50):
                agent.inventory({**hosts, "host7": 2 + number})
            wait_until(lambda: hosts_of_south(site).get("host7") == 51, "the last one is there")
            grown = (site.path / "leasehold.db-wal").stat().st_size - before
            self.assertLess(grown, 4 << 20, "not fifty times all of them")
            agent.inventory({host: 1 for host in hosts if host != "host9"})
            wait_until(lambda: len(hosts_of_south(site)) == INVENTORY_HOSTS - 1, "one is gone")


@unittest.skipUnless(os.geteuid() == 0, "becomes another user")
class ALock(unittest.TestCase):
    def test_that_another_user_holds_of_a_readable_file_keeps_no_program_from_starting(self) -> None:
        with still_site() as site:
            site.path.chmod(0o755)
            locks = [site.path / "leasehold.db.lock", site.path / "west-agent.db.lock"]
            for lock in locks:
                lock.touch()
                lock.chmod(0o644)
            ready, said = os.pipe()
            stranger = os.fork()
            if stranger == 0:
                _hold_as_nobody(locks, said)
            try:
                self.assertEqual(os.read(ready, 1), b"y")
                made(site)
                for lock in locks:
                    self.assertEqual(lock.stat().st_mode & 0o777, 0o600)
            finally:
                os.kill(stranger, 9)
                os.waitpid(stranger, 0)


def _hold_as_nobody(locks, said) -> None:
    import fcntl
    import signal
    try:
        os.setgid(65534)
        os.setuid(65534)
        held = [lock.open("rb") for lock in locks]
        for file in held:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.write(said, b"y")
        signal.pause()
    finally:
        os._exit(1)


if __name__ == "__main__":
    side_by_side.main()
