"""Several brokers on one PostgreSQL, as processes: who leads, what a standby says, how another takes over.

Design: broker/store/postgres/README.md; each rule that a test shows is in its name.
"""
import time
import unittest

from postgres_server import PostgresServer
from processes import PROGRAMS, run, wait_until
from scenes import busy_site
from standby_site import NoSlotTwice, StandbySite


class OneLeads(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.server = cls.enterClassContext(PostgresServer())

    def site(self) -> StandbySite:
        return busy_site(lambda *words, **more: StandbySite(
            self.server, *words, database=self.id().rsplit(".", 1)[1], **more))

    def test_a_killed_leader_is_followed_by_the_standby(self) -> None:
        with self.site() as site:
            first = site.start_all()
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
                self.assertEqual(second.row()["epoch"], 2)


if __name__ == "__main__":
    unittest.main()
