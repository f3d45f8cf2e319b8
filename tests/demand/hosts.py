"""demand-aware beside the idle comparison where jobs lie host by host, with EASY backfilling.

A line a scenario: hosts of 4 to 128 slots, two made workloads (workload.py), four pairs of loads; each with
several workloads, days drawn anew. Then what was asked of the rule, and which scenarios miss it. Fails as
study.py does.
"""
import argparse
import json
import statistics
import sys
import tempfile
from itertools import product
from pathlib import Path

import study
import workload

SLOTS = 256  # own of each, and exported
HOST_SLOTS = (4, 16, 64, 128)
# What each cluster's jobs want, by its own slots: provider, consumer.
LOADS = ((0.4, 0.8), (0.8, 1.2), (1.2, 1.5), (1.6, 0.5))
JOBS_MAX = 1_000_000


def mean_of(found: dict, rule: str, figure) -> float:
    outcomes = ({one["rule"]: one for one in run["outcomes"]} for run in found["runs"])
    return statistics.mean(figure(outcome[rule]) for outcome in outcomes)


def measured(found: dict) -> dict:
    """Of a scenario's answer: means over its seeds."""
    percent, half, verdict = study.beyond_chance(found)
    waits = {rule: mean_of(found, rule, lambda one: one["wait_mean_s"]) for rule in study.RULES}
    homes = {rule: mean_of(found, rule, study.waits_of_provider) for rule in study.RULES}
    moved = {rule: mean_of(found, rule, lambda one: one["slots_moved"]) for rule in study.RULES}
    gap = waits["isolated"] - waits["pooled"]
    return {"waits": waits, "moved": moved, "percent": percent, "half": half, "verdict": verdict,
            "full": mean_of(found, "pooled", lambda one: one["utilization"]),
            "closed": {rule: 100 * (waits["isolated"] - waits[rule]) / gap for rule in study.RULES},
            "loss": {rule: homes[rule] - homes["isolated"] for rule in study.RULES}}


def misses(one: dict) -> list[str]:
    """What was asked of the rule in each scenario (README.md), as far as it does not come to that."""
    lsf, own = "idle-comparison", "demand-aware"
    most = 0.1 if one["full"] < 0.7 else 0.5
    return [name for name, missed in (
        ("wait", one["verdict"] == "worse"),
        ("moved", one["moved"][own] > most * one["moved"][lsf]),
        ("gap", one["closed"][own] < 85),
        ("loss", one["loss"][own] > max(0.0, one["loss"][lsf]))) if missed]


def line(name: str, one: dict) -> str:
    waits, moved, loss = one["waits"], one["moved"], one["loss"]
    return (f"| {name} | {100 * one['full']:.0f} % | " + " | ".join(f"{waits[rule]:.0f}" for rule in study.RULES)
            + f" | {one['percent']:+.1f} ± {one['half']:.1f} | {one['closed']['idle-comparison']:.0f} % | "
            f"{one['closed']['demand-aware']:.0f} % | {loss['idle-comparison']:+.0f} | "
            f"{loss['demand-aware']:+.0f} | {moved['idle-comparison']:.0f} | {moved['demand-aware']:.0f} | "
            f"{', '.join(misses(one)) or '-'} |")


COLUMNS = ("workload, slots a host, loads", "pool full", "isolated", "LSF's", "by demand", "pooled",
           "by demand less LSF's, %", "closed by LSF's", "by demand", "provider's loss by LSF's", "by demand",
           "moved by LSF's", "by demand", "misses")


def summary(found: dict[str, dict]) -> list[str]:
    lines = [f"{verdict}: {sum(one['verdict'] == verdict for one in found.values())} of {len(found)}"
             for verdict in ("better", "alike", "worse")]
    for rule in ("idle-comparison", "demand-aware"):
        closed = [one["closed"][rule] for one in found.values()]
        lines.append(f"{rule}: closed {statistics.median(closed):.1f} % in the median, {min(closed):.1f} % in the "
                     f"worst; slots moved {sum(one['moved'][rule] for one in found.values()):.0f}; loss of the "
                     f"provider {statistics.median(one['loss'][rule] for one in found.values()):.0f} s in the median")
    for kind in ("wait", "moved", "gap", "loss"):
        those = [name for name, one in found.items() if kind in misses(one)]
        lines.append(f"misses {kind}: {len(those)}: " + ("; ".join(those) or "none"))
    return lines


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--seeds", type=int, default=10, help="workloads a scenario")
    asked.add_argument("--made", type=int, nargs=2, default=(1, 2), metavar="SEED",
                       help="of the provider's trace and of the consumer's")
    asked.add_argument("--days", type=int, default=14)
    asked.add_argument("--hosts-of", type=int, nargs="+", default=HOST_SLOTS, metavar="SLOTS")
    asked.add_argument("--json", type=Path)
    given = asked.parse_args()
    found = {}
    print(f"| {' | '.join(COLUMNS)} |\n{'|---' * len(COLUMNS)}|")
    with tempfile.TemporaryDirectory() as folder:
        for kind, host, loads in product(workload.WIDTHS, given.hosts_of, LOADS):
            traces = tuple(workload.write(Path(folder) / f"{seed}.swf", kind, seed, SLOTS, given.days)
                           for seed in given.made)
            text = study.scenario(traces, JOBS_MAX, loads, "5m", "30s", SLOTS, SLOTS // host,
                                  'backfill = "easy"\n')
            name = f"{kind}, {host}, {loads[0]}/{loads[1]}"
            found[name] = measured(study.asked_of_leasectl(text, "--seeds", str(given.seeds)))
            print(line(name, found[name]), flush=True)
    print("\n".join(summary(found)))
    if given.json:
        given.json.write_text(json.dumps(found, indent=1))
    if bad := [name for name, one in found.items() if one["full"] < 0.7
               and one["moved"]["demand-aware"] > one["moved"]["idle-comparison"]]:
        sys.exit("more slots moved than by the idle comparison: " + ", ".join(bad))


if __name__ == "__main__":
    main()
