"""What befalls brokers, agents, the database and the lines between them: each is one function, told in one line.

    fault(site, place, heals, chance)

strikes `place` where it is a broker's, and leaves to `heals` what makes it good again. Not what must be true
meanwhile: readings.py. The site is that of rounds.py.
"""
import contextlib
from dataclasses import dataclass
from types import SimpleNamespace

from clock_test import CLOCK, DAY_MS, SteppedClock
from postgres_programs import client
from processes import ROOT, run, wait_until
from readme_test import BLOCK
from standby_guide_test import PAGE, StandbyReader
from standby_site import Place

AHEAD_MS = 2 * DAY_MS


@dataclass(frozen=True)
class Fault:
    said: str
    out: Place | None = None  # it cannot lead
    deaf: bool = False  # nor does it answer anybody
    nobody: bool = False  # no broker can lead
    needs: frozenset = frozenset()  # kind and subject of what attention says meanwhile, where somebody leads
    cut: Place | None = None  # asked alone it says that nobody leads
    clock: Place | None = None  # asked alone it says that its own clock is wrong


def kill(site, place, heals, chance) -> Fault:
    place.daemon.kill9()
    heals.callback(place.daemon.start)
    return Fault(f"kill -9 of {place.name}", out=place, deaf=True)


def pause(site, place, heals, chance) -> Fault:
    """For as long as another needs to lead, which is longer than `leader_ttl`; then it goes on where it was."""
    heals.enter_context(place.daemon.stopped())
    return Fault(f"a pause of {place.name}", out=place, deaf=True)


def cut_database(site, place, heals, chance) -> Fault:
    how = chance.choice(({}, {"to_server": False}, {"from_server": False}))
    line = site.to_database[place.name]
    line.cut(**how)
    heals.callback(line.mend)
    way = {"to_server": "from ", "from_server": "to "}.get(next(iter(how), ""), "to and from ")
    return Fault(f"{place.name} is cut off: nothing comes through {way}the database", out=place, cut=place)


def cut_agents(site, place, heals, chance) -> Fault:
    """They are heard by the others, and so it gives its lead away."""
    line = site.to_agents[place.name]
    line.cut()
    heals.callback(line.mend)
    return Fault(f"{place.name} is cut off from all agents", out=place)


def postmaster(site, place, heals, chance) -> Fault:
    def starts_again() -> bool:
        site.server.start()
        return True
    site.server.kill()
    heals.callback(wait_until, starts_again, "it starts once its last backend is gone")
    return Fault("kill -9 of the postmaster", nobody=True)


def stand_still(site, place, heals, chance) -> Fault:
    heals.enter_context(site.server.stands_still())
    return Fault("a pause of PostgreSQL", nobody=True)


def agents(site, place, heals, chance) -> Fault:
    names = chance.choice((["east"], ["west"], ["east", "west"]))
    for name in names:
        site.agents[name].kill9()
        heals.callback(site.agents[name].start)
    return Fault(f"kill -9 of the agents of {' and '.join(names)}",
                needs=frozenset(("agent-lost", name) for name in names))


def clock(site, place, heals, chance) -> Fault:
    """Who leads goes on by it; who stands by would not take over."""
    site.clocks[place.name].step(AHEAD_MS)
    heals.callback(site.clocks[place.name].step, 0)
    return Fault(f"the clock of {place.name} is two days ahead", clock=place)


def clocks_of(places: list[Place]) -> dict[str, SteppedClock]:
    """Each broker has one of its own, which a program takes from its start on."""
    return {place.name: SteppedClock(SimpleNamespace(path=place.daemon.config.parent), place.daemon)
            for place in places}


class GuideReader(StandbyReader):
    """Types what the guide says on this site: all brokers in leasectl's list, the server's own role."""

    def __init__(self, site) -> None:
        super().__init__(site.server)
        self.everybody = ",".join(place.control for place in site.places)

    def here(self, body: str) -> str:
        body = body.replace("tcp://127.0.0.1:7441,tcp://127.0.0.1:7451", self.everybody)
        return super().here(body.replace("lease_broker", "leasehold"))


def restore(site, place, heals, chance) -> Fault:
    """A dump that was made within the same leadership, by the guide's own commands. Slots have moved since."""
    text = (ROOT / PAGE).read_text()
    part = text.split("\n## Backup and restore of a server\n")[1].split("\nFor reading alone")[0]
    older = database_older(site)
    site.server.run("dropdb", "-h", "127.0.0.1", "-p", str(site.server.port), "-U", "leasehold", "--if-exists",
                    "leasehold_before")
    with contextlib.closing(GuideReader(site)) as reader:
        for block in BLOCK.finditer(part):
            if block["verb"] == "orders" and " stop " in block["body"]:
                stop(site, place)
            elif block["verb"] == "orders":
                start(site)
            else:
                getattr(reader, block["verb"])(block["rest"] or "", block["body"])
            if "pg_dump" in block["body"]:
                site.flips_again()
    site.wait_for_leader()
    wait_until(lambda: database_older(site) > older, "the history says that the database is an older one")
    return Fault("a dump of the same leadership is put back")


def database_older(site) -> int:
    return sum(event["reason"] == "database-older" for event in site.ask("history"))


def stop(site, leader: Place) -> None:
    """The leader last: nobody follows it. Then nobody is connected to the database."""
    for place in sorted(site.places, key=lambda each: each is leader):
        assert place.daemon.stop() == 0, place.daemon.log()
    count = f"SELECT count(*) FROM pg_stat_activity WHERE datname = '{site.database_name}'"
    asked = [*client("psql"), "-X", "-A", "-t", "-c", count, site.server.url("postgres")]
    wait_until(lambda: run(*asked).stdout.strip() == "0", "all sessions have ended")


def start(site) -> None:
    for place in site.places:
        place.daemon.start()


# Those of the database come last of two, and so are made good first: a broker that starts finds it.
SINGLE = {"kill": kill, "pause": pause, "cut database": cut_database, "cut agents": cut_agents, "agents": agents,
          "clock": clock, "postmaster": postmaster, "stand still": stand_still, "restore": restore}
if not CLOCK.exists():  # sanitized programs take no clock of ours
    del SINGLE["clock"]
# Of two nobody could lead or nobody knows who should: agents come to no other, or to one whose clock is wrong; and one
# database fails in one way.
NOT_TOGETHER = ({"cut agents", "agents"}, {"cut agents", "clock"}, {"postmaster", "stand still"})


def pair(chance) -> list[str]:
    """Two that befall a site together, each another broker."""
    alone = [kind for kind in SINGLE if kind != "restore"]
    while set(two := chance.sample(alone, 2)) in NOT_TOGETHER:
        pass
    return sorted(two, key=("postmaster", "stand still").__contains__)
