"""A rule tried beside the one in force: configured, recorded, explained, compared; never ordered."""
import csv
import io
import json
import unittest
import urllib.request

import side_by_side
from configs import POOL
from http_site import with_http
from json_schemas_test import check, leasectl
from leasehold_site import Site
from processes import LAST_BOUND_S, PROGRAMS, run, wait_until
from scenes import made, moved, still_site

SHADOWED = {**POOL, "shadow": "exclusive"}
NONE = "no policy had a shadow then"


def shadowed() -> Site:
    return still_site(policies=[SHADOWED])


def compared(site, *words: str) -> dict:
    rows = site.ask("compare", *words)
    check("compare", rows)
    (row,) = rows
    return row


class AShadow(unittest.TestCase):
    def test_is_recorded_explained_and_compared_and_moves_nothing(self) -> None:
        with shadowed() as site:
            made(site)
            site.order("rebalance", "pool:west")
            moved(site)
            (row,) = site.history("shadow")
            self.assertEqual((row["reason"], row["rule_reason"], row["slots"], row["from"], row["to"]),
                             ("exclusive-due", "provider-idle", 3, "east", "west"))
            self.assertEqual(row["numbers"], {"provider_available": 3, "provider_used": 0,
                                              "consumer_available": 1, "consumer_used": 1,
                                              "rule_to_consumer": 3, "rule_to_provider": 0})
            self.assertIn("3 slots east -> west; exclusive-due; rule: provider-idle; provider avail",
                          site.order("history", "--lease", "pool:west"))
            site.order("rebalance", "pool:west")
            site.wait_for_lease(reason="tie")
            site.order("rebalance", "pool:west")  # of a world that stays as it is
            kinds = [each["reason"] for each in site.history("shadow")]
            self.assertEqual(kinds, ["exclusive-due", "complete"])
            explained = site.ask("explain", "pool:west")
            check("explain", explained)
            self.assertEqual((explained["shadow"]["rule"], explained["shadow"]["reason"],
                              explained["shadow"]["rule_reason"], explained["shadow"]["same"]),
                             ("exclusive", "complete", "tie", True))
            text = site.order("explain", "pool:west")
            self.assertIn("beside it, never ordered:\n  exclusive: complete: ", text)
            self.assertIn("it would move nothing, as the rule in force", text)
            row = compared(site)
            self.assertEqual((row["rule"], row["shadow"]), ("idle-comparison", "exclusive"))
            self.assertEqual((row["flips"], row["slots_moved"]), (1, 3))
            self.assertEqual((row["rule_moves"], row["rule_slots"]), (1, 3))
            self.assertEqual((row["shadow_moves"], row["shadow_slots"]), (1, 3))
            self.assertEqual(row["evaluations"], 2)
            self.assertEqual(row["differed_ms"], 0)
            self.assertGreater(row["same_ms"], 0)
            self.assertGreater(compared(site)["same_ms"], row["same_ms"], "it stands until now")
            before = site.history("shadow")[0]["time"]
            self.assertEqual(compared(site, "--until", before)["evaluations"], 0)
            site.check_ledgers()
            site.verify()

    def test_survives_a_restart_of_the_broker_and_is_not_recorded_again(self) -> None:
        with shadowed() as site:
            made(site)
            site.order("rebalance", "pool:west")
            moved(site)
            site.order("rebalance", "pool:west")
            site.wait_for_lease(reason="tie")
            site.broker.kill9()
            of_the_file = json.loads(leasectl("explain", "pool:west", "--json", "--db",
                                              site.database).stdout)
            self.assertEqual(of_the_file["shadow"]["reason"], "complete")
            site.start_broker()
            site.wait_for_agents()
            site.wait_for_lease(phase="active", consumer_slots__used=4)
            wait_until(lambda: site.ctl("rebalance", "pool:west").returncode == 0,
                       "both sides have been heard")
            self.assertEqual([row["reason"] for row in site.history("shadow")],
                             ["exclusive-due", "complete"])
            site.verify()

    def test_comes_and_goes_with_a_reload(self) -> None:
        with still_site() as site:
            made(site)
            self.assertEqual(site.ask("compare"), [])
            answer = site.ctl("compare")
            self.assertEqual(answer.returncode, 0)
            self.assertIn(NONE, answer.stdout)
            site.policies[0] = {**site.policies[0], "shadow": "exclusive"}
            site.write_broker_config()
            shown = site.ctl("reload", "--dry-run", "--json")
            self.assertEqual(shown.returncode, 1)
            (change,) = json.loads(shown.stdout)["settings"]
            self.assertEqual((change["key"], change["before"], change["after"]),
                             ("shadow", None, "exclusive"))
            self.assertEqual(site.ask("compare"), [], "nothing was done yet")
            site.order("reload", "--yes")
            self.assertEqual(compared(site)["evaluations"], 0)
            self.assertEqual(site.ask("policies")[0]["shadow"], "exclusive")
            values = {each["key"]: each for each in site.ask("policies", "-l")[0]["values"]}
            self.assertEqual(values["shadow"]["value"], "exclusive")
            self.assertRegex(values["shadow"]["from"], r"broker\.toml:\d+$")
            site.order("rebalance", "pool:west")
            moved(site)
            self.assertEqual(compared(site)["evaluations"], 1)
            site.policies[0] = {key: value for key, value in site.policies[0].items()
                                if key != "shadow"}
            site.write_broker_config()
            site.order("reload", "--yes")
            self.assertIsNone(site.ask("explain", "pool:west")["shadow"])
            site.order("rebalance", "pool:west")
            row = compared(site)
            self.assertEqual(row["evaluations"], 1, "it is not asked any more")
            self.assertEqual(compared(site)["same_ms"], row["same_ms"], "the clock stands")

    def test_is_compared_in_every_form(self) -> None:
        with with_http(shadowed()) as site:
            made(site)
            site.order("rebalance", "pool:west")
            moved(site)
            text = site.order("compare", "--since", "-1h")
            self.assertIn("as the rule in force had left them, so it\nmay name", text)
            self.assertIn("1 row: the rules in force moved 3 slots in 1 flip;\nthe shadows would have "
                          "moved 3 slots in 1 decision;", text)
            self.assertRegex(text, r"pool:west +provider-idle +exclusive-due +yes")
            self.assertLessEqual(max(len(line) for line in text.splitlines()[-5:]), 80, text)
            (row,) = csv.DictReader(io.StringIO(site.order("compare", "--csv")))
            self.assertEqual((row["lease"], row["flips"]), ("pool:west", "1"))
            self.assertEqual(site.order("compare", "-o", "lease,shadow", "--no-header").split(),
                             ["pool:west", "exclusive"])
            check("summary", site.ask("compare", "--summary"))
            self.assertEqual(compared(site, "--lease", "pool:west", "--policy", "po*")["flips"], 1)
            self.assertEqual(site.ask("compare", "--reason", "exclusive-due")[0]["flips"], 1)
            unknown = site.ctl("compare", "--lease", "pool:wst")
            self.assertEqual(unknown.returncode, 1)
            self.assertIn("did you mean 'pool:west'?", unknown.stderr)
            with urllib.request.urlopen(f"http://127.0.0.1:{site.http}/api/v1/compare",
                                        timeout=LAST_BOUND_S) as answer:
                by_http = json.loads(answer.read())["result"]
            check("compare", by_http)
            self.assertEqual(by_http[0]["shadow_slots"], 3)
            of_the_file = leasectl("compare", "--db", site.database, "--json")
            check("compare", json.loads(of_the_file.stdout))
            self.assertEqual(json.loads(of_the_file.stdout)[0]["flips"], 1)


class AConfiguration(unittest.TestCase):
    def test_names_the_place_and_what_would_be_right(self) -> None:
        with still_site(policies=[{**POOL, "shadow": "exclusve"}], verify=False) as site:
            site.write_broker_config()
            answer = run(PROGRAMS / "leasectl", "check-config", site.path / "broker.toml")
            self.assertEqual(answer.returncode, 2)
            self.assertRegex(answer.stderr + answer.stdout,
                             r'broker\.toml:\d+:\d+: .*"exclusive", "idle-comparison"')

    def test_warns_of_a_shadow_that_says_the_same(self) -> None:
        with still_site(policies=[{**POOL, "shadow": "idle-comparison"}],
                        verify=False) as site:
            site.write_broker_config()
            config = site.path / "broker.toml"
            self.assertEqual(run(PROGRAMS / "leasectl", "check-config", config).returncode, 0)
            self.assertEqual(run(PROGRAMS / "leasectl", "check-config", config,
                                 "--strict").returncode, 1)


if __name__ == "__main__":
    side_by_side.main()
