"""How scripts/test chooses tests and reads what ctest says of each: none that ended is left out of its last line.

Run: python3 tests/tidy/suite_test.py.
"""
import contextlib
import io
import math
import os
import re
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS / "support"))
import costs  # noqa: E402
import hung  # noqa: E402
import run_test  # noqa: E402
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

    def test_tests_that_a_file_skipped_are_counted_and_named(self) -> None:
        told = {"ran": 4, "skipped": [["BehindNginx.test_a", "nginx is not installed"]]}
        progress = suite.Progress(["a", "b"], {})
        self.assertIn("passed a", progress.ended("a", "Passed", told))
        self.assertIn("skipped b", progress.ended("b", "Passed", {**told, "ran": 0}))
        self.assertEqual(progress.count, {"passed": 1, "failed": 0, "skipped": 2})
        self.assertEqual(progress.skipped[0], "a: BehindNginx.test_a: nginx is not installed")

    def test_a_test_that_is_skipped_for_what_scripts_test_installs_is_red(self) -> None:
        installed = "x is not installed: scripts/install-packages"
        for reason, red in ((installed, True), (f"{installed} schedulers", True), (f"{installed} metrics", True),
                            (f"not installed: x ({installed.split()[-1]})", True), (f"{installed} proxies", False)):
            with self.subTest(reason):
                progress = suite.Progress(["a"], {})
                progress.ended("a", "Passed", {"ran": 4, "skipped": [["A.test_b", reason]]})
                self.assertEqual(progress.failed, [f"a: A.test_b: {reason}"] if red else [])
                self.assertEqual(progress.count, {"passed": 1 - red, "failed": red, "skipped": 1 - red})
        progress = suite.Progress(["a"], {})
        progress.ended("a", "***Skipped", {"ran": 0, "skipped": [["flood", installed]]})
        self.assertEqual(progress.count, {"passed": 0, "failed": 1, "skipped": 0})

    def test_each_file_whose_tests_may_be_skipped_tells_it(self) -> None:
        for path in TESTS.rglob("*_test.py"):
            text = path.read_text()
            if re.search(r"unittest\.skip|\.skipTest\(", text) and path != Path(__file__):
                with self.subTest(path):
                    self.assertRegex(text, r"\b(side_by_side|one_site|skipped)\.main\(")

    def test_what_is_left_is_estimated_in_a_new_clone_too(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            before = suite.earlier(Path(folder))
        self.assertEqual(before, costs.seconds_kept(costs.KEPT))
        self.assertGreater(len(set(before.values())), 50)


class Chosen(unittest.TestCase):
    def of(self, *words: str) -> tuple[list[str], str]:
        asked = suite.arguments(list(words))
        return suite.chosen(*asked), suite.left_out(*asked)

    def test_fast_holds_with_further_options_of_ctest(self) -> None:
        which, left_out = self.of("--fast", "-R", "unit")
        self.assertEqual(which[1], suite.FAST)
        self.assertEqual(which[-2:], ["-R", "unit"])
        for word in ("real processes", "label long", "new inputs", "all but -R unit"):
            self.assertIn(word, left_out)

    def test_long_comes_only_where_labels_are_named(self) -> None:
        which, left_out = self.of("-R", "stress")
        self.assertIn("long", which[1])
        self.assertIn("label long", left_out)
        self.assertEqual(self.of("-L", "long"), (["-L", "long"], "all but -L long"))

    def test_fast_and_labels_are_refused(self) -> None:
        for words in (["-L", "long"], ["-LE", "x"], ["--label-regex=x"], ["--rerun-failed"]):
            with self.subTest(words), self.assertRaises(SystemExit), contextlib.redirect_stderr(io.StringIO()):
                suite.arguments(["--fast", *words])

    def test_costs_are_beside_those_of_before(self) -> None:
        self.assertEqual(suite.arguments(["--cost"])[0].cost, costs.BEFORE)
        self.assertEqual(len(costs.kept(costs.BEFORE)), 138)


class Measured(unittest.TestCase):
    def row(self, program: str) -> dict:
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, "-B", TESTS / "support/run_test.py", folder, "a test", "0", "--",
                       sys.executable, "-B", "-c", program]
            subprocess.run(command, check=True, capture_output=True,
                           env={**os.environ, "PYTHONPATH": TESTS / "integration"})
            return costs.of(Path(folder), "a test")

    def test_a_test_that_had_places_for_no_time_took_none(self) -> None:
        """It was given the seconds for which it had waited for them."""
        self.assertEqual(run_test.seconds_used(["0.00"]), 0.0)
        self.assertIsNone(run_test.seconds_used([]))
        wrote = "open(os.environ['LEASEHOLD_SECONDS_USED'], 'w').write('0.00\\n')"
        self.assertEqual(self.row(f"import os, time; {wrote}; time.sleep(0.1)")["seconds"], 0.0)
        self.assertGreaterEqual(self.row("import time; time.sleep(0.1)")["seconds"], 0.1)

    def test_what_was_skipped_is_told(self) -> None:
        row = self.row("""
import skipped, unittest
class A(unittest.TestCase):
    def test_b(self):
        pass
    @unittest.skip("no reason")
    def test_c(self):
        pass
skipped.main()
""")
        self.assertEqual((row["ran"], row["skipped"]), (1, [["A.test_c", "no reason"]]))
        self.assertIsNone(self.row("")["ran"])

    def test_a_computing_test_that_hangs_is_ended(self) -> None:
        """One kept its core for an hour from three others, until all were ended without a word."""
        for program, bounds in (("while True: pass", (0.2, 300.0)), ("import time; time.sleep(3600)", (300.0, 0.2))):
            with subprocess.Popen([sys.executable, "-B", "-c", program]) as hangs:
                told = io.StringIO()
                with contextlib.redirect_stdout(told):
                    watch = hung.Watch(hangs.pid, *bounds, looks_every_s=0.05)
                    self.assertEqual(hangs.wait(), -signal.SIGTERM)
                    watch.over()
                self.assertIn("hangs, and is ended: it has used", told.getvalue())
        self.assertEqual(hung.processor_s_at_most("a test of label long"), math.inf)


if __name__ == "__main__":
    unittest.main()
