"""What demand-aware comes to beside the idle comparison: a table, or --json FILE.

Fails where the rule moves more slots than LSF's at a load that leaves slots free: that it never may.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from itertools import product
from pathlib import Path

TREE = Path(__file__).resolve().parents[2]
RULES = ("isolated", "idle-comparison", "demand-aware", "pooled")
LOADS = ((1, 2), (1, 4), (2, 4), (4, 4.1), (4, 1), (6, 2))  # provider, consumer
DELAYS = ("1m", "5m", "30m")
TRANSFERS = ("0s", "60s")


def scenario(traces: tuple[Path, Path], jobs: int, loads, delay: str, transfer: str, slots: int,
             hosts: int = 1, settings: str = "", compare: tuple[str, ...] = RULES) -> str:
    """Own slots of each and exported ones lie on so many hosts. `settings`: of [simulation]."""
    rules = ", ".join(f'"{rule}"' for rule in compare)
    clusters = "".join(f'[[cluster]]\nname = "{name}"\nslots = {slots}\nhosts = {hosts}\ntrace = "{trace}"\n'
                       f"load = {load}\njobs = {jobs}\n"
                       for name, trace, load in zip(("provider", "consumer"), traces, loads))
    return (f'[simulation]\nreclaim_delay = "{delay}"\ntransfer_time = "{transfer}"\n{settings}'
            f"compare = [{rules}]\n{clusters}"
            f'[[export_policy]]\nname = "pool"\nprovider = "provider"\nslots = {slots}\nhosts = {hosts}\n'
            f'distribution = [{{ cluster = "consumer", shares = 1 }}]\ntype = "shared"\n')


def asked_of_leasectl(text: str, *options: str):
    return asked(["leasectl", "simulate", "--json"], text, *options)


def asked_of_study(text: str, *options: str):
    """With options that only studies have (simulate/main.cpp)."""
    return asked(["study_simulate"], text, *options)


def asked(command: list[str], text: str, *options: str):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "scenario.toml"
        path.write_text(text)
        return answer_of(*command, str(path), *options)


def answer_of(program: str, *words: str):
    programs = Path(os.environ.get("LEASEHOLD_BIN", TREE / "build" / "bin"))
    done = subprocess.run([programs / program, *words], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr)
    return json.loads(done.stdout)


def simulate(text: str) -> dict[str, dict]:
    return {one["rule"]: one for one in asked_of_leasectl(text)}


def waits_of_provider(outcome: dict) -> float:
    return next(each["wait_mean_s"] for each in outcome["clusters"] if each["cluster"] == "provider")


def gap_closed(found: dict[str, dict], rule: str) -> float | None:
    """Percent of the way from nothing lent to one pool; None: there is no way to go."""
    gap = found["isolated"]["wait_mean_s"] - found["pooled"]["wait_mean_s"]
    if gap <= 0:
        return None
    return 100 * (found["isolated"]["wait_mean_s"] - found[rule]["wait_mean_s"]) / gap


def line(name: str, rule: str, found: dict[str, dict]) -> str:
    one = found[rule]
    gap = gap_closed(found, rule)
    closed = "-" if gap is None else f"{gap:.1f}%"
    return (f"{name:24} {rule:16} {one['wait_mean_s']:9.0f} {one['wait_p95_s']:9.0f} {closed:>7} "
            f"{waits_of_provider(one):9.0f} {one['flips']:7} {one['slots_moved']:9}")


def summary(all_found: dict[str, dict[str, dict]]) -> list[str]:
    lines = []
    for rule in ("idle-comparison", "demand-aware"):
        closed = [gap for found in all_found.values() if (gap := gap_closed(found, rule)) is not None]
        lines.append(f"{rule}: of the way to one pool {statistics.median(closed):.1f} % in the median, "
                     f"{min(closed):.1f} % in the worst; slots moved "
                     f"{sum(found[rule]['slots_moved'] for found in all_found.values())}")
    worse = [name for name, found in all_found.items()
             if found["demand-aware"]["wait_mean_s"] > 1.01 * found["idle-comparison"]["wait_mean_s"]]
    lines.append(f"mean wait more than 1 % worse by demand in {len(worse)} of {len(all_found)}: "
                 + (", ".join(worse) or "none"))
    return lines


def moved_more(all_found: dict[str, dict[str, dict]]) -> list[str]:
    """At loads where one pool is less than 0.7 full."""
    return [name for name, found in all_found.items() if found["pooled"]["utilization"] < 0.7
            and found["demand-aware"]["slots_moved"] > found["idle-comparison"]["slots_moved"]]


def beyond_chance(found: dict, rule: str = "demand-aware") -> tuple[float, float, str]:
    """Of the mean wait, that rule's less idle-comparison's, in per cent of the latter's: the mean over the
    seeds, half the width of its confidence interval, and whether more than 1 % lies outside of that."""
    mean = {one["rule"]: one["wait_mean_s"]["mean"] for one in found["rules"]}["idle-comparison"]
    those = next(one for one in found["differences"]
                 if {one["rule"], one["less"]} == {rule, "idle-comparison"})
    row, sign = those["wait_mean_s"], 1 if those["rule"] == rule else -1
    percent, half = 100 * sign * row["mean"] / mean, 100 * row["half_width"] / mean
    return percent, half, "worse" if percent - half > 1 else "better" if percent + half < -1 else "alike"


def with_seeds(texts: dict[str, str], seeds: int) -> None:
    """The same scenarios, each with so many workloads of days drawn anew from the trace."""
    print(f"{'LOADS, DELAY, TRANSFER':24} {'WAIT, % OF IDLE-COMPARISON':>28} {'BEYOND CHANCE':>14} "
          f"{'MOVED':>9} {'BY LSF':>9}")
    verdicts, shares = [], []
    for name, text in texts.items():
        found = asked_of_leasectl(text, "--seeds", str(seeds))
        percent, half, verdict = beyond_chance(found)
        moved = {one["rule"]: one["slots_moved"]["mean"] for one in found["rules"]}
        runs = [{one["rule"]: one for one in run["outcomes"]} for run in found["runs"]]
        closed = [gap for run in runs if (gap := gap_closed(run, "demand-aware")) is not None]
        shares.append(statistics.mean(closed) if closed else 100.0)
        verdicts.append((verdict, name))
        print(f"{name:24} {percent:+18.1f} +- {half:<7.1f} {verdict:>13} {moved['demand-aware']:9.0f} "
              f"{moved['idle-comparison']:9.0f}", flush=True)
    for wanted in ("better", "alike", "worse"):
        those = [name for verdict, name in verdicts if verdict == wanted]
        print(f"{wanted} in {len(those)} of {len(verdicts)}: " + (", ".join(those) or "none"))
    print(f"of the way to one pool {statistics.median(shares):.1f} % in the median of the scenarios, "
          f"{min(shares):.1f} % in the worst")


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--trace", type=Path, default=TREE / "tests" / "data" / "campus.swf.gz")
    asked.add_argument("--jobs", type=int, default=4000)
    asked.add_argument("--slots", type=int, default=128, help="own slots of each, and exported")
    asked.add_argument("--short", action="store_true", help="one delay, no transfer time")
    asked.add_argument("--json", type=Path)
    asked.add_argument("--seeds", type=int, help="so many workloads a scenario, days drawn anew; "
                       "instead of the table: what differs beyond chance")
    given = asked.parse_args()
    delays, transfers = (DELAYS[1:2], TRANSFERS[:1]) if given.short else (DELAYS, TRANSFERS)
    texts = {f"{loads[0]}/{loads[1]} {delay} {transfer}":
             scenario((given.trace.resolve(),) * 2, given.jobs, loads, delay, transfer, given.slots)
             for loads, delay, transfer in product(LOADS, delays, transfers)}
    if given.seeds:
        return with_seeds(texts, given.seeds)
    print(f"{'LOADS, DELAY, TRANSFER':24} {'RULE':16} {'WAIT s':>9} {'95 %':>9} {'CLOSED':>7} "
          f"{'PROVIDER':>9} {'FLIPS':>7} {'MOVED':>9}")
    all_found = {}
    for name, text in texts.items():
        found = all_found[name] = simulate(text)
        print("\n".join(line(name, rule, found) for rule in RULES), flush=True)
    print("\n".join(summary(all_found)))
    if given.json:
        given.json.write_text(json.dumps(all_found, indent=1))
    if bad := moved_more(all_found):
        sys.exit("more slots moved than by the idle comparison: " + ", ".join(bad))


if __name__ == "__main__":
    main()
