"""A consumer that claims work it does not have, and what an honest provider loses by it.

The bound: work of one shape that leaves unused what it was given waits a delay, then two, four, up to 1,024
(broker/rules/demand_aware/README.md). So in a time T a shape is given slots but so often, never more than are
exported, and each time they are away for use_by and their way there and back.
"""
import statistics
from typing import Callable, NamedTuple

import measured
import study

# Of the consumer: jobs, slots of each, and after how many seconds they have others (simulate/watchers.hpp).
CLAIMS = {
    "single slots": [(100000, 1, 0)],
    "16 shapes": [(100, slots, 0) for slots in (
        1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256)],
    "another each minute": [(100000, 1, 60)],
    "one too wide": [(1, 400, 0)],
}
SHAPES = {"single slots": 1, "16 shapes": 16}  # that back off
DOUBLINGS_MOST = 10
USE_BY_S = 60
COLUMNS = ("scenario", "claimed besides", "provider's wait alone", "by LSF's", "of that by the claim", "by demand",
           "of that by the claim", "slots away in vain", "at most")


class Scenario(NamedTuple):
    name: str
    text: Callable[..., str]  # of the rules that are compared
    seeds: int
    exported: int
    delay_s: float
    transfer_s: float


def grants_most(length_s: float, delay_s: float) -> int:
    """How often one shape is given slots that it does not use."""
    grants, at, wait = 0, 0.0, delay_s
    while at <= length_s:
        grants += 1
        at += USE_BY_S + wait
        wait = min(2 * wait, delay_s * 2 ** DOUBLINGS_MOST)
    return grants


def runs_with(scenario: Scenario, claims: list[tuple[int, int, int]], rules: tuple[str, ...]) -> list[dict]:
    """Whose consumer claims that besides."""
    words = [str(word) for claim in claims for word in ("--claim", "consumer", *claim)]
    return measured.runs_of(study.asked_of_study(scenario.text(compare=rules), "--seeds", str(scenario.seeds), *words))


def away(scenario: Scenario, runs: list[dict]) -> tuple[float, float]:
    """Of the exported slots' time: what came back unused was away for; and the most that one shape can have."""
    each_s = USE_BY_S + 2 * scenario.transfer_s
    own = [run[measured.OWN] for run in runs]
    return (statistics.mean(one["slots_unused"] * each_s / (scenario.exported * one["makespan_s"]) for one in own),
            statistics.mean(grants_most(one["makespan_s"], scenario.delay_s) * each_s / one["makespan_s"]
                            for one in own))


def look(scenario: Scenario) -> dict[str, list]:
    """A row a claim, and what is above its bound. What honest work leaves unused comes on top of that."""
    rules = (measured.LSF, measured.OWN)
    honest = runs_with(scenario, [], ("isolated", *rules))
    waits_of = {rule: statistics.mean(study.waits_of_provider(run[rule]) for run in honest)
                for rule in ("isolated", *rules)}
    in_vain = away(scenario, honest)[0]
    rows, bad = [row(scenario.name, "nothing", waits_of, waits_of, in_vain, None)], []
    for claim, claims in CLAIMS.items():
        runs = runs_with(scenario, claims, rules)
        waits = {rule: statistics.mean(study.waits_of_provider(run[rule]) for run in runs) for rule in rules}
        share, most = away(scenario, runs)
        bound = SHAPES[claim] * most if claim in SHAPES else None
        rows.append(row(scenario.name, claim, waits_of, waits, share, bound))
        if bound is not None and share > bound + in_vain:
            bad.append(f"{scenario.name}, {claim}")
    return {"rows": rows, "bad": bad}


def row(name: str, claim: str, honest: dict, waits: dict, share: float, bound: float | None) -> list[str]:
    cells = [name, claim, f"{honest['isolated']:.0f}"]
    for rule in (measured.LSF, measured.OWN):
        cells += [f"{waits[rule]:.0f}", f"{waits[rule] - honest[rule]:+.0f}"]
    return cells + [f"{100 * share:.2f} %", "-" if bound is None else f"{100 * bound:.2f} %"]
