"""A resource plan carried out between real processes: four simulated clusters, one broker, and a
hybrid plan with two levels of consumers over the slots of two providers.

What is reached is read from what each cluster's workload manager enforces, not from the broker alone;
and throughout each test no slot is enforced or used twice (no_slot_twice.py).
"""
import datetime
import re
import time
import unittest

import ledgers
import side_by_side
from clock_test import CLOCK, SteppedClock
from configs import Cluster, Job
from json_schemas_test import check
from leasehold_site import Site
from no_slot_twice import NoSlotTwice
from processes import wait_until
from scenes import LONG_S, changed, reloaded, work_changes

SLOTS = 16
POOLS = [{"name": "east-pool", "provider": "east", "hosts": ["big1"], "slots_per_host": 8},
         {"name": "west-pool", "provider": "west", "hosts": ["wide1"], "slots_per_host": 8}]
LEAVES = {"north": "/science/north", "west": "/science/west",
          "south": "/industry/south", "east": "/industry/east"}
OWNED = {"north": 6, "west": 4, "south": 4, "east": 2}
GRACE_S = 2


def plan(owned=None, windows=None, timezone: str = "UTC", cycle: str = "500ms",
         limits_of=None) -> str:
    """`windows`: lines of [[consumer.window]] by cluster; `limits_of`: each leaf's limit."""
    owned = {**OWNED, **(owned or {})}
    text = ('[[resource_group]]\nname = "compute"\npolicies = ["east-pool", "west-pool"]\n'
            f'policy = "hybrid"\ncycle = "{cycle}"\ntimezone = "{timezone}"\n')
    for cluster, path in LEAVES.items():
        text += (f'\n[[consumer]]\npath = "{path}"\ncluster = "{cluster}"\n'
                 f'owned = {owned[cluster]}\nreclaim_grace = "{GRACE_S}s"\n')
        if limits_of and cluster in limits_of:
            text += f"limit = {limits_of[cluster]}\n"
        if windows and cluster in windows:
            text += f"\n[[consumer.window]]\n{windows[cluster]}"
    return text


def site(jobs: dict[str, list[Job]], more: str, **broker) -> Site:
    """east and west export all they have; north and south have one slot of their own besides."""
    hosts = {"east": {"big1": 8}, "west": {"wide1": 8}, "north": {"n1": 1}, "south": {"s1": 1}}
    return Site({name: Cluster(hosts[name], jobs.get(name, [])) for name in LEAVES}, POOLS, broker, more=more)


def greedy(*clusters: str) -> dict[str, list[Job]]:
    """Each of them wants more than there is, for good."""
    return {cluster: [Job(0, LONG_S)] * (SLOTS + 4) for cluster in clusters}


def steady(of: Site):
    return ledgers.steady_look(of.path, of.database, list(of.clusters))


def limits(of: Site) -> dict[str, int]:
    """What each cluster's workload manager lets run on the slots of the plan; it is no more than the ledger
    has for it."""
    try:
        rows, caps = steady(of)
    except ledgers.Torn as error:
        raise AssertionError("the files are being written") from error
    wrong = ledgers.offences(rows, caps)
    if wrong:
        raise Wrong("\n".join(wrong))
    exported = {row["host"]: row["exported"] for row in rows}
    found = {}
    for cluster, caps_here in caps.items():
        found[cluster] = 0
        for host, slots in exported.items():
            name, provider = host.split("@")
            mine = cluster == provider
            cap = caps_here.get(name if mine else host)
            found[cluster] += ledgers.on_exported(cap, mine, slots)[0]
    return found


class Wrong(Exception):
    """What no wait mends."""


def reached(of: Site, **wanted: int) -> None:
    """The limits are these, the broker says the same, and all is in use that work is there for. The broker is
    asked first: its answer costs less."""
    def as_wanted():
        told = rows(of)
        allocated = {name: told[LEAVES[name]]["allocated"] for name in wanted}
        assert allocated == wanted, f"allocated is {allocated}"
        found = limits(of)
        assert {name: found[name] for name in wanted} == wanted, f"limits are {found}"
        return agreed(of, found)
    wait_until(as_wanted, f"limits {wanted}")


