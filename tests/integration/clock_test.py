"""Machines whose clock is wrong: at a start it is told of; while programs run it changes nothing."""
import json
import unittest
from datetime import datetime, timezone

import ledgers
import side_by_side
from processes import PROGRAMS, wait_until
from scenes import busy_site, made, moved, still_site

CLOCK = PROGRAMS / "libstepped_clock.so"
DAY_MS = 24 * 3_600_000
TEN_YEARS_MS = 3_652 * DAY_MS


class SteppedClock:
    """The wall clock of some of a site's programs: the machine's, and so many milliseconds more."""

    def __init__(self, site, *daemons) -> None:
        self.file = site.path / "clock"
        self.step(0)
        for daemon in daemons:
            daemon.environment.update(LD_PRELOAD=str(CLOCK), LEASEHOLD_CLOCK_FILE=str(self.file))

    def step(self, ahead_ms: int) -> None:
        fresh = self.file.with_suffix(".new")
        fresh.write_text(f"{ahead_ms}\n")
        fresh.replace(self.file)


def times(site) -> list[tuple[int, str]]:
    rows = ledgers.table_rows(site.database, "SELECT time_ms, kind FROM event ORDER BY id")
    return [(row["time_ms"], row["kind"]) for row in rows]


@unittest.skipUnless(CLOCK.exists(), "sanitized programs take no clock of ours")
class AStart(unittest.TestCase):
    def refused(self, site, *words: str) -> None:
        site.broker.start()
        self.assertEqual(site.broker.wait(), 1, site.broker.log())
        for word in ("--accept-clock", "timedatectl", *words):
            self.assertIn(word, site.broker.log())

    def test_under_a_clock_ten_years_ahead_is_refused_and_changes_nothing(self) -> None:
        with still_site() as site:
            clock = SteppedClock(site, site.broker)
            made(site)
            self.assertEqual(site.broker.stop(), 0)
            before = times(site)
            clock.step(TEN_YEARS_MS)
            for _ in range(2):  # the first try leaves nothing that lets the second one through
                self.refused(site, "days after anything")
            self.assertEqual(times(site), before)
            clock.step(-5_000)  # a time server's small step
            site.start_broker()
            site.wait_for_agents()

    def test_that_accepted_a_wrong_clock_is_mended_by_a_command(self) -> None:
        with still_site() as site:
            clock = SteppedClock(site, site.broker)
            made(site)
            self.assertEqual(site.broker.stop(), 0)
            clock.step(TEN_YEARS_MS)
            site.start_broker("--accept-clock")
            site.wait_for_agents()
            site.broker.wait_for_log("event=clock-differs")
            self.assertLess(site.flow("west")["clock_off_ms"], -TEN_YEARS_MS + DAY_MS)
            self.assertEqual(site.broker.stop(), 0)
            clock.step(0)
            self.refused(site, "last event of the database is of")
            site.start_broker("--accept-clock")
            site.wait_for_agents()
            (row,) = [row for row in site.ask("history") if row["kind"] == "clock-set"]
            self.assertEqual(row["by"], "--accept-clock")
            self.assertGreater(row["numbers"]["from_ms"] - row["numbers"]["to_ms"],
                               TEN_YEARS_MS - DAY_MS)
            wait_until(lambda: site.ctl("rebalance", "pool:west").returncode == 0, "rebalance")
            moved(site)

            def at_this_second() -> list:  # the first one may have begun before the start
                instant = datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
                return json.loads(site.order("leases", "--at", instant, "--json"))
            wait_until(at_this_second, "an instant after it means what it says")
            self.assertEqual(site.broker.stop(), 0)
            site.start_broker()  # as ever


@unittest.skipUnless(CLOCK.exists(), "sanitized programs take no clock of ours")
class AClockThatIsStepped(unittest.TestCase):
    def test_while_all_run_moves_no_slot_and_loses_no_agent(self) -> None:
        with busy_site() as site:
            clock = SteppedClock(site, site.broker, *site.agents.values())
            site.start()
            site.wait_for_lease(phase=lambda phase: phase in ("active", "inactive"))
            for ahead_ms in (2 * DAY_MS, -5 * DAY_MS, 400 * DAY_MS, 0):
                clock.step(ahead_ms)
                flips = site.flips()
                wait_until(lambda flips=flips: site.flips() > flips + 1, "flips go on")
                site.check_ledgers()
            self.assertNotIn("event=agent-lost", site.broker.log())
            recorded = [time for time, _ in times(site)]
            self.assertEqual(recorded, sorted(recorded))
            self.assertLess(recorded[-1] - recorded[0], DAY_MS)


if __name__ == "__main__":
    side_by_side.main()
