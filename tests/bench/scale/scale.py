#!/usr/bin/env python3
"""Many real agents against one real broker: what it costs while leases flip and processes are killed.

    tests/bench/scale/scale.py --agents 500 --leases 20000 --minutes 60 [--json FILE]

Starts everything on loopback, with a simulated workload beside each agent (fleet.py). Meanwhile agents
are killed (SIGKILL) at random and started again, some after so long that they count as lost; now and
then the broker is. Each half minute a line is printed (meter.py). At both ends and now and then all
processes are stopped at once and their files looked at: no slot twice, none lost, enforced <= on disk
<= held; in the end the whole history is decided again. Exit 1 where any of that does not hold; figures are
printed, not judged. Ends when the minutes are over and --flips flips and --broker-kills kills have been.
Needs the programs in build/bin (scripts/build), or LEASEHOLD_BIN.
"""
import argparse
import json
import os
import random
import sqlite3
import statistics
import sys
import time
from collections import Counter

from fleet import Fleet
from meter import HISTOGRAMS, Meter, memory_mb, of_histogram
from processes import PROGRAMS, run, wait_until

COLUMNS = [("minute", "min", 1), ("flips_a_minute", "flips/min", 0), ("agents_up", "up", 0),
           ("broker_processor_percent", "broker %", 1), ("broker_mb", "MB", 0),
           ("agents_processor_percent", "agents %", 0), ("log_mb", "log MB", 1), ("wal_mb", "wal", 1),
           ("tables_mb", "tables", 1), ("evaluation_mean_ms", "step ms", 2),
           ("evaluation_p99_below_ms", "99% <", 0), ("commit_mean_ms", "commit ms", 2),
           ("commit_p99_below_ms", "99% <", 0), ("leasectl_leases_ms", "leases ms", 0),
           ("page_ms", "GET /", 1), ("api_leases_ms", "api leases", 0), ("api_status_ms", "status", 0)]


