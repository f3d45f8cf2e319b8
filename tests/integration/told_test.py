"""What people are told, and when: explain, clusters, leases, history and the log of a running site."""
import subprocess
import time
import unittest
from datetime import datetime, timedelta, timezone

import one_site
from configs import POOL, Cluster, Job
from json_schemas_test import check
from leasehold_site import Site
from one_site import OnAMadeSite
from processes import LAST_BOUND_S, PROGRAMS, wait_until
from scenes import LONG_S, made, moved, still_site, two_clusters


def conditions(site, lease="pool:west") -> dict:
    row = site.ask("explain", lease)
    check("explain", row)
    return {each["condition"]: each for each in row["conditions"]}


def instant(text: str) -> datetime:
    return datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%f%z")


class OnASite(OnAMadeSite):
    def test_explain_says_what_is_so_now_before_the_old_decision(self) -> None:
        site = self.site
        self.assertEqual(conditions(site), {})
        site.order("freeze")
        later = site.order("freeze", "--from", "1h", "--for", "30m", "--reason", "new switches")
        self.assertIn("until then the freeze in force stays", later)
        site.order("drain", "west")
        site.order("close", "big1@east", "--for", "west")
        found = conditions(site)
        self.assertEqual(list(found), ["frozen", "freeze-ahead", "drained", "closed"])
        status = site.ask("status")
        check("status", status)
        ahead = status["freeze_ahead"]
        self.assertEqual(instant(ahead["until"]) - instant(ahead["from"]), timedelta(minutes=30))
        self.assertEqual(found["frozen"]["command"], "leasectl thaw")
        self.assertEqual(found["drained"]["command"], "leasectl resume west")
        self.assertEqual(found["closed"]["command"], "leasectl open big1@east --for west")
        text = site.order("explain", "pool:west")
        self.assertLess(text.index("frozen: an operator"), text.index("the last evaluation:"))
        self.assertTrue(all(row["frozen"] for row in site.ask("leases") + site.ask("clusters")))
        for words in ("leases", "clusters"):
            self.assertIn("frozen: nothing moves until leasectl thaw", site.order(words))
            check(words, site.ask(words))
        site.order("thaw")
        self.assertIsNone(site.ask("status")["freeze_ahead"])
        site.order("resume", "west")
        site.order("open", "big1@east", "--for", "west")

    def test_leases_name_down_hosts_and_the_slots_on_them(self) -> None:
        site = self.site
        site.agents["east"].stop()
        config = site.agents["east"].config
        config.write_text(config.read_text().replace('"type" = "LINUX64"',
                                                     '"type" = "LINUX64", "up" = false'))
        site.agents["east"].start()
        wait_until(lambda: "host-down" in conditions(site), "big1 is down")
        self.assertEqual(conditions(site)["host-down"]["subject"], "big1@east")
        row = site.lease()
        self.assertEqual(row["slots_down"], {"provider": 3, "consumer": 1})
        self.assertEqual(row["consumer_slots"]["available"], 0)
        self.assertIn("east has 3 more slots and west 1", site.order("leases"))
        site.agents["east"].stop()
        site.write_agent_config("east")
        site.agents["east"].start()

    def test_leases_show_what_moves_while_the_loser_is_asked(self) -> None:
        site = self.site
        with site.agents["east"].stopped():
            site.order("rebalance", "pool:west")
            row = site.lease()
            self.assertEqual((row["phase"], row["in_transfer"], row["moving"]), ("inactive", 0, 3))
            check("leases", site.ask("leases"))
        moved(site)

    def test_a_history_that_is_followed_until_an_instant_ends_there(self) -> None:
        site = self.site
        until = datetime.now(timezone.utc) + timedelta(seconds=1)
        begun = time.monotonic()
        answer = site.ctl("history", "--follow", "--until",
                          until.isoformat(timespec="milliseconds"))
        self.assertEqual(answer.returncode, 0, answer.stderr)
        self.assertGreaterEqual(time.monotonic() - begun, 0.5)
        self.assertIn("lease-made", answer.stdout)
        past = site.ctl("history", "--follow", "--until", "-1h")
        self.assertEqual((past.returncode, past.stdout), (0, "no history\n"))

    def test_a_history_of_a_lease_that_nobody_knows_is_an_error_that_names_the_nearest(self) -> None:
        site = self.site
        for words in (["history", "--lease", "pool:wst"],
                      ["history", "--lease", "pool:wst", "--since", "-1h", "--csv"]):
            answer = site.ctl(*words)
            self.assertEqual((answer.returncode, answer.stdout), (1, ""))
            self.assertIn("there is no lease 'pool:wst'; did you mean 'pool:west'?", answer.stderr)
        self.assertEqual(site.ask("history", "--lease", "pool:west", "--until", "-1h"), [])

    def test_a_history_begins_somewhere_and_before_it_nothing_is_known(self) -> None:
        site = self.site
        begins = site.ask("history")[0]["time"]
        for words in ("leases", "consumers"):
            answer = site.ctl(words, "--at", "-24h")
            self.assertEqual((answer.returncode, answer.stdout), (1, ""))
            self.assertIn(f"history begins at {begins}", answer.stderr)
        self.assertEqual(site.ctl("leases", "--at", begins).returncode, 0)

    def test_a_history_on_a_full_disk_is_told_as_that(self) -> None:
        site = self.site
        with open("/dev/full", "w", encoding="ascii") as full:
            answer = subprocess.run(
                [PROGRAMS / "leasectl", "history", "--json", "--broker", site.control],
                stdout=full, stderr=subprocess.PIPE, text=True, timeout=LAST_BOUND_S)
        self.assertEqual(answer.returncode, 1)
        self.assertIn("No space left on device", answer.stderr)

    def test_an_agent_that_is_stopped_says_so_at_once(self) -> None:
        site = self.site
        site.agents["west"].stop()
        row = wait_until(lambda: site.flow("west", stopped=True), "west is called stopped")
        check("clusters", site.ask("clusters"))
        self.assertEqual((row["status"], row["agent"], row["reason"]),
                         ("disc", "lost", "agent-stopped"))
        self.assertEqual(site.flow("east")["reason"], "agent-stopped")
        self.assertIn("stopped", site.order("clusters"))
        self.assertEqual(site.held(), (3, 1), "its slots stay where they are")
        self.assertIn("was stopped", site.order("explain", "pool:west"))
        (lost,) = [each for each in site.ask("history") if each["kind"] == "agent-lost" and each["id"] > self.last]
        self.assertEqual((lost["cluster"], lost["reason"]), ("west", "agent-stopped"))
        site.broker.wait_for_log("event=agent-lost reason=agent-stopped cluster=west")
        site.agents["west"].start()
        wait_until(lambda: site.flow("west")["agent"] == "up", "it is taken back")
        site.wait_for_lease(phase="active", consumer_slots__used=1)

    def test_an_agent_that_is_stopped_ends_also_where_no_broker_is(self) -> None:
        site = self.site
        site.broker.kill9()
        self.assertEqual(site.agents["west"].stop(), 0)
        site.start_broker()
        site.agents["west"].start()


