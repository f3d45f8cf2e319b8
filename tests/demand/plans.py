"""Scenarios with resource plans, host by host: under the plan, and beside it as leases of the same slots.

The rule `plan` goes by shapes there, as jobs lie on hosts. Every leaf's work has the grace.
"""
import statistics
from pathlib import Path
from typing import NamedTuple

import in_vain
import measured
import study

PLAN = "plan"
RULES = ("isolated", measured.LSF, measured.OWN, PLAN, "pooled")
CYCLE, GRACE_S, TRANSFER_S = "10s", 120, 30
ALL = 256  # exported slots


class Case(NamedTuple):
    what: str
    policy: str
    provider: str              # its leaf's settings
    consumer: str
    kinds: tuple[str, str]     # of the provider's jobs and of the consumer's
    loads: tuple[float, float]
    consumer_host: int = 16    # slots of each of its own hosts, by which its jobs are laid; the others have 16

    def name(self) -> str:
        return f"plan, {self.what}, {self.loads[0]}/{self.loads[1]}"

    def text(self) -> str:
        leaves = "".join(f'[[consumer]]\npath = "/{name}"\ncluster = "{name}"\nreclaim_grace = "{GRACE_S}s"\n{settings}'
                         for name, settings in (("provider", self.provider), ("consumer", self.consumer)))
        return (f'[[resource_group]]\nname = "group"\npolicies = ["pool"]\npolicy = "{self.policy}"\n'
                f'cycle = "{CYCLE}"\n{leaves}')


LENDER = f"owned = {ALL}\nlend_limit = {ALL}\n"
BORROWER = f"owned = 0\nborrow_limit = {ALL}\n"
BOTH = f"owned = {ALL // 2}\nlend_limit = {ALL // 2}\nborrow_limit = {ALL // 2}\n"
CASES = (
    Case("a lender", "ownership", LENDER, BORROWER, ("narrow", "narrow"), (0.8, 1.2)),
    Case("shares", "share-ratio", "share_ratio = 1\n", "share_ratio = 1\n", ("narrow", "narrow"), (1.2, 1.5)),
    Case("wide work that fits nowhere", "ownership", BOTH, BOTH, ("narrow", "wide"), (1.2, 1.2), 64),
    Case("the owner's wide work", "ownership", LENDER, BORROWER, ("wide", "narrow"), (0.8, 1.2)),
)


def text(case: Case, traces: tuple[Path, Path], plan: Path, compare: tuple[str, ...] = RULES) -> str:
    plan.write_text(case.text())
    scenario = study.scenario(traces, 1_000_000, case.loads, "5m", f"{TRANSFER_S}s", ALL, ALL // 16,
                              f'backfill = "easy"\nplan = "{plan}"\n', compare)
    own = f'name = "consumer"\nslots = {ALL}\nhosts = '
    assert scenario.count(own) == 1
    return scenario.replace(f"{own}{ALL // 16}", f"{own}{ALL // case.consumer_host}")


def measure(case: Case, traces: tuple[Path, Path], plan: Path, seeds: int, reclaims_most: int) -> dict:
    runs = measured.runs_of(study.asked_of_study(text(case, traces, plan), "--seeds", str(seeds)))
    mean = {rule: {key: statistics.mean(run[rule][key] for run in runs) for key in (
        "wait_mean_s", "slots_moved", "utilization", "makespan_s", "jobs_requeued", "requeued_slot_seconds", "jobs")}
            for rule in RULES}
    waits = {rule: {name: statistics.mean(measured.of_cluster(run[rule], name)["wait_mean_s"] for run in runs)
                    for name in ("provider", "consumer")} for rule in RULES}
    against = measured.interval([100 * (run[PLAN]["wait_mean_s"] - run[measured.LSF]["wait_mean_s"])
                                 / mean[measured.LSF]["wait_mean_s"] for run in runs])
    vain = in_vain.counted(text(case, traces, plan, (PLAN,)), 1000 * (GRACE_S + TRANSFER_S), reclaims_most)
    return {"mean": mean, "waits": waits, "against": against, "in_vain": vain}


COLUMNS = ("scenario", "pool full", "isolated", "LSF's", "by demand", "by plan", "pooled", "plan less LSF's, %",
           "provider: isolated", "LSF's", "by demand", "by plan", "consumer: isolated", "LSF's", "by demand", "by plan",
           "moved by LSF's", "by demand", "by plan", "runs begun again", "lost of the work", "ended in vain")


def cells(name: str, one: dict) -> list[str]:
    mean, waits, plan = one["mean"], one["waits"], one["mean"][PLAN]
    percent, half = one["against"]
    return [name, f"{100 * mean['pooled']['utilization']:.0f} %",
            *(f"{mean[rule]['wait_mean_s']:.0f}" for rule in RULES), f"{percent:+.1f} ± {half:.1f}",
            *(f"{waits[rule][cluster]:.0f}" for cluster in ("provider", "consumer") for rule in RULES[:-1]),
            *(f"{mean[rule]['slots_moved']:.0f}" for rule in (measured.LSF, measured.OWN, PLAN)),
            f"{100 * plan['jobs_requeued'] / plan['jobs']:.1f} %",
            f"{100 * plan['requeued_slot_seconds'] / (plan['utilization'] * plan['makespan_s'] * 3 * ALL):.1f} %",
            in_vain.cell(one["in_vain"])]
