"""Real Slurm: what becomes of borrowed jobs whose slots are wanted back. The jobs are ordinary ones, which
heed no signal; they are judged by what Slurm says of them and by what they wrote themselves."""
import contextlib
import re
import unittest
from datetime import datetime

import side_by_side
from processes import PROGRAMS, run, wait_until
from slurm_site import LONG, SlurmSite, pool, two_slurm_clusters
from ordinary_job import OrdinaryJob
from slurm_clusters import installed

REMEMBERS = {"MinJobAge": "3600"}  # what has ended is asked after for as long as a test lasts
GRACE_S = 8
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
[[session_type]]
session = "job"
"""


class ReclaimSite(SlurmSite):
    """east lends its host p1 to west, whose own node w1 has one core."""

    def events(self, event: str, job: str) -> list[float]:
        """When west's agent says that it did so with the job: seconds since 1970."""
        found = []
        for line in self.agents["west"].log(whole=True).splitlines():
            if f" event={event} " in line and re.search(rf" job={re.escape(job)}( |$)", line):
                found.append(datetime.fromisoformat(line.split()[0].removeprefix("time=")).timestamp())
        return found

    def want_back(self) -> None:
        self.order("close", "p1@east", "--for", "west", "--reclaim")

    def wait_for_event(self, event: str, job: str) -> float:
        return wait_until(lambda: self.events(event, job), f"the agent says {event} of job {job}")[0]

    def wait_for_fate(self, job: str, **wanted) -> dict:
        """The line of history that says what became of it."""
        def as_wanted():
            rows = [row for row in self.ask("history") if row["kind"] == "work-ended" and row["job"] == job]
            assert len(rows) == 1, f"{len(rows)} lines"
            assert {key: rows[0][key] for key in wanted} == wanted, f"it is {rows[0]}"
            return rows[0]
        return wait_until(as_wanted, f"the history says of job {job} that {wanted}", every=0.5)

    def wait_for_facts(self, job: str, **wanted: str) -> dict[str, str]:
        def as_wanted():
            facts = self.slurm["west"].facts(job)
            seen = {key: facts.get(key) for key in wanted}
            assert seen == wanted, f"it is {seen}"
            return facts
        return wait_until(as_wanted, f"job {job} with {wanted}", every=0.25)


@contextlib.contextmanager
def lent(grace_s: int = GRACE_S, prepare=lambda west: None, **more):
    """(west, site) once p1 is lent."""
    with two_slurm_clusters(own=1, cores=4, settings=REMEMBERS) as (east, west):
        prepare(west)
        with ReclaimSite(east, west, [pool(4, reclaim_grace=f"{grace_s}s", initial_slots=4)], **more) as site, \
                site.watch_slots() as watch:
            site.start()
            site.wait_for_agents()
            yield west, site
            assert watch.breaches == [], watch.breaches


@contextlib.contextmanager
def planned():
    """(east, west, site) of a plan in which west must choose what ends."""
    with two_slurm_clusters(own=1, settings=REMEMBERS) as (east, west), \
            ReclaimSite(east, west, [PLANNED], scheduling=SELECTIVE, more=PLAN) as site:
        site.start()
        site.wait_for_agents()
        yield east, west, site


def take_two_back(east, site: ReclaimSite) -> None:
    """Four slots of the host are not leased: of six that east wants two must come back."""
    for _ in range(6):
        east.submit(1, LONG)
    site.wait_for_running("east", "p1", 6)


