"""manager = "command": the example in Python, driven by real agents and a broker."""
import fcntl
import json
import subprocess
import time
import unittest

import jsonschema

import side_by_side
from configs import POOL
from processes import LAST_BOUND_S, PROGRAMS, ROOT, run, wait_until
from scenes import LONG_S
from toy_site import PROGRAM, ToySite


class StartedSite(ToySite):
    standing = False


def site(kind=ToySite, **policy) -> ToySite:
    return kind({"east": {"big1": 8}, "west": {"small1": 1}}, {"west": ["big1@east"]},
                policies=[{**POOL, **policy}])


def ask(state, request: str, **more) -> subprocess.CompletedProcess:
    question = json.dumps({"version": 1, "request": request, **more})
    return subprocess.run([*PROGRAM, state], input=question, capture_output=True, text=True,
                          check=False, timeout=LAST_BOUND_S)


class ACommand(unittest.TestCase):
    def test_lets_slots_go_over_and_come_back_as_jobs_end(self) -> None:
        """Its program is started for each question."""
        with site(StartedSite) as here:
            here.start()
            here.submit("west", *[(f"w{number}", LONG_S) for number in range(5)])
            here.wait_for_lease(phase="active", consumer_slots__used=4)
            self.assertEqual(here.used("west", "big1@east"), 4)
            self.assertEqual(here.caps("east")["big1"], 4)
            here.submit("east", *[(f"e{number}", LONG_S) for number in range(8)])
            here.end_all("west")
            until = time.monotonic() + 3
            while time.monotonic() < until:
                here.never_twice("east", "west", "big1", 4, 4)
                time.sleep(0.02)
            here.wait_for_lease(provider_slots__used=4, consumer_slots__used=0)
            self.assertEqual(here.used("east", "big1"), 8)
            self.assertEqual(here.caps("west").get("big1@east", 0), 0)

    def test_reclaims_with_the_whole_grace_and_a_signal_only_for_who_asks(self) -> None:
        for comment, asked in (None, "none"), ("leasehold:signal=USR2", "USR2"):
            with self.subTest(comment):
                self.reclaims(comment, asked)

    def reclaims(self, comment: str | None, asked: str) -> None:
        with site(reclaim_grace="2s") as here:
            here.start()
            here.submit("west", *[(f"w{number}", LONG_S) for number in range(3)])
            if comment:
                with here.toy("west") as toy:
                    for job in toy["jobs"]:
                        job["comment"] = comment
            here.wait_for_lease(phase="active", consumer_slots__used=2)
            victim = next(job for job in ("w0", "w1", "w2")
                          if here.job("west", job)["host"] == "big1@east")
            told = time.monotonic()
            here.order("close", "big1@east", "--for", "west", "--reclaim")
            wait_until(lambda: "told" in here.job("west", victim), "the job is told")
            signal, grace_ms = here.job("west", victim)["told"]
            self.assertEqual(signal, asked)
            self.assertEqual(grace_ms, 2_000)
            wait_until(lambda: here.used("west", "big1@east") == 0, "the work is requeued")
            self.assertGreaterEqual(time.monotonic() - told, 2)
            self.assertIsNone(here.job("west", victim)["host"])
            here.wait_for_held(4, 0)

            def fates() -> list[tuple[str, str]]:
                return [(row["job"], row["fate"]) for row in here.history("work-ended")]
            wait_until(lambda: (victim, "requeued") in fates(), "the history says what became of it")

    def test_keeps_its_fences_through_the_death_of_its_agent(self) -> None:
        with site() as here:
            here.start()
            here.submit("west", *[(f"w{number}", LONG_S) for number in range(5)])
            here.wait_for_lease(phase="active", consumer_slots__used=4)
            here.agents["east"].kill9()
            here.submit("east", *[(f"e{number}", LONG_S) for number in range(8)])
            ask(here.path / "east.json", "read", imported=[])  # it schedules meanwhile
            self.assertEqual(here.used("east", "big1"), 4)
            here.agents["east"].start()
            here.wait_for_new_sessions()
            here.never_twice("east", "west", "big1", 4, 4)

    def test_that_fails_makes_the_agent_degraded_and_frees_nothing(self) -> None:
        with site() as here:
            here.start()
            here.submit("west", *[(f"w{number}", LONG_S) for number in range(5)])
            here.wait_for_lease(phase="active", consumer_slots__used=4)
            state = here.path / "west.json"
            # Under its lock: a call that has read the state would write it again.
            with open(f"{state}.lock", "w", encoding="utf-8") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                state.rename(here.path / "away")
            here.agents["west"].wait_for_log("in_a_row=3")
            self.assertIn("command/example.py", here.agents["west"].log())
            wait_until(lambda: here.flow("west")["agent"] == "degraded", "west is degraded")
            self.assertEqual(here.held()[1], 4)
            (here.path / "away").rename(state)
            here.agents["west"].wait_for_log("workload-recovered")


