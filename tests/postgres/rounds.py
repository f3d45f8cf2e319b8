#!/usr/bin/python3
"""Three brokers on a real PostgreSQL, and what befalls them and it, round after round; what an operator reads in each.

    python3 tests/postgres/rounds.py [--rounds 60] [--seed S] [--keep FOLDER] [--only KIND]

In each round one thing, or two together (faults.py), befalls brokers, agents, the database or a line between them, at
leases that flip all the time. Once it has come to what it must come to (nobody leads, or another one does) an operator
reads `brokers`, `status`, `attention` and `doctor`, and each is judged line by line (readings.py) against what the
database's own row says; the same again once all is healed and well. All the while what workload managers enforce is
looked at: no slot twice.

A line a round, a table at the end; exit 1 at a violation. FOLDER has a transcript of each round. The seed fixes what
befalls in which order, not at which step it meets a program.
"""
import argparse
import contextlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "integration"))

import faults
import readings
from faults import Fault
from line import Line
from postgres_server import PostgresServer
from processes import wait_until
from readings import Judged, Look
from scenes import busy_site
from standby_site import NoSlotTwice, Place, StandbySite

PAIRS = 3  # beside one of each kind
SETTINGS = {"leader_ttl": "3s", "agent_timeout": "10s"}


class RoundsSite(StandbySite):
    """Each broker has a line of its own to the database, and one on which all agents come to it."""

    def __init__(self, server: PostgresServer, *words, **settings) -> None:
        self.to_database: dict[str, Line] = {}
        self.to_agents: dict[str, Line] = {}
        super().__init__(server, *words, brokers=3, **settings)
        self.clocks = faults.clocks_of(self.places) if "clock" in faults.SINGLE else {}

    def write_places(self, **more) -> None:
        if not self.to_database:
            for place in self.places:
                line = self.to_database[place.name] = Line(self.server.port)
                self.database_of[place.name] = self.database.replace(f":{self.server.port}/", f":{line.port}/")
                self.to_agents[place.name] = Line(int(place.listen.rsplit(":", 1)[1]))
        super().write_places(**more)
        for name, cluster in self.clusters.items():
            cluster.agent["broker"] = [f"tcp://127.0.0.1:{line.port}" for line in self.to_agents.values()]
            self.write_agent_config(name)


class Row(NamedTuple):
    """Of the table: one round."""
    kind: str
    said: str
    struck_s: float  # until it had come to what it must come to
    well_s: float    # from when it was healed
    looks: int
    judged: Judged


class LeadersRow(NamedTuple):
    """What the database says of who leads."""
    holder: str
    epoch: int
    renewal: int


