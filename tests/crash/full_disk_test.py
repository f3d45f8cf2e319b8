"""A file system of one megabyte that really fills up, under the broker and under an agent, and is freed
again. Needs a mount, so root; ../integration/database_test.py does the same for the broker by a limit
on the size of files."""
import os
import subprocess
import unittest
from contextlib import contextmanager

import paths  # noqa: F401
import side_by_side
from processes import wait_until
from scenes import made, moved, still_site


@contextmanager
def small_disk(site):
    """A folder `small` in the site, of one megabyte."""
    folder = site.path / "small"
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", folder], check=True)
    try:
        yield folder
    finally:
        site.kill_all()
        subprocess.run(["umount", folder], check=True)


def may_mount() -> bool:
    return os.geteuid() == 0 and subprocess.run(
        ["unshare", "-m", "mount", "-t", "tmpfs", "tmpfs", "/mnt"], check=False,
        capture_output=True).returncode == 0


def fill(folder) -> None:
    with (folder / "filler").open("wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(4096))
        except OSError:
            pass


@unittest.skipUnless(may_mount(), "no permission to mount a small file system")
class AFullDisk(unittest.TestCase):
    def test_stops_the_brokers_orders_until_there_is_room(self) -> None:
        with still_site(broker={"database": "small/leasehold.db"}, verify=False) as site:
            site.database = site.path / "small/leasehold.db"
            with small_disk(site) as folder:
                made(site)
                fill(folder)
                self.assertNotEqual(
                    site.ctl("rebalance", "pool:west", "--timeout", "1s").returncode, 0)
                site.broker.wait_for_log("disk is full")
                self.assertTrue(site.broker.running())
                site.check_ledgers()
                (folder / "filler").unlink()
                wait_until(lambda: site.ctl("rebalance", "pool:west", "--timeout",
                                            "1s").returncode == 0, "it goes on")
                moved(site)
                site.verify()

    def test_lets_an_agent_answer_no_order_until_there_is_room(self) -> None:
        with still_site(broker={"transfer_timeout": "2s"}, verify=False) as site:
            site.clusters["east"].agent["state"] = "small/east-agent.db"
            site.write_agent_config("east")
            with small_disk(site) as folder:
                made(site)
                fill(folder)
                site.ctl("rebalance", "pool:west", "--timeout", "1s")
                site.agents["east"].wait_for_log("state-not-written")
                wait_until(lambda: site.history("transfer-failed"), "the transfer fails")
                self.assertEqual(site.held(), (3, 1))
                site.check_ledgers()
                (folder / "filler").unlink()
                wait_until(lambda: site.ctl("rebalance", "pool:west", "--timeout", "1s").returncode
                           == 0 and site.held() == (0, 4), "it goes on", every=0.5)
                moved(site)
                site.verify()


if __name__ == "__main__":
    side_by_side.main()
