#!/usr/bin/python3
"""How long a newcomer takes from `apt install` to the first flip between two real Slurm clusters: the
commands of broker/guide/beside-slurm.md, word for word, in two fresh Debian roots with their own systemd,
Slurm and munge, and the seconds of each. What people take to read and to type is not in it.

    tests/packages/first_flip.py FOLDER

As root; FOLDER holds the packages (scripts/packages). The root is made by debootstrap, once, in the
build folder. The two roots share this machine's network: ports 7440 to 7442 of loopback must be free."""
import json
import subprocess
import sys
import time
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path += [str(TESTS / "schedulers"), str(TESTS / "integration")]
import debian_root
import page_commands
from booted import Booted, Failed
from ports import Claim
from slurm_clusters import CONFIG

PAGE = TESTS.parent / "broker/guide/beside-slurm.md"
PACKAGES = ["systemd", "systemd-sysv", "dbus", "ca-certificates", "slurm-wlm", "slurm-client", "munge"]
NODES = {"east": {"p1": 8}, "west": {"w1": 2, "imp-p1": 8}}
SLURM = "/var/lib/slurm-site"


def slurm_conf(name: str, ports: list[int]) -> str:
    text = CONFIG.format(name=name, machine=name, port=ports[0], path=SLURM, user="slurm", kill_wait=2)
    text = text.replace("SlurmdUser=slurm", "SlurmdUser=root")
    text += "SelectType=select/cons_tres\nSelectTypeParameters=CR_CPU\n"
    for (node, cores), port in zip(NODES[name].items(), ports[1:], strict=False):
        state = "DRAIN Reason=leasehold" if node.startswith("imp-") else "UNKNOWN"  # as the page says
        text += (f"NodeName={node} NodeHostname={name} NodeAddr=127.0.0.1 Port={port} CPUs={cores} "
                 f"Boards=1 SocketsPerBoard=1 CoresPerSocket={cores} ThreadsPerCore=1 "
                 f"RealMemory=16000 State={state}\n")
    return text + "PartitionName=batch Nodes=ALL Default=YES MaxTime=INFINITE State=UP\n"


def slurm_runs(machine: Booted, name: str, ports: list[int]) -> None:
    """What is there before a newcomer comes: a cluster, and sudo."""
    machine.run("apt-get -q update && apt-get -q install -y --no-install-recommends sudo")
    machine.run(f"hostname {name}; echo '127.0.0.1 localhost {name}' > /etc/hosts")
    machine.run(f"mkdir -p {SLURM}/state /etc/slurm; touch {SLURM}/plugstack.conf")
    for node in NODES[name]:
        machine.run(f"mkdir -p {SLURM}/spool-{node}")
    machine.write("/etc/slurm/cgroup.conf", "CgroupPlugin=cgroup/v1")  # none is used; nor looked for
    machine.run(f"chown slurm {SLURM} {SLURM}/state")
    machine.write("/etc/slurm/slurm.conf", slurm_conf(name, ports))
    machine.run("systemctl restart munge && systemctl restart slurmctld")
    for node in NODES[name]:
        machine.run(f"systemd-run -q --unit=slurmd-{node} slurmd -D -N {node}")
    own = next(iter(NODES[name]))
    machine.wait_until(lambda: machine.run(f"sinfo -h -n {own} -o %T", check=False).strip() == "idle",
                       f"Slurm of {name} runs")


class Clock:
    def __init__(self) -> None:
        self.began = time.monotonic()
        self.last = self.began

    def said(self, what: str) -> None:
        now = time.monotonic()
        print(f"{now - self.last:6.1f} s  {what}", flush=True)
        self.last = now

    def total(self, what: str) -> None:
        print(f"{time.monotonic() - self.began:6.1f} s  in all: {what}", flush=True)


def rows(machine: Booted, words: str) -> list[dict]:
    return json.loads(machine.run(f"leasectl {words} --json", check=False) or "[]")


def heard(machine: Booted) -> bool:
    clusters = rows(machine, "clusters")
    return bool(clusters) and all(row["agent"] == "up" for row in clusters)


def follow(machines: dict[str, Booted], clock: Clock) -> None:
    east, west = machines["east"], machines["west"]
    section = "The broker"
    for each in page_commands.typed(PAGE):
        if each.section != section:
            between(section, east, west, clock)
            section = each.section
        command = each.command
        if each.machine == "west":
            command = command.replace('cluster = "east"', 'cluster = "west"')
        machines[each.machine].run(f"cd /packages\n{command}")
        clock.said(f"{each.machine}: {each.number} {command.splitlines()[0][:70]}")
    for _ in range(10):
        west.run("sbatch --ntasks=1 --output=/dev/null --wrap 'sleep 300'")
    clock.said("west: sbatch, ten times")
    east.wait_until(lambda: any(row["kind"] == "flip" for row in rows(east, "history")), "slots flip")
    clock.said("the first flip")
    clock.total("from the first command to the first flip")
    west.wait_until(lambda: west.run("squeue -h -t R -w imp-p1 | wc -l").strip() == "6", "jobs run")
    clock.said("six jobs of west run on east's p1")


def between(section: str, east: Booted, west: Booted, clock: Clock) -> None:
    if section.startswith("An agent"):
        east.wait_until(lambda: heard(east), "both agents are heard")
        clock.said("both agents are heard")
        closed = "scontrol -o show reservation | grep -q leasehold-imp-p1-"
        west.wait_until(lambda: west.works(closed), "west's agent has closed imp-p1")
        clock.said("west's agent has closed imp-p1")
    elif section == "Look":
        clock.total("from the first command to the first lease seen")


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    packages = Path(sys.argv[1]).resolve()
    claims = {name: Claim() for name in NODES}
    try:
        root = debian_root.root_with("slurm-systemd", "bookworm", PACKAGES)
        with Booted(root, packages) as east, Booted(root, packages) as west:
            machines = {"east": east, "west": west}
            for name, machine in machines.items():
                slurm_runs(machine, name, claims[name].ports)
            follow(machines, Clock())
    except (Failed, debian_root.NoSuchRoot, OSError, subprocess.CalledProcessError) as error:
        print(f"first_flip: {error}", file=sys.stderr)
        return 1
    finally:
        for claim in claims.values():
            claim.release()
    return 0


if __name__ == "__main__":
    sys.exit(main())
