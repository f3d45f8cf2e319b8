"""What must hold at every instant (schema/wire/PROTOCOL.md, "What always holds"),
read from the files of the processes themselves:
the broker's log, each agent's limits, and what each simulated workload manager enforces and runs.

The files are several, so one look is not of one instant. A look counts only if a second one, taken
right after, finds every file unchanged: then all of it was true at once in between.
"""
import contextlib
import itertools
import sqlite3
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

from processes import PROGRAMS, run, wait_until


class Torn(Exception):
    """The files changed while they were read."""


_of_thread = threading.local()


def _connection(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=2)
    connection.row_factory = sqlite3.Row
    return connection


def _inode(path: Path) -> int:
    try:
        return path.stat().st_ino
    except OSError:
        return 0


@contextlib.contextmanager
def kept_open():
    """For the time of a `with`, what this thread asks of a file goes by one connection: to open one costs thirty times
    what a question does."""
    if getattr(_of_thread, "kept", None) is not None:
        yield
        return
    _of_thread.kept = {}
    try:
        yield
    finally:
        for connection in _of_thread.kept.values():
            connection.close()
        _of_thread.kept = None


def rows_of(path: Path, query: str) -> list[dict]:
    kept = getattr(_of_thread, "kept", None)
    if kept is None:
        with contextlib.closing(_connection(path)) as connection:
            return [dict(row) for row in connection.execute(query)]
    key = path, _inode(path)
    if key not in kept:
        kept[key] = _connection(path)
    return [dict(row) for row in kept[key].execute(query)]


LOG_END = "SELECT hex(hash) AS hash FROM log ORDER BY first_event DESC LIMIT 1"
_made: dict[Path, tuple[str, bytes]] = {}  # by database: the hash of the log's end, and the tables


def tables(database: Path) -> bytes:
    """The file of readable tables, exactly as the log is now, also after a kill."""
    ends = rows_of(database, LOG_END)
    kept = _made.get(database)
    if kept and ends and kept[0] == ends[0]["hash"]:
        return kept[1]
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "tables.state"
        answer = run(PROGRAMS / "leasectl", "tables", database, made)
        if answer.returncode != 0:
            raise Torn(answer.stderr)
        (follows,) = rows_of(made, "SELECT upper(hash) AS hash FROM follows")
        _made[database] = follows["hash"], made.read_bytes()
    return _made[database][1]


def table_rows(database: Path, query: str) -> list[dict]:
    """Of the readable tables of a broker's database."""
    connection = sqlite3.connect(":memory:")
    connection.row_factory = sqlite3.Row
    try:
        connection.deserialize(tables(database))
        return [dict(row) for row in connection.execute(query)]
    finally:
        connection.close()


def ledger(database: Path) -> list[dict]:
    return table_rows(database, "SELECT * FROM ledger")


def caps(site: Path, cluster: str) -> dict[str, dict]:
    """By local host name: what the workload manager enforces and what its jobs use."""
    jobs = site / f"{cluster}-jobs.db"
    if not jobs.exists():
        return {}
    ended_ms = lease_ended_for_ms(jobs)
    found, over = {}, set()
    for row in rows_of(jobs, "SELECT host, imported, slots, own, grace_ms FROM cap"):
        ended = row["imported"] and ended_ms is not None
        found[row["host"]] = {"slots": 0 if ended else row["slots"], "own": row["own"], "used": 0}
        if ended and ended_ms >= row["grace_ms"]:
            over.add(row["host"])
    for row in rows_of(jobs, "SELECT host, used FROM host_use"):
        cap = found.setdefault(row["host"], {"slots": None, "own": None, "used": 0})
        cap["used"] = 0 if row["host"] in over else row["used"]
    return found


def lease_ended_for_ms(jobs: Path) -> int | None:
    """For how long its leases have ended by themselves: the workload manager goes on while no agent
    runs, but its file is written only when one opens it again."""
    rows = rows_of(jobs, "SELECT number FROM fact WHERE key = 'lease_until_ms'")
    past = time.clock_gettime_ns(time.CLOCK_BOOTTIME) // 1_000_000 - rows[0]["number"] if rows else -1
    return past if past >= 0 else None


def transfers(database: Path) -> dict[int, int]:
    """Counted by group: slots that went and came back between two looks moved all the same."""
    return {row["generation"]: row["epoch"] for row in table_rows(database, "SELECT generation, epoch FROM slot_group")}


def look(site: Path, database: Path, clusters: list[str]):
    return ledger(database), {name: caps(site, name) for name in clusters}


