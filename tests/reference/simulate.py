#!/usr/bin/env python3
"""A second, independent program for `leasectl simulate` (rules isolated, idle-comparison, pooled).

Written from schema/README.md, "Simulated time", alone, in the plainest form there is: lists, a scan of
the whole queue at each start, one loop over instants. Slow on purpose. Prints the answer as JSON.

    simulate.py SCENARIO.toml
"""
import gzip
import json
import math
import os
import re
import sys
import tomllib

UNITS = {"ms": 1, "s": 1000, "m": 60000, "h": 3600000, "d": 86400000}


def duration_ms(text):
    parts = re.findall(r"(\d+)(ms|s|m|h|d)", text)
    assert parts and "".join(n + u for n, u in parts) == text, text
    return sum(int(n) * UNITS[u] for n, u in parts)


def to_ms(text):
    """Seconds, perhaps with decimals, as milliseconds; what is finer is cut off."""
    sign = -1 if text.startswith("-") else 1
    whole, _, part = text.lstrip("+-").partition(".")
    return sign * (int(whole or "0") * 1000 + int((part + "000")[:3]))


def trace_lines(path):
    opened = gzip.open(path, "rt") if path.endswith(".gz") else open(path)
    with opened as file:
        for line in file:
            fields = line.split(";")[0].split()
            if fields:
                yield fields + ["-1"] * (18 - len(fields))


class Job:
    def __init__(self, arrival, run, width, cluster):
        self.arrival = arrival
        self.run = run
        self.width = width
        self.cluster = cluster
        self.started = None
        self.taken = []  # (pool, slots)

    def key(self):
        return (self.arrival, self.run, self.width, self.cluster)


def read_jobs(folder, scenario, number):
    """The kept jobs of one cluster, and how many lines were skipped before the last of them."""
    cluster = scenario["cluster"][number]
    if "trace" not in cluster:
        return [], 0
    widest = cluster["slots"]
    if widest == 0:
        widest = sum(p["slots"] for p in scenario.get("export_policy", [])
                     if p["provider"] == cluster["name"])
    jobs, skipped, skipped_so_far, first = [], 0, 0, None
    for fields in trace_lines(os.path.join(folder, cluster["trace"])):
        submit, run = to_ms(fields[1]), to_ms(fields[3])
        width = int(fields[4]) if int(fields[4]) > 0 else int(fields[7])
        if width <= 0 or run <= 0 or width > widest:
            skipped_so_far += 1
            continue
        if first is None:
            first = submit
        arrival = math.floor((submit - first) / cluster.get("load", 1.0))
        jobs.append(Job(arrival, run, width, number))
        skipped = skipped_so_far
        if len(jobs) == cluster.get("jobs"):
            break
    return sorted(jobs, key=Job.key), skipped


class Pool:
    """Slots that one cluster may use: its own, or its part of an export."""

    def __init__(self, limit):
        self.limit = limit
        self.used = 0

    def idle(self):
        return max(0, self.limit - self.used)


class Site:
    """A queue, and the pools its jobs may run in, in the order in which they are taken."""

    def __init__(self, pools):
        self.pools = pools
        self.queue = []
        self.running = []

    def complete(self, now, ended):
        for job in [j for j in self.running if j.started + j.run <= now]:
            self.running.remove(job)
            for pool, slots in job.taken:
                pool.used -= slots
            ended.append(job)

    def start(self, now):
        waiting = []
        for job in sorted(self.queue, key=Job.key):
            if job.width > sum(p.idle() for p in self.pools):
                waiting.append(job)
                continue
            need = job.width
            for pool in self.pools:
                slots = min(need, pool.idle())
                if slots:
                    pool.used += slots
                    job.taken.append((pool, slots))
                    need -= slots
            job.started = now
            self.running.append(job)
        self.queue = waiting


class Lease:
    def __init__(self, slots, initial, shared):
        self.shared = shared
        initial = min(initial, slots) if shared else slots
        self.provider = Pool(slots - initial)
        self.consumer = Pool(initial)
        self.made = False
        self.arriving = None  # (instant, winner, slots)

    def evaluate(self, now, transfer_time):
        """Slots moved."""
        if not self.shared or not self.made or self.arriving:
            return 0
        a, b = self.provider.idle(), self.consumer.idle()
        if a == b:
            return 0
        loser, winner = (self.provider, self.consumer) if a > b else (self.consumer, self.provider)
        moved = max(a, b)
        loser.limit -= moved
        self.arriving = (now + transfer_time, winner, moved)
        self.arrive(now)
        return moved

    def arrive(self, now):
        if self.arriving and self.arriving[0] <= now:
            self.arriving[1].limit += self.arriving[2]
            self.arriving = None


