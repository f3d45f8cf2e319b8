"""Every canary in turn must be found within so many seeds; ends in a table.

all_canaries.py TORTURE_CANARIES [--seeds N] [--jobs J]: exit 0 if each was found, else 1. With
--known canaries.txt the seed of its list is tried before the others are, in order; where another one
finds it the list is wrong, which costs minutes at each run: exit 1, with the seed to write there.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "integration"))
from processes import LAST_BOUND_S  # noqa: E402


def words_by_name(path):
    """The words of each line by the canary's name: its seed or "none", and what found it."""
    lines = pathlib.Path(path).read_text(encoding="utf-8").splitlines() if path else []
    return {line.split()[0]: line.split()[1:] for line in lines if line and line[0] != "#"}


def known_seeds(path):
    return {name: int(words[0].rstrip("?")) for name, words in words_by_name(path).items()
            if words[0] != "none"}


def known_in_vain(path):
    """Those that no seed has found."""
    return {name for name, words in words_by_name(path).items() if words[0] == "none"}


def run(options, name, first, seeds):
    command = [options.program, "--canary", name, "--first", str(first), "--seeds", str(seeds),
               "--jobs", str(options.jobs), "--hours", str(options.hours)]
    with tempfile.TemporaryDirectory() as folder:  # a planted mistake may end the program where it is
        done = subprocess.run(command, capture_output=True, text=True, timeout=LAST_BOUND_S, check=False,
                              env=dict(os.environ, TMPDIR=folder))
    found = re.search(r"found by seed (\d+) \((\d+) seeds run\): (\S+):", done.stdout)
    return found if done.returncode == 0 else None


def find(options, name, known):
    found = run(options, name, known, 1) if known else None
    return found or run(options, name, 1, options.seeds)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("--seeds", type=int, default=200)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--hours", type=int, default=24)
    parser.add_argument("--known", metavar="canaries.txt")
    options = parser.parse_args()
    listed = subprocess.run([options.program, "--list-canaries"], capture_output=True, text=True,
                            check=True)
    names = [line.split()[0] for line in listed.stdout.splitlines()]
    known = known_seeds(options.known)
    in_vain = known_in_vain(options.known)
    missed = []
    moved = []
    for name in names:
        if name in in_vain:
            print(f"{name:34} known not to be found")
            continue
        begun = time.monotonic()
        found = find(options, name, known.get(name))
        seconds = time.monotonic() - begun
        if found:
            print(f"{name:34} seed {found[1]:>4}, {found[2]:>4} run, {seconds:5.1f} s  {found[3]}",
                  flush=True)
            if known.get(name, int(found[1])) != int(found[1]):
                moved.append(f"{options.known}: {name} is found by seed {found[1]}, no more by {known[name]}")
        else:
            missed.append(name)
            print(f"{name:34} NOT FOUND in {options.seeds} seeds, {seconds:.1f} s", flush=True)
    print("\n".join([*moved, f"{len(names)} canaries, {len(missed)} not found"]))
    return 1 if missed or moved else 0


if __name__ == "__main__":
    sys.exit(main())
