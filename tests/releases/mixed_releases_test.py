"""Programs of a release before and of this one in one site, under flips and kills: nothing twice, nothing
lost, every history proved; the broker upgraded over its database, and the way back.

LEASEHOLD_BEFORE_BIN: the programs before (scripts/mixed-releases builds them). Without it the same
programs stand on both sides.
"""
import unittest

from mixed_site import BEFORE, NOW, MixedSite, word
import side_by_side
from processes import run, wait_until


def play_with_kills(site: MixedSite) -> None:
    """Flips; each agent and the broker killed once and started again; flips."""
    site.start()
    site.flip_on()
    for who in ("east", "broker", "west", "north"):
        with site.slots_moving():
            site.daemon(who).kill9()
            site.watcher.check()
        site.daemon(who).start()
        site.flip_on(2)


def upgraded(site: MixedSite, cleanly: bool) -> None:
    """A site of before, whose broker is ended while slots move and goes on as that of now."""
    site.start()
    site.flip_on()
    with site.slots_moving():
        site.end("broker", cleanly)
        site.watcher.check()
    site.core_before, site.schema_before = site.made_by()
    site.end_before = site.log_end(site.database)
    site.put(NOW, "broker")
    site.start_broker()
    site.flip_on(2)


def agents_become(site: MixedSite, programs) -> None:
    """One after the other, cleanly and not, with flips between."""
    for cleanly, who in enumerate(site.agents):
        site.become(programs, who, cleanly=cleanly % 2 == 0)
        site.flip_on(2)


def check_copy(self: unittest.TestCase, site: MixedSite) -> None:
    """One if, and only if, another core or schema made the database; of the log as it ended then."""
    another = site.made_by() != (site.core_before, site.schema_before)
    copies = site.upgrade_copies()
    self.assertEqual([copy.name for copy in copies],
                     [f"leasehold.db.core-{site.core_before}"] if another else [])
    for copy in copies:
        self.assertEqual(site.log_end(copy), site.end_before)


def put_back(site: MixedSite, copy) -> None:
    """The broker of before is started with a copy, beside agents that have gone on."""
    with site.slots_moving():
        site.broker.kill9()
    site.distrust()
    site.move_database_away()
    site.put(BEFORE, "broker")
    answer = run(BEFORE / "leasectl", "restore", copy, site.database)
    assert answer.returncode == 0, f"restore by {word(BEFORE)}: {answer.stdout}{answer.stderr}"
    site.start_broker()
    wait_until(lambda: [row for row in site.ask("history") if row["kind"] == "database-older"],
               "the broker notices")


class Together(unittest.TestCase):
    def test_agents_of_before_with_a_broker_of_now(self) -> None:
        with MixedSite(broker=NOW, agents=BEFORE) as site:
            play_with_kills(site)
            site.finish_and_verify(NOW)

    def test_agents_of_now_with_a_broker_of_before(self) -> None:
        with MixedSite(broker=BEFORE, agents=NOW) as site:
            play_with_kills(site)
            site.finish_and_verify(BEFORE, NOW)


class Upgrade(unittest.TestCase):
    def play(self, cleanly: bool) -> None:
        with MixedSite(broker=BEFORE, agents=BEFORE) as site:
            upgraded(site, cleanly)
            check_copy(self, site)
            agents_become(site, NOW)
            site.finish_and_verify(NOW)

    def test_in_the_middle_of_flips_after_a_clean_stop(self) -> None:
        self.play(cleanly=True)

    def test_in_the_middle_of_flips_after_a_kill(self) -> None:
        self.play(cleanly=False)


class Back(unittest.TestCase):
    def test_by_the_copy_gives_no_slot_twice(self) -> None:
        """The upgrade's copy; where it made none, one that an operator made before it."""
        with MixedSite(broker=BEFORE, agents=BEFORE) as site:
            site.start()
            site.flip_on(1)
            backup = site.path / "before.db"
            site.order("backup", str(backup))
            site.kill_all()
            upgraded(site, cleanly=True)
            agents_become(site, NOW)
            put_back(site, (site.upgrade_copies() or [backup])[0])
            site.flip_on(2)
            agents_become(site, BEFORE)
            site.finish_and_verify(BEFORE, NOW)

    def test_without_a_copy_is_the_database_itself(self) -> None:
        """Where an upgrade makes no copy, the program before goes on with what this one has written."""
        with MixedSite(broker=BEFORE, agents=BEFORE) as site:
            upgraded(site, cleanly=True)
            has_copy = bool(site.upgrade_copies())
            if not has_copy:
                site.become(BEFORE, "broker", cleanly=True)
                site.flip_on(2)
            site.finish_and_verify(NOW, *([] if has_copy else [BEFORE]))
        if has_copy:
            self.skipTest("the upgrade made a copy, which is the way back")


if __name__ == "__main__":
    sides = f"{BEFORE} and {NOW}" if BEFORE != NOW else \
        "the same programs on both sides: LEASEHOLD_BEFORE_BIN names no others"
    print(f"before and now: {sides}", flush=True)
    side_by_side.main()
