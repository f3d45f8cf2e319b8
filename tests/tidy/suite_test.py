"""How scripts/test reads what ctest says of each test: none that ended is left out of its last line.

Run: python3 tests/tidy/suite_test.py.
"""
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import suite  # noqa: E402

ROWS = [
    ("  7/154 Test #118: postgres: standby ......SIGHUP***Exception: 101.96 sec", "postgres: standby", "failed"),
    ("  1/154 Test   #9: store: sweeps ......***Failed  253.28 sec", "store: sweeps", "failed"),
    ("  1/154 Test   #9: store: sweeps ......***Timeout 2400.01 sec", "store: sweeps", "failed"),
    ("  2/154 Test   #3: core: unit ......Subprocess aborted***Exception:   0.00 sec", "core: unit", "failed"),
    ("  2/154 Test   #3: core: unit ......***Exception: SegFault  0.13 sec", "core: unit", "failed"),
    ("  2/154 Test   #3: core: unit ......***Not Run (Disabled)   0.00 sec", "core: unit", "skipped"),
    ("143/154 Test #147: bench: beside etcd runs ......***Skipped   5.15 sec", "bench: beside etcd runs", "skipped"),
    ("154/154 Test #101: simulation: canaries ......   Passed   63.27 sec", "simulation: canaries", "passed"),
]


class Suite(unittest.TestCase):
    def test_a_test_that_a_signal_ended_counts_as_failed(self) -> None:
        for line, name, how in ROWS:
            with self.subTest(line=line):
                progress = suite.Progress([name], {})
                ended = suite.ENDED.match(line)
                self.assertIsNotNone(ended)
                progress.ended(ended["name"], ended["how"])
                self.assertEqual([each for each, number in progress.count.items() if number], [how])
                self.assertEqual(progress.failed, [name] if how == "failed" else [])


if __name__ == "__main__":
    unittest.main()
