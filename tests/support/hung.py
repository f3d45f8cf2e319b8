"""Ends a computing test that hangs, long before ctest does: it would keep its cores from all others.

A test hangs if it has used far more processor time than it ever needed, or none for minutes. Neither depends on how
busy the machine is."""
import contextlib
import math
import os
import signal
import threading
from pathlib import Path

import costs

IDLE_S_AT_MOST = 300.0
_LOOKS_EVERY_S = 5.0
_ENDS_WITHIN_S = 20.0  # Catch2 says on SIGTERM which case it is in
_TICKS = os.sysconf("SC_CLK_TCK")


def children_of(process: int) -> list[int]:
    found: list[int] = []
    with contextlib.suppress(OSError):  # it has ended
        for task in Path(f"/proc/{process}/task").iterdir():
            with contextlib.suppress(OSError):  # a thread that has
                found += map(int, (task / "children").read_text().split())
    return found


def processor_s(process: int) -> float:
    """Of the process and of all that came of it; 0.0: it is gone."""
    try:
        after_name = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return sum(map(int, after_name[11:15])) / _TICKS + sum(map(processor_s, children_of(process)))


def processor_s_at_most(name: str) -> float:
    """Five minutes, or twenty times what the test took when costs.tsv was measured. Tests of label long were not, what
    `tidy` takes goes by the last commit, and longer walks are asked for by hand: these have no such bound."""
    if name.startswith("tidy") or {"LEASEHOLD_WALKS", "RC_PARAMS"} & set(os.environ):
        return math.inf
    kept_s = costs.kept(costs.KEPT).get(name, math.inf)
    return max(300.0, 20 * kept_s)


class Watch:
    """Looks at a process until over() is called."""

    def __init__(self, process: int, processor_s_at_most: float, idle_s_at_most: float = IDLE_S_AT_MOST,
                 looks_every_s: float = _LOOKS_EVERY_S) -> None:
        self.process = process
        self.bounds = (processor_s_at_most, idle_s_at_most)
        self.looks_every_s = looks_every_s
        self.is_over = threading.Event()
        self.thread = threading.Thread(target=self.look, daemon=True)
        self.thread.start()

    def over(self) -> None:
        self.is_over.set()
        self.thread.join()

    def why(self, used_s: float, idle_s: float) -> str:
        if used_s > self.bounds[0]:
            return f"it has used {used_s:.0f} processor seconds, of {self.bounds[0]:.0f} at most"
        if idle_s > self.bounds[1]:
            return f"it has used no processor time for {idle_s:.0f} s"
        return ""

    def look(self) -> None:
        last_s, used_s, idle_s = 0.0, 0.0, 0.0
        while not self.is_over.wait(self.looks_every_s):
            now_s = processor_s(self.process)  # it falls where a process that came of it was taken over by another
            idle_s = 0.0 if now_s != last_s else idle_s + self.looks_every_s
            last_s, used_s = now_s, max(now_s, used_s)
            if why := self.why(used_s, idle_s):
                print(f"hangs, and is ended: {why}", flush=True)
                return self.end()
        return None

    def end(self) -> None:
        for number in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.kill(self.process, number)
            except ProcessLookupError:
                return
            if self.is_over.wait(_ENDS_WITHIN_S):
                return
