"""A real broker with simulated clusters for the page's tests: a lease that flips, a resource plan, names
that try to be more than text, a rule that is tried beside the one in force.

Reads orders from its standard input, a line each, and answers each with a line of JSON:
  url             where the page is
  stop, start     the broker, as by an operator
  streams         how many streams the broker serves now
  ctl WORD...     leasectl
  end             ends all, checks ledgers and history
"""
import json
import os
import sys
import threading
import time
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "integration"))

from configs import POOL, Cluster
from leasehold_site import Site

PLAN = """[[resource_group]]
name = "compute"
policies = ["shared-farm"]
policy = "ownership"
cycle = "500ms"

[[consumer]]
path = "/lab/genomics"
cluster = "west"
owned = 6
lend_limit = 4

[[consumer]]
path = "/lab/physics"
cluster = "north"
owned = 2
borrow_from = ["/lab/genomics"]
"""
FARM = {"name": "shared-farm", "provider": "east", "hosts": ["farm1"], "slots_per_host": 8}


def bursts(busy: float, seed: int) -> dict:
    return {"generator": "bursts", "busy": busy, "period": "3s", "widths": [1, 2], "run_time": "400ms",
            "seed": seed}


def made() -> Site:
    clusters = {"east": Cluster({"big1": 8, "farm1": 8}, workload=bursts(0.4, 1)),
                "west": Cluster({"w1": 2}, workload=bursts(1.5, 2)),
                "north": Cluster({"n1": 2}, workload=bursts(2.5, 3))}
    tried = POOL | {"shadow": "exclusive"}
    of = Site(clusters, [tried, FARM], broker={"name": "campus", "reclaim_delay": "500ms"}, more=PLAN)
    of.http = of.claim.ports[2]
    of.settings["http"] = f"127.0.0.1:{of.http}"
    of.write_broker_config()
    return of


def streams(of: Site) -> int:
    with urllib.request.urlopen(f"http://127.0.0.1:{of.http}/api/v1/about", timeout=30) as answer:
        return json.load(answer)["http"]["streams"]


def obey(of: Site, order: str, words: list[str]):
    if order == "url":
        return f"http://127.0.0.1:{of.http}/"
    if order == "stop":
        return of.broker.stop()
    if order == "start":
        return of.start_broker()
    if order == "streams":
        return streams(of)
    if order == "ctl":
        return of.order(*words)
    raise ValueError(order)


def end_with_a_daemon(of: Site) -> None:
    """One that ended by itself leaves the page nothing to wait for."""
    while not any(daemon.ended() for daemon in of.everyone()):
        time.sleep(1)
    of.complain()
    os._exit(1)


def main() -> None:
    with made() as of:
        of.start()
        threading.Thread(target=end_with_a_daemon, args=[of], daemon=True).start()
        for line in sys.stdin:
            order, *words = line.split()
            if order == "end":
                break
            print(json.dumps({"answer": obey(of, order, words)}), flush=True)


if __name__ == "__main__":
    main()
