"""Two real Slurm clusters: slots are lent and come back, are reclaimed with grace, and are never used by
both, whatever dies. What is seen is cross-checked with Slurm's own lists of jobs."""
import contextlib
import time
import unittest
from pathlib import Path

import side_by_side
from processes import wait_until
from slurm_site import LONG, SlurmSite, pool, two_slurm_clusters
from slurm_clusters import SlurmCluster, installed

HEEDS = "trap 'touch {0}.told; exit 0' USR1; touch {0}.ready; while true; do sleep 0.1; done"
ASKS = "--comment=leasehold:signal=USR1"
HIGH = "--comment=leasehold:rank=50,preemptive"
PLANNED = {"name": "pool", "provider": "east", "hosts": ["p1"], "slots_per_host": 4}
PLAN = """
[[resource_group]]
name = "compute"
policies = ["pool"]
policy = "share-ratio"
cycle = "500ms"
[[consumer]]
path = "/east"
cluster = "east"
share_ratio = 1
[[consumer]]
path = "/west"
cluster = "west"
share_ratio = 1
reclaim_grace = "1s"
"""
SELECTIVE = """
[scheduling]
selective_reclaim = true
job_comments = "any"
[[session_type]]
session = "job"
"""
PREEMPTIVE = """
[scheduling]
policy = "priority"
job_comments = "any"
[[session_type]]
match = { comment = "leasehold:rank=50,preemptive" }
session = "job"
priority = 100
[[session_type]]
session = "job"
priority = 1
"""


