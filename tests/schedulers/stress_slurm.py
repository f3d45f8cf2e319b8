"""Two real Slurm clusters flooded with jobs of 1 to 8 slots while agents, the broker and the controllers are
killed at random, work is reclaimed and queues run dry: sampled from both schedulers' own lists of jobs, never
more slots are in use on a leased host than it has.

    scripts/stress-slurm --minutes 10 [--seed S]      --seconds T for a short run
    scripts/stress-slurm --slurm 24.11 --minutes 10   of that version, after its integration tests
    scripts/stress-slurm --acts [--plan] --minutes 15  an operator's acts, no kills: every job is accounted for
    scripts/stress-slurm --whole-nodes                scenes with whole hosts, and no flood
    scripts/stress-slurm --accounting                 with slurmdbd, associations, QOS and limits
"""
import argparse
import random
import re
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "integration"))
from processes import LAST_BOUND_S, Timeout, say_where_threads_wait  # noqa: E402
import skipped  # noqa: E402
import slurm_root  # noqa: E402
from slot_watch import Watch  # noqa: E402
from slurm_programs import SlurmPrograms  # noqa: E402
from slurm_site import SlurmSite, pool, two_slurm_clusters  # noqa: E402

HOSTS = ("p1", "p2")
CORES = 8
WAITING_MOST = 12
SAMPLES_AT_LEAST = 100
KILLS = ("agent", "broker", "slurmctld", "reclaim")
# These integration tests run on another version, too: slurm_test.py, slurm_reclaim_test.py …
SUITES = ("", "_reclaim", "_parts", "_power", "_owner", "_slow", "_imported")
TELL_EVERY_S = 60
DRAINED = re.compile(r"Duplicate jobid on nodes (\w+), set to state DRAIN")


def counted(counts: Counter) -> str:
    return ", ".join(f"{what}: {count}" for what, count in sorted(counts.items()))


