"""Made workloads for studies: days and nights, jobs of two mixtures of widths, limits as people ask for them.

A trace offers as many slots as it is made for, in the mean over its days; `load` of a scenario goes from there.
"""
import gzip
import math
import random
from pathlib import Path

# Widths and how often they come. Narrow: single slots and parts of a host; wide: up to everything.
WIDTHS = {
    "narrow": {1: 40, 2: 20, 4: 20, 8: 8, 12: 2, 16: 6, 32: 3, 64: 1},
    "wide": {1: 20, 4: 15, 8: 12, 16: 18, 24: 3, 32: 14, 64: 10, 100: 2, 128: 5, 256: 1},
}
# What is asked for, by the time that is needed. Right ones are that; where they are missing all have the
# partition's limit, the longest time.
ASKED = (1, 1, 1.2, 1.5, 2, 5, 10)  # where estimates are wrong
LONGEST_S = 86_400
DAY_S = 86_400


def busy(at_s: float) -> float:
    """Arrivals at that time, by the mean: nights and weekends are quiet."""
    day, hour = int(at_s / DAY_S) % 7, at_s / 3600 % 24
    return (0.4 + 1.2 * math.sin(math.pi * hour / 24) ** 2) * (0.6 if day > 4 else 1.16)


def jobs_of(kind: str, seed: int, slots: int, days: int, estimates: str):
    """(submit, run, width, limit): seconds and slots. Whatever the estimates are, the jobs are the same."""
    rng = random.Random(f"{kind} {seed}")
    widths, weights = zip(*WIDTHS[kind].items())
    work = sum(w * n for w, n in WIDTHS[kind].items()) / sum(weights) * mean_run_s()
    submit = 0.0
    while submit < days * DAY_S:
        submit += rng.expovariate(slots / work * busy(submit))
        run = min(LONGEST_S, int(rng.lognormvariate(7.3, 1.6)) + 1)
        width, asked = min(slots, rng.choices(widths, weights)[0]), rng.choice(ASKED)
        limit = {"wrong": int(run * asked) + 1, "right": run, "missing": LONGEST_S}[estimates]
        yield int(submit), run, width, limit


def mean_run_s() -> float:
    rng = random.Random(0)
    return sum(min(LONGEST_S, rng.lognormvariate(7.3, 1.6) + 1) for _ in range(20_000)) / 20_000


def write(path: Path, kind: str, seed: int, slots: int, days: int, estimates: str = "wrong") -> Path:
    jobs = enumerate(jobs_of(kind, seed, slots, days, estimates), 1)
    path.write_text("".join(f"{number} {submit} -1 {run} {width} -1 -1 {width} {limit}\n"
                            for number, (submit, run, width, limit) in jobs))
    return path


def load_of(path: Path, slots: int, jobs: int) -> float:
    """What the first so many jobs of a trace want of so many slots, from the first arrival to the last."""
    with gzip.open(path, "rt", encoding="latin-1") as lines:
        rows = [line.split() for line in lines if line.strip() and not line.startswith(";")]
    kept = [(float(row[1]), float(row[3]), int(row[4])) for row in rows
            if float(row[3]) > 0 and 0 < int(row[4]) <= slots][:jobs]
    span = max(row[0] for row in kept) - min(row[0] for row in kept)
    return sum(run * width for _, run, width in kept) / (slots * span)
