"""A whole site on loopback for a test: one broker and an agent with a simulated workload manager for
each cluster, in a temporary directory of their own. Not a fixture of any one test.

    with Site({"east": Cluster({"big1": 8}, jobs), "west": Cluster({"small1": 1}, jobs)}) as site:
        site.start()
        site.wait_for_lease("pool:west", phase="active")

However a test ends, every process is ended by its id. A test that ends well has its ledgers looked at
once more, its history replayed and verified, and its directory removed.
"""
import contextlib
import json
import shutil
import sys
import tempfile
from collections import Counter
from pathlib import Path

import ledgers
import places
from configs import POOL, Cluster, agent_toml, broker_toml, swf
from questions import Questions
from ports import Claim
from processes import PROGRAMS, Daemon, run, wait_until

ASKED_OFTEN = {"leases", "clusters", "hosts", "history", "consumers", "groups", "attention", "status"}


def question(words: tuple) -> dict | None:
    """What tests look at again and again, as the control endpoint is asked for it; None: only leasectl asks that."""
    match words:
        case ("history", "--lease", lease):
            return {"command": "history", "lease": lease}
        case ("lease" | "explain" as command, subject):
            return {"command": command, "lease": subject}
        case (command,) if command in ASKED_OFTEN:
            return {"command": command}
    return None