def twice(look_once, database: Path):
    """What two looks after one another saw alike, with no transfer between."""
    before = transfers(database)
    first = look_once()
    if first != look_once() or transfers(database) != before:
        raise Torn
    return first


def steady_look(site: Path, database: Path, clusters: list[str]):
    try:
        return twice(lambda: look(site, database, clusters), database)
    except sqlite3.OperationalError as error:
        raise Torn from error


def on_exported(cap: dict | None, is_provider: bool, exported: int) -> tuple[int, int]:
    """(enforced, used) of one cluster on the exported slots of one host.

    A host of its own without a cap is all a provider's; an imported host without one is closed.
    """
    cap = cap or {"slots": None, "own": None, "used": 0}
    if cap["slots"] is None:
        return (exported if is_provider else 0), 0 if is_provider else cap["used"]
    return max(0, cap["slots"] - cap["own"]), max(0, cap["used"] - cap["own"])


def offences(rows: list[dict], caps_of: dict[str, dict[str, dict]]) -> list[str]:
    """What is wrong; empty: no slot is twice, none is lost."""
    found, exported, unallocated, held = [], {}, {}, {}
    groups: dict[tuple, list[dict]] = {}
    for row in rows:
        groups.setdefault((row["generation"], row["host"]), []).append(row)
        key = (row["host"], row["cluster"])
        held[key] = held.get(key, 0) + row["held"]
    for (_, host), members in groups.items():
        nobodys = members[0].get("unallocated", 0)
        total = sum(row["held"] for row in members) + members[0]["in_transfer"] + nobodys
        exported[host] = exported.get(host, 0) + members[0]["exported"]
        unallocated[host] = unallocated.get(host, 0) + nobodys
        if total != members[0]["exported"]:
            found.append(f"{host}: held + in transfer + unallocated {total}, "
                         f"exported {members[0]['exported']}")
    for host, slots in exported.items():
        name, provider = host.split("@")
        taken = {}
        for cluster, caps_here in caps_of.items():
            is_provider = cluster == provider
            cap = caps_here.get(name if is_provider else host)
            enforced, used = on_exported(cap, is_provider, slots)
            taken[cluster] = max(enforced, used)
            if enforced > held.get((host, cluster), 0):
                found.append(f"{host}: {cluster} enforces {enforced}, holds "
                             f"{held.get((host, cluster), 0)}")
        if sum(taken.values()) > slots - unallocated[host]:
            nobodys = f", {unallocated[host]} unallocated" if unallocated[host] else ""
            found.append(f"{host}: {slots} exported{nobodys}, enforced or used: {taken}")
    return found


# Kinds of looks.
IN_MOTION = "in motion"
WITH_ALL_STOPPED = "with all stopped"
_TRIES_IN_MOTION = 20


def check(site: Path, database: Path, clusters: list[str], still=contextlib.nullcontext,
          tries_in_motion: int = _TRIES_IN_MOTION) -> str:
    """One steady look, of the kind that is returned; waits for one if the files are being written. `still()`: a
    context in which nobody writes, for a site that does so all the time."""
    tries = itertools.count()

    def looked() -> tuple[list[str], bool]:
        """What the look found that counts, and whether all were stopped for it."""
        try:
            with still() if (stopped := next(tries) >= tries_in_motion) else contextlib.nullcontext():
                return offences(*steady_look(site, database, clusters)), stopped
        except Torn as torn:
            raise LookupError(f"they change: {torn}") from None
    with kept_open():
        wrong, stopped = wait_until(looked, "the ledgers stand still", every=0.01)
    assert not wrong, "\n".join(wrong)
    return WITH_ALL_STOPPED if stopped else IN_MOTION


def watch(site: Path, database: Path, clusters: list[str], seconds: float,
          still=contextlib.nullcontext) -> Counter:
    """Looks again and again, for so long and until one look counted; how many did, by kind."""
    with kept_open():
        return _watch(site, database, clusters, time.monotonic() + seconds, still)


def _watch(site: Path, database: Path, clusters: list[str], deadline: float, still) -> Counter:
    looks: Counter = Counter()
    while time.monotonic() < deadline:
        try:
            wrong = offences(*steady_look(site, database, clusters))
        except Torn:
            continue
        assert not wrong, "\n".join(wrong)
        looks[IN_MOTION] += 1
        time.sleep(0.02)
    if not looks:
        looks[check(site, database, clusters, still, tries_in_motion=0)] += 1
    return looks
