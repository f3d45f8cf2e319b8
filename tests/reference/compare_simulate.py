#!/usr/bin/env python3
"""Runs `leasectl simulate` and the independent program beside this file on the same scenarios and
demands the same numbers, to the last digit.

    compare_simulate.py LEASECTL [--count N] [--seed S] [--keep DIR]

Scenarios are drawn at random (fixed seed): odd lines in the traces, several policies, transfer
times, limits on jobs and time, loads, providers without slots of their own. Where the environment
variable LEASEHOLD_TRACES names a folder with NASA-iPSC-1993-3.1-cln.swf.gz, that one runs too.
"""
import argparse
import gzip
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, "..", "data")
LAST_BOUND_S = 1800
NASA = "NASA-iPSC-1993-3.1-cln.swf.gz"


def odd_line(rng, number, submit):
    return rng.choice([
        "; a comment in the middle",
        "",
        f"{number} {submit} -1 0 4 -1 -1 4",              # no run time
        f"{number} {submit} -1 -1 4 -1 -1 4",             # unknown run time
        f"{number} {submit} -1 60 -1 -1 -1 -1",           # no width
        f"{number} {submit} -1 60 0 -1 -1 {rng.randint(1, 4)}",  # requested only
        f"{number} {submit} -1 60 4096",                  # too wide, fields missing
        f"  {number}\t{submit}  -1   7.25 1 ; decimals and white space",
        f"{number} {submit}.5 -1 12.0009 2 -1 -1 2 -1 -1 1 1 1 1 1 1 -1 -1",
    ])


def write_trace(rng, path, jobs, slots):
    """Arrivals, run times and widths are coarse now and then, so that instants coincide."""
    step = rng.choice([1, 1, 5, 60])
    submit = rng.choice([0, 0, 17, 100000])
    lines = ["; Version: 2.2"]
    for number in range(1, jobs + 1):
        submit += step * rng.choice([0, 0, 1, 1, 2, 5, 30])
        if rng.random() < 0.1:
            lines.append(odd_line(rng, number, submit))
            continue
        run = step * rng.choice([1, 2, 3, 10, 60, 60, 300])
        width = min(rng.choice([1, 1, 1, 2, 2, 3, 4, 8, slots]), rng.choice([slots, slots + 1]))
        lines.append(f"{number} {submit} -1 {run} {width} -1 -1 {width} {run} -1 1 1 1 1 1 1 -1 -1")
    text = "\n".join(lines) + rng.choice(["\n", ""])
    opened = gzip.open(path, "wt") if path.endswith(".gz") else open(path, "w")
    with opened as file:
        file.write(text)


def random_scenario(rng, folder):
    names = ["ash", "birch", "cedar"][:rng.choice([2, 2, 3])]
    own = [rng.choice([4, 8, 16, 20]) for _ in names]
    if rng.random() < 0.3:
        own[0] = 0  # a provider without slots of its own
    delay = rng.choice(["30s", "1m", "5m", "10m", "7s"])
    lines = ["[simulation]", f'reclaim_delay = "{delay}"',
             f'transfer_time = "{rng.choice(["0s", "0s", "30s", "1m", "10m", "250ms"])}"']
    if rng.random() < 0.4:
        lines.append(f'until = "{rng.choice(["20m", "1h", "3h"])}"')
    for name, slots in zip(names, own):
        suffix = rng.choice([".swf", ".swf.gz"])
        write_trace(rng, os.path.join(folder, name + suffix), rng.randint(20, 150), slots or 12)
        lines += ["[[cluster]]", f'name = "{name}"', f"slots = {slots}", f'trace = "{name}{suffix}"',
                  f"load = {rng.choice([0.5, 1, 1.0, 1.3, 2.0, 0.7, 3.0])}"]
        if rng.random() < 0.3:
            lines.append(f"jobs = {rng.randint(5, 80)}")
    for number in range(rng.choice([1, 1, 2, 3])):
        # The first exports: with no slots of its own it must keep what its jobs need.
        provider = 0 if number == 0 else rng.randrange(len(names))
        consumer = rng.choice([n for i, n in enumerate(names) if i != provider])
        kind = "exclusive" if own[provider] and rng.random() < 0.15 else "shared"
        lines += ["[[export_policy]]", f'name = "pool{number}"', f'provider = "{names[provider]}"',
                  f"slots = {rng.choice([1, 8, 12, 12, 20])}",
                  f'distribution = [{{ cluster = "{consumer}", shares = 1 }}]', f'type = "{kind}"']
        if rng.random() < 0.4:
            lines.append(f"initial_slots = {rng.choice([2, 4, 50])}")
    path = os.path.join(folder, "scenario.toml")
    with open(path, "w") as file:
        file.write("\n".join(lines) + "\n")
    return path