class Site:
    def __init__(self, clusters: dict[str, Cluster], policies=(POOL,), broker=None, more="",
                 verify=True) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="leasehold-"))
        self.claim = Claim()
        self.listen, self.control = (f"tcp://127.0.0.1:{port}" for port in self.claim.ports[:2])
        self.clusters = clusters
        self.policies = [dict(policy) for policy in policies]
        self.settings = dict(broker or {})
        self.more = more
        self.verify_at_end = verify
        self.looks: Counter = Counter()  # at the ledgers, by kind
        self.questions = Questions()
        self.broker = Daemon("lease-broker", "broker", self.path / "broker.toml")
        self.agents = {name: Daemon("lease-agent", f"agent of {name}", self.path / f"{name}.toml")
                       for name in clusters}
        self.database = self.path / "leasehold.db"
        self.write_broker_config()
        for name in clusters:
            self.write_agent_config(name)

    def __enter__(self) -> "Site":
        self.place = contextlib.ExitStack()
        self.place.enter_context(places.one())
        return self

    def __exit__(self, kind, error, trace) -> None:
        try:
            if kind is None:
                self.finish()
            else:
                self.complain()
        except AssertionError:
            self.complain()
            raise
        finally:
            self.kill_all()
            self.questions.close()
            self.claim.release()
            shutil.rmtree(self.path, ignore_errors=True)
            self.place.close()

    # Files

    def write_broker_config(self) -> None:
        self.broker.config.write_text(broker_toml(self.listen, self.control, self.settings,
                                                  self.clusters, self.policies, self.more))

    def write_agent_config(self, name: str) -> None:
        cluster = self.clusters[name]
        trace = self.path / f"{name}.swf"
        trace.write_text(swf(cluster.jobs))
        (self.path / f"{name}.toml").write_text(agent_toml(name, self.listen, cluster, trace))

    # Processes

    def start(self, broker_options=(), agent_options=None) -> None:
        self.start_broker(*broker_options)
        for name, agent in self.agents.items():
            agent.start(*(agent_options or {}).get(name, ()))

    def start_broker(self, *options: str) -> None:
        self.broker.start(*options)
        wait_until(lambda: self.answers() or not self.broker.running(), "the broker answers")
        assert self.broker.running(), f"the broker ended:\n{self.broker.log()}"

    def answers(self) -> bool:
        return self.questions.ask(self.control, {"command": "leases"}, self.keys()) is not None

    def kill_all(self) -> None:
        for daemon in [self.broker, *self.agents.values()]:
            daemon.kill9()

    def finish(self) -> None:
        """SIGTERM for all that run: clean exits; then the ledgers and the proof by replay."""
        for daemon in [*self.agents.values(), self.broker]:
            if daemon.judged:
                continue
            status = daemon.stop()
            assert status == 0, f"{daemon.name} ended with {status}:\n{daemon.log()}"
        if self.verify_at_end:
            self.check_ledgers()
            self.verify()

    def complain(self) -> None:
        logs = [f"---- log of {daemon.name}\n{daemon.log(whole=True)[-4000:]}"
                for daemon in [self.broker, *self.agents.values()]]
        print("\n".join(logs), file=sys.stderr, flush=True)

    # Questions

    def keys(self) -> tuple | None:
        """(public, secret, the broker's public) of who asks, where a broker wants them."""

    def ctl(self, *words: str):
        """leasectl against this site's broker."""
        return run(PROGRAMS / "leasectl", *patient(words, self.broker), "--broker", self.control)

    def order(self, *words: str) -> str:
        """leasectl that must succeed; what it printed. Nothing can be evaluated while a report on the last order is on
        its way: such a rebalance is given again."""
        answers = []

        def answered() -> bool:
            answers[:] = [self.ctl(*words)]
            return words[0] != "rebalance" or not answers[0].stderr.startswith("leasectl: report-missing")
        wait_until(answered, f"reports, for leasectl {' '.join(words)}")
        answer = answers[0]
        assert answer.returncode == 0, f"leasectl {' '.join(words)}: {answer.returncode}\n" \
            f"{answer.stdout}{answer.stderr}"
        return answer.stdout

    def ask(self, *words: str):
        """What leasectl prints with --json. Tables that tests look at again and again come by one connection that
        stays, without a program for each look; where nothing comes that way, leasectl says why."""
        rows = None
        if asked := question(words):
            rows = self.questions.ask(self.control, asked, self.keys())
        if rows is not None:
            return rows
        # These two exit with 1 where somebody is needed.
        needs = words in (("attention",), ("status",))
        return json.loads(self.ctl(*words, "--json").stdout if needs else self.order(*words, "--json"))

    def lease(self, lease: str = "pool:west") -> dict:
        return _first(self.ask("leases"), id=lease)

    def held(self, lease: str = "pool:west") -> tuple[int, int]:
        """Slots that the ledger gives to provider and consumer, on all hosts, up or not."""
        hosts = self.ask("lease", lease)["hosts"]
        return (sum(host["provider_slots"] for host in hosts),
                sum(host["consumer_slots"] for host in hosts))

    def wait_for_held(self, provider: int, consumer: int) -> None:
        wait_until(lambda: self.held() == (provider, consumer),
                   f"held: provider {provider}, consumer {consumer}")

    def flow(self, cluster: str, **wanted) -> dict:
        """The first row of `leasectl clusters` of this cluster with these values."""
        return _first(self.ask("clusters"), cluster=cluster, **wanted)

    def host(self, name: str, cluster: str = "east") -> dict:
        return _first(self.ask("hosts"), host=name, cluster=cluster)

    def drained(self, cluster: str) -> list[dict]:
        """Rows of `leasectl clusters` in the direction that an operator drains."""
        return [row for row in self.ask("clusters") if row["cluster"] == cluster and row["draining"]]

    def history(self, *kinds: str, lease: str = "pool:west") -> list[dict]:
        return [row for row in self.ask("history", "--lease", lease)
                if not kinds or row["kind"] in kinds]

    def flips(self) -> int:
        """Of the lease, as its row counts them: of a history that grows all of it would be asked."""
        return sum(row["flips"] for row in self.ask("leases") if row["id"] == "pool:west")

    def wait_for_lease(self, lease: str = "pool:west", **wanted) -> dict:
        """Waits until the row of the lease has these values; dots reach inside: consumer_slots__used."""
        def matches():
            row = self.lease(lease)
            seen = {key: _inside(row, key) for key in wanted}
            assert all(want(seen[key]) if callable(want) else seen[key] == want
                       for key, want in wanted.items()), f"it is {seen}"
            return row
        return wait_until(matches, f"lease {lease} with {list(wanted)}")

    def wait_for_evaluations(self, number: int, lease: str = "pool:west") -> None:
        """So many more, of this lease."""
        for _ in range(number):
            due = self.lease(lease)["next_evaluation"]
            wait_until(lambda due=due: self.lease(lease)["next_evaluation"] != due,
                       f"lease {lease} is evaluated")

    def wait_for_agents(self) -> None:
        def all_up():
            return {row["cluster"] for row in self.ask("clusters") if row["agent"] == "up"} \
                == set(self.clusters)
        wait_until(all_up, "every agent is up")

    def wait_for_new_sessions(self) -> None:
        """Every agent's hello has been answered in its present life, and it has reported since."""
        for name, agent in self.agents.items():
            agent.wait_for_log("event=connected")
            line = next(line for line in reversed(agent.log().splitlines())
                        if "event=connected" in line)
            connected = line.split()[0].removeprefix("time=")
            wait_until(lambda: (self.flow(name)["last_report"] or "") > connected,
                       f"{name} reports")

    # What must hold

    def everyone(self) -> list[Daemon]:
        return [self.broker, *self.agents.values()]

    @contextlib.contextmanager
    def still(self):
        """Nobody runs while this lasts. A process that is stopped already stays so."""
        with contextlib.ExitStack() as stopped:
            for daemon in self.everyone():
                if daemon.running() and not daemon.is_stopped():
                    stopped.enter_context(daemon.stopped())
            yield

    def check_ledgers(self, **how) -> None:
        self.looks[ledgers.check(self.path, self.database, list(self.clusters), self.still, **how)] += 1

    def watch(self, seconds: float) -> int:
        """Looks at the ledgers again and again for so long, and until one look counted; how many did."""
        counted = ledgers.watch(self.path, self.database, list(self.clusters), seconds, self.still)
        self.looks += counted
        return counted.total()

    def watch_until(self, condition, what: str, seconds: float = 0.2) -> None:
        """Looks at the ledgers until the condition holds, which is asked every so many seconds; what is wrong in
        them ends it."""
        wrong = []

        def looked():
            try:
                self.watch(seconds)
            except AssertionError as error:  # which in a condition means "not yet"
                wrong.append(error)
            return wrong or condition()
        wait_until(looked, what, every=0)
        if wrong:
            raise wrong[0]

    def verify(self) -> str:
        answer = run(PROGRAMS / "leasectl", "replay", self.database, "--verify")
        assert answer.returncode == 0, f"replay --verify: {answer.stdout}{answer.stderr}"
        return answer.stdout


def patient(words, broker: Daemon) -> tuple:
    """leasectl's own bound on time is the last one of tests, where a broker is there to answer."""
    if "--timeout" in words or not broker.running() or broker.is_stopped():
        return words
    return (*words, "--timeout", "30m")


def _first(rows: list[dict], **wanted) -> dict:
    for row in rows:
        if all(row[key] == want for key, want in wanted.items()):
            return row
    raise LookupError(f"no row with {wanted} among {rows}")


def _inside(row: dict, key: str):
    for part in key.split("__"):
        row = row[part]
    return row
