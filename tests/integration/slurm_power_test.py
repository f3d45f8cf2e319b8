"""Real Slurm whose power saving switches idle hosts off, and whose jobs take turns on cores: what becomes
of the jobs and the hosts of both clusters. SuspendProgram only writes down what it was asked."""
import contextlib
import re
import time
import unittest

import side_by_side
from processes import wait_until
from scenes import LONG_S
from slurm_site import LONG, SlurmSite, pool
from slurm_clusters import SlurmCluster, installed

TURNS = {"PreemptMode": "SUSPEND,GANG", "PreemptType": "preempt/partition_prio", "SchedulerTimeSlice": "5",
         "SelectTypeParameters": "CR_Core"}
IDLE_S = 30
EXCEPTS_SINCE = (23, 2)  # from here on Slurm can be told to except hosts from power saving


def version(cluster: SlurmCluster) -> tuple[int, ...]:
    return tuple(int(part) for part in cluster.programs.version().split(".")[:2])


class SavingCluster(SlurmCluster):
    """Switches off what has been idle for IDLE_S, and never on again but for a job; not before a test says so."""

    def _write_config(self, *arguments) -> None:
        self.off, self.on = (self.path / f"switched-{way}" for way in ("off", "on"))
        for name, log in (("off", self.off), ("on", self.on)):
            log.touch()
            (self.path / name).write_text(f'#!/bin/sh\necho "$1" >> {log}\n')
            (self.path / name).chmod(0o755)
        self.settings.update({"SuspendProgram": str(self.path / "off"), "ResumeProgram": str(self.path / "on"),
                              "SuspendTime": str(LONG_S), "SuspendTimeout": "1", "ResumeTimeout": "1800"})
        super()._write_config(*arguments)

    def saves(self, idle_s: int) -> None:
        self.config.write_text(re.sub("SuspendTime=.*", f"SuspendTime={idle_s}", self.config.read_text()))
        self.run("scontrol", "reconfigure")

    def excepts(self, node: str) -> bool:
        """From power saving, as an agent may ask for."""
        told = self.run("scontrol", "show", "config")
        return node in re.search(r"SuspendExcNodes *= (.*)", told).group(1)

    def boot_node(self, node: str) -> None:
        """Slurm compares whole seconds: it takes a machine that came up in the second in which it was switched on, less
        the one that its slurmd says it has been up, for one that has not started anew, and waits for ever."""
        asked_s = self.on.stat().st_mtime
        wait_until(lambda: time.time() > asked_s + 2, "a later second than that in which it was switched on")
        super().boot_node(node)

    def switched_off(self) -> set[str]:
        return {node for line in self.off.read_text().split() for node in self.names(line)}

    def switched_on(self) -> list[str]:
        return [node for line in self.on.read_text().split() for node in self.names(line)]


@contextlib.contextmanager
def saving_site(fence: str):
    """East saves power and lends p1, not p2; west does not. A job of east keeps p1 on until it is leased."""
    with SavingCluster("east", {"p1": 2, "p2": 2}) as east, \
            SlurmCluster("west", {"w1": 1, "imp-p1": 2}) as west, \
            SlurmSite(east, west, [pool(2, "p1", initial_slots=2)], fence=fence) as site:
        keeps = east.submit(1, LONG, "--nodelist=p1")
        wait_until(lambda: east.state(keeps) == "RUNNING", "a job of east runs on p1")
        east.saves(IDLE_S)
        site.start()
        site.wait_for_agents()  # from then on west's stand-in for p1 is closed until it is leased
        if fence == "hold-job":
            wait_until(lambda: east.held("p1"), "a job holds what is leased")
        elif version(east) >= EXCEPTS_SINCE:
            wait_until(lambda: east.excepts("p1"), "east's agent has p1 left on")
        east.run("scancel", keeps)
        yield site, east, west