class Run:
    """One loop over instants, for every rule."""

    def __init__(self, sites, leases, jobs, delay, transfer_time):
        self.sites, self.leases, self.delay, self.transfer_time = sites, leases, delay, transfer_time
        self.coming = sorted(jobs, key=lambda pair: pair[1].arrival)  # (site, job)
        self.ended, self.flips, self.moved, self.inactive = [], 0, 0, 0

    def instants(self, next_evaluation, position):
        yield from (job.started + job.run for site in self.sites for job in site.running)
        yield from (lease.arriving[0] for lease in self.leases if lease.arriving)
        if position < len(self.coming):
            yield self.coming[position][1].arrival
        if self.leases:
            yield next_evaluation

    def go(self):
        position, next_evaluation = 0, self.delay
        while len(self.ended) < len(self.coming):
            now = min(self.instants(next_evaluation, position))
            for lease in self.leases:
                lease.arrive(now)
            for site in self.sites:
                site.complete(now, self.ended)
            while position < len(self.coming) and self.coming[position][1].arrival <= now:
                site, job = self.coming[position]
                site.queue.append(job)
                position += 1
            self.start(now)
            if now == next_evaluation:
                next_evaluation += self.delay
                self.evaluate(now)
                self.start(now)
        return self

    def start(self, now):
        for site in self.sites:
            site.start(now)
        for lease in self.leases:
            lease.made = lease.made or lease.consumer.used > 0

    def evaluate(self, now):
        for lease in self.leases:
            moved = lease.evaluate(now, self.transfer_time)
            self.flips += moved > 0
            self.moved += moved
            self.inactive += moved * self.transfer_time


def set_up(rule, scenario, arrivals):
    clusters, policies = scenario["cluster"], scenario.get("export_policy", [])
    if rule == "pooled":
        everything = sum(c["slots"] for c in clusters) + sum(p["slots"] for p in policies)
        site = Site([Pool(everything)])
        return [site], [], [(site, job) for jobs in arrivals for job in jobs]
    sites, leases = [Site([Pool(c["slots"])]) for c in clusters], []
    number = {c["name"]: i for i, c in enumerate(clusters)}
    for policy in policies:
        provider = sites[number[policy["provider"]]]
        if rule == "isolated":
            provider.pools.append(Pool(policy["slots"]))
            continue
        consumers = [d["cluster"] for d in policy["distribution"] if d["cluster"] != policy["provider"]]
        assert len(consumers) == 1, "this program knows policies with one consumer"
        lease = Lease(policy["slots"], policy.get("initial_slots", 1), policy.get("type") == "shared")
        leases.append(lease)
        provider.pools.append(lease.provider)
        sites[number[consumers[0]]].pools.append(lease.consumer)
    return sites, leases, [(sites[i], job) for i, jobs in enumerate(arrivals) for job in jobs]


def mean_s(milliseconds, count):
    return milliseconds / (count * 1000) if count else 0.0


def measure(rule, scenario, run, skipped, dropped):
    ended = run.ended
    waits = sorted(job.started - job.arrival for job in ended)
    slots = sum(c["slots"] for c in scenario["cluster"])
    slots += sum(p["slots"] for p in scenario.get("export_policy", []))
    makespan = max((job.started + job.run for job in ended), default=0)
    slowdowns = [max(1.0, (job.started - job.arrival + job.run) / max(job.run, 10000)) for job in ended]
    clusters = []
    for i, cluster in enumerate(scenario["cluster"]):
        own = [job.started - job.arrival for job in ended if job.cluster == i]
        clusters.append({"cluster": cluster["name"], "jobs": len(own),
                         "wait_mean_s": mean_s(sum(own), len(own))})
    count = len(ended)
    return {
        "rule": rule, "jobs": count, "skipped": skipped, "dropped": dropped,
        "wait_mean_s": mean_s(sum(waits), count),
        "wait_p95_s": waits[math.floor(0.95 * count)] / 1000 if count else 0.0,
        "bounded_slowdown_mean": math.fsum(slowdowns) / count if count else 0.0,
        "utilization": sum(j.width * j.run for j in ended) / (slots * makespan) if count else 0.0,
        "makespan_s": makespan / 1000, "flips": run.flips, "slots_moved": run.moved,
        "inactive_slot_seconds": run.inactive / 1000, "clusters": clusters}


def simulate(path):
    with open(path, "rb") as file:
        scenario = tomllib.load(file)
    settings = scenario.get("simulation", {})
    delay = duration_ms(settings.get("reclaim_delay", "10m"))
    transfer_time = duration_ms(settings.get("transfer_time", "0s"))
    answer = []
    for rule in settings.get("compare", ["isolated", "idle-comparison", "pooled"]):
        read = [read_jobs(os.path.dirname(path), scenario, i) for i in range(len(scenario["cluster"]))]
        arrivals = [jobs for jobs, _ in read]
        last = [jobs[-1].arrival for jobs in arrivals if jobs]
        until = duration_ms(settings["until"]) if "until" in settings else min(last, default=0)
        dropped = sum(job.arrival > until for jobs in arrivals for job in jobs)
        arrivals = [[job for job in jobs if job.arrival <= until] for jobs in arrivals]
        run = Run(*set_up(rule, scenario, arrivals), delay, transfer_time).go()
        answer.append(measure(rule, scenario, run, sum(s for _, s in read), dropped))
    return answer


if __name__ == "__main__":
    print(json.dumps(simulate(sys.argv[1]), indent=2))
