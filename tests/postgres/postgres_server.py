#!/usr/bin/python3
"""A real PostgreSQL of a test's own, on a socket in its folder and on loopback; ended by its process id.

    python3 tests/postgres/postgres_server.py [--durable | --pooler] COMMAND...

runs it with LEASEHOLD_POSTGRES, the server's name, and LEASEHOLD_POSTGRES_SOCKET, the same by its socket;
--durable: with fsync, as sites run it; --pooler: through PgBouncer in transaction mode.
"""
import contextlib
import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.parse import quote

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "integration"))
import places
from ports import Claim
from postgres_programs import as_owner, client, ending_with_parent, server, version
from processes import PROGRAMS, wait_until

# What is not written when a machine fails, no test of processes can see.
FAST = ("-c", "fsync=off", "-c", "full_page_writes=off", "-c", "shared_buffers=16MB",
        "-c", "max_connections=60", "-c", "autovacuum=off")
# Killed, it leaves what it shares in memory: its folder then has most of it.
SHARED = ("-c", "dynamic_shared_memory_type=mmap")


def owned_folder() -> Path:
    path = Path(tempfile.mkdtemp(prefix="leasehold-pg-"))
    if os.geteuid() == 0:
        owner = pwd.getpwnam("postgres")
        os.chown(path, owner.pw_uid, owner.pw_gid)
    return path


class PostgresServer:
    process: subprocess.Popen | None = None

    def __init__(self, *settings: str) -> None:
        self.place = contextlib.ExitStack()
        self.place.enter_context(places.one(together=2))  # a site
        self.path = owned_folder()
        self.settings = settings
        self.claim = Claim()
        self.port = self.claim.ports[0]
        self.data = self.path / "data"
        self.databases = 0
        self.make_cluster()

    def make_cluster(self) -> None:
        """A copy of the first one that initdb made for a build folder: it takes a sixteenth of the processor time."""
        kept = PROGRAMS.parent / f"postgres-{version()}"
        if not kept.exists():
            self.run("initdb", "-D", str(self.data), "-A", "trust", "-U", "leasehold", "-N",
                     "--no-instructions", "-E", "UTF8", "--locale=C")
            new = Path(tempfile.mkdtemp(prefix=f"{kept.name}-", dir=kept.parent)) / "data"
            subprocess.run(["cp", "-a", self.data, new], check=True)
            with contextlib.suppress(OSError):  # another one was first
                new.rename(kept)
            shutil.rmtree(new.parent)
        else:
            subprocess.run(["cp", "-a", kept, self.data], check=True)

    def run(self, program: str, *words: str) -> None:
        done = subprocess.run([*server(program), *words], text=True, capture_output=True, cwd=self.path)
        assert done.returncode == 0, f"{program}: {done.stdout}{done.stderr}"

    def start(self) -> None:
        """Until it answers. It ends with whoever started it, however that ends."""
        command = [*ending_with_parent(server("postgres")), "-D", str(self.data), "-p", str(self.port), "-c",
                   "listen_addresses=127.0.0.1", "-k", str(self.path), *FAST, *SHARED, *self.settings]
        with (self.path / "log").open("ab") as log:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                            cwd=self.path)
        wait_until(lambda: not self.runs() or self.answers(), "PostgreSQL answers")
        assert self.runs(), (self.path / "log").read_text()[-1000:]

    def answers(self) -> bool:
        asked = [*client("pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(self.port)]
        return subprocess.run(asked, check=False).returncode == 0

    def kill(self) -> None:
        """Its postmaster, as by SIGKILL; what works for it ends by itself, soon."""
        self.process.kill()
        self.process.wait()

    @contextlib.contextmanager
    def stands_still(self):
        """All of it, as by SIGSTOP; the machine goes on acknowledging what is sent to it."""
        os.kill(self.process.pid, signal.SIGSTOP)  # from here on it starts no other
        stopped = [*self.backends(), self.process.pid]
        for pid in stopped:
            os.kill(pid, signal.SIGSTOP)
        try:
            yield
        finally:
            for pid in stopped:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGCONT)

    def backends(self) -> list[int]:
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        return [int(pid) for pid in children.read_text().split()]

    def runs(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def stop(self) -> None:
        """At once, without a checkpoint."""
        if self.runs():
            self.process.send_signal(signal.SIGQUIT)
            self.process.wait()
        self.free_memory()

    def free_memory(self) -> None:
        """A killed one's lock on its folder is 56 bytes of the machine's memory, which nobody else frees."""
        with contextlib.suppress(OSError, IndexError):
            segment = (self.data / "postmaster.pid").read_text().splitlines()[6].split()[1]
            subprocess.run(["ipcrm", "-m", segment], capture_output=True, check=False)

    def url(self, database: str = "postgres") -> str:
        return f"postgresql://leasehold@127.0.0.1:{self.port}/{database}"

    def socket_url(self, database: str = "postgres") -> str:
        return f"postgresql://leasehold@{quote(str(self.path), safe='')}:{self.port}/{database}"

    def make_database(self, name: str) -> None:
        self.run("createdb", "-h", "127.0.0.1", "-p", str(self.port), "-U", "leasehold", name)

    def new_database(self) -> str:
        """Its name. Tests that use one server use a database each."""
        self.databases += 1
        name = "leasehold" if self.databases == 1 else f"leasehold{self.databases}"
        self.make_database(name)
        return name

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
            self.place.close()


class Pooler:
    """PgBouncer in front of a server: each transaction gets whichever session is free."""

    def __init__(self, server: PostgresServer) -> None:
        self.server = server
        self.port = server.claim.ports[1]

    def url(self, database: str = "postgres") -> str:
        return f"postgresql://leasehold@127.0.0.1:{self.port}/{database}"

    def __enter__(self) -> "Pooler":
        users = self.server.path / "users.txt"
        users.write_text('"leasehold" ""\n')
        self.config = self.server.path / "pgbouncer.ini"
        self.write_config(self.server, users)
        self.log = open(self.server.path / "pgbouncer.log", "wb")
        self.process = subprocess.Popen(as_owner(["pgbouncer", str(self.config)]), stdout=self.log,
                                        stderr=subprocess.STDOUT, cwd=self.server.path)
        wait_until(self.listens, "PgBouncer listens")
        return self

    def write_config(self, server: PostgresServer, users: Path) -> None:
        self.config.write_text(f"""[databases]
* = host=127.0.0.1 port={server.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {self.port}
unix_socket_dir =
auth_type = trust
auth_file = {users}
pool_mode = transaction
""")

    def point_to(self, server: PostgresServer) -> None:
        """Whoever has a session goes on there, without a word."""
        self.write_config(server, self.server.path / "users.txt")
        self.process.send_signal(signal.SIGHUP)

    def listens(self) -> bool:
        assert self.process.poll() is None, (self.server.path / "pgbouncer.log").read_text()
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        self.log.close()


def run_with(url: str, command: list[str], **more: str) -> int:
    return subprocess.run(command, env=dict(os.environ, LEASEHOLD_POSTGRES=url, **more)).returncode


def main(words: list[str]) -> int:
    # Who is told to end ends its server too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    with PostgresServer("-c", "fsync=on") if words[0] == "--durable" else PostgresServer() as server:
        if words[0] != "--pooler":
            return run_with(server.url(""), words[words[0] == "--durable":],
                            LEASEHOLD_POSTGRES_SOCKET=server.socket_url(""))
        with Pooler(server) as pooler:
            return run_with(pooler.url(""), words[1:])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