class Stress:
    KINDS = KILLS
    OFTEN = ("agent", "slurmctld")  # twice as often as the others

    def __init__(self, site: SlurmSite, dice: random.Random) -> None:
        self.site = site
        self.dice = dice
        self.done = Counter()
        self.again: list[tuple[float, str, object]] = []  # what to start when
        self.busy = {name: True for name in site.slurm}
        self.turn_at = 0.0
        self.kill_at = time.monotonic() + 8
        self.kills_until = float("inf")
        self.kinds_to_come = dice.sample(self.KINDS, len(self.KINDS))  # each once, and then at random
        self.happened = Counter()
        self.drains_seen = Counter()  # by cluster

    def flood(self, watch: Watch, seconds: float) -> None:
        """For so long and until each kind of kill has happened, and then without kills until enough was seen for the
        run to mean something: it says each minute what it waits for, and it ends once a daemon has ended by itself,
        which leaves nothing to wait for."""
        began = told = time.monotonic()
        self.kills_until = began + seconds
        while (waits_for := self.waits_for(watch)) and not self.ended():
            self.step()
            time.sleep(0.3)
            if (now := time.monotonic()) > told + TELL_EVERY_S:
                told = now
                print(f"{now - began:.0f} s, until {waits_for}: {watch.told()}, {counted(self.happened)}; "
                      f"{counted(self.done)}", flush=True)
            if now > began + seconds + LAST_BOUND_S:
                raise Timeout(f"in vain for {now - began:.0f} s: {waits_for}; {self.leases()}")
        self.start_again(float("inf"))

    def waits_for(self, watch: Watch) -> str:
        """Empty: for nothing more."""
        if time.monotonic() < self.kills_until:
            return "the time is over"
        if never := [kind for kind in self.KINDS if not self.happened[kind]]:
            return f"there was a kill of each kind, also {', '.join(never)}"
        if watch.samples < SAMPLES_AT_LEAST:
            return f"there are {SAMPLES_AT_LEAST} samples"
        if not watch.leased_samples:
            return "leased slots were seen in use"
        return "" if watch.full_samples else "a host was seen full"

    def ended(self) -> list[str]:
        """Daemons that ended by themselves."""
        return [daemon.name for daemon in self.site.everyone() if daemon.ended()]

    def leases(self) -> str:
        answers = [self.site.ctl(*words) for words in (("leases",), ("hosts",), ("attention",))]
        return "".join(f"\n{answer.stdout}{answer.stderr}" for answer in answers)

    def step(self) -> None:
        now = time.monotonic()
        self.start_again(now)
        self.restart_controllers(now)
        if now >= self.turn_at:
            self.turn_at = now + self.dice.uniform(10, 25)
            self.busy = {name: self.dice.random() < 0.6 for name in self.busy}
        for name, cluster in self.site.slurm.items():
            if cluster.answers_now():
                self.attempt("submit", lambda name=name: self.submit(name))
                self.attempt("resume", lambda name=name: self.resume_drained(name))
        if self.kill_at <= now and (now < self.kills_until or not all(self.happened[kind] for kind in self.KINDS)):
            self.calamity(now)

    def attempt(self, what: str, action) -> None:
        """A client whose controller is killed meanwhile fails, and that is no finding."""
        try:
            action()
        except (AssertionError, Timeout):
            self.done[f"{what} failed"] += 1

    def submit(self, name: str) -> None:
        cluster = self.site.slurm[name]
        jobs = cluster.jobs()
        waiting = sum(job.state == "PENDING" for job in jobs)
        running = [job for job in jobs if job.state == "RUNNING"]
        if running and self.dice.random() < 0.1:
            cluster.run("scancel", self.dice.choice(running).id)
            self.done["cancelled"] += 1
        if not self.busy[name]:
            if waiting:
                cluster.run("scancel", "--state=PENDING", "--user=root", check=False)
            return
        for _ in range(min(4, WAITING_MOST - waiting)):
            slots = self.dice.choice((1, 1, 1, 2, 2, 3, 4, 8))
            stubborn = "trap '' TERM; " if self.dice.random() < 0.1 else ""
            script = f"{stubborn}for i in $(seq {self.dice.randint(2, 90)}); do sleep 0.2; done"
            wide = 2 if slots > 1 and self.dice.random() < 0.2 else 1
            cluster.submit(slots, script, nodes=wide)
            self.done["jobs"] += 1

    def resume_drained(self, name: str) -> None:
        """As an administrator does. A controller that is killed before it has saved its jobs gives their numbers
        again, and drains each node on which a job of such a number still runs."""
        cluster = self.site.slurm[name]
        nodes = DRAINED.findall(cluster.said())
        for node in sorted(set(nodes[self.drains_seen[name]:])):
            cluster.run("scontrol", "update", f"NodeName={node}", "State=RESUME")
            self.done["drained by Slurm and resumed"] += 1
        self.drains_seen[name] = len(nodes)

    def calamity(self, now: float) -> None:
        """The next one, once it can happen."""
        if not self.kinds_to_come:
            self.kinds_to_come.append(self.dice.choice((*self.KINDS, *self.OFTEN)))
        if self.happens(self.kinds_to_come[-1], now):
            self.happened[self.kinds_to_come.pop()] += 1
            # A short run has one of each kind.
            self.kill_at = now + (self.dice.uniform(5, 25) if not self.kinds_to_come else self.dice.uniform(3, 8))

    def happens(self, what: str, now: float) -> bool:
        name = self.dice.choice(list(self.site.slurm))
        later = now + self.dice.choice((0.1, 0.5, 2, 5))
        if what == "agent" and self.site.agents[name].running():
            self.site.agents[name].kill9()
            self.again.append((later, "agent", self.site.agents[name].start))
        elif what == "broker" and self.site.broker.running():
            self.site.broker.kill9()
            self.again.append((later, "broker", self.site.broker.start))
        elif what == "slurmctld" and self.site.slurm[name].answers_now():
            self.site.slurm[name].kill_controller()
            self.again.append((later, "slurmctld", self.site.slurm[name].start_controller))
        elif what == "reclaim" and self.site.broker.running():
            self.reclaim(now)
        else:
            return False
        return True

    def reclaim(self, now: float) -> None:
        """Taken back from the consumer, and lent again some seconds later."""
        host = self.dice.choice(HOSTS)
        self.site.ctl("close", f"{host}@east", "--for", "west", "--reclaim")
        self.again.append((now + self.dice.uniform(5, 15), "open", lambda: self.open(host)))

    def open(self, host: str) -> None:
        """Again later, where the broker is away: a host that stays closed is never lent again."""
        if not self.site.broker.running() or self.site.ctl("open", f"{host}@east", "--for", "west").returncode != 0:
            self.again.append((time.monotonic() + 1, "open", lambda: self.open(host)))

    def restart_controllers(self, now: float) -> None:
        """As systemd does with one that ends when it starts: without a controller nothing more would be seen."""
        to_come = [start for _, _, start in self.again]
        for name, cluster in self.site.slurm.items():
            if cluster.answers_now() or cluster.start_controller in to_come:
                continue
            self.done["slurmctld ended by itself"] += 1
            print(f"slurmctld of {name} ended by itself: {cluster.said()[-1500:]}", flush=True)
            self.again.append((now + 1, "slurmctld", cluster.start_controller))

    def start_again(self, now: float) -> None:
        """What is due by then; daemons first, which the rest asks."""
        due = [entry for entry in self.again if entry[0] <= now]
        for entry in sorted(due, key=lambda entry: entry[1] == "open"):
            self.again.remove(entry)
            entry[2]()