def arguments() -> argparse.Namespace:
    words = argparse.ArgumentParser(description=__doc__,
                                    formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--agents", type=int, default=500)
    words.add_argument("--leases", type=int, default=20_000)
    words.add_argument("--minutes", type=float, default=60)
    words.add_argument("--flips", type=int, default=1, help="at least so many, however long it takes")
    words.add_argument("--report", type=float, default=10, metavar="S", help="report_interval")
    words.add_argument("--delay", type=float, default=60, metavar="S", help="reclaim_delay")
    words.add_argument("--period", type=float, default=600, metavar="S", help="of the waves of work")
    words.add_argument("--sample", type=float, default=30, metavar="S", help="between two lines")
    words.add_argument("--look", type=float, default=300, metavar="S",
                       help="between two looks at the files of all")
    words.add_argument("--kill", type=float, default=5, metavar="S", help="between two kills of agents")
    words.add_argument("--kill-broker", type=float, default=240, metavar="S")
    words.add_argument("--broker-kills", type=int, default=1, help="at least so many")
    words.add_argument("--nice", type=int, default=10, help="of agents, beside the broker")
    words.add_argument("--seed", type=int, default=1)
    words.add_argument("--json", metavar="FILE", help="all lines and what they come to; -: on stdout")
    asked = words.parse_args()
    if asked.agents < 2 or asked.leases < asked.agents // 2:
        words.error("at least two agents, and a lease for each provider")
    return asked


class Timer:
    """True once in so many seconds."""

    def __init__(self, every_s: float) -> None:
        self.every_s = every_s
        self.next = time.monotonic() + every_s

    def again(self) -> None:
        self.next = time.monotonic() + self.every_s

    def due(self) -> bool:
        if time.monotonic() < self.next:
            return False
        self.next = max(self.next + self.every_s, time.monotonic())
        return True


class Run:
    def __init__(self, asked, site: Fleet) -> None:
        self.asked = asked
        self.site = site
        self.meter = Meter(site)
        self.chance = random.Random(asked.seed)
        self.lines: list[dict] = []
        self.down: list[tuple[float, object]] = []  # agents that were killed, and when each starts
        self.kills: Counter = Counter()
        self.restarts_s: list[float] = []
        self.stopped_s = 0.0  # everybody was, to be looked at
        self.begun = time.monotonic()
        self.looks = 0
        self.marks: dict = {}
        self.minutes = 0.0  # that it flipped and was killed

    # Ends

    def start(self) -> None:
        self.site.start()
        self.wait_for_agents()
        wait_until(lambda: self.meter.count() and self.meter.flips() > 0, "a lease flips", every=1)
        print(f"all {self.asked.agents} agents up, first flip after "
              f"{time.monotonic() - self.begun:.0f} s", flush=True)
        self.look("begin")

    def wait_for_agents(self) -> None:
        """However long it takes, as long as more and more come."""
        up = -1
        while up < self.asked.agents:
            before = up
            wait_until(lambda: self.agents_up() > before, f"more than {before} agents are up", every=1)
            up = self.agents_up()
            print(f"{up} agents up after {time.monotonic() - self.begun:.0f} s", flush=True)

    def agents_up(self) -> int:
        return int(self.meter.count().sums["leasehold_cluster_up"])

    def look(self, when: str) -> None:
        """Everybody stands still while slots are on their way; what is read is of one instant."""
        moving = wait_until(lambda: self.meter.count().sums["leasehold_transfers"],
                            "a transfer is in flight", every=0.02)
        begun = time.monotonic()
        wrong, rows = wait_until(self.read_while_still, "nobody stands still within a write", every=0.2)
        assert not wrong, "\n".join([f"look at {when}:", *wrong[:40]])
        assert rows["slots"] == self.site.exported, f"{when}: {rows}, exported {self.site.exported}"
        self.looks += 1
        self.stopped_s += time.monotonic() - begun
        print(f"look at {when}: {rows['slots']} slots, {rows['held_by_consumers']} of them with consumers, "
              f"{rows['in_transfer']} with nobody yet, {moving:.0f} transfers in flight; none twice, "
              f"none lost ({time.monotonic() - begun:.1f} s)", flush=True)

    def read_while_still(self) -> tuple[list[str], dict] | None:
        """None: somebody was stopped while a file of his was locked."""
        with self.site.still():
            try:
                return self.site.offences(), self.site.rows()
            except sqlite3.OperationalError as error:
                if "locked" not in str(error):
                    raise
                return None

    # Kills

    def kill_agent(self) -> None:
        up = [agent for agent in self.site.agents.values() if agent.running()]
        if len(up) < 2:
            return
        agent = self.chance.choice(up)
        agent.kill9()
        self.kills["agents"] += 1
        away_s = self.chance.choice((0, 0, 0.2, 0.7, 1.5)) * self.site.timeout_s
        self.down.append((time.monotonic() + away_s, agent))

    def start_due(self, all_of_them: bool = False) -> None:
        for row in list(self.down):
            if all_of_them or row[0] <= time.monotonic():
                row[1].start()
                self.down.remove(row)

    def kill_broker(self) -> None:
        self.meter.count()
        self.site.broker.kill9()
        begun = time.monotonic()
        self.meter.new_broker()
        self.site.start_broker()
        self.restarts_s.append(time.monotonic() - begun)
        self.kills["broker"] += 1

    # Figures

    def mark(self) -> dict:
        return {"at": time.monotonic() - self.stopped_s, "flips": self.meter.flips(),
                "total": Counter(self.meter.growth.total),
                "broker": self.meter.processor.total["broker"],
                "agents": self.meter.agents_processor_s()}

    def sample(self) -> None:
        self.site.none_ended([agent for _, agent in self.down])
        metrics = self.meter.count()
        now, before = self.mark(), self.marks
        seconds = now["at"] - before["at"]
        agents_s = sum(value - before["agents"].get(pid, 0) for pid, value in now["agents"].items())
        line = {"minute": (time.monotonic() - self.begun) / 60,
                "flips_a_minute": (now["flips"] - before["flips"]) * 60 / seconds,
                "agents_up": int(metrics.sums["leasehold_cluster_up"]),
                "broker_processor_percent": (now["broker"] - before["broker"]) * 100 / seconds,
                "agents_processor_percent": agents_s * 100 / seconds,
                "broker_mb": memory_mb(self.site.broker.pid),
                "broker_most_mb": memory_mb(self.site.broker.pid, "VmHWM"),
                "load": os.getloadavg()[0], "in_attention": int(metrics.sums["leasehold_attention"])}
        for word, name in HISTOGRAMS.items():
            line |= {f"{word}_{key}": value for key, value in
                     of_histogram(before["total"], now["total"], name).items()}
        line |= self.meter.files() | self.meter.asked()
        self.lines.append(line)
        print("  ".join(f"{line[key]:{max(len(head), 6)}.{digits}f}" for key, head, digits in COLUMNS),
              flush=True)
        self.meter.count()
        self.marks = self.mark()

    def head(self) -> str:
        return "  ".join(f"{head:>{max(len(head), 6)}}" for _, head, _ in COLUMNS)

    # The whole

    def going(self) -> bool:
        asked = self.asked
        return (time.monotonic() - self.begun < asked.minutes * 60 or self.meter.flips() < asked.flips
                or self.kills["broker"] < asked.broker_kills)

    def play(self) -> None:
        asked = self.asked
        self.start()
        self.begun = time.monotonic()
        sample, look, kill, broker = (Timer(seconds) for seconds in (
            asked.sample, asked.look, asked.kill, asked.kill_broker))
        print(self.head(), flush=True)
        self.meter.count()
        self.marks = self.mark()
        while self.going():
            self.start_due()
            if kill.due():
                self.kill_agent()
            if broker.due():
                self.kill_broker()
            if sample.due():
                self.sample()
            if look.due():
                self.look(f"minute {(time.monotonic() - self.begun) / 60:.1f}")
                sample.again()
            time.sleep(0.05)
        self.sample()
        self.minutes = (time.monotonic() - self.begun) / 60
        self.finish()

    def finish(self) -> None:
        self.start_due(all_of_them=True)
        self.wait_for_agents()
        self.look("end")
        self.meter.count()
        self.site.finish()
        begun = time.monotonic()
        answer = run(PROGRAMS / "leasectl", "replay", self.site.database, "--verify")
        assert answer.returncode == 0, f"replay --verify: {answer.stdout}{answer.stderr}"
        print(f"{answer.stdout.strip()} ({time.monotonic() - begun:.0f} s)")

    def result(self) -> dict:
        figures = {key for line in self.lines for key in line} - {"minute"}
        def of(key: str) -> dict:
            values = [line[key] for line in self.lines]
            return {"median": statistics.median(values), "most": max(values), "last": values[-1]}
        return {"agents": self.asked.agents, "leases": self.asked.leases, "exported": self.site.exported,
                "settings": vars(self.asked), "minutes": self.minutes,
                "flips": self.meter.flips(), "kills": dict(self.kills),
                "broker_answers_after_s": self.restarts_s, "looks": self.looks,
                "counters": {key: value for key, value in self.meter.growth.total.items()
                             if isinstance(key, str)},
                "figures": {key: of(key) for key in sorted(figures)}, "lines": self.lines}


def tell(result: dict) -> None:
    kills = result["kills"]
    print(f"\n{result['flips']} flips in {result['minutes']:.1f} minutes, "
          f"{result['flips'] / result['minutes']:.0f} a minute; killed: {kills.get('agents', 0)} "
          f"agents, {kills.get('broker', 0)} times the broker, which answered again after "
          f"{', '.join(f'{seconds:.1f}' for seconds in result['broker_answers_after_s'])} s")
    for key, row in result["figures"].items():
        print(f"{key:28} median {row['median']:10.2f}   most {row['most']:10.2f}   "
              f"last {row['last']:10.2f}")
    print(f"0 violations in {result['looks']} looks")


def main() -> None:
    asked = arguments()
    with Fleet(asked) as site:
        run_of_it = Run(asked, site)
        run_of_it.play()
        result = run_of_it.result()
    tell(result)
    if asked.json:
        with (sys.stdout if asked.json == "-" else open(asked.json, "w", encoding="utf-8")) as file:
            json.dump(result, file, indent=1)


if __name__ == "__main__":
    main()
