"""lease_ttl between real processes: a cluster that is silent for too long loses what it leases, and its
workload manager closes those slots without the agent, never later than the broker counts on it.

When that is: unit/core/agents/expiry_test.cpp, unit/agent/core/lease_clock_test.cpp. Here it is not sooner,
and it happens.
"""
import time
import unittest
from datetime import datetime

import ledgers
import one_site
from leasehold_site import Site
from one_site import OnOneSite
from processes import LAST_BOUND_S, wait_until
from scenes import made, moved, still_site

TTL_S, GRACE_S, LEEWAY_S, MARGIN_S = 10.0, 1.0, 1.0, 1.0
FOR_EVER_MS = 2**63 - 1
CLOCKS_MS = 2  # two clocks, each read in whole milliseconds
BROKER = {"agent_timeout": "3s", "lease_ttl": f"{TTL_S:g}s", "leeway": f"{LEEWAY_S:g}s"}
POLICY = {"name": "pool", "provider": "east", "hosts": ["big1"], "slots_per_host": 4,
          "distribution": [{"cluster": "west", "shares": 1}], "type": "shared",
          "reclaim_grace": f"{GRACE_S:g}s"}


def leases_until_ms(site: Site) -> int:
    """When west's workload manager closes what is leased, as it has written."""
    rows = ledgers.rows_of(site.path / "west-jobs.db", "SELECT number FROM fact WHERE key = 'lease_until_ms'")
    assert rows and rows[0]["number"] < FOR_EVER_MS, "nothing is stated"
    return rows[0]["number"]


def ahead_ms() -> int:
    """The clock of the history, before that of leases_until_ms()."""
    return (time.time_ns() - time.clock_gettime_ns(time.CLOCK_BOOTTIME)) // 1_000_000


def watch_until_returned(site) -> None:
    """Looks at the ledgers until the slots are back."""
    since = time.monotonic()
    while site.held() != (4, 0):
        site.watch(0.2)
        assert time.monotonic() - since < LAST_BOUND_S, f"held is {site.held()}"


def lease_again(site) -> None:
    """West comes back and gets everything anew, by orders alone."""
    def asked() -> bool:
        row = site.lease()
        if row["phase"] == "active" and row["consumer_slots"]["used"] < 4:
            site.ctl("rebalance", "pool:west")
        return row["consumer_slots"]["used"] == 4
    wait_until(asked, "west uses four slots again", every=0.2)
    moved(site)


class SlotsOfASilentCluster(OnOneSite):
    """West holds and uses all four slots, and has stated that they close without its agent."""

    def site_for_all(self) -> Site:
        return still_site(broker=BROKER, policies=[POLICY])

    def begin(self) -> None:
        made(self.site)

    def as_found(self) -> None:
        self.site.wait_for_agents()
        lease_again(self.site)
        wait_until(lambda: leases_until_ms(self.site), "it is stated when they end")
        self.last = self.site.ask("history")[-1]["id"]

    def test_return_after_ttl_grace_leeway_and_margin(self) -> None:
        site = self.site
        site.agents["west"].kill9()
        until_ms = leases_until_ms(site) + ahead_ms()
        watch_until_returned(site)
        site.check_ledgers()
        expired, = (row for row in site.history("lease-expired") if row["id"] > self.last)
        self.assertEqual((expired["reason"], expired["slots"]), ("lease-expired", 4))
        lost = [row["id"] for row in site.ask("history") if row["kind"] == "agent-lost" and row["cluster"] == "west"]
        self.assertTrue(self.last < lost[-1] < expired["id"])
        expired_ms = 1000 * datetime.fromisoformat(expired["time"]).timestamp()
        self.assertGreater(expired_ms, until_ms + 1000 * (GRACE_S + LEEWAY_S + MARGIN_S) - CLOCKS_MS)
        site.agents["west"].start()
        site.wait_for_agents()
        site.check_ledgers()

    def test_are_closed_by_an_agent_that_hears_no_broker_until_a_new_order(self) -> None:
        site = self.site
        site.broker.kill9()
        site.agents["west"].wait_for_log("event=leases-ended")
        site.check_ledgers()
        wait_until(lambda: ledgers.lease_ended_for_ms(site.path / "west-jobs.db") > 1000 * GRACE_S, "the grace is over")
        site.check_ledgers()
        site.start_broker()
        site.wait_for_agents()
        site.check_ledgers()


class SlotsOfAClusterThatIsHeard(unittest.TestCase):
    def test_end_later_and_later(self) -> None:
        with still_site(broker={"lease_ttl": "10m"}, policies=[POLICY]) as site:
            made(site)
            lease_again(site)
            for _ in range(3):
                stated = wait_until(lambda: leases_until_ms(site), "it is stated when they end")
                wait_until(lambda: leases_until_ms(site) > stated, "a later time is stated")
            self.assertEqual(site.held(), (0, 4))
            self.assertNotIn("event=leases-ended", site.agents["west"].log())
            self.assertEqual(site.history("lease-expired"), [])


if __name__ == "__main__":
    one_site.main()
