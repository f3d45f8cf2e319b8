"""The tests that a PostgreSQL is needed for, against other versions than this machine's: each in a root made by
debootstrap from the mirror that apt is set up with, where the server and its clients run; the programs under
test are this machine's. As root. Run by scripts/postgres-versions.
"""
import argparse
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "schedulers"))

import debian_root  # noqa: E402

# Debian's suite that has it now; what is made is looked at.
SUITES = {"17": "trixie", "18": "sid"}
INSTALLED = "installed"
STORE = [str(HERE / "postgres_server.py"), str(Path(os.environ["LEASEHOLD_BIN"]) / "test_postgres")]
TESTS = {"store": STORE,
         "store through a pooler": [STORE[0], "--pooler", STORE[1], "~[session]"],
         **{path.stem.removesuffix("_test"): [str(path)] for path in sorted(HERE.glob("*_test.py"))},
         "failover_times": [str(HERE / "failover_times.py"), *"--kills 1 --pauses 1 --stepdowns 1 --agents 4 "
                            "--ttl 2s".split()]}


def root_of(version: str) -> Path:
    """Made if it is not there yet. No package is configured: that would start a server of its own."""
    packages = [f"postgresql-{version}", f"postgresql-client-{version}"]
    root = debian_root.root_with("postgresql", SUITES[version], packages, configured=False)
    if not (root / f"usr/lib/postgresql/{version}/bin/initdb").exists():
        raise debian_root.NoSuchRoot(f"{root} has no PostgreSQL {version}: another is in this suite now; remove "
                                     "the folder to make it anew")
    shutil.copy("/etc/passwd", root / "etc/passwd")  # where the server looks up who runs it
    return root


def play(wanted: list[str]) -> int:
    """Beside the server of LEASEHOLD_POSTGRES_ROOT."""
    from postgres_programs import version
    logs = Path(os.environ.get("LEASEHOLD_BUILD", debian_root.TOP / "build")) / "postgres-versions" / version()
    logs.mkdir(parents=True, exist_ok=True)
    print(f"PostgreSQL {version()}", flush=True)
    failed = 0
    for name in wanted:
        print(f"  {name} … ", end="", flush=True)
        begin = time.monotonic()
        log = logs / f"{name.replace(' ', '-')}.log"
        with log.open("wb") as said:
            done = subprocess.run([sys.executable, "-B", *TESTS[name]], stdin=subprocess.DEVNULL, stdout=said,
                                  stderr=said, check=False)
        failed += done.returncode != 0
        print(f"{'passed' if done.returncode == 0 else f'FAILED, see {log}'}, {time.monotonic() - begin:.0f} s",
              flush=True)
    print(f"PostgreSQL {version()}: {len(wanted) - failed} passed, {failed} failed", flush=True)
    return min(failed, 1)


def of(version: str, wanted: list[str]) -> int:
    again = [sys.executable, "-B", __file__, "--here", *[word for name in wanted for word in ("--test", name)]]
    if version == INSTALLED:
        return subprocess.run(again, check=False).returncode
    return debian_root.enter(root_of(version), "LEASEHOLD_POSTGRES_ROOT", again)


def main() -> int:
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("versions", nargs="*", metavar="VERSION", help=f"{', '.join(SUITES)} or {INSTALLED}")
    words.add_argument("--test", action="append", choices=TESTS, metavar="NAME", help=", ".join(TESTS))
    words.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    given = words.parse_args()
    wanted = given.test or list(TESTS)
    if given.here:
        return play(wanted)
    for version in given.versions:
        if version not in (*SUITES, INSTALLED):
            words.error(f"no such version: {version}; there are {', '.join((*SUITES, INSTALLED))}")
    code = 0
    for version in given.versions or SUITES:
        try:
            code = max(code, of(version, wanted))
        except (debian_root.NoSuchRoot, OSError, subprocess.CalledProcessError) as error:
            print(f"postgres-versions: {error}", file=sys.stderr)
            code = 1
    return code


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
