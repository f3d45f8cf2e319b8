"""Nodes of a Slurm cluster that stand for another cluster's hosts: closed before the agent's first look,
after a start of the controller without its state, and again when the agent is gone for good."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import side_by_side
from configs import table
from processes import PROGRAMS, run, wait_until

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "schedulers"))
from slurm_clusters import SlurmCluster, installed  # noqa: E402
from slurm_site import LONG, SlurmSite, pool, two_slurm_clusters  # noqa: E402


class West:
    """A cluster with work that waits, and an agent that has no broker."""

    def __init__(self, slurm: SlurmCluster, folder: str) -> None:
        self.slurm = slurm
        self.config = Path(folder) / "west.toml"
        self.config.write_text(
            table("[agent]", {"cluster": "west", "broker": f"ipc://{folder}/broker",
                              "state": f"{folder}/west.db", "report_interval": "1s"})
            + table("[hosts]", {"rule": "imp-{host}"}) + table("[workload]", {"manager": "slurm"})
            + table("[workload.slurm]", {"conf": str(slurm.config), "bin_dir": slurm.bin_dir}))
        self.agent: subprocess.Popen | None = None

    def start_agent(self) -> None:
        with open(self.config.with_suffix(".log"), "ab") as log:
            self.agent = subprocess.Popen([PROGRAMS / "lease-agent", "--config", self.config],
                                          stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        wait_until(self.is_fenced_and_up, "imp-p1 is closed by the agent, and up")

    def is_fenced_and_up(self) -> bool:
        state, fences = self.state(), self.slurm.reservations()
        # Sooner or later Slurm calls a node under a reservation IDLE+RESERVED.
        assert state in ("IDLE", "IDLE+RESERVED") and fences, f"it is {state}, reservations {fences}"
        return True

    def stop_agent(self) -> None:
        self.agent.terminate()
        self.agent.wait()

    def state(self) -> str:
        told = self.slurm.run("scontrol", "show", "node", "-o", "imp-p1")
        return told.split(" State=")[1].split()[0]

    def works_on_its_own_host_alone(self) -> bool:
        """A job that waited runs on w1: those for imp-p1 had their chance."""
        job = self.slurm.submit(1, "true", "--nodelist=w1")
        wait_until(lambda: self.slurm.state(job) in ("COMPLETED", "gone"), "a job on w1 has run")
        return self.slurm.running("imp-p1") == 0


@unittest.skipUnless(installed(), "Slurm is not installed: scripts/install-packages schedulers")
class ImportedNodes(unittest.TestCase):
    def test_are_closed_until_the_agents_fence_stands_and_again_when_it_has_left(self) -> None:
        with SlurmCluster("west", {"w1": 2, "imp-p1": 4}, closed=("imp-p1",)) as slurm, \
                tempfile.TemporaryDirectory() as folder:
            west = West(slurm, folder)
            for _ in range(3):
                slurm.submit(1, LONG, "--nodelist=imp-p1")
            self.assertTrue(west.works_on_its_own_host_alone())
            self.assertIn("DRAIN", west.state())
            west.start_agent()
            self.assertTrue(west.works_on_its_own_host_alone())
            west.stop_agent()
            slurm.kill_controller()
            slurm.start_controller_anew()  # no reservation, no word of an administrator
            wait_until(slurm.answers, "the controller answers")
            for _ in range(3):
                slurm.submit(1, LONG, "--nodelist=imp-p1")
            self.assertTrue(west.works_on_its_own_host_alone())
            self.assertEqual(slurm.reservations(), [])
            west.start_agent()
            self.assertTrue(west.works_on_its_own_host_alone())
            west.stop_agent()
            left = run(PROGRAMS / "lease-agent", "--config", west.config, "--release")
            self.assertEqual(left.returncode, 0, left.stdout + left.stderr)
            self.assertNotIn("STAYS", left.stdout)
            self.assertEqual(slurm.reservations(), [])  # as slurm.conf has it
            self.assertIn("DRAIN", west.state())
            self.assertTrue(west.works_on_its_own_host_alone())

    def test_that_only_a_rule_names_and_that_stand_open_are_not_touched(self) -> None:
        with SlurmCluster("west", {"w1": 2, "imp-p1": 4}) as slurm, \
                tempfile.TemporaryDirectory() as folder:
            west = West(slurm, folder)
            refused = run(PROGRAMS / "lease-agent", "--config", west.config)
            self.assertNotEqual(refused.returncode, 0)
            self.assertIn("alone imp-p1 would be another cluster's", refused.stderr + refused.stdout)
            self.assertEqual(slurm.reservations(), [])


@unittest.skipUnless(installed(), "Slurm is not installed: scripts/install-packages schedulers")
class AHostThatItsBorrowerHasDrained(unittest.TestCase):
    def test_needs_a_person_until_it_is_resumed(self) -> None:
        """Symptom: it lay idle, up at its owner, and `attention` said nothing."""
        with two_slurm_clusters(own=1, cores=4) as (east, west), \
                SlurmSite(east, west, [pool(2, initial_slots=2)], broker={"agent_timeout": "20s"}) as site:
            site.start()
            site.wait_for_agents()

            def needs() -> list[tuple[str, str]]:
                return [(need["kind"], need["subject"]) for need in site.ask("attention")]
            site.wait_for_fence("west", "imp-p1", 2)
            west.run("scontrol", "update", "NodeName=imp-p1", "State=DRAIN", "Reason=disk")
            wait_until(lambda: needs() == [("host-down", "p1@east")], "a person is needed")
            west.run("scontrol", "update", "NodeName=imp-p1", "State=RESUME")
            wait_until(lambda: needs() == [], "nobody is needed any more")


@unittest.skipUnless(installed(), "Slurm is not installed: scripts/install-packages schedulers")
class ASiteThatLeaves(unittest.TestCase):
    def test_is_as_it_was_at_both_sides(self) -> None:
        """As the guide says (broker/guide/administrators.md, "Leaving again")."""
        with two_slurm_clusters(own=1, cores=4, closed=("imp-p1",)) as (east, west), \
                SlurmSite(east, west, [pool(2, initial_slots=2)]) as site:
            site.start()
            site.wait_for_agents()
            there = west.submit(1, LONG, "--nodelist=imp-p1")
            wait_until(lambda: west.state(there) == "RUNNING", "west's job runs on p1")
            west.run("scancel", there)
            site.order("drain", "west", "--wait")
            site.order("drain", "east", "--wait", "--reason", "we leave")
            wait_until(lambda: not east.reservations(), "east's agent has opened what came back")
            for name, agent in site.agents.items():
                agent.stop()
                left = run(PROGRAMS / "lease-agent", "--config", agent.config, "--release")
                self.assertEqual(left.returncode, 0, f"{name}: {left.stdout}{left.stderr}")
                self.assertNotIn("STAYS", left.stdout)
            self.assertEqual(east.reservations() + west.reservations(), [])
            waits = west.submit(1, LONG, "--nodelist=imp-p1")
            own = [east.submit(1, LONG) for _ in range(4)]
            wait_until(lambda: [east.state(job) for job in own] == ["RUNNING"] * 4, "all of p1 is its owner's")
            done = west.submit(1, "true", "--nodelist=w1")
            wait_until(lambda: west.state(done) in ("COMPLETED", "gone"), "a job that came later has run")
            self.assertEqual(west.state(waits), "PENDING")


if __name__ == "__main__":
    side_by_side.main(of_places=2)
