"""Two real Grid Engine cells: slots are lent and come back, and are reclaimed with grace. What is seen is
cross-checked with Grid Engine's own lists of jobs and with the processes that live."""
import json
import re
import sys
import time
import unittest
from pathlib import Path

import side_by_side
from gridengine_site import EVERY_S, HOSTS, LONG, GridEngineSite, SlotWatch, gridengine_settings, pool, two_cells
from processes import PROGRAMS, run, wait_until

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "schedulers"))
from gridengine_cells import lacking  # noqa: E402

GRACE_S = 6
HEEDS = "trap 'touch {0}.told; exit 0' USR1; touch {0}.ready; while :; do sleep 0.1; done"
# A shell and a child, and no thought of any signal.
ORDINARY = "sh -c 'while :; do date +%s.%N >>{0}.beats; sleep 0.2; done'"


@unittest.skipIf(lacking(), lacking())
class LeasedSlots(unittest.TestCase):
    def check(self, watch: SlotWatch) -> None:
        watch.look_at_least(20)
        self.assertEqual(watch.breaches, [])

    def test_go_to_the_consumer_and_come_back_as_jobs_end(self) -> None:
        with two_cells() as (east, west), GridEngineSite(east, west, [pool(6)]) as site, \
                SlotWatch(8, east, west) as watch:
            over = west.folder / "over"  # the jobs end when they have been seen
            jobs = [west.submit_script(f"until [ -e {over} ]; do sleep 0.5; done") for _ in range(8)]
            site.start()
            site.wait_for_agents()
            site.wait_for_lease(consumer_slots__used=6, provider_slots__used=0)
            site.wait_for_slots("west", 6, 6)  # an order under way may have fenced them for a moment
            site.wait_for_slots("east", 0, 2)
            states = west.jobs()
            self.assertEqual(sorted(states[job] == "qw" for job in jobs), [False] * 6 + [True] * 2)
            local = [east.submit(*LONG) for _ in range(8)]
            site.wait_for_slots("east", 2, 2)
            self.assertIn("r", west.jobs().values())  # what runs is left alone
            over.touch()
            site.wait_for_slots("east", 8, 8)
            self.assertEqual(west.slots_of()[0], 0)
            self.assertLessEqual({east.jobs()[job] for job in local}, {"r", "t"})
            self.check(watch)

    def test_are_reclaimed_with_the_whole_grace(self) -> None:
        with two_cells() as (east, west), SlotWatch(8, east, west) as watch, \
                GridEngineSite(east, west, [pool(4, reclaim_grace=f"{GRACE_S}s", initial_slots=4)]) as site:
            site.start()
            site.wait_for_agents()
            heeds, lives, beats = (west.folder / name for name in ("heeds", "lives", "lives.beats"))
            good = west.submit_script(HEEDS.format(heeds), "-notify")
            deaf = west.submit(*LONG)
            ordinary = west.submit_script(ORDINARY.format(lives))
            final = west.submit(*LONG, options=("-r", "n"))
            site.wait_for_slots("west", 4, 4)
            wait_until(Path(f"{heeds}.ready").exists, "the script has set its trap")
            wait_until(beats.exists, "the ordinary job lives")
            told = time.time()
            site.order("close", "big1@east", "--for", "west", "--reclaim")
            local = [east.submit(*LONG) for _ in range(9)]  # to take what comes back at once
            wait_until(Path(f"{heeds}.told").exists, "the job that asked for notice gets its signal")
            wait_until(lambda: all("LEASEHOLD_ENDS=" in west.call("qstat", "-j", job).stdout
                                   for job in (deaf, ordinary)), "the others can find out", every=EVERY_S)
            wait_until(lambda: good not in west.jobs(), "the job that heeds it ends", every=EVERY_S)
            for job in (ordinary, deaf):
                wait_until(lambda job=job: "q" in west.jobs().get(job, ""), "it is queued again", every=EVERY_S)
            self.assertGreater(float(beats.read_text().split()[-1]), told, "it lived on meanwhile")
            wait_until(lambda: final not in west.jobs(), "what may not run again is deleted", every=EVERY_S)
            site.wait_for_slots("west", 0, 0)
            wait_until(lambda: site.held() == (4, 0), "the slots are back")

            def fates() -> dict[str, str]:
                return {row["job"]: row["fate"] for row in site.history("work-ended")}
            wait_until(lambda: fates() == {good: "ended-well", deaf: "requeued", ordinary: "requeued",
                                           final: "ended"}, "the history says what became of each")
            for numbers in (row["numbers"] for row in site.history("work-ended") if row["job"] != good):
                self.assertGreaterEqual(numbers["ended_ms"] - numbers["told_ms"], 1000 * GRACE_S)
            site.wait_for_slots("east", 8, 8)
            self.assertEqual(sorted(east.jobs()), sorted(local))
            self.check(watch)

    def test_stay_fenced_when_a_master_is_killed(self) -> None:
        with two_cells() as (east, west), GridEngineSite(east, west, [pool(6)]) as site, \
                SlotWatch(8, east, west) as watch:
            site.start()
            site.wait_for_agents()
            for _ in range(8):
                west.submit(*LONG)
            site.wait_for_slots("west", 6, 6)
            for _ in range(8):
                east.submit(*LONG)
            for cell in (east, west):
                cell.kill_master()
                cell.restart_master()
            site.wait_for_slots("east", 2, 2)
            site.wait_for_slots("west", 6, 6)
            site.wait_for_agents()
            self.check(watch)

    def test_are_the_administrators_again_when_the_lease_is_over(self) -> None:
        with two_cells() as (east, west), GridEngineSite(east, west, [pool(6)]) as site:
            before = east.slots_line()
            west.submit("sleep", "3")
            site.start()
            wait_until(lambda: "[big1=" in east.slots_line(), "the host is fenced", every=EVERY_S)
            site.policies = []
            site.write_broker_config()
            site.order("reload", "--yes")
            wait_until(lambda: east.slots_line() == before, "the fence is gone", every=EVERY_S)
            wait_until(lambda: west.slots_of() == (0, 0), "the consumer has nothing", every=EVERY_S)

    def test_are_released_without_a_broker(self) -> None:
        with two_cells() as (east, west), GridEngineSite(east, west, [pool(6)]) as site:
            before = east.slots_line()
            west.submit(*LONG)
            site.start()
            site.wait_for_slots("west", 1, 1)
            wait_until(lambda: "[big1=" in east.slots_line(), "the host is fenced", every=EVERY_S)
            for name in ("east", "west"):
                site.agents[name].stop()
                release = (PROGRAMS / "lease-agent", "--config", site.agents[name].config,
                           "--release")
                refused = run(*release)  # a job runs on a leased slot
                self.assertEqual(refused.returncode, 1, refused.stdout + refused.stderr)
                answer = run(*release, "--force")
                self.assertEqual(answer.returncode, 0, answer.stdout + answer.stderr)
            self.assertEqual(east.slots_line(), before)
            self.assertEqual(west.slots_of(), (1, 0))  # what runs goes on


