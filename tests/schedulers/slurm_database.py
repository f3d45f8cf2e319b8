"""A real slurmdbd on loopback with a MariaDB of its own, as ordinary processes of this user: for clusters with
associations, QOS and limits. Everything lies in a temporary directory; daemons are children that die with
the test.

    with SlurmDatabase() as database, SlurmCluster("east", {"p1": 4}, database=database) as east:
        database.manage("add", "account", "physics")
"""
import contextlib
import ctypes
import getpass
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "integration"))
import places  # noqa: E402
from ports import Claim  # noqa: E402
from processes import LAST_BOUND_S, wait_until  # noqa: E402

_LIBC = ctypes.CDLL(None)
_PR_SET_PDEATHSIG = 1
_PROGRAMS = ("mariadbd", "mariadb-install-db", "mariadb-admin", "slurmdbd", "sacctmgr", "munged")
_PATH = "/usr/sbin:/usr/bin:/sbin:/bin"

_CONFIG = """\
AuthType=auth/munge
AuthInfo=socket={path}/munge.socket
DbdHost={machine}
DbdAddr=127.0.0.1
DbdPort={port}
SlurmUser={user}
LogFile={path}/slurmdbd.log
PidFile={path}/slurmdbd.pid
StorageType=accounting_storage/mysql
StorageHost=127.0.0.1
StoragePort={storage_port}
StorageUser=slurm
StoragePass=slurm
StorageLoc=slurm_acct
"""


def installed() -> bool:
    return all(shutil.which(name, path=_PATH) for name in _PROGRAMS)


class SlurmDatabase:
    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="leasehold-slurmdbd-"))
        self.path.chmod(0o755)
        self.claim = Claim()
        self.port, self.storage_port = self.claim.ports[:2]
        self.socket = self.path / "munge.socket"
        self.config = self.path / "slurmdbd.conf"
        self._daemons: list[subprocess.Popen] = []
        key = self.path / "munge.key"
        key.write_bytes(secrets.token_bytes(128))
        key.chmod(0o600)
        # slurmdbd wants it so.
        self.config.touch(mode=0o600)
        self.config.write_text(_CONFIG.format(path=self.path, user=getpass.getuser(), port=self.port,
                                              machine=socket.gethostname().split(".")[0],
                                              storage_port=self.storage_port))

    def settings(self) -> dict[str, str]:
        """Of slurm.conf, for a cluster that keeps its accounts here. It shares the key of munge."""
        return {"AuthInfo": f"socket={self.socket}",
                "AccountingStorageType": "accounting_storage/slurmdbd",
                "AccountingStorageHost": "127.0.0.1", "AccountingStoragePort": str(self.port),
                "AccountingStoragePass": str(self.socket),
                "AccountingStorageEnforce": "associations,limits,qos"}

    def __enter__(self) -> "SlurmDatabase":
        with contextlib.ExitStack() as place:
            place.enter_context(places.of_managers(together=2))  # and a site
            self._start_or_tell()
            self.place = place.pop_all()
        return self

    def _start_or_tell(self) -> None:
        try:
            self.start()
        except BaseException:
            for log in self.path.glob("*.log"):
                print(f"---- {log.name}\n{log.read_text()[-2000:]}", file=sys.stderr)
            self.close()
            raise

    def __exit__(self, *_) -> None:
        self.close()
        self.place.close()

    def _run(self, *command: str) -> None:
        program = shutil.which(command[0], path=_PATH)
        with (self.path / f"{command[0]}.out.log").open("ab") as log:
            self._daemons.append(subprocess.Popen(
                [program, *command[1:]], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                cwd=self.path, start_new_session=True,
                env={**os.environ, "SLURM_CONF": str(self.path / "slurm.conf")},
                preexec_fn=lambda: _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)))

    def start(self) -> None:
        self._run("munged", "--foreground", "--force", f"--socket={self.socket}",
                  f"--key-file={self.path}/munge.key", f"--log-file={self.path}/munged.log",
                  f"--pid-file={self.path}/munged.pid", f"--seed-file={self.path}/munged.seed",
                  "--num-threads=2")
        wait_until(self.socket.exists, "munged listens", every=0.02)
        self._start_storage()
        self._run("slurmdbd", "-D")
        wait_until(lambda: self.manage("show", "cluster", check=False) == 0, "slurmdbd answers")

    def _start_storage(self) -> None:
        data, user = self.path / "data", getpass.getuser()
        with (self.path / "install.log").open("wb") as log:
            subprocess.run(["mariadb-install-db", "--no-defaults", f"--datadir={data}",
                            f"--user={user}", "--auth-root-authentication-method=normal",
                            "--skip-test-db"], stdout=log, stderr=log, check=True, cwd=self.path)
        begin = self.path / "begin.sql"
        begin.write_text("CREATE DATABASE IF NOT EXISTS slurm_acct;\n"
                         "CREATE USER IF NOT EXISTS slurm@'127.0.0.1' IDENTIFIED BY 'slurm';\n"
                         "CREATE USER IF NOT EXISTS slurm@localhost IDENTIFIED BY 'slurm';\n"
                         "GRANT ALL ON slurm_acct.* TO slurm@'127.0.0.1';\n"
                         "GRANT ALL ON slurm_acct.* TO slurm@localhost;\n")
        self._run("mariadbd", "--no-defaults", f"--datadir={data}", f"--user={user}",
                  f"--port={self.storage_port}", "--bind-address=127.0.0.1",
                  f"--socket={self.path}/maria.sock", f"--pid-file={self.path}/maria.pid",
                  f"--init-file={begin}", "--innodb-buffer-pool-size=64M",
                  "--innodb-flush-log-at-trx-commit=0", "--skip-name-resolve")
        asked = ["mariadb-admin", "--no-defaults", f"--socket={self.path}/maria.sock", "-uslurm",
                 "-pslurm", "ping"]
        wait_until(lambda: subprocess.run(asked, capture_output=True, check=False).returncode == 0,
                   "MariaDB answers")

    def manage(self, *words: str, check: bool = True):
        """sacctmgr; what it prints, or with check=False its exit status."""
        (self.path / "slurm.conf").write_text(
            "ClusterName=accounts\nSlurmctldHost=localhost\nAuthType=auth/munge\n"
            "PlugStackConfig=/dev/null\n"
            + "".join(f"{key}={value}\n" for key, value in self.settings().items()))
        done = subprocess.run(["sacctmgr", "-i", "-n", "-P", *words], capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, timeout=LAST_BOUND_S, check=False,
                              env={**os.environ, "SLURM_CONF": str(self.path / "slurm.conf")})
        if not check:
            return done.returncode
        if done.returncode != 0:
            raise AssertionError(f"sacctmgr {' '.join(words)}: {done.stderr}{done.stdout}")
        return done.stdout

    def close(self) -> None:
        for daemon in reversed(self._daemons):
            if daemon.poll() is None:
                daemon.kill()
            daemon.wait()
        self.claim.release()
        shutil.rmtree(self.path, ignore_errors=True)
