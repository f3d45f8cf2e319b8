"""Real Slurm where the owner of lent hosts restarts, reserves or wants them, and where jobs take turns, have
memory on several hosts or devices. Judged by the jobs of both clusters and by what the owner's programs did."""
import contextlib
import unittest

import side_by_side
from processes import wait_until
from slurm_site import LONG, SlurmSite, pool, two_slurm_clusters
from slurm_clusters import SlurmCluster, installed

MEGABYTES = 16000
TURNS = {"PreemptMode": "SUSPEND,GANG", "PreemptType": "preempt/partition_prio", "SchedulerTimeSlice": "5",
         "SelectTypeParameters": "CR_Core", "MinJobAge": "3600"}


class RestartingCluster(SlurmCluster):
    """RebootProgram only writes down that it ran; boot_node() is what it would have done."""

    def _write_config(self, *arguments) -> None:
        program, self.restarts = self.path / "restart", self.path / "restarts"
        program.write_text(f"#!/bin/sh\necho restarted >> {self.restarts}\n")
        program.chmod(0o755)
        self.settings.update({"RebootProgram": str(program), "ResumeTimeout": "600"})
        super()._write_config(*arguments)

    def is_restarted(self) -> bool:
        return self.restarts.exists()


@contextlib.contextmanager
def restarting(fence):
    """(east, west, site): two of the four slots of p1 are lent, and a job of west has one of them."""
    with RestartingCluster("east", {"p1": 4}) as east, \
            SlurmCluster("west", {"w1": 1, "imp-p1": 4}) as west, \
            SlurmSite(east, west, [pool(2, initial_slots=2)], fence=fence) as site, site.watch_slots() as watch:
        site.start()
        site.wait_for_agents()
        yield east, west, site
        assert watch.breaches == [], watch.breaches


def cpus_of(cluster: SlurmCluster, job: str) -> int:
    """That it holds, by the controller's own word."""
    return sum(len(cpus) for (_, one, _), cpus in cluster.work().items() if one == job)


@unittest.skipUnless(installed(), "Slurm is not installed: scripts/install-packages schedulers")
class AHostThatIsToRestart(unittest.TestCase):
    def test_is_not_lent_from_the_order_until_it_is_back(self) -> None:
        with restarting("reservation") as (east, west, site):
            own = east.submit(1, LONG)
            there = west.submit(1, LONG, "--nodelist=imp-p1")
            wait_until(lambda: (east.state(own), west.state(there)) == ("RUNNING",) * 2, "both run on p1")
            east.run("scontrol", "reboot", "p1")
            wait_until(lambda: site.host("p1")["state"] == "not-now", "the broker is told so")
            site.wait_for_fence("west", "imp-p1", 4)
            later = west.submit(1, LONG, "--nodelist=imp-p1")
            site.wait_for_evaluations(2)
            self.assertEqual((west.state(there), west.state(later)), ("RUNNING", "PENDING"))
            self.assertFalse(east.is_restarted())
            east.run("scancel", own)
            wait_until(east.is_restarted, "it restarts once no job of its owner is there")
            site.wait_for_evaluations(2)
            self.assertEqual(west.state(later), "PENDING")
            self.assertIn("RebootProgram is set", " ".join(site.probe("east")["cautions"]))
            east.boot_node("p1")
            wait_until(lambda: west.state(later) == "RUNNING", "it is back, and lent again")

    def test_does_so_when_the_last_borrowed_job_has_ended_where_jobs_hold_it(self) -> None:
        """Symptom: the hold jobs kept it, and it waited for ever."""
        with restarting({"east": "hold-job", "west": "reservation"}) as (east, west, site):
            there = west.submit(1, LONG, "--nodelist=imp-p1")
            wait_until(lambda: west.state(there) == "RUNNING", "west's job runs on p1")
            wait_until(lambda: east.held("p1") == 2, "jobs hold its lent slots")
            east.run("scontrol", "reboot", "p1")
            site.wait_for_fence("west", "imp-p1", 4)
            later = west.submit(1, LONG, "--nodelist=imp-p1")
            site.wait_for_evaluations(2)
            self.assertEqual((west.state(there), west.state(later)), ("RUNNING", "PENDING"))
            self.assertFalse(east.is_restarted())
            self.assertIn("waits until no borrowed work and so no hold job", " ".join(site.probe("east")["cautions"]))
            west.run("scancel", there)
            wait_until(east.is_restarted, "it restarts")
            self.assertEqual((east.held("p1"), west.state(later)), (0, "PENDING"))
            east.boot_node("p1")
            wait_until(lambda: west.state(later) == "RUNNING", "it is back, and lent again")
            wait_until(lambda: east.held("p1") == site.lease()["consumer_slots"]["available"] > 0, "jobs hold it")


