"""demand-aware beside the idle comparison where jobs lie host by host, with EASY backfilling.

A line a scenario, each with several workloads, days drawn anew: hosts of 4 to 128 slots, two made workloads
(workload.py) and a recorded one, four pairs of loads; delays, transfer times and estimates of run times. Then the
rules that stand beside, a consumer that lies (liar.py), what was asked of the rule, and which scenarios miss
it. Fails as study.py does, and where a lie costs more than its bound.
"""
import argparse
import functools
import json
import os
import sys
import tempfile
import tomllib
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path
from typing import NamedTuple

import liar
import measured
import study
import workload

SLOTS = 256  # own of each, and exported
HOST_SLOTS = (4, 16, 64, 128)
# What each cluster's jobs want, by its own slots: provider, consumer.
LOADS = ((0.4, 0.8), (0.8, 1.2), (1.2, 1.5), (1.6, 0.5))
JOBS_MAX = 1_000_000
SECONDS = {"0s": 0, "30s": 30, "60s": 60, "1m": 60, "5m": 300, "30m": 1800}
CALM = ("--calm", "1800", "16")  # seconds after a flip, slots (simulate/watchers.hpp)
GRACE_S = 120
FIRST = f'provider_first = true\nreclaim_grace = "{GRACE_S}s"\n'
LEEWAY_S = 120
RULES = ("isolated", measured.LSF, measured.OWN, "pooled")
NASA = "NASA-iPSC-1993-3.1-cln.swf.gz"  # in the folder that LEASEHOLD_TRACES names
NASA_SLOTS, NASA_JOBS = 128, 4000


class Case(NamedTuple):
    kind: str
    host: int
    loads: tuple[float, float]
    delay: str = "5m"
    transfer: str = "30s"
    estimates: str = "wrong"

    def name(self) -> str:
        usual = Case(self.kind, self.host, self.loads)
        other = [f"{what} {word}" for what, word, default in zip(
            ("delay", "transfer", "estimates"), self[3:], usual[3:]) if word != default]
        return ", ".join([self.kind, str(self.host), f"{self.loads[0]}/{self.loads[1]}", *other])

    def slots(self) -> int:
        return NASA_SLOTS if self.kind == "nasa" else SLOTS


def cases(hosts: tuple[int, ...], short: bool, nasa: bool) -> list[Case]:
    all_cases = [Case(kind, host, loads) for kind, host, loads in product(workload.WIDTHS, hosts, LOADS)]
    if nasa:
        all_cases += [Case("nasa", host, loads, estimates="right") for host, loads in product((16, 64), LOADS)]
    if short:
        return all_cases
    for kind, loads in product(workload.WIDTHS, LOADS[1:3]):
        all_cases += [Case(kind, 16, loads, estimates=estimates) for estimates in ("right", "missing")]
    for kind, delay, transfer in product(workload.WIDTHS, ("1m", "30m"), ("0s", "60s")):
        all_cases.append(Case(kind, 16, LOADS[1], delay, transfer))
    return all_cases


