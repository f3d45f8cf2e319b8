"""A busy site whose programs are of two releases: each daemon of the one or the other, changed while
it runs. Its clusters, and the look at them, are those of ../crash."""
import contextlib
import os
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / folder)
                for folder in ("integration", "crash")]
from crash_site import CrashSite
from ledgers import LOG_END, rows_of
from leasehold_site import patient
from processes import PROGRAMS, run, wait_until

NOW = PROGRAMS
BEFORE = Path(os.environ.get("LEASEHOLD_BEFORE_BIN") or PROGRAMS)


def word(programs: Path) -> str:
    return "before" if programs == BEFORE != NOW else "now"


class MixedSite(CrashSite):
    AGENT_TIMEOUT_S = 10.0

    def __init__(self, broker: Path, agents: Path, seed: int = 1) -> None:
        super().__init__(seed)
        self.settings["transfer_timeout"] = "30s"
        self.write_broker_config()
        self.put(broker, "broker")
        for name in self.agents:
            self.put(agents, name)

    def put(self, programs: Path, who: str) -> None:
        """What `who` is from its next start on."""
        daemon = self.daemon(who)
        daemon.program = programs / daemon.program.name

    @property
    def brokers(self) -> Path:
        return self.broker.program.parent

    def ctl(self, *words: str):
        """leasectl of the broker's own release."""
        return run(self.brokers / "leasectl", *patient(words, self.broker), "--broker", self.control)

    def end(self, who: str, cleanly: bool) -> None:
        if cleanly:
            assert self.daemon(who).stop() == 0, self.daemon(who).log()
        else:
            self.daemon(who).kill9()

    def become(self, programs: Path, who: str, cleanly: bool) -> None:
        """Upgraded, or back: ended and started as the other program, with the files as they are."""
        self.end(who, cleanly)
        self.put(programs, who)
        self.daemon(who).start()

    @contextlib.contextmanager
    def slots_moving(self):
        """A transfer is in flight and stays so: the agent with which each lease is stands still. Where the broker waits
        for its report it moves nothing, and counts it as lost at last: then it is stopped at another moment."""
        while True:
            with self.agents["east"].stopped():
                if self.soon_in_flight():
                    yield
                    return
            self.wait_until_well()

    def soon_in_flight(self) -> bool:
        """False: east's agent is lost already, and nothing of it moves until it is heard again."""
        def in_flight_or_lost() -> list[bool]:
            if any(row["phase"] == "inactive" for row in self.ask("leases")):
                return [True]
            return [False] if self.flow("east")["agent"] != "up" else []
        in_flight, = wait_until(in_flight_or_lost, "a transfer is in flight", every=0.01)
        return in_flight

    def flip_on(self, times: int = 4) -> None:
        """All is well, and so many flips more have been; the files were right meanwhile, as often as they
        stood still for a look."""
        self.wait_until_well()
        last = before = self.flips()

        def looked_on() -> bool:
            nonlocal last
            flips = self.flips()
            if flips > last:  # each look makes all tables anew
                self.watcher.look_once()
            last = flips
            return flips >= before + times
        wait_until(looked_on, f"{times} flips more", every=0.25)
        self.watcher.check()

    def verified(self, *releases: Path) -> str:
        """The history proves itself to leasectl of each of these; what the last one said."""
        said = ""
        for programs in releases:
            answer = run(programs / "leasectl", "replay", self.database, "--verify")
            assert answer.returncode == 0, \
                f"replay --verify of {word(programs)}: {answer.stdout}{answer.stderr}"
            said = answer.stdout
        return said

    def finish_and_verify(self, *releases: Path) -> None:
        self.wait_until_well()
        self.finish()
        self.watcher.check()
        self.verified(*releases)

    # The database

    def made_by(self) -> tuple[int, int]:
        """Core and schema of who wrote the newest row."""
        (row,) = rows_of(self.database, "SELECT core_version FROM log ORDER BY first_event DESC LIMIT 1")
        (schema,) = rows_of(self.database, "PRAGMA user_version")
        return row["core_version"], schema["user_version"]

    def log_end(self, database: Path) -> str:
        return rows_of(database, LOG_END)[0]["hash"]

    def upgrade_copies(self) -> list[Path]:
        return sorted(self.path.glob("leasehold.db.core-*"))

    def move_database_away(self) -> None:
        """All of it but .commit, as an operator does who puts a copy back."""
        away = self.path / "away"
        away.mkdir(exist_ok=True)
        for end in ("", "-wal", "-shm"):
            path = self.path / f"leasehold.db{end}"
            if path.exists():
                path.rename(away / path.name)