class Rounds:
    def __init__(self, site: RoundsSite, watch: NoSlotTwice, chance: random.Random, folder: Path, only: str) -> None:
        self.site = site
        self.watch = watch
        self.chance = chance
        self.folder = folder
        self.only = only
        self.usual: set[str] = set()
        self.bag: list[str] = []

    def begin(self) -> None:
        self.wait_until_agreed()
        _, look = wait_until(lambda: self.led(self.site.places), "one leads for the time of a look")
        self.usual = look.faults()
        print("\n".join(f"doctor says before anything befalls: {line}" for line in sorted(self.usual)) or
              "doctor finds nothing before anything befalls", flush=True)

    def draw(self) -> str:
        """Each kind comes once before any comes again."""
        if not self.bag:
            self.bag = [self.only] if self.only else [*faults.SINGLE, *["two"] * PAIRS]
            self.chance.shuffle(self.bag)
        return self.bag.pop()

    def play(self, number: int) -> Row:
        kind = self.draw()
        kinds = faults.pair(self.chance) if kind == "two" else [kind]
        leader, looks, judged, text = self.site.wait_for_leader(), self.watch.looks, Judged(), []
        others = [place for place in self.site.places if place is not leader]
        self.chance.shuffle(others)
        victims = [leader, *others]
        if kind == "clock":  # of a broker that leads, or stands by
            self.chance.shuffle(victims)
        began = time.monotonic()
        under_way: list[Fault] = []
        try:
            with contextlib.ExitStack() as heals:
                for each, place in zip(kinds, victims):
                    under_way.append(faults.SINGLE[each](self.site, place, heals, self.chance))
                look = self.during(under_way, judged)
                text.append(look.text())
                come_to_s = time.monotonic() - began
                self.look_at_slots()
            healed = time.monotonic()
            text.append(self.well(judged).text())
            self.look_at_slots()
        finally:
            said = "; ".join(fault.said for fault in under_way) or f"{kind}, on its way"
            self.write(number, said, text, judged)
        return Row(kind, said, come_to_s, time.monotonic() - healed, self.watch.looks - looks, judged)

    # While it lasts

    def during(self, under_way: list[Fault], judged: Judged) -> Look:
        deaf = [fault.out for fault in under_way if fault.deaf]
        alive = [place for place in self.site.places if place not in deaf]
        if any(fault.nobody for fault in under_way):
            return self.nobody(alive, judged)
        able = [place for place in self.site.places if not any(fault.out is place for fault in under_way)]
        self.site.wait_for_leader(able)
        self.asked_alone(under_way, judged)
        needs = set().union(*(fault.needs for fault in under_way))

        def read() -> tuple[str, Look]:
            holder, look = self.led(alive)
            assert needs <= look.needs(), f"{needs} of {look.needs()}"
            return holder, look
        holder, look = wait_until(read, f"one leads for the time of a look, and attention says {needs}")
        judged.that(holder in {place.name for place in able}, f"it leads who can: {holder}")
        readings.while_led(judged, look, holder)
        for kind, subject in sorted(needs):
            judged.that(True, f"attention: {kind} of {subject}")
        return look

    def nobody(self, alive: list[Place], judged: Judged) -> Look:
        for place in alive:
            wait_until(lambda place=place: readings.says_nobody_leads(place), f"{place.name} says that nobody leads")

        def read() -> Look:
            look = Look(self.site.places)
            assert look.is_whole(alive), "a broker took longer than leasectl waits"
            return look
        look = wait_until(read, "all answer")
        readings.while_nobody_leads(judged, look, readings.say("rebalance pool:west", alive))
        return look

    def asked_alone(self, under_way: list[Fault], judged: Judged) -> None:
        for place in [fault.cut for fault in under_way if fault.cut]:
            wait_until(lambda place=place: readings.says_nobody_leads(place), f"{place.name} says that nobody leads")
            judged.that(True, f"{place.name}, asked alone: nobody leads, as far as it knows")
        for place in [fault.clock for fault in under_way if fault.clock]:
            wait_until(lambda place=place: ("clock-differs", place.name) in readings.needs_in(
                readings.say("attention", [place])), f"{place.name} says that its clock is wrong")
            judged.that(True, f"{place.name}, asked alone: its own clock is wrong")

    # Who leads

    def row(self) -> LeadersRow:
        holder, epoch, renewal = self.site.sql("SELECT holder, epoch, renewal FROM leader").split("|")
        return LeadersRow(holder, int(epoch), int(renewal))

    def led(self, alive: list[Place]) -> tuple[str, Look]:
        """A look, and who led the whole time: he has renewed the same leadership after it."""
        before = self.row()
        look = Look(self.site.places)
        then = self.row()
        assert look.is_whole(alive), "a broker took longer than leasectl waits"

        def changed() -> LeadersRow | None:
            now = self.row()
            return now if now != then else None
        after = wait_until(changed, "the leader's row changes")
        assert before.epoch == after.epoch, "somebody took over meanwhile"
        return before.holder, look

    # Afterwards

    def wait_until_agreed(self) -> None:
        site = self.site

        def agreed() -> bool:
            found = [place for place in site.places if place.leads()]
            assert len(found) == 1, "one leads"
            assert all(place.stands_by(found[0]) for place in site.places if place is not found[0])
            site.look_at(found[0])
            return {row["cluster"] for row in site.ask("clusters") if row["agent"] == "up"} == set(site.clusters)
        wait_until(agreed, "one leads, the others stand by, every agent is up")
        site.flips_again()

    def well(self, judged: Judged) -> Look:
        """What must be true while one leads is so at each look; the rest becomes true."""
        self.wait_until_agreed()

        def read() -> tuple[Judged, Look]:
            found = Judged()
            holder, look = self.led(self.site.places)
            readings.while_led(found, look, holder)
            if found.wrong():  # a stall of a second is said to be one: what is untrue stays so
                found = Judged()
                holder, look = self.led(self.site.places)
                readings.while_led(found, look, holder)
                if found.wrong():
                    return found, look
            readings.when_well(found, look, holder, self.usual)
            assert not found.wrong(), "; ".join(found.wrong())
            return found, look
        found, look = wait_until(read, "all is well, and is said to be")
        judged.lines += found.lines
        return look

    def look_at_slots(self) -> None:
        known = self.watch.looks
        wait_until(lambda: self.watch.wrong or self.watch.looks > known, "the watch looks at each host")
        assert not self.watch.wrong, "\n".join(self.watch.wrong)

    def write(self, number: int, said: str, text: list[str], judged: Judged) -> None:
        parts = [f"round {number}: {said}\n"]
        for title, read in zip(("While it lasts", "When it is healed"), text):
            parts.append(f"---- {title}\n\n{read}")
        parts.append("---- Judged\n\n" + "\n".join(judged.lines) + "\n")
        (self.folder / f"{number:03}.txt").write_text("\n".join(parts))


