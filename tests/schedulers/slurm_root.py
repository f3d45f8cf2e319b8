"""Runs a command beside another version of Slurm than this machine's: a root made by debootstrap from the
mirror that apt is set up with, kept in the build folder, and entered in a mount namespace of its own,
which ends with the command. As root.

    slurm_root.py 24.11 python3 tests/integration/slurm_test.py
"""
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from slurm_programs import SlurmPrograms

TOP = Path(__file__).resolve().parents[2]
# Debian's suite that has it now; what is made is looked at.
SUITES = {"24.11": "trixie", "26.05": "sid"}
_PACKAGES = "slurm-wlm,slurm-client,munge"
# Files and processes are this machine's own, but for the programs: paths mean the same on both sides.
_ENTER = """\
set -eu
mount --make-rprivate /
mount -t proc proc "$ROOT/proc"
mount --rbind /dev "$ROOT/dev"
mount --bind "$TMP" "$ROOT$TMP"
mount --bind /etc/hosts "$ROOT/etc/hosts"
exec "$@"
"""


class NoSuchSlurm(Exception):
    """What lacks, and what would help."""


def apt_mirror() -> str:
    """The one that apt is set up with for this machine's own release."""
    release = dict(line.split("=", 1) for line in Path("/etc/os-release").read_text().splitlines()
                   if "=" in line).get("VERSION_CODENAME", "").strip('"')
    told = subprocess.run(["apt-get", "indextargets", "--format", "$(REPO_URI) $(CODENAME)",
                           "Created-By: Packages"], capture_output=True, text=True, check=True)
    for line in told.stdout.splitlines():
        address, _, codename = line.partition(" ")
        if codename == release:
            return address
    raise NoSuchSlurm(f"apt has no mirror for {release or 'this release'}: see /etc/apt")


def apt_proxy() -> str:
    told = subprocess.run(["apt-config", "shell", "PROXY", "Acquire::http::Proxy"],
                          capture_output=True, text=True, check=True).stdout
    return shlex.split(told.partition("=")[2])[0] if "=" in told else ""


def make(suite: str, root: Path) -> None:
    subprocess.run([TOP / "scripts/install-packages", "slurm-versions"], check=True)
    subprocess.run(["rm", "-rf", "--one-file-system", f"{root}.part"], check=True)
    root.parent.mkdir(parents=True, exist_ok=True)
    environment = {**os.environ, **({"http_proxy": apt_proxy()} if apt_proxy() else {})}
    print(f"making a root of Debian {suite} in {root}", file=sys.stderr, flush=True)
    with Path(f"{root}.log").open("wb") as log:
        done = subprocess.run(["debootstrap", "--variant=minbase", f"--include={_PACKAGES}", suite,
                               f"{root}.part", apt_mirror()], stdout=log, stderr=log,
                              stdin=subprocess.DEVNULL, env=environment, check=False)
    if done.returncode != 0:
        raise NoSuchSlurm(f"debootstrap failed for {suite}: see {root}.log")
    os.rename(f"{root}.part", root)


def root_of(version: str) -> Path:
    """Made if it is not there yet."""
    if os.geteuid() != 0:
        raise NoSuchSlurm("only root may make a root of its own and enter it")
    if version not in SUITES:
        raise NoSuchSlurm(f"which suite has Slurm {version} is not known; known: {', '.join(SUITES)}")
    folder = Path(os.environ.get("LEASEHOLD_BUILD", TOP / "build")) / "slurm-roots"
    root = folder.resolve() / SUITES[version]
    if not root.exists():
        make(SUITES[version], root)
    found = SlurmPrograms(str(root)).version()
    if not found.startswith(f"{version}."):
        raise NoSuchSlurm(f"{root} has Slurm {found or 'none'}, not {version}: another is in this "
                          "suite now, or it was made long ago; remove it to make it anew")
    return root


def enter(root: Path, command: list[str]) -> int:
    """Runs the command beside the programs of the root; its exit status."""
    folder = tempfile.gettempdir()
    (root / folder.lstrip("/")).mkdir(parents=True, exist_ok=True)
    (root / "etc/hosts").touch()
    environment = {**os.environ, "ROOT": str(root), "TMP": folder, "LEASEHOLD_SLURM_ROOT": str(root)}
    return subprocess.run(["unshare", "--mount", "sh", "-c", _ENTER, "sh", *command],
                          env=environment, check=False).returncode


def main() -> int:
    if len(sys.argv) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        return enter(root_of(sys.argv[1]), sys.argv[2:])
    except (NoSuchSlurm, OSError, subprocess.CalledProcessError) as error:
        print(f"slurm_root: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
