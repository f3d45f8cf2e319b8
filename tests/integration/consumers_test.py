"""A resource plan as operators see it while it is carried out: consumers, groups, leases, explain,
usage, and a reload that asks before running work loses slots. One broker, three simulated clusters.
"""
import json
import unittest

import side_by_side
from configs import Cluster, Job
from json_schemas_test import check
from leasehold_site import Site
from processes import PROGRAMS, run, wait_until
from scenes import LONG_S, work_changes

POOL = {"name": "pool", "provider": "east", "hosts": ["big1"], "slots_per_host": 8}
PLAN = """[[resource_group]]
name = "compute"
policies = ["pool"]
policy = "ownership"
cycle = "500ms"

[[consumer]]
path = "/lab/west"
cluster = "west"
owned = {west}
lend_limit = 4

[[consumer]]
path = "/lab/north"
cluster = "north"
owned = {north}
borrow_from = ["/lab/west"]
reclaim_grace = "1s"
"""


def site() -> Site:
    """east exports 8 slots; west owns 6 and lends 4, north owns 2 and wants far more."""
    return Site({"east": Cluster({"big1": 10}), "west": Cluster({"w1": 1}),
                 "north": Cluster({"n1": 1}, [Job(0, LONG_S)] * 12)},
                [POOL], more=PLAN.format(west=6, north=2))


def consumer(of: Site, path: str, *words: str) -> dict:
    return next(row for row in of.ask("consumers", *words) if row["path"] == path)


def used_by(of: Site) -> dict[str, dict]:
    return {row["consumer"]: row for row in of.ask("usage")}


def borrowed(of: Site) -> dict:
    """Waits until north runs on its own slots and on all that it may borrow."""
    def all_in_use():
        row = consumer(of, "/lab/north")
        lease = of.lease("compute:/lab/north")
        return row if row["borrowed"] == 4 and lease["consumer_slots"]["used"] == 6 else None
    return wait_until(all_in_use, "north has borrowed")


class Operators(unittest.TestCase):
    def test_see_who_has_what_from_whom(self) -> None:
        with site() as of:
            of.start()
            row = borrowed(of)
            self.assertEqual((row["allocated"], row["quota"], row["owned_in_use"]), (6, 6, 2))
            self.assertEqual(row["borrowed_from"], {"/lab/west": 4})
            lender = consumer(of, "/lab/west")
            self.assertEqual((lender["lent"], lender["lent_to"]), (4, {"/lab/north": 4}))
            self.assertEqual(consumer(of, "/lab")["allocated"], 6)
            rows = of.ask("consumers")
            check("consumers", rows)
            text = of.order("consumers")
            self.assertIn("from /lab/west 4", text)
            (group,) = of.ask("groups")
            check("groups", [group])
            self.assertEqual((group["slots"], group["idle"], group["policy"]), (8, 2, "ownership"))
            leases = of.ask("leases")
            check("leases", leases)
            self.assertEqual([(lease["id"], lease["type"], lease["rule"]) for lease in leases],
                             [("compute:/lab/west", "plan", "ownership"),
                              ("compute:/lab/north", "plan", "ownership")])
            check("lease", of.ask("lease", "compute:/lab/north"))
            explained = of.ask("explain", "compute:/lab/north")
            check("explain", explained)
            self.assertEqual(explained["numbers"]["borrowed"], 4)
            check("policies", of.ask("policies"))

    def test_see_where_every_setting_comes_from(self) -> None:
        with site() as of:
            of.start()
            of.wait_for_agents()
            rows = of.ask("consumers", "-l")
            check("consumers", rows)
            north = {value["key"]: value for value in
                     next(row for row in rows if row["path"] == "/lab/north")["values"]}
            lines = of.broker.config.read_text().splitlines()
            file, line = north["borrow_from"]["from"].rsplit(":", 1)
            self.assertEqual(file, str(of.broker.config))
            self.assertEqual(lines[int(line) - 1], 'borrow_from = ["/lab/west"]')
            self.assertEqual(north["reclaim_grace_ms"]["value"], 1000)
            self.assertEqual(north["share_limit"]["from"], "default")
            groups = of.ask("groups", "-l")
            check("groups", groups)
            settings = {value["key"]: value["from"] for value in groups[0]["values"]}
            self.assertEqual(lines[int(settings["policy"].rsplit(":", 1)[1]) - 1],
                             'policy = "ownership"')
            self.assertIn("broker.toml:", of.order("groups", "-l"))

    def test_see_the_past_and_charge_for_it(self) -> None:
        with site() as of:
            of.start()
            then = borrowed(of)["evaluated_at"]
            wait_until(lambda: used_by(of)["/lab/north"]["borrowed_slot_s"] > 4, "it is worth a charge")
            work_changes(of, "west", comes=8)

            def returned():
                return consumer(of, "/lab/west")["owned_in_use"] == 6 and \
                    of.lease("compute:/lab/west")["consumer_slots"]["used"] == 6
            wait_until(returned, "west has its own back")
            self.assertEqual(consumer(of, "/lab/north")["borrowed"], 0)
            past = consumer(of, "/lab/north", "--at", then)
            self.assertEqual((past["borrowed"], past["borrowed_from"]), (4, {"/lab/west": 4}))
            rows = of.ask("usage")
            check("usage", rows)
            usage = used_by(of)
            north, west = usage["/lab/north"], usage["/lab/west"]
            self.assertGreater(north["borrowed_slot_s"], 4)
            self.assertEqual(north["borrowed_slot_s"], west["lent_slot_s"])
            self.assertGreater(west["in_transfer_slot_s"], 0)  # the grace
            self.assertEqual(of.ask("usage", "--since", "-1h", "--until", then)[0]["lent_slot_s"], 0)
            table = of.order("usage", "--csv").splitlines()
            self.assertEqual(table[0].split(",")[:3], ["cluster", "consumer", "resource_group"])
            self.assertEqual(len(table), len(rows) + 1)
            of.broker.stop()
            stored = json.loads(run(PROGRAMS / "leasectl", "consumers", "--json", "--db",
                                    of.database).stdout)
            self.assertEqual(next(row for row in stored if row["path"] == "/lab/west")["owned_in_use"],
                             6)

    def test_are_told_who_would_lose_before_a_plan_is_loaded(self) -> None:
        with site() as of:
            of.start()
            borrowed(of)
            of.more = PLAN.format(west=8, north=0)
            of.write_broker_config()
            refused = of.ctl("reload")
            self.assertEqual(refused.returncode, 1, refused.stdout)
            self.assertIn("compute:/lab/north: 2 reclaimed", refused.stdout)
            self.assertIn("after 1s, the slots are back after 3s at the latest", refused.stdout)
            self.assertIn("running work would lose slots", refused.stderr)
            self.assertEqual(consumer(of, "/lab/north")["allocated"], 6)
            done = of.ask("reload", "--yes")
            check("reload", done)
            (change,) = done["changes"]
            self.assertEqual((change["slots_before"], change["slots_after"],
                              change["slots_used_losing"]), (6, 4, 2))
            wait_until(lambda: of.lease("compute:/lab/north")["consumer_slots"]["available"] == 4,
                       "north has lost two")


if __name__ == "__main__":
    side_by_side.main()
