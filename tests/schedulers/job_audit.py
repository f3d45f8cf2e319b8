"""What became of jobs, by three who tell of it: their scheduler, what they wrote themselves, and the broker's history.

A job that could run again was ended for nothing only so that it runs again; one that may run once ended for good only
where the history says so; and none has failed, since none fails by itself.
"""
from collections import Counter, defaultdict

ENDS = ("COMPLETED", "CANCELLED")


def facts_of(cluster) -> dict[str, dict[str, str]]:
    """Of all jobs that its controller remembers (MinJobAge), by number."""
    found = {}
    for line in cluster.run("scontrol", "-o", "show", "job", check=False).stdout.splitlines():
        facts = dict(word.split("=", 1) for word in line.split() if "=" in word)
        if "JobId" in facts and not facts.get("JobName", "").startswith("leasehold-"):
            found[facts["JobId"]] = facts
    return found


def fates_of(history: list[dict]) -> dict[tuple[str, str], Counter]:
    """By cluster and job. A line that was told twice has the same number."""
    told = {(row["cluster"], row["numbers"]["number"]): row for row in history if row["kind"] == "work-ended"}
    fates: dict[tuple[str, str], Counter] = defaultdict(Counter)
    for row in told.values():
        fates[row["cluster"], row["job"]][row["fate"]] += 1
    return fates


class Audit:
    def __init__(self, fates: dict[tuple[str, str], Counter], cancelled: set[tuple[str, str]]) -> None:
        """`cancelled`: whom an operator cancelled, who waited."""
        self.fates = fates
        self.cancelled = cancelled
        self.counts: Counter = Counter()
        self.wrong: list[str] = []

    def look(self, cluster: str, facts: dict[str, str], lines: list[str] | None) -> None:
        """At one job that is over. `lines`: what it wrote; None: it writes nothing."""
        job = facts["JobId"]
        told = self.fates.get((cluster, facts.get("HetJobId", job)), Counter())
        state, restarts = facts["JobState"], int(facts.get("Restarts", 0))
        self.counts[state.lower()] += 1
        self.counts["restarts"] += restarts

        def that(true: bool, what: str) -> None:
            if not true:
                self.wrong.append(f"{cluster}, job {job}: {what}; {state}, exit {facts.get('ExitCode')}, requeue "
                                  f"{facts.get('Requeue')}, {restarts} restarts, history {dict(told)}, wrote {lines}")
        that(state in ENDS, "it came to an end that no job of these has by itself")
        if state == "COMPLETED":
            that(facts.get("ExitCode") == "0:0", "it ended well, and not with 0")
            that(lines is None or lines[-1:] == ["finished"], "it ended well without its own end")
        if state == "CANCELLED" and (cluster, job) not in self.cancelled:
            that(told["ended"] + told["unknown"] > 0, "it was cancelled, and the history does not say so")
            that(facts.get("Requeue") == "0", "it was cancelled though it could run again")
        that(told["requeued"] <= restarts <= told["requeued"] + told["unknown"],
             "the history does not say as often that it was queued again")
        that(not told["failed"], "the history says that it failed")
        that(not told["ended-well"] or state == "COMPLETED", "the history says that it ended well")
        that(not told["ended"] or state == "CANCELLED", "the history says that it ended for good")

    def known(self, jobs: set[tuple[str, str]]) -> None:
        """Whoever the history names was there."""
        self.wrong += [f"{cluster}, job {job}: only the history knows it" for cluster, job in self.fates
                       if (cluster, job) not in jobs]
