"""Configuration files of a test site, as TOML, and the traces that its clusters run."""
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple


class Job(NamedTuple):
    """Seconds of a test's own time (simulated clusters run at speed 1)."""
    submit: float
    run: float
    slots: int = 1


@dataclass
class Cluster:
    """A simulated cluster: its hosts with their slots, and its jobs or a generator's settings."""
    hosts: dict[str, int]
    jobs: list[Job] = field(default_factory=list)
    workload: dict = field(default_factory=dict)
    agent: dict = field(default_factory=dict)


# An agent is lost, and a transfer fails, in tests that are about that; on no slow machine in others.
BROKER = {"name": "test", "http": "", "reclaim_delay": "1s", "agent_timeout": "3m",
          "transfer_timeout": "3m", "leeway": "2s"}
POOL = {"name": "pool", "provider": "east", "hosts": ["big1"], "slots_per_host": 4,
        "distribution": [{"cluster": "west", "shares": 1}], "type": "shared"}


def value(item) -> str:
    if isinstance(item, dict):
        return "{ " + ", ".join(f"{json.dumps(key)} = {value(each)}"
                                for key, each in item.items()) + " }"
    if isinstance(item, (list, tuple)):
        return "[" + ", ".join(value(each) for each in item) + "]"
    return json.dumps(item)


def table(header: str, items: dict) -> str:
    return header + "\n" + "".join(f"{key} = {value(item)}\n" for key, item in items.items()) + "\n"


def with_rule(policy: dict) -> dict:
    """LSF's rule where a test names none: `attention` is about a rule that nobody chose."""
    return {"rule": "idle-comparison"} | policy if policy.get("type") == "shared" else policy


def broker_toml(listen: str, control: str, broker: dict, clusters, policies, more: str) -> str:
    settings = {**BROKER, "listen": listen, "control": control, "database": "leasehold.db", **broker}
    return (table("[broker]", settings)
            + "".join(table("[[cluster]]", {"name": name}) for name in clusters)
            + "".join(table("[[export_policy]]", with_rule(policy)) for policy in policies) + more)


def agent_toml(name: str, broker: str, cluster: Cluster, trace: Path) -> str:
    settings = {"cluster": name, "broker": broker, "state": f"{name}-agent.db",
                "report_interval": "100ms", **cluster.agent}
    workload = {"state": f"{name}-jobs.db", "speed": 1, "seed": 1,
                "hosts": [{"name": host, "slots": slots, "type": "LINUX64"}
                          for host, slots in cluster.hosts.items()]}
    if not cluster.workload:
        workload["trace"] = trace.name
    workload.update(cluster.workload)
    return (table("[agent]", settings) + table("[workload]", {"manager": "simulated"})
            + table("[workload.simulated]", workload))


def swf(jobs: list[Job]) -> str:
    """Standard Workload Format. The first job of a trace is its time 0: a job of 1 ms, if need be."""
    lines = ["; a test's trace"]
    anchor = [] if any(job.submit == 0 for job in jobs) else [Job(0, 0.001)]
    for number, job in enumerate(sorted([*anchor, *jobs]), 1):
        submit, run = (f"{seconds:g}" for seconds in (job.submit, job.run))
        fields = [number, submit, -1, run, job.slots] + [-1] * 13
        lines.append(" ".join(str(each) for each in fields))
    return "\n".join(lines) + "\n"
