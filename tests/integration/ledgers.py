"""What must hold at every instant (architecture 3), read from the files of the processes themselves:
the broker's database, each agent's limits, and what each simulated workload manager enforces and runs.

The files are several, so one look is not of one instant. A look counts only if a second one, taken
right after, finds every file unchanged: then all of it was true at once in between.
"""
import sqlite3
import time
from pathlib import Path


class Torn(Exception):
    """The files changed while they were read."""


def _rows(path: Path, query: str) -> list[dict]:
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=2)
    connection.row_factory = sqlite3.Row
    try:
        return [dict(row) for row in connection.execute(query)]
    finally:
        connection.close()


def ledger(database: Path) -> list[dict]:
    return _rows(database, "SELECT * FROM ledger")


def caps(site: Path, cluster: str) -> list[dict]:
    """Per host of a cluster with a cap: host, imported, slots, own, used."""
    jobs = site / f"{cluster}-jobs.db"
    return _rows(jobs, CAPS) if jobs.exists() else []


CAPS = "SELECT host, imported, slots, own, used FROM cap_use"


def look(site: Path, database: Path, clusters: list[str]):
    return ledger(database), {name: caps(site, name) for name in clusters}


def steady_look(site: Path, database: Path, clusters: list[str]):
    try:
        first = look(site, database, clusters)
        if first != look(site, database, clusters):
            raise Torn
        return first
    except sqlite3.OperationalError as error:
        raise Torn from error


def offences(rows: list[dict], cap_rows: dict[str, list[dict]]) -> list[str]:
    found = []
    hosts: dict[tuple, list[dict]] = {}
    for row in rows:
        hosts.setdefault((row["generation"], row["host"]), []).append(row)
    exported: dict[str, int] = {}
    for (_, host), members in hosts.items():
        total = sum(row["held"] for row in members) + members[0]["in_transfer"]
        exported[host] = exported.get(host, 0) + members[0]["exported"]
        if total != members[0]["exported"]:
            found.append(f"{host}: held + in transfer = {total}, exported {members[0]['exported']}")
    for host, slots in exported.items():
        taken = {name: _taken(name, host, caps_) for name, caps_ in cap_rows.items()}
        if sum(taken.values()) > slots:
            found.append(f"{host}: {slots} exported, enforced or used: {taken}")
        for name, (enforced, _) in ((n, _parts(n, host, c)) for n, c in cap_rows.items()):
            held = sum(row["held"] for row in rows if row["host"] == host and row["cluster"] == name)
            if enforced > held:
                found.append(f"{host}: {name} enforces {enforced}, holds {held}")
    return found
