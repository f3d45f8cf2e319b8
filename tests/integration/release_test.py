"""lease-agent without a broker: --probe, --release, interrupts."""
import json
import sqlite3
import unittest

import jsonschema

import side_by_side
from leasehold_site import Site
from processes import PROGRAMS, ROOT, run, wait_until
from scenes import LONG_S, made, moved, still_site, two_clusters
from command_adapter_test import site as toy_clusters


def agent(site: Site, name: str, *words: str):
    return run(PROGRAMS / "lease-agent", "--config", site.path / f"{name}.toml", *words)


def answered(site: Site, name: str, schema: str, *words: str) -> dict:
    answer = agent(site, name, *words)
    assert answer.returncode == 0, f"{answer.returncode}: {answer.stdout}{answer.stderr}"
    value = json.loads(answer.stdout)
    jsonschema.validate(value, json.loads((ROOT / f"schema/json/{schema}.schema.json").read_text()))
    return value


def caps(site: Site, name: str) -> list[str]:
    with sqlite3.connect(f"file:{site.path}/{name}-jobs.db?mode=ro", uri=True) as jobs:
        return [row[0] for row in jobs.execute("SELECT host FROM cap")]


class Release(unittest.TestCase):
    def test_is_refused_while_the_agent_runs(self) -> None:
        with still_site() as site:
            made(site)
            answer = agent(site, "east", "--release")
            self.assertEqual(answer.returncode, 1)
            self.assertIn("stop the agent first", answer.stderr)
            self.assertEqual(caps(site, "east"), ["big1"])

    def test_removes_the_fences_of_both_sides_and_says_who_may_use_what(self) -> None:
        with still_site(verify=False) as site:
            made(site)
            site.order("rebalance", "pool:west")
            moved(site)
            for name in ("east", "west"):
                self.assertEqual(site.agents[name].stop(), 0)
            refused = agent(site, "east", "--release", "--json")
            self.assertEqual(refused.returncode, 1)
            self.assertEqual(json.loads(refused.stdout)["done"], False)
            self.assertEqual(caps(site, "east"), ["big1"], "nothing was changed")
            found = answered(site, "east", "release", "--release", "--force", "--json")
            self.assertEqual(found["released"], [{"host": "big1", "imported": False}])
            self.assertEqual(found["others_may_use"], [
                {"lease": "pool:west", "peer": "west", "host": "big1", "slots": 4}])
            self.assertEqual(found["still_used_here"], [])
            self.assertEqual(caps(site, "east"), [])
            refused = agent(site, "west", "--release")
            self.assertEqual(refused.returncode, 1)
            self.assertIn("jobs here still use", refused.stdout)
            self.assertIn("--force", refused.stdout)
            found = answered(site, "west", "release", "--release", "--force", "--json")
            self.assertEqual(found["released"], [{"host": "big1@east", "imported": True}])
            self.assertEqual(found["still_used_here"], [
                {"lease": "pool:west", "peer": "east", "host": "big1@east", "slots": 4}])
            self.assertEqual(caps(site, "west"), [])

    def test_is_undone_by_an_agent_that_starts_again(self) -> None:
        with still_site() as site:
            made(site)
            site.order("rebalance", "pool:west")
            moved(site)
            site.agents["east"].stop()
            text = agent(site, "east", "--release", "--force").stdout
            self.assertIn("big1: all its slots are free for this cluster", text)
            self.assertIn("big1: 4 (west, lease pool:west)", text)
            site.agents["east"].start()
            site.wait_for_new_sessions()
            wait_until(lambda: caps(site, "east") == ["big1"], "it is fenced again")
            site.check_ledgers()

    def test_removes_what_the_state_has_forgotten(self) -> None:
        with still_site(verify=False) as site:
            made(site)
            site.agents["east"].stop()
            (site.path / "east-agent.db").unlink()
            answer = agent(site, "east", "--release", "--force")
            self.assertEqual(answer.returncode, 0, answer.stderr)
            self.assertIn("the state file is lost", answer.stdout)
            self.assertEqual(caps(site, "east"), [])
            self.assertFalse((site.path / "east-agent.db").exists())

    def test_of_nothing_is_no_error(self) -> None:
        with two_clusters(verify=False) as site:
            answer = agent(site, "east", "--release")
            self.assertEqual(answer.returncode, 0, answer.stderr)
            self.assertIn("east: 0 fences removed", answer.stdout)


