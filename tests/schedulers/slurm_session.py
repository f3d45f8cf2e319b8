"""One scontrol that stays and is asked again and again: a look costs a sixth of what a program started for
each look costs, and what did not change is not even sent. For who looks many times a second.
"""
import os
import re
import select
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "integration"))
from processes import LAST_BOUND_S, _end_with_parent  # noqa: E402

_END_OF_ANSWER = re.compile(rb"^slurm\S* \d+\.\d+\S*\n", re.MULTILINE)  # what `version` answers


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
        deadline = time.monotonic() + LAST_BOUND_S
        while not (end := _END_OF_ANSWER.search(self._rest)):
            left = deadline - time.monotonic()
            ready = left > 0 and select.select([self._process.stdout], [], [], left)[0]
            more = os.read(self._process.stdout.fileno(), 1 << 20) if ready else b""
            if not more:
                self.close()
                raise AssertionError(f"scontrol {words}: no answer: {self._rest!r}")
            self._rest += more
        answer, self._rest = self._rest[:end.start()].decode(), self._rest[end.end():]
        assert not re.search(r"^slurm_\w+ error", answer, re.MULTILINE), answer
        return answer

    def close(self) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        self._process.stdin.close()
        self._process.stdout.close()
