#!/usr/bin/python3
"""The portable agent where its libraries are not: in a root that is empty but for it, and in other Debians
than the one that it was built on, beside their own Slurm.

    tests/packages/try_portable.py TARBALL

As root; scripts/packages --try calls it. Not Enterprise Linux: no root of that can be made here."""
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "schedulers"))
import debian_root

AGENT = "/opt/leasehold-agent/bin/lease-agent"
# Debian's suites, and why.
SUITES = {"bullseye": "older: glibc 2.31, Slurm 20.11", "trixie": "newer: glibc 2.41, Slurm 24.11"}
CONFIGURATION = """[agent]
cluster = "east"
broker = "tcp://127.0.0.1:7449"
state = "/tmp/east.db"
[workload]
manager = "slurm"
"""


def inside(root: Path, *words: str) -> str:
    done = subprocess.run(["chroot", root, *words], capture_output=True, text=True, check=False,
                          env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"})
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(words)} in {root}: {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout.strip()


def put(tarball: Path, root: Path) -> None:
    with tarfile.open(tarball) as packed:
        for member in packed.getmembers():
            at = member.name.find("opt/leasehold-agent")
            if at < 0:
                continue
            member.name = member.name[at:]
            packed.extract(member, root)
    (root / "tmp").mkdir(exist_ok=True)
    (root / "tmp/agent.toml").write_text(CONFIGURATION)
    (root / "etc/slurm").mkdir(parents=True, exist_ok=True)
    (root / "etc/slurm/slurm.conf").write_text("ClusterName=east\nSlurmctldHost=localhost\n")


def in_an_empty_root(tarball: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="leasehold-empty-") as folder:
        put(tarball, Path(folder))
        print(f"an empty root: {inside(Path(folder), AGENT, '--version')}")
        inside(Path(folder), AGENT, "--config", "/tmp/agent.toml", "--check-config")


def in_another_debian(tarball: Path, suite: str, why: str) -> None:
    root = debian_root.root_with("slurm", suite, ["slurm-wlm", "slurm-client", "munge"])
    put(tarball, root)
    version = inside(root, AGENT, "--version")
    inside(root, AGENT, "--config", "/tmp/agent.toml", "--check-config")
    print(f"{suite} ({why}): {version}, beside {inside(root, 'sinfo', '--version')}")


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        in_an_empty_root(Path(sys.argv[1]))
        for suite, why in SUITES.items():
            in_another_debian(Path(sys.argv[1]), suite, why)
    except (RuntimeError, debian_root.NoSuchRoot, OSError, subprocess.CalledProcessError) as error:
        print(f"try_portable: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
