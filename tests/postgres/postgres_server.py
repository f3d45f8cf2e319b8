"""A real PostgreSQL of a test's own, on a socket in its folder and on loopback; ended by its process id.

    python3 tests/postgres/postgres_server.py COMMAND...   runs it with LEASEHOLD_POSTGRES, the server's name
"""
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "integration"))
from ports import Claim

# What is not written when a machine fails, no test of processes can see.
FAST = ("-c", "fsync=off", "-c", "full_page_writes=off", "-c", "shared_buffers=16MB",
        "-c", "max_connections=60", "-c", "autovacuum=off")


def programs() -> Path:
    """The newest that is installed."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"),
                   key=lambda path: int(path.parts[-3]))
    if not found:
        raise FileNotFoundError("no PostgreSQL here: scripts/install-packages")
    return found[-1].parent


def as_owner(command: list[str]) -> list[str]:
    """It refuses to run as root."""
    if os.geteuid() != 0:
        return command
    return ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "--", *command]


class PostgresServer:
    def __init__(self, *settings: str) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="leasehold-pg-"))
        self.settings = settings
        self.claim = Claim()
        self.port = self.claim.ports[0]
        self.process: subprocess.Popen | None = None
        if os.geteuid() == 0:
            owner = pwd.getpwnam("postgres")
            os.chown(self.path, owner.pw_uid, owner.pw_gid)
        self.data = self.path / "data"
        self.run("initdb", "-D", str(self.data), "-A", "trust", "-U", "leasehold", "-N",
                 "--no-instructions", "-E", "UTF8", "--locale=C")

    def run(self, program: str, *words: str) -> None:
        done = subprocess.run(as_owner([str(programs() / program), *words]), text=True,
                              capture_output=True, cwd=self.path)
        assert done.returncode == 0, f"{program}: {done.stdout}{done.stderr}"

    def start(self) -> None:
        """pg_ctl waits for the condition that it answers."""
        self.run("pg_ctl", "-D", str(self.data), "-w", "-s", "-l", str(self.path / "log"), "-o",
                 " ".join(["-p", str(self.port), "-c", "listen_addresses=127.0.0.1", "-k",
                           str(self.path), *FAST, *self.settings]), "start")

    def pid(self) -> int:
        return int((self.data / "postmaster.pid").read_text().splitlines()[0])

    def kill(self, how: signal.Signals) -> None:
        os.kill(self.pid(), how)

    def stop(self) -> None:
        if (self.data / "postmaster.pid").exists():
            self.run("pg_ctl", "-D", str(self.data), "-w", "-s", "-m", "immediate", "stop")

    def url(self, database: str = "postgres") -> str:
        return f"postgresql://leasehold@127.0.0.1:{self.port}/{database}"

    def __enter__(self) -> "PostgresServer":
        try:
            self.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self.stop()
        finally:
            self.claim.release()
            shutil.rmtree(self.path, ignore_errors=True)


if __name__ == "__main__":
    with PostgresServer() as server:
        environment = dict(os.environ, LEASEHOLD_POSTGRES=server.url(""))
        sys.exit(subprocess.run(sys.argv[1:], env=environment).returncode)
