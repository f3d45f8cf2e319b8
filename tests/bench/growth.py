#!/usr/bin/python3
"""How time and memory a lease, and a leaf, grow with how many there are:

    tests/bench/growth.py [--build build-bench] [--plot tests/bench/growth.svg] > growth.json

Runs bench_evaluate, bench_restart and bench_memory with 1,000 to 1,000,000 leases, and bench_memory
and bench_plan with 100 to 100,000 leaves; a line of JSON each: series, count, figure. Takes some
20 minutes and 14 GB. The plot needs Debian's python3-matplotlib: scripts/install-packages plots."""
import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

SIDES = [32, 100, 316, 1000]  # providers, and as many consumers
LEAVES = [100, 1000, 10_000, 100_000]
NANOSECONDS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}

# bench: what of its runs is which series, of an item each.
TIMES_OF_LEASES = {
    "evaluate_tied/1000": "decided, all changed",
    "decide_and_record/1000": "decided and recorded, all changed",
    "evaluate_all": "looked at after a start",
    "restart/after_base": "restart: read and derived",
}
TIMES_OF_LEAVES = {"evaluate_whole/hybrid": "hybrid rule, recomputed whole",
                   "cycle_looked_at": "cycle, nothing to move",
                   "cycle_changed": "cycle, half of the leaves gain"}


class Bench:
    def __init__(self, build: Path, shortest: bool) -> None:
        self.programs = build / "bin"
        self.shortest = ["--benchmark_repetitions=1", "--benchmark_min_time=0.001"]
        if not shortest:
            self.shortest = []

    def run(self, name: str, *words, side: int = 0) -> str:
        surroundings = dict(os.environ, LEASEHOLD_BENCH_SIDE=str(side)) if side else None
        return subprocess.run([self.programs / f"bench_{name}", *map(str, words)], check=True,
                              env=surroundings, stdout=subprocess.PIPE, text=True).stdout

    def timed(self, name: str, pattern: str, side: int = 0) -> list[dict]:
        """Of each benchmark the medians of its runs; without repetitions the run itself."""
        text = self.run(name, f"--benchmark_filter={pattern}", "--benchmark_format=json",
                        *self.shortest, side=side)
        runs = json.loads(text)["benchmarks"]
        medians = [run for run in runs if run.get("aggregate_name") == "median"]
        return medians or runs


def nanoseconds(run: dict) -> float:
    timed = "real_time" if "manual_time" in run["name"] else "cpu_time"
    return run[timed] * NANOSECONDS[run["time_unit"]]


def tell(series: str, of: str, unit: str, count: int, figure: float) -> dict:
    line = {"series": series, "of": of, "unit": unit, "count": count, "figure": round(figure, 1)}
    print(json.dumps(line), flush=True)
    return line


def of_leases(bench: Bench, side: int) -> list[dict]:
    memory = json.loads(bench.run("memory", side))
    count = side * side
    found = [tell(series, "leases", "bytes", count, memory[key]) for series, key in
             [("held", "bytes_held_per_lease"), ("resident", "bytes_resident_per_lease")]]
    runs = bench.timed("evaluate", "^(evaluate_tied|decide_and_record)/1000/|^evaluate_all", side)
    # Its consumers are 250: providers for about as many leases.
    runs += bench.timed("restart", "restart/after_base", max(1, round(count / 250)))
    for run in runs:
        for prefix, series in TIMES_OF_LEASES.items():
            if run["name"].startswith(prefix + "/"):
                items = run.get("leases") or run.get("changed")
                found.append(tell(series, "leases", "ns", round(items), nanoseconds(run) / items))
    return found


def of_leaves(bench: Bench, leaves: int) -> list[dict]:
    groups = max(1, leaves // 1000) if leaves > 10_000 else 1
    memory = json.loads(bench.run("memory", "plans", leaves // groups, groups, 10))
    found = [tell(series, "leaves", "bytes", leaves, memory[key]) for series, key in
             [("held", "bytes_held_per_leaf"), ("resident", "bytes_resident_per_leaf")]]
    pattern = (f"^(evaluate_whole/hybrid/{leaves}|cycle_(looked_at|changed)/"
               f"{leaves // groups}/{groups})(/|$)")
    for run in bench.timed("plan", pattern):
        series = next(name for prefix, name in TIMES_OF_LEAVES.items() if prefix in run["name"])
        found.append(tell(series, "leaves", "ns", leaves, nanoseconds(run) / leaves))
    return found


def draw(found: list[dict], path: str) -> None:
    import matplotlib
    matplotlib.use("svg" if path.endswith(".svg") else "agg")
    # Text stays text and names stay the same from run to run: small, and fit for a diff.
    matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "growth", "font.size": 9})
    from matplotlib import pyplot
    figure, panels = pyplot.subplots(2, 2, figsize=(9, 7))
    for row, unit in enumerate(["ns", "bytes"]):
        for axes, of in zip(panels[row], ["leases", "leaves"]):
            lines = [line for line in found if line["of"] == of and line["unit"] == unit]
            for series in dict.fromkeys(line["series"] for line in lines):
                points = sorted((line["count"], line["figure"])
                                for line in lines if line["series"] == series)
                axes.plot(*zip(*points), marker="o", markersize=3, label=series)
            axes.set(xscale="log", xlabel=of, ylabel=f"{unit} a {'lease' if of == 'leases' else 'leaf'}")
            if unit == "ns":
                axes.set_yscale("log")
            else:
                axes.set_ylim(bottom=0)
            axes.grid(True, linewidth=0.3)
            axes.legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None} if path.endswith(".svg") else None)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=Path("build-bench"))
    parser.add_argument("--sides", type=int, nargs="*", default=SIDES, metavar="N",
                        help="providers, and as many consumers")
    parser.add_argument("--leaves", type=int, nargs="*", default=LEAVES, metavar="N")
    parser.add_argument("--shortest", action="store_true", help="each but once: to see that it runs")
    parser.add_argument("--plot", metavar="FILE")
    options = parser.parse_args()
    bench = Bench(options.build, options.shortest)
    found = [line for side in options.sides for line in of_leases(bench, side)]
    found += [line for leaves in options.leaves for line in of_leaves(bench, leaves)]
    missing = set(TIMES_OF_LEASES.values()) | set(TIMES_OF_LEAVES.values())
    missing -= {line["series"] for line in found}
    if missing:
        print(f"growth.py: no figures of: {', '.join(sorted(missing))}", file=sys.stderr)
        return 1
    if options.plot:
        draw(found, options.plot)
    return 0


if __name__ == "__main__":
    sys.exit(main())
