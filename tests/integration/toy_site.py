"""A site whose clusters are run by agent/workload/command/example.py: the toy scheduler in a JSON file
for each, which the tests read and write under its lock."""
import contextlib
import fcntl
import json
import os
from pathlib import Path

from configs import table
from leasehold_site import Site
from processes import ROOT
from standing import Standing

EXAMPLE = ROOT / "agent/workload/command/example.py"
PYTHON = ["/usr/bin/python3", "-IS"]
PROGRAM = [*PYTHON, str(EXAMPLE)]


class ToySite(Site):
    """`clusters`: by name, hosts with their slots. west knows east's hosts as big1@east."""

    broker_settings: dict = {}
    standing = True  # a child of one Python answers each question (standing.py)

    def __init__(self, clusters: dict, imported: dict, **settings) -> None:
        self.imported = imported
        super().__init__(clusters, verify=False, broker=self.broker_settings, **settings)
        for name, hosts in clusters.items():
            (self.path / f"{name}.json").write_text(json.dumps(
                {"hosts": hosts, "imported": imported.get(name, []), "down": [], "caps": {},
                 "jobs": [], "done": []}))

    def __enter__(self) -> "ToySite":
        super().__enter__()
        self.stands = contextlib.ExitStack()
        if self.standing:
            self.stands.enter_context(Standing(self.stands_for(), self.names()))
        return self

    def __exit__(self, *error: object) -> None:
        try:
            super().__exit__(*error)
        finally:
            self.stands.close()

    def stands_for(self) -> Path:
        """What agents start."""
        return EXAMPLE

    def names(self) -> list[Path]:
        """As they call it."""
        return [self.path / "program"]

    def program(self) -> list[str]:
        return [str(name) for name in self.names()] if self.standing else PROGRAM

    def write_agent_config(self, name: str) -> None:
        agent = {"cluster": name, "broker": self.listen, "state": f"{name}-agent.db",
                 "report_interval": "1s"}
        (self.path / f"{name}.toml").write_text(
            table("[agent]", agent) + table("[workload]", {"manager": "command"})
            + table("[workload.command]", {"argv": [*self.program(), f"{self.path}/{name}.json"]}))

    def state(self, name: str) -> Path:
        return self.path / f"{name}.json"

    @contextlib.contextmanager
    def toy(self, name: str):
        """The state of a cluster's scheduler, to look at and to change."""
        path = self.state(name)
        with open(f"{path}.lock", "w", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            state = json.loads(path.read_text())
            before = json.dumps(state)
            yield state
            if json.dumps(state) != before:
                (self.path / "new").write_text(json.dumps(state))
                os.replace(self.path / "new", path)

    def submit(self, name: str, *jobs: tuple[str, float]) -> None:
        with self.toy(name) as state:
            state["jobs"] += [self.new_job(job, run_s) for job, run_s in jobs]

    def new_job(self, job: str, run_s: float) -> dict:
        return {"id": job, "slots": 1, "run_s": run_s, "host": None, "started": None}

    def end_all(self, name: str) -> None:
        with self.toy(name) as state:
            state["jobs"] = []

    def job(self, name: str, job: str) -> dict:
        with self.toy(name) as state:
            return next(row for row in state["jobs"] if row["id"] == job)

    def used(self, name: str, host: str) -> int:
        with self.toy(name) as state:
            return sum(job["slots"] for job in state["jobs"] if job["host"] == host)

    def caps(self, name: str) -> dict[str, int]:
        with self.toy(name) as state:
            return state["caps"]

    def never_twice(self, provider: str, consumer: str, host: str, own: int, slots: int) -> None:
        """Of the leased slots of a host, no more are open or in use on both sides than there are."""
        with self.toy(provider) as ours, self.toy(consumer) as theirs:
            def taken(state, name, all_of_it, kept):
                used = sum(job["slots"] for job in state["jobs"] if job["host"] == name)
                return max(0, max(state["caps"].get(name, all_of_it), used) - kept)
            total = taken(ours, host, own + slots, own) \
                + taken(theirs, f"{host}@{provider}", 0, 0)
            assert total <= slots, f"{total} of {slots} slots: {ours} {theirs}"
