#!/usr/bin/python3
"""Runs one test for ctest and measures it: run_test.py FOLDER NAME CORES -- COMMAND...

CORES: on how many the command computes; it runs when it has them (integration/places.py), with a nice value
(LEASEHOLD_NICE). 0: it starts sites, which take their own places. Writes FOLDER/NAME.json, one line: processor seconds
of the command and of all that came of it, also of what outlived its parent; seconds, without those for which it waited
for places; tests that it skipped, and how many ran (integration/skipped.py). Processes that are left when the command
has ended are told, and ended. The exit status is the command's own."""
import ctypes
import json
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "integration"))
import costs  # noqa: E402
import hung  # noqa: E402
import places  # noqa: E402

_PR_SET_CHILD_SUBREAPER = 36
_DIES_WITHIN_S = 2.0  # of a process that was killed, and is not yet gone: only what is told depends on it


def children() -> list[int]:
    return hung.children_of(os.getpid())


def words_of(process: int) -> str:
    try:
        words = Path(f"/proc/{process}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        return f"{process} {words.strip()[:200]}"
    except OSError:
        return str(process)


def reap() -> dict[int, int]:
    """Whoever has ended, by id, with its status."""
    found = {}
    while True:
        try:
            process, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return found
        if process == 0:
            return found
        found[process] = os.waitstatus_to_exitcode(status)


def wait_for(process: int) -> int:
    """Its exit status; orphans that end meanwhile are reaped."""
    while True:
        ended, status = os.waitpid(-1, 0)
        if ended == process:
            return os.waitstatus_to_exitcode(status)


def end_what_is_left() -> list[str]:
    until = time.monotonic() + _DIES_WITHIN_S
    while reap() is not None and children() and time.monotonic() < until:
        time.sleep(0.02)
    left = [words_of(process) for process in children()]
    while there := children():  # what a killed one leaves comes to us, and is killed in its turn
        for process in there:
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass
        reap()
        time.sleep(0.01)
    return left


def main() -> int:
    folder, name, cores, dashes, *command = sys.argv[1:]
    assert dashes == "--" and command, __doc__
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1)
    if not int(cores):
        return measured(Path(folder), name, command)
    with places.taken(0, int(cores)):
        os.nice(int(os.environ.get("LEASEHOLD_NICE", "3")))
        return measured(Path(folder), name, command, hung.processor_s_at_most(name))


def taken_from(path: Path) -> list[str]:
    """Lines that its processes wrote there."""
    rows = path.read_text().splitlines() if path.exists() else []
    path.unlink(missing_ok=True)
    return rows


def seconds_used(rows: list[str]) -> float | None:
    """By who had places; None: nobody had."""
    return max(map(float, rows), default=None)


def skips(rows: list[str]) -> dict:
    """`ran` is None where none of its programs says what it skipped."""
    told = [json.loads(row) for row in rows]
    return {"ran": sum(each["ran"] for each in told) if told else None,
            "skipped": [skip for each in told for skip in each["skipped"]]}


def measured(folder: Path, name: str, command: list[str], processor_s_at_most: float = 0.0) -> int:
    """`processor_s_at_most`: 0.0 for what starts sites, whose waits end themselves."""
    folder.mkdir(parents=True, exist_ok=True)
    file = costs.file_of(folder, name).resolve()
    used_path, skipped_path = file.with_suffix(".used"), file.with_suffix(".skipped")
    for written in (file, used_path, skipped_path):
        written.unlink(missing_ok=True)
    began = time.monotonic()
    try:
        child = subprocess.Popen(command, env={**os.environ, "LEASEHOLD_SECONDS_USED": str(used_path),
                                               "LEASEHOLD_SKIPPED": str(skipped_path)})
    except OSError as error:
        print(f"{command[0]}: {error.strerror}", file=sys.stderr)
        return 127
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: child.kill())
    watch = hung.Watch(child.pid, processor_s_at_most) if processor_s_at_most else None
    status = wait_for(child.pid)
    if watch:
        watch.over()
    took = time.monotonic() - began
    left = end_what_is_left()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    with_places = seconds_used(taken_from(used_path))
    cost = {"name": name, "processor_s": round(used.ru_utime + used.ru_stime, 2), "user_s": round(used.ru_utime, 2),
            "seconds": round(took, 2) if with_places is None else with_places, "status": status, "left": left,
            **skips(taken_from(skipped_path))}
    file.write_text(json.dumps(cost) + "\n")
    print(f"{cost['processor_s']:.1f} processor seconds in {took:.1f} s", flush=True)
    for each in left:
        print(f"was left running: {each}", flush=True)
    return status if status >= 0 else 128 - status


if __name__ == "__main__":
    sys.exit(main())