class Explain(unittest.TestCase):
    def test_says_when_a_silent_cluster_s_slots_return_and_what_would_help(self) -> None:
        with still_site(broker={"agent_timeout": "2s", "lease_ttl": "5m"}) as site:
            made(site)
            site.agents["west"].kill9()

            def west_is_lost() -> dict | None:
                found = site.ask("explain", "pool:west")["conditions"]
                return next((each for each in found if (each["condition"], each["subject"]) == ("lost", "west")), None)
            lost = wait_until(west_is_lost, "west is lost")
            self.assertIn("leasectl forget west", lost["command"])
            self.assertEqual(lost["at"], site.flow("west")["leases_return"])
            self.assertIn("returns to its providers", lost["then"])
            self.assertGreater(instant(lost["at"]), datetime.now(timezone.utc))

    def test_says_when_a_silent_agent_will_count_as_lost(self) -> None:
        """From the half of agent_timeout on."""
        with still_site(broker={"agent_timeout": "1m"}) as site:
            made(site)
            with site.agents["east"].stopped():
                silent = wait_until(lambda: conditions(site).get("silent"), "east is silent", every=1)
                self.assertEqual(silent["subject"], "east")
                self.assertIn("agent_timeout", silent["then"])

    def test_observe_stands_in_clusters_and_leases(self) -> None:
        with two_clusters([], [Job(0, LONG_S)] * 5, broker={"mode": "observe"}) as site:
            site.start()
            site.wait_for_agents()
            wait_until(lambda: site.ask("leases"), "the lease is there")
            self.assertIn("observe", conditions(site))
            self.assertEqual({row["mode"] for row in site.ask("leases") + site.ask("clusters")},
                             {"observe"})
            for words in ("leases", "clusters"):
                self.assertIn("observe: the broker decides and records", site.order(words))


