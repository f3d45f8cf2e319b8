"""Leased slots where Slurm is set up as many sites have it: whole hosts for each job, and slurmdbd with
associations, QOS and limits, where the agents are operators and no more. Real clusters, a real database.

    scripts/stress-slurm --whole-nodes          scripts/stress-slurm --accounting
"""
import os
import pwd
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "integration"))
import side_by_side  # noqa: E402
import slurm_database  # noqa: E402
from processes import PROGRAMS, wait_until  # noqa: E402
from slurm_clusters import SlurmCluster, installed  # noqa: E402
from slurm_database import SlurmDatabase  # noqa: E402
from slurm_site import LONG, SlurmSite, pool, two_slurm_clusters  # noqa: E402

AGENT, USER = "news", "games"  # ordinary users that every Debian has


@unittest.skipUnless(installed(), "Slurm is not installed: scripts/install-packages schedulers")
class WholeNodes(unittest.TestCase):
    def test_a_job_that_asks_for_one_core_gets_a_leased_host(self) -> None:
        """It wants all slots of one. A shared lease must begin with as many: one slot helps nobody."""
        with two_slurm_clusters(own=2, cores=4, partition="OverSubscribe=EXCLUSIVE") as (east, west), \
                SlurmSite(east, west, [pool(4, initial_slots=4)]) as site, \
                site.watch_slots() as watch:
            site.start()
            site.wait_for_agents()
            self.assertIn("partition batch gives out whole hosts", site.probe("west")["cautions"][0])
            first = west.submit(1, LONG, "--nodelist=w1")
            site.wait_for_running("west", "w1", 2)
            second = west.submit(1, LONG)
            site.wait_for_lease(pending__consumer=4)
            site.wait_for_running("west", "imp-p1", 4)
            local = east.submit(1, LONG)
            site.order("close", "p1@east", "--for", "west", "--reclaim")
            wait_until(lambda: east.state(local) == "RUNNING", "the host is back")
            self.assertEqual(west.state(first), "RUNNING")
            self.assertEqual(west.state(second), "PENDING")
            self.assertEqual(watch.breaches, [])

    def test_hosts_move_as_wholes(self) -> None:
        """unit = "host": an idle host goes over, none of which a part is in use."""
        with two_slurm_clusters(own=2, cores=4, hosts=("p1", "p2"),
                                partition="OverSubscribe=EXCLUSIVE") as (east, west), \
                SlurmSite(east, west, [pool(4, "p1", "p2", unit="host")]) as site, \
                site.watch_slots() as watch:
            local = east.submit(1, LONG, "--nodelist=p1")
            wait_until(lambda: east.state(local) == "RUNNING", "east's own work runs")
            site.start()
            site.wait_for_agents()
            west.submit(1, LONG, "--nodelist=w1")
            west.submit(1, LONG)
            site.wait_for_running("west", "imp-p2", 4)
            site.wait_for_lease(phase="active", consumer_slots__used=4, provider_slots__used=4)
            third = west.submit(1, LONG)
            site.wait_for_lease(pending__consumer=4)
            site.wait_for_evaluations(3)
            self.assertEqual(site.lease()["flips"], 0, "p1 is in use")
            east.run("scancel", local)
            site.wait_for_running("west", "imp-p1", 4)
            self.assertEqual(west.state(third), "RUNNING")
            flips = [row["slots"] for row in site.ask("history") if row["kind"] == "flip"]
            self.assertEqual(flips, [4])
            self.assertEqual(watch.breaches, [])

    def test_a_fenced_core_keeps_them_from_starting(self) -> None:
        """Slurm's own part in what the caution says: half of a host is no host."""
        with SlurmCluster("east", {"p1": 4}, partition="OverSubscribe=EXCLUSIVE") as east:
            east.run("scontrol", "create", "reservation", "reservationname=leasehold-p1-1",
                     "starttime=now", "duration=infinite", "users=root", "nodes=p1", "corecnt=1",
                     "flags=overlap")
            job = east.submit(1, LONG)
            wait_until(lambda: east.run("squeue", "-h", "-j", job, "-o", "%T %r").startswith(
                "PENDING ReqNodeNotAvail"), "Slurm says why it waits")
            east.run("scontrol", "delete", "reservationname=leasehold-p1-1")
            wait_until(lambda: east.state(job) == "RUNNING", "it runs")

    def test_can_be_leased_with_select_linear(self) -> None:
        settings = {"SelectType": "select/linear", "SelectTypeParameters": ""}
        with two_slurm_clusters(own=2, cores=4, settings=settings) as (east, west), \
                SlurmSite(east, west, [pool(4, type="exclusive")]) as site, \
                site.watch_slots() as watch:
            site.start()
            site.wait_for_agents()
            self.assertIn("lease whole hosts only", site.probe("east")["permissions_lacking"][0])
            site.wait_for_fence("east", "p1", 4)
            job = west.submit(4, LONG)
            site.wait_for_running("west", "imp-p1", 4)
            local = east.submit(1, LONG)
            site.order("close", "p1@east", "--for", "west", "--reclaim")
            wait_until(lambda: east.state(local) == "RUNNING", "the host is back")
            self.assertEqual(west.state(job), "PENDING")
            self.assertEqual(watch.breaches, [])