@unittest.skipUnless(installed(), "Slurm is not installed: scripts/install-packages schedulers")
class PowerSaving(unittest.TestCase):
    def borrowed_work_keeps_its_host(self, site: SlurmSite, east: SavingCluster, west: SlurmCluster) -> None:
        there = west.submit_ordinary("there", "--nodelist=imp-p1")
        wait_until(lambda: west.state(there.id) == "RUNNING", "west's work runs on p1")
        wait_until(lambda: "p2" in east.switched_off(), "east's other idle host is switched off")
        woken = east.submit(1, "true", "--nodelist=p2")
        wait_until(lambda: east.state(woken) == "CONFIGURING", "and waked by a job")
        site.wait_for_evaluations(4)
        self.assertNotIn("p1", east.switched_off())
        self.assertEqual(west.state(there.id), "RUNNING")

    def test_leaves_on_a_host_whose_fenced_cores_jobs_hold(self) -> None:
        with saving_site("hold-job") as (site, east, west):
            self.borrowed_work_keeps_its_host(site, east, west)

    def test_would_switch_off_reserved_hosts_so_they_are_not_lent_or_excepted(self) -> None:
        """Symptom: an idle host with lent slots was switched off under the borrowed work."""
        with saving_site("reservation") as (site, east, west):
            if version(east) >= EXCEPTS_SINCE:
                self.borrowed_work_keeps_its_host(site, east, west)
                return
            there = west.submit(1, LONG, "--nodelist=imp-p1")
            cautions = " ".join(site.probe("east")["cautions"])
            self.assertIn("not lent: SuspendProgram may switch such a host off under another cluster's work", cautions)
            wait_until(lambda: "p1" in east.switched_off(), "it is switched off, as Slurm sees it")
            site.wait_for_evaluations(2)
            self.assertEqual(west.state(there), "PENDING")

    def test_has_switched_off_a_host_which_is_waked_for_work_of_the_consumer_and_lent(self) -> None:
        """Symptom: nothing waked it, and the work waited for ever."""
        with SavingCluster("east", {"p1": 2, "p2": 2}) as east, \
                SlurmCluster("west", {"w1": 1, "imp-p1": 2}) as west, \
                SlurmSite(east, west, [pool(2, "p1")], fence="hold-job") as site:
            east.saves(IDLE_S)
            wait_until(lambda: east.switched_off() == {"p1", "p2"}, "east's idle hosts are switched off")
            east.saves(LONG_S)  # what comes up is to be lent first
            site.start()
            site.wait_for_agents()
            wait_until(lambda: site.host("p1")["state"] == "asleep", "the broker is told so")
            site.wait_for_evaluations(2)
            self.assertEqual(east.switched_on(), [])  # nobody waits for it
            there = west.submit(1, LONG, "--nodelist=imp-p1")
            wait_until(lambda: east.switched_on() == ["p1"], "p1 is switched on")
            self.assertEqual(site.held()[1], 0)
            self.assertEqual(west.state(there), "PENDING")
            east.boot_node("p1")
            wait_until(lambda: west.state(there) == "RUNNING", "it comes up, and is lent")
            site.agents["east"].wait_for_log("event=hosts-woken hosts=p1")
            self.assertEqual(east.switched_on(), ["p1"])


@unittest.skipUnless(installed(), "Slurm is not installed: scripts/install-packages schedulers")
class Turns(unittest.TestCase):
    def test_on_the_same_cores_leave_the_idle_ones_to_be_lent(self) -> None:
        """Symptom: jobs that share cores were added up, so a host with idle cores never lent them."""
        options = {"settings": TURNS, "partition": "OverSubscribe=FORCE:2"}
        with SlurmCluster("east", {"p1": 4}, **options) as east, \
                SlurmCluster("west", {"w1": 1, "imp-p1": 4}) as west, \
                SlurmSite(east, west, [pool(2)]) as site:
            jobs = [east.submit(1, LONG) for _ in range(8)]
            wait_until(lambda: len(cores_of(east)) == 8, "two jobs on each core")
            site.start()
            site.wait_for_agents()
            cores = cores_of(east)
            shared = sorted(cores, key=lambda job: (min(cores[job]), job))[:4]  # on two of the cores
            east.run("scancel", *(job for job in jobs if job not in shared))
            west.submit(1, LONG, "--nodelist=w1")
            there = [west.submit(1, LONG, "--nodelist=imp-p1") for _ in range(2)]
            wait_until(lambda: [west.state(job) for job in there] == ["RUNNING"] * 2,
                       "west's work runs on the two idle cores")
            self.assertEqual(sorted(cores_of(east)), sorted(shared))
            more = east.submit(1, LONG)  # a third job on its own two cores is one too many
            site.wait_for_evaluations(2)
            self.assertEqual(east.state(more), "PENDING")
            held = set().union(*cores_of(east).values())
            self.assertEqual((len(held), west.running("imp-p1")), (2, 2))


def cores_of(cluster: SlurmCluster) -> dict[str, set[int]]:
    """By job, running or suspended."""
    return {job: cores for (_, job, _), cores in cluster.work().items()}


if __name__ == "__main__":
    side_by_side.main(of_places=2)
