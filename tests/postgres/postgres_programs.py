"""Where the programs of the PostgreSQL under test are: the newest that is installed on this machine, or the
newest of a root that holds another version. Whoever starts tests chooses by LEASEHOLD_POSTGRES_ROOT
(postgres_versions.py); such programs see the same files, processes and network as the tests do.
"""
import os
import pwd
import re
import shutil
import subprocess
from pathlib import Path

ROOT = os.environ.get("LEASEHOLD_POSTGRES_ROOT", "")
_CLIENTS = ("psql", "createuser", "createdb", "pg_dump", "pg_isready", "pg_restore")


def _folder() -> str:
    """As its root calls it."""
    found = sorted(Path(f"{ROOT}/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    if not found:
        raise FileNotFoundError(f"no PostgreSQL {ROOT and 'in ' + ROOT or 'here: scripts/install-packages'}")
    return f"/usr/lib/postgresql/{found[-1].parts[-3]}/bin"


def client(name: str) -> list[str]:
    """What to start; arguments follow."""
    chroot = [shutil.which("chroot", path="/usr/sbin:/usr/bin"), ROOT] if ROOT else []
    return [*chroot, f"{_folder()}/{name}"]


def as_owner(command: list[str]) -> list[str]:
    """A server refuses to run as root."""
    if os.geteuid() != 0:
        return command
    return ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "--", *command]


def server(name: str) -> list[str]:
    """The same, as the user that owns the server's files."""
    if not ROOT:
        return as_owner(client(name))
    owner = pwd.getpwnam("postgres")  # which the root may not know
    chroot, root, program = client(name)
    return [chroot, f"--userspec={owner.pw_uid}:{owner.pw_gid}", "--groups=", root, program]


def ending_with_parent(command: list[str]) -> list[str]:
    """Told last before the program begins: who changes its user is told nothing of before."""
    return [*command[:-1], "setpriv", "--pdeathsig=KILL", "--", command[-1]]


def version() -> str:
    """"17.12"."""
    told = subprocess.run([*client("postgres"), "-V"], capture_output=True, text=True, check=True).stdout
    return re.search(r"\d+(\.\d+|\w+)", told).group()


def bin_dir(folder: Path) -> str:
    """For a PATH: its clients, as if they were installed."""
    if not ROOT:
        return _folder()
    for name in _CLIENTS:
        script = folder / name
        script.write_text(f"#!/bin/sh\nexec {' '.join(client(name))} \"$@\"\n")
        script.chmod(0o755)
    return str(folder)