def table(rows: list[Row]) -> str:
    by_kind = defaultdict(list)
    for row in rows:
        by_kind[row.kind].append(row)
    lines = [f"{'':14} {'rounds':>6} {'fault, worst s':>16} {'well, worst s':>14} {'judged':>7} {'wrong':>6}"]
    for kind, some in sorted(by_kind.items()):
        lines.append(f"{kind:14} {len(some):6} {max(row.struck_s for row in some):16.1f} "
                     f"{max(row.well_s for row in some):14.1f} {sum(len(row.judged.lines) for row in some):7} "
                     f"{sum(len(row.judged.wrong()) for row in some):6}")
    return "\n".join(lines)


def run_rounds(typed, folder: Path, rows: list[Row]) -> None:
    chance = random.Random(typed.seed)
    with PostgresServer() as server, \
            busy_site(lambda *words, broker: RoundsSite(server, *words, broker={**broker, **SETTINGS})) as site:
        site.start_all()
        with NoSlotTwice(site) as watch:
            rounds = Rounds(site, watch, chance, folder, typed.only)
            rounds.begin()
            began = time.monotonic()
            for number in range(1, typed.rounds + 1):
                row = rounds.play(number)
                rows.append(row)
                print(f"{time.monotonic() - began:7.1f} s  round {number}: {row.said}; "
                      f"read after {row.struck_s:.1f} s; well after {row.well_s:.1f} s; {row.looks} looks; "
                      f"{len(row.judged.lines)} judged", flush=True)
                print("".join(f"           {line}\n" for line in row.judged.wrong()), end="", flush=True)


def arguments() -> argparse.Namespace:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--rounds", type=int, default=60)
    words.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 30))
    words.add_argument("--keep", type=Path, metavar="FOLDER", help="keep the transcripts there")
    words.add_argument("--only", choices=[*faults.SINGLE, "two"], default="", help="nothing else befalls")
    return words.parse_args()


def main() -> int:
    typed = arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    folder = typed.keep or Path(tempfile.mkdtemp(prefix="leasehold-rounds-"))
    folder.mkdir(parents=True, exist_ok=True)
    print(f"seed {typed.seed}", flush=True)
    rows: list[Row] = []
    ended = ""
    try:
        run_rounds(typed, folder, rows)
    except (AssertionError, OSError, LookupError, ValueError, subprocess.SubprocessError) as error:
        traceback.print_exc()
        ended = f"round {len(rows) + 1}: {error}"
    wrong = sum(len(row.judged.wrong()) for row in rows) + bool(ended)
    print(table(rows))
    print(f"{len(rows)} rounds, {sum(row.looks for row in rows)} looks at each host, "
          f"{sum(len(row.judged.lines) for row in rows)} lines judged, {wrong} violations, seed {typed.seed}")
    if ended:
        print(ended)
    if wrong or typed.keep:
        print(f"transcripts: {folder}")
    else:
        shutil.rmtree(folder, ignore_errors=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