class Study:
    def __init__(self, folder: Path, given: argparse.Namespace):
        self.folder, self.given = folder, given

    def traces(self, case: Case) -> tuple[Path, Path]:
        if case.kind == "nasa":
            return (Path(os.environ["LEASEHOLD_TRACES"]) / NASA,) * 2
        return tuple(self.made(case.kind, seed, case.estimates) for seed in self.given.made)

    def made(self, kind: str, seed: int, estimates: str) -> Path:
        path = self.folder / f"{kind}-{seed}-{estimates}.swf"
        return path if path.exists() else workload.write(path, kind, seed, SLOTS, self.given.days, estimates)

    def text(self, case: Case, policy: str = "", compare: tuple[str, ...] = RULES) -> str:
        """`policy`: of the export policy, which stands last."""
        loads = case.loads
        if case.kind == "nasa":
            loads = tuple(round(load / self.nasa_load(), 4) for load in loads)
        jobs = NASA_JOBS if case.kind == "nasa" else JOBS_MAX
        return study.scenario(self.traces(case), jobs, loads, case.delay, case.transfer, case.slots(),
                              case.slots() // case.host, 'backfill = "easy"\n', compare) + policy

    @functools.cache
    def nasa_load(self) -> float:
        return workload.load_of(Path(os.environ["LEASEHOLD_TRACES"]) / NASA, NASA_SLOTS, NASA_JOBS)

    def asked(self, text: str, *options: str) -> dict:
        return study.asked_of_study(text, "--seeds", str(self.given.seeds), *options)

    def measure(self, case: Case) -> dict:
        answer = self.asked(self.text(case), *CALM)
        first = self.asked(self.text(case, policy=FIRST, compare=(measured.OWN,)))
        lent = self.asked(all_for_consumer(self.text(case, compare=("isolated",))))
        delay_s, transfer_s = SECONDS[case.delay], SECONDS[case.transfer]
        return {**measured.measured(answer, first, lent), "slots": 3 * case.slots(),
                "first_most_s": delay_s + GRACE_S + LEEWAY_S + transfer_s}

    def lies(self, case: Case) -> tuple[list[str], list[str]]:
        return liar.look(liar.Scenario(case.name(), functools.partial(self.text, case), self.given.seeds, case.slots(),
                                       SECONDS[case.delay], SECONDS[case.transfer]))


def all_for_consumer(text: str) -> str:
    """The scenario with the exported slots the consumer's own as well, and nothing lent."""
    scenario = tomllib.loads(text)
    consumer, policy = scenario["cluster"][1], scenario["export_policy"][0]
    own = f'name = "consumer"\nslots = {consumer["slots"]}\nhosts = {consumer["hosts"]}\n'
    more = (f'name = "consumer"\nslots = {consumer["slots"] + policy["slots"]}\n'
            f'hosts = {consumer["hosts"] + policy["hosts"]}\n')
    assert text.count(own) == 1
    return text.replace(own, more)


def told(lines: list[str]) -> None:
    print("\n".join(lines), flush=True)


def asked_for() -> argparse.Namespace:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--seeds", type=int, default=10, help="workloads a scenario")
    asked.add_argument("--made", type=int, nargs=2, default=(1, 2), metavar="SEED",
                       help="of the provider's trace and of the consumer's")
    asked.add_argument("--days", type=int, default=14)
    asked.add_argument("--hosts-of", type=int, nargs="+", default=HOST_SLOTS, metavar="SLOTS")
    asked.add_argument("--short", action="store_true", help="one delay and transfer time, wrong estimates, one liar")
    asked.add_argument("--at-once", type=int, default=os.cpu_count(), metavar="N", help="scenarios, each a processor's")
    asked.add_argument("--only", nargs="+", default=[""], metavar="TEXT",
                       help="scenarios whose names have one of these")
    asked.add_argument("--json", type=Path, help="written as the scenarios are done")
    asked.add_argument("--resume", action="store_true", help="what stands in --json is not run again")
    given = asked.parse_args()
    if given.resume and not given.json:
        asked.error("--resume goes on with the file that --json names")
    return given


def kept(given: argparse.Namespace) -> dict[str, dict]:
    """What stands in --json, where it is of the same workloads."""
    if not given.resume or not given.json.exists():
        return {}
    before = json.loads(given.json.read_text())
    if before["of"] != workloads(given):
        sys.exit(f"hosts: {given.json} is of {before['of']}, not of {workloads(given)}; name another file, "
                 "or leave --resume out")
    return before["scenarios"]


def keep(given: argparse.Namespace, scenarios: dict[str, dict]) -> None:
    if not given.json:
        return
    new = given.json.with_suffix(".new")
    new.write_text(json.dumps({"of": workloads(given), "scenarios": scenarios}, indent=1))
    new.replace(given.json)  # whoever is killed meanwhile loses nothing


def workloads(given: argparse.Namespace) -> dict:
    return {"seeds": given.seeds, "made": list(given.made), "days": given.days}


def named(wanted: list[Case], texts: list[str]) -> list[Case]:
    return [case for case in wanted if any(text in case.name() for text in texts)]


def all_measured(runs: Study, wanted: list[Case], pool: ThreadPoolExecutor) -> dict[str, dict]:
    """By the scenarios' names, in their order, told as they are done."""
    given = runs.given
    known = kept(given)
    for case in wanted:
        runs.traces(case)  # made by one thread alone
    coming = {case.name(): pool.submit(runs.measure, case) for case in wanted if case.name() not in known}
    found = {}
    for name in (case.name() for case in wanted):
        found[name] = known[name] if name in known else coming[name].result()
        told([measured.line(name, found[name])])
        keep(given, {**known, **found})
    return found


def main() -> None:
    given = asked_for()
    nasa = "LEASEHOLD_TRACES" in os.environ and (Path(os.environ["LEASEHOLD_TRACES"]) / NASA).exists()
    bad = []
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(given.at_once) as pool:
        runs = Study(Path(folder), given)
        told([measured.table_head(measured.COLUMNS)])
        wanted = named(cases(given.hosts_of, given.short, nasa), given.only)
        if unknown := [text for text in given.only if not named(wanted, [text])]:
            sys.exit("hosts: no scenario has " + " or ".join(map(repr, unknown)) + " in its name")
        try:
            found = all_measured(runs, wanted, pool)
        except BaseException:
            pool.shutdown(cancel_futures=True)  # not an hour of others first
            raise
        told(["", measured.table_head(measured.OTHER_COLUMNS)])
        told([measured.other_line(name, one) for name, one in found.items()])
        told(["", measured.table_head(liar.COLUMNS)])
        loads_of_liars = LOADS[:1] if given.short else LOADS[:2]
        liars = named([Case(kind, 16, loads) for kind, loads in product(workload.WIDTHS, loads_of_liars)], given.only)
        for case in liars:
            runs.traces(case)
        for lines, above in pool.map(runs.lies, liars):
            told(lines)
            bad += above
    told(["", *measured.summary(found)])
    if bad:
        sys.exit("a lie cost more than its bound: " + ", ".join(bad))
    if more := [name for name, one in found.items() if one["full"] < 0.7 and one["mean"][measured.OWN]["slots_moved"]
                > one["mean"][measured.LSF]["slots_moved"]]:
        sys.exit("more slots moved than by the idle comparison: " + ", ".join(more))


if __name__ == "__main__":
    main()
