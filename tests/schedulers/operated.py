"""Two real Slurm clusters under load while an operator does what operators do: nothing is killed that an operator
would not restart, so that of each job it can be said afterwards what became of it, and why.

    scripts/stress-slurm --acts [--plan] --minutes 15 [--seed S]

Read: both controllers' jobs and /proc (job_watch.py) all the while; at the end every job (job_audit.py). Jobs are
ordinary ones: a shell, a child that computes, one that has memory, arrays, some that may run once, some of two parts.
"""
import random
from collections import Counter
from pathlib import Path

import job_audit
from job_watch import JobWatch
from processes import Timeout, wait_until
from slurm_site import SlurmSite, pool, two_slurm_clusters
from stress_slurm import CORES, HOSTS, WAITING_MOST, Stress, counted

MEMORY_MB = 16000
# Memory goes with the cores, so that hosts may be lent in part; what has ended is known to the end.
SETTINGS = {"SelectTypeParameters": "CR_Core_Memory", "MaxMemPerCPU": str(MEMORY_MB // CORES), "MinJobAge": "36000"}
KINDS = ("shell", "shell", "computes", "memory", "array", "once", "two-parts")
ACTS = ("reload", "drain", "freeze", "observe", "reclaim", "policies", "agent", "controller")
SELECTIVE = """
[scheduling]
selective_reclaim = true
[[session_type]]
session = "job"
"""


def plan(east: int, west: int) -> str:
    """Their shares of what nobody owns."""
    return f"""
[[resource_group]]
name = "compute"
policies = ["pool"]
policy = "share-ratio"
cycle = "1s"
[[consumer]]
path = "/east"
cluster = "east"
share_ratio = {east}
reclaim_grace = "2s"
[[consumer]]
path = "/west"
cluster = "west"
share_ratio = {west}
reclaim_grace = "2s"
"""


def body(kind: str, seconds: int) -> str:
    """Lines of shell whose last command ends with 0, unless it is ended."""
    if kind == "computes":
        return (f"sh -c 'for i in $(seq {2 * seconds}); do j=0; while [ $j -lt 5000 ]; do j=$((j+1)); done; "
                "sleep 0.4; done'")
    if kind == "memory":
        return f"/usr/bin/python3 -IS -c 'import time; kept = b\"x\" * (40 << 20); time.sleep({seconds})'"
    return f"sh -c 'for i in $(seq {4 * seconds}); do sleep 0.25; done'"


class Operated(Stress):
    KINDS = ACTS
    OFTEN = ()

    def __init__(self, site: SlurmSite, dice: random.Random, planned: bool) -> None:
        super().__init__(site, dice)
        self.planned = planned
        self.notes: dict[tuple[str, str], Path] = {}  # by cluster and job, or array: where it writes
        self.cancelled: set[tuple[str, str]] = set()
        self.folder = site.path / "jobs"
        self.folder.mkdir(mode=0o777)

    # Jobs

    def submit(self, name: str) -> None:
        waiting = sum(job.state == "PENDING" for job in self.site.slurm[name].jobs())
        for _ in range(min(4, WAITING_MOST - waiting) if self.busy[name] else 0):
            self.submit_one(name, self.dice.choice(KINDS))

    def submit_one(self, name: str, kind: str) -> None:
        cluster, note = self.site.slurm[name], self.folder / f"{name}-{self.done['jobs']}"
        script = (f"me={note}.${{SLURM_ARRAY_TASK_ID:-0}}\necho started >>$me\n"
                  f"{body(kind, self.dice.randint(1, 20))} && echo finished >>$me")
        slots = self.dice.choice((1, 1, 1, 2, 2, 4))
        memory = f"--mem-per-cpu={self.dice.choice((100, 500, MEMORY_MB // CORES))}"
        self.done["jobs"] += 1
        self.done[f"jobs: {kind}"] += 1
        if kind == "two-parts":
            part = f"#SBATCH --output=/dev/null --ntasks=1 {memory}\n"
            file = note.with_suffix(".sh")
            file.write_text(f"#!/bin/sh\n{part}#SBATCH hetjob\n{part}{script}\n")
            job = cluster.run("sbatch", "--parsable", str(file)).strip().split(";")[0]
        else:
            more = {"array": ["--array=1-3"], "once": ["--no-requeue"]}.get(kind, [])
            job = cluster.submit(slots, script, memory, *more)
        self.notes[name, job] = note

    # Acts

    def happens(self, what: str, now: float) -> bool:
        return getattr(self, f"do_{what}")(now + self.dice.uniform(3, 15)) is not False

    def order(self, *words: str) -> None:
        """One that is refused in the state of that moment is counted."""
        if (told := self.site.ctl(*words)).returncode != 0:
            self.done[f"refused: {words[0]}"] += 1
            print(f"leasectl {' '.join(words)}: {told.returncode}: {told.stdout}{told.stderr}", flush=True)

    def later(self, when: float, *words: str) -> None:
        self.again.append((when, words[0], lambda: self.order(*words)))

    def do_reload(self, _later: float) -> None:
        self.order("reload", "--yes")

    def do_drain(self, later: float) -> None:
        name = self.dice.choice(list(self.site.slurm))
        self.order("drain", name, self.dice.choice(("--provider", "--consumer")), "--reason", "an act")
        self.later(later, "resume", name)

    def do_freeze(self, later: float) -> None:
        self.order("freeze")
        self.later(later, "thaw")

    def do_observe(self, later: float) -> None:
        self.configure("observe")
        self.again.append((later, "lease", lambda: self.configure("lease")))

    def configure(self, mode: str) -> None:
        self.site.settings["mode"] = mode
        self.site.write_broker_config()
        self.order("reload", "--yes")

    def do_reclaim(self, later: float) -> None:
        host = self.dice.choice(HOSTS)
        self.order("close", f"{host}@east", "--for", "west", "--reclaim")
        self.later(later, "open", f"{host}@east", "--for", "west")

    def do_policies(self, _later: float) -> None:
        self.site.policies[0]["slots_per_host"] = self.dice.choice((2, 4, 6))
        if self.planned:
            self.site.more = plan(*self.dice.choice(((1, 1), (3, 1), (1, 3))))
        else:
            self.site.policies[0]["reclaim_grace"] = self.dice.choice(("1s", "3s", "6s"))
        self.site.write_broker_config()
        self.order("reload", "--yes")

    def do_agent(self, later: float) -> bool:
        agent = self.site.agents[self.dice.choice(list(self.site.agents))]
        if not agent.running():
            return False
        if self.dice.random() < 0.5:
            agent.kill9()
        else:
            assert agent.stop() == 0, agent.log()
        self.again.append((later, "agent", agent.start))
        return True

    def do_controller(self, later: float) -> bool:
        """It writes its state: a job that had ended is not forgotten."""
        cluster = self.site.slurm[self.dice.choice(list(self.site.slurm))]
        if not cluster.answers_now():
            return False
        cluster.stop_controller()
        self.again.append((later, "slurmctld", cluster.start_controller))
        return True

    # The end

    def over(self) -> None:
        """Nothing more comes; who waits is cancelled, who runs ends by itself."""
        self.start_again(float("inf"))
        for cluster in self.site.slurm.values():
            wait_until(cluster.answers, f"the controller of {cluster.name} answers")
        self.site.wait_for_agents()
        wait_until(self.nothing_left, "all jobs have ended", every=1.0)

    def nothing_left(self) -> bool:
        for name, cluster in self.site.slurm.items():
            waits = {job for job, facts in job_audit.facts_of(cluster).items() if facts["JobState"] == "PENDING"}
            self.cancelled |= {(name, job) for job in waits}
            if waits:
                cluster.run("scancel", "--state=PENDING", *sorted(waits), check=False)
        return not any(cluster.jobs() for cluster in self.site.slurm.values())

    def wrote(self, name: str, facts: dict[str, str]) -> list[str] | None:
        note = self.notes.get((name, facts.get("ArrayJobId", facts["JobId"])))
        if note is None:  # a second part, or a task that never began
            return None
        file = Path(f"{note}.{facts.get('ArrayTaskId', '0')}")
        return file.read_text().split() if file.exists() else []

    def audit(self) -> job_audit.Audit:
        audit = job_audit.Audit(job_audit.fates_of(self.site.ask("history")), self.cancelled)
        known = {name: job_audit.facts_of(cluster) for name, cluster in self.site.slurm.items()}
        for name, jobs in known.items():
            for facts in jobs.values():
                audit.look(name, facts, self.wrote(name, facts))
        audit.known({(name, job) for name, jobs in known.items() for job in jobs})
        return audit

    def audited(self) -> job_audit.Audit:
        """Once agents have told of all that became of jobs, which they ask after for a minute."""
        audits = []

        def nothing_wrong() -> bool:
            audits.append(self.audit())
            return not audits[-1].wrong
        try:
            wait_until(nothing_wrong, "of each job it is told what became of it", every=2.0)
        except Timeout as error:
            print(error, flush=True)
        return audits[-1]


def site_of(east, west, planned: bool) -> SlurmSite:
    broker = {"reclaim_delay": "3s", "transfer_timeout": "10s"}
    if not planned:
        return SlurmSite(east, west, [pool(6, *HOSTS, reclaim_grace="2s")], broker)
    policy = {"name": "pool", "provider": "east", "hosts": list(HOSTS), "slots_per_host": 6}
    return SlurmSite(east, west, [policy], broker, scheduling=SELECTIVE, more=plan(1, 1))


def run(seconds: float, seed: int, planned: bool) -> int:
    with two_slurm_clusters(hosts=HOSTS, cores=CORES, kill_wait=2, settings=SETTINGS) as (east, west), \
            site_of(east, west, planned) as site:
        site.start()
        site.wait_for_agents()
        load = Operated(site, random.Random(seed), planned)
        with JobWatch(east, west, dict.fromkeys(HOSTS, CORES), MEMORY_MB) as watch:
            load.flood(watch, seconds)
            load.over()
        audit = load.audited()
        used = {name: round(seen.most_used_mb) for name, seen in watch.processes.items()}
        print(f"seed {seed}, {'a plan' if planned else 'leases'}: {watch.told()}, {watch.leased_samples} with leased "
              f"slots in use, {watch.full_samples} with a host full, most in use {watch.most}; by /proc at most "
              f"{watch.most_jobs} jobs there, most MB used by jobs of all hosts {used}")
        print(f"acts: {counted(load.happened)}; {counted(load.done)}\nof jobs: {counted(audit.counts)}; "
              f"fates: {counted(sum(audit.fates.values(), Counter()))}")
        print("\n".join(audit.wrong[:40]))
        print(f"{len(watch.breaches) + len(audit.wrong)} violations", flush=True)
        return 1 if watch.breaches or audit.wrong else 0
