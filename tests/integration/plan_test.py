"""leasectl plan and import-ego as people and scripts use them: two files in, an answer out, no broker.

Every field, its order, exit codes, places of mistakes, and the worked examples of plans.
"""
import json
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import jsonschema

from processes import LAST_BOUND_S, PROGRAMS

ROOT = Path(__file__).resolve().parents[2]

EVEN = """
[[resource_group]]
name = "compute"
policy = "hybrid"
slots = 30
evenly_distribute = true
[[consumer]]
path = "/A"
owned = 15
[[consumer]]
path = "/B"
owned = 15
[[consumer]]
path = "/C"
reclaim_grace = "1m30s"
"""

LENDING = """
[[resource_group]]
name = "compute"
policy = "ownership"
slots = 20
[[consumer]]
path = "/L"
owned = 10
lend_limit = 6
[[consumer]]
path = "/B"
owned = 10
borrow_from = ["/L"]
"""

ROW = ["path", "demand", "allocated", "owned", "reserved", "limit", "quota", "borrowed", "lent",
       "shared", "free", "change"]
MOVE = ["from", "to", "slots", "kind", "grace_s", "reason", "detail"]


class Planning(unittest.TestCase):
    def setUp(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="leasehold-plan-"))
        self.addCleanup(shutil.rmtree, self.path)

    def ctl(self, *words):
        environment = {**os.environ, "HOME": "/nonexistent"}
        environment.pop("LEASEHOLD_BROKER", None)
        return subprocess.run([PROGRAMS / "leasectl", *map(str, words)], capture_output=True, text=True,
                              env=environment, timeout=LAST_BOUND_S, stdin=subprocess.DEVNULL)

    def file(self, name: str, text: str) -> Path:
        (self.path / name).write_text(text)
        return self.path / name

    def plan(self, toml: str, state, *options):
        text = state if isinstance(state, str) else json.dumps(state)
        return self.ctl("plan", "--config", self.file("plan.toml", toml),
                        "--state", self.file("state.json", text), *options)

    def answer(self, toml: str, state):
        done = self.plan(toml, state, "--json")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        value = json.loads(done.stdout)
        self.check_schema("plan", value)
        return value

    def check_schema(self, name: str, value) -> None:
        schema = json.loads((ROOT / f"schema/json/{name}.schema.json").read_text())
        jsonschema.Draft202012Validator.check_schema(schema)
        jsonschema.Draft202012Validator(schema).validate(value)


