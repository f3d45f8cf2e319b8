"""Roots of Debian, made by debootstrap from the mirror that apt is set up with and kept in the build
folder. As root."""
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
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


class NoSuchRoot(Exception):
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
    raise NoSuchRoot(f"apt has no mirror for {release or 'this release'}: see /etc/apt")


def apt_proxy() -> str:
    told = subprocess.run(["apt-config", "shell", "PROXY", "Acquire::http::Proxy"],
                          capture_output=True, text=True, check=True).stdout
    return shlex.split(told.partition("=")[2])[0] if "=" in told else ""


def make(suite: str, root: Path, packages: str, configured: bool) -> None:
    subprocess.run([TOP / "scripts/install-packages", "slurm-versions"], check=True)
    subprocess.run(["rm", "-rf", "--one-file-system", f"{root}.part"], check=True)
    root.parent.mkdir(parents=True, exist_ok=True)
    environment = {**os.environ, **({"http_proxy": apt_proxy()} if apt_proxy() else {})}
    print(f"making a root of Debian {suite} in {root}", file=sys.stderr, flush=True)
    with Path(f"{root}.log").open("wb") as log:
        done = subprocess.run(["debootstrap", *([] if configured else ["--foreign"]), "--variant=minbase",
                               f"--include={packages}", suite, f"{root}.part", apt_mirror()], stdout=log,
                              stderr=log, stdin=subprocess.DEVNULL, env=environment, check=False)
    if done.returncode != 0:
        raise NoSuchRoot(f"debootstrap failed for {suite}: see {root}.log")
    if not configured:
        for package in sorted(Path(f"{root}.part/var/cache/apt/archives").glob("*.deb")):
            subprocess.run(["dpkg-deb", "--extract", package, f"{root}.part"], check=True)
    os.rename(f"{root}.part", root)


def enter(root: Path, setting: str, command: list[str]) -> int:
    """Runs the command beside the programs of the root, which the variable `setting` names; its exit status."""
    folder = tempfile.gettempdir()
    (root / folder.lstrip("/")).mkdir(parents=True, exist_ok=True)
    (root / "etc/hosts").touch()
    environment = {**os.environ, "ROOT": str(root), "TMP": folder, setting: str(root)}
    return subprocess.run(["unshare", "--mount", "sh", "-c", _ENTER, "sh", *command],
                          env=environment, check=False).returncode


def root_with(name: str, suite: str, packages: list[str], configured: bool = True) -> Path:
    """The root of that name and suite, with these packages; made if it is not there yet. `configured`: False,
    packages are only unpacked: nothing of theirs is run, and no service of theirs started."""
    if os.geteuid() != 0:
        raise NoSuchRoot("only root may make a root of its own and enter it")
    folder = Path(os.environ.get("LEASEHOLD_BUILD", TOP / "build")) / "roots"
    root = folder.resolve() / f"{name}-{suite}"
    if not root.exists():
        make(suite, root, ",".join(packages), configured)
    return root
