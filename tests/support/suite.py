#!/usr/bin/python3
"""Runs ctest for scripts/test: tells how far it is, and ends in one line. See scripts/test --help."""
import argparse
import os
import re
import shlex
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
FAST = "^(unit|style|fuzz|security)$"
FUZZ_SECONDS = "LEASEHOLD_FUZZ_SECONDS"
LONG = "label long (scripts/test -L long)"
NEW_INPUTS = f"new inputs for fuzz targets ({FUZZ_SECONDS}=5)"
LEFT_OUT_OF_FAST = "real processes but those of security, simulation, reference, benches, packages, " \
    "scripts/tidy --changed, the five sweeps of store (build/bin/test_store '[sweep]')"
# ctest's options that choose by labels, or exactly the tests that failed.
_BY_LABEL = re.compile(r"-L$|-LE$|--label-(regex|exclude)\b|--rerun-failed$")
# In the reason for which a test was skipped: what scripts/test installs is lacking, which is no reason there.
INSTALLED_HERE = re.compile(r"scripts/install-packages(?! (?!schedulers\b|metrics\b)[a-z])")
TOLD_OF_A_FAILURE = 60


def arguments(given: list[str] | None = None) -> tuple[argparse.Namespace, list[str]]:
    words = argparse.ArgumentParser(prog="scripts/test", add_help=False, allow_abbrev=False)
    words.add_argument("--build", type=Path, default=Path("build"))
    words.add_argument("--fast", action="store_true")
    words.add_argument("--cost", nargs="?", type=Path, const=costs.BEFORE)
    words.add_argument("--keep", type=Path)
    words.add_argument("--state", choices=states.NAMES, default="quiet")
    asked, more = words.parse_known_args(given)
    if asked.fast and (by_label := [word for word in more if _BY_LABEL.match(word)]):
        words.error(f"--fast chooses by labels itself: it goes with ctest's other options, not with {by_label[0]}")
    return asked, more


def has_new_inputs() -> bool:
    return int(os.environ.get(FUZZ_SECONDS, "0")) > 0


def chosen(asked: argparse.Namespace, more: list[str]) -> list[str]:
    """ctest's options that say which tests: `more` chooses among those that run without it, unless it names labels."""
    if any(_BY_LABEL.match(word) for word in more):
        return more
    left_out = "long" if has_new_inputs() else "long|new-inputs"
    if asked.fast:
        return ["--label-regex", FAST, "--label-exclude", f"{left_out}|sweep", *more]
    return ["--label-exclude", left_out, *more]


def left_out(asked: argparse.Namespace, more: list[str]) -> str:
    """For the last line."""
    if any(_BY_LABEL.match(word) for word in more):
        return f"all but {shlex.join(more)}"
    found = [*([LEFT_OUT_OF_FAST] if asked.fast else []), LONG, *([] if has_new_inputs() else [NEW_INPUTS])]
    return "; ".join([*found, *([f"all but {shlex.join(more)}"] if more else [])])


def earlier(build: Path) -> dict[str, float]:
    """Seconds that each test took before, in this build folder or else where costs.tsv was measured: what ctest keeps
    is of names without spaces only."""
    return {**costs.seconds_kept(costs.KEPT),
            **{name: row["seconds"] for name, row in costs.measured(build / "costs").items()}}


def names(build: Path, which: list[str]) -> list[str]:
    listed = subprocess.run(["ctest", "--test-dir", build, "-N", *which], capture_output=True, text=True,
                            check=False).stdout
    return re.findall(r"^\s+Test\s+#\d+: (.+)$", listed, re.MULTILINE)


class Progress:
    """Which tests have ended, and an estimate of what is left: by what each took in earlier runs."""

    def __init__(self, all_of_them: list[str], before: dict[str, float]) -> None:
        known = sorted(before[name] for name in all_of_them if name in before)
        usual = known[len(known) // 2] if known else 1.0
        self.weights = {name: max(before.get(name) or usual, 0.1) for name in all_of_them}
        self.left = sum(self.weights.values())
        self.whole = self.left
        self.began = time.monotonic()
        self.count = {"passed": 0, "failed": 0, "skipped": 0}
        self.tests_ended = 0
        self.failed: list[str] = []
        self.skipped: list[str] = []

    def ended(self, name: str, how: str, told: dict | None = None) -> str:
        """`told`: what run_test.py wrote of it. Each test of a file that was skipped counts, besides the file."""
        word = "skipped" if "Skipped" in how or "Not Run" in how else "passed" if how == "Passed" else "failed"
        skips = [f"{name}: {test}: {reason}" for test, reason in (told or {}).get("skipped", [])]
        if lacking := [skip for skip in skips if INSTALLED_HERE.search(skip)]:
            word = "failed"
        elif word == "passed" and skips and not told["ran"]:
            word = "skipped"
        self.failed += lacking or [name] * (word == "failed")
        self.skipped += [skip for skip in skips if skip not in lacking] or [name] * (word == "skipped")
        self.count[word] += word != "skipped"
        self.count["skipped"] = len(self.skipped)
        self.tests_ended += 1
        self.left -= self.weights.get(name, 0.0)
        took, done = time.monotonic() - self.began, self.whole - self.left
        about = f"{took * max(self.left, 0.0) / done:.0f} s" if done > 0 else "unknown"
        return f"[{self.tests_ended}/{len(self.weights)}, {took:.0f} s, about {about} left] {word} {name}"


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
                told = costs.of(build / "costs", ended["name"])
                print(progress.ended(ended["name"], ended["how"], told), flush=True)
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
    if not progress.weights:
        print(f"no test is named so; left out: {left_out(asked, more)}", file=sys.stderr)
        return 2
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
    for word, those in (("skipped", progress.skipped), ("failed", progress.failed)):
        for name in those:
            print(f"{word}: {name}")
    print(f"{', '.join(f'{number} {word}' for word, number in progress.count.items())}, "
          f"{time.monotonic() - progress.began:.0f} s, state {asked.state}, log {said}; "
          f"left out: {left_out(asked, more)}")
    return code or bool(progress.failed)


if __name__ == "__main__":
    sys.exit(main())