def rows(of: Site) -> dict[str, dict]:
    return {row["path"]: row for row in of.ask("consumers")}


def agreed(of: Site, found: dict[str, int]) -> bool:
    """`leasectl consumers` against the limits: all that leaves have is enforced somewhere."""
    told = rows(of)
    for cluster, path in LEAVES.items():
        allocated = told[path]["allocated"]
        assert allocated == found[cluster], \
            f"{path} has {allocated}, {cluster} enforces {found[cluster]}"
    allocated = {path: told[path]["allocated"] for path in LEAVES.values()}
    for branch in ("/science", "/industry"):
        assert told[branch]["allocated"] == sum(
            slots for path, slots in allocated.items() if path.startswith(branch + "/")), told[branch]
    nobodys = unallocated(of)
    assert sum(found.values()) + nobodys == SLOTS, f"limits are {found}, {nobodys} unallocated"
    return True


def unallocated(of: Site) -> int:
    return of.ask("groups")[0]["unallocated"]


def used(of: Site, cluster: str) -> int:
    """On slots of either provider: a lease for each."""
    return sum(lease["consumer_slots"]["used"] for lease in of.ask("leases")
               if lease["consumer"] == cluster)


def reclaims(of: Site, cluster: str) -> list[tuple[dict, dict]]:
    """Slots taken from the running work of one cluster, as the history has it: how each transfer of
    them began and was done. They may lie with both providers."""
    rows = [row for row in of.ask("history") if row["from"] == cluster]
    done = {row["numbers"]["transfer"]: row for row in rows if row["kind"] == "transfer-done"}
    return [(row, done[row["numbers"]["transfer"]]) for row in rows
            if row["kind"] == "transfer-started" and row["reason"] == "reclaim-quota"]


def seconds_between(first: dict, last: dict) -> float:
    times = [datetime.datetime.fromisoformat(row["time"].replace("Z", "+00:00"))
             for row in (first, last)]
    return (times[1] - times[0]).total_seconds()


