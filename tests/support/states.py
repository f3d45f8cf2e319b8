"""States of the machine in which every test passes: scripts/test --state NAME makes one for a run."""
import contextlib
import ctypes
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

NAMES = ("quiet", "one-core", "busy", "slow-start", "fsync")
BUSY_LOOPS = 8
_MEMORY = "/dev/shm"
_MEMORY_BYTES = 4 << 30
_WRITES = """
import os, sys
with open(sys.argv[1], "wb") as file:
    while True:
        file.seek(0)
        file.write(os.urandom(1 << 16))
        file.flush()
        os.fsync(file.fileno())
"""


def _end_with_parent() -> None:
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


@contextlib.contextmanager
def _beside(*commands):
    """These run while it lasts."""
    running = [subprocess.Popen(command, stdin=subprocess.DEVNULL, preexec_fn=_end_with_parent)
               for command in commands]
    try:
        yield
        assert all(each.poll() is None for each in running), "what makes the state has ended"
    finally:
        for each in running:
            each.kill()
            each.wait()


def _python(text: str, *words: str) -> list[str]:
    return [sys.executable, "-B", "-c", text, *words]


def _available_bytes() -> int:
    rows = dict(row.split(":") for row in Path("/proc/meminfo").read_text().splitlines())
    return int(rows["MemAvailable"].split()[0]) << 10


def in_memory() -> str | None:
    """A folder for temporary files where nobody waits for a disk, and writing costs half: of servers and ledgers that
    die with the machine, no test of processes sees it. None where memory is short. The state fsync has them on the
    disk."""
    memory = os.statvfs(_MEMORY) if os.access(_MEMORY, os.W_OK) else None
    enough = memory and memory.f_bavail * memory.f_frsize >= _MEMORY_BYTES and _available_bytes() >= 2 * _MEMORY_BYTES
    if not enough or memory.f_flag & os.ST_NOEXEC:
        return None
    folder = tempfile.mkdtemp(prefix="lh-", dir=_MEMORY)
    os.chmod(folder, 0o1777)  # servers run as another user
    return folder


@contextlib.contextmanager
def made(name: str, build: Path):
    """The environment for ctest; the state lasts as long as this does."""
    environment = dict(os.environ)
    with contextlib.ExitStack() as lasting:
        if name != "fsync" and "TMPDIR" not in environment and (folder := in_memory()):
            environment["TMPDIR"] = folder
            lasting.callback(shutil.rmtree, folder, ignore_errors=True)
        if name == "one-core":
            cores = os.sched_getaffinity(0)
            os.sched_setaffinity(0, {min(cores)})
            lasting.callback(os.sched_setaffinity, 0, cores)
        elif name == "busy":
            environment["LEASEHOLD_NICE"] = "0"  # else what computes would get next to nothing
            lasting.enter_context(_beside(*[_python("while True: pass")] * BUSY_LOOPS))
        elif name == "slow-start":
            library = build.resolve() / "bin/libslow_start.so"
            assert library.exists(), f"{library} is not built"
            environment["LD_PRELOAD"] = str(library)
        elif name == "fsync":
            file = lasting.enter_context(tempfile.NamedTemporaryFile(prefix="leasehold-fsync-"))
            lasting.enter_context(_beside(_python(_WRITES, file.name)))
        yield environment
