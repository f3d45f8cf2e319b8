"""Which tests of a file were skipped, as support/run_test.py asks it: scripts/test counts and names them, and is red
where one was for what it installs itself."""
import json
import os
import sys
import unittest

_TOLD = "LEASEHOLD_SKIPPED"  # names a file: a line for each program of tests


def tell(results: list[unittest.TestResult]) -> None:
    """`results`: of all tests of a program."""
    skipped = [(getattr(test, "id", lambda: str(test))().removeprefix("__main__."), reason)
               for result in results for test, reason in result.skipped]
    _write(sum(result.testsRun for result in results) - len(skipped), skipped)


def all_of_it(name: str, reason: str) -> None:
    """A program that is one test."""
    print(reason, flush=True)
    _write(0, [(name, reason)])


def _write(ran: int, skipped: list[tuple[str, str]]) -> None:
    if path := os.environ.get(_TOLD):
        with open(path, "a") as file:
            file.write(json.dumps({"ran": ran, "skipped": skipped}) + "\n")


def main(argv: list[str] | None = None) -> None:
    """Like unittest.main()."""
    result = unittest.main(argv=argv, exit=False).result
    tell([result])
    sys.exit(not result.wasSuccessful())
