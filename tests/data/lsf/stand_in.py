#!/usr/bin/python3 -IS
"""Stands in for LSF in tests: bhosts, bjobs, lshosts, bconf, bkill, bpost, brequeue, badmin, lsid and
lsclusters, by the name it is started as (standing.py), in the shapes that the LSF command
reference shows. It keeps its state in $LSF_ENVDIR/state.json and schedules whenever it is started.

    {"hosts": {"big1": {"mxj": 8, "closed": false}}, "jobs": [{"id": "1", "slots": 2, "run_s": 60,
     "queue": "normal", "host": null, "started": null, "signals": []}], "stale": {}}
"""
import fcntl
import json
import os
import sys
import time

STATE = os.environ["LSF_ENVDIR"] + "/state.json"


class Lsf:
    def __enter__(self):
        self.lock = open(STATE + ".lock", "w", encoding="utf-8")
        fcntl.flock(self.lock, fcntl.LOCK_EX)
        with open(STATE, encoding="utf-8") as file:
            self.state = json.load(file)
        self.hosts, self.jobs = self.state["hosts"], self.state["jobs"]
        self.schedule()
        return self

    def __exit__(self, *_):
        self.schedule()
        with open(STATE + ".new", "w", encoding="utf-8") as file:
            json.dump(self.state, file)
        os.replace(STATE + ".new", STATE)
        self.lock.close()

    def used(self, host):
        return sum(job["slots"] for job in self.jobs if job["host"] == host)

    def schedule(self):
        now = time.time()
        self.jobs[:] = [job for job in self.jobs
                        if not job["host"] or job["started"] + job["run_s"] > now]
        for job in self.jobs:
            for name, host in {} if job["host"] or job.get("reason") else self.hosts.items():
                if not host["closed"] and self.used(name) + job["slots"] <= host["mxj"]:
                    job.update(host=name, started=now)
                    break

    def job(self, name):
        found = [job for job in self.jobs if job["id"] == name]
        if not found:
            print(f"Job <{name}>: No matching job found", file=sys.stderr)
            sys.exit(255)
        return found[0]


def bhosts(lsf, _):
    print("HOST_NAME          STATUS       JL/U    MAX  NJOBS    RUN  SSUSP  USUSP    RSV ")
    for name, host in lsf.hosts.items():
        used = lsf.used(name)
        status = "closed_Adm" if host["closed"] else "closed_Full" if used >= host["mxj"] else "ok"
        print(f"{name:<18} {status:<12} -    {host['mxj']:>4} {used:>6} {used:>6}      0      0"
              "      0")


def bjobs(lsf, words):
    fields = words[words.index("-o") + 1].upper().split()
    if "-a" in words:  # of one job, also of one that has ended
        job = next((job for job in lsf.jobs if job["id"] == words[-1]), None)
        record = {"STAT": "DONE" if job is None else "RUN" if job["host"] else "PEND", "EXIT_CODE": ""}
        print(json.dumps({"COMMAND": "bjobs", "JOBS": 1, "RECORDS": [record]}))
        return
    records = [{"JOBID": job["id"], "JOBINDEX": "0", "STAT": "RUN" if job["host"] else "PEND",
                "USER": "ana", "QUEUE": job["queue"], "PROJ_NAME": "default", "SLA": "",
                "JOB_PRIORITY": "", "SUBMIT_TIME": "Nov 20 10:00:00 2026",
                "START_TIME": time.strftime("%b %d %H:%M:%S %Y", time.gmtime(job["started"]))
                if job["host"] else "",
                "NREQ_SLOT": str(job["slots"]),
                "NALLOC_SLOT": str(job["slots"]) if job["host"] else "",
                "ALLOC_SLOT": ":".join([job["host"]] * job["slots"]) if job["host"] else "",
                "RUNTIMELIMIT": job.get("limit", "-"),
                "PEND_REASON": "-" if job["host"] else job.get("reason", "New job is waiting for "
                                                               "scheduling;"),
                "EFFECTIVE_RESREQ": "select[type == any] " + job.get("span", "")}
               for job in lsf.jobs]
    records = [{field: row[field] for field in fields} for row in records]
    print(json.dumps({"COMMAND": "bjobs", "JOBS": len(records), "RECORDS": records}, indent=2))


def lshosts(lsf, _):
    print("HOST_NAME                       type       model  cpuf ncpus maxmem maxswp server "
          "RESOURCES")
    for name in lsf.hosts:
        print(f"{name:<31} X86_64 Opteron2  60.0     8  15.6G   1.9G    Yes (mg)")


def bconf(lsf, words):
    action, what, pair = words[:3]
    host, slots = what.removeprefix("host="), pair.removeprefix("MXJ=")
    if action != "update" or host not in lsf.hosts:
        print(f"bconf: Request for host <{host}> rejected")
        sys.exit(255)
    lsf.hosts[host]["mxj"] = int(slots)
    print(f"bconf: Request for host <{host}> accepted")


def bkill(lsf, words):
    job = lsf.job(words[-1])
    job["signals"].append(words[1])
    print(f"Job <{words[-1]}> is being signaled")


def bpost(lsf, words):
    lsf.job(words[-1]).setdefault("posted", []).append(words[words.index("-d") + 1])
    print(f"Message number 0 is posted by Job <{words[-1]}>")


def brequeue(lsf, words):
    lsf.job(words[-1]).update(host=None, started=None)
    print(f"Job <{words[-1]}> is being requeued")


def badmin(_, words):
    assert words == ["showconf", "mbd"], words
    print("MBD configuration at Fri Jun  8 10:27:52 2011")
    print("        LSF_LIVE_CONFDIR = /shared/lsf/toy/live_confdir")


def lsid(*_):
    print("IBM Spectrum LSF Standard 10.1.0.13, Apr 15 2022\n\nMy cluster name is toy\n"
          "My master name is hostA")


def lsclusters(*_):
    print("CLUSTER_NAME   STATUS   MASTER_HOST               ADMIN    HOSTS  SERVERS\n"
          "toy            ok       hostA                  lsfadmin        2        2")


if __name__ == "__main__":
    program = os.path.basename(sys.argv[0])
    if os.path.exists(os.environ["LSF_ENVDIR"] + "/down"):
        sys.exit(f"{program}: LSF is down. Please wait ...")
    with Lsf() as cluster:
        globals()[program](cluster, sys.argv[1:])
