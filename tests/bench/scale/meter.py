"""What a running site costs: the broker's processor, memory and files, its own metrics, and how long
others wait for its answers. Reads /proc and /metrics; judges nothing."""
import os
import re
import time
from collections import Counter
from pathlib import Path

from http_visitor import Visitor
from processes import PROGRAMS, run

TICKS = os.sysconf("SC_CLK_TCK")
SERIES = re.compile(r"^(\w+)(?:\{(.*)\})? ([-+.\w]+)$", re.MULTILINE)
HISTOGRAMS = {"evaluation": "leasehold_evaluation_duration_seconds",
              "commit": "leasehold_commit_duration_seconds"}
COUNTERS = ["leasehold_flips_total", "leasehold_flipped_slots_total", "leasehold_commits_failed_total",
            "leasehold_transfers_failed_total", "leasehold_alarms_total",
            "leasehold_agent_messages_total"]


def processor_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def memory_mb(pid: int, what: str = "VmRSS") -> float:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(what + ":"):
            return int(line.split()[1]) / 1024
    return 0.0


def size_mb(*paths: Path) -> float:
    return sum(path.stat().st_size for path in paths if path.exists()) / 1e6


def timed_ms(call) -> tuple[float, object]:
    begun = time.monotonic()
    value = call()
    return (time.monotonic() - begun) * 1000, value


class Metrics:
    """One answer of /metrics: sums over labels, and buckets of histograms."""

    def __init__(self, text: str) -> None:
        self.sums: Counter = Counter()
        self.buckets: Counter = Counter()
        for name, labels, value in SERIES.findall(text):
            if name.endswith("_bucket"):
                bound = re.search(r'le="([^"]+)"', labels)[1]
                self.buckets[name.removesuffix("_bucket"), float(bound)] = float(value)
            else:
                self.sums[name] += float(value)


class Growth:
    """Counters of a broker that is started again and again: what each life added, summed."""

    def __init__(self) -> None:
        self.total: Counter = Counter()
        self._before: Counter = Counter()

    def new_life(self) -> None:
        self._before = Counter()

    def take(self, now: dict) -> None:
        for key, value in now.items():
            self.total[key] += value - self._before[key]
        self._before = Counter(now)


class Meter:
    def __init__(self, site) -> None:
        self.site = site
        self.visitor = Visitor(site.http)
        self.growth = Growth()
        self.processor = Growth()  # of the broker, and of all agents together

    def new_broker(self) -> None:
        self.growth.new_life()
        self.processor.new_life()

    def count(self) -> Metrics:
        """Takes the counters; also before the broker is killed."""
        text = self.visitor.get("/metrics").body.decode()
        metrics = Metrics(text)
        wanted = {name: metrics.sums[name] for name in COUNTERS}
        for name in HISTOGRAMS.values():
            wanted |= {f"{name}{end}": metrics.sums[f"{name}{end}"] for end in ("_sum", "_count")}
            wanted |= {key: value for key, value in metrics.buckets.items() if key[0] == name}
        self.growth.take(wanted)
        self.processor.take({"broker": processor_s(self.site.broker.pid)})
        return metrics

    def flips(self) -> int:
        return int(self.growth.total["leasehold_flips_total"])

    def asked(self) -> dict[str, float]:
        """Milliseconds that each question takes, with what it costs to start leasectl."""
        site = self.site
        command = [PROGRAMS / "leasectl", "leases", "--broker", site.control, "--timeout", "60s"]
        found = {}
        found["leasectl_leases_ms"], answer = timed_ms(lambda: run(*command))
        assert answer.returncode == 0, f"leasectl leases: {answer.stderr}"
        rows = len(answer.stdout.partition("\n\n")[0].splitlines()) - 1  # below stands what needs a person
        assert rows == site.leases, f"leasectl leases: {rows} rows, {site.leases} leases"
        for name, path in {"page_ms": "/", "api_leases_ms": "/api/v1/leases",
                           "api_page_of_leases_ms": "/api/v1/leases?limit=1000",
                           "api_status_ms": "/api/v1/status"}.items():
            found[name], got = timed_ms(lambda path=path: self.visitor.get(path))
            assert got.status == 200, f"GET {path}: {got.status} {got.body[:200]!r}"
        return found

    def agents_processor_s(self) -> dict[int, float]:
        return {agent.pid: processor_s(agent.pid) for agent in self.site.agents.values()
                if agent.running()}

    def files(self) -> dict[str, float]:
        database = self.site.database
        def beside(end: str) -> Path:
            return database.with_name(database.name + end)
        return {"log_mb": size_mb(database), "wal_mb": size_mb(beside("-wal")),
                "tables_mb": size_mb(beside(".state"), beside(".state-wal")),
                "text_log_mb": size_mb(self.site.broker.log_path)}


def of_histogram(before: Counter, after: Counter, name: str) -> dict[str, float]:
    """Mean of what was added between, and the bound below which 99 of 100 and all of it stay."""
    count = after[f"{name}_count"] - before[f"{name}_count"]
    if not count:
        return {"count": 0, "mean_ms": 0.0, "p99_below_ms": 0.0, "all_below_ms": 0.0}
    bounds = sorted(key[1] for key in after if isinstance(key, tuple) and key[0] == name)
    def below(part: float) -> float:
        return next(bound for bound in bounds
                    if after[name, bound] - before[name, bound] >= part * count) * 1000
    total = after[f"{name}_sum"] - before[f"{name}_sum"]
    return {"count": int(count), "mean_ms": total / count * 1000, "p99_below_ms": below(0.99),
            "all_below_ms": below(1.0)}