@unittest.skipUnless(installed(), "Slurm is not installed: scripts/install-packages")
class BorrowedJobs(unittest.TestCase):
    def survives(self, site: ReclaimSite, job: OrdinaryJob) -> None:
        """Its whole grace, and is queued again."""
        told = site.wait_for_event("job-interrupted", job.id)
        wait_until(lambda: job.last_beat() > told, "it goes on within its grace")
        site.wait_for_facts(job.id, JobState="PENDING", Restarts="1")
        numbers = site.wait_for_fate(job.id, fate="requeued")["numbers"]
        self.assertGreaterEqual(numbers["ended_ms"] - numbers["told_ms"], GRACE_S * 1000)

    def test_have_their_whole_grace_and_run_again_to_their_end(self) -> None:
        """An interrupt by USR1, the default before, ended each at once, FAILED and not queued again."""
        with lent(tell_users=True) as (west, site):
            self.assertEqual(site.history("work-ended"), [])
            blocker = west.submit(1, LONG, "--nodelist=w1")
            job = west.submit_ordinary("job")
            site.wait_for_running("west", "imp-p1", 1)
            site.want_back()
            self.survives(site, job)
            row = site.wait_for_fate(job.id, fate="requeued", lease="pool:west", cluster="west", slots=1,
                                     reason="operator-order", user="root", exit_code=None)
            self.assertGreaterEqual(row["numbers"]["ended_ms"] - row["numbers"]["told_ms"], GRACE_S * 1000)
            self.assertIn(f"job {job.id} of root requeued", site.ctl("history").stdout)
            west.run("scancel", blocker)
            west.run("scontrol", "update", f"JobId={job.id}", "StartTime=now")
            wait_until(lambda: job.lines().count("started") == 2, "it runs again")
            job.finish()
            site.wait_for_facts(job.id, JobState="COMPLETED", Restarts="1", ExitCode="0:0")
            self.assertEqual(job.lines(), ["started", "started", "finished"])

    def test_are_sent_a_deadly_signal_only_if_they_ask_whatever_the_file_says(self) -> None:
        with lent(interrupt_signal="USR1") as (west, site):
            heeds = OrdinaryJob(west.path / "heeds")
            heeds.id = west.submit(1, "trap 'touch {0}.told; exit 0' USR1; touch {0}.ready; while :; do "
                                   "sleep 0.1; done".format(west.path / "heeds"), "--nodelist=imp-p1",
                                   "--comment=leasehold:signal=USR1")
            job = west.submit_ordinary("job", "--nodelist=imp-p1")
            site.wait_for_running("west", "imp-p1", 2)
            wait_until((west.path / "heeds.ready").exists, "the script has set its trap")
            site.want_back()
            wait_until((west.path / "heeds.told").exists, "who asked is told by it")
            site.wait_for_facts(heeds.id, JobState="COMPLETED", Restarts="0", ExitCode="0:0")
            self.survives(site, job)
            site.wait_for_fate(heeds.id, fate="ended-well", exit_code=0, user=None)
            config = site.agents["west"].config
            checked = run(PROGRAMS / "lease-agent", "--config", config, "--check-config")
            self.assertEqual(checked.returncode, 0)
            caution = 'interrupt_signal = "USR1" ends at once what does not catch it'
            self.assertIn(caution, checked.stderr)
            self.assertIn(caution, " ".join(site.probe("west")["cautions"]))
            rows = [row for row in site.ask("doctor") if row["check"] == "cautions"]
            self.assertEqual([(row["subject"], row["status"]) for row in rows], [("west", "caution")])
            self.assertIn(caution, rows[0]["finding"])

    def test_are_only_looked_at_when_nobody_knows_whether_they_were_queued_again(self) -> None:
        """The call does it, and fails: after that each was cancelled."""
        def prepare(west) -> None:
            west.meddle("scontrol", f'if [ "$1" = requeue ]; then {west.client("scontrol")} "$@"; '
                        'echo timed out >&2; exit 1; fi\n')
        with lent(2, prepare) as (west, site):
            job = west.submit_ordinary("job", "--nodelist=imp-p1")
            site.wait_for_running("west", "imp-p1", 1)
            site.want_back()
            site.wait_for_facts(job.id, JobState="PENDING", Restarts="1")
            site.wait_for_fence("west", "imp-p1", 4)
            self.assertIn("timed out", site.agents["west"].log())
            site.wait_for_fate(job.id, fate="requeued")
            self.assertEqual(west.facts(job.id)["JobState"], "PENDING")

    def test_that_end_well_in_their_last_second_are_not_run_again(self) -> None:
        def prepare(west) -> None:
            west.meddle("scontrol", f'if [ "$1" = requeue ]; then touch {west.path}/job.end; '
                        f'until {west.client("squeue")} -h -t all -o %T | grep -q COMPLETED; '
                        'do sleep 0.1; done; fi\n')
        with lent(2, prepare) as (west, site):
            job = west.submit_ordinary("job", "--nodelist=imp-p1")
            site.wait_for_running("west", "imp-p1", 1)
            site.want_back()
            site.wait_for_event("job-requeued", job.id)
            site.wait_for_fence("west", "imp-p1", 4)
            site.wait_for_facts(job.id, JobState="COMPLETED", Restarts="0", ExitCode="0:0")
            self.assertEqual(job.lines(), ["started", "finished"])
            site.wait_for_fate(job.id, fate="ended-well", exit_code=0)

    def test_of_several_components_are_queued_again_as_one(self) -> None:
        """Slurm refuses to do so by a component: it was cancelled, and the others ran on without it."""
        with lent(4) as (west, site):
            job = OrdinaryJob(west.path / "job")
            script = west.path / "job.sh"
            script.write_text("#!/bin/sh\n#SBATCH --output=/dev/null --nodelist=w1 --ntasks=1\n"
                              "#SBATCH hetjob\n#SBATCH --nodelist=imp-p1 --ntasks=2\n" + job.script())
            job.id = west.run("sbatch", "--parsable", str(script)).strip()
            component = str(int(job.id) + 1)
            site.wait_for_running("west", "imp-p1", 2)
            site.want_back()
            told = site.wait_for_event("job-interrupted", job.id)
            wait_until(lambda: job.last_beat() > told, "it goes on within its grace")
            for part in (job.id, component):
                site.wait_for_facts(part, JobState="PENDING", Restarts="1")
            site.wait_for_fence("west", "imp-p1", 4)

    def test_that_cannot_be_queued_again_are_told_and_chosen_last(self) -> None:
        """Of four the two that were started last ended for good, though two others could run again."""
        with planned() as (east, west, site):
            again = [west.submit_ordinary(f"again{number}", "--nodelist=imp-p1") for number in range(2)]
            site.wait_for_running("west", "imp-p1", 2)
            final = [west.submit_ordinary(f"final{number}", "--nodelist=imp-p1", "--no-requeue")
                     for number in range(2)]
            site.wait_for_running("west", "imp-p1", 4)
            told = [text for text in site.probe("west")["cautions"] if "cannot be queued again" in text]
            self.assertIn(", ".join(job.id for job in final), told[0])
            take_two_back(east, site)
            for job in again:
                site.wait_for_facts(job.id, JobState="PENDING", Restarts="1")
            for job in final:
                self.assertEqual(west.facts(job.id)["JobState"], "RUNNING")
                self.assertTrue(site.events("job-not-requeueable", job.id))
            site.want_back()
            for job in final:
                site.wait_for_facts(job.id, JobState="CANCELLED", Restarts="0")

    def test_of_an_array_are_ended_one_by_one(self) -> None:
        """The number of the last task is that of the whole array, too: all tasks were ended for it."""
        with planned() as (east, west, site):
            array = west.submit(1, LONG, "--array=1-4", "--nodelist=imp-p1")
            site.wait_for_running("west", "imp-p1", 4)
            take_two_back(east, site)
            states = west.run("squeue", "-h", "-r", "-j", array, "-o", "%T").split()
            self.assertEqual(sorted(states), ["PENDING"] * 2 + ["RUNNING"] * 2)


if __name__ == "__main__":
    side_by_side.main(of_places=2)
