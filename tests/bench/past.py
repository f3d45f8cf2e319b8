#!/usr/bin/env python3
"""The past of a large history: any instant asked by leasectl, usage and what-if over all of it.

tests/bench/past.py [--delay 1s] [--instants 40]
Makes a history by simulate on tests/data/campus.swf.gz with that reclaim_delay (1s: some ten million
events, half a minute, 1.2 GB in the folder for temporary files). Prints figures, judges none.
Needs leasectl in build/bin (scripts/build), or LEASEHOLD_BIN.
"""
import argparse
import json
import os
import random
import statistics
import subprocess
import tempfile
import time
from datetime import datetime, timezone
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LEASECTL = Path(os.environ.get("LEASEHOLD_BIN", ROOT / "build/bin")) / "leasectl"
DAYS = 16
QUESTIONS = [["leases"], ["hosts", "-e"], ["lease", "pool:west"], ["explain", "pool:west"], ["status"]]
SCENARIO = """
[simulation]
reclaim_delay = "{delay}"
compare = ["idle-comparison"]
[[cluster]]
name = "east"
slots = 128
trace = "{trace}"
[[cluster]]
name = "west"
slots = 128
trace = "{trace}"
load = 1.5
[[export_policy]]
name = "pool"
provider = "east"
slots = 128
distribution = [{{ cluster = "west", shares = 1 }}]
type = "shared"
"""


def timed(*words: str) -> tuple[float, str]:
    begin = time.monotonic()
    done = subprocess.run([LEASECTL, *words], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1) or done.stderr:  # status: 1 where somebody is needed
        raise SystemExit(f"past: {' '.join(words)}: {done.stderr}")
    return time.monotonic() - begin, done.stdout


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__,
                                    formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--delay", default="1s")
    words.add_argument("--instants", type=int, default=40)
    asked = words.parse_args()
    with tempfile.TemporaryDirectory(prefix="leasehold-past-") as name:
        folder = Path(name)
        scenario, database = folder / "s.toml", str(folder / "past.db")
        scenario.write_text(SCENARIO.format(delay=asked.delay,
                                            trace=ROOT / "tests/data/campus.swf.gz"))
        took, _ = timed("simulate", str(scenario), "--database", database)
        took_what_if, answer = timed("replay", database, "--what-if", "--reclaim-delay", "5m", "--json")
        events = json.loads(answer)["events"]
        size_mb = os.path.getsize(database) / 1e6
        print(f"{events} events, {size_mb:.0f} MB, made in {took:.1f} s", flush=True)
        print(f"what-if: {took_what_if:.1f} s, {events / took_what_if:.0f} events a second")
        chance = random.Random(1)
        times = []
        for _ in range(asked.instants):
            at = datetime.fromtimestamp(chance.randrange(60, DAYS * 86400), timezone.utc)
            question = chance.choice(QUESTIONS)
            took, _ = timed("--db", database, *question, "--at", at.strftime("%Y-%m-%dT%H:%M:%SZ"))
            times.append((took, " ".join(question), at))
        took, question, at = max(times)
        print(f"a past instant: median {statistics.median(row[0] for row in times):.2f} s, longest "
              f"{took:.2f} s of {len(times)}: {question} --at {at.isoformat()}")
        took, _ = timed("--db", database, "usage")
        print(f"usage: {took:.1f} s, {events / took:.0f} events a second")


if __name__ == "__main__":
    main()
