#!/usr/bin/python3
"""clang-tidy over C++ files of the programs: scripts/tidy [--changed] [FILE...].

Without files it takes all of them, which needs hours of a processor. --changed: the lines that are not committed yet
or, where all are, those of the last commit, in at most 6 files (of a header by its source), without the analyzer,
which takes four fifths of the time; the rest is named. Where there is no history there is nothing to look at. What a
file is compiled with comes from the build folder, also where that compiles several as one (config/unity.cmake).
"""
import argparse
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("agent/", "broker/", "common/")
CHANGED_MOST = 6
SKIPPED = 77  # as ctest is told (SKIP_RETURN_CODE)
_WITH_VALUE = {"-o", "-MF", "-MT", "-MQ", "-include", "--param"}
# Options that only g++ knows, of headers that are compiled before, and of what comes out.
_LEFT_OUT = re.compile(r"-c$|-MD$|-Winvalid-pch$|-Wno-(restrict|subobject-linkage)$|-flto|-f(no-)?ipa-|-fpch-")


def git(*words: str) -> list[str]:
    """Lines of its answer; none where it fails."""
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.splitlines() if done.returncode == 0 else []


def source(path: str) -> str:
    return re.sub(r"\.hpp$", ".cpp", path)


def sources(paths: list[str]) -> list[str]:
    """Those that can be looked at, of a header its source."""
    found = {source(path) for path in paths}
    return sorted(path for path in found
                  if path.startswith(FOLDERS) and path.endswith(".cpp") and (ROOT / path).is_file())


def changed_lines() -> dict[str, list[list[int]]]:
    """Of each changed file the first and the last line of each change."""
    found: dict[str, list[list[int]]] = {}
    for revisions in ["HEAD"], ["HEAD^", "HEAD"]:
        path = ""
        for row in git("diff", "-U0", "--no-color", "--no-ext-diff", *revisions, "--", *FOLDERS):
            if row.startswith("+++ "):
                path = row.removeprefix("+++ ").removeprefix("b/")
            elif lines := re.match(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@", row):
                first, number = int(lines[1]), int(lines[2] or 1)
                if number and path.endswith((".cpp", ".hpp")):
                    found.setdefault(path, []).append([first, first + number - 1])
        if found:
            break
    return found


def arguments(command: str) -> list[str]:
    """What clang-tidy is told of a compiler's command, without its source."""
    kept, words = [], iter(shlex.split(command)[1:])
    for word in words:
        if word in _WITH_VALUE:
            next(words)
        elif not _LEFT_OUT.match(word) and not word.endswith((".cpp", ".cxx")):
            kept.append(word)
    return kept


def commands(build: Path) -> dict[str, list[str]]:
    """Of each source the arguments by which it is compiled, of the first target that has it."""
    found: dict[str, list[str]] = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        path = Path(entry["file"])
        of_several = path.suffix == ".cxx" and "Unity" in path.parts and path.exists()
        files = re.findall(r'#include "(.+\.cpp)"', path.read_text()) if of_several else [str(path)]
        for file in files:
            found.setdefault(file, arguments(entry["command"]))
    return found


class Look:
    """clang-tidy, as it was found, in a folder that says what files are compiled with."""

    def __init__(self, program: str, folder: str, lines: dict[str, list[list[int]]] | None) -> None:
        self.words = [program, "-quiet", "-p", folder]
        if lines is not None:
            only = [{"name": str(ROOT / path), "lines": ranges} for path, ranges in lines.items()]
            self.words += ["--checks=-clang-analyzer-*", f"--line-filter={json.dumps(only)}"]

    def at(self, path: str) -> tuple[str, int]:
        done = subprocess.run([*self.words, str(ROOT / path)], cwd=ROOT, capture_output=True, text=True, check=False)
        return done.stdout or done.stderr * (done.returncode != 0), done.returncode


def offended(program: str, paths: list[str], known: dict[str, list[str]], at_once: int, lines) -> list[str]:
    """Those with an offence, which is printed."""
    found = []
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(at_once) as pool:
        rows = [{"directory": str(ROOT), "file": file, "arguments":
                 ["clang++", *known[file], "-Wno-unknown-warning-option", "-fsized-deallocation", "-c", file]}
                for file in (str(ROOT / path) for path in paths)]
        (Path(folder) / "compile_commands.json").write_text(json.dumps(rows))
        for path, (said, code) in zip(paths, pool.map(Look(program, folder, lines).at, paths)):
            print(f"{path}: {'looked at' if code == 0 else 'offences'}", flush=True)
            if code:
                print(said, flush=True)
                found.append(path)
    return found


def main() -> int:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--changed", action="store_true")
    words.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    words.add_argument("file", nargs="*")
    asked = words.parse_args()
    build = ROOT / os.environ.get("LEASEHOLD_BUILD", "build")
    program = shutil.which("clang-tidy-14") or shutil.which("clang-tidy")
    if not program or not (build / "compile_commands.json").exists():
        print("tidy: clang-tidy is not installed: apt-get install clang-tidy" if not program
              else f"tidy: {build} has no compile_commands.json: scripts/build makes it", file=sys.stderr)
        return SKIPPED
    known, lines = commands(build), changed_lines() if asked.changed else None
    paths = sources(asked.file or git("ls-files", *FOLDERS) if lines is None else list(lines))
    paths = [path for path in paths if str(ROOT / path) in known]
    if lines is not None and (left := paths[CHANGED_MOST:]):
        print(f"left to scripts/tidy: {' '.join(left)}")
        paths = paths[:CHANGED_MOST]
    if lines is not None:  # a large change is longer than a command may be
        lines = {path: ranges for path, ranges in lines.items() if source(path) in paths}
    bad = offended(program, paths, known, asked.jobs, lines)
    print(f"{len(paths)} files, {len(bad)} with offences")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
