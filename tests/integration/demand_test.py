"""The rule demand-aware end to end, beside two real Slurm clusters and two real Grid Engine cells: a wide
job on one side, many narrow ones on the other; slots move for work that they make start, and for nothing
else."""
import unittest
from datetime import datetime

import side_by_side
from gridengine_site import GridEngineSite, SlotWatch, pool as gridengine_pool, two_cells
from processes import wait_until
from slurm_site import SlurmSite, pool, two_slurm_clusters
from gridengine_cells import lacking
from slurm_clusters import installed

# However slow the machine is, work that was given slots has time to start.
BY_DEMAND = {"rule": "demand-aware", "use_by": "2m"}
# For work that never uses what it is given: its shape waits a delay, then two.
DELAY_S = 8
UNUSED = {"rule": "demand-aware", "use_by": "5s", "min_hold": "1s"}
BACKS_OFF = {"reclaim_delay": f"{DELAY_S}s"}


def check_back_off(test: unittest.TestCase, site, submit) -> None:
    """What is moved for the job is left unused, and not moved a second time before a delay is over, nor a
    third before two are: by the instants at which the broker decided so, however long the moves took. How
    many slots that are depends on whether one was idle there already."""
    before = {row["id"] for row in site.history()}
    submit()

    def told(kind: str, reason: str) -> list[dict]:
        return [row for row in site.history(kind) if row["reason"] == reason and row["id"] not in before]
    wait_until(lambda: len(told("transfer-started", "consumer-waits")) >= 3, "it is given slots three times")
    given = told("transfer-started", "consumer-waits")
    for delays, (one, following) in enumerate(zip(given[:2], given[1:3]), 1):
        back = [row for row in told("transfer-started", "grant-unused")
                if one["id"] < row["id"] < following["id"]]
        test.assertTrue(back, "what was given went back first")
        test.assertGreaterEqual(seconds(following) - seconds(back[0]), delays * DELAY_S, site.history())
    # Where a move takes longer than the first waits do, it is a later one that an evaluation finds.
    wait_until(lambda: told("evaluation", "unused-before"), "an evaluation says why nothing moves")


def seconds(row: dict) -> float:
    return datetime.fromisoformat(row["time"]).timestamp()


def made(site: SlurmSite, work: str = "sleep 36000") -> None:
    """West's own node is busy, and the lease is made: it uses the slot that it is offered."""
    site.start()
    site.wait_for_agents()
    for cpus in (2, 1):
        site.slurm["west"].submit(cpus, work)
    site.wait_for_running("west", "imp-p1", 1)


