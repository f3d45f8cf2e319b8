"""Real processes under load, killed and worse at random moments, for as many rounds as asked.

    scripts/crashtest --rounds N [--seed S] [--seconds T] [--keep]

Each round one calamity (calamities.py) befalls a broker and three agents whose leases flip all the
time; before, during and after it the files of all processes are looked at (limits.py). Most rounds
end when all is well again, in bounded time; the others let the next calamity come on top. Every few
rounds the history is replayed and verified.

Exit 0 and `N rounds, 0 violations`, or exit 1 with the seed, the round and what was seen; the folder
with databases, configurations and logs is kept then. The seed fixes what is done, not when the
processes are at which step.
"""
import argparse
import collections
import random
import shutil
import signal
import sys
import time
import traceback

import calamities
import crash_site

VERIFY_EVERY = 10
COPY_EVERY = 3


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, help="stop after so long, whatever --rounds says")
    parser.add_argument("--keep", action="store_true", help="keep the folder in any case")
    asked = parser.parse_args()
    if asked.rounds < 1:
        parser.error(f"--rounds {asked.rounds}: at least 1")
    return asked


def play_round(site: crash_site.CrashSite, chance: random.Random) -> str:
    kinds, weights = zip(*calamities.ALL.items())
    calamity = chance.choices(kinds, weights)[0]
    site.watcher.watch(chance.uniform(0.05, 0.5))
    if site.round % COPY_EVERY == 1:
        site.keep_copy(chance)
    said = calamity(site, chance)
    site.watcher.watch(chance.uniform(0.0, 0.3))
    if chance.random() < 0.3 and site.watcher.trusted:
        return said + "; and the next one on top"
    took = site.wait_until_well()
    site.watcher.check()
    if site.round % VERIFY_EVERY == 0:
        site.verify()
        said += "; verified"
    return f"{said}; well after {took:.1f} s"


def finish(site: crash_site.CrashSite) -> None:
    """All is well once more, all end cleanly, and the history verifies."""
    site.wait_until_well()
    site.watcher.check_with_all_stopped()
    site.finish()
    site.watcher.check()
    site.verify()


def run_rounds(site: crash_site.CrashSite, asked: argparse.Namespace) -> collections.Counter:
    chance = random.Random(asked.seed)
    counts: collections.Counter = collections.Counter()
    began = time.monotonic()
    site.start()
    site.wait_until_well()
    while site.round < asked.rounds:
        if asked.seconds and time.monotonic() - began > asked.seconds:
            break
        site.round += 1
        said = play_round(site, chance)
        counts[said.split(";")[0].split(" rounds")[0].split(" of ")[0]] += 1
        print(f"{time.monotonic() - began:7.1f} s  round {site.round}: {said}", flush=True)
    finish(site)
    return counts


def main() -> int:
    asked = arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(130))
    site = crash_site.CrashSite(asked.seed)
    kept = True
    try:
        run_rounds(site, asked)
        looks = site.watcher.told()
        kept = asked.keep
        print(f"{site.round} rounds, 0 violations ({looks}, "
              f"{site.databases_put_back} databases put back, well again within "
              f"{site.longest_until_well:.1f} s, seed {asked.seed})")
        return 0
    except (AssertionError, OSError, LookupError) as error:
        site.complain()
        traceback.print_exc()
        print(f"violation: seed {asked.seed}, round {site.round}: {error}\n"
              f"kept: {site.path}\n{site.round} rounds, 1 violations", flush=True)
        return 1
    except KeyboardInterrupt:
        kept = asked.keep
        return 130
    finally:
        site.kill_all()
        site.claim.release()
        if not kept:
            shutil.rmtree(site.path, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
