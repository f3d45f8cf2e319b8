"""What the processes' files say of every limit, at one instant: schema/wire/PROTOCOL.md, "No slot twice".

Beside what ../integration/ledgers.py looks at (slots per host over all groups), per group, host and
member: enforced by the workload manager <= limit durable at the agent <= held in the ledger.
"""
import sqlite3
import time
from collections import Counter
from pathlib import Path

import paths  # noqa: F401
import ledgers
from ledgers import Torn, rows_of, table_rows

HELD = """SELECT h.generation, h.host, c.name AS cluster, h.held FROM holding h
          JOIN member m ON m.generation = h.generation AND m.number = h.member
          JOIN cluster c ON c.number = m.cluster"""


def limits_of(site: Path, cluster: str) -> dict[tuple, int]:
    """By group and position of the host: what the agent has on disk."""
    path = site / f"{cluster}-agent.db"
    if not path.exists():
        return {}
    return {(row["generation"], row["host"]): row["slots_limit"]
            for row in rows_of(path, "SELECT generation, host, slots_limit FROM host_limit")}


def enforced_of(site: Path, cluster: str) -> dict[tuple, int]:
    """By group and position of the host: what the workload manager was told to enforce."""
    path = site / f"{cluster}-jobs.db"
    if not path.exists():
        return {}
    query = """SELECT p.generation, p.position, min(p.slots_limit, c.slots - c.own) AS slots
               FROM cap_part p JOIN cap c ON c.host = p.host"""
    return {(row["generation"], row["position"]): row["slots"] for row in rows_of(path, query)}


def look(site: Path, database: Path, clusters: list[str]):
    held = {(row["generation"], row["host"], row["cluster"]): row["held"]
            for row in table_rows(database, HELD)}
    return (ledgers.look(site, database, clusters), held,
            {name: limits_of(site, name) for name in clusters},
            {name: enforced_of(site, name) for name in clusters})


def steady_look(site: Path, database: Path, clusters: list[str]):
    try:
        return ledgers.twice(lambda: look(site, database, clusters), database)
    except sqlite3.OperationalError as error:
        if "no such column" in str(error):  # a schema not known here; a table may not be made yet
            raise
        raise Torn from error


def offences(seen, trusted: bool) -> list[str]:
    """What is wrong. Not trusted: a file was lost or put back from an earlier copy, and the agents and
    the broker have not agreed yet; then only what is enforced and used on a host counts."""
    (rows, caps), held, limits, enforced = seen
    found = ledgers.offences(rows, caps)
    if not trusted:
        return [offence for offence in found if "enforced or used" in offence]
    for cluster, of_cluster in limits.items():
        for (generation, host), limit in of_cluster.items():
            here = f"group {generation}, host {host}, {cluster}"
            most = held.get((generation, host, cluster))
            if most is not None and limit > most:
                found.append(f"{here}: limit {limit}, held {most}")
    for cluster, of_cluster in enforced.items():
        for (generation, host), slots in of_cluster.items():
            limit = limits[cluster].get((generation, host), 0)
            if slots > limit:
                found.append(f"group {generation}, host {host}, {cluster}: enforced {slots}, "
                             f"limit {limit}")
    return found


class Watcher:
    """Looks at the files of a site and keeps count."""

    def __init__(self, site: Path, database: Path, clusters: list[str], still) -> None:
        """`still()`: a context in which no process of the site runs."""
        self.where = (site, database, clusters)
        self.still = still
        self.trusted = True
        self.looks: Counter = Counter()  # by kind

    def look_once(self, kind: str = ledgers.IN_MOTION) -> bool:
        """False: the files were being written. An AssertionError: what is wrong."""
        try:
            with ledgers.kept_open():
                seen = steady_look(*self.where)
        except Torn:
            return False
        wrong = offences(seen, self.trusted)
        assert not wrong, "\n".join(wrong)
        self.looks[kind] += 1
        return True

    def watch(self, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            self.look_once()
            time.sleep(0.02)

    def check(self) -> bool:
        """One look that counts; if the files are written again and again everyone is stopped for it."""
        for _ in range(20):
            if self.look_once():
                return True
            time.sleep(0.005)
        return self.check_with_all_stopped()

    def check_with_all_stopped(self) -> bool:
        with self.still():
            assert self.look_once(ledgers.WITH_ALL_STOPPED), "the files of stopped processes change"
        return True

    def told(self) -> str:
        """Looks by kind; an AssertionError where one kind never counted."""
        kinds = (ledgers.IN_MOTION, ledgers.WITH_ALL_STOPPED)
        assert all(self.looks[kind] for kind in kinds), f"looks counted: {dict(self.looks)}"
        return ", ".join(f"{self.looks[kind]} looks {kind}" for kind in kinds)
