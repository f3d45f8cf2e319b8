"""The tree's core beside itself: the same everywhere; and a program that decides otherwise is seen."""
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BIN = Path(os.environ["LEASEHOLD_BIN"])
COMPARE = [sys.executable, "-B", str(HERE / "two_cores.py")]
STEPPER = str(BIN / "core_stepper")


class TwoCores(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.steps = str(self.folder / "steps")
        for kept in sorted((ROOT / "tests/formats").glob("*/*.db")):
            subprocess.run([BIN / "kept_steps", kept, self.steps], check=True, capture_output=True)

    def compare(self, other: str) -> subprocess.CompletedProcess:
        return subprocess.run([*COMPARE, STEPPER, other, self.steps, "--exact", "--show", "1000"],
                              capture_output=True, text=True)

    def test_the_same_core_decides_the_same(self) -> None:
        found = self.compare(STEPPER)
        self.assertEqual(found.returncode, 0, found.stdout + found.stderr)
        self.assertIn(" 0 differences", found.stdout)

    def test_a_core_that_decides_otherwise_is_seen_and_its_step_is_shown(self) -> None:
        other = self.folder / "other"
        other.write_text(f'#!/bin/sh\n"{STEPPER}" "$@" | sed "/input-hello/s/.$/x/; '
                         's/exported=/exported=9/"\n')
        other.chmod(0o755)
        found = self.compare(str(other))
        self.assertEqual(found.returncode, 1, found.stdout + found.stderr)
        self.assertIn("differs", found.stdout)
        self.assertRegex(found.stdout, r"(?m)^\+.*exported=9")


if __name__ == "__main__":
    unittest.main()
