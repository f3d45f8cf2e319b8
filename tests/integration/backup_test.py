"""Backup and restore: a copy of a running broker's database, and a broker started from it."""
import json
import time
import unittest

import side_by_side
from processes import PROGRAMS, run, wait_until
from scenes import busy_site, made, moved, still_site


def leasectl(*words):
    return run(PROGRAMS / "leasectl", *words)


class ACopy(unittest.TestCase):
    def test_of_a_broker_at_work_is_whole_and_of_one_instant(self) -> None:
        with busy_site() as site:
            site.start()
            wait_until(lambda: site.flips() > 3, "the lease flips")
            copy = site.path / "copy.db"
            answer = site.ctl("backup", str(copy), "--json")
            self.assertEqual(answer.returncode, 0, answer.stderr)
            told = json.loads(answer.stdout)
            self.assertEqual(told["file"], str(copy))
            self.assertEqual(copy.stat().st_mode & 0o777, 0o600)
            before = site.flips()
            wait_until(lambda: site.flips() > before, "the broker goes on")
            verified = leasectl("replay", copy, "--verify", "--json")
            self.assertEqual(verified.returncode, 0, verified.stdout)
            self.assertEqual(json.loads(verified.stdout)["last_event"], told["last_event"])
            again = site.ctl("backup", str(copy))
            self.assertEqual(again.returncode, 1)
            self.assertIn("is there already", again.stderr)

    def test_of_a_database_without_a_broker(self) -> None:
        with still_site() as site:
            made(site)
            site.broker.stop()
            copy = site.path / "copy.db"
            answer = leasectl("backup", copy, "--db", site.database)
            self.assertEqual(answer.returncode, 0, answer.stderr)
            self.assertIn("verified", answer.stdout)
            site.start_broker()

    def test_put_back_beside_agents_that_went_on_gives_no_slot_twice(self) -> None:
        with still_site() as site:
            made(site)
            copy = site.path / "copy.db"
            self.assertEqual(site.ctl("backup", str(copy)).returncode, 0)
            site.order("rebalance", "pool:west")
            moved(site)
            site.broker.kill9()
            refused = leasectl("restore", copy, site.database)
            self.assertEqual(refused.returncode, 1)
            self.assertIn("is there already", refused.stderr)
            self.put_back(site, copy)
            site.start_broker()
            site.wait_for_new_sessions()
            wait_until(lambda: [row for row in site.ask("history")
                                if row["kind"] == "database-older"], "the broker notices")
            moved(site)

    def test_put_back_beside_busy_agents_it_flips_again(self) -> None:
        """How soon is told, not judged: agents come back by themselves, each lease is heard, then
        the grid, which is 0.3 s here."""
        with busy_site() as site:
            site.start()
            wait_until(lambda: site.flips() > 3, "the lease flips")
            copy = site.path / "copy.db"
            self.assertEqual(site.ctl("backup", str(copy)).returncode, 0)
            before = site.flips()
            wait_until(lambda: site.flips() > before + 2, "the broker goes on")
            site.broker.kill9()
            self.put_back(site, copy)
            begun = time.monotonic()
            known = len(json.loads(leasectl("--db", site.database, "history", "--json").stdout))
            site.start_broker()
            wait_until(lambda: [row for row in site.ask("history")[known:] if row["kind"] == "flip"],
                       "a flip")
            print(f"from the restored broker's start to its first flip: "
                  f"{time.monotonic() - begun:.1f} s", flush=True)

    def put_back(self, site, copy) -> None:
        for suffix in ("", "-wal", "-shm"):
            site.path.joinpath(f"leasehold.db{suffix}").rename(site.path / f"away.db{suffix}")
        restored = leasectl("restore", copy, site.database, "--json")
        self.assertEqual(restored.returncode, 0, restored.stderr)


if __name__ == "__main__":
    side_by_side.main()
