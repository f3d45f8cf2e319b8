"""The main job: a lease is made and flipped between real processes."""
import unittest

import ledgers
import side_by_side
from configs import Cluster, Job
from leasehold_site import Site
from scenes import LONG_S, busy_site, made, moved, still_site, two_clusters, work_changes


class ALease(unittest.TestCase):
    def test_is_made_flips_to_the_consumer_and_back(self) -> None:
        with two_clusters([], [Job(0, LONG_S)] * 5) as site:
            site.start()
            site.wait_for_lease(phase="active", consumer_slots__used=lambda used: used >= 1)
            site.wait_for_lease(consumer_slots__available=4, consumer_slots__used=4)
            site.check_ledgers()
            work_changes(site, "east", comes=8)
            work_changes(site, "west", ends=True)
            site.wait_for_lease(provider_slots__available=4, provider_slots__used=4)
            self.assertGreaterEqual(site.flips(), 2)
            kinds = [row["kind"] for row in site.history()]
            self.assertLess(kinds.index("lease-made"), kinds.index("flip"))
            self.assertIn(site.lease()["reason"], ("tie", "consumer-idle"))

    def test_is_not_made_before_the_consumer_runs_a_job_on_its_slot(self) -> None:
        with two_clusters() as site:
            site.start()
            site.wait_for_lease(phase="offered", consumer_slots__available=1, reason="not-made")
            site.wait_for_evaluations(2)
            self.assertEqual(site.lease()["phase"], "offered")
            self.assertEqual(site.flips(), 0)

    def test_keeps_slots_in_use_where_they_are(self) -> None:
        with still_site() as site:
            made(site)
            site.order("rebalance", "pool:west")
            moved(site)
            self.assertEqual(site.ctl("rebalance", "pool:west").returncode, 0)
            self.assertEqual(site.lease()["consumer_slots"]["used"], 4)
            self.assertEqual(site.lease()["reason"], "tie")

    def test_bears_a_job_on_own_and_leased_slots_of_one_host(self) -> None:
        with two_clusters([Job(2, LONG_S, 6)], [Job(0, LONG_S)] * 2) as site:
            site.start()
            site.wait_for_lease(phase="active", consumer_slots__used=1)
            site.wait_for_lease(provider_slots__used=2)
            site.agents["east"].kill9()
            site.agents["east"].start()
            site.wait_for_new_sessions()
            site.wait_for_lease(provider_slots__used=2)
            self.assertEqual(site.flow("east")["agent"], "up")

    def test_never_has_a_slot_twice_while_both_sides_come_and_go(self) -> None:
        with busy_site() as site:
            site.start()
            site.wait_for_agents()
            site.watch_until(lambda: site.looks.total() > 20 and site.looks[ledgers.IN_MOTION] and site.flips() > 3,
                             "twenty looks, and some flips", seconds=2)
            site.check_ledgers(tries_in_motion=0)
            self.assertTrue(site.looks[ledgers.WITH_ALL_STOPPED], site.looks)

    def test_that_is_exclusive_gives_the_consumer_all_it_is_due(self) -> None:
        policy = {"name": "pool", "provider": "east", "hosts": ["big1"], "slots_per_host": 4,
                  "distribution": [{"cluster": "west", "shares": 1}]}
        with two_clusters([], [Job(0, LONG_S)] * 5, policies=[policy]) as site:
            site.start()
            site.wait_for_lease(phase="active", consumer_slots__available=4, reason="complete")


class EachPolicy(unittest.TestCase):
    def test_moves_by_itself_in_opposite_directions(self) -> None:
        clusters = {"east": Cluster({"big1": 4, "big2": 4}, [Job(0, LONG_S)] * 4),
                    "west": Cluster({"w1": 1}, [Job(0, LONG_S)] * 5),
                    "north": Cluster({"n1": 1}, [Job(0, 2)] * 2)}
        policies = [{"name": name, "provider": "east", "hosts": [host], "slots_per_host": 4,
                     "distribution": [{"cluster": consumer, "shares": 1}], "type": "shared"}
                    for name, host, consumer in (("to-west", "big2", "west"),
                                                 ("to-north", "big1", "north"))]
        with Site(clusters, policies) as site:
            site.start()
            site.wait_for_lease("to-west:west", consumer_slots__used=4)
            site.wait_for_lease("to-north:north", consumer_slots__used=0,
                                provider_slots__used=lambda used: used >= 3)


if __name__ == "__main__":
    side_by_side.main()
