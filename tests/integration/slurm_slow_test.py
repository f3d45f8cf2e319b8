"""Real Slurm that is slow or away, and work that waits for something else than slots."""
import contextlib
import unittest

import side_by_side
from processes import wait_until
from slurm_site import LONG, SlurmSite, pool, two_slurm_clusters
from slurm_clusters import installed

REMEMBERS = {"MinJobAge": "3600"}
CALL_S = 12    # a call of an agent may take so long
AWAY_S = 60    # an agent may be silent for so long
SLOW = "sleep 3\n"


class SlowSite(SlurmSite):
    def write_agent_config(self, name: str) -> None:
        super().write_agent_config(name)
        config = self.agents[name].config
        config.write_text(config.read_text().replace("[agent]\n", f'[agent]\ncall_timeout = "{CALL_S}s"\n', 1))


@unittest.skipUnless(installed(), "Slurm is not installed: scripts/install-packages schedulers")
class ASlowController(unittest.TestCase):
    def test_lends_and_what_it_requeues_after_the_time_out_is_not_cancelled(self) -> None:
        """Each command takes three seconds; a requeue is done when its caller has given up."""
        with two_slurm_clusters(own=1, cores=4, settings=REMEMBERS) as (east, west):
            late = (f'if [ "$1" = requeue ]; then setsid sh -c \'sleep {CALL_S + 2}; '
                    f'[ -d "{west.path}" ] && {west.client("scontrol")} "$@"\' late "$@" </dev/null >/dev/null 2>&1 & '
                    f"sleep {2 * CALL_S}; fi\n")
            west.meddle_all({"scontrol": SLOW + late, "squeue": SLOW})
            with SlowSite(east, west, [pool(4, initial_slots=4, reclaim_grace="2s")]) as site, \
                    site.watch_slots() as watch:
                site.start()
                site.wait_for_agents()
                job = west.submit_ordinary("job", "--nodelist=imp-p1")
                wait_until(lambda: west.state(job.id) == "RUNNING", "it is lent")
                site.order("close", "p1@east", "--for", "west", "--reclaim")
                own = [east.submit(1, LONG) for _ in range(4)]
                wait_until(lambda: [east.state(one) for one in own] == ["RUNNING"] * 4, "the slots are back")
                facts = west.facts(job.id)
                self.assertEqual((facts["JobState"], facts["Restarts"]), ("PENDING", "1"))
                wait_until(lambda: [row["fate"] for row in site.ask("history") if row["kind"] == "work-ended"]
                           == ["requeued"], "the history says so")
                self.assertIn("did not end within", site.agents["west"].log(whole=True))
                self.assertEqual([row for row in site.ask("history") if row["kind"] == "agent-lost"], [])
                self.assertEqual(watch.breaches, [])


@unittest.skipUnless(installed(), "Slurm is not installed: scripts/install-packages schedulers")
class AControllerThatIsAway(unittest.TestCase):
    def test_for_longer_than_agents_may_be_silent_moves_nothing(self) -> None:
        """Its agent is heard all the time, and its lease stands."""
        with two_slurm_clusters(own=1, cores=4) as (east, west), \
                SlurmSite(east, west, [pool(4, initial_slots=2)], broker={"agent_timeout": f"{AWAY_S}s"}) as site, \
                site.watch_slots() as watch:
            site.start()
            site.wait_for_agents()
            there = west.submit(2, LONG, "--nodelist=imp-p1")
            wait_until(lambda: west.state(there) == "RUNNING", "west's job runs on p1")
            held = site.held()
            east.stop_controller()
            site.wait_for_lease(reason="degraded")
            # It is asked once in a second at most.
            site.agents["east"].wait_for_log(f"event=workload-failed call=read in_a_row={AWAY_S + 4}")
            self.assertEqual((site.flow("east")["agent"], site.held()), ("degraded", held))
            self.assertEqual(west.state(there), "RUNNING")
            east.start_controller()
            wait_until(east.answers, "it answers again")
            site.wait_for_lease(reason=lambda reason: reason != "degraded")
            self.assertEqual([row for row in site.ask("history") if row["kind"] == "agent-lost"], [])
            west.run("scancel", there)
            own = [east.submit(1, LONG) for _ in range(4)]
            wait_until(lambda: [east.state(one) for one in own] == ["RUNNING"] * 4, "the slots come home")
            self.assertEqual(watch.breaches, [])


@unittest.skipUnless(installed(), "Slurm is not installed: scripts/install-packages schedulers")
class WorkThatWaits(unittest.TestCase):
    @contextlib.contextmanager
    def west_is_full(self, *waiting: str, use_by: str = "3m"):
        """(west, site) once the lease is made; so much work waits from the start, and Slurm says for what."""
        with two_slurm_clusters(own=1, cores=4) as (east, west), \
                SlurmSite(east, west, [pool(4, rule="demand-aware", use_by=use_by)]) as site:
            own = west.submit(1, LONG, "--nodelist=w1")
            wait_until(lambda: west.state(own) == "RUNNING", "west's own host is full")
            for asked in waiting:
                west.submit(1, LONG, asked.format(own=own))
            wait_until(lambda: "None" not in west.run("squeue", "-h", "-t", "PD", "-o", "%r"),
                       "Slurm says why they wait")
            site.start()
            site.wait_for_agents()
            first = west.submit(1, LONG, "--nodelist=imp-p1")
            wait_until(lambda: west.state(first) == "RUNNING", "the lease is made")
            yield west, site

    def test_for_a_time_or_for_other_work_pulls_no_slot(self) -> None:
        with self.west_is_full("--begin=now+1hour", "--dependency=afterok:{own}", use_by="30s") as (_, site):
            # One may still come for the job that made the lease, which waited when it was reported.
            site.wait_for_evaluations(2)
            wait_until(lambda: (site.lease()["moving"], site.lease()["in_transfer"], site.held()) == (0, 0, (3, 1)),
                       "it goes back unused")
            flips = site.lease()["flips"]
            site.wait_for_evaluations(3)
            lease = site.lease()
            self.assertEqual((lease["pending"]["consumer"], lease["flips"], site.held()), (0, flips, (3, 1)))

    def test_as_an_array_pulls_as_many_slots_as_it_has_tasks(self) -> None:
        """Symptom: an array of 50 counted as one."""
        with self.west_is_full() as (west, site):
            west.submit(1, LONG, "--array=1-3")
            site.wait_for_running("west", "imp-p1", 4)
            self.assertEqual(site.held(), (0, 4))

    def test_as_an_array_with_a_limit_pulls_what_may_run_at_once(self) -> None:
        with self.west_is_full() as (west, site):
            west.submit(1, LONG, "--array=1-3%1")
            site.wait_for_running("west", "imp-p1", 2)
            site.wait_for_evaluations(3)
            self.assertEqual(west.running("imp-p1"), 2)


if __name__ == "__main__":
    side_by_side.main(of_places=2)
