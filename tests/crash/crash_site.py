"""The site that crashes: three clusters under load whose leases flip all the time, the copies of its
databases that were made on the way, and the question whether all is well again."""
import datetime
import random
import shutil
import time
from pathlib import Path

import paths  # noqa: F401
from calamities import copy_away
from configs import POOL, Cluster
from leasehold_site import Site
from limits import Watcher
from processes import PROGRAMS, Daemon, run, wait_until


def utc_now() -> str:
    """As the broker prints it."""
    return datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="milliseconds")[:-6] + "Z"


def bursts(busy: float, seed: int) -> dict:
    return {"generator": "bursts", "busy": busy, "period": "2s", "widths": [1, 2],
            "run_time": "300ms", "seed": seed}


def policy(name: str, provider: str, hosts: list[str], slots: int, consumer: str, **more) -> dict:
    return {**POOL, "name": name, "provider": provider, "hosts": hosts, "slots_per_host": slots,
            "distribution": [{"cluster": consumer, "shares": 1}], **more}


class CrashSite(Site):
    AGENT_TIMEOUT_S = 1.5

    def __init__(self, seed: int) -> None:
        clusters = {"east": Cluster({"big1": 4, "big2": 4, "big3": 3},
                                    workload=bursts(0.5, seed)),
                    "west": Cluster({"small1": 2}, workload=bursts(1.5, seed + 1)),
                    "north": Cluster({"n1": 2, "n2": 1}, workload=bursts(1.2, seed + 2))}
        policies = [policy("pool", "east", ["big1", "big2"], 2, "west"),
                    policy("side", "east", ["big3"], 2, "north"),
                    policy("back", "north", ["n1"], 1, "east", type="exclusive")]
        super().__init__(clusters, policies, verify=False, broker={
            "reclaim_delay": "300ms", "transfer_timeout": "1s",
            "agent_timeout": f"{int(self.AGENT_TIMEOUT_S * 1000)}ms"},
            more='[retention]\nage = "1h"\nsize_mb = 16\n')
        self.watcher = Watcher(self.path, self.database, list(clusters), self.still)
        self.round = 0
        self.copies: list[tuple[int, Path]] = []
        self.databases_put_back = 0
        self.longest_until_well = 0.0
        self.second: list[Daemon] = []

    def daemon(self, who: str) -> Daemon:
        return self.broker if who == "broker" else self.agents[who]

    def another_agent(self, who: str, config: Path) -> Daemon:
        self.second.append(Daemon("lease-agent", f"second agent of {who}", config))
        return self.second[-1]

    def kill_all(self) -> None:
        for daemon in [*self.everyone(), *getattr(self, "second", [])]:
            daemon.kill9()

    def start_in_random_order(self, chance: random.Random) -> None:
        down = [daemon for daemon in self.everyone() if not daemon.running()]
        for daemon in chance.sample(down, len(down)):
            daemon.start()
            self.watcher.watch(chance.choice((0, 0, 0.02, 0.2)))

    # Copies

    def keep_copy(self, chance: random.Random) -> None:
        """A copy of every database, each made while its process is stopped."""
        target = self.path / f"copy-{self.round}"
        target.mkdir()
        for name in ["leasehold.db", *(f"{who}-agent.db" for who in self.agents)]:
            owner = self.broker if name == "leasehold.db" else self.agents[name.split("-")[0]]
            with owner.stopped():
                copy_away(self.path / name, target)
        self.copies.append((self.round, target))
        if len(self.copies) > 4:
            shutil.rmtree(self.copies.pop(chance.randrange(4))[1])

    def put_back(self, name: str, chance: random.Random) -> int:
        """Puts a database back from one of the copies. How many rounds it is old; 0: there is none."""
        if not self.copies:
            return 0
        made_in, source = chance.choice(self.copies)
        for suffix in ("", "-wal", "-shm", "-journal"):
            (self.path / (name + suffix)).unlink(missing_ok=True)
        for each in source.glob(name + "*"):
            shutil.copy2(each, self.path / each.name)
        return self.round - made_in + 1

    # What must be so

    def distrust(self) -> None:
        """A file does not say any more what was agreed; it will again once all is well."""
        self.watcher.trusted = False

    def wait_until_well(self) -> float:
        """Every agent is up and every lease is active, and all agree. Seconds that it took."""
        began, since = time.monotonic(), utc_now()
        active: set[str] = set()
        self.ended_by_itself()

        def well():
            heard = {row["cluster"] for row in self.ask("clusters")
                     if row["agent"] == "up" and (row["last_report"] or "") > since}
            heard -= {name for name, agent in self.agents.items()
                      if "event=connected" not in agent.log()}
            assert heard == set(self.clusters), f"agents heard since then: {sorted(heard)}"
            rows = self.ask("leases")
            active.update(row["id"] for row in rows if row["phase"] == "active")
            missing = {row["id"] for row in rows} - active
            assert rows and not missing, f"not active: {missing or 'no lease at all'}"
            return True
        try:
            wait_until(well, "every lease is active again")
        finally:
            self.ended_by_itself()
        self.agree()
        took = time.monotonic() - began
        self.longest_until_well = max(self.longest_until_well, took)
        return took

    def agree(self) -> None:
        """After a file was lost or is an older one: until the strict look finds nothing."""
        if not self.watcher.trusted:
            self.watcher.trusted = True
            wait_until(self.watcher.check, "the strict look finds nothing", every=0.05)

    def ended_by_itself(self) -> None:
        for daemon in self.everyone():
            assert daemon.running(), \
                f"{daemon.name} ended with {daemon.process.returncode}:\n{daemon.log()[-3000:]}"

    def verify(self) -> None:
        answer = run(PROGRAMS / "leasectl", "replay", self.database, "--verify")
        assert answer.returncode == 0, f"replay --verify: {answer.stdout}{answer.stderr}"
