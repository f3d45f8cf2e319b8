"""Machines whose clock is wrong: at a start it is told of; while programs run it changes nothing."""
import json
import time
import unittest
from datetime import datetime, timezone

import ledgers
import side_by_side
from processes import PROGRAMS, preloaded, wait_until
from scenes import busy_site, made, moved, still_site
from wire import FakeAgent

CLOCK = PROGRAMS / "libstepped_clock.so"
DAY_MS = 24 * 3_600_000
TEN_YEARS_MS = 3_652 * DAY_MS
STEP_MS = 3_000
LATE_S = 3.0


class SteppedClock:
    """The wall clock of some of a site's programs: the machine's, and so many milliseconds more."""

    def __init__(self, site, *daemons) -> None:
        self.file = site.path / "clock"
        self.step(0)
        for daemon in daemons:
            daemon.environment.update(LD_PRELOAD=preloaded(CLOCK), LEASEHOLD_CLOCK_FILE=str(self.file))

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


def found_wrong(site) -> dict[str, str]:
    """What doctor says of clocks, by cluster."""
    rows = json.loads(site.ctl("doctor", "--json").stdout)
    return {row["subject"]: row["finding"] for row in rows
            if row["check"] == "clocks" and row["status"] == "fault"}


@unittest.skipUnless(CLOCK.exists(), "sanitized programs take no clock of ours")
class AClockOfAnAgent(unittest.TestCase):
    def test_that_is_wrong_is_found_and_no_other_however_slow_the_machine_is(self) -> None:
        """One good moment of the machine is enough for what stands still; a step is known at once."""
        with still_site() as site:
            clock = SteppedClock(site, site.agents["west"])
            clock.step(STEP_MS)
            site.start()

            def finds(*clusters: str):
                found = found_wrong(site)
                self.assertLessEqual(set(found), {"west"})
                return tuple(found) == clusters and (found or True)
            found = wait_until(lambda: finds("west"), "the clock is found ahead")
            self.assertIn("at least 2s ahead of the broker's", found["west"])
            clock.step(0)
            wait_until(finds, "the clock is right again")
            clock.step(-STEP_MS)
            found = wait_until(lambda: finds("west"), "the clock is found behind")
            self.assertIn("at least 2s behind the broker's", found["west"])


def milliseconds(clock: int) -> int:
    return time.clock_gettime_ns(clock) // 1_000_000


def reading(heard: dict, off_ms: int = 0) -> dict:
    """What an agent says that has just heard this message and answers it at once."""
    while True:
        now, wall = milliseconds(time.CLOCK_BOOTTIME), milliseconds(time.CLOCK_REALTIME)
        if milliseconds(time.CLOCK_BOOTTIME) - now <= 1:  # both at one moment
            return {"wall_ms": wall + off_ms, "boottime_ms": now,
                    "heard_sent_ms": heard["sent_ms"], "heard_boottime_ms": now}


def reading_that_comes_late(welcome: dict) -> dict:
    said = reading(welcome)
    time.sleep(LATE_S)  # the hello is under way for so long, which is what the test is about
    return said


class AHello(unittest.TestCase):
    def test_that_comes_seconds_late_makes_no_clock_wrong(self) -> None:
        with still_site() as site:
            site.start_broker()
            with FakeAgent(site.listen) as agent:
                answer = agent.hello("west", clock=reading_that_comes_late)
                self.assertEqual(answer["t"], "configuration")
                self.assertEqual(found_wrong(site), {})
                row = site.flow("west")
                self.assertGreaterEqual(row["clock_off_error_ms"], LATE_S * 1000 / 2)
                self.assertLessEqual(abs(row["clock_off_ms"]), row["clock_off_error_ms"])
                beats = iter(range(1, 1_000))

                def answered(**said) -> dict:
                    number = next(beats)
                    agent.send("heartbeat", session=agent.session, number=number, report=0, **said)
                    return agent.receive("heartbeat-answer")

                def known_to(error_ms: int, off_ms: int) -> bool:
                    answered(clock=reading(answered(), off_ms))
                    return site.flow("west")["clock_off_error_ms"] <= error_ms
                wait_until(lambda: known_to(400, 0), "a heartbeat tells how right it is")
                self.assertEqual(found_wrong(site), {})
                wait_until(lambda: known_to(400, STEP_MS) and found_wrong(site), "and how wrong")

    def test_of_an_older_release_makes_a_clock_wrong_from_a_minute_on(self) -> None:
        with still_site() as site:
            site.start_broker()
            for boot, (off_ms, wrong) in enumerate([(-59_000, {}), (59_000, {}),
                                                    (-DAY_MS, {"west"})], 1):
                with FakeAgent(site.listen) as agent:
                    wall_ms = milliseconds(time.CLOCK_REALTIME) + off_ms
                    answer = agent.hello("west", state_id=7, boot=boot, wall_ms=wall_ms)
                    self.assertEqual(answer["t"], "configuration")
                    self.assertEqual(set(found_wrong(site)), set(wrong))


if __name__ == "__main__":
    side_by_side.main()
