"""lease-agent --conformance against real programs: the example is right, and what its author might break
is found. Each check alone: tests/unit/agent/workload/conformance."""
import json
import tempfile
import time
import unittest
from pathlib import Path

import jsonschema

import side_by_side
from processes import PROGRAMS, ROOT, run
from scenes import LONG_S
from toy_site import EXAMPLE, PROGRAM

SCHEMA = json.loads((ROOT / "schema/json/conformance.schema.json").read_text())


class AProgram(unittest.TestCase):
    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.path = Path(scratch.name)
        self.state = self.path / "state.json"
        self.state.write_text(json.dumps(
            {"hosts": {"big1": 4, "big2": 2}, "imported": ["far"], "down": [], "caps": {"big2": 1},
             "jobs": [{"id": "1", "slots": 2, "run_s": LONG_S, "host": "big1", "started": time.time() - 9},
                      {"id": "2", "slots": 4, "run_s": 60, "host": None, "started": None},
                      {"id": "3", "slots": 1, "run_s": 60, "host": None, "started": None, "held": True}], "done": []}))

    def check(self, *options: str, program=()):
        argv = program or [*PROGRAM, self.state]
        return run(PROGRAMS / "lease-agent", *options, "--conformance", *argv)

    def failures(self, *options: str, program=()) -> list[str]:
        done = self.check("--json", *options, program=program)
        answer = json.loads(done.stdout)
        jsonschema.validate(answer, SCHEMA)
        failed = [row["check"] for row in answer["checks"] if row["result"] == "failed"]
        self.assertEqual(answer["failed"], len(failed))
        self.assertEqual(done.returncode, 1 if failed else 0, done.stderr)
        return failed

    def broken(self, before: str, after: str) -> list:
        """The example with one thing changed."""
        text = EXAMPLE.read_text()
        self.assertIn(before, text)
        program = self.path / "broken.py"
        program.write_text(text.replace(before, after))
        return [*PROGRAM[:-1], program, self.state]

    def test_that_is_right_passes_and_a_look_changes_nothing(self) -> None:
        before = json.loads(self.state.read_text())
        done = self.check()
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("0 failed", done.stdout)
        self.assertEqual(json.loads(self.state.read_text()), before)
        for host in "big1", "far":
            self.assertEqual(self.failures("--with-changes", host), [])
            self.assertEqual(json.loads(self.state.read_text())["caps"], before["caps"])

    def test_that_is_wrong_is_told_what_would_be_right(self) -> None:
        for before, after, check in [
                ('"settle_ms": 0', '"settle": 0', "describe: is answered"),
                ('"now_ms": int(time.time() * 1000), "jobs"', '"now_ms": int(time.time()), "jobs"',
                 "jobs: times"),
                ('"pending": sum(job["slots"] for job in toy.waiting())', '"pending": 0',
                 "read: is answered"),
                ('sys.exit(f"I speak', '(f"I speak', "refuses another version")]:
            with self.subTest(check):
                self.assertIn(check, self.failures(program=self.broken(before, after)))

    def test_whose_fence_is_none_is_found_and_is_left_as_it_was(self) -> None:
        for before, after, check in [
                ('toy.caps[cap["host"]] = cap["slots"]', "pass", "enforce: a cap is in force"),
                ('toy.caps[cap["host"]] = cap["slots"]',
                 'toy.caps[cap["host"]] = max(1, cap["slots"])', "enforce: closed"),
                ('self.used(host, job) <= self.cap(host)', 'self.used(host, job) <= 99',
                 "enforce: a closed host stays closed"),
                ('toy.caps.pop(cap["host"], None)', 'toy.caps.pop(cap["host"])',
                 "enforce: removed again")]:
            with self.subTest(check):
                self.setUp()
                program = self.broken(before, after)
                found = self.failures("--with-changes", "big1", program=program) \
                    if "stays" not in check else self.later(program)
                self.assertIn(check, found)
                self.assertEqual(json.loads(self.state.read_text())["caps"], {"big2": 1})

    def later(self, program) -> list[str]:
        """With a job that ends while the host is watched: what is let in then shows."""
        state = json.loads(self.state.read_text())
        state["jobs"] = [{"id": f"j{number}", "slots": 1, "run_s": LONG_S, "host": None, "started": None,
                          "held": True} for number in range(60)]
        self.state.write_text(json.dumps(state))
        text = Path(program[-2]).read_text()
        Path(program[-2]).write_text(text.replace(  # a job is submitted at each look at a closed host
            "        now = time.time()\n",
            "        now = time.time()\n"
            "        held = [job for job in self.jobs if job.get('held')]\n"
            "        if self.caps.get('big1') == 0 and held: held[0]['held'] = False\n"))
        return self.failures("--with-changes", "big1", program=program)

    def test_that_does_not_end_or_is_not_there_ends_no_agent(self) -> None:
        done = self.check(program=["/no/such/program"])
        self.assertEqual(done.returncode, 1)
        self.assertIn("cannot be started", done.stdout)
        done = run(PROGRAMS / "lease-agent", "--conformance")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("no program follows", done.stderr)
        done = run(PROGRAMS / "lease-agent", "--with-changes", "big1")
        self.assertEqual(done.returncode, 2)

    def test_has_the_rest_of_the_line_to_itself(self) -> None:
        program = self.path / "echo.sh"
        program.write_text('#!/bin/sh\necho "$@" >&2\nexit 1\n')
        program.chmod(0o755)
        done = self.check(program=[program, "--json", "--config", "x y"])
        self.assertEqual(done.returncode, 1)
        self.assertIn("on stderr: --json --config x y", done.stdout)


if __name__ == "__main__":
    side_by_side.main()