class ThePlanCommand(Planning):
    def test_answers_with_the_fields_that_are_promised_in_their_order(self) -> None:
        consumers = {"/A": {"demand": 100, "allocated": 15}, "/C": {"demand": 100, "allocated": 15}}
        value = self.answer(EVEN, {"slots": {"compute": 30}, "consumers": consumers})
        self.assertEqual(list(value), ["resource_group", "slots", "idle", "consumers", "moves"])
        self.assertEqual((value["resource_group"], value["slots"], value["idle"]), ("compute", 30, 0))
        for row in value["consumers"]:
            self.assertEqual(list(row), ROW)
        self.assertEqual(value["consumers"][0],
                         {"path": "/A", "demand": 100, "allocated": 15, "owned": 15, "reserved": 0,
                          "limit": None, "quota": 23, "borrowed": 8, "lent": 0, "shared": 0, "free": 0,
                          "change": 8})
        (move,) = value["moves"]
        self.assertEqual(list(move), MOVE)
        self.assertEqual((move["from"], move["to"], move["slots"], move["kind"], move["grace_s"]),
                         ("/C", "/A", 8, "reclaim", 90))
        self.assertIsInstance(move["grace_s"], int)

    def test_numbers_of_the_worked_examples(self) -> None:
        def quotas(toml, slots, **demand):
            state = {"slots": {"compute": slots},
                     "consumers": {f"/{name}": {"demand": wanted} for name, wanted in demand.items()}}
            return [row["quota"] for row in self.answer(toml, state)["consumers"]]
        self.assertEqual(quotas(EVEN, 30, A=100, C=100), [23, 0, 7])
        self.assertEqual(quotas(EVEN, 10, A=100, C=100), [10, 0, 0])
        self.assertEqual(quotas(EVEN, 60, A=100, B=100, C=100), [25, 25, 10])
        uneven = EVEN.replace("evenly_distribute = true", "")
        self.assertEqual(quotas(uneven, 30, A=100, C=100), [30, 0, 0])

    def test_slots_not_named_are_the_configured_and_leaves_not_named_want_nothing(self) -> None:
        value = self.answer(EVEN, {})
        self.assertEqual((value["slots"], value["idle"], value["moves"]), (30, 30, []))
        self.assertEqual([row["demand"] + row["allocated"] for row in value["consumers"]], [0, 0, 0])

    def test_idle_slots_come_from_nobody(self) -> None:
        value = self.answer(LENDING, {"consumers": {"/B": {"demand": 13, "allocated": 10}}})
        self.assertEqual([(move["from"], move["to"], move["slots"], move["kind"])
                          for move in value["moves"]], [(None, "/B", 3, "transfer")])
        self.assertEqual([row["lent"] for row in value["consumers"]], [3, 0])

    def test_a_state_may_say_what_is_borrowed(self) -> None:
        state = {"consumers": {"/L": {"demand": 10, "allocated": 6},
                               "/B": {"demand": 14, "allocated": 14, "borrowed": {"/L": 4}}}}
        value = self.answer(LENDING, state)
        self.assertEqual([(move["from"], move["to"], move["slots"]) for move in value["moves"]],
                         [("/B", "/L", 4)])

    def test_time_chooses_windows_and_without_it_none_holds(self) -> None:
        toml = LENDING.replace("slots = 20", 'slots = 20\ntimezone = "Europe/Berlin"') + \
            '[[consumer.window]]\nfrom = "17:00"\nto = "08:00"\nowned = 5\n'
        def owned(time):
            return self.answer(toml, {"time": time} if time else {})["consumers"][1]["owned"]
        self.assertEqual(owned(None), 10)
        self.assertEqual(owned("2026-11-21T15:59:59Z"), 10)
        self.assertEqual(owned("2026-11-21T16:00:00Z"), 5)  # 17:00 in Berlin
        self.assertEqual(owned("2026-07-21T15:00:00Z"), 5)  # in summer as well
        self.assertEqual(owned("2026-11-22T08:00:00+01:00"), 10)

    def test_several_groups_are_a_list(self) -> None:
        second = '[[resource_group]]\nname = "gpu"\npolicy = "share-ratio"\nslots = 4\n' \
                 '[[consumer]]\npath = "/A"\ngroup = "gpu"\n'
        first = LENDING.replace('path =', 'group = "compute"\npath =')
        value = self.answer(first + second, {"consumers": {"/A": {"demand": 9}}})
        self.assertEqual([group["resource_group"] for group in value], ["compute", "gpu"])
        self.assertEqual(value[1]["moves"][0]["slots"], 4)

    def test_a_whole_broker_configuration_will_do(self) -> None:
        broker = '[broker]\nname = "campus"\n[[cluster]]\nname = "east"\n[[cluster]]\nname = "west"\n' \
                 '[[export_policy]]\nname = "pool"\nprovider = "east"\nhosts = ["big1"]\n' \
                 'slots_per_host = 20\n'
        toml = broker + LENDING.replace("slots = 20", 'slots = 20\npolicies = ["pool"]') \
            .replace('"/L"\nowned', '"/L"\ncluster = "east"\nowned') \
            .replace('"/B"\nowned', '"/B"\ncluster = "west"\nowned')
        self.assertEqual(len(self.answer(toml, {})["consumers"]), 2)
        done = self.ctl("check-config", self.path / "plan.toml", "--strict")
        self.assertEqual((done.returncode, done.stderr.count(": note: "), len(done.stderr.splitlines())), (0, 1, 1))
        self.assertIn("1 resource group", done.stdout)
        taken = subprocess.run([PROGRAMS / "lease-broker", "--config", self.path / "plan.toml",
                                "--check-config"], capture_output=True, text=True, timeout=LAST_BOUND_S)
        self.assertEqual(taken.returncode, 0, taken.stderr)

    def test_people_see_who_gains_who_loses_and_the_grace(self) -> None:
        state = {"consumers": {"/A": {"demand": 100, "allocated": 15},
                               "/C": {"demand": 100, "allocated": 15}}}
        done = self.plan(EVEN, state)
        self.assertEqual(done.returncode, 0, done.stderr)
        for line in ["compute: hybrid, 30 slots, 0 idle, outside of every window", "gain: /A 8",
                     "lose: /C 8", "8 slots would be reclaimed; work that runs there has at most 1m30s "
                     "before it is ended and requeued"]:
            self.assertIn(line + "\n", done.stdout)
        self.assertIn("+8", done.stdout)
        self.assertIn("reclaim-quota", done.stdout)
        self.assertIn("Nothing would move.", self.plan(EVEN, {}).stdout)

    def test_all_ranks_equal_where_slots_are_short_is_a_warning(self) -> None:
        done = self.plan(EVEN, {"consumers": {"/A": {"demand": 50}}}, "--json")
        self.assertEqual(done.returncode, 0)
        self.assertIn("warning: ", done.stderr)
        self.assertIn("ranks are equal", done.stderr)


