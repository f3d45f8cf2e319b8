"""Watches two schedulers, by their own lists of work: of a leased host's slots never more are in use than it has,
whoever counts. Not the adapter's word: this asks the schedulers themselves.

A look at both is not of one instant, and a slot may go from one to the other meanwhile. So one of them is asked
before and after the other: work that was there both times, begun at the same time, was there at the instant between,
however long the look took. What a look counts is never more than was there at once.
"""
import threading
import time

from processes import wait_until


class Looks:
    """One kind of look. `first`, `second`: what works there, by what tells it from later work; each raises
    AssertionError or LookupError where its scheduler is away."""

    def __init__(self, name: str, first, second) -> None:
        self.name = name
        self.first, self.second = first, second
        self.counted = 0
        self._before: dict | None = None

    def look(self) -> tuple[dict, dict] | None:
        """What both do at one instant; None where one could not be asked."""
        before, self._before = self._before, None
        try:
            before = self.first() if before is None else before
            there = self.second()
            self._before = self.first()
        except (AssertionError, LookupError):
            return None
        self.counted += 1
        return {work: what for work, what in before.items() if self._before.get(work) == what}, there


class Watch:
    """Looks of each kind, again and again, while a `with` lasts. It ends once each kind has counted, says how
    often, and is red where a slot was twice."""

    EVERY_S = 0.25  # a look starts a program for each question; work on a slot stays for longer

    def __init__(self, *kinds: Looks) -> None:
        self.kinds = kinds
        self.breaches: list[str] = []
        self._error: BaseException | None = None  # of the thread
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    @property
    def samples(self) -> int:
        """Of the kind that counted least."""
        return min(kind.counted for kind in self.kinds)

    def look_at_least(self, times: int) -> None:
        wait_until(lambda: self.samples >= times or not self._thread.is_alive(), f"{times} looks of each kind")
        assert self._thread.is_alive(), f"the watch has ended: {self.told()}"

    def told(self) -> str:
        return ", ".join(f"{kind.counted} looks of kind {kind.name}" for kind in self.kinds)

    def __enter__(self) -> "Watch":
        self._thread.start()
        return self

    def __exit__(self, error, *_) -> None:
        try:
            if error is None:
                self.look_at_least(1)
        finally:
            self._stop.set()
            self._thread.join()
            print(self.told(), flush=True)
            if self._error:
                raise AssertionError(f"the watch has ended: {self._error!r}") from self._error
        assert error is not None or not self.breaches, "\n".join(self.breaches[:20])

    def _run(self) -> None:
        try:
            while not self._stop.wait(self.EVERY_S):
                if self.can_look():
                    self.sample()
        except BaseException as error:  # nobody else would hear of it
            self._error = error

    def can_look(self) -> bool:
        return True

    def sample(self) -> None:
        for kind in self.kinds:
            if (seen := kind.look()) is not None:
                self.judge(kind, *seen)

    def judge(self, kind: Looks, ours: dict, theirs: dict) -> None:
        raise NotImplementedError


class SlotWatch(Watch):
    """Two Slurm clusters: the very CPUs that jobs of either hold, completing ones too."""

    def __init__(self, east, west, hosts: dict[str, int]) -> None:
        super().__init__(Looks("jobs", east.work, west.work))
        self.east, self.west = east, west
        self.hosts = hosts
        self.leased_samples = 0  # with work of the consumer on a leased host
        self.full_samples = 0    # with every slot of some host in use
        self.most = {host: 0 for host in hosts}

    def can_look(self) -> bool:
        return self.east.answers_now() and self.west.answers_now()

    def judge(self, kind: Looks, ours: dict, theirs: dict) -> None:
        used = {host: (cpus(ours, host), cpus(theirs, f"imp-{host}")) for host in self.hosts}
        self.leased_samples += any(there for _, there in used.values())
        self.full_samples += any(len(here) + len(there) == self.hosts[host] for host, (here, there) in used.items())
        for host, (here, there) in used.items():
            both = len(here) + len(there)
            self.most[host] = max(self.most[host], both)
            if both > self.hosts[host]:
                self.breaches.append(f"{time.time():.3f} {host}: {len(here)} + {len(there)} of "
                                     f"{self.hosts[host]}: {sorted(here)} and {sorted(there)}")


def cpus(work: dict, node: str) -> set[int]:
    return set().union(*(held for (where, *_), held in work.items() if where == node))
