"""What a scenario's runs come to: figures of each rule, what was asked of demand-aware, and tables of them.

A rule here is a name of leasectl's, or FIRST: demand-aware with provider_first, which is a run of its own.
"""
import statistics

import in_vain
import study

LSF, CALM, OWN, FIRST = "idle-comparison", "idle-comparison-calm", "demand-aware", "provider-first"
RULES = ("isolated", LSF, CALM, OWN, FIRST, "pooled")
# Student's t, 97.5 %, by degrees of freedom from 1 on; the last for more.
T_975 = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145,
         2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045)


def runs_of(answer: dict) -> list[dict]:
    """Of each seed what came of each rule."""
    return [{one["rule"]: one for one in run["outcomes"]} for run in answer["runs"]]


def interval(values: list[float]) -> tuple[float, float]:
    """The mean, and half the width of its 95 % interval."""
    if len(values) < 2:
        return values[0], 0.0
    half = T_975[min(len(values) - 2, len(T_975) - 1)] * statistics.stdev(values) / len(values) ** 0.5
    return statistics.mean(values), half


def of_cluster(outcome: dict, name: str) -> dict:
    return next(each for each in outcome["clusters"] if each["cluster"] == name)


def least_wait(lent_nothing: dict, all_lent: dict) -> float:
    """What no lending comes below, but for accidents of the order of jobs: the provider waits as if it lent
    nothing, the consumer as if it had all that is exported for itself, all the time. Mean over all jobs."""
    waits = []
    for own, lent in zip(runs_of(lent_nothing), runs_of(all_lent)):
        best = (of_cluster(own["isolated"], "provider"), of_cluster(lent["isolated"], "consumer"))
        waits.append(sum(one["wait_mean_s"] * one["jobs"] for one in best) / sum(one["jobs"] for one in best))
    return statistics.mean(waits)


def measured(answer: dict, first: dict, all_lent: dict) -> dict:
    """Means over the seeds. `first`: the answer with provider_first; `all_lent`: with the exported slots the
    consumer's own."""
    runs = [{**own, FIRST: taken["demand-aware"]} for own, taken in zip(runs_of(answer), runs_of(first))]
    mean = {rule: {key: statistics.mean(run[rule][key] for run in runs) for key in (
        "wait_mean_s", "wait_p95_s", "slots_moved", "utilization", "jobs_requeued", "requeued_slot_seconds",
        "bounded_slowdown_mean", "jobs")} for rule in RULES}
    waits = {rule: mean[rule]["wait_mean_s"] for rule in RULES}
    gap = waits["isolated"] - waits["pooled"]
    losses = {rule: [study.waits_of_provider(run[rule]) - study.waits_of_provider(run["isolated"]) for run in runs]
              for rule in RULES}
    against = {rule: interval([100 * (run[rule]["wait_mean_s"] - run[LSF]["wait_mean_s"]) / waits[LSF]
                               for run in runs]) for rule in (CALM, OWN, FIRST)}
    more_lost = interval([own - lsf for own, lsf in zip(losses[OWN], losses[LSF])])
    least_s = least_wait(answer, all_lent)
    # What all slots could have done while the run lasted, less what they did.
    work = statistics.mean(run[FIRST]["utilization"] * run[FIRST]["makespan_s"] for run in runs)
    return {"mean": mean, "waits": waits, "least": least_s, "against": against,
            "verdict": {rule: verdict(*against[rule]) for rule in against},
            "possible": min(100.0, 100 * (waits["isolated"] - least_s) / gap),
            "full": mean["pooled"]["utilization"], "work_s": work,
            "closed": {rule: 100 * (waits["isolated"] - waits[rule]) / gap for rule in RULES},
            "loss": {rule: statistics.mean(losses[rule]) for rule in RULES}, "more_lost": more_lost}


def verdict(percent: float, half: float) -> str:
    return "worse" if percent - half > 1 else "better" if percent + half < -1 else "alike"


def misses(one: dict) -> list[str]:
    """What was asked of the rule in each scenario (README.md), as far as it does not come to that."""
    most = 0.1 if one["full"] < 0.7 else 0.5
    moved = {rule: one["mean"][rule]["slots_moved"] for rule in (LSF, OWN)}
    return [name for name, missed in (
        ("wait", one["verdict"][OWN] == "worse"),
        ("moved", moved[OWN] > most * moved[LSF]),
        ("gap", one["closed"][OWN] < min(85.0, one["possible"])),
        ("loss", one["loss"][OWN] > max(0.0, one["loss"][LSF])),
        ("first", one["loss"][FIRST] > one["first_most_s"])) if missed]