def trace_scenario(folder, trace, loads, jobs, transfer_time):
    shutil.copy(trace, folder)
    lines = ["[simulation]", 'reclaim_delay = "5m"', f'transfer_time = "{transfer_time}"']
    for name, load in zip(["north", "south"], loads):
        lines += ["[[cluster]]", f'name = "{name}"', "slots = 128",
                  f'trace = "{os.path.basename(trace)}"', f"load = {load}", f"jobs = {jobs}"]
    lines += ["[[export_policy]]", 'name = "pool"', 'provider = "north"', "slots = 128",
              'distribution = [{ cluster = "south", shares = 1 }]', 'type = "shared"']
    path = os.path.join(folder, "scenario.toml")
    with open(path, "w") as file:
        file.write("\n".join(lines) + "\n")
    return path


class Stuck(Exception):
    """Jobs that can never start; a scenario without an answer."""


def run(command, scenario):
    try:
        done = subprocess.run([*command, scenario], capture_output=True, text=True,
                              timeout=LAST_BOUND_S)
    except subprocess.TimeoutExpired as expired:
        raise Stuck from expired
    if done.returncode == 1 and "jobs that never get enough slots" in done.stderr:
        raise Stuck
    if done.returncode:
        sys.exit(f"{command} {scenario}: exit {done.returncode}\n{done.stderr}")
    return json.loads(done.stdout)


# Counted for rules that the independent program has not; under its own there is none of it.
OTHER_RULES = {"slots_unused": 0, "jobs_requeued": 0, "requeued_slot_seconds": 0}


def differences(ours, theirs):
    if len(ours) != len(theirs):
        yield f"{len(ours)} and {len(theirs)} rules"
    for a, b in zip(ours, ({**OTHER_RULES, **one} for one in theirs)):
        for key in sorted(set(a) | set(b)):
            if a.get(key) != b.get(key):
                yield f"{a['rule']}: {key}: leasectl {a.get(key)!r}, reference {b.get(key)!r}"


def compare(leasectl, scenario):
    """The number of flips seen; None: no answer exists."""
    try:
        ours = run([leasectl, "simulate", "--json"], scenario)
    except Stuck:
        return None
    theirs = run([sys.executable, os.path.join(HERE, "simulate.py")], scenario)
    found = list(differences(ours, theirs))
    if found:
        print(open(scenario).read())
        sys.exit("the two programs differ:\n" + "\n".join(found))
    return sum(outcome["flips"] for outcome in ours)


def prepared(make, keep, number):
    folder = tempfile.mkdtemp(prefix=f"simulate-{number}-", dir=keep)
    return folder, make(folder)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("leasectl")
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1993)
    parser.add_argument("--keep")
    options = parser.parse_args()
    rng = random.Random(options.seed)
    makers = [lambda folder: random_scenario(rng, folder)] * options.count
    small = os.path.join(DATA, "campus.swf.gz")
    for loads, time in [((1.0, 1.7), "0s"), ((0.5, 3.0), "30s"), ((2.0, 1.0), "10m")]:
        makers.append(lambda folder, l=loads, t=time: trace_scenario(folder, small, l, 1500, t))
    real = os.path.join(os.environ.get("LEASEHOLD_TRACES", ""), NASA)
    if os.path.exists(real):
        for loads, time in [((1.0, 2.0), "0s"), ((1.0, 0.5), "30s"), ((3.0, 1.3), "10m")]:
            makers.append(lambda folder, l=loads, t=time: trace_scenario(folder, real, l, 6000, t))
    flips, compared, flipping = 0, 0, 0
    for number, make in enumerate(makers):
        folder, scenario = prepared(make, options.keep, number)
        seen = compare(options.leasectl, scenario)
        if seen is not None:
            compared, flips, flipping = compared + 1, flips + seen, flipping + (seen > 0)
        if not options.keep:
            shutil.rmtree(folder)
    print(f"{compared} of {len(makers)} scenarios agree in every number; {flipping} of them flip, "
          f"{flips} times in all; the others have jobs that can never start")
    if compared < len(makers) * 3 // 4 or flipping < compared // 3:
        sys.exit("too few scenarios had something to compare")


if __name__ == "__main__":
    main()