@unittest.skipIf(lacking(), lacking())
class AnAdvanceReservation(unittest.TestCase):
    def test_of_a_part_keeps_its_slots_and_the_rest_is_lent(self) -> None:
        """Symptom: the fence was refused twice a second, the cluster degraded and all its leases frozen."""
        with two_cells() as (east, west), GridEngineSite(east, west, [pool(8)]) as site, \
                SlotWatch(8, east, west) as watch:
            course = east.reserve("course", 5)
            for _ in range(8):
                west.submit(*LONG)
            site.start()
            site.wait_for_agents()
            site.wait_for_slots("west", 3, 3)
            self.assertEqual(east.slots_of(), (0, 5))
            self.assertEqual(site.lease()["provider_slots"]["used"], 5)
            self.assertIsNone(site.host("big1")["horizon"])
            east.call("qrdel", course)
            site.wait_for_slots("west", 8, 8)
            watch.look_at_least(20)
            self.assertEqual(watch.breaches, [])

    def test_of_a_whole_host_is_told_as_long_as_it_is_there(self) -> None:
        with two_cells() as (east, west), GridEngineSite(east, west, [pool(8)], verify=False) as site:
            named = f"{east.reserve('course', 8)} course"
            west.submit(*LONG)
            site.start()
            site.wait_for_agents()

            def reserved() -> str:
                return (site.host("big1")["horizon"] or {}).get("reservation", "")
            wait_until(lambda: reserved() == named, "the broker knows the reservation")
            self.assertIn(f"reserved at east ({named}) from", site.ctl("explain", "big1@east").stdout)
            self.assertFalse(site.host("big1")["horizon"]["begun"])
            site.wait_for_lease(provider_slots__used=8)
            self.assertEqual((east.slots_of(), west.slots_of()), ((0, 8), (0, 0)))
            answer = run(PROGRAMS / "lease-agent", "--config", site.agents["east"].config, "--probe", "--json")
            self.assertIn(f"advance reservation {named} begins", " ".join(json.loads(answer.stdout)["cautions"]))
            east.call("qrdel", named.split()[0])
            wait_until(lambda: reserved() == "", "it is gone")
            wait_until(lambda: west.slots_of()[0] == 1, "the host is lent", every=EVERY_S)


