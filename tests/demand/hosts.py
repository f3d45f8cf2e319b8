"""demand-aware beside the idle comparison where jobs lie host by host, with EASY backfilling.

A line a scenario, each with several workloads, days drawn anew: hosts of 4 to 128 slots, two made workloads
(workload.py) and a recorded one, four pairs of loads; delays, transfer times and estimates of run times. Then the
rules that stand beside, scenarios with plans (plans.py), a consumer that lies (liar.py), what was asked of the rule,
and which scenarios miss it. Fails as study.py does, and where a lie costs more than its bound.
"""
import argparse
import functools
import json
import os
import sys
import tempfile
import time
import tomllib
from concurrent.futures import ThreadPoolExecutor, as_completed
from itertools import product
from pathlib import Path
from typing import Callable, NamedTuple

import in_vain
import liar
import measured
import plans
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
        vain = in_vain.counted(self.text(case, policy=FIRST, compare=(measured.OWN,)),
                               1000 * (GRACE_S + transfer_s), self.given.reclaims)
        return {**measured.measured(answer, first, lent), "slots": 3 * case.slots(), "in_vain": vain,
                "first_most_s": delay_s + GRACE_S + LEEWAY_S + transfer_s}

    def measure_plan(self, case: plans.Case) -> dict:
        return plans.measure(case, self.traces_of_plan(case), self.folder / f"{case.name().replace('/', '-')}.toml",
                             self.given.seeds, self.given.reclaims)

    def traces_of_plan(self, case: plans.Case) -> tuple[Path, Path]:
        return tuple(self.made(kind, seed, "wrong") for kind, seed in zip(case.kinds, self.given.made))

    def lies(self, case: Case) -> dict[str, list]:
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


def asked_for() -> argparse.Namespace:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--seeds", type=int, default=10, help="workloads a scenario")
    asked.add_argument("--made", type=int, nargs=2, default=(1, 2), metavar="SEED",
                       help="of the provider's trace and of the consumer's")
    asked.add_argument("--days", type=int, default=14)
    asked.add_argument("--hosts-of", type=int, nargs="+", default=HOST_SLOTS, metavar="SLOTS")
    asked.add_argument("--short", action="store_true", help="one delay and transfer time, wrong estimates, one liar")
    asked.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N", help="scenarios at once")
    asked.add_argument("--reclaims", type=int, default=100, metavar="N",
                       help="of a scenario's reclaims that ended work so many are looked at, over the whole run")
    asked.add_argument("--only", nargs="+", default=[""], metavar="TEXT",
                       help="scenarios whose names have one of these")
    asked.add_argument("--json", type=Path, help="written as the scenarios are done")
    asked.add_argument("--resume", action="store_true", help="what stands in --json is not run again")
    asked.add_argument("--figures", type=Path, metavar="FOLDER", help="the tables, as tab-separated files")
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
    return {"seeds": given.seeds, "made": list(given.made), "days": given.days, "reclaims": given.reclaims}


class Task(NamedTuple):
    name: str
    run: Callable[[], dict]


class Tasks(NamedTuple):
    """In the order of their tables."""
    scenarios: list[Task]
    plans: list[Task]
    liars: list[Task]

    def all(self) -> list[Task]:
        return [*self.scenarios, *self.plans, *self.liars]


def tasks_of(runs: Study) -> Tasks:
    """Traces are made here, by one thread alone."""
    given = runs.given
    nasa = "LEASEHOLD_TRACES" in os.environ and (Path(os.environ["LEASEHOLD_TRACES"]) / NASA).exists()
    liars = [Case(kind, 16, loads) for kind, loads in product(workload.WIDTHS, LOADS[:1 if given.short else 2])]
    of_plans = plans.CASES[-1:] if given.short else plans.CASES
    tasks = Tasks([Task(case.name(), functools.partial(runs.measure, case))
                   for case in cases(given.hosts_of, given.short, nasa)],
                  [Task(case.name(), functools.partial(runs.measure_plan, case)) for case in of_plans],
                  [Task(f"liar: {case.name()}", functools.partial(runs.lies, case)) for case in liars])
    if unknown := [text for text in given.only if not any(text in task.name for task in tasks.all())]:
        sys.exit("hosts: no scenario has " + " or ".join(map(repr, unknown)) + " in its name")
    wanted = Tasks(*([task for task in each if any(text in task.name for text in given.only)] for each in tasks))
    for case in cases(given.hosts_of, given.short, nasa) + liars:
        runs.traces(case)
    for case in of_plans:
        runs.traces_of_plan(case)
    return wanted


def all_found(given: argparse.Namespace, tasks: list[Task]) -> dict[str, dict]:
    """By name. What is done, and about how long the rest takes, is told as it goes."""
    found = kept(given)
    coming_tasks = [task for task in tasks if task.name not in found]
    began = time.monotonic()
    with ThreadPoolExecutor(given.jobs) as pool:
        coming = {pool.submit(task.run): task.name for task in coming_tasks}
        try:
            for done, future in enumerate(as_completed(coming), 1):
                found[coming[future]] = future.result()
                keep(given, found)
                passed_s = time.monotonic() - began
                left_s = passed_s / done * (len(coming_tasks) - done)
                print(f"{len(tasks) - len(coming_tasks) + done} of {len(tasks)} done: {coming[future]}; "
                      f"{passed_s / 60:.0f} minutes so far, about {left_s / 60:.0f} left", file=sys.stderr, flush=True)
        except BaseException:
            pool.shutdown(cancel_futures=True)  # not an hour of others first
            raise
    return found


def tables_of(found: dict[str, dict], tasks: Tasks) -> dict[str, tuple[tuple[str, ...], list[list[str]]]]:
    """By the name of the file in figures/."""
    own = {task.name: found[task.name] for task in tasks.scenarios}
    return {"hosts": (measured.COLUMNS, [measured.cells(name, one) for name, one in own.items()]),
            "other_rules": (measured.OTHER_COLUMNS, [measured.other_cells(name, one) for name, one in own.items()]),
            "plans": (plans.COLUMNS, [plans.cells(task.name, found[task.name]) for task in tasks.plans]),
            "liar": (liar.COLUMNS, [row for task in tasks.liars for row in found[task.name]["rows"]])}


def main() -> None:
    given = asked_for()
    with tempfile.TemporaryDirectory() as folder:
        tasks = tasks_of(Study(Path(folder), given))
        found = all_found(given, tasks.all())
    for name, (columns, rows) in tables_of(found, tasks).items():
        print(measured.table(columns, rows) + "\n")
        if given.figures:
            (given.figures / f"{name}.tsv").write_text("".join("\t".join(row) + "\n" for row in (columns, *rows)))
    own = {task.name: found[task.name] for task in tasks.scenarios}
    if own:
        print("\n".join(measured.summary(own)))
    if tasks.plans:
        print("plans: " + in_vain.summary([found[task.name]["in_vain"] for task in tasks.plans]))
    if bad := [name for task in tasks.liars for name in found[task.name]["bad"]]:
        sys.exit("a lie cost more than its bound: " + ", ".join(bad))
    if more := [name for name, one in own.items() if one["full"] < 0.7 and one["mean"][measured.OWN]["slots_moved"]
                > one["mean"][measured.LSF]["slots_moved"]]:
        sys.exit("more slots moved than by the idle comparison: " + ", ".join(more))


if __name__ == "__main__":
    main()
