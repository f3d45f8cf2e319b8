"""Where the programs of the Slurm under test are: installed on this machine, or in a root of their own that
holds another version (slurm_root.py). Whoever starts tests chooses by LEASEHOLD_SLURM_ROOT; such tests see
the same files, processes and network as the programs there do.
"""
import functools
import os
import re
import shutil
import subprocess
from pathlib import Path

_DAEMONS = ("munged", "slurmctld", "slurmd")
_CLIENTS = ("scontrol", "squeue", "scancel", "salloc", "sbatch", "sinfo", "sacctmgr")
_CGROUPS_SINCE = (23, 2)  # from here on slurmd insists on cgroups, unless it is told not to
_PATH = "/usr/sbin:/usr/bin:/sbin:/bin"


class SlurmPrograms:
    def __init__(self, root: str = "") -> None:
        self.root = root

    @staticmethod
    @functools.cache
    def chosen() -> "SlurmPrograms":
        return SlurmPrograms(os.environ.get("LEASEHOLD_SLURM_ROOT", ""))

    def path(self, name: str) -> str:
        """As its root calls it; "": it is not there."""
        for folder in _PATH.split(":"):
            if (Path(f"{self.root}{folder}") / name).exists():
                return f"{folder}/{name}"
        return ""

    def installed(self, *more: str) -> bool:
        return all(self.path(name) for name in (*_DAEMONS, "scontrol", "squeue", *more))

    def command(self, name: str) -> list[str]:
        """What to start; arguments follow."""
        path = self.path(name) or name
        return [shutil.which("chroot", path=_PATH), self.root, path] if self.root else [path]

    @functools.cache
    def version(self) -> str:
        """"24.11.5"; "" if it is not installed."""
        if not self.installed():
            return ""
        told = subprocess.run([*self.command("slurmctld"), "-V"], capture_output=True, text=True,
                              check=True)
        found = re.search(r"\d+\.\d+\.\d+", told.stdout)
        return found.group() if found else ""

    def wants_cgroups(self) -> bool:
        major, minor, _ = self.version().split(".")
        return (int(major), int(minor)) >= _CGROUPS_SINCE

    def write_bin_dir(self, folder: Path, calls: Path | None = None,
                      before: dict[str, str] | None = None) -> str:
        """For an agent's `bin_dir`: its clients, as if they were installed. "": they are. `calls`: where
        each writes a line when it is called; `before`: by client, lines of shell that come before it."""
        if not self.root and calls is None and not before:
            return ""
        folder.mkdir(exist_ok=True)
        for name in _CLIENTS:
            if self.path(name):
                script = folder / name
                note = f'echo "{name} $*" >>"{calls}"\n' if calls else ""
                note += (before or {}).get(name, "")
                script.write_text(f"#!/bin/sh\n{note}exec {' '.join(self.command(name))} \"$@\"\n")
                script.chmod(0o755)
        return str(folder)
