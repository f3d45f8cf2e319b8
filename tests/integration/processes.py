"""Processes of a test site: started with their output kept, signalled by their own id, never by name."""
import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import threading
import time
import traceback
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = Path(os.environ.get("LEASEHOLD_BIN", ROOT / "build/bin")).resolve()
# The one bound of everything that waits: it ends only what hangs, on whatever machine. That of ctest
# (LEASEHOLD_LAST_BOUND in tests/CMakeLists.txt) is above it.
LAST_BOUND_S = 1800.0
_TOLD_FROM_S = 60.0
_LIBC = ctypes.CDLL(None)
_PR_SET_PDEATHSIG = 1
_of_thread = threading.local()


class Timeout(AssertionError):
    """What a test waited for did not come true, and will not."""


def _must_run() -> list:
    """Daemons that this thread, and so this test, has started and has not yet ended."""
    if not hasattr(_of_thread, "daemons"):
        _of_thread.daemons = []
    return _of_thread.daemons


def say_where_threads_wait(after_s: float) -> None:
    """Once this program has run for so long: ctest ends what hangs without a word. By a thread that holds the
    interpreter's lock: faulthandler reads the stacks of threads that run, and crashed of it."""
    def say() -> None:
        names = {thread.ident: thread.name for thread in threading.enumerate()}
        for thread, frame in sys._current_frames().items():
            print(f"after {after_s:.0f} s: {names.get(thread, thread)}\n{''.join(traceback.format_stack(frame))}",
                  flush=True)
    watch = threading.Timer(after_s, say)
    watch.daemon = True
    watch.start()


def another_test() -> None:
    """What a test before left to this thread is none of the next one's."""
    _must_run().clear()


def wait_until(condition, what: str, every: float = 0.12, while_runs=None):
    """The first true value of condition(); an AssertionError in it is 'no'. It never comes once a process
    has ended that should not have: one of `while_runs`, or else any Daemon of this test."""
    began, trouble = time.monotonic(), None
    while True:
        ended = [each for each in (_must_run() if while_runs is None else while_runs) if each.ended()]
        try:
            if value := condition():
                break
        except (AssertionError, LookupError) as error:
            trouble = error
        waited = time.monotonic() - began
        if ended or waited > LAST_BOUND_S:
            why = "".join(f"; {each.name} has ended:\n{each.log()[-4000:]}" for each in ended)
            raise Timeout(f"in vain for {waited:.1f} s: {what}" + (f" ({trouble})" if trouble else "") + why)
        time.sleep(every)
    if (waited := time.monotonic() - began) > _TOLD_FROM_S:
        print(f"waited {waited:.0f} s: {what}", flush=True)
    return value


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
        self._may_end = True  # a test has ended it, or waits for its end
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
        self._may_end = False
        if self not in _must_run():
            _must_run().append(self)

    def _prepare(self) -> None:
        if self.limits:
            self.limits()
        _end_with_parent()

    def running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def ended(self) -> bool:
        """By itself: no test ended it, nor waits for that."""
        return not self._may_end and not self.running()

    @property
    def pid(self) -> int:
        return self.process.pid

    def signal(self, number: int) -> None:
        self._may_end |= number in (signal.SIGTERM, signal.SIGINT, signal.SIGKILL)
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
        self.judged = self._may_end = True
        if self.running():
            self.process.kill()
            self.process.wait()

    def _handles_sigterm(self) -> bool:
        """Who was just started is ended by SIGTERM like any program, until it has blocked it."""
        status = Path(f"/proc/{self.pid}/status").read_text()
        blocked, = (int(line.split()[1], 16) for line in status.splitlines() if line.startswith("SigBlk"))
        return bool(blocked >> (signal.SIGTERM - 1) & 1)

    def stop(self) -> int:
        """SIGTERM; the exit status."""
        if self.running():
            wait_until(lambda: not self.running() or self._handles_sigterm(),
                       f"{self.name} handles SIGTERM", every=0.01)
            self._may_end = True
            self.process.send_signal(signal.SIGCONT)
            self.process.terminate()
        return self.wait()

    def wait(self) -> int:
        """Until it ends; its exit status."""
        self.judged = self._may_end = True
        try:
            wait_until(lambda: not self.running(), f"{self.name} ends", every=0.01, while_runs=())
        except Timeout as error:
            self.kill9()
            raise Timeout(f"{error}\n{self.log()}") from None
        return self.process.returncode

    def log(self, whole: bool = False) -> str:
        """What it wrote in its present life, or in all of them."""
        if not self.log_path.exists():
            return ""
        with self.log_path.open("rb") as log:
            log.seek(0 if whole else self._log_from)
            return log.read().decode(errors="replace")

    def wait_for_log(self, text: str) -> None:
        wait_until(lambda: text in self.log(), f"{self.name} writes {text!r}")

    def wait_until_paused(self, step: str) -> None:
        self.wait_for_log(f"paused at {step}")


def run(*command, **options) -> subprocess.CompletedProcess:
    """A command to its end, output as text; its exit status is for the caller to judge."""
    return subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, timeout=LAST_BOUND_S, check=False, **options)