@unittest.skipIf(lacking(), lacking())
class AnAgent(unittest.TestCase):
    def test_does_not_start_with_a_name_that_the_queue_does_not_have(self) -> None:
        with two_cells() as (east, west), GridEngineSite(east, west, [pool(2)]) as site:
            config = site.agents["west"].config
            hosts = {"rule": "imp-{host}", "map": {"big1@east": "nowhere"}}
            config.write_text(config.read_text().split("[hosts]")[0]
                              + gridengine_settings(west, hosts))
            site.start_broker()
            site.agents["west"].start()
            self.assertNotEqual(site.agents["west"].wait(), 0)
            self.assertIn("'nowhere' here, and the queue all.q has no such host",
                          site.agents["west"].log())

    def test_closes_imported_hosts_that_nobody_has_granted(self) -> None:
        with two_cells() as (east, west), GridEngineSite(east, west, [pool(2)],
                                                            verify=False) as site:
            west.call("qconf", "-mattr", "queue", "slots", "[imp-big1=3]", "all.q")
            agent = site.agents["west"]
            agent.start()  # with a rule alone it might be a host of its own
            self.assertNotEqual(agent.wait(), 0)
            self.assertIn("by 'imp-{host}' alone imp-big1 would be another cluster's", agent.log())
            self.assertEqual(west.slots_of(), (0, 3))
            named = {**HOSTS, "map": {"big1@east": "imp-big1"}}
            agent.config.write_text(agent.config.read_text().split("[hosts]")[0] + gridengine_settings(west, named))
            agent.start()
            site.wait_for_slots("west", 0, 0)

    def test_tells_shapes_of_what_slots_would_start_and_when_the_rest_ends(self) -> None:
        with two_cells() as (east, west), GridEngineSite(east, west, [pool(2)],
                                                            verify=False) as site:
            def work() -> dict:
                return next(row["work"] for row in site.ask("clusters", "-l")
                            if row["cluster"] == "east")

            def demand() -> list[tuple]:
                return sorted((one["slots_per_host"], one["hosts"], one["limit"], one["jobs"], one["slots"])
                              for one in work()["demand"] or [])
            runs = east.submit(*LONG, slots=8, options=("-l", "h_rt=3:0:0"))
            wait_until(lambda: east.slots_of()[0] == 8, "the job runs", every=EVERY_S)
            for options in (("-h",), ("-hold_jid", runs), ("-a", "203001010000")):
                east.submit(*LONG, options=options)
            east.submit(*LONG, slots=4, options=("-l", "h_rt=0:10:0"))
            east.submit(*LONG, options=("-pe", "mpi", "6"))
            east.submit(*LONG, options=("-t", "1-3"))
            site.start()
            narrow, wide, tasks = (4, 1, "15m", 1, 4), (1, 1, "unknown", 1, 6), (1, 1, "unknown", 3, 3)
            wait_until(lambda: demand() == sorted([narrow, wide, tasks]), "the broker knows them")
            self.assertEqual(work()["pending"], 13)
            self.assertEqual(work()["ending"]["slots"], [{"left": "4h", "slots": 8}])
            east.set_from_file("-Arqs", "{\n name total\n description NONE\n enabled TRUE\n"
                               " limit users {*} to slots=12\n}\n")
            wait_until(lambda: demand() == [narrow], "what a quota allows is left")

    def test_counts_no_work_that_asks_for_memory_that_no_host_has(self) -> None:
        """Symptom: such work pulled slots to and fro, at every evaluation."""
        with two_cells() as (east, west), GridEngineSite(east, west, [pool(2)],
                                                            verify=False) as site:
            east.submit(*LONG, slots=8)
            wait_until(lambda: east.slots_of()[0] == 8, "the job runs", every=EVERY_S)
            for memory in ("mem_total=1M", "mem_free=1M", "mem_total=900G", "mem_total=900G"):
                east.submit(*LONG, options=("-l", memory))
            answer = run(PROGRAMS / "lease-agent", "--config", site.agents["east"].config, "--probe",
                         "--json")
            self.assertEqual(json.loads(answer.stdout)["pending"], 2, answer.stderr)

    def test_gives_no_memory_out_twice(self) -> None:
        """Symptom: work of both cells was given the memory of one host."""
        memory = re.compile("^(h_vmem .*MEMORY.*YES +)NO ", re.M)
        with two_cells() as (east, west), GridEngineSite(east, west, [pool(4)], verify=False) as site:
            for cell, host in ((east, "big1"), (west, "imp-big1")):
                cell.set_from_file("-Mc", memory.sub(r"\1YES", cell.call("qconf", "-sc").stdout))
                cell.call("qconf", "-mattr", "exechost", "complex_values", "h_vmem=16G", host)
            east.submit(*LONG, options=("-l", "h_vmem=15G"))
            wait_until(lambda: east.slots_of()[0] == 1, "the owner's job runs", every=EVERY_S)
            wants = west.submit(*LONG, options=("-l", "h_vmem=15G"))
            site.start()
            site.wait_for_agents()
            site.wait_for_evaluations(3)
            self.assertEqual((west.jobs()[wants], west.slots_of()), ("qw", (0, 0)))
            wait_until(lambda: site.lease()["reason"] == "host-indivisible", "the lease says why")
            answer = run(PROGRAMS / "lease-agent", "--config", site.agents["east"].config, "--probe", "--json")
            self.assertIn("complex_values has h_vmem", " ".join(json.loads(answer.stdout)["cautions"]))
            site.policies = [pool(8)]
            site.write_broker_config()
            site.order("reload", "--yes")
            site.wait_for_evaluations(2)
            self.assertEqual((west.jobs()[wants], west.slots_of()), ("qw", (0, 0)))  # in use by its owner
            east.call("qdel", *east.jobs())
            site.wait_for_slots("west", 1, 8)

    def test_lend_none_of_a_host_that_a_job_has_for_itself(self) -> None:
        with two_cells() as (east, west), GridEngineSite(east, west, [pool(8)], verify=False) as site:
            east.set_from_file("-Mc", east.call("qconf", "-sc").stdout
                               + "exclusive excl BOOL EXCL YES YES 0 1000\n")
            east.call("qconf", "-mattr", "exechost", "complex_values", "exclusive=true", "big1")
            jobs = [east.submit(*LONG, slots=2, options=("-l", "excl=true"))]
            wait_until(lambda: east.slots_of()[0] == 2, "the job runs", every=EVERY_S)
            jobs.append(east.submit(*LONG, options=("-l", "exclusive=true")))
            for _ in range(4):
                west.submit(*LONG)
            site.start()

            def work(cluster: str) -> dict:
                return next(row["work"] for row in site.ask("clusters", "-l") if row["cluster"] == cluster)
            wait_until(lambda: [one["whole"] for one in work("east")["demand"] or []] == [True],
                       "the broker knows who wants a host for itself")
            self.assertEqual(work("east")["pending"], 8)
            site.wait_for_lease(provider_slots__used=8)
            wait_until(lambda: work("west")["pending"] == 4, "the broker knows who waits at west")
            site.wait_for_evaluations(2)
            self.assertEqual((east.slots_of()[0], west.slots_of()), (2, (0, 0)))
            east.call("qdel", *reversed(jobs))
            site.wait_for_slots("west", 4, 4)

    def test_probes_without_changing_anything(self) -> None:
        with two_cells() as (east, west), GridEngineSite(east, west, [pool(2)],
                                                            verify=False) as site:
            east.submit(*LONG)
            wait_until(lambda: east.slots_of()[0] == 1, "the job runs", every=EVERY_S)
            line = east.slots_line()
            agent = site.agents["east"]
            answer = run(PROGRAMS / "lease-agent", "--config", agent.config, "--probe", "--json")
            self.assertEqual(answer.returncode, 0, answer.stderr)
            seen = json.loads(answer.stdout)
            self.assertEqual(seen["hosts"], [{"host": "big1", "imported": False, "up": True,
                                              "used": 1, "slots": 8, "division": "unsaid"}])
            self.assertEqual(seen["permissions_lacking"], [])
            self.assertIn("does not say whether jobs are bound to cores", " ".join(seen["cautions"]))
            self.assertEqual(east.slots_line(), line)


if __name__ == "__main__":
    side_by_side.main(of_places=2)
