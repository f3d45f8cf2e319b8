"""Work that was ended in vain in a simulated run: counted from its history.

A reclaim ended work if slots that it asked for came at the end of the grace or later. It did so in vain if
none of the claimant's work then started on the hosts on which slots came: not when they came, and not within
USE_BY_S of the last of them, when the rule itself gives them up and lets the work wait off.
"""
import datetime
import json
import tempfile
from pathlib import Path
from typing import NamedTuple

import study

RECLAIMS = ("provider-first", "reclaim-quota", "reclaim-share", "reclaim-owned")  # not what returns as work ends
USE_BY_S = 60
LOOKS_S = (0, 10, 30, USE_BY_S)  # after the last slots: a plan hands them over in its next cycle
ROWS_MOST = 100_000              # of leasectl history


class Reclaim(NamedTuple):
    lease: str
    side: str            # of the claimant, in the answer of `leasectl lease`
    came_ms: list[int]


class Rows(NamedTuple):
    slots: dict[str, int]  # by host, of one side
    used: dict[str, int]


def ms_of(time: str) -> int:
    return round(datetime.datetime.fromisoformat(time.replace("Z", "+00:00")).timestamp() * 1000)


def time_of(ms: int) -> str:
    at = datetime.datetime.fromtimestamp(ms // 1000, datetime.timezone.utc)
    return f"{at:%Y-%m-%dT%H:%M:%S}.{ms % 1000:03}Z"


def that_ended_work(history: list[dict], provider: str, late_ms: int) -> list[Reclaim]:
    """`late_ms`: from the ask on, to when slots come whose work the grace's end has ended."""
    asked, came = {}, {}
    for row in history:
        transfer = row["numbers"].get("transfer")
        if row["kind"] == "transfer-started" and row["to"] and row["reason"] in RECLAIMS:
            asked[transfer] = row
        elif row["kind"] == "transfer-released" and transfer in asked:
            came.setdefault(transfer, []).append(ms_of(row["time"]))
    reclaims = []
    for transfer, times in came.items():
        row = asked[transfer]
        of_plan = ":/" in row["lease"]
        side = "provider" if row["to"] == provider and not of_plan else "consumer"
        if times[-1] - ms_of(row["time"]) >= late_ms:
            reclaims.append(Reclaim(row["lease"], side, times))
    return reclaims


class History:
    def __init__(self, database: Path):
        self.database = database

    def asked(self, *words: str):
        return study.answer_of("leasectl", "--db", str(self.database), *words, "--json")

    def rows(self, reclaim: Reclaim, at_ms: int) -> Rows:
        hosts = self.asked("lease", reclaim.lease, "--at", time_of(at_ms))["hosts"]
        return Rows({one["host"]: one[f"{reclaim.side}_slots"] for one in hosts},
                    {one["host"]: one[f"{reclaim.side}_used"] for one in hosts})

    def in_vain(self, reclaim: Reclaim) -> bool:
        """Each look is beside the instant before the first slots came."""
        before = self.rows(reclaim, reclaim.came_ms[0] - 1)
        last = reclaim.came_ms[-1]
        came = set()
        for at_ms in [*reclaim.came_ms[:-1], *(last + 1000 * look for look in LOOKS_S)]:
            now = self.rows(reclaim, at_ms)
            came |= {host for host, slots in now.slots.items() if slots > before.slots[host]}
            if any(now.used[host] > before.used[host] for host in came):
                return False
        return True


def evenly(reclaims: list[Reclaim], most: int) -> list[Reclaim]:
    """At most so many, over the whole run."""
    if len(reclaims) <= most:
        return reclaims
    return [reclaims[i * len(reclaims) // most] for i in range(most)]


def counted(text: str, late_ms: int, most: int) -> dict:
    """Of one run of the scenario, with the traces as they are, under the last rule that it compares."""
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder) / "run.db"
        outcome = study.asked_of_leasectl(text, "--database", str(database))[-1]
        history = History(database)
        rows = history.asked("history", "--limit", str(ROWS_MOST))
        assert len(rows) < ROWS_MOST, "older rows of the history are missing"
        reclaims = that_ended_work(rows, "provider", late_ms)
        looked_at = evenly(reclaims, most)
        return {"runs_ended": outcome["jobs_requeued"], "reclaims": len(reclaims), "looked_at": len(looked_at),
                "in_vain": sum(map(history.in_vain, looked_at))}


def cell(found: dict) -> str:
    return f"{found['in_vain']} of {found['looked_at']}" if found["looked_at"] else "none ended"


def summary(all_found: list[dict]) -> str:
    vain, looked_at = (sum(one[key] for one in all_found) for key in ("in_vain", "looked_at"))
    return (f"of {looked_at} reclaims that ended work {vain} did so in vain, in "
            f"{sum(one['in_vain'] > 0 for one in all_found)} of {len(all_found)} scenarios")