class Mistakes(Planning):
    def refused(self, toml: str, state, *fragments: str) -> dict:
        plain = self.plan(toml, state)
        self.assertEqual((plain.returncode, plain.stdout), (2, ""), plain.stderr)
        for fragment in fragments:
            self.assertIn(fragment, plain.stderr)
        done = self.plan(toml, state, "--json")
        self.assertEqual((done.returncode, done.stderr), (2, plain.stderr))
        value = json.loads(done.stdout)
        self.check_schema("plan", value)
        self.check_schema("error", {"error": value["error"]})
        self.assertEqual(value["error"]["code"], "usage")
        first = plain.stderr.splitlines()[0]
        error = value["error"]
        place = ":".join(str(error[key]) for key in ("file", "line", "column") if error[key])
        self.assertEqual(first, f"{place}: {error['message']}")
        return value

    def test_of_the_state_are_told_with_their_place(self) -> None:
        cases = [
            ('{"consumers": {"/A": {"demand": -1}}}', ":1:33: 'demand' is -1"),
            ('{"consumers":\n  {"/A": {"allocated": 1.5}}}', ":2:24: 'allocated' is a decimal"),
            ('{"consumers": {"/A": {"demand": "1"}}}', "'demand' is a text"),
            ('{"consumers": {"/A": {"demand": 1e3}}}', "'demand' is a decimal"),
            ('{"consumers": {"/A": {"demand": 99999999999999999999999}}}', "'demand' is a decimal"),
            ('{"consumers": {"/A": {"demand": 9999999999}}}', "from 0 to 1000000000"),
            ('{"consumers": {"/A": {"demnd": 1}}}', "unknown key 'demnd' in '/A'; did you mean 'demand'?"),
            ('{"consumers": {"/A": {"demand": 1, "demand": 2}}}', ":1:36: 'demand' is written twice"),
            ('{"consumers": {"/A": {}, "/A": {}}}', ":1:26: '/A' is written twice"),
            ('{"consumers": {"/A": 5}}', "'/A' is a number"),
            ('{"consumers": {"/AA": {}}}', ":1:16: consumer '/AA' is not in the plan"),
            ('{"consumers": []}', "'consumers' is a list"),
            ('{"slots": {"compte": 5}}', ":1:12: unknown key 'compte' in 'slots'; did you mean 'compute'?"),
            ('{"slots": {"compute": -5}}', ":1:23: 'compute' is -5"),
            ('{"slots": 5}', "'slots' is a number"),
            ('{"time": "yesterday"}', ":1:10: 'time'"),
            ('{"time": "-2h"}', ":1:10: 'time'"),
            ('{"time": "2026-11-21T17:01:00"}', ":1:10: 'time'"),
            ('{"time": 5}', "'time' is a number"),
            ('{"tme": "2026-11-21T17:01:00Z"}', ":1:2: unknown key 'tme' in the state; did you mean 'time'?"),
            ('[]', ":1:1: the state is a list"),
            ('', "not valid JSON"),
            ('{"slots": }', ":1:11: not valid JSON"),
            ('{"slots": {},\n "consumers": {"/A": {"demand": 1,}}}', ":2:35: not valid JSON"),
            ('{} x', "not valid JSON"),
            ('{"a":' * 3000 + '1' + '}' * 3000, "nested too deeply"),
            ('"\xff"', "the state is a text"),
        ]
        for text, fragment in cases:
            with self.subTest(text=text[:60]):
                value = self.refused(EVEN, text, str(self.path / "state.json") + ":", fragment)
                self.assertEqual(value["error"]["file"], str(self.path / "state.json"))

    def test_of_a_state_that_names_a_parent_or_too_much(self) -> None:
        tree = EVEN.replace('"/C"', '"/P/C"')
        self.refused(tree, {"consumers": {"/P": {"demand": 1}}}, "'/P' is a parent; name its leaves")
        over = {"/B": {"allocated": 3, "borrowed": {"/L": 4}}}
        self.refused(LENDING, {"consumers": over}, "state.json:1:")
        self.refused(LENDING, {"consumers": {"/B": {"allocated": 3, "shared": 4}}}, "state.json:1:")
        self.refused(LENDING, {"consumers": {"/B": {"allocated": 3, "borrowed": {"/X": 1}}}},
                     "lender '/X' is not in resource group 'compute'")
        unsized = EVEN.replace("slots = 30\n", "")
        self.refused(unsized, {}, 'write "slots": {"compute": 30}')

    def test_of_the_plan_are_told_all_at_once(self) -> None:
        toml = LENDING.replace('["/L"]', '["/X"]').replace("owned = 10", "owned = -1", 1)
        value = self.refused(toml, {}, "plan.toml:8:9: 'owned' is -1", "consumer '/X' in 'borrow_from'")
        self.assertEqual([error["line"] for error in value["errors"]], [8, 13])

    def test_of_a_file_without_a_plan(self) -> None:
        self.refused('[broker]\nname = "x"\n', {}, "names no [[resource_group]]")
        self.refused("", {}, "names no [[resource_group]]")
        self.refused("[[resource_group", {}, "not valid TOML")

    def test_of_files_that_are_not_there(self) -> None:
        plan, state = self.file("p.toml", LENDING), self.file("s.json", "{}")
        for words in [("--config", "/none", "--state", state), ("--config", plan, "--state", "/none"),
                      ("--config", plan), ("--state", state), ("--config", plan, "--state", self.path)]:
            with self.subTest(words=words):
                done = self.ctl("plan", *words, "--json")
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertEqual(json.loads(done.stdout)["error"]["code"], "usage")


