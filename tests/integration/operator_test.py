"""What an operator may order, on a running site."""
import contextlib
import json
import subprocess
import unittest

import one_site
from configs import POOL, Job
from leasehold_site import Site, patient
from one_site import OnAMadeSite, OnOneSite
from processes import LAST_BOUND_S, PROGRAMS, run, wait_until
from scenes import LONG_S, PATIENT, brought_home, made, moved, still_site, two_clusters, work_changes
from wire import control


@contextlib.contextmanager
def waiting(site, *words: str):
    """leasectl that waits for something to come true, in the background."""
    waits = subprocess.Popen([PROGRAMS / "leasectl", *patient(words, site.broker), "--broker", site.control],
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             text=True)
    try:
        yield waits
    finally:
        waits.kill()
        waits.communicate()


def told_by(waits: subprocess.Popen) -> str:
    """The rest of what it printed, when it has ended well."""
    told, wrong = waits.communicate(timeout=LAST_BOUND_S)
    assert waits.returncode == 0, f"{waits.returncode}: {told}{wrong}"
    return told


class AnOperator(OnAMadeSite):
    def test_freezes_and_thaws(self) -> None:
        site = self.site
        site.order("freeze")
        refused = site.ctl("rebalance", "pool:west")
        self.assertEqual(refused.returncode, 1)
        self.assertIn("frozen", refused.stderr)
        self.assertEqual(site.held(), (3, 1))
        site.order("thaw")
        site.order("rebalance", "pool:west")
        moved(site)

    def test_sees_who_ordered_what_and_that_it_ended(self) -> None:
        site = self.site
        self.assertEqual(site.ctl("freeze", "--until", "-1h").returncode, 2)
        self.assertEqual(site.ctl("drain", "nowhere").returncode, 1)
        site.order("freeze", "--reason", "audit", "--until", "1s")
        wait_until(lambda: not any(row["orders"] for row in [site.ask("explain", "pool:west")]),
                   "the freeze is over")
        rows = [row for row in site.ask("history") if row["verb"] and row["id"] > self.last]
        self.assertEqual([(row["kind"], row["verb"], row["object"]) for row in rows], [
            ("operator-refused", "drain", "nowhere"), ("operator-command", "freeze", None),
            ("operator-command", "thaw", None)])
        self.assertEqual(rows[1]["why"], "audit")
        self.assertTrue(rows[1]["options"].startswith("--until 20"))
        self.assertEqual(rows[1]["where"], "127.0.0.1")
        self.assertEqual((rows[2]["by"], rows[2]["reason"]), ("broker", "order-over"))
        self.assertIn("drain nowhere", site.ctl("history").stdout)
        self.assertNotIn("command 3", site.ctl("history").stdout)

    def test_is_told_who_would_lose_before_a_reload(self) -> None:
        site = self.site
        site.policies = []
        site.write_broker_config()
        refused = site.ctl("reload")
        self.assertEqual(refused.returncode, 1, refused.stdout)
        self.assertIn("pool:west", refused.stdout + refused.stderr)
        self.assertEqual(site.lease()["phase"], "active")
        site.policies = [POOL]
        site.write_broker_config()

    def test_is_told_as_of_which_event_an_answer_is_and_never_of_one_before_it_was_asked(self) -> None:
        site = self.site
        told = [control(site, "leases")["as_of"]["event"]]
        for verb in ("freeze", "thaw"):
            self.assertNotIn("as_of", control(site, verb))
            told.append(control(site, "leases")["as_of"]["event"])
        self.assertLess(told[0], told[1])
        self.assertLess(told[1], told[2])
        self.assertRegex(control(site, "clusters")["as_of"]["time"], r"^20.*Z$")
        self.assertNotIn("as_of", control(site, "history"))


