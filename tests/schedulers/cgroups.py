"""What confines jobs of real Slurm to cores (TaskPlugin=task/cgroup): cgroups of version 1, if the machine has them.

The kernel's cgroups are the whole machine's, and Slurm names them by its nodes: a test needs nodes of its own name.
"""
import contextlib
import os
from pathlib import Path

from slurm_programs import SlurmPrograms

CPUSETS = Path("/sys/fs/cgroup/cpuset")
CONFIG = f"CgroupPlugin=cgroup/v1\nCgroupMountpoint={CPUSETS.parent}\nConstrainCores=yes\n"


def may_confine(programs: SlurmPrograms) -> bool:
    """Programs in a root of their own do not see the machine's cgroups."""
    return not programs.root and os.access(CPUSETS, os.W_OK) and (CPUSETS / "cpuset.cpus").exists()


def remove(node: str) -> None:
    """What a slurmd leaves of its own."""
    for folder, _, _ in os.walk(CPUSETS / f"slurm_{node}", topdown=False):
        with contextlib.suppress(OSError):
            os.rmdir(folder)