class Quotas(unittest.TestCase):
    def test_are_reached_as_demand_changes(self) -> None:
        jobs = {"north": [Job(0, 30)] * 11, "south": [Job(9, LONG_S)] * 5,
                "east": [Job(9, LONG_S)] * 4, "west": [Job(18, LONG_S)] * 4}
        with site(jobs, plan()) as of, NoSlotTwice(of):
            of.start()
            reached(of, north=10, south=0)  # more than it owns: nobody else wants them
            reached(of, north=10, south=4, east=2, west=0)  # out of idle ones
            self.assertEqual(reclaims(of, "north"), [])
            reached(of, north=6, south=4, east=2, west=4)  # west has its own back
            taken = reclaims(of, "north")
            self.assertEqual(sum(done["slots"] for _, done in taken), 4)
            for started, done in taken:
                self.assertEqual(started["to"], "west")
                self.assertGreaterEqual(seconds_between(started, done), GRACE_S)
            wait_until(lambda: used(of, "west") == 4, "west's work runs")
            reached(of, south=4, east=4, west=4)  # north's work has ended

    @unittest.skipUnless(CLOCK.exists(), "sanitized programs take no clock of ours")
    def test_of_a_window_are_reached_when_it_begins(self) -> None:
        """Windows have whole minutes: the broker's clock is set to some seconds before one. Tokyo has
        no summer time."""
        begin = (int(time.time()) // 60 + 60) * 60
        tokyo = datetime.timezone(datetime.timedelta(hours=9))
        hours = [datetime.datetime.fromtimestamp(begin + more, tokyo).strftime("%H:%M")
                 for more in (0, 6 * 3600)]
        when = f'from = "{hours[0]}"\nto = "{hours[1]}"\n'
        windows = {"north": when + "owned = 2\n", "south": when + "owned = 8\n"}
        with site(greedy("north", "south"), plan(windows=windows, timezone="Asia/Tokyo")) as of, \
                NoSlotTwice(of):
            clock = SteppedClock(of, of.broker)
            of.start()
            reached(of, north=10, south=6)
            self.assertEqual(rows(of)["/industry"]["owned"], 6)
            self.assertEqual(of.broker.stop(), 0)
            clock.step(int((begin - time.time() - 5) * 1000))
            started = time.time()
            of.start_broker()
            wait_until(lambda: rows(of)["/industry"]["owned"] == 10, "the window begins")
            reached(of, north=6, south=10)
            (change,) = [row for row in of.ask("history") if row["kind"] == "plan-changed"
                         and row["by"] is None]
            when = datetime.datetime.fromisoformat(change["time"].replace("Z", "+00:00")).timestamp()
            self.assertGreaterEqual(when, begin)
            self.assertLess(when, begin + time.time() - started)

    def test_of_a_new_plan_are_reached_when_it_is_loaded(self) -> None:
        with site(greedy("north", "south"), plan()) as of, NoSlotTwice(of):
            of.start()
            reached(of, north=10, south=6)
            wait_until(lambda: used(of, "north") == 10, "north's work runs")
            of.more = plan({"north": 2, "south": 8})
            of.write_broker_config()
            refused = of.ctl("reload")
            self.assertEqual(refused.returncode, 1, refused.stdout)
            # Of which pool they are depends on who was heard first.
            told = re.findall(r"compute:/science/north@\w+-pool: (\d+) reclaimed for /industry/south",
                              refused.stdout)
            self.assertEqual(sum(map(int, told)), 4, refused.stdout)
            for line in ("after 2s, the slots are back after 4s at the latest",
                         "running work would lose slots"):
                self.assertIn(line, refused.stdout + refused.stderr)
            reached(of, north=10, south=6)  # nothing has changed
            done = of.ask("reload", "--yes")
            check("reload", done)
            changed = {name: [sum(numbers) for numbers in zip(*(
                (change["slots_after"] - change["slots_before"], change["slots_used_losing"])
                for change in done["changes"] if change["consumer"] == name))]
                for name in ("south", "north")}
            self.assertEqual(changed, {"south": [4, 0], "north": [-4, 4]})
            reached(of, north=6, south=10)
            # It contradicts itself: refused, and the plan goes on as it is.
            of.more = plan().replace('path = "/science/west"', 'path = "/science/north/west"')
            of.write_broker_config()
            self.assertEqual(of.ctl("reload", "--yes").returncode, 2)
            reached(of, north=6, south=10)


class Provider(unittest.TestCase):
    def test_uses_no_more_than_its_leaf_may_and_nobody_has_the_rest(self) -> None:
        """Its jobs ran on all of its host when it was exported: those above its limit end with the
        grace. Nobody else wants any."""
        with site(greedy("east"), plan(limits_of={"east": 2})) as of, NoSlotTwice(of):
            of.start()
            reached(of, north=0, west=0, south=0, east=2)
            wait_until(lambda: used(of, "east") == 2, "two of its jobs run")
            self.assertEqual(unallocated(of), SLOTS - 2)
            self.assertEqual(sum(host["unallocated"] for host in of.ask("hosts")), SLOTS - 2)
            self.assertIn(f"{SLOTS - 2} slots of plans are unallocated", of.order("freeze"))
            of.order("thaw")
            self.assertIn("verif", of.verify())

    def test_of_idle_slots_waits_for_no_cycle(self) -> None:
        """The next cycle is an hour away: only what reports show can have moved them."""
        jobs = {"north": [Job(0, LONG_S)] * 8}
        with site(jobs, plan(cycle="1h")) as of:
            of.start()
            reached(of, north=7, west=0, south=0, east=0)  # the eighth runs on its own slot


class Killed(unittest.TestCase):
    def test_broker_finds_the_same_ledger_and_agents_keep_what_they_use_and_take_part_again(self) -> None:
        with site(greedy(*LEAVES), plan()) as of, NoSlotTwice(of):
            of.start()
            reached(of, **OWNED)
            before = ledgers.ledger(of.database)
            of.broker.kill9()
            of.start_broker()
            of.wait_for_new_sessions()
            reached(of, **OWNED)
            self.assertEqual([held_of(row) for row in ledgers.ledger(of.database)],
                             [held_of(row) for row in before])
            of.more = plan({"north": 2, "south": 8})
            reloaded(of)
            of.broker.kill9()  # while north has its grace
            of.start_broker()
            reached(of, north=2, west=4, south=8, east=2)
            self.assertEqual(rows(of)["/industry/south"]["owned"], 8)
            self.assertIn("verif", of.verify())
            of.agents["south"].kill9()
            with changed(of, agent_timeout="2s"):
                wait_until(lambda: of.flow("south")["agent"] == "lost", "south is lost")
            of.more = plan({"north": 8, "west": 2, "south": 2, "east": 4})
            reloaded(of)
            # The six that others want are with south.
            wait_until(lambda: rows(of)["/industry/south"]["reason"] == "report-missing", "south is asked in vain")
            reached(of, south=8)
            of.agents["south"].start()
            reached(of, north=8, west=2, south=2, east=4)


def held_of(row: dict) -> tuple:
    return tuple(row[key] for key in ("generation", "host", "cluster", "exported", "held",
                                      "in_transfer"))


class Orders(unittest.TestCase):
    def test_for_a_leaf_by_its_path_are_for_its_cluster(self) -> None:
        """`close --for /science/north` knew no cluster of that name."""
        hosts = ("big1@east", "wide1@west")
        with site({"north": [Job(0, LONG_S)] * 7}, plan()) as of, NoSlotTwice(of):
            of.start()
            reached(of, north=6)  # beside its own slot
            for host in hosts:
                of.order("close", host, "--for", LEAVES["north"])
            self.assertEqual(of.host("big1")["closed_for"], ["north"])
            work_changes(of, "north", ends=True)
            for host in hosts:
                done = of.ask("close", host, "--for", LEAVES["north"], "--wait")
                check("change", done)
                self.assertEqual((done["consumer"], done["left"]), ("north", 0))
            reached(of, north=0)
            for host in hosts:
                of.order("open", host, "--for", LEAVES["north"])
            work_changes(of, "north", comes=7)
            wait_until(lambda: used(of, "north") >= 6, "north's work runs there again")
            parent = of.ctl("close", "big1@east", "--for", "/science")
            self.assertEqual(parent.returncode, 2)
            self.assertIn("/science/north", parent.stderr)


class ChosenHosts(unittest.TestCase):
    def test_newest_work_of_both_providers_ends_though_old_work_runs_where_slots_were_nominated(self):
        """north's first jobs fill its own slot and big1, later ones run on wide1; slots of big1 come first
        in the plan's order of hosts. Its agent chooses, and takes the newest work of all hosts."""
        with site({"north": [Job(0, LONG_S)] * 9}, plan()) as of, NoSlotTwice(of):
            config = of.path / "north.toml"
            config.write_text(config.read_text() + "\n[scheduling]\nselective_reclaim = true\n"
                              'criteria = "most-recent-task"\n')
            of.start()
            wait_until(lambda: used(of, "north") == 8, "north's first work runs")
            work_changes(of, "north", comes=7)
            wait_until(lambda: used(of, "north") == 15, "all of north's work runs")
            (told,) = [row for row in of.ask("consumers", "-l") if row["path"] == LEAVES["north"]]
            self.assertTrue(told["scheduling"]["chooses_hosts"])
            work_changes(of, "south", comes=5)
            wait_until(lambda: used(of, "south") == 4, "south has what it owns")
            ended = [int(line.split(" job=")[1].split()[0])
                     for line in of.agents["north"].log().splitlines() if "event=job-requeued" in line]
            self.assertEqual(len(set(ended)), 3)
            self.assertGreater(min(ended), 9)  # none of the first nine
            reclaimed = [row for row in of.ask("history") if row["from"] == "north"
                         and row["kind"] == "transfer-done"]
            self.assertEqual(sum(row["slots"] for row in reclaimed), 3)


if __name__ == "__main__":
    side_by_side.main()
