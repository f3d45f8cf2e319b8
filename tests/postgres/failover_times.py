#!/usr/bin/python3
"""How long it takes from the end of a leader until another leads, and until the next flip.

    python3 tests/postgres/failover_times.py [--kills 50] [--pauses 50] [--stepdowns 20] [--agents 100] [--ttl 5s]
                                             [--fenced] [--brokers 2]

Real programs on one machine, simulated workload managers under load, PostgreSQL with fsync off. Each round ends a
leadership and begins again once all agents are heard; no slot may be enforced twice all the while. What it prints is
of the machine that it ran on: nothing judges it.
"""
import argparse
import statistics
import sys
import time
from datetime import datetime, timezone
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "integration"))

from configs import POOL, Cluster
from postgres_server import PostgresServer
from processes import PROGRAMS, run, wait_until
from standby_site import NoSlotTwice, Place, StandbySite


def bursts(busy: float, seed: int) -> dict:
    return {"generator": "bursts", "busy": busy, "period": "2s", "widths": [1, 2], "run_time": "300ms", "seed": seed}


def site_of(server: PostgresServer, agents: int, ttl: str, fenced: bool, brokers: int) -> StandbySite:
    clusters, policies = {}, []
    for n in range(max(1, agents // 2)):
        clusters[f"east{n}"] = Cluster({f"big{n}": 8}, workload=bursts(0.4, 2 * n + 1))
        clusters[f"west{n}"] = Cluster({f"small{n}": 2}, workload=bursts(1.5, 2 * n + 2))
        policies.append({**POOL, "name": f"pool{n}", "provider": f"east{n}", "hosts": [f"big{n}"],
                         "slots_per_host": 6, "distribution": [{"cluster": f"west{n}"}]})
    word = {"database_fenced": True} if fenced else {}
    return StandbySite(server, clusters, policies, brokers,
                       broker={"reclaim_delay": "300ms", "leader_ttl": ttl, **word})


def instant() -> str:
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds")


def flips_since(site: StandbySite, since: str) -> list:
    return [row for row in site.ask("history", "--since", since) if row["kind"] == "flip"]


class Told:
    """What a broker writes in its log from now on, by the instants that stand there: who asks it instead
    measures the question as well."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self._from = place.daemon.log_path.stat().st_size

    def first(self, *events: str) -> list[float] | None:
        """When each was first written, one after the other."""
        found = []
        with self.place.daemon.log_path.open(encoding="utf-8", errors="replace") as log:
            log.seek(self._from)
            for line in log:
                if f" event={events[len(found)]} " not in line or not line.endswith("\n"):
                    continue
                found.append(datetime.fromisoformat(line.split()[0].removeprefix("time=")).timestamp())
                if len(found) == len(events):
                    return found
        return None


class Round:
    """From the end of a leadership."""

    def __init__(self, site: StandbySite) -> None:
        self.site = site
        self.leader = site.wait_for_leader()
        self.order = Told(self.leader)
        self.others = [Told(place) for place in site.places if place is not self.leader]
        self.begun = time.time()

    def begun_by_order(self) -> "Round":
        """When the leader had the order: what leasectl takes to start is left out."""
        (self.begun,) = wait_until(lambda: self.order.first("operator-command"), "the order is logged")
        return self

    def times(self) -> tuple[float, float]:
        def flipped() -> tuple[Place, list[float]] | None:
            return next(((told.place, at) for told in self.others
                         if (at := told.first("leadership-acquired", "flip"))), None)

        place, (led, flip) = wait_until(flipped, "another leads and flips", every=0.1)
        self.site.look_at(place)
        return led - self.begun, flip - self.begun


def kill(site: StandbySite) -> tuple[float, float]:
    round_ = Round(site)
    round_.leader.daemon.kill9()
    found = round_.times()
    round_.leader.daemon.start()
    return found


def pause(site: StandbySite) -> tuple[float, float]:
    round_ = Round(site)
    with round_.leader.daemon.stopped():
        return round_.times()


def stepdown(site: StandbySite) -> tuple[float, float]:
    everybody = ",".join(place.control for place in site.places)

    def stepped() -> Round | None:
        round_ = Round(site)
        done = run(PROGRAMS / "leasectl", "stepdown", "--broker", everybody)
        return round_.begun_by_order() if done.returncode == 0 else None
    return wait_until(stepped, "a standby is near enough").times()


def all_is_well(site: StandbySite) -> None:
    site.wait_for_leader()
    site.wait_for_agents()
    wait_until(lambda: all(place.row()["role"] in ("leader", "standby") for place in site.places),
               "all brokers answer")


def measure(site: StandbySite, name: str, how, rounds: int) -> None:
    found = []
    for n in range(rounds):
        all_is_well(site)
        found.append(how(site))
        if sys.stderr.isatty():
            print(f"\r{name} {n + 1} of {rounds}", end="", file=sys.stderr)
    if not found:
        return
    led, flipped = zip(*found)
    print(f"{name:10} {rounds:6} {statistics.median(led):8.1f} {max(led):8.1f} "
          f"{statistics.median(flipped):8.1f} {max(flipped):8.1f}", flush=True)


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, usual in (("kills", 50), ("pauses", 50), ("stepdowns", 20), ("agents", 100)):
        words.add_argument(f"--{name}", type=int, default=usual)
    words.add_argument("--ttl", default="5s")
    words.add_argument("--brokers", type=int, default=2)
    words.add_argument("--fenced", action="store_true", help="take-overs are warm")
    typed = words.parse_args()
    with PostgresServer() as server, \
            site_of(server, typed.agents, typed.ttl, typed.fenced, typed.brokers) as site:
        site.start_all()
        begun = instant()
        wait_until(lambda: flips_since(site, begun), "it flips")
        print(f"seconds, {len(site.clusters)} agents, {len(site.places)} brokers, leader_ttl {typed.ttl}"
              f"{', warm' if typed.fenced else ''}")
        print(f"{'':10} {'rounds':>6} {'another leads':>17} {'the next flip':>17}")
        print(f"{'':10} {'':6} {'median':>8} {'worst':>8} {'median':>8} {'worst':>8}", flush=True)
        with NoSlotTwice(site):
            measure(site, "killed", kill, typed.kills)
            measure(site, "paused", pause, typed.pauses)
            measure(site, "stepdown", stepdown, typed.stepdowns)
            all_is_well(site)


if __name__ == "__main__":
    main()
