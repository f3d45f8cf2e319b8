"""A site of many agents: half of them export, half of them borrow, and their work comes in waves of
all phases, so that leases flip the whole time. Each export policy leases one host to each consumer."""
import os
import signal
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[2] / folder)
                for folder in ("integration", "crash")]
from configs import Cluster
from http_site import with_http
from ledgers import table_rows
from leasehold_site import Site
import limits
from processes import Daemon, wait_until

SLOTS_OF_A_HOST = 2
OWN_SLOTS = 4  # of a consumer


def wave(busy: float, slots: int, period_s: float, place: float, seed: int) -> dict:
    """Work for `busy` slots in the mean, from none to twice as many; `place`: where it begins."""
    return {"generator": "wave", "busy": round(busy / slots, 3), "period": f"{int(period_s * 1000)}ms",
            "phase": f"{int(place % 1 * period_s * 1000)}ms",
            "run_time": f"{max(2, int(period_s * 100))}ms", "seed": seed}


def policies_of(provider: str, leases: int, consumers: list[str], first: int) -> list[dict]:
    """As many policies as it takes to have so many leases: one with each consumer, a host each."""
    found = []
    while leases > 0:
        part = [consumers[(first + place) % len(consumers)]
                for place in range(min(leases, len(consumers)))]
        name = f"{provider}-{len(found)}"
        found.append({"name": name, "provider": provider, "by_host": True, "type": "shared",
                      "hosts": [f"{name}-h{number}" for number in range(len(part))],
                      "slots_per_host": SLOTS_OF_A_HOST,
                      "distribution": [{"cluster": consumer} for consumer in part]})
        leases -= len(part)
        first += len(part)
    return found


class Fleet(Site):
    """A site with `leases` leases among `agents` agents."""

    def __init__(self, asked) -> None:
        providers = [f"p{number:03}" for number in range(asked.agents // 2)]
        consumers = [f"c{number:03}" for number in range(asked.agents - len(providers))]
        share, rest = divmod(asked.leases, len(providers))
        policies: list[dict] = []
        clusters: dict[str, Cluster] = {}
        period_s = asked.period
        interval = {"report_interval": f"{int(asked.report * 1000)}ms"}
        for number, name in enumerate(providers):
            mine = policies_of(name, share + (number < rest), consumers, number * share)
            hosts = {host: SLOTS_OF_A_HOST for policy in mine for host in policy["hosts"]}
            slots = SLOTS_OF_A_HOST * len(hosts)
            clusters[name] = Cluster(hosts, agent=interval, workload=wave(
                0.5 * slots, slots, period_s, number / len(providers), number))
            policies += mine
        for number, name in enumerate(consumers):
            imported = SLOTS_OF_A_HOST * asked.leases / len(consumers)
            clusters[name] = Cluster({f"{name}-own": OWN_SLOTS}, agent=interval, workload=wave(
                0.5 * imported + OWN_SLOTS, OWN_SLOTS, period_s, number / len(consumers), 1000 + number))
        self.leases = asked.leases
        self.exported = SLOTS_OF_A_HOST * asked.leases
        self.timeout_s = max(8.0, 6 * asked.report)  # above the agents' heartbeats
        super().__init__(clusters, policies, verify=False, broker={
            "reclaim_delay": f"{int(asked.delay * 1000)}ms",
            "agent_timeout": f"{int(self.timeout_s * 1000)}ms", "transfer_timeout": "30s"})
        with_http(self)
        for agent in self.agents.values():  # beside the broker they have the machine's spare time
            agent.limits = lambda: os.nice(asked.nice)

    def still(self):
        return Still(self.everyone())

    def offences(self) -> list[str]:
        """Of processes that stand still: one look is of one instant."""
        return limits.offences(limits.look(self.path, self.database, list(self.clusters)), trusted=True)

    def finish(self) -> None:
        """All agents are told at once: one after the other they take minutes."""
        for agent in self.agents.values():
            if agent.running():
                agent.signal(signal.SIGTERM)
        super().finish()

    def none_ended(self, killed: list[Daemon]) -> None:
        for daemon in self.everyone():
            assert daemon in killed or daemon.running(), \
                f"{daemon.name} ended with {daemon.process.returncode}:\n{daemon.log()[-3000:]}"

    def complain(self) -> None:
        """Of so many the broker's log alone; an agent that ended has been named."""
        print(f"---- log of the broker\n{self.broker.log()[-4000:]}", file=sys.stderr, flush=True)

    def rows(self) -> dict[str, int]:
        """Sums of the ledger, over all leases."""
        (found,) = table_rows(self.database, """
            SELECT sum(held) + (SELECT sum(in_transfer) FROM (SELECT DISTINCT generation, host,
                                                              in_transfer FROM ledger)) AS slots,
                   (SELECT sum(in_transfer) FROM (SELECT DISTINCT generation, host, in_transfer
                                                  FROM ledger)) AS in_transfer,
                   sum(CASE WHEN cluster LIKE 'c%' THEN held ELSE 0 END) AS held_by_consumers
            FROM ledger""")
        return found


class Still:
    """Nobody runs while this lasts: all are told to stop before one is waited for."""

    def __init__(self, daemons: list[Daemon]) -> None:
        self.daemons = [daemon for daemon in daemons if daemon.running()]

    def __enter__(self) -> "Still":
        for daemon in self.daemons:
            daemon.signal(signal.SIGSTOP)
        for daemon in self.daemons:
            wait_until(daemon.is_stopped, f"{daemon.name} stops", every=0.001)
        return self

    def __exit__(self, *_) -> None:
        for daemon in self.daemons:
            daemon.signal(signal.SIGCONT)
