"""Runs a command beside another version of Slurm than this machine's: a root made by debootstrap from the
mirror that apt is set up with, kept in the build folder, and entered in a mount namespace of its own,
which ends with the command. As root.

    slurm_root.py 24.11 python3 tests/integration/slurm_test.py
"""
import subprocess
import sys
from pathlib import Path

import debian_root
from debian_root import NoSuchRoot, root_with
from slurm_programs import SlurmPrograms

# Debian's suite that has it now; what is made is looked at.
SUITES = {"24.11": "trixie", "26.05": "sid"}
_PACKAGES = ["slurm-wlm", "slurm-client", "munge"]


class NoSuchSlurm(NoSuchRoot):
    """It has another version, or nobody knows where that is."""


def root_of(version: str) -> Path:
    """Made if it is not there yet."""
    if version not in SUITES:
        raise NoSuchSlurm(f"which suite has Slurm {version} is not known; known: {', '.join(SUITES)}")
    root = root_with("slurm", SUITES[version], _PACKAGES)
    found = SlurmPrograms(str(root)).version()
    if not found.startswith(f"{version}."):
        raise NoSuchSlurm(f"{root} has Slurm {found or 'none'}, not {version}: another is in this "
                          "suite now, or it was made long ago; remove it to make it anew")
    return root


def enter(root: Path, command: list[str]) -> int:
    """Runs the command beside the programs of the root; its exit status."""
    return debian_root.enter(root, "LEASEHOLD_SLURM_ROOT", command)


def main() -> int:
    if len(sys.argv) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        return enter(root_of(sys.argv[1]), sys.argv[2:])
    except (NoSuchRoot, OSError, subprocess.CalledProcessError) as error:
        print(f"slurm_root: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