@unittest.skipUnless(installed(), "Slurm is not installed: scripts/install-packages")
class LeasedSlots(unittest.TestCase):
    def check(self, watch) -> None:
        watch.look_at_least(20)
        self.assertEqual(watch.breaches, [])

    def test_go_to_the_consumer_and_come_back_as_jobs_end(self) -> None:
        with two_slurm_clusters() as (east, west), \
                SlurmSite(east, west, [pool(6)]) as site, site.watch_slots() as watch:
            site.start()
            site.wait_for_agents()
            # Nothing is open on an imported host before something is granted.
            self.assertEqual(site.fenced("west", "imp-p1"), 8)
            end = west.path / "end"
            jobs = [west.submit(1, f"until [ -e {end} ]; do sleep 0.5; done") for _ in range(10)]
            site.wait_for_running("west", "imp-p1", 6)
            self.assertEqual(site.fenced("east", "p1"), 6)
            site.wait_for_lease(consumer_slots__used=6, provider_slots__used=0)
            local = [east.submit(1, LONG) for _ in range(8)]
            site.wait_for_running("east", "p1", 2)
            self.assertEqual([west.state(job) for job in jobs[:8]], ["RUNNING"] * 8)
            end.touch()
            site.wait_for_running("east", "p1", 8)
            self.assertEqual(west.running("imp-p1"), 0)
            self.assertEqual({east.state(job) for job in local}, {"RUNNING"})
            self.check(watch)

    def test_are_reclaimed_with_grace_by_what_a_job_asks_to_be_told_by(self) -> None:
        with contextlib.ExitStack() as at_end:
            east, west = at_end.enter_context(two_slurm_clusters(own=1))
            calls = west.note_calls()
            site = at_end.enter_context(
                SlurmSite(east, west, [pool(4, reclaim_grace="4s", initial_slots=4)]))
            watch = at_end.enter_context(site.watch_slots())
            site.start()
            site.wait_for_agents()
            heeds = str(west.path / "heeds")
            good = west.submit(2, HEEDS.format(heeds), "--nodelist=imp-p1", ASKS)
            stubborn = west.submit(2, "trap '' TERM; " + LONG, "--nodelist=imp-p1")
            site.wait_for_running("west", "imp-p1", 4)
            wait_until(Path(f"{heeds}.ready").exists, "the script has set its trap")
            told = time.monotonic()
            site.order("close", "p1@east", "--for", "west", "--reclaim")
            wait_until(Path(f"{heeds}.told").exists, "the job sees its signal")
            wait_until(lambda: west.state(good) == "gone", "the job that heeds it ends")
            wait_until(lambda: west.state(stubborn) == "PENDING", "the other is queued again")
            self.assertGreater(time.monotonic() - told, 4)
            self.assertEqual(west.running("imp-p1"), 0)
            site.wait_for_fence("west", "imp-p1", 8)
            wait_until(lambda: site.held() == (4, 0), "the slots are back")
            # A signal to a job that ends already waits for its processes: the agent was not heard.
            signals = [call for call in calls.read_text().splitlines() if "--signal" in call]
            self.assertEqual([call.split()[-1] for call in signals], [good])
            self.check(watch)

    def test_stay_fenced_when_a_controller_is_killed(self) -> None:
        with two_slurm_clusters() as (east, west), \
                SlurmSite(east, west, [pool(6)]) as site, site.watch_slots() as watch:
            site.start()
            site.wait_for_agents()
            for _ in range(10):
                west.submit(1, LONG)
            site.wait_for_running("west", "imp-p1", 1)
            site.wait_for_fence("east", "p1", 6)
            east.kill_controller()  # it has not written the fence yet
            for cluster in (east, west):
                self.start_again(cluster)
                if cluster is east:
                    west.kill_controller()
            for _ in range(8):
                east.submit(1, LONG)
            wait_until(lambda: east.running("p1") + west.running("imp-p1") == 8,
                       "all slots of the host are used")
            self.assertGreaterEqual(east.running("p1"), 2)
            self.assertGreaterEqual(site.fenced("east", "p1") + site.fenced("west", "imp-p1"), 8)
            self.check(watch)

    def test_are_held_by_jobs_where_an_agent_may_make_no_reservations(self) -> None:
        with two_slurm_clusters(own=1, cores=4) as (east, west), \
                SlurmSite(east, west, [pool(3)], fence="hold-job") as site, \
                site.watch_slots() as watch:
            site.start()
            site.wait_for_agents()
            self.assertEqual(west.held("imp-p1"), 4)
            for _ in range(6):
                west.submit(1, LONG)
            wait_until(lambda: (east.held("p1"), west.held("imp-p1")) == (3, 1),
                       "three slots go to west")
            wait_until(lambda: sum(job.state == "RUNNING" and job.name == "wrap"
                                   for job in west.jobs()) == 4, "its jobs run on them")
            self.assertEqual(west.reservations() + east.reservations(), [])
            self.check(watch)

    def test_are_cores_where_a_core_has_two_threads(self) -> None:
        with two_slurm_clusters(own=1, cores=4, threads=2) as (east, west), \
                SlurmSite(east, west, [pool(3)]) as site:
            site.start()
            site.wait_for_agents()
            for _ in range(6):
                west.submit(1, LONG)  # a core each, and so two CPUs
            site.wait_for_lease(consumer_slots__used=3)
            site.wait_for_running("west", "imp-p1", 6)
            wait_until(lambda: (site.fenced("east", "p1"), site.fenced("west", "imp-p1")) == (3, 1),
                       "the fences stand as the jobs run")
            told = site.probe("east")
            self.assertEqual(told["permissions_lacking"], [])
            self.assertEqual([(row["host"], row["slots"]) for row in told["caps"]], [("p1", 1)])

    def test_are_reclaimed_from_the_least_important_job_of_all(self) -> None:
        """Which job that is, is read from what Slurm says of each, in its JSON."""
        with two_slurm_clusters(own=1) as (east, west), \
                SlurmSite(east, west, [PLANNED], scheduling=SELECTIVE, more=PLAN) as site, \
                site.watch_slots() as watch:
            site.start()
            site.wait_for_agents()
            self.assertEqual(site.probe("west")["permissions_lacking"], [])
            ranks = {rank: west.submit(1, LONG, "--nodelist=imp-p1", "--no-requeue",
                                       f"--comment=leasehold:rank={rank}")
                     for rank in (40, 10, 30, 20)}
            site.wait_for_running("west", "imp-p1", 4)
            for _ in range(6):  # four slots are not leased: two must come back
                east.submit(1, LONG)
            site.wait_for_running("east", "p1", 6)
            left = {rank for rank, job in ranks.items() if west.state(job) == "RUNNING"}
            self.assertEqual(left, {40, 30})
            self.check(watch)

    @contextlib.contextmanager
    def west_is_full(self):
        """(site, west, jobs): six jobs of low rank run, four on west's own host and two on leased slots."""
        with two_slurm_clusters(own=4, cores=4) as (east, west), \
                SlurmSite(east, west, [pool(2, initial_slots=2)], scheduling=PREEMPTIVE) as site:
            site.start()
            site.wait_for_agents()
            low = [west.submit(1, LONG, "--comment=leasehold:rank=1") for _ in range(6)]
            site.wait_for_running("west", "", 6)
            yield site, west, low

    def test_are_taken_by_a_more_important_session_of_the_consumer(self) -> None:
        with self.west_is_full() as (_, west, low):
            high = [west.submit(1, LONG, HIGH) for _ in range(2)]
            wait_until(lambda: [west.state(job) for job in high] == ["RUNNING"] * 2,
                       "the more important ones run")
            self.assertEqual(sum(west.state(job) == "RUNNING" for job in low), 4)

    def test_are_not_taken_by_work_of_a_session_that_could_not_start(self) -> None:
        """Symptom: a held job of a preemptive session ended running work of others, again and again."""
        with self.west_is_full() as (site, west, low):
            held = west.submit(1, LONG, HIGH, "--hold")
            west.submit(1, LONG, HIGH, "--begin=now+1hour")
            site.wait_for_evaluations(3)
            self.assertEqual([west.state(job) for job in low], ["RUNNING"] * 6)
            west.run("scontrol", "release", held)
            wait_until(lambda: west.state(held) == "RUNNING", "once it may start it takes a slot")
            self.assertEqual(sum(west.state(job) == "RUNNING" for job in low), 5)

    def test_are_not_pulled_by_work_that_could_not_start_on_them(self) -> None:
        """Symptom: slots went to the consumer at each evaluation, for work that wanted other hosts."""
        with two_slurm_clusters(own=2, cores=4, devices={"w1": "fpga:1"},
                                settings={"GresTypes": "fpga", "SelectTypeParameters": "CR_Core_Memory",
                                          "DefMemPerCPU": "100", "MaxMemPerCPU": "4000"}) as (east, west), \
                SlurmSite(east, west, [pool(4, rule="demand-aware")]) as site:
            site.start()
            site.wait_for_agents()
            west.submit(2, LONG, "--nodelist=w1", "--gres=fpga:1")
            site.wait_for_running("west", "w1", 2)
            for asked in ("--gres=fpga:1", "--exclude=imp-p1", "--nodelist=w1", "--hold"):
                west.submit(1, LONG, asked)
            site.wait_for_evaluations(3)
            lease = site.lease()
            self.assertEqual((lease["pending"]["consumer"], lease["flips"]), (0, 0))
            plain = west.submit(1, LONG)
            wait_until(lambda: west.state(plain) == "RUNNING", "what can start there does")
            self.assertEqual(west.facts(plain)["NodeList"], "imp-p1")

    def test_come_as_many_as_a_job_needs_for_its_memory(self) -> None:
        """Symptom: for a job of one core and the memory of two one slot went to and fro, and it never started."""
        with two_slurm_clusters(own=1, cores=4, settings={"SelectTypeParameters": "CR_Core_Memory", "DefMemPerCPU":
                                                          "100", "MaxMemPerCPU": "4000"}) as (east, west), \
                SlurmSite(east, west, [pool(4, rule="demand-aware")]) as site:
            site.start()
            site.wait_for_agents()
            own = west.submit(1, LONG, "--nodelist=w1")
            wait_until(lambda: west.state(own) == "RUNNING", "west's own host is full")
            first = west.submit(1, LONG)
            wait_until(lambda: west.state(first) == "RUNNING", "the lease is made")
            needs_two = west.submit(1, LONG, "--mem=7000")
            wait_until(lambda: west.state(needs_two) == "RUNNING", "it has two slots")
            self.assertEqual(west.running("imp-p1"), 3)

    def test_all_come_home_when_an_operator_drains_their_provider_and_a_host_of_it(self) -> None:
        with two_slurm_clusters(own=1, cores=4, hosts=("p1", "p2")) as (east, west), \
                SlurmSite(east, west, [pool(4, "p1", "p2", initial_slots=8)]) as site, \
                site.watch_slots() as watch:
            site.start()
            site.wait_for_agents()
            ends = {host: west.path / f"end-{host}" for host in ("p1", "p2")}
            jobs = {host: [west.submit(1, f"until [ -e {end} ]; do sleep 0.5; done",
                                       f"--nodelist=imp-{host}") for _ in range(4)]
                    for host, end in ends.items()}

            def more(host: str) -> None:
                jobs[host] += [west.submit(1, "true", f"--nodelist=imp-{host}") for _ in range(2)]

            for host in ends:
                site.wait_for_running("west", f"imp-{host}", 4)
            east.run("scontrol", "update", "NodeName=p1", "State=DRAIN", "Reason=disk")
            wait_until(lambda: [down["cluster"] for down in site.host("p1")["down"]] == ["east"],
                       "its owner calls p1 down")
            site.order("drain", "east", "--provider", "--reason", "new disks", "--until", "1h")
            self.assertEqual(site.held(), (0, 8), "work that runs is left to end")
            ends["p1"].touch()
            wait_until(lambda: west.running("imp-p1") == 0, "the jobs on p1 end")
            wait_until(lambda: sum(row["left"] for row in site.drained("east")) == 4,
                       "the slots of p1 are home")
            more("p1")
            self.assertEqual(west.running("imp-p2"), 4)
            ends["p2"].touch()
            waited = site.ctl("drain", "east", "--provider", "--wait", "--reason", "new disks")
            self.assertEqual(waited.returncode, 0, waited.stderr)
            self.assertIn("0 slots left", waited.stdout)
            more("p2")
            site.wait_for_evaluations(2)  # nothing may start there, though jobs wait for it
            states = [west.state(job) for host in ends for job in jobs[host]]
            self.assertEqual((states.count("gone"), states.count("PENDING")), (8, 4), states)
            self.assertEqual(site.fenced("west", "imp-p1") + site.fenced("west", "imp-p2"), 8)
            drain = [row for row in site.ask("history") if row["verb"] == "drain"][0]
            self.assertEqual((drain["object"], drain["why"]), ("east", "new disks"))
            self.assertIn("--provider --until 20", drain["options"])
            self.assertTrue(drain["by"].startswith("local"), drain["by"])
            self.assertEqual(drain["where"], "127.0.0.1")
            self.assertIn("drain east --provider", site.ctl("history").stdout)
            self.check(watch)

    @staticmethod
    def start_again(cluster: SlurmCluster) -> None:
        cluster.start_controller()
        wait_until(cluster.answers, f"the controller of {cluster.name} answers")


@unittest.skipUnless(installed(), "Slurm is not installed: scripts/install-packages")
class AnAgent(unittest.TestCase):
    def test_does_not_start_with_a_name_that_slurm_does_not_know(self) -> None:
        with SlurmCluster("east", {"p1": 2}) as east, SlurmCluster("west", {"w1": 2}) as west, \
                SlurmSite(east, west, [pool(2)]) as site:
            config = site.agents["west"].config
            config.write_text(config.read_text().replace(
                'rule = "imp-{host}"', 'rule = "imp-{host}"\nmap = { "p1@east" = "nowhere" }'))
            site.start_broker()
            site.agents["west"].start()
            self.assertNotEqual(site.agents["west"].wait(), 0)
            self.assertIn("nowhere, which is no node", site.agents["west"].log())


if __name__ == "__main__":
    side_by_side.main(of_places=2)
