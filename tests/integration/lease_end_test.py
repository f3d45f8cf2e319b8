"""lease_ttl between real processes: a cluster that is silent for too long loses what it leases, and its
workload manager closes those slots without the agent, never later than the broker counts on it.

When that is: unit/core/agents/expiry_test.cpp, unit/agent/core/lease_clock_test.cpp. Here it is not sooner,
and it happens.
"""
import time

import ledgers
import one_site
from leasehold_site import Site
from one_site import OnOneSite
from processes import wait_until
from scenes import made, moved, still_site

TTL_S, GRACE_S, LEEWAY_S, MARGIN_S = 3.0, 1.0, 1.0, 1.0
RETURNS_S = TTL_S + GRACE_S + LEEWAY_S + MARGIN_S
BROKER = {"agent_timeout": "1s", "lease_ttl": f"{TTL_S:g}s", "leeway": f"{LEEWAY_S:g}s"}
POLICY = {"name": "pool", "provider": "east", "hosts": ["big1"], "slots_per_host": 4,
          "distribution": [{"cluster": "west", "shares": 1}], "type": "shared",
          "reclaim_grace": f"{GRACE_S:g}s"}


def leases_until_ms(site: Site) -> int:
    """When west's workload manager closes what is leased, as it has written."""
    rows = ledgers.rows_of(site.path / "west-jobs.db", "SELECT number FROM fact WHERE key = 'lease_until_ms'")
    assert rows, "nothing is stated"
    return rows[0]["number"]


def held(site: Site, slots: tuple[int, int]) -> bool:
    assert site.held() == slots, f"held is {site.held()}"
    return True


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
        killed = time.monotonic()
        wait_until(lambda: site.flow("west")["agent"] == "lost", "west is lost")
        self.assertIsNotNone(site.flow("west")["leases_return"])
        self.assertEqual(site.held(), (0, 4))  # they stay where they are
        site.watch_until(lambda: held(site, (4, 0)), "the slots are back")
        self.assertGreater(time.monotonic() - killed, RETURNS_S - 0.5)
        site.check_ledgers()
        rows = [row for row in site.history("lease-expired") if row["id"] > self.last]
        self.assertEqual([(row["reason"], row["slots"]) for row in rows], [("lease-expired", 4)])
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

    def test_stay_with_an_agent_that_is_heard(self) -> None:
        """Past the time that was stated first."""
        site = self.site
        first, ended = leases_until_ms(site), site.agents["west"].log().count("leases-ended")
        site.watch_until(lambda: time.clock_gettime_ns(time.CLOCK_BOOTTIME) // 1_000_000 >= first,
                         "the time that was stated first")
        self.assertGreater(leases_until_ms(site), first)
        self.assertEqual(site.held(), (0, 4))
        self.assertEqual(site.agents["west"].log().count("leases-ended"), ended)


if __name__ == "__main__":
    one_site.main()