COLUMNS = ("scenario", "pool full", "isolated", "LSF's", "by demand", "pooled", "least",
           "less LSF's, %", "closed by LSF's", "by demand", "possible", "loss by LSF's",
           "by demand", "moved by LSF's", "by demand", "misses")


def cells(name: str, one: dict) -> list[str]:
    closed, loss, mean = one["closed"], one["loss"], one["mean"]
    percent, half = one["against"][OWN]
    waits = (one["waits"][rule] for rule in ("isolated", LSF, OWN, "pooled"))
    return [name, f"{100 * one['full']:.0f} %", *(f"{wait:.0f}" for wait in waits),
             f"{one['least']:.0f}", f"{percent:+.1f} ± {half:.1f}",
             *(f"{share:.0f} %" for share in (closed[LSF], closed[OWN], one["possible"])),
             f"{loss[LSF]:+.0f}", f"{loss[OWN]:+.0f}",
             f"{mean[LSF]['slots_moved']:.0f}", f"{mean[OWN]['slots_moved']:.0f}", ", ".join(misses(one)) or "-"]


OTHER_COLUMNS = ("scenario", "calmed LSF's: wait", "less LSF's, %", "loss", "moved",
                 "provider_first: wait", "less LSF's, %", "loss", "moved", "runs begun again", "lost of the work",
                 "ended in vain")


def other_cells(name: str, one: dict) -> list[str]:
    """The rules that stand beside: LSF's with min_hold and dead_zone, and demand-aware with provider_first."""
    row = [name]
    for rule in (CALM, FIRST):
        percent, half = one["against"][rule]
        row += [f"{one['waits'][rule]:.0f}", f"{percent:+.1f} ± {half:.1f}", f"{one['loss'][rule]:+.0f}",
                  f"{one['mean'][rule]['slots_moved']:.0f}"]
    first = one["mean"][FIRST]
    return row + [f"{100 * first['jobs_requeued'] / first['jobs']:.1f} %",
                  f"{100 * first['requeued_slot_seconds'] / (one['work_s'] * one['slots']):.1f} %",
                  in_vain.cell(one["in_vain"])]


def summary(found: dict[str, dict]) -> list[str]:
    lines = []
    for rule in (CALM, OWN, FIRST):
        counts = {kind: sum(one["verdict"][rule] == kind for one in found.values())
                  for kind in ("better", "alike", "worse")}
        lines.append(f"{rule}: mean wait against idle-comparison, of {len(found)}: "
                     + ", ".join(f"{kind} {count}" for kind, count in counts.items()))
    for rule in (LSF, CALM, OWN, FIRST):
        closed = [one["closed"][rule] for one in found.values()]
        loss = [one["loss"][rule] for one in found.values()]
        lines.append(f"{rule}: closed {statistics.median(closed):.1f} % in the median, {min(closed):.1f} % in the "
                     f"worst; slots moved {sum(one['mean'][rule]['slots_moved'] for one in found.values()):.0f}; loss "
                     f"of the provider {statistics.median(loss):.0f} s in the median, {max(loss):.0f} s at most")
    surely = sum(one["more_lost"][0] - one["more_lost"][1] > 0 for one in found.values())
    more = [one["loss"][OWN] - one["loss"][LSF] for one in found.values()]
    means = [statistics.mean(one["loss"][rule] for one in found.values()) for rule in (OWN, LSF)]
    lines.append(f"the provider loses less than by idle-comparison in {sum(s < 0 for s in more)}, more in "
                 f"{sum(s > 0 for s in more)}, beyond chance in {surely}; {statistics.median(more):+.1f} s in the "
                 f"median of the differences; {means[0]:.0f} s beside {means[1]:.0f} in the mean")
    lines.append("provider-first: " + in_vain.summary([one["in_vain"] for one in found.values()]))
    for kind in ("wait", "moved", "gap", "loss", "first"):
        those = [name for name, one in found.items() if kind in misses(one)]
        lines.append(f"misses {kind}: {len(those)}: " + ("; ".join(those) or "none"))
    return lines


def table(columns: tuple[str, ...], rows: list[list[str]]) -> str:
    return "\n".join(f"| {' | '.join(row)} |" for row in (columns, ["---"] * len(columns), *rows))
