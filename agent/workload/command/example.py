#!/usr/bin/python3
"""A complete adapter for manager = "command", over a toy scheduler in one JSON file:

    argv = ["/opt/site/command_example.py", "/var/lib/toy/state.json"]

Every function below the line is yours: replace its body by calls of your scheduler. What an agent
asks and what is right to answer: README.md beside this file.
"""
import fcntl
import json
import os
import sys
import time

VERSION = 1


def main() -> None:
    request = json.load(sys.stdin)
    if request["version"] != VERSION:
        sys.exit(f"I speak version {VERSION}, not {request['version']}")
    answer = ANSWERS[request["request"]](request)
    print(json.dumps({"version": VERSION, **answer}))


def describe(_) -> dict:
    return {"fences": {"memory": False, "swap": False, "resources": False},
            "settle_ms": 0,           # a fence holds as soon as enforce is answered
            "self_expiring": False,   # leased slots do not close without the agent
            "level": 2}               # interrupt may have the signal "none", and fate is known


def read(request) -> dict:
    with Toy() as toy:
        def load(host, imported):
            return {"host": host, "imported": imported, "up": host not in toy.down,
                    "used": toy.used(host)}
        return {
            "hosts": [{"name": host, "slots": slots, "up": host not in toy.down}
                      for host, slots in toy.hosts.items()],
            "loads": [load(host, False) for host in toy.hosts]
            + [load(host, True) for host in request["imported"] if host in toy.imported],
            "caps": [{"host": host, "imported": host not in toy.hosts, "slots": slots}
                     for host, slots in toy.caps.items()],
            "pending": sum(job["slots"] for job in toy.waiting()),
            "running": sum(toy.used(host) for host in [*toy.hosts, *toy.imported]),
            "shapes": shapes(toy)}  # may be left out: then all that waits is jobs of one slot


def shapes(toy) -> dict:
    def waits(job):  # as many jobs as are alike may be one row, with "jobs"
        # It wants them on one host; one that takes its host whole, whatever the size, says "whole": True.
        row = {"slots": job["slots"], "slots_per_host": job["slots"],
               "limit_s": max(1, int(job["run_s"]))}
        return {**row, "submitted_ms": int(job["submitted"] * 1000)} if "submitted" in job else row

    def runs(job):
        return {"id": job["id"], "slots": job["slots"], "started_ms": int(job["started"] * 1000),
                "until_ms": int((job["started"] + job["run_s"]) * 1000)}
    return {"now_ms": int(time.time() * 1000), "waiting": [waits(job) for job in toy.waiting()],
            "running": [runs(job) for job in toy.jobs if job["host"]]}


def enforce(request) -> dict:
    with Toy() as toy:
        for cap in request["caps"]:  # what is answered stands, so what cannot is an error
            if not cap["remove"] and cap["host"] not in [*toy.hosts, *toy.imported]:
                return {"error": f"there is no host {cap['host']} here"}
        for cap in request["caps"]:
            if cap["remove"]:  # an own host is free again, an imported one is closed
                toy.caps.pop(cap["host"], None)
            else:
                toy.caps[cap["host"]] = cap["slots"]
    return {}


def jobs(_) -> dict:
    def row(job):
        known = {key: job[key] for key in ("id", "slots", "comment") if key in job}
        if not job["host"]:
            return {**known, "hosts": [], "waits": "kept-back" if job.get("held") else "could-start"}
        place = {"host": job["host"], "slots": job["slots"]}
        if job.get("shared"):  # others may run on the same slots: what ends is chosen by slot
            place["shared"] = job["shared"]
        return {**known, "hosts": [place], "started_ms": int(job["started"] * 1000)}
    with Toy() as toy:
        return {"now_ms": int(time.time() * 1000), "jobs": [row(job) for job in toy.jobs]}


def interrupt(request) -> dict:
    with Toy() as toy:
        for job in toy.named(request["job"]):
            job["told"] = [request["signal"], request["grace_ms"]]
    return {}


def requeue(request) -> dict:
    with Toy() as toy:
        for job in toy.named(request["job"]):  # one that has ended meanwhile is no error
            job.update(host=None, started=None)
    return {}


def fate(request) -> dict:
    with Toy() as toy:  # it remembers what has ended; yours may ask its accounting
        for job in toy.jobs:
            if job["id"] == request["job"]:
                return {"fate": "runs" if job["host"] else "queued"}
        known = request["job"] in toy.done
        return {"fate": "ended-well", "exit_code": 0} if known else {"fate": "unknown"}


def permissions(_) -> dict:
    return {"lacking": [] if os.access(sys.argv[1], os.W_OK)
            else [f"{sys.argv[1]} cannot be written by this user"]}


ANSWERS = {"describe": describe, "read": read, "enforce": enforce, "jobs": jobs,
           "interrupt": interrupt, "requeue": requeue, "fate": fate, "permissions": permissions}

# ---- The toy scheduler: {"hosts": {"big1": 8}, "imported": ["big1@east"], "down": [], "caps": {},
#      "jobs": [{"id": "1", "slots": 2, "run_s": 60, "host": null, "started": null}]}; a job with
#      "shared": [0, 1] runs on just these slots of its host, beside others that name them too; one
#      that is "held" does not start; "submitted" is in seconds since 1970.


class Toy:
    """The state, locked; what is due happens first, and again before it is saved."""

    def __enter__(self):
        self.lock = open(sys.argv[1] + ".lock", "w", encoding="utf-8")
        fcntl.flock(self.lock, fcntl.LOCK_EX)
        with open(sys.argv[1], encoding="utf-8") as file:
            self.__dict__.update({"done": [], **json.load(file)})
        self.schedule()
        return self

    def __exit__(self, *_):
        self.schedule()
        state = {key: self.__dict__[key] for key in ("hosts", "imported", "down", "caps", "jobs", "done")}
        with open(sys.argv[1] + ".new", "w", encoding="utf-8") as file:
            json.dump(state, file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(sys.argv[1] + ".new", sys.argv[1])
        self.lock.close()

    def waiting(self):
        """What would start if it had slots: not what is held."""
        return [job for job in self.jobs if not job["host"] and not job.get("held")]

    def named(self, name):
        return [job for job in self.jobs if job["id"] == name and job["host"]]

    def used(self, host, *more):
        """By its jobs and these; a slot that several share counts once."""
        jobs = [job for job in self.jobs if job["host"] == host] + list(more)
        shared = {slot for job in jobs for slot in job.get("shared", [])}
        return len(shared) + sum(job["slots"] for job in jobs if not job.get("shared"))

    def cap(self, host):
        """Without a fence an own host is open, another cluster's is closed."""
        return self.caps.get(host, self.hosts.get(host, 0))

    def schedule(self):
        now = time.time()
        over = [job for job in self.jobs if job["host"] and job["started"] + job["run_s"] <= now]
        self.jobs = [job for job in self.jobs if job not in over]
        self.done = (self.done + [job["id"] for job in over])[-1000:]
        for job in self.waiting():
            for host in [*self.hosts, *self.imported]:
                if host not in self.down and self.used(host, job) <= self.cap(host):
                    job.update(host=host, started=now)
                    break


if __name__ == "__main__":
    main()
