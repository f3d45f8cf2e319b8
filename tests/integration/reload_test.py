"""reload: what it shows, whom it asks, and when it changes nothing."""
import json
import os
import pty
import signal

import one_site
from configs import POOL
from json_schemas_test import check
from one_site import OnAMadeSite
from processes import PROGRAMS, wait_until


def delay(site) -> int:
    return site.ask("policies")[0]["reclaim_delay_ms"]


def at_a_terminal(site, answer: str) -> tuple[int, str]:
    """leasectl reload at a terminal of its own, where `answer` is typed; exit code, what was shown."""
    child, terminal = pty.fork()
    if child == 0:
        os.execv(PROGRAMS / "leasectl", ["leasectl", "reload", "--broker", site.control, "--timeout",
                                         "30m"])
    shown = b""
    try:
        while b"[y/N]" not in shown:
            shown += os.read(terminal, 4096)
        os.write(terminal, answer.encode() + b"\n")
        while part := os.read(terminal, 4096):
            shown += part
    except OSError:  # Linux says so when the child has ended
        pass
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), shown.decode()


class AReload(OnAMadeSite):
    def test_without_yes_changes_nothing_where_nobody_can_be_asked(self) -> None:
        site = self.site
        self.assertEqual(site.ctl("reload").returncode, 0, "the file is the same")
        self.assertEqual(site.ctl("reload", "--dry-run").returncode, 0)
        site.settings["reclaim_delay"] = "30m"
        site.write_broker_config()
        refused = site.ctl("reload")
        self.assertEqual(refused.returncode, 1, "no slot would move, but a setting would change")
        self.assertIn("reclaim_delay_ms", refused.stdout)
        self.assertIn("--yes", refused.stderr)
        self.assertEqual(delay(site), 3_600_000)
        shown = site.ctl("reload", "--json")
        self.assertEqual(shown.returncode, 1)
        check("reload", json.loads(shown.stdout))
        self.assertEqual(delay(site), 3_600_000)
        site.order("reload", "--yes")
        self.assertEqual(delay(site), 1_800_000)

    def test_dry_run_shows_the_difference_and_is_one(self) -> None:
        site = self.site
        site.policies = [{**POOL, "slots_per_host": 3, "reclaim_grace": "1m"}]
        site.write_broker_config()
        dry = site.ctl("reload", "--dry-run", "--json")
        self.assertEqual((dry.returncode, dry.stderr), (1, ""))
        preview = json.loads(dry.stdout)
        check("reload", preview)
        self.assertFalse(preview["done"])
        self.assertEqual([(row["lease"], row["slots_before"], row["slots_after"])
                          for row in preview["changes"]], [("pool:west", 4, 3)])
        self.assertEqual([(row["section"], row["name"], row["key"], row["before"], row["after"])
                          for row in preview["settings"]],
                         [("export_policy", "pool", "reclaim_grace_ms", 0, 60000),
                          ("export_policy", "pool", "slots_per_host", 4, 3)])
        self.assertEqual(site.lease()["slots"], 4)
        self.assertEqual(site.ctl("reload", "--dry-run", "--yes").returncode, 2)

    def test_asks_a_person_at_a_terminal(self) -> None:
        site = self.site
        site.settings["reclaim_delay"] = "30m"
        site.write_broker_config()
        for answer in ("n", "", "Yes please"):
            code, shown = at_a_terminal(site, answer)
            self.assertEqual(code, 1, shown)
            self.assertIn("nothing was changed", shown)
            self.assertEqual(delay(site), 3_600_000)
        code, shown = at_a_terminal(site, "y")
        self.assertEqual(code, 0, shown)
        self.assertEqual(delay(site), 1_800_000)

    def test_by_a_signal_counts_as_yes(self) -> None:
        site = self.site
        site.settings["reclaim_delay"] = "30m"
        site.write_broker_config()
        site.broker.signal(signal.SIGHUP)
        wait_until(lambda: delay(site) == 1_800_000, "the signal is obeyed")
        site.broker.wait_for_log("event=config-loaded numbers=")
        site.broker.wait_for_log("by=SIGHUP")

    def test_warns_of_hosts_that_no_agent_knows(self) -> None:
        site = self.site
        site.policies = [{**POOL, "hosts": ["big1", "bgi1"]}]
        site.write_broker_config()
        dry = site.ctl("reload", "--dry-run")
        self.assertIn("host 'bgi1' of policy 'pool' is unknown to 'east'; did you mean 'big1'?",
                      dry.stdout)
        site.order("reload", "--yes")
        self.assertEqual(site.ask("policies")[0]["unknown_hosts"], ["bgi1"])
        self.assertIn("pool: unknown to the agent of east: bgi1", site.order("policies"))
        self.assertEqual([(row["condition"], row["subject"])
                          for row in site.ask("explain", "pool:west")["conditions"]],
                         [("host-unknown", "bgi1@east")])
        self.assertIn("does not know", site.order("explain", "pool:west"))


if __name__ == "__main__":
    one_site.main()