class TheLog(unittest.TestCase):
    def lines(self, site, event: str, count: int = 1) -> list[str]:
        """As many lines at least: the log may follow the answer to who caused them."""
        def written() -> list[str]:
            lines = [line for line in site.broker.log().splitlines() if f" event={event} " in line]
            return lines if len(lines) >= count else []
        return wait_until(written, f"{count} lines of {event}")

    def test_has_a_line_for_each_flip_order_reload_and_failure(self) -> None:
        with still_site(broker={"transfer_timeout": "1s"}) as site:
            made(site)
            (started,) = self.lines(site, "config-loaded")
            self.assertIn("by=start", started)
            site.order("freeze")
            (order,) = self.lines(site, "operator-command")
            self.assertIn("reason=operator-order", order)
            self.assertIn("by=local", order)
            site.order("thaw")
            with site.agents["east"].stopped():
                site.order("rebalance", "pool:west")
                site.broker.wait_for_log(" event=transfer-failed ")
            (failed,) = self.lines(site, "transfer-failed")
            self.assertIn("level=warn", failed)
            self.assertIn("reason=transfer-timeout lease=pool:west", failed)
            # Refused until a report was taken after the last order.
            wait_until(lambda: site.ctl("rebalance", "pool:west").returncode == 0, "it is heard")
            moved(site)
            (flip,) = self.lines(site, "flip")
            self.assertIn("reason=provider-idle lease=pool:west slots=3 from=east to=west", flip)
            site.order("reload", "--yes")
            self.assertEqual(len(self.lines(site, "config-loaded", 2)), 2)
            self.assertEqual(len(site.history("flip")), 1)

    def test_has_lines_for_quarantine_and_lost_agents(self) -> None:
        with still_site(broker={"agent_timeout": "2s"}) as site:
            made(site)
            site.agents["west"].kill9()
            wait_until(lambda: any("reason=report-missing cluster=west" in line
                                   for line in self.lines(site, "agent-lost")), "west is lost")
            site.broker.kill9()
            site.start_broker()
            (begun,) = self.lines(site, "quarantine")
            self.assertIn("reason=quarantine groups_over=0 groups_left=1", begun)
            site.agents["west"].start()
            site.broker.wait_for_log(" event=quarantine-over ")


class OnePolicy(unittest.TestCase):
    def test_gives_each_host_of_a_list_its_own_consumer(self) -> None:
        policy = {**POOL, "hosts": ["big1", "big2", "big3"], "by_host": True,
                  "distribution": [{"cluster": "west"}, {"cluster": "north"}]}
        clusters = {"east": Cluster({"big1": 4, "big2": 4, "big3": 4}),
                    "west": Cluster({"small1": 1}, [Job(0, LONG_S)] * 3),
                    "north": Cluster({"tiny1": 1}, [Job(0, LONG_S)] * 3)}
        with Site(clusters, [policy], broker={"reclaim_delay": "1h"}) as site:
            site.start()
            for lease, hosts in ("pool:west", ["big1", "big3"]), ("pool:north", ["big2"]):
                site.wait_for_lease(lease, phase="active", consumer_slots__used=1)
                rows = site.ask("lease", lease)["hosts"]
                self.assertEqual([row["host"] for row in rows], hosts)
            (shown,) = site.ask("policies", "-l")
            check("policies", [shown])
            values = {each["key"]: each["value"] for each in shown["values"]}
            self.assertEqual(values["hosts_dealt"],
                             {"west": ["big1", "big3"], "north": ["big2"]})


if __name__ == "__main__":
    one_site.main()
