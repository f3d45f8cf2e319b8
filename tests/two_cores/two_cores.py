"""Steps a file of steps with two programs, and says where what came of it is not the same.

    two_cores.py STEPPER STEPPER FILE... [--exact] [--show N]

Each stepper is core_stepper, built with one core or the other. --exact compares the bytes of the
state and all numbers too. --show N: at most so many differing steps are shown whole (3).
Ends with 1 where a step differs. scripts/compare-cores builds both and calls this.
"""
import argparse
import collections
import difflib
import itertools
import subprocess
import sys

NOTHING = "nothing\n"  # in place of a step that one of the programs does not have


def lines_of(stepper: str, file: str, words: list[str]) -> list[str]:
    done = subprocess.run([stepper, file, *words], check=True, capture_output=True, text=True)
    return done.stdout.splitlines()


def both(steppers: list[str], file: str, words: list[str]):
    """The lines of both, side by side, while they run."""
    running = [subprocess.Popen([each, file, *words], stdout=subprocess.PIPE, text=True)
               for each in steppers]
    yield from itertools.zip_longest(*(each.stdout for each in running), fillvalue=NOTHING)
    for each in running:
        if each.wait() != 0:
            raise SystemExit(f"{each.args[0]} ended with {each.returncode} on {file}")


def show(steppers: list[str], file: str, words: list[str], number: str) -> None:
    texts = [lines_of(each, file, [*words, "--show", number])[1:] for each in steppers]
    print("\n".join(difflib.unified_diff(*texts, "first", "second", lineterm="", n=1)))


def compare(steppers: list[str], file: str, words: list[str], shown: int) -> tuple[int, int]:
    """How many steps there are, and how many of them differ."""
    kinds: collections.Counter[str] = collections.Counter()
    differing = []
    for first, second in both(steppers, file, words):
        number, kind = (second if first == NOTHING else first).split()[:2]
        kinds[kind] += 1
        if first != second:
            differing.append(number)
        elif " cannot be read: " in first:
            raise SystemExit(f"{file}: neither program can read step {first.strip()}")
    for number in differing[:shown]:
        print(f"{file}: step {number} differs")
        show(steppers, file, words, number)
    print(f"{file}: {kinds.total()} steps, {len(differing)} differ; "
          + ", ".join(f"{kind} {count}" for kind, count in sorted(kinds.items())))
    return kinds.total(), len(differing)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("steppers", nargs=2)
    parser.add_argument("files", nargs="+")
    parser.add_argument("--exact", action="store_true")
    parser.add_argument("--show", type=int, default=3)
    wish = parser.parse_args()
    words = ["--exact"] if wish.exact else []
    counts = [compare(wish.steppers, file, words, wish.show) for file in wish.files]
    steps, differing = (sum(each) for each in zip(*counts))
    print(f"{steps} steps, {differing} differences")
    return 1 if differing or steps == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