class Interrupts(unittest.TestCase):
    def test_count_down_the_seconds_of_a_job_that_polls(self) -> None:
        with toy_clusters(reclaim_grace="20s") as site:
            site.start()
            site.submit("west", *[(f"w{number}", LONG_S) for number in range(3)])
            site.wait_for_lease(phase="active", consumer_slots__used=2)
            unknown = agent(site, "west", "interrupts", "--job", "w0")
            self.assertEqual(unknown.returncode, 1)
            self.assertEqual(unknown.stdout, "")
            self.assertIn("job 'w0' is not known to be interrupted", unknown.stderr)
            site.order("close", "big1@east", "--for", "west", "--reclaim")
            victim = wait_until(lambda: next((job for job in ("w0", "w1", "w2")
                                              if "told" in site.job("west", job)), None), "told")
            first = int(agent(site, "west", "interrupts", "--job", victim).stdout)
            self.assertLessEqual(first, 20)

            def counts_down() -> bool:
                later = answered(site, "west", "interrupts", "interrupts", "--job", victim, "--json")
                self.assertTrue(later["interrupted"])
                return later["seconds_left"] < first
            wait_until(counts_down, "seconds count down", every=0.3)  # from when the job has its interrupt
            wait_until(lambda: agent(site, "west", "interrupts", "--job", victim).returncode == 1,
                       "it is over")

    def test_of_an_agent_that_never_ran_are_none(self) -> None:
        with two_clusters(verify=False) as site:
            answer = agent(site, "east", "interrupts", "--job", "7", "--json")
            self.assertEqual(answer.returncode, 1)
            self.assertEqual(json.loads(answer.stdout),
                             {"job": "7", "interrupted": False, "seconds_left": None})
            self.assertEqual(agent(site, "east", "interrupts").returncode, 2)


class Probe(unittest.TestCase):
    def test_shows_the_schema_of_what_is_reported_and_changes_nothing(self) -> None:
        with still_site() as site:
            made(site)
            found = answered(site, "east", "probe", "--probe", "--json")
            self.assertEqual(found["groups"][0]["lease"], "pool:west")
            self.assertEqual(found["permissions_lacking"], [])
            self.assertEqual(found["scheduling"]["policy"], "proportional")
            self.assertEqual(found["scheduling"]["chooses_hosts"], False)
            self.assertTrue(all(row["preemption_rank"] == 1 for row in found["sessions"]))
            self.assertEqual(agent(site, "east", "--probe", "--release").returncode, 2)
            told = agent(site, "east", "--probe")
            self.assertIn("Nothing is missing: the agent can be started.\n", told.stdout)
            for row in found["hosts"]:
                self.assertRegex(told.stdout, rf"(?m)^{row['host']} .* {row['used']}  up ")

    def test_ends_with_1_where_a_permission_lacks(self) -> None:
        with toy_clusters() as site:
            text = (site.path / "east.toml").read_text()
            adapter = site.path / "adapter"
            adapter.write_text("#!/usr/bin/python3 -IS\nimport json, sys\n"
                               "print(json.dumps({'version': 1, **{\n"
                               " 'describe': {'fences': {'memory': False, 'swap': False,\n"
                               "   'resources': False}, 'settle_ms': 0, 'self_expiring': False},\n"
                               " 'read': {'hosts': [], 'loads': [], 'caps': [], 'pending': 0,\n"
                               "   'running': 0},\n"
                               " 'jobs': {'now_ms': 0, 'jobs': []},\n"
                               " 'permissions': {'lacking': ['may not requeue jobs']}}\n"
                               " [json.load(sys.stdin)['request']]}))\n")
            adapter.chmod(0o755)
            head = text[:text.index("argv")]
            (site.path / "east.toml").write_text(head + f'argv = ["{adapter}"]\n')
            answer = agent(site, "east", "--probe", "--json")
            self.assertEqual(answer.returncode, 1, answer.stderr)
            self.assertEqual(json.loads(answer.stdout)["permissions_lacking"],
                             ["may not requeue jobs"])
            told = agent(site, "east", "--probe")
            self.assertEqual(told.returncode, 1)
            self.assertIn("Permissions that are missing:\n  - may not requeue jobs\n", told.stdout)


if __name__ == "__main__":
    side_by_side.main()
