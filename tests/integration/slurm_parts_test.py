"""Hosts of two real Slurm clusters that both bind jobs to cores, give out memory or have devices: lent
whole or not at all. Judged by the jobs: on which cores each of them may run, and what memory it was given."""
import itertools
import json
import os
import unittest

import side_by_side
from processes import wait_until
from slurm_site import LONG, SlurmSite, pool, two_slurm_clusters
import cgroups
from slurm_clusters import installed, numbers
from slurm_programs import SlurmPrograms

CONFINED = {"TaskPlugin": "task/cgroup", "SelectTypeParameters": "CR_Core"}
PINNED = {"TaskPlugin": "task/affinity", "SelectTypeParameters": "CR_Core"}
MEMORY = {"SelectTypeParameters": "CR_Core_Memory"}
MEGABYTES = 16000


class Jobs:
    """Those of both clusters on one machine. Each writes down on which cores it may run."""

    def __init__(self, site: SlurmSite) -> None:
        self.site = site
        self.known: dict[str, list[str]] = {"east": [], "west": []}

    def submit(self, cluster: str, *options: str, cpus: int = 1) -> str:
        mark = self.site.path / f"{cluster}.cores"
        script = f"grep Cpus_allowed_list: /proc/self/status > {mark}.$SLURM_JOB_ID; exec {LONG}"
        job = self.site.slurm[cluster].submit(cpus, script, *options)
        self.known[cluster].append(job)
        return job

    def cores(self, cluster: str) -> dict[str, set[int]]:
        """By job that runs, where it may."""
        running = [job.id for job in self.site.slurm[cluster].jobs() if job.state == "RUNNING"]
        found = {}
        for job in set(running) & set(self.known[cluster]):
            mark = self.site.path / f"{cluster}.cores.{job}"
            text = mark.read_text() if mark.exists() else ""
            if ":" in text:
                found[job] = numbers(text.split(":")[1].strip())
        return found

    def sharing(self) -> list[tuple[str, str]]:
        """Pairs of jobs of both clusters with a core in common."""
        pairs = itertools.product(self.cores("east").items(), self.cores("west").items())
        return [(one, other) for (one, here), (other, there) in pairs if here & there]

    def runs(self, cluster: str, job: str) -> bool:
        return job in self.cores(cluster)


def cluster_pair(settings: dict, **more):
    return two_slurm_clusters(own=1, cores=2, settings=settings, **more)


