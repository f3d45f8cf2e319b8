"""Several brokers of which one has a clock two days ahead: it leads not by it, and where it did others follow.

Description: broker/guide/standby.md, "Clocks". Who is refused: unit/views/whose_clock_test.cpp.
"""
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "integration"))

import side_by_side
from clock_test import CLOCK, DAY_MS, SteppedClock, found_wrong
from postgres_server import PostgresServer
from processes import wait_until
from scenes import busy_site
from standby_site import NoSlotTwice, StandbySite

AHEAD_MS = 2 * DAY_MS


@unittest.skipUnless(CLOCK.exists(), "sanitized programs take no clock of ours")
class AClockAhead(unittest.TestCase):
    def site(self) -> StandbySite:
        server = self.enterContext(PostgresServer())
        return self.enterContext(busy_site(lambda *words, broker: StandbySite(server, *words, broker=broker)))

    def test_does_not_lead_until_it_is_right_and_says_why(self) -> None:
        site = self.site()
        first, second = site.places
        clock = SteppedClock(site, second.daemon)
        clock.step(AHEAD_MS)
        site.start_all()
        wait_until(lambda: second.row()["clock_off_ms"] > AHEAD_MS - DAY_MS, "its clock is shown")
        self.assertLess(abs(first.row()["clock_off_ms"]), 60_000)
        with NoSlotTwice(site):
            site.flips_again()
            first.daemon.kill9()
            second.daemon.wait_for_log("event=take-over-failed")
            self.assertIn("more than two minutes ahead of the database server's", second.daemon.log())
            self.assertFalse(second.leads())
            clock.step(0)
            site.wait_for_leader([second])
            site.wait_for_agents()
            site.flips_again()
            first.daemon.start()
            wait_until(lambda: first.stands_by(second), "who comes back stands by")

    def test_that_led_leaves_a_log_that_others_go_on_with_and_no_agent_is_accused(self) -> None:
        """It took over once; then nobody could for two days."""
        site = self.site()
        first, second = site.places
        clock = SteppedClock(site, second.daemon)
        clock.step(AHEAD_MS)
        second.daemon.start("--accept-clock")
        site.wait_for_leader([second])
        for agent in site.agents.values():
            agent.start()
        site.wait_for_agents()
        with NoSlotTwice(site):
            site.flips_again()
            self.assertEqual(found_wrong(site), {})
            wait_until(lambda: any(row["kind"] == "clock-differs" and row["subject"] == second.name
                                   for row in second.ask("attention")), "the broker's own clock is named")
            first.daemon.start()
            wait_until(lambda: first.stands_by(second), "it stands by")
            second.daemon.kill9()
            site.wait_for_leader([first])
            site.wait_for_agents()
            site.flips_again()
            self.assertEqual(found_wrong(site), {})
            self.assertNotIn("event=clock-differs", first.daemon.log())
            wait_until(lambda: any("events are dated" in row["detail"] for row in first.ask("attention")),
                       "whose fault the dates are is said")


if __name__ == "__main__":
    side_by_side.main(of_places=2)
