#!/usr/bin/python3
"""Runs ctest for scripts/test: tells how far it is, and ends in one line. See scripts/test --help."""
import argparse
import os
import re
import subprocess
import sys
import threading
import time
from pathlib import Path

import costs
import states

SUPPORT = Path(__file__).resolve().parent
# A test's end as ctest prints it: "Passed", "***Failed", or "SIGHUP***Exception:" of one that a signal ended.
_HOW = r"\w[\w ]*\*+\S.*?|\*{0,3}\w[\w ]*?|\*+\S.*?"
ENDED = re.compile(rf"^\s*\d+/\d+ Test\s+#\d+: (?P<name>.+?) \.*\s*(?P<how>{_HOW})\s+[\d.]+ sec")
FAST = "^(unit|style|fuzz)$"
LEFT_OUT_OF_FAST = "real processes, simulation, and the five sweeps of store (build/bin/test_store '[sweep]')"
TOLD_OF_A_FAILURE = 60


def arguments() -> tuple[argparse.Namespace, list[str]]:
    words = argparse.ArgumentParser(add_help=False)
    words.add_argument("--build", type=Path, default=Path("build"))
    words.add_argument("--fast", action="store_true")
    words.add_argument("--cost", nargs="?", type=Path, const=Path("tests/costs.tsv"))
    words.add_argument("--keep", type=Path)
    words.add_argument("--state", choices=states.NAMES, default="quiet")
    return words.parse_known_args()


def chosen(asked: argparse.Namespace, more: list[str]) -> list[str]:
    """ctest's options that say which tests."""
    if more:
        return more
    left_out = "long" if int(os.environ.get("LEASEHOLD_FUZZ_SECONDS", "0")) > 0 else "long|new-inputs"
    if asked.fast:
        return ["--label-regex", FAST, "--label-exclude", f"{left_out}|sweep"]
    return ["--label-exclude", left_out]


def earlier(build: Path) -> dict[str, float]:
    """Seconds that each test took before: what ctest keeps is of names without spaces only."""
    return {name: row["seconds"] for name, row in costs.measured(build / "costs").items()}


def names(build: Path, which: list[str]) -> list[str]:
    listed = subprocess.run(["ctest", "--test-dir", build, "-N", *which], capture_output=True, text=True,
                            check=False).stdout
    return re.findall(r"^\s+Test\s+#\d+: (.+)$", listed, re.MULTILINE)


class Progress:
    """Which tests have ended, and an estimate of what is left: by what each took in earlier runs."""

    def __init__(self, all_of_them: list[str], before: dict[str, float]) -> None:
        known = sorted(before.get(name, 0.0) for name in all_of_them)
        usual = known[len(known) // 2] if known else 1.0
        self.weights = {name: max(before.get(name) or usual, 0.1) for name in all_of_them}
        self.left = sum(self.weights.values())
        self.whole = self.left
        self.began = time.monotonic()
        self.count = {"passed": 0, "failed": 0, "skipped": 0}
        self.failed: list[str] = []

    def ended(self, name: str, how: str) -> str:
        word = "skipped" if "Skipped" in how or "Not Run" in how else "passed" if how == "Passed" else "failed"
        self.count[word] += 1
        if word == "failed":
            self.failed.append(name)
        self.left -= self.weights.get(name, 0.0)
        took, done = time.monotonic() - self.began, self.whole - self.left
        about = f"{took * max(self.left, 0.0) / done:.0f} s" if done > 0 else "unknown"
        return f"[{sum(self.count.values())}/{len(self.weights)}, {took:.0f} s, about {about} left] {word} {name}"


class Load:
    """The load average of each minute."""

    def __init__(self) -> None:
        self.minutes: list[float] = []
        self.over = threading.Event()
        threading.Thread(target=self.look, daemon=True).start()

    def look(self) -> None:
        while not self.over.wait(60):
            self.minutes.append(float(Path("/proc/loadavg").read_text().split()[0]))

    def told(self) -> str:
        self.over.set()
        if not self.minutes:
            return ""
        return f"load average by minute: {' '.join(f'{each:.1f}' for each in self.minutes)}, " \
               f"of {os.cpu_count()} cores"


def run_ctest(build: Path, which: list[str], said: Path, progress: Progress, environment: dict) -> int:
    at_once = 12 * len(os.sched_getaffinity(0))  # places.py says how many of these do more than wait
    command = ["ctest", "--test-dir", build, "--output-on-failure", "--parallel", str(at_once), *which]
    with said.open("w") as log, subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                                 text=True, errors="replace", env=environment) as ctest:
        for line in ctest.stdout:
            log.write(line)
            log.flush()
            if ended := ENDED.match(line):
                print(progress.ended(ended["name"], ended["how"]), flush=True)
    return ctest.returncode


def tell_failures(build: Path) -> None:
    """The end of what each failed test said; all of it is in the log."""
    log = build / "Testing/Temporary/LastTest.log"
    lines, name = [], ""
    for line in log.read_text(errors="replace").splitlines() if log.exists() else []:
        if " Testing: " in line:
            lines, name = [], line
        lines.append(line)
        if re.match(r"Test (Failed|timeout)", line):
            print("\n".join(["", name, *lines[-TOLD_OF_A_FAILURE:]]))


def main() -> int:
    asked, more = arguments()
    which, said = chosen(asked, more), asked.build / "scripts-test.log"
    progress, load = Progress(names(asked.build, which), earlier(asked.build)), Load()
    with states.made(asked.state, asked.build) as environment:
        code = run_ctest(asked.build, which, said, progress, environment)
    if code:
        tell_failures(asked.build)
    if asked.cost or asked.keep:
        subprocess.run([sys.executable, "-B", SUPPORT / "costs.py", asked.build / "costs",
                        *(["--beside", asked.cost] if asked.cost else []),
                        *(["--keep", asked.keep] if asked.keep else [])], check=False)
    if told := load.told():
        print(told)
    for name in progress.failed:
        print(f"failed: {name}")
    print(f"{', '.join(f'{number} {word}' for word, number in progress.count.items())}, "
          f"{time.monotonic() - progress.began:.0f} s, state {asked.state}, log {said}"
          + (f"; left out: {LEFT_OUT_OF_FAST}" if asked.fast and not more else ""))
    return code


if __name__ == "__main__":
    sys.exit(main())
