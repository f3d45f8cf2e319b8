"""One file lost or put back from yesterday, in a site where nothing else happens: nobody opens a slot
by it, and in the end all is as it was."""
import shutil
import unittest

import paths  # noqa: F401
import side_by_side
from calamities import copy_away
from processes import wait_until
from scenes import made, moved, still_site


# An agent that comes without its state is another one, and is let in when the one before counts as lost.
LOST_SOON = {"agent_timeout": "20s"}


def yesterday(site, name: str):
    """A copy of a database; its process has ended."""
    folder = site.path / "yesterday"
    folder.mkdir(exist_ok=True)
    copy_away(site.path / name, folder)
    return folder


def put_back(site, name: str) -> None:
    for suffix in ("", "-wal", "-shm"):
        (site.path / (name + suffix)).unlink(missing_ok=True)
    for each in (site.path / "yesterday").glob(name + "*"):
        shutil.copy2(each, site.path / each.name)


def restart(site, who: str) -> None:
    daemon = site.broker if who == "broker" else site.agents[who]
    daemon.kill9()
    yesterday(site, "leasehold.db" if who == "broker" else f"{who}-agent.db")
    daemon.start()


class Yesterday(unittest.TestCase):
    def moved_since(self, site, who: str) -> None:
        """A copy of the files of `who`, then west gets all four slots."""
        made(site)
        restart(site, who)
        site.wait_for_new_sessions()
        site.order("rebalance", "pool:west")
        moved(site)

    def test_an_agents_state_opens_nothing_that_it_gave_away_since(self) -> None:
        for who in ("east", "west"):
            with self.subTest(who=who), still_site(broker=LOST_SOON) as site:
                self.moved_since(site, who)
                site.agents[who].kill9()
                put_back(site, f"{who}-agent.db")
                site.agents[who].start()
                for _ in range(5):
                    site.watch(0.2)
                site.wait_for_new_sessions()
                moved(site)

    def test_a_database_is_noticed_by_the_numbers_of_the_agents_alone(self) -> None:
        with still_site() as site:
            self.moved_since(site, "broker")
            site.broker.kill9()
            put_back(site, "leasehold.db")
            (site.path / "leasehold.db.commit").unlink()
            site.start_broker()
            site.wait_for_new_sessions()
            wait_until(lambda: [row for row in site.ask("history")
                                if row["kind"] == "database-older"], "the broker notices")
            moved(site)

    def test_a_database_and_an_agents_state_together_lose_no_slot(self) -> None:
        with still_site(broker=LOST_SOON) as site:
            self.moved_since(site, "broker")
            for daemon in (site.broker, site.agents["west"]):
                daemon.kill9()
            put_back(site, "leasehold.db")
            for path in site.path.glob("west-agent.db*"):
                path.unlink()
            site.start_broker()
            site.agents["west"].start()
            site.wait_for_new_sessions()
            moved(site)


if __name__ == "__main__":
    side_by_side.main()