def run(seconds: float, seed: int) -> int:
    with two_slurm_clusters(hosts=HOSTS, cores=CORES, kill_wait=2) as (east, west), \
            SlurmSite(east, west, [pool(6, *HOSTS, reclaim_grace="1s")],
                      {"reclaim_delay": "3s", "transfer_timeout": "1m"}) as site:
        site.verify_at_end = False
        site.start()
        site.wait_for_agents()  # before its first look west's nodes stand open for p1 and p2
        stress = Stress(site, random.Random(seed))
        say_where_threads_wait(seconds + LAST_BOUND_S)
        with site.watch_slots() as watch:
            stress.flood(watch, seconds)
        ended = stress.ended()
        for daemon in site.agents.values():
            text = daemon.log(whole=True)
            stress.done["fences made anew"] += text.count("event=fence-restored")
            stress.done["restarts noticed"] += text.count("event=slurm-controller-restarted")
        print(f"seed {seed}: {watch.samples} samples, {watch.leased_samples} with leased slots in use, "
              f"{watch.full_samples} with a host full, most in use {watch.most}; "
              f"{counted(stress.happened)}; {counted(stress.done)}")
        print("\n".join(watch.breaches[:20]))
        print(f"{len(watch.breaches)} violations")
        if ended:
            print(f"ended by themselves: {', '.join(ended)}")
            site.complain()
        site.kill_all()
        for daemon in [site.broker, *site.agents.values()]:
            daemon.judged = True
        return 0 if not watch.breaches and not ended else 1


def scenes(kind: str) -> int:
    """Those of slurm_sites_test.py that are named so."""
    tests = Path(__file__).resolve().parent / "slurm_sites_test.py"
    return subprocess.run([sys.executable, "-B", tests, kind], check=False).returncode


def of_another(version: str, more: list[str]) -> int:
    """The integration tests, and then the flood, beside that version's programs."""
    tests = Path(__file__).resolve().parents[1] / "integration"
    try:
        root = slurm_root.root_of(version)
        suites = [[str(tests / f"slurm{part}_test.py")] for part in SUITES]
        for command in [*suites, [__file__, *more]]:
            status = slurm_root.enter(root, [sys.executable, "-B", *command])
            if status != 0:
                return status
    except (slurm_root.NoSuchSlurm, OSError, subprocess.CalledProcessError) as error:
        print(f"stress-slurm: {error}", file=sys.stderr)
        return 1
    return 0


def main() -> int:
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("--minutes", type=float, default=10)
    words.add_argument("--seconds", type=float, help="instead of --minutes")
    words.add_argument("--seed", type=int, default=None)
    words.add_argument("--slurm", choices=sorted(slurm_root.SUITES),
                       help="this version, fetched by debootstrap, not the one that is installed")
    words.add_argument("--acts", action="store_true", help="what an operator does, in place of kills")
    words.add_argument("--plan", action="store_true", help="with --acts: slots go by a plan, not by leases")
    words.add_argument("--whole-nodes", action="store_true", help="scenes with whole hosts")
    words.add_argument("--accounting", action="store_true",
                       help="scenes with slurmdbd and MariaDB; installs both")
    given = words.parse_args()
    if given.slurm and (given.whole_nodes or given.accounting or given.acts):
        words.error("--acts, --whole-nodes and --accounting are of the Slurm that is installed")
    if given.plan and not given.acts:
        words.error("--plan is of --acts")
    if given.accounting:
        subprocess.run([Path(__file__).resolve().parents[2] / "scripts/install-packages",
                        "slurm-accounting"], check=True)
    kinds = ["WholeNodes"] * given.whole_nodes + ["Accounting"] * given.accounting
    if kinds:
        return max(scenes(kind) for kind in kinds)
    seed = given.seed if given.seed is not None else random.SystemRandom().randrange(1 << 30)
    seconds = given.seconds or given.minutes * 60
    if given.slurm:
        return of_another(given.slurm, ["--seconds", str(seconds), "--seed", str(seed)])
    slurm = SlurmPrograms.chosen()
    if not slurm.installed():
        skipped.all_of_it("flood", "Slurm is not installed: scripts/install-packages schedulers")
        return 77
    print(f"Slurm {slurm.version()}")
    if given.acts:
        import operated  # which builds on this module
        return operated.run(seconds, seed, given.plan)
    return run(seconds, seed)


if __name__ == "__main__":
    sys.exit(main())
