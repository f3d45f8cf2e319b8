"""How much runs at once, over all tests of a machine: a pool of places.

A site, a server and a browser take one each before they start anything, and so do the real workload managers of a
test, all of them one; a test takes all that it needs at once, and one test after the other, so that no two wait for
each other. There are as many as cores and two more; and more than those, one test at a time, as long as the processors
are free for a part of the time: sites of real workload managers wait nearly always. What only computes takes a core
instead: half of them, or all while there are no sites or the processors are idle, or as many as one test wants. It
runs with a nice value (support/run_test.py), and so leaves a processor to whoever has a place: for places its time is
free time. Whoever ends gives its locks back, however it ends: they are locks of files.

    places.py [--cores N] [--places N] COMMAND...     runs a command that holds them
"""
import atexit
import contextlib
import fcntl
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

_BUILD = Path(os.environ.get("LEASEHOLD_BIN", Path(__file__).resolve().parents[2] / "build/bin")).parent
_HELD_BY_PARENT = "LEASEHOLD_PLACES_HELD"
_SECONDS_USED = "LEASEHOLD_SECONDS_USED"  # names a file: for how long a process had any place is written there
_ARE_HELD = _HELD_BY_PARENT in os.environ
_LOOKS_FOR_S = 0.5
_of_thread = threading.local()
_use = threading.Lock()
_uses = 0
_used_since = 0.0
_used_for = 0.0


def cores() -> int:
    return len(os.sched_getaffinity(0))


def places() -> int:
    """Those that are there whatever the processors do."""
    return cores() + 2


def places_at_most() -> int:
    return 10 * cores()


def _processors(nice_is_free: bool) -> tuple[int, int]:
    """Ticks that those of this process were free, and all their ticks."""
    ours = {f"cpu{number}" for number in os.sched_getaffinity(0)}
    rows = [line.split() for line in Path("/proc/stat").read_text().splitlines()]
    ticks = [[int(word) for word in row[1:9]] for row in rows if row and row[0] in ours]
    return sum(row[3] + row[4] + nice_is_free * row[1] for row in ticks), sum(map(sum, ticks))


def _runnable() -> int:
    """Tasks that run, or wait for a processor, at this moment."""
    return int(Path("/proc/loadavg").read_text().split()[3].partition("/")[0])


def _have_time(gate: int, nice_is_free: bool) -> bool:
    """Whether they were free for two fifths of the time since the last look, which the file of the gate keeps: whoever
    was let in by that one counts as busy. With less, those that run wait for each other; and so they do where twice as
    many tasks as cores want one. False between looks."""
    now = [time.monotonic(), *_processors(nice_is_free)]
    kept = os.pread(gate, 200, 0).split()
    then = [float(word) for word in kept] if len(kept) == len(now) else [0.0, 0.0, 0.0]
    age = now[0] - then[0]
    if 0 <= age < _LOOKS_FOR_S:
        return False
    os.ftruncate(gate, 0)
    os.pwrite(gate, " ".join(map(str, now)).encode(), 0)
    had_time = 0 <= age < 4 * _LOOKS_FOR_S and 5 * (now[1] - then[1]) > 2 * (now[2] - then[2])
    return had_time and _runnable() < 2 * cores()


def _open(kind: str, name) -> int:
    folder = _BUILD / "places"
    folder.mkdir(parents=True, exist_ok=True)
    return os.open(folder / f"{kind}-{name}", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)


def _is_mine(file: int) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _is_any_taken() -> bool:
    for place in range(places()):
        file = _open("place", place)
        try:
            if not _is_mine(file):
                return True
        finally:
            os.close(file)
    return False


def _places_to_try(gate: int):
    yield from range(places())
    if _have_time(gate, nice_is_free=True):
        yield from range(places(), places_at_most())


def _cores_to_try(gate: int, number: int):
    always = max(cores() // 2, number)  # whoever waits for one more keeps all others waiting
    yield from range(always)
    if always < cores() and (not _is_any_taken() or _have_time(gate, nice_is_free=False)):
        yield from range(always, cores())


@contextlib.contextmanager
def _all_of(kind: str, number: int, to_try):
    """So many locks of a kind. One at a time collects them, in the order in which they came: whoever has some
    and wants more waits only for those who want nothing more."""
    with contextlib.ExitStack() as held:
        with contextlib.ExitStack() as turn:
            gate = _open(kind, "turn") if number else -1
            if number:
                turn.callback(os.close, gate)
                fcntl.flock(gate, fcntl.LOCK_EX)
            taken: set[int] = set()
            while len(taken) < number:
                for place in to_try(gate):
                    if place in taken:
                        continue
                    file = _open(kind, place)
                    if _is_mine(file):
                        taken.add(place)
                        held.callback(os.close, file)
                    else:
                        os.close(file)
                    if len(taken) == number:
                        break
                if len(taken) < number:
                    time.sleep(0.02)
        yield


@contextlib.contextmanager
def _in_use():
    global _uses, _used_since, _used_for
    with _use:
        _uses += 1
        _used_since = time.monotonic() if _uses == 1 else _used_since
    try:
        yield
    finally:
        with _use:
            _uses -= 1
            _used_for += time.monotonic() - _used_since if not _uses else 0.0


@atexit.register
def _write_seconds_used() -> None:
    if _used_for and (path := os.environ.get(_SECONDS_USED)):
        with open(path, "a") as file:
            file.write(f"{_used_for:.2f}\n")


@contextlib.contextmanager
def taken(number: int, computing: int = 0):
    """All places that a test needs, for what it starts in this thread, and cores. Who has as many already takes no
    more."""
    held_before = getattr(_of_thread, "held", 0)
    assert not held_before or held_before >= number, "a test takes its places once, all of them"
    if _ARE_HELD or held_before:
        yield
        return
    os.environ[_HELD_BY_PARENT] = "1"  # programs that this test starts are part of it
    computing, number_of_places = min(computing, cores()), min(number, places())
    with _all_of("core", computing, lambda gate: _cores_to_try(gate, computing)), \
            _all_of("place", number_of_places, _places_to_try), _in_use():
        _of_thread.held, _of_thread.used, _of_thread.managers = number, 0, 0
        try:
            yield
        finally:
            _of_thread.held = 0


@contextlib.contextmanager
def one(together: int = 1):
    """The place of one thing. `together`: where its test has none yet, it takes as many: for what comes, too."""
    with contextlib.ExitStack() as held:
        if not getattr(_of_thread, "held", 0):
            held.enter_context(taken(together))
        if not _ARE_HELD:
            _of_thread.used += 1
            held.callback(_give_back)
            assert _of_thread.used <= _of_thread.held, \
                f"a test of {_of_thread.held} places starts more: places.taken() or side_by_side.main(places=...)"
        yield


@contextlib.contextmanager
def of_managers(together: int):
    """The place of one test's workload managers, however many they are. `together`: as in one()."""
    with contextlib.ExitStack() as held:
        if not getattr(_of_thread, "managers", 0):
            held.enter_context(one(together))
        _of_thread.managers = getattr(_of_thread, "managers", 0) + 1
        held.callback(_end_manager)
        yield


def _end_manager() -> None:
    _of_thread.managers -= 1


def _give_back() -> None:
    _of_thread.used -= 1


def main(words: list[str]) -> int:
    counts = {"--cores": 0, "--places": 0}
    while words and words[0] in counts:
        counts[words[0]] = int(words[1])
        words = words[2:]
    with taken(counts["--places"], counts["--cores"]):
        return subprocess.run(words, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
