"""Every canary in turn must be found within so many seeds; ends in a table.

all_canaries.py TORTURE_CANARIES [--seeds N] [--jobs J]: exit 0 if each was found, else 1.
"""
import argparse
import re
import subprocess
import sys
import time


def run(program, name, options):
    command = [program, "--canary", name, "--seeds", str(options.seeds), "--jobs",
               str(options.jobs), "--hours", str(options.hours)]
    begun = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, timeout=900, check=False)
    return done, time.monotonic() - begun


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("--seeds", type=int, default=200)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--hours", type=int, default=24)
    options = parser.parse_args()
    listed = subprocess.run([options.program, "--list-canaries"], capture_output=True, text=True,
                            check=True)
    names = [line.split()[0] for line in listed.stdout.splitlines()]
    missed = []
    for name in names:
        done, seconds = run(options.program, name, options)
        found = re.search(r"found by seed (\d+) \((\d+) seeds run\): (\S+):", done.stdout)
        if done.returncode == 0 and found:
            print(f"{name:34} seed {found[1]:>4}, {found[2]:>4} run, {seconds:5.1f} s  {found[3]}",
                  flush=True)
        else:
            missed.append(name)
            print(f"{name:34} NOT FOUND in {options.seeds} seeds, {seconds:.1f} s", flush=True)
    print(f"{len(names)} canaries, {len(missed)} not found")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