@unittest.skipUnless(installed(), "Slurm is not installed: scripts/install-packages")
class BesideSlurm(unittest.TestCase):
    def test_slots_go_to_work_that_they_make_start_and_to_nothing_else(self) -> None:
        with two_slurm_clusters() as (east, west), \
                SlurmSite(east, west, [pool(6, **BY_DEMAND)]) as site, site.watch_slots() as watch:
            end = west.path / "end"
            here = f"until [ -e {end} ]; do sleep 0.5; done"
            made(site, here)
            site.wait_for_lease(phase="active", consumer_slots__used=1)
            site.wait_for_lease(reason="no-taker", pending__consumer=0, consumer_slots__available=1,
                                in_transfer=0)
            flips = site.lease()["flips"]  # a job may have been seen while it still waited
            site.wait_for_evaluations(3)
            self.assertEqual(site.lease()["flips"], flips, "nobody waits, and nothing moves")
            # Seven on one host of which six are exported: Slurm knows eight, and lets it wait.
            wide = west.submit(7, here)
            wait_until(lambda: site.lease()["pending"]["consumer"] == 7, "the wide job is told of")
            site.wait_for_evaluations(3)
            self.assertEqual(site.lease()["reason"], "shape-misfit")
            self.assertEqual(site.lease()["flips"], flips)
            west.run("scancel", wide)
            # Three on one host: it has none free there, and is given as many as it takes.
            west.submit(3, here)
            site.wait_for_running("west", "imp-p1", 4)
            site.wait_for_lease(consumer_slots__used=4, consumer_slots__available=4, in_transfer=0)
            # East has many narrow jobs; what is left of p1 is all it has until west's work ends.
            many = [east.submit(1, "sleep 36000") for _ in range(12)]
            site.wait_for_running("east", "p1", 4)
            end.touch()
            site.wait_for_running("east", "p1", 8)
            site.wait_for_lease(provider_slots__used=6)
            east.run("scancel", *many)
            site.wait_for_evaluations(3)
            self.assertEqual(site.lease()["consumer_slots"]["available"], 0)
            self.assertEqual(watch.breaches, [])

    def test_with_provider_first_its_work_has_slots_that_the_consumer_uses(self) -> None:
        with two_slurm_clusters() as (east, west), \
                SlurmSite(east, west, [pool(6, **BY_DEMAND, provider_first=True)]) as site, \
                site.watch_slots() as watch:
            made(site)
            west.submit(4, "sleep 36000")
            site.wait_for_running("west", "imp-p1", 5)
            site.wait_for_lease(consumer_slots__used=5, in_transfer=0)
            east.submit(6, "sleep 36000")  # two are its own
            site.wait_for_running("east", "p1", 6)
            self.assertIn("provider-first", [row["reason"] for row in site.history("transfer-started")])
            site.wait_for_lease(provider_slots__used=4)
            self.assertEqual(watch.breaches, [])


@unittest.skipIf(lacking(), lacking())
class BesideGridEngine(unittest.TestCase):
    def test_slots_go_to_work_that_they_make_start_and_to_nothing_else(self) -> None:
        with two_cells() as (east, west), \
                GridEngineSite(east, west, [gridengine_pool(6, **BY_DEMAND)]) as site, \
                SlotWatch(8, east, west) as watch:
            over = west.folder / "over"
            here = f"until [ -e {over} ]; do sleep 0.5; done"
            site.start()
            site.wait_for_agents()
            west.submit_script(here)  # the slot that is offered: the lease is made
            site.wait_for_lease(phase="active", consumer_slots__used=1)
            # A job may have been seen while it still waited: the slot moved for it goes back after use_by.
            site.wait_for_lease(pending__consumer=0, consumer_slots__used=1, consumer_slots__available=1,
                                in_transfer=0)
            flips = site.lease()["flips"]
            site.wait_for_evaluations(3)
            self.assertEqual(site.lease()["flips"], flips, "nobody waits, and nothing moves")
            for _ in range(2):
                west.submit_script(here)
            site.wait_for_lease(consumer_slots__used=3, consumer_slots__available=3, in_transfer=0)
            site.wait_for_slots("west", 3, 3)
            many = [east.submit("sleep", "36000") for _ in range(10)]
            site.wait_for_slots("east", 5, 5)
            over.touch()
            site.wait_for_slots("east", 8, 8)
            self.assertEqual(len(many), 10)
            watch.look_at_least(20)
            self.assertEqual(watch.breaches, [])

    def test_who_cannot_use_what_is_moved_for_him_is_given_nothing_again_at_once(self) -> None:
        with two_cells() as (east, west), \
                GridEngineSite(east, west, [gridengine_pool(6, **UNUSED)], BACKS_OFF) as site, \
                SlotWatch(8, east, west) as watch:
            site.start()
            site.wait_for_agents()
            west.submit("sleep", "36000")  # the slot that is offered: the lease is made
            # A slot that moved for it while it was still told of as waiting is back: its grant is over.
            site.wait_for_lease(phase="active", consumer_slots__used=1, pending__consumer=0,
                                consumer_slots__available=1, in_transfer=0)
            check_back_off(self, site, lambda: west.submit("sleep", "36000", slots=2,
                                                           options=("-l", "hostname=!imp-big1")))
            watch.look_at_least(20)
            self.assertEqual(watch.breaches, [])


if __name__ == "__main__":
    side_by_side.main(of_places=2)