class TheExample(unittest.TestCase):
    def test_says_what_it_does_not_speak(self) -> None:
        answer = subprocess.run([*PROGRAM, "/nowhere"], input='{"version":2,"request":"read"}',
                                capture_output=True, text=True, check=False, timeout=LAST_BOUND_S)
        self.assertEqual(answer.returncode, 1)
        self.assertIn("version 1", answer.stderr)

    def test_keeps_to_the_schemas_of_questions_and_answers(self) -> None:
        schema = json.loads((ROOT / "schema/json/command.schema.json").read_text())
        jsonschema.Draft202012Validator.check_schema(schema)
        with site() as here:
            state = here.path / "east.json"
            here.submit("east", ("1", LONG_S))
            cap = {"host": "big1", "imported": False, "slots": 6, "own": 4, "mem_mb": 0,
                   "swap_mb": 0, "grace_ms": 0, "remove": False}
            for request, more in {"describe": {}, "read": {"imported": []}, "jobs": {},
                                  "enforce": {"caps": [cap]}, "permissions": {},
                                  "interrupt": {"job": "1", "grace_ms": 0, "signal": "none"},
                                  "requeue": {"job": "1"}, "fate": {"job": "1"}}.items():
                question = {"version": 1, "request": request, **more}
                _check(schema, "question_" + request, question)
                answer = ask(state, request, **more)
                self.assertEqual(answer.returncode, 0, answer.stderr)
                _check(schema, "answer_" + request, json.loads(answer.stdout))

    def test_runs_jobs_on_shared_slots_and_says_which(self) -> None:
        with site() as here:
            state = here.path / "east.json"
            here.submit("east", ("1", LONG_S), ("2", LONG_S), ("3", LONG_S))
            with here.toy("east") as toy:
                for job in toy["jobs"][:2]:
                    job["shared"] = [0]
            self.assertEqual(json.loads(ask(state, "read", imported=[]).stdout)["loads"][0]["used"], 2)
            jobs = json.loads(ask(state, "jobs").stdout)["jobs"]
            self.assertEqual([job["hosts"][0].get("shared") for job in jobs], [[0], [0], None])

    def test_is_probed_without_being_changed(self) -> None:
        with site() as here:
            before = (here.path / "east.json").read_text()
            answer = run(PROGRAMS / "lease-agent", "--config", here.path / "east.toml", "--probe", "--json")
            self.assertEqual(answer.returncode, 0, answer.stderr)
            self.assertEqual(json.loads(answer.stdout)["hosts"][0]["host"], "big1")
            self.assertEqual((here.path / "east.json").read_text(), before)


def _check(schema: dict, name: str, value) -> None:
    jsonschema.Draft202012Validator(
        {**schema, "$ref": f"#/$defs/{name}"}).validate(value)


if __name__ == "__main__":
    side_by_side.main()
