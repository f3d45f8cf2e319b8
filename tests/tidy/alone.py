#!/usr/bin/python3
"""Compiles each C++ file by itself, with g++ and with clang, and makes nothing of it: scripts/alone [FILE...].

scripts/build compiles several files as one, where a file may live on what another includes. Here each has only its own
includes, and two compilers warn. Without files it takes all of the build folder, which needs an hour of a processor.
"""
import argparse
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from clang_tidy import ROOT, SKIPPED, commands

TELL_EVERY = 50
CLANG_ONLY = ["-Wno-unknown-warning-option"]  # the options are g++'s


def compiled(words: tuple[list[str], str]) -> tuple[str, str]:
    """The file, and what the compiler said; empty: it is good."""
    command, file = words
    done = subprocess.run([*command, "-O0", "-fsyntax-only", file], cwd=ROOT, capture_output=True, text=True,
                          check=False)
    return file, f"{' '.join(command[:1])}: {done.stderr or done.returncode}" if done.returncode else ""


def offended(work: list[tuple[list[str], str]], at_once: int) -> int:
    bad = 0
    with ThreadPoolExecutor(at_once) as pool:
        for number, (file, said) in enumerate(pool.map(compiled, work), 1):
            if said:
                bad += 1
                print(f"{Path(file).relative_to(ROOT)}: {said}", flush=True)
            if number % TELL_EVERY == 0:
                print(f"[{number}/{len(work)}] {bad} with offences", flush=True)
    return bad


def main() -> int:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    words.add_argument("file", nargs="*")
    asked = words.parse_args()
    build = ROOT / os.environ.get("LEASEHOLD_BUILD", "build")
    compilers = {name: shutil.which(name) for name in ("g++", "clang++")}
    if not all(compilers.values()) or not (build / "compile_commands.json").exists():
        print(f"alone: wanted are g++, clang++ (apt-get install clang) and {build}/compile_commands.json "
              "(scripts/build makes it)", file=sys.stderr)
        return SKIPPED
    known = commands(build)
    files = [str((ROOT / file).resolve()) for file in asked.file] or \
        sorted(file for file in known if file.startswith(str(ROOT)) and not file.startswith(str(build)))
    if unknown := [file for file in files if file not in known]:
        print(f"alone: the build folder does not compile {', '.join(unknown)}", file=sys.stderr)
        return 2
    work = [([compilers[name], *known[file], *(CLANG_ONLY if name == "clang++" else [])], file)
            for name in compilers for file in files]
    bad = offended(work, asked.jobs)
    print(f"{len(files)} files by {len(compilers)} compilers, {bad} with offences")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
