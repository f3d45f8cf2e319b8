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
import tomllib
from itertools import product
from pathlib import Path

import study
import workload

SLOTS = 256  # own of each, and exported
HOST_SLOTS = (4, 16, 64, 128)
# What each cluster's jobs want, by its own slots: provider, consumer.
LOADS = ((0.4, 0.8), (0.8, 1.2), (1.2, 1.5), (1.6, 0.5))
JOBS_MAX = 1_000_000
EASY = 'backfill = "easy"\n'


def all_for_consumer(text: str) -> str:
    """The scenario with the exported slots the consumer's own as well, and nothing lent."""
    scenario = tomllib.loads(text)
    provider, consumer = scenario["cluster"]
    policy = scenario["export_policy"][0]
    own = f'name = "consumer"\nslots = {consumer["slots"]}\nhosts = {consumer["hosts"]}\n'
    more = (f'name = "consumer"\nslots = {consumer["slots"] + policy["slots"]}\n'
            f'hosts = {consumer["hosts"] + policy["hosts"]}\n')
    rules = text[text.index("compare = "):].split("\n", 1)[0]
    assert text.count(own) == 1 and provider["name"] == "provider"
    return text.replace(own, more).replace(rules, 'compare = ["isolated"]')


def mean_of(found: dict, rule: str, figure) -> float:
    outcomes = ({one["rule"]: one for one in run["outcomes"]} for run in found["runs"])
    return statistics.mean(figure(outcome[rule]) for outcome in outcomes)


def least_wait(lent_nothing: dict, all_lent: dict) -> float:
    """What no lending comes below, but for accidents of the order of jobs: the provider waits as if it lent
    nothing, the consumer as if it had all that is exported for itself, all the time. Mean over all jobs."""
    waits = []
    for own, lent in zip(lent_nothing["runs"], all_lent["runs"]):
        ours, theirs = ({each["cluster"]: each for each in next(
            one for one in run["outcomes"] if one["rule"] == "isolated")["clusters"]} for run in (own, lent))
        best = (ours["provider"], theirs["consumer"])
        waits.append(sum(one["wait_mean_s"] * one["jobs"] for one in best) / sum(one["jobs"] for one in best))
    return statistics.mean(waits)


def measured(found: dict, least_s: float) -> dict:
    """Of a scenario's answer: means over its seeds."""
    percent, half, verdict = study.beyond_chance(found)
    waits = {rule: mean_of(found, rule, lambda one: one["wait_mean_s"]) for rule in study.RULES}
    homes = {rule: mean_of(found, rule, study.waits_of_provider) for rule in study.RULES}
    moved = {rule: mean_of(found, rule, lambda one: one["slots_moved"]) for rule in study.RULES}
    gap = waits["isolated"] - waits["pooled"]
    return {"waits": waits, "moved": moved, "least": least_s, "percent": percent,
            "possible": min(100.0, 100 * (waits["isolated"] - least_s) / gap),
            "half": half, "verdict": verdict,
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
        ("gap", one["closed"][own] < min(85.0, one["possible"])),
        ("loss", one["loss"][own] > max(0.0, one["loss"][lsf]))) if missed]


def line(name: str, one: dict) -> str:
    closed, moved, loss = one["closed"], one["moved"], one["loss"]
    lsf, own = "idle-comparison", "demand-aware"
    cells = [name, f"{100 * one['full']:.0f} %", *(f"{one['waits'][rule]:.0f}" for rule in study.RULES),
             f"{one['least']:.0f}", f"{one['percent']:+.1f} ± {one['half']:.1f}",
             *(f"{share:.0f} %" for share in (closed[lsf], closed[own], one["possible"])),
             f"{loss[lsf]:+.0f}", f"{loss[own]:+.0f}", f"{moved[lsf]:.0f}", f"{moved[own]:.0f}",
             ", ".join(misses(one)) or "-"]
    return f"| {' | '.join(cells)} |"


COLUMNS = ("workload, slots a host, loads", "pool full", "isolated", "LSF's", "by demand", "pooled", "least",
           "by demand less LSF's, %", "closed by LSF's", "by demand", "possible", "provider's loss by LSF's",
           "by demand", "moved by LSF's", "by demand", "misses")


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
            text = study.scenario(traces, JOBS_MAX, loads, "5m", "30s", SLOTS, SLOTS // host, EASY)
            name = f"{kind}, {host}, {loads[0]}/{loads[1]}"
            seeds = ("--seeds", str(given.seeds))
            answer = study.asked_of_leasectl(text, *seeds)
            least_s = least_wait(answer, study.asked_of_leasectl(all_for_consumer(text), *seeds))
            found[name] = measured(answer, least_s)
            print(line(name, found[name]), flush=True)
    print("\n".join(summary(found)))
    if given.json:
        given.json.write_text(json.dumps(found, indent=1))
    if bad := [name for name, one in found.items() if one["full"] < 0.7
               and one["moved"]["demand-aware"] > one["moved"]["idle-comparison"]]:
        sys.exit("more slots moved than by the idle comparison: " + ", ".join(bad))


if __name__ == "__main__":
    main()
