"""A watch that also reads /proc: which jobs' processes run on a leased host, for whichever of two Slurm clusters, and
what cores and memory each was given there, by its own environment.

No word of a controller is in that: a job that a controller has forgotten still has its processes.
"""
import os
import re
from pathlib import Path
from typing import NamedTuple

from slot_watch import Looks, SlotWatch

_PAGE_MB = os.sysconf("SC_PAGE_SIZE") / (1 << 20)
_OF_A_GROUP = re.compile(r"_HET_GROUP_0$")


class Given(NamedTuple):
    """What a process' job has on its node."""
    cpus: int
    memory_mb: int


def environment(process: Path) -> dict[str, str]:
    """Of a heterogeneous job the variables are those of the component that runs its script."""
    pairs = (row.split(b"=", 1) for row in (process / "environ").read_bytes().split(b"\0") if b"=" in row)
    return {_OF_A_GROUP.sub("", name.decode(errors="replace")): value.decode(errors="replace")
            for name, value in pairs}


def given(job: dict[str, str]) -> Given:
    cpus = int(job.get("SLURM_CPUS_ON_NODE", "1"))
    of_each = int(job.get("SLURM_MEM_PER_CPU", "0"))
    return Given(cpus, of_each * cpus or int(job.get("SLURM_MEM_PER_NODE", "0")))


class Processes:
    """Of jobs of one cluster on this machine."""

    def __init__(self, config: Path) -> None:
        self._mark = f"SLURM_CONF={config}".encode()
        self._config = str(config)
        self.most_used_mb = 0.0  # by the processes of all its jobs, as they were seen

    def seen(self) -> dict[tuple[str, str, int, str], Given]:
        """By node, job, process and when that began, which tells it from a later one of its number."""
        found, used_mb = {}, 0.0
        for process in Path("/proc").iterdir():
            if not process.name.isdigit():
                continue
            try:
                if self._mark not in (process / "environ").read_bytes():
                    continue
                job = environment(process)
                if job.get("SLURM_CONF") != self._config or not {"SLURM_JOB_ID", "SLURMD_NODENAME"} <= set(job):
                    continue
                name, _, rest = (process / "stat").read_text().rpartition(") ")
                state, *fields = rest.split()
                used_mb += int((process / "statm").read_text().split()[1]) * _PAGE_MB
            except (OSError, IndexError):  # it has ended
                continue
            # A shell that is ended may leave a sleep that it had just begun; Slurm knows nothing of that.
            if state not in "ZX" and not name.endswith("(sleep"):
                found[job["SLURMD_NODENAME"], job["SLURM_JOB_ID"], int(process.name), fields[18]] = given(job)
        self.most_used_mb = max(self.most_used_mb, used_mb)
        return found


def of_node(processes: dict, node: str) -> dict[str, Given]:
    """By job; all processes of one have the same."""
    return {job: what for (where, job, *_), what in processes.items() if where == node}


class JobWatch(SlotWatch):
    """Two Slurm clusters, by both controllers and by /proc. `memory_mb`: of each host."""

    def __init__(self, east, west, hosts: dict[str, int], memory_mb: int) -> None:
        super().__init__(east, west, hosts)
        self.memory_mb = memory_mb
        self.processes = {"east": Processes(east.config), "west": Processes(west.config)}
        self.most_jobs = 0  # at once on leased hosts
        self.kinds = (*self.kinds, Looks("processes", self.processes["east"].seen, self.processes["west"].seen))

    def judge(self, kind: Looks, ours: dict, theirs: dict) -> None:
        if kind.name != "processes":
            super().judge(kind, ours, theirs)
            return
        jobs = 0
        for host, cores in self.hosts.items():
            here, there = of_node(ours, host), of_node(theirs, f"imp-{host}")
            together = [*here.values(), *there.values()]
            jobs += len(together)
            if sum(what.cpus for what in together) > cores or sum(what.memory_mb for what in together) > self.memory_mb:
                self.breaches.append(f"/proc: {host} of {cores} cores and {self.memory_mb} MB: {here} and {there}")
        self.most_jobs = max(self.most_jobs, jobs)