class OperatedSite(SlurmSite):
    """Its agents are ordinary users whom slurmdbd calls operators."""

    def __init__(self, *given, **more) -> None:
        super().__init__(*given, **more)
        self.path.chmod(0o777)
        user = pwd.getpwnam(AGENT)

        def become() -> None:
            os.setgroups([])
            os.setgid(user.pw_gid)
            os.setuid(user.pw_uid)
        for agent in self.agents.values():
            agent.limits = become


@unittest.skipUnless(installed() and slurm_database.installed() and os.geteuid() == 0,
                     "needs root and scripts/install-packages slurm-accounting")
class Accounting(unittest.TestCase):
    @staticmethod
    def accounts(database: SlurmDatabase) -> None:
        database.manage("add", "account", "physics", "GrpTRES=cpu=2")
        database.manage("add", "account", "chemistry")
        database.manage("add", "qos", "shared", "MaxTRESPA=cpu=1")
        database.manage("add", "user", USER, "account=physics,chemistry", "qos=normal,shared")
        database.manage("add", "user", AGENT, "account=chemistry")
        database.manage("modify", "user", AGENT, "set", "adminlevel=Operator")

    @staticmethod
    def submit(cluster: SlurmCluster, *options: str) -> str:
        """As an ordinary user."""
        user = pwd.getpwnam(USER)
        done = subprocess.run([*cluster.programs.command("sbatch"), "--parsable", "--ntasks=1",
                               "--output=/dev/null", "--chdir=/", *options, "--wrap", LONG],
                              capture_output=True, text=True, check=True, cwd="/",
                              env=cluster.environment, user=user.pw_uid, group=user.pw_gid,
                              extra_groups=[])
        return done.stdout.strip()

    def probed(self, site: SlurmSite, name: str, user: str):
        entry = pwd.getpwnam(user)
        return subprocess.run([PROGRAMS / "lease-agent", "--config", site.agents[name].config,
                               "--probe", "--json"], capture_output=True, text=True, check=False, cwd="/",
                              user=entry.pw_uid, group=entry.pw_gid, extra_groups=[])

    def test_an_operator_may_lend_and_reclaim(self) -> None:
        with SlurmDatabase() as database, \
                two_slurm_clusters(own=1, cores=4, database=database) as (east, west):
            self.accounts(database)
            with OperatedSite(east, west, [pool(3, reclaim_grace="1s", initial_slots=3)]) as site, \
                    site.watch_slots() as watch:
                site.start()
                site.wait_for_agents()
                lacks = self.probed(site, "west", USER)
                self.assertIn("operators may", lacks.stdout + lacks.stderr)
                may = self.probed(site, "west", AGENT)
                self.assertEqual(may.returncode, 0, may.stdout + may.stderr)
                jobs = [self.submit(west, "--account=chemistry", "--nodelist=imp-p1")
                        for _ in range(3)]
                site.wait_for_running("west", "imp-p1", 3)
                site.order("close", "p1@east", "--for", "west", "--reclaim")
                wait_until(lambda: [west.state(job) for job in jobs] == ["PENDING"] * 3,
                           "jobs of another user are queued again")
                site.wait_for_fence("west", "imp-p1", 4)
                self.assertEqual(watch.breaches, [])

    def test_jobs_at_a_limit_are_no_demand(self) -> None:
        with SlurmDatabase() as database, \
                two_slurm_clusters(own=1, cores=4, database=database) as (east, west):
            self.accounts(database)
            with SlurmSite(east, west, [pool(4)]) as site:
                site.start()
                site.wait_for_agents()
                for _ in range(5):
                    self.submit(west, "--account=physics")
                    self.submit(west, "--account=chemistry", "--qos=shared")
                wait_until(lambda: west.running() == 3, "as many run as the limits let")

                def reasons():
                    return set(west.run("squeue", "-h", "-t", "PD", "-o", "%r").split())
                wait_until(lambda: reasons() == {"AssocGrpCpuLimit", "MaxCpuPerAccount"},
                           "the others are held by limits")
                site.wait_for_lease(pending__consumer=0, consumer_slots__used=2)
                # None of the two other slots stays with who cannot use it.
                wait_until(lambda: site.held() == (2, 2), "the idle slots are back")


if __name__ == "__main__":
    side_by_side.main(of_places=4)
