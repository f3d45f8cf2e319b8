"""One scontrol that stays and is asked again and again: a look costs a sixth of what a program started for
each look costs, and what did not change is not even sent. For who looks many times a second.
"""
import contextlib
import os
import re
import select
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "integration"))
from processes import LAST_BOUND_S, _end_with_parent  # noqa: E402

_END_OF_ANSWER = re.compile(rb"^slurm\S* \d+\.\d+\S*\n", re.MULTILINE)  # what `version` answers
_ENDED = ("COMPLETED", "CANCELLED", "FAILED", "TIMEOUT", "NODE_FAIL", "PREEMPTED", "BOOT_FAIL", "DEADLINE",
          "OUT_OF_MEMORY", "REVOKED")


class Job(NamedTuple):
    id: str
    state: str
    cpus: int
    nodes: str
    name: str


def numbers(ranges: str) -> set[int]:
    found = set()
    for part in ranges.split(","):
        first, _, last = part.partition("-")
        found |= set(range(int(first), int(last or first) + 1))
    return found


def listed(answer: str) -> list[Job]:
    """What `show job` says of jobs that have not ended, as `squeue -r` lists them: each task of an array."""
    jobs = []
    for line in answer.splitlines():
        facts = {key: value for key, value in re.findall(r"(?:^|\s)(\w+)=(\S*)", line)}
        if "JobId" not in facts or facts["JobState"] in _ENDED:
            continue
        name = re.search(r" JobName=(.*?) UserId=", line).group(1)
        nodes = facts["NodeList"].replace("(null)", "")
        tasks = facts.get("ArrayTaskId", "0").split("%")[0]
        count = len(numbers(tasks)) if re.fullmatch(r"[\d,-]+", tasks) else 1
        jobs += [Job(facts["JobId"], facts["JobState"], int(facts["NumCPUs"].split("-")[0]), nodes, name)] * count
    return jobs


class SlurmSession:
    """Not for several threads at once."""

    def __init__(self, command: list[str], environment: dict[str, str], folder: Path) -> None:
        self._process = subprocess.Popen(
            command, env=environment, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, preexec_fn=_end_with_parent)
        self._rest = b""
        self.ask("oneliner")
        self.ask("details")

    def ask(self, words: str) -> str:
        """What it writes. An error of Slurm's, or no answer, is an AssertionError."""
        assert self._process.poll() is None, "scontrol has ended"
        self._process.stdin.write(f"{words}\nversion\n".encode())
        self._process.stdin.flush()
        began = time.monotonic()
        while not (end := _END_OF_ANSWER.search(self._rest)):
            left = began + LAST_BOUND_S - time.monotonic()
            ready = left > 0 and select.select([self._process.stdout], [], [], left)[0]
            more = os.read(self._process.stdout.fileno(), 1 << 20) if ready else b""
            if not more:
                why = "it has ended" if ready else "it runs"
                self.close()
                raise AssertionError(f"scontrol {words}: no answer in {time.monotonic() - began:.1f} s, and {why}: "
                                     f"{self._rest!r}")
            self._rest += more
        answer, self._rest = self._rest[:end.start()].decode(), self._rest[end.end():]
        assert not re.search(r"^slurm_\w+ error", answer, re.MULTILINE), answer
        return answer

    def has_ended(self) -> bool:
        return self._process.poll() is not None

    def close(self) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        self._process.stdout.close()
