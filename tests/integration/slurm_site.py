"""Two real Slurm clusters on loopback under one broker: east provides, west's slurm.conf has nodes that
stand for east's hosts. Not for simulated clusters (leasehold_site.py)."""
import contextlib
import json
import sys
from pathlib import Path

from configs import Cluster, table
from leasehold_site import Site
from processes import PROGRAMS, run, wait_until
from scenes import LONG_S

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "schedulers"))
from slot_watch import SlotWatch  # noqa: E402
from slurm_clusters import SlurmCluster  # noqa: E402

LONG = f"sleep {LONG_S}"
# Slurm starts a job up to some seconds after its slot is open: evaluated sooner, the slot is idle.
BROKER = {"reclaim_delay": "4s", "leeway": "20s"}


def pool(slots: int, *hosts: str, **more) -> dict:
    return {"name": "pool", "provider": "east", "hosts": list(hosts) or ["p1"],
            "slots_per_host": slots, "distribution": [{"cluster": "west", "shares": 1}],
            "type": "shared", **more}


class SlurmSite(Site):
    """`scheduling`: what stands in west's file besides, how work that must end is chosen. `fence`: of both, or by
    cluster."""

    def __init__(self, east: SlurmCluster, west: SlurmCluster, policies, broker=None,
                 fence="reservation", scheduling="", more="", interrupt_signal="none",
                 tell_users=False) -> None:
        self.slurm = {"east": east, "west": west}
        self.fence = fence if isinstance(fence, dict) else dict.fromkeys(self.slurm, fence)
        self.tell_users = tell_users
        self.signals = {"east": "none", "west": interrupt_signal}
        self.scheduling = {"east": "", "west": scheduling}
        super().__init__({name: Cluster({}) for name in self.slurm}, policies,
                         {**BROKER, **(broker or {})}, more)

    def write_agent_config(self, name: str) -> None:
        settings = {"cluster": name, "broker": self.listen, "state": f"{name}-agent.db",
                    "report_interval": "2s", "tell_users": self.tell_users}
        hosts: dict = {"rule": "imp-{host}"}
        # Nodes that stand open before an agent's first look are named, not guessed by the rule.
        named = {f"{node.removeprefix('imp-')}@east": node for node in self.slurm[name].nodes
                 if node.startswith("imp-")}
        if named:
            hosts["map"] = named
        self.agents[name].config.write_text(
            table("[agent]", settings) + table("[hosts]", hosts)
            + table("[workload]", {"manager": "slurm", "interrupt_signal": self.signals[name]})
            + table("[workload.slurm]", {"conf": str(self.slurm[name].config), "fence": self.fence[name],
                                         "bin_dir": self.slurm[name].bin_dir})
            + self.scheduling[name])

    def probe(self, name: str) -> dict:
        """What `lease-agent --probe` says; its exit status must agree with it."""
        done = run(PROGRAMS / "lease-agent", "--config", self.agents[name].config, "--probe", "--json")
        told = json.loads(done.stdout or "{}")
        lacks = told.get("permissions_lacking", []) + told.get("hosts_lacking", [])
        assert told and done.returncode == bool(lacks), done.stderr
        return told

    def check_ledgers(self) -> None:
        """What is enforced is in the schedulers themselves, not in files that ledgers.py reads."""

    def watch_slots(self) -> SlotWatch:
        east, west = self.slurm["east"], self.slurm["west"]
        leased = {host: cores for host, cores in east.nodes.items() if f"imp-{host}" in west.nodes}
        return SlotWatch(east, west, leased)

    def wait_for_running(self, cluster: str, node: str, cpus: int) -> None:
        wait_until(lambda: self.slurm[cluster].running(node) == cpus,
                   f"{cluster} runs jobs on {cpus} CPUs of {node}", every=0.25)

    def wait_for_fence(self, cluster: str, host: str, slots: int) -> None:
        """By the scheduler's own word: so many CPUs of the host are under a reservation of ours."""
        wait_until(lambda: self.fenced(cluster, host) == slots,
                   f"{slots} slots of {host} are fenced in {cluster}", every=0.25)

    def fenced(self, cluster: str, host: str) -> int:
        text = self.slurm[cluster].run("scontrol", "-o", "show", "reservation")
        cores = [int(line.split(" CoreCnt=")[1].split()[0]) for line in text.splitlines()
                 if line.startswith(f"ReservationName=leasehold-{host}-")]
        return max(cores, default=0)


@contextlib.contextmanager
def two_slurm_clusters(own=2, cores=8, hosts=("p1",), **options):
    """(east, west): the hosts of east, and west's own node w1 beside what stands for them."""
    with SlurmCluster("east", {host: cores for host in hosts}, **options) as east, \
            SlurmCluster("west", {"w1": own, **{f"imp-{host}": cores for host in hosts}},
                         **options) as west:
        yield east, west