@unittest.skipUnless(installed(), "Slurm is not installed: scripts/install-packages schedulers")
class JobsOfBothClusters(unittest.TestCase):
    def test_that_take_turns_use_no_slot_twice_and_leave_when_they_are_asked_to(self) -> None:
        """Suspended ones too: `PreemptMode=SUSPEND,GANG` at both sides."""
        with two_slurm_clusters(own=1, cores=4, settings=TURNS, partition="OverSubscribe=FORCE:2") as (east, west), \
                SlurmSite(east, west, [pool(4, initial_slots=4, reclaim_grace="1s")]) as site, \
                site.watch_slots() as watch:
            site.start()
            site.wait_for_agents()
            there = [west.submit(1, LONG, "--nodelist=imp-p1") for _ in range(8)]
            wait_until(lambda: {west.state(job) for job in there} == {"RUNNING", "SUSPENDED"},
                       "two jobs take turns on each core")
            site.wait_for_lease(consumer_slots__used=4)
            self.assertEqual(site.history("breach"), [])
            site.order("close", "p1@east", "--for", "west", "--reclaim")
            site.wait_for_fence("east", "p1", 0)  # before, work of east would take turns on the first core that is home
            own = [east.submit(1, LONG) for _ in range(4)]
            wait_until(lambda: [east.state(job) for job in own] == ["RUNNING"] * 4, "the owner has his cores")
            facts = [west.facts(job) for job in there]
            self.assertEqual({(one["JobState"], one["Restarts"]) for one in facts}, {("PENDING", "1")})
            self.assertEqual(watch.breaches, [])

    def test_on_several_hosts_are_given_no_memory_twice(self) -> None:
        settings = {"SelectTypeParameters": "CR_Core_Memory", "MaxMemPerCPU": str(MEGABYTES // 2)}
        hosts = ("p1", "p2")
        with two_slurm_clusters(own=1, cores=2, hosts=hosts, settings=settings) as (east, west), \
                SlurmSite(east, west, [pool(1, *hosts, initial_slots=2)]) as site:
            site.start()
            site.wait_for_agents()
            there = west.submit(2, LONG, "--nodelist=imp-p1,imp-p2", "--mem=8000", nodes=2)
            wait_until(lambda: west.state(there) == "RUNNING", "west's job runs on a part of both")
            most = east.submit(2, LONG, "--mem=15000", nodes=2)  # for that Slurm wants both cores of each
            site.wait_for_evaluations(2)
            self.assertEqual(east.state(most), "PENDING")
            part = east.submit(2, LONG, "--mem=8000", "--priority=TOP", nodes=2)
            wait_until(lambda: east.state(part) == "RUNNING", "what fits beside it runs")
            given = [east.memory_given(host) + west.memory_given(f"imp-{host}") for host in hosts]
            self.assertEqual(given, [MEGABYTES] * 2)

    def test_have_the_devices_of_a_host_that_is_lent_whole(self) -> None:
        with two_slurm_clusters(own=1, cores=2, settings={"GresTypes": "fpga"},
                                devices={"p1": "fpga:2", "imp-p1": "fpga:2"}) as (east, west), \
                SlurmSite(east, west, [pool(2)]) as site:
            site.start()
            site.wait_for_agents()
            there = west.submit(1, LONG, "--nodelist=imp-p1", "--gres=fpga:2")
            wait_until(lambda: west.state(there) == "RUNNING", "west's job has both devices")
            own = east.submit(1, LONG, "--gres=fpga:1")
            site.wait_for_evaluations(2)
            self.assertEqual((east.state(own), site.held()), ("PENDING", (0, 2)))
            west.run("scancel", there)
            wait_until(lambda: east.state(own) == "RUNNING", "the host is home with them")
            self.assertEqual(west.running("imp-p1"), 0)


@unittest.skipUnless(installed(), "Slurm is not installed: scripts/install-packages schedulers")
class TheOwnersWideJob(unittest.TestCase):
    def test_starts_though_the_consumers_queue_is_full(self) -> None:
        """Symptom: it starved behind small jobs, for as long as it was watched."""
        hosts = ("p1", "p2")
        with two_slurm_clusters(own=1, cores=2, hosts=hosts) as (east, west), \
                SlurmSite(east, west, [pool(2, *hosts, rule="demand-aware")],
                          broker={"reclaim_delay": "1s"}) as site, site.watch_slots() as watch:
            site.start()
            site.wait_for_agents()
            west.submit(1, LONG, "--nodelist=w1")
            west.submit(1, "sleep $((4 + SLURM_ARRAY_TASK_ID % 5))", "--array=1-200", "--time=1")
            site.wait_for_lease(consumer_slots__used=4)
            wide = east.submit(4, LONG, nodes=2)
            wait_until(lambda: east.state(wide) == "RUNNING", "it starts")
            self.assertEqual(cpus_of(east, wide), 4)
            self.assertGreater(west.run("squeue", "-h", "-r", "-t", "PD").count("\n"), 0)
            self.assertIn("owner-waits", [row["reason"] for row in site.history("transfer-started")])
            self.assertEqual(watch.breaches, [])


@unittest.skipUnless(installed(), "Slurm is not installed: scripts/install-packages schedulers")
class AReservationOfTheOwner(unittest.TestCase):
    @contextlib.contextmanager
    def lent(self):
        """(east, west, site): west's jobs of five minutes have a core of each of its two hosts.

        One without a limit runs on a host of its own: what it does there says nothing of borrowed hosts.
        """
        hosts = ("p1", "p2")
        with two_slurm_clusters(own=1, cores=2, hosts=hosts) as (east, west), \
                SlurmSite(east, west, [pool(2, *hosts, initial_slots=4)]) as site:
            site.start()
            site.wait_for_agents()
            at_home = west.submit(1, LONG, "--nodelist=w1")
            there = [west.submit(1, LONG, f"--nodelist=imp-{host}", "--time=5") for host in hosts]
            wait_until(lambda: [west.state(job) for job in [at_home, *there]] == ["RUNNING"] * 3, "they run")
            yield east, west, site

    @staticmethod
    def reserve(east: SlurmCluster, site: SlurmSite, begins: str) -> None:
        east.run("scontrol", "create", "reservation", "reservationname=maintenance", f"starttime={begins}",
                 "duration=60", "nodes=p1", "users=root", "flags=maint,ignore_jobs")
        site.agents["east"].wait_for_log("event=reservation-ahead host=p1 reservation=maintenance")

    def test_in_a_week_changes_nothing_today(self) -> None:
        """Symptom: it closed its host at once, and lent slots were nobody's."""
        with self.lent() as (east, west, site):
            self.reserve(east, site, "now+7days")
            more = west.submit(1, LONG, "--nodelist=imp-p1", "--time=60")
            wait_until(lambda: west.state(more) == "RUNNING", "west's next job runs on p1")
            self.assertEqual(site.host("p1")["state"], "ok")

    def test_in_ten_minutes_keeps_away_what_would_not_have_ended(self) -> None:
        with self.lent() as (east, west, site):
            self.reserve(east, site, "now+10minutes")
            short = west.submit(1, LONG, "--nodelist=imp-p1", "--time=5")
            wait_until(lambda: west.state(short) == "RUNNING", "what ends before it still starts")
            longer = west.submit(1, LONG, "--nodelist=imp-p1", "--time=50")

            def told() -> bool:
                return "p1@east is reserved" in str(site.ask("explain", "pool:west"))
            wait_until(told, "explain names the host, though the lease has another")
            site.wait_for_fence("west", "imp-p1", 2)
            west.run("scancel", short)
            site.wait_for_evaluations(2)
            self.assertEqual(west.state(longer), "PENDING")
            beside = west.submit(1, LONG, "--nodelist=imp-p2", "--time=50")
            wait_until(lambda: west.state(beside) == "RUNNING", "on the other host it starts")

    def test_that_has_begun_is_told_while_borrowed_work_is_there(self) -> None:
        """Symptom: from its first instant on nobody was told, and the host was down without a reason."""
        with self.lent() as (east, west, site):
            self.reserve(east, site, "now+60")

            def told() -> bool:
                return "which has begun" in str(site.ask("attention"))
            wait_until(told, "attention names it after it has begun")
            wait_until(lambda: site.host("p1")["state"] == "down", "the owner's scheduler has the host for itself")
            host = site.host("p1")
            self.assertTrue(host["horizon"]["begun"])
            self.assertIn("reservation maintenance", host["down"][0]["why"])
            self.assertIn("which has begun", site.ctl("explain", "pool:west").stdout)
            self.assertEqual(west.run("squeue", "-h", "-t", "R").count("\n"), 3)


if __name__ == "__main__":
    side_by_side.main(of_places=2)
