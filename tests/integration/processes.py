"""Processes of a test site: started with their output kept, signalled by their own id, never by name."""
import contextlib
import ctypes
import os
import signal
import subprocess
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = Path(os.environ.get("LEASEHOLD_BIN", ROOT / "build/bin"))
# Sanitized programs are slower; every deadline is stretched by this.
PATIENCE = float(os.environ.get("LEASEHOLD_PATIENCE", "1"))
# How much longer than on a calm machine a thing may take before it counts as never.
_BUSY = 6
_LIBC = ctypes.CDLL(None)
_PR_SET_PDEATHSIG = 1


class Timeout(AssertionError):
    """What a test waited for did not come true in time."""


def wait_until(condition, what: str, seconds: float = 10.0, every: float = 0.12):
    """The first true value of condition(); Timeout names `what`. An AssertionError in it is 'no'.
    `seconds` are those of a calm machine."""
    deadline = time.monotonic() + seconds * PATIENCE * _BUSY
    trouble = None
    while True:
        try:
            value = condition()
            if value:
                return value
        except (AssertionError, LookupError) as error:
            trouble = error
        if time.monotonic() > deadline:
            raise Timeout(f"not within {seconds} s: {what}" + (f" ({trouble})" if trouble else ""))
        time.sleep(every)


def _end_with_parent() -> None:
    _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


class Daemon:
    """lease-broker or lease-agent. May be started again and again; stderr of all lives is one log."""

    def __init__(self, program: str, name: str, config: Path) -> None:
        self.program = PROGRAMS / program
        self.name = name
        self.config = config
        self.log_path = config.with_suffix(".log")
        self.process: subprocess.Popen | None = None
        self._log_from = 0
        self.judged = True  # a test has looked at how the last process ended
        self.limits = None  # called in the child before the program: resources, user
        self.environment = dict(os.environ)

    def start(self, *options: str) -> None:
        assert not self.running(), f"{self.name} runs already"
        self._log_from = self.log_path.stat().st_size if self.log_path.exists() else 0
        with self.log_path.open("ab") as log:
            self.process = subprocess.Popen(
                [self.program, "--config", self.config, *options], cwd=self.config.parent,
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=self.environment,
                preexec_fn=self._prepare)
        self.judged = False

    def _prepare(self) -> None:
        if self.limits:
            self.limits()
        _end_with_parent()

    def running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    @property
    def pid(self) -> int:
        return self.process.pid

    def signal(self, number: int) -> None:
        self.process.send_signal(number)

    def is_stopped(self) -> bool:
        """By SIGSTOP, or ended."""
        return Path(f"/proc/{self.pid}/stat").read_text().rpartition(") ")[2][0] in "TZ"

    @contextlib.contextmanager
    def stopped(self):
        """Stopped for the time of a `with`; it stands still when that begins."""
        self.process.send_signal(signal.SIGSTOP)
        try:
            wait_until(self.is_stopped, f"{self.name} stops", every=0.001)
            yield
        finally:
            self.process.send_signal(signal.SIGCONT)

    def kill9(self) -> None:
        """SIGKILL, and gone when this returns. Also ends a stopped process."""
        self.judged = True
        if self.running():
            self.process.kill()
            self.process.wait()

    def stop(self, seconds: float = 10.0) -> int:
        """SIGTERM; the exit status."""
        if self.running():
            self.process.send_signal(signal.SIGCONT)
            self.process.terminate()
        return self.wait(seconds)

    def wait(self, seconds: float = 10.0) -> int:
        """Until it ends; its exit status."""
        self.judged = True
        try:
            return self.process.wait(seconds * PATIENCE * _BUSY)
        except subprocess.TimeoutExpired:
            self.kill9()
            raise Timeout(f"{self.name} did not end within {seconds} s\n{self.log()}") from None

    def log(self, whole: bool = False) -> str:
        """What it wrote in its present life, or in all of them."""
        if not self.log_path.exists():
            return ""
        with self.log_path.open("rb") as log:
            log.seek(0 if whole else self._log_from)
            return log.read().decode(errors="replace")

    def wait_for_log(self, text: str, seconds: float = 10.0) -> None:
        wait_until(lambda: text in self.log(), f"{self.name} writes {text!r}", seconds)

    def wait_until_paused(self, step: str, seconds: float = 15.0) -> None:
        self.wait_for_log(f"paused at {step}", seconds)


def run(*command, seconds: float = 30.0, **options) -> subprocess.CompletedProcess:
    """A command to its end, output as text; its exit status is for the caller to judge."""
    return subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, timeout=seconds * PATIENCE * _BUSY, check=False,
                          **options)
