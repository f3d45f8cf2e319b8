"""What a broker and its agents tell Prometheus: schema/METRICS.md, schema/AGENT_METRICS.md."""
import re
import shutil
import subprocess
import unittest

import one_site
from configs import POOL, Cluster, Job
from http_site import TOKENS, OnAnHttpSite, http_site, plan_site, with_http, write_tokens
from http_visitor import Visitor, ready
from leasehold_site import Site
from processes import PROGRAMS, ROOT, run, wait_until
from scenes import LONG_S, made, moved, still_site

SERIES = re.compile(r'^(\w+)(?:\{(.*)\})? (\S+)$')
LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')


class Metrics:
    """One answer; `[name, label=value, …]` sums the series that have these labels."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.series = []
        for line in text.splitlines():
            if line.startswith("#"):
                continue
            name, labels, value = SERIES.match(line).groups()
            self.series.append((name, dict(LABEL.findall(labels or "")), float(value)))
        self.names = {name for name, _, _ in self.series}
        self.values = {value for _, labels, _ in self.series for name, value in labels.items()
                       if name != "side"}

    def having(self, name: str, **labels: str) -> list[float]:
        return [value for known, has, value in self.series
                if known == name and labels.items() <= has.items()]

    def sum(self, name: str, **labels: str) -> float:
        return sum(self.having(name, **labels))


def metrics(site: Site, token: str = "") -> Metrics:
    answer = Visitor(site.http, token).get("/metrics")
    assert answer.status == 200, answer
    assert answer.fields["content-type"] == "text/plain; version=0.0.4; charset=utf-8", answer
    return Metrics(answer.body.decode())


def wait_for_metrics(site: Site, true, what: str) -> Metrics:
    def seen() -> Metrics | None:
        now = metrics(site)
        return now if true(now) else None
    return wait_until(seen, what)


def check_with_promtool(test: unittest.TestCase, text: str) -> None:
    if shutil.which("promtool") is None:
        test.skipTest("promtool is not installed: scripts/install-packages metrics")
    said = subprocess.run(["promtool", "check", "metrics"], input=text, text=True,
                          capture_output=True, check=False)
    test.assertEqual((said.returncode, said.stdout + said.stderr), (0, ""))


class OfASite(OnAnHttpSite):
    def test_before_and_after_flips_tell_what_happened(self) -> None:
        site = self.site
        before = wait_for_metrics(site, lambda now: now.having("leasehold_slots", side="consumer"),
                                  "the lease is told of")
        self.assertEqual(before.sum("leasehold_flips_total"), 0)
        self.assertEqual(before.sum("leasehold_cluster_up"), 2)
        self.assertEqual(before.having("leasehold_slots", cluster="west", side="consumer",
                                       policy="pool", state="used"), [1])
        site.order("rebalance", "pool:west")
        moved(site)
        self.assertEqual(site.flips(), 1)

        def flipped(now: Metrics) -> bool:
            used = now.having("leasehold_slots", cluster="west", side="consumer", policy="pool",
                              state="used")
            return used == [4] and now.sum("leasehold_flips_total", policy="pool") == 1
        after = wait_for_metrics(site, flipped, "four are west's, by one flip")
        self.assertEqual(after.sum("leasehold_flipped_slots_total", policy="pool"), 3)
        self.assertEqual(after.sum("leasehold_lease_flips_total", lease="pool:west"), 1)
        self.assertGreater(after.sum("leasehold_policy_last_flip_timestamp_seconds"), 1.7e9)
        self.assertGreater(after.sum("leasehold_commit_duration_seconds_count"),
                           before.sum("leasehold_commit_duration_seconds_count"))
        self.assertGreater(after.sum("leasehold_evaluation_outcomes_total", result="made"), 0)
        self.assertGreaterEqual(after.sum("leasehold_events_total"), site.ask("history")[-1]["id"])
        for cluster in ("east", "west"):
            [age] = after.having("leasehold_cluster_heard_age_seconds", cluster=cluster)
            self.assertLess(age, 600)
        self.assertGreater(after.sum("leasehold_database_size_bytes", file="log"), 0)
        self.assertGreater(after.sum("leasehold_disk_free_bytes"), 0)

    def test_keep_to_the_rules_of_prometheus(self) -> None:
        with with_http(plan_site()) as site:
            site.start()
            site.wait_for_agents()
            now = wait_for_metrics(
                site, lambda now: now.having("leasehold_consumer_slots", consumer="/science/west"),
                "the plan's consumers are told of")
            check_with_promtool(self, now.text)

    def test_are_those_of_the_table_and_no_others(self) -> None:
        table = set(re.findall(r"^\| `(leasehold_\w+)` \|",
                               (ROOT / "schema/METRICS.md").read_text(), re.MULTILINE))
        site = self.site
        told = {name.removesuffix(end) if end and name.endswith(end) else name
                for name in metrics(site).names
                for end in [next((end for end in ("_bucket", "_sum", "_count")
                                  if name.endswith(end)), "")]}
        self.assertEqual(told - table, set())

    def test_of_a_cluster_that_is_lost_say_so(self) -> None:
        with http_site(broker={"agent_timeout": "3s"}) as site:
            made(site)
            site.agents["west"].kill9()

            def west_is_lost(now: Metrics) -> bool:
                up = [now.having("leasehold_cluster_up", cluster=name) for name in ("east", "west")]
                return up == [[1], [0]] and now.sum("leasehold_attention", kind="agent-lost") == 1
            wait_for_metrics(site, west_is_lost, "west is lost, and it alone")


class SeriesOfALease(unittest.TestCase):
    def test_go_when_the_lease_goes(self) -> None:
        side = {**POOL, "name": "side", "hosts": ["big2"], "slots_per_host": 2}
        clusters = {"east": Cluster({"big1": 8, "big2": 2}),
                    "west": Cluster({"small1": 1}, [Job(0, LONG_S)])}
        site = with_http(Site(clusters, [POOL, side], broker={"reclaim_delay": "1h"}))
        with site:
            site.start()
            site.wait_for_agents()
            wait_for_metrics(site, lambda now: now.having("leasehold_lease_info", lease="side:west"),
                             "both leases have series")
            site.policies = [policy for policy in site.policies if policy["name"] == "pool"]
            site.write_broker_config()
            site.order("reload", "--yes")
            left = wait_for_metrics(site, lambda now: not {"side", "side:west"} & now.values,
                                    "one lease is left")
            self.assertEqual(left.having("leasehold_lease_info", lease="pool:west"), [1])

    def test_are_there_up_to_a_limit_that_a_reload_changes(self) -> None:
        with with_http(still_site(), "[http]\nmetrics_leases = 0\n") as site:
            made(site)
            without = metrics(site)
            self.assertEqual(without.having("leasehold_lease_info"), [])
            self.assertEqual(without.having("leasehold_series_left_out", kind="lease"), [1])
            site.more = "[http]\nmetrics_leases = 1\n"
            site.write_broker_config()
            site.order("reload", "--yes")
            wait_for_metrics(site, lambda now: now.having("leasehold_lease_info") == [1],
                             "the lease has its series")


class Tokens(unittest.TestCase):
    def test_are_needed_for_metrics_once_there_is_one_and_a_branch_is_no_site(self) -> None:
        site = with_http(still_site())
        site.more += write_tokens(site)
        site.write_broker_config()
        with site:
            site.start_broker()
            ready(Visitor(site.http))
            for token in ("", "wrong-but-long-enough"):
                answer = Visitor(site.http, token).get("/metrics")
                self.assertEqual(answer.status, 401)
                self.assertNotIn(b"leasehold_", answer.body)
            status, why = Visitor(site.http, TOKENS["science"]).refusal("/metrics")
            self.assertEqual(status, 403)
            self.assertIn("role read or admin", why)
            self.assertIn("leasehold_build_info", metrics(site, TOKENS["desk"]).names)

    def test_are_needed_behind_a_proxy(self) -> None:
        with with_http(still_site(), '[http]\nbase_path = "/lease/hold"\n') as site:
            site.start_broker()
            for path in ("/metrics", "/lease/hold/metrics"):
                self.assertEqual(Visitor(site.http).get(path).status, 401)

    def test_change_nothing_about_who_may_call_it_by_which_name(self) -> None:
        with http_site() as site:
            site.start_broker()
            self.assertEqual(Visitor(site.http, host="evil.example.org").get("/metrics").status, 403)
            self.assertEqual(Visitor(site.http).get("/metrics?x=1").status, 400)
            self.assertEqual(Visitor(site.http).get("/metrics", method="POST").status, 405)


class OfAnAgent(unittest.TestCase):
    def test_stand_in_a_file_that_goes_with_it(self) -> None:
        site = still_site()
        site.clusters["west"].agent["metrics_file"] = "west.prom"
        site.write_agent_config("west")
        path = site.path / "west.prom"
        with site:
            made(site)

            def written() -> Metrics | None:
                now = Metrics(path.read_text())
                used = now.having("leasehold_agent_leased_slots", peer="east", role="consumer",
                                  state="used")
                return now if used == [1] else None
            now = wait_until(written, "the agent's file tells of the slot")
            self.assertEqual(now.having("leasehold_agent_connected", cluster="west"), [1])
            self.assertEqual(now.having("leasehold_agent_workload_up", cluster="west"), [1])
            self.assertEqual(path.stat().st_mode & 0o777, 0o644)
            self.assertFalse((site.path / "east.prom").exists())
            site.agents["west"].stop()
            self.assertFalse(path.exists())
            check_with_promtool(self, now.text)

    def test_of_a_name_that_nobody_reads_are_refused(self) -> None:
        with still_site(verify=False) as site:
            site.clusters["west"].agent["metrics_file"] = "west.txt"
            site.write_agent_config("west")
            said = run(PROGRAMS / "lease-agent", "--config", site.path / "west.toml", "--check-config")
            self.assertEqual(said.returncode, 2)
            self.assertIn("ends with .prom would be right", said.stderr)


if __name__ == "__main__":
    one_site.main(of_places=2)