class WhereAllIsLent(OnOneSite):
    """All four slots are west's, and in use until a test says otherwise; the lease is evaluated each second."""

    def site_for_all(self) -> Site:
        return two_clusters([], [Job(0, LONG_S)] * 5, broker=PATIENT)

    def as_found(self) -> None:
        self.site.wait_for_lease(phase="active", in_transfer=0, consumer_slots__available=4, consumer_slots__used=4)

    def test_drains_a_cluster_and_resumes_it(self) -> None:
        site = self.site
        site.order("drain", "west")
        self.assertEqual(site.held(), (0, 4), "slots in use are not taken")
        work_changes(site, "west", ends=True)
        site.wait_for_held(4, 0)
        site.check_ledgers()
        flips = site.flips()
        work_changes(site, "west", comes=5)
        site.order("resume", "west")
        wait_until(lambda: site.flips() > flips, "the lease flips again")

    def test_drains_a_provider_and_gives_none_of_its_slots_away(self) -> None:
        site = self.site
        site.order("drain", "east", "--provider", "--reason", "new disks", "--until", "1h")
        self.assertEqual(site.held(), (0, 4), "slots in use are not taken")
        row = site.drained("east")[0]
        self.assertEqual((row["drain"]["why"], row["left"]), ("new disks", 4))
        self.assertIn("new disks", site.ctl("clusters").stdout)
        self.assertIn("ordered: drain east by local", site.ctl("explain", "pool:west").stdout)
        with waiting(site, "drain", "east", "--wait", "--json") as waits:
            work_changes(site, "west", ends=True)
            self.assertEqual(json.loads(told_by(waits))["left"], 0)
        self.assertEqual(site.held(), (0, 0), "they are east's own again")
        flips = site.flips()
        work_changes(site, "west", comes=5)
        site.order("resume", "east")
        wait_until(lambda: site.flips() > flips, "the lease flips again")
        self.assertEqual(site.drained("east"), [])

    def test_closes_a_host_waits_until_nothing_is_left_there_and_opens_it(self) -> None:
        site = self.site
        with waiting(site, "close", "big1@east", "--for", "west", "--wait", "--reason", "fan") as waits:
            first = [waits.stdout.readline() for _ in range(2)]
            self.assertIn("4 slots left", "".join(first))
            self.assertEqual(site.held(), (0, 4), "work that runs is left to end")
            work_changes(site, "west", ends=True)
            told = told_by(waits)
        self.assertTrue(told.endswith("0 slots left\n"), told)
        self.assertEqual(site.held(), (4, 0))
        site.check_ledgers()
        self.assertEqual(site.host("big1")["closed_for_orders"][0]["why"], "fan")
        self.assertIn("big1@east: closed for west by", site.ctl("hosts").stdout)
        work_changes(site, "west", comes=5)
        site.order("open", "big1@east", "--for", "west")
        site.wait_for_lease(consumer_slots__used=4)

    def test_takes_a_policy_away_and_it_drains_as_jobs_end(self) -> None:
        site = self.site
        site.policies = []
        site.write_broker_config()
        site.order("reload", "--yes")
        wait_until(lambda: all(row["phase"] == "draining" for row in site.ask("leases")),
                   "it drains")
        site.check_ledgers()
        work_changes(site, "west", ends=True)
        wait_until(lambda: not site.ask("leases"), "the lease is over")
        site.policies = [POOL]
        site.write_broker_config()
        site.order("reload", "--yes")
        site.wait_for_lease(phase="offered", consumer_slots__available=1)
        work_changes(site, "west", comes=5)


