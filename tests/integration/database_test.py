"""Databases that cannot be used: a clear error, and no order that could not be recorded."""
import os
import resource
import sqlite3
import unittest

import side_by_side
from processes import PROGRAMS, run, wait_until
from scenes import made, moved, still_site


class ADatabase(unittest.TestCase):
    def refused(self, site, *words: str) -> None:
        site.broker.start()
        self.assertEqual(site.broker.wait(), 1, site.broker.log())
        for word in ("leasehold.db", *words):
            self.assertIn(word, site.broker.log())

    def made_and_stopped(self, site) -> None:
        made(site)
        self.assertEqual(site.broker.stop(), 0)

    def test_of_a_newer_schema_is_refused(self) -> None:
        with still_site(verify=False) as site:
            self.made_and_stopped(site)
            with sqlite3.connect(site.database) as database:
                database.execute("PRAGMA user_version = 9999")
            self.refused(site, "9999")
            answer = run(PROGRAMS / "leasectl", "leases", "--db", site.database)
            self.assertEqual(answer.returncode, 1, answer.stderr)

    def test_that_is_corrupt_is_refused(self) -> None:
        with still_site(verify=False) as site:
            self.made_and_stopped(site)
            size = site.database.stat().st_size
            with site.database.open("r+b") as file:
                file.seek(4096)
                file.write(os.urandom(size - 4096))
            self.refused(site)

    def test_that_is_no_database_is_refused(self) -> None:
        with still_site(verify=False) as site:
            site.database.write_text("these are not the bytes of a database\n" * 300)
            self.refused(site)

    def test_in_a_directory_that_is_not_there_is_refused(self) -> None:
        with still_site(verify=False, broker={"database": "nowhere/leasehold.db"}) as site:
            self.refused(site, "nowhere")

    @unittest.skipIf(os.geteuid() == 0, "root may write to everything")
    def test_that_is_read_only_is_refused(self) -> None:
        with still_site(verify=False) as site:
            self.made_and_stopped(site)
            site.database.chmod(0o400)
            self.refused(site, "read-only")

    def test_that_is_full_stops_orders_and_goes_on_when_there_is_room(self) -> None:
        with still_site() as site:
            self.made_and_stopped(site)
            full = max(path.stat().st_size for path in site.path.glob("leasehold.db*"))
            site.broker.limits = lambda: resource.setrlimit(
                resource.RLIMIT_FSIZE, (full, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
            site.broker.start()
            wait_until(lambda: not site.broker.running() or "leasehold.db" in site.broker.log(),
                       "the broker says that its database is full")
            site.ctl("rebalance", "pool:west")
            site.check_ledgers()
            site.broker.kill9()
            site.broker.limits = None
            site.start_broker()
            site.wait_for_agents()
            wait_until(lambda: site.ctl("rebalance", "pool:west").returncode == 0, "it goes on")
            moved(site)

    def test_older_than_its_agents_know_is_noticed(self) -> None:
        with still_site() as site:
            self.made_and_stopped(site)
            old = site.path / "old.db"
            with sqlite3.connect(site.database) as now, sqlite3.connect(old) as then:
                now.backup(then)
            site.start_broker()
            site.wait_for_agents()
            wait_until(lambda: site.ctl("rebalance", "pool:west").returncode == 0, "rebalance")
            moved(site)
            site.broker.stop()
            for path in site.path.glob("leasehold.db-*"):
                path.unlink()
            old.replace(site.database)
            site.start_broker()
            wait_until(lambda: "database-older" in site.broker.log(), "the broker notices")
            moved(site)


if __name__ == "__main__":
    side_by_side.main()