@unittest.skipUnless(installed(), "Slurm is not installed: scripts/install-packages schedulers")
class Parts(unittest.TestCase):
    def not_lent(self, site: SlurmSite, division: str) -> None:
        """Nothing of p1 is lent, and people are told why and what helps."""
        wait_until(lambda: site.lease()["reason"] == "host-indivisible", "the lease says why")
        told = json.loads(site.ctl("attention", "--json").stdout)
        needs = [need for need in told
                 if need["kind"] == "host-indivisible"]
        self.assertEqual([need["subject"] for need in needs], ["p1@east"])
        self.assertIn("slots_per_host = 2", needs[0]["command"])
        host = next(row for row in site.ask("hosts") if row["host"] == "p1")
        self.assertIs(host["divisible"], False)
        self.assertIn({"cluster": "east", "says": division}, host["division"])
        self.assertEqual(host["exported"], 0)
        self.assertIn("lent whole or not at all", " ".join(site.probe("east")["cautions"]))

    def test_of_a_pinned_host_no_two_clusters_work_shares_a_core(self) -> None:
        with cluster_pair(PINNED) as (east, west), SlurmSite(east, west, [pool(1)]) as site:
            jobs = Jobs(site)
            site.start()
            site.wait_for_agents()
            self.not_lent(site, "pinned-cores")
            here = jobs.submit("east")
            wait_until(lambda: jobs.runs("east", here), "east's own work runs")
            own = jobs.submit("west", "--nodelist=w1")
            wait_until(lambda: jobs.runs("west", own), "west's own node is full")
            there = jobs.submit("west")
            site.wait_for_evaluations(3)
            self.assertEqual(west.state(there), "PENDING")
            self.assertEqual([pair for pair in jobs.sharing() if pair[1] != own], [])

    def test_a_pinned_host_is_lent_whole(self) -> None:
        self.lent_whole(PINNED, "p1")

    @unittest.skipUnless(cgroups.may_confine(SlurmPrograms.chosen()),
                         "cgroups of version 1 are not there, or not this user's")
    def test_a_host_whose_jobs_cgroups_confine_is_lent_whole(self) -> None:
        """Judged by where the kernel lets jobs run."""
        host = f"c{os.getpid()}"  # which names the cgroups of this machine, too
        try:
            self.lent_whole(CONFINED, host)
        finally:
            for node in (host, f"imp-{host}", "w1"):
                cgroups.remove(node)

    def lent_whole(self, settings: dict, host: str) -> None:
        with cluster_pair(settings, hosts=(host,)) as (east, west), \
                SlurmSite(east, west, [pool(2, host)]) as site:
            jobs = Jobs(site)
            site.start()
            site.wait_for_agents()
            there = jobs.submit("west", f"--nodelist=imp-{host}")
            wait_until(lambda: jobs.runs("west", there), "west's work runs on it")
            self.assertEqual([len(cores) for cores in jobs.cores("west").values()], [1], "it is bound to a core")
            here = jobs.submit("east")
            site.wait_for_evaluations(3)
            self.assertEqual(east.state(here), "PENDING")
            self.assertEqual(jobs.sharing(), [])
            west.run("scancel", there)
            wait_until(lambda: jobs.runs("east", here), "it is home, and east's work runs")
            self.assertEqual(jobs.sharing(), [])
            self.assertEqual(west.running(f"imp-{host}"), 0)

    def test_memory_is_never_given_out_twice(self) -> None:
        with cluster_pair(MEMORY) as (east, west), SlurmSite(east, west, [pool(1)]) as site:
            jobs = Jobs(site)
            site.start()
            site.wait_for_agents()
            self.not_lent(site, "memory")
            here = jobs.submit("east", "--mem=15000")
            wait_until(lambda: jobs.runs("east", here), "east's own work runs")
            jobs.submit("west", "--nodelist=imp-p1", "--mem=15000")
            site.wait_for_evaluations(3)
            self.assertLessEqual(east.memory_given("p1") + west.memory_given("imp-p1"), MEGABYTES)

    def test_memory_that_goes_with_the_cores_is_shared_out_with_them(self) -> None:
        settings = {**MEMORY, "MaxMemPerCPU": str(MEGABYTES // 2)}
        with cluster_pair(settings) as (east, west), SlurmSite(east, west, [pool(1)]) as site:
            jobs = Jobs(site)
            site.start()
            site.wait_for_agents()
            there = jobs.submit("west", "--nodelist=imp-p1", "--mem-per-cpu=8000")
            wait_until(lambda: jobs.runs("west", there), "west's work runs on a part of it")
            here = jobs.submit("east", "--mem=0")  # all of it: Slurm wants both cores for that
            small = jobs.submit("east", "--mem=8000", "--priority=TOP")
            wait_until(lambda: jobs.runs("east", small), "what fits beside it runs")
            site.wait_for_evaluations(2)
            self.assertEqual(east.state(here), "PENDING")
            self.assertEqual(east.memory_given("p1") + west.memory_given("imp-p1"), MEGABYTES)

    def test_a_host_with_devices_is_lent_whole(self) -> None:
        with cluster_pair({"GresTypes": "fpga"}, devices={"p1": "fpga:2"}) as (east, west), \
                SlurmSite(east, west, [pool(1)]) as site:
            site.start()
            site.wait_for_agents()
            self.not_lent(site, "devices")


if __name__ == "__main__":
    side_by_side.main(of_places=2)