class OnASiteOfItsOwn(unittest.TestCase):
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

    def test_forgets_a_silent_consumer(self) -> None:
        with still_site(broker={"agent_timeout": "1s"}) as site:
            made(site)
            refused = site.ctl("forget", "west")
            self.assertEqual(refused.returncode, 1, "west is heard")
            site.agents["west"].kill9()
            wait_until(lambda: site.flow("west")["agent"] == "lost", "west is lost")
            self.assertEqual(site.held(), (3, 1), "a silent agent's slots stay where they are")
            refused = site.ctl("forget", "west")
            self.assertEqual(refused.returncode, 1, "slots are leased out: it wants --yes")
            self.assertIn("big1@east: 1 slot, last seen to use 1", refused.stdout)
            self.assertIn("leasectl forget west --yes", refused.stderr)
            self.assertEqual(site.held(), (3, 1), "nothing was changed")
            site.order("forget", "west", "--yes")
            site.wait_for_held(4, 0)
            site.agents["east"].stop()
            site.broker.stop()
            site.verify()
            site.verify_at_end = False  # an operator's word let east have what west still enforces

    def test_sees_what_would_be_done_in_observe_mode_and_nothing_is_done(self) -> None:
        with two_clusters([], [Job(0, LONG_S)] * 5, broker={"mode": "observe"}) as site:
            site.start()
            site.wait_for_agents()
            wait_until(lambda: site.history("observed", "group-created"), "something was decided")
            self.assertGreater(site.watch(1.5), 0)
            self.assertEqual(site.held(), (4, 0))


class ADrain(unittest.TestCase):
    def test_that_waits_does_not_end_with_0_slots_left_while_a_lease_is_in_quarantine(self) -> None:
        with two_clusters([], [Job(0, LONG_S)] * 5, broker=PATIENT) as site:
            site.start()
            site.wait_for_lease(phase="active", in_transfer=0, consumer_slots__used=4)
            site.order("drain", "east")
            work_changes(site, "west", ends=True)
            site.wait_for_held(0, 0)
            site.agents["west"].kill9()
            site.broker.kill9()
            site.start_broker()
            with waiting(site, "drain", "east", "--wait") as waits:
                first = "".join(waits.stdout.readline() for _ in range(2))
                self.assertIn("0 slots left, as far as known; leases are in quarantine", first)
                self.assertEqual({row["in_quarantine"] for row in site.drained("east")}, {1})
                site.agents["west"].start()
                self.assertTrue(told_by(waits).endswith("0 slots left\n"))

    def test_that_waits_ends_when_the_owners_agent_has_opened_what_came_back(self) -> None:
        with two_clusters([], [Job(0, LONG_S)] * 5, broker=PATIENT) as site:
            site.start()
            site.wait_for_lease(phase="active", in_transfer=0, consumer_slots__used=4)
            with waiting(site, "drain", "east", "--wait") as waits:
                with site.agents["east"].stopped():
                    work_changes(site, "west", ends=True)
                    line = ""
                    while "the owner's agent has not opened them yet" not in line:
                        line = waits.stdout.readline()
                        self.assertTrue(line, "it ended, and the owner's agent stands still")
                self.assertTrue(told_by(waits).endswith("0 slots left\n"))
            site.agents["east"].stop()
            released = run(PROGRAMS / "lease-agent", "--config", site.path / "east.toml", "--release")
            self.assertEqual(released.returncode, 0, released.stdout)

    def test_that_waits_says_where_the_owners_agent_is_not_heard(self) -> None:
        with still_site(broker={"agent_timeout": "1s"}) as site:
            made(site)
            brought_home(site)
            site.agents["east"].kill9()
            wait_until(lambda: site.flow("east")["agent"] == "lost", "east is lost")
            waited = site.ctl("drain", "east", "--wait")
            self.assertEqual(waited.returncode, 1, waited.stderr)
            self.assertIn("the agent of east does not report", waited.stderr)
            waited = site.ctl("drain", "east", "--wait", "--json")
            self.assertEqual(waited.returncode, 1, waited.stderr)
            done = json.loads(waited.stdout)
            self.assertEqual((done["left"], done["opened"]), (0, False))
            site.agents["east"].start()
            site.wait_for_agents()
            self.assertEqual(site.ctl("drain", "east", "--wait").returncode, 0)


if __name__ == "__main__":
    one_site.main()
