"""What an operator may order, on a running site."""
import unittest

import side_by_side
from configs import POOL, Job
from processes import wait_until
from scenes import LONG_S, made, moved, still_site, two_clusters


class AnOperator(unittest.TestCase):
    def test_rebalances_now_and_not_before_the_lease_is_made(self) -> None:
        with still_site() as site:
            site.start_broker()
            site.agents["east"].start()
            wait_until(lambda: site.lease(), "the lease is there")
            refused = site.ctl("rebalance", "pool:west")
            self.assertEqual(refused.returncode, 1, refused.stderr)
            site.agents["west"].start()
            site.wait_for_lease(phase="active", consumer_slots__used=1)
            site.order("rebalance", "pool:west")
            moved(site)

    def test_freezes_and_thaws(self) -> None:
        with still_site() as site:
            made(site)
            site.order("freeze")
            refused = site.ctl("rebalance", "pool:west")
            self.assertEqual(refused.returncode, 1)
            self.assertIn("frozen", refused.stderr)
            self.assertEqual(site.held(), (3, 1))
            site.order("thaw")
            site.order("rebalance", "pool:west")
            moved(site)

    def test_drains_a_cluster_and_resumes_it(self) -> None:
        with two_clusters([], [Job(0, 3)] * 5) as site:
            site.start()
            site.wait_for_lease(consumer_slots__used=4)
            site.order("drain", "west")
            self.assertEqual(site.held(), (0, 4), "slots in use are not taken")
            site.wait_for_held(4, 0)
            site.check_ledgers()
            flips = site.flips()
            site.order("resume", "west")
            wait_until(lambda: site.flips() > flips, "the lease flips again")

    def test_closes_a_host_and_opens_it(self) -> None:
        with two_clusters([], [Job(0, 2)] * 5 + [Job(6, LONG_S)] * 5) as site:
            site.start()
            site.wait_for_lease(consumer_slots__used=4)
            site.order("close", "big1@east", "--for", "west")
            self.assertEqual(site.held(), (0, 4), "work that runs is left to end")
            site.wait_for_held(4, 0)
            site.check_ledgers()
            site.order("open", "big1@east", "--for", "west")
            site.wait_for_lease(consumer_slots__used=4, seconds=20)

    def test_forgets_a_silent_consumer(self) -> None:
        with still_site(broker={"agent_timeout": "1s"}) as site:
            made(site)
            refused = site.ctl("forget", "west")
            self.assertEqual(refused.returncode, 1, "west is heard")
            site.agents["west"].kill9()
            wait_until(lambda: site.flow("west")["agent"] == "lost", "west is lost")
            self.assertEqual(site.held(), (3, 1), "a silent agent's slots stay where they are")
            site.order("forget", "west")
            site.wait_for_held(4, 0)
            site.agents["east"].stop()
            site.broker.stop()
            site.verify()
            site.verify_at_end = False  # an operator's word let east have what west still enforces
    def test_takes_a_policy_away_and_it_drains_as_jobs_end(self) -> None:
        with two_clusters([], [Job(0, 3)] * 5) as site:
            site.start()
            site.wait_for_lease(consumer_slots__used=4)
            site.policies = []
            site.write_broker_config()
            site.order("reload", "--yes")
            wait_until(lambda: all(row["phase"] == "draining" for row in site.ask("leases")),
                       "it drains")
            site.check_ledgers()
            wait_until(lambda: not site.ask("leases"), "the lease is over", 20)
            site.policies = [POOL]
            site.write_broker_config()
            site.order("reload", "--yes")
            site.wait_for_lease(phase="offered", consumer_slots__available=1)

    def test_is_told_who_would_lose_before_a_reload(self) -> None:
        with still_site() as site:
            made(site)
            site.policies = []
            site.write_broker_config()
            refused = site.ctl("reload")
            self.assertEqual(refused.returncode, 1, refused.stdout)
            self.assertIn("pool:west", refused.stdout + refused.stderr)
            self.assertEqual(site.lease()["phase"], "active")

    def test_sees_what_would_be_done_in_observe_mode_and_nothing_is_done(self) -> None:
        with two_clusters([], [Job(0, LONG_S)] * 5, broker={"mode": "observe"}) as site:
            site.start()
            site.wait_for_agents()
            wait_until(lambda: site.history("observed", "group-created"), "something was decided")
            self.assertGreater(site.watch(1.5), 0)
            self.assertEqual(site.held(), (4, 0))


if __name__ == "__main__":
    side_by_side.main()
