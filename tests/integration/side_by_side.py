"""Runs the tests of a file side by side: they mostly wait, each on a site of its own.

    python3 tests/integration/lease_test.py [NAME...]     names, or parts of names, of tests
"""
import sys
import threading
import time
import unittest
from concurrent.futures import ThreadPoolExecutor

import places
import processes
import skipped

# A file that runs for so long says where each of its tests waits.
_SAY_AFTER_S = 600


def _flat(suite) -> list[unittest.TestCase]:
    if isinstance(suite, unittest.TestCase):
        return [suite]
    return [test for each in suite for test in _flat(each)]


_running: list[str] = []


def _say_what_runs() -> None:
    print(f"still running after {_SAY_AFTER_S:.0f} s: {', '.join(_running)}", flush=True)


def _run(test: unittest.TestCase, of_places: int) -> unittest.TestResult:
    result = unittest.TestResult()
    with places.taken(of_places):
        start = time.monotonic()
        processes.another_test()
        _running.append(test.id().removeprefix("__main__."))
        test.run(result)
        _running.remove(test.id().removeprefix("__main__."))
    bad = result.failures + result.errors
    word = "FAILED" if bad else "skipped" if result.skipped else "ok"
    lines = [f"{word:7} {time.monotonic() - start:5.1f} s  {test.id().removeprefix('__main__.')}"]
    lines += [f"{which}\n{trace}" for which, trace in bad]
    lines += [f"        {reason}" for _, reason in result.skipped]
    print("\n".join(lines), flush=True)
    return result


def main(of_places: int = 1) -> None:
    """Like unittest.main(), for the tests of the program itself. `of_places`: how many a test needs (places.py);
    as many tests run at once as get theirs."""
    processes.say_where_threads_wait(_SAY_AFTER_S)
    watch = threading.Timer(_SAY_AFTER_S - 1, _say_what_runs)
    watch.daemon = True
    watch.start()
    tests = _flat(unittest.defaultTestLoader.loadTestsFromModule(sys.modules["__main__"]))
    if wanted := sys.argv[1:]:
        tests = [test for test in tests if any(name in test.id() for name in wanted)]
    with ThreadPoolExecutor(places.places()) as pool:
        results = list(pool.map(lambda test: _run(test, of_places), tests))
    skipped.tell(results)
    bad = sum(not result.wasSuccessful() for result in results)
    print(f"{len(tests)} tests, {bad} failed")
    sys.exit(1 if bad or not tests else 0)
