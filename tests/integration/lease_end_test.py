"""lease_ttl between real processes: a cluster that is silent for too long loses what it leases, and its
workload manager closes those slots without the agent, never later than the broker counts on it.
"""
import time
import unittest

import side_by_side
from processes import LAST_BOUND_S, wait_until
from scenes import made, moved, still_site

TTL_S, GRACE_S, LEEWAY_S, MARGIN_S = 3.0, 1.0, 1.0, 1.0
RETURNS_S = TTL_S + GRACE_S + LEEWAY_S + MARGIN_S
BROKER = {"agent_timeout": "1s", "lease_ttl": f"{TTL_S:g}s", "leeway": f"{LEEWAY_S:g}s"}
POLICY = {"name": "pool", "provider": "east", "hosts": ["big1"], "slots_per_host": 4,
          "distribution": [{"cluster": "west", "shares": 1}], "type": "shared",
          "reclaim_grace": f"{GRACE_S:g}s"}


def leased_site(**settings):
    return still_site(broker=BROKER, policies=[POLICY], **settings)


def all_leased(site) -> None:
    """West holds and uses all four slots, and has stated that they close without its agent."""
    made(site)
    site.order("rebalance", "pool:west")
    moved(site)
    time.sleep(0.3)


def watch_until_returned(site, since: float) -> float:
    """Looks at the ledgers until the slots are back; how long that took."""
    while site.held() != (4, 0):
        site.watch(0.2)
        assert time.monotonic() - since < LAST_BOUND_S, f"held is {site.held()}"
    return time.monotonic() - since


def lease_again(site) -> None:
    """West comes back and gets everything anew, by orders alone."""
    def asked() -> bool:
        row = site.lease()
        if row["phase"] == "active" and row["consumer_slots"]["used"] < 4:
            site.ctl("rebalance", "pool:west")
        return row["consumer_slots"]["used"] == 4
    wait_until(asked, "west uses four slots again", every=0.2)
    moved(site)


class SlotsOfASilentCluster(unittest.TestCase):
    def test_return_after_ttl_grace_leeway_and_margin(self) -> None:
        with leased_site() as site:
            all_leased(site)
            site.agents["west"].kill9()
            killed = time.monotonic()
            wait_until(lambda: site.flow("west")["agent"] == "lost", "west is lost")
            self.assertIsNotNone(site.flow("west")["leases_return"])
            self.assertEqual(site.held(), (0, 4))  # they stay where they are
            took = watch_until_returned(site, killed)
            self.assertGreater(took, RETURNS_S - 0.5)
            site.check_ledgers()
            rows = site.history("lease-expired")
            self.assertEqual([(row["reason"], row["slots"]) for row in rows], [("lease-expired", 4)])
            site.agents["west"].start()
            site.wait_for_agents()
            site.check_ledgers()
            lease_again(site)

    def test_return_after_a_restart_of_the_broker_counted_from_its_start(self) -> None:
        with leased_site() as site:
            all_leased(site)
            site.agents["west"].kill9()
            site.broker.kill9()
            time.sleep(1.5)
            site.start_broker()
            started = time.monotonic()
            site.agents["east"].wait_for_log("event=connected")
            took = watch_until_returned(site, started)
            self.assertGreater(took, RETURNS_S - 1.5)
            site.agents["west"].start()
            site.wait_for_agents()
            lease_again(site)

    def test_are_closed_by_an_agent_that_hears_no_broker_until_a_new_order(self) -> None:
        with leased_site() as site:
            all_leased(site)
            site.broker.kill9()
            site.agents["west"].wait_for_log("event=leases-ended")
            site.check_ledgers()
            time.sleep(GRACE_S + 0.5)
            site.check_ledgers()
            site.start_broker()
            site.wait_for_agents()
            site.check_ledgers()
            lease_again(site)

    def test_stay_with_an_agent_that_is_heard(self) -> None:
        with leased_site() as site:
            all_leased(site)
            site.watch(RETURNS_S + 1)
            self.assertEqual(site.held(), (0, 4))
            self.assertNotIn("leases-ended", site.agents["west"].log())


if __name__ == "__main__":
    side_by_side.main()