class TheSimulation(Planning):
    PLAN = """[[resource_group]]
name = "compute"
policies = ["pool"]
policy = "hybrid"
cycle = "1m"
[[consumer]]
path = "/lab/east"
cluster = "east"
owned = 48
[[consumer]]
path = "/lab/west"
cluster = "west"
owned = 16
"""
    SCENARIO = """[simulation]
compare = ["isolated", "plan"]
plan = "shares.toml"
[[cluster]]
name = "east"
slots = 64
trace = "{trace}"
jobs = 300
[[cluster]]
name = "west"
slots = 64
trace = "{trace}"
load = 2.0
jobs = 300
[[export_policy]]
name = "pool"
provider = "east"
slots = 64
"""

    def simulate(self, plan: str, *options):
        self.file("shares.toml", plan)
        scenario = self.SCENARIO.format(trace=ROOT / "tests/data/campus.swf.gz")
        return self.ctl("simulate", self.file("scenario.toml", scenario), *options)

    def test_of_a_plan_tells_what_each_consumer_had_and_keeps_its_history(self) -> None:
        database = self.path / "run.db"
        done = self.simulate(self.PLAN, "--json", "--database", database)
        self.assertEqual(done.returncode, 0, done.stderr)
        alone, planned = json.loads(done.stdout)
        self.check_schema("simulate", [alone, planned])
        self.assertNotIn("consumers", alone)
        self.assertEqual(planned["jobs"], alone["jobs"])
        self.assertLess(planned["wait_mean_s"], alone["wait_mean_s"])
        east, west = planned["consumers"]
        self.assertEqual((east["consumer"], east["cluster"], west["consumer"]),
                         ("/lab/east", "east", "/lab/west"))
        self.assertEqual(west["borrowed_slot_s"], east["lent_slot_s"])
        self.assertGreater(west["borrowed_slot_s"], 0)
        verified = self.ctl("replay", database, "--verify")
        self.assertEqual(verified.returncode, 0, verified.stdout + verified.stderr)
        held = json.loads(self.ctl("consumers", "--db", database, "--json").stdout)
        self.assertEqual([row["path"] for row in held], ["/lab", "/lab/east", "/lab/west"])
        table = self.simulate(self.PLAN).stdout
        self.assertIn("JOBS-REQUEUED", table)
        self.assertEqual(table, self.simulate(self.PLAN).stdout)

    def test_refuses_what_no_broker_would_carry_out(self) -> None:
        for plan, fragment in [(self.PLAN + 'queues = ["night"]\n',
                                "shares.toml:14:10: 'queues': a cluster's agent says"),
                               (self.PLAN.replace('"pool"', '"pol"'),
                                "shares.toml:3:13: export policy 'pol' is not known")]:
            done = self.simulate(plan)
            self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
            self.assertIn(fragment, done.stderr)


