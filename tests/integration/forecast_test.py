"""When so many slots can be had: what leasectl forecast says is what then happens. One broker, two
simulated clusters whose agents report when their work ends.
"""
import json
import unittest
from datetime import datetime

import consumers_test
import side_by_side
from configs import Job
from http_site import with_http
from http_visitor import Visitor
from json_schemas_test import check, leasectl
from leasehold_site import Site
from processes import wait_until
from scenes import LONG_S, made, two_clusters


# Seconds that are left to work of a class: above, up to.
CLASSES = {"1m": (0, 60), "5m": (60, 300), "15m": (300, 900), "1h": (900, 3600), "4h": (3600, 14400),
           "1d": (14400, 86400)}


def site() -> Site:
    """west runs on its own slot and on the one offered; three more are idle at east. Nothing is
    evaluated until an operator says `rebalance`."""
    return with_http(two_clusters((), [Job(0, LONG_S)] * 2, broker={"reclaim_delay": "1h"}))


def work_of_west(of: Site) -> dict:
    return next(row["work"] for row in of.ask("clusters", "-l") if row["cluster"] == "west")


def reported(of: Site) -> Site:
    """Until west's agent has said that nothing waits there, and when what runs ends."""
    def said() -> bool:
        work = work_of_west(of)
        return work["pending"] == 0 and sum(row["slots"] for row in work["ending"]["slots"]) == 2
    made(of)
    wait_until(said, "west reports its work")
    return of


def seconds(forecast: dict, which: str) -> float:
    at = datetime.fromisoformat(forecast[which]["at"].replace("Z", "+00:00"))
    return (at - datetime.fromisoformat(forecast["time"].replace("Z", "+00:00"))).total_seconds()


def bases(moment: dict) -> dict:
    return {ground["basis"]: ground["slots"] for ground in moment["rests_on"]}


class Forecasts(unittest.TestCase):
    def test_say_when_idle_slots_of_the_other_side_come_and_then_they_have_come(self) -> None:
        with site() as of:
            reported(of)
            lease = of.ask("lease", "pool:west")
            forecast = of.ask("forecast", "pool:west", "--slots", "3")
            check("forecast", forecast)
            self.assertEqual((forecast["possible"], forecast["most"], forecast["idle"]), (True, 4, 0))
            self.assertEqual(forecast["likely"]["at"], lease["next_evaluation"])
            self.assertEqual(bases(forecast["likely"])["other-side"], 3)
            of.order("rebalance", "pool:west")
            of.wait_for_lease(phase="active", in_transfer=0, consumer_slots__available=4)
            after = wait_until(lambda: (now := of.ask("forecast", "pool:west", "--slots", "3"))
                               ["idle"] == 3 and now, "they are there")
            self.assertEqual({seconds(after, which) for which in ("earliest", "likely", "latest")}, {0})
            # The provider asks for what it had: some of it when the rule gives it back.
            back = of.ask("forecast", "pool:west", "--slots", "3", "--provider")
            check("forecast", back)
            self.assertEqual((back["side"], back["cluster"], back["idle"]), ("provider", "east", 0))
            self.assertGreaterEqual(bases(back["likely"])["other-side"], 3)

    def test_rest_on_what_agents_say_of_running_work(self) -> None:
        with site() as of:
            reported(of)
            of.order("rebalance", "pool:west")
            of.wait_for_lease(phase="active", in_transfer=0, consumer_slots__available=4)
            wait_until(lambda: of.ask("forecast", "pool:west", "--slots", "1")["idle"] == 3, "idle")
            all_of_it = of.ask("forecast", "pool:west", "--slots", "4")
            self.assertTrue(all_of_it["ending_reported"])
            self.assertEqual(bases(all_of_it["likely"])["running"], 1)
            left = [row["left"] for row in work_of_west(of)["ending"]["slots"]]
            self.assertGreaterEqual(seconds(all_of_it, "earliest"), min(CLASSES[each][0] for each in left))
            self.assertLessEqual(seconds(all_of_it, "latest"), max(CLASSES[each][1] for each in left))

    def test_are_told_as_text_by_http_of_the_past_and_of_a_database(self) -> None:
        with site() as of:
            reported(of)
            text = of.ctl("forecast", "west", "--slots", "3")
            self.assertEqual((text.returncode, text.stderr), (0, ""))
            self.assertIn("3 slots at west can be had in ", text.stdout)
            self.assertRegex(text.stdout, r"earliest +20\d\d-\S+ \S+Z +other-side")
            answer = Visitor(of.http).api("forecast", "pool:west", slots=3, provider="true")
            self.assertEqual(answer["result"]["idle"], 3)
            self.assertEqual(answer["result"]["side"], "provider")
            status, why = Visitor(of.http).refusal("/api/v1/forecast/pool:west?slots=0")
            self.assertEqual(status, 400)
            self.assertIn("1 to", why)
            then = of.ask("forecast", "pool:west", "--slots", "3")["time"]
            of.order("freeze")
            now = of.ask("forecast", "pool:west", "--slots", "3")
            self.assertIsNone(now["earliest"]["at"])
            self.assertEqual(now["holds"][0]["basis"], "frozen")
            past = of.ask("forecast", "pool:west", "--slots", "3", "--at", then)
            check("forecast", past)
            self.assertEqual(past["time"], then)
            self.assertEqual(bases(past["likely"])["other-side"], 3)
            of.broker.stop()
            kept = leasectl("forecast", "pool:west", "--slots", "3", "--json", "--db", of.database)
            self.assertEqual(kept.returncode, 0, kept.stderr)
            check("forecast", json.loads(kept.stdout))

    def test_of_a_plan_go_by_what_its_leaves_own_and_lend(self) -> None:
        with consumers_test.site() as of:
            of.start()
            consumers_test.borrowed(of)
            own = of.ask("forecast", "/lab/west", "--slots", "6")
            check("forecast", own)
            self.assertEqual((own["id"], own["kind"], own["most"]), ("compute:/lab/west", "consumer", 6))
            # What west lends comes back after north's grace of a second, and a cycle.
            self.assertGreaterEqual(seconds(own, "likely"), 1)
            self.assertLess(seconds(own, "likely"), 5)
            self.assertGreaterEqual(bases(own["likely"])["others"], 4)
            self.assertGreater(seconds(own, "latest"), seconds(own, "likely") + 1)  # the leeway
            for who in "/lab/north", "north", "compute:/lab/north":
                never = of.ask("forecast", who, "--slots", "7")
                self.assertEqual((never["possible"], never["most"], never["id"]),
                                 (False, 6, "compute:/lab/north"))
                self.assertEqual(never["earliest"]["rests_on"][0]["basis"], "limit")
            branch = of.ctl("forecast", "/lab", "--slots", "1")
            self.assertEqual(branch.returncode, 2)
            self.assertIn("name one: compute:/lab/west, compute:/lab/north", branch.stderr)

    def test_of_what_nobody_knows_or_of_no_slots_are_refused(self) -> None:
        with site() as of:
            reported(of)
            unknown = of.ctl("forecast", "pool:wset", "--slots", "3")
            self.assertEqual(unknown.returncode, 1)
            self.assertIn("did you mean 'pool:west'", unknown.stderr)
            for slots in "0", "-2", "many":
                self.assertEqual(of.ctl("forecast", "pool:west", "--slots", slots).returncode, 2)
            never = of.ctl("forecast", "pool:west", "--slots", "5")
            self.assertEqual(never.returncode, 0)
            self.assertIn("5 slots at west can never be had: pool:west has 4 at the most", never.stdout)


if __name__ == "__main__":
    side_by_side.main()