class ConsumerTrees(Planning):
    TREES = """<?xml version="1.0"?>
<ResourcePlan version="1">
  <ConsumerHierarchy>
    <Consumer name="Risk" rank="1"><ExecutionUser>ego</ExecutionUser></Consumer>
    <Consumer name="Research" rank="0" reclaimGracePeriod="45"/>
  </ConsumerHierarchy>
  <DistributionTree>
    <ResourceGroupName>ComputeHosts</ResourceGroupName>
    <TimeInterval start="00:00" end="24:00">
      <Policy consumer="/Risk" type="hybrid" owned="30"/>
      <Policy consumer="/Research" type="hybrid" owned="10"/>
    </TimeInterval>
  </DistributionTree>
</ResourcePlan>
"""

    def test_become_a_plan_that_the_plan_command_reads(self) -> None:
        trees = self.file("ConsumerTrees.xml", self.TREES)
        done = self.ctl("import-ego", trees, "-o", self.path / "ego.toml")
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        self.assertIn("ConsumerTrees.xml:4: <ExecutionUser>", done.stderr)
        state = {"slots": {"ComputeHosts": 40},
                 "consumers": {"/Risk": {"demand": 90, "allocated": 35}, "/Research": {"demand": 90}}}
        value = self.answer((self.path / "ego.toml").read_text(), state)
        self.assertEqual([row["quota"] for row in value["consumers"]], [30, 10])
        self.assertEqual([(move["from"], move["to"], move["slots"]) for move in value["moves"]],
                         [(None, "/Research", 5), ("/Risk", "/Research", 5)])

    def test_print_json_as_described(self) -> None:
        trees = self.file("ConsumerTrees.xml", self.TREES)
        done = self.ctl("import-ego", trees, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        value = json.loads(done.stdout)
        self.check_schema("import-ego", value)
        self.assertEqual(len(value["report"]), 1)
        wrong = self.file("wrong.xml", "<a><b></a>")
        done = self.ctl("import-ego", wrong, "--json")
        self.assertEqual(done.returncode, 2)
        value = json.loads(done.stdout)
        self.check_schema("import-ego", value)
        self.assertEqual(value["error"]["line"], 1)


if __name__ == "__main__":
    unittest.main()
