"""Brokers of one database whose configuration files are unlike: what a standby tells of it, and what a take-over does.

Description: broker/guide/standby.md, "Unlike files".
"""
import signal
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "integration"))

import one_site
from leader_http_test import metrics
from one_standby_site import OnStandbySite
from processes import wait_until
from standby_site import Place

METRIC = "leasehold_standby_configuration_differs"


def finding(place: Place) -> str:
    """What `doctor` says of its file; "": that it is alike."""
    about, = [row for row in place.ask("doctor") if row["check"] == "broker" and "file" in row["finding"]]
    return "" if about["status"] == "ok" else about["finding"]


def metric(place: Place) -> list[float]:
    return metrics(place).having(METRIC)


class UnlikeFiles(OnStandbySite):
    def as_found(self) -> None:
        super().as_found()
        self.alike(self.second)

    def alike(self, standby: Place) -> None:
        wait_until(lambda: metric(standby) == [0], f"{standby.name}'s file is alike")

    def edit(self, place: Place, before: str, after: str) -> None:
        text = place.daemon.config.read_text()
        self.assertIn(before, text)
        place.daemon.config.write_text(text.replace(before, after))
        place.daemon.signal(signal.SIGHUP)

    def slots_per_host(self, place: Place) -> int:
        return place.ask("policies")[0]["slots_per_host"]

    def test_a_standby_tells_what_its_file_would_change_until_it_is_alike_again(self) -> None:
        leader, standby = self.first, self.second
        self.assertEqual((finding(standby), metric(leader)), ("", []))
        self.edit(standby, "slots_per_host = 3", "slots_per_host = 2")
        self.wait_until_said(standby, "event=configuration-mismatch")
        self.assertIn("export_policy pool slots_per_host", self.said(standby))
        wait_until(lambda: metric(standby) == [1], "its metric says so")
        self.assertIn("changed export_policy pool slots_per_host", finding(standby))
        self.edit(standby, "slots_per_host = 2", "slots_per_host = 3")
        self.wait_until_said(standby, "event=configuration-match")
        wait_until(lambda: metric(standby) == [0] and finding(standby) == "", "it is alike")
        # The leader's is another, and in force.
        self.edit(leader, 'reclaim_delay = "300ms"', 'reclaim_delay = "200ms"')
        wait_until(lambda: "changed broker reclaim_delay" in finding(standby), "it is not what is in force")
        self.edit(leader, 'reclaim_delay = "200ms"', 'reclaim_delay = "300ms"')
        self.site.flips_again()

    def test_whose_file_cannot_be_read_says_so_before_and_at_its_turn_and_leads_once_it_can(self) -> None:
        """Symptom: its log said `database-unavailable`, and whoever read it looked at the database."""
        site, first, second = self.site, self.first, self.second
        self.edit(second, "slots_per_host = 3", "slots_per_host = -3")
        wait_until(lambda: metric(second) == [1], "its metric says so")
        self.assertIn("this broker cannot lead", finding(second))
        self.assertIn("slots_per_host", finding(second))
        first.daemon.kill9()
        self.wait_until_said(second, "event=take-over-failed")
        self.assertIn("configuration cannot be put in force", self.said(second))
        self.assertNotIn("database-unavailable", self.said(second))
        self.assertEqual(metrics(second).having("leasehold_database_failing"), [0])
        self.assertEqual(site.sql("SELECT holder, stepped_down FROM leader"), f"{first.name}|f")
        self.edit(second, "slots_per_host = -3", "slots_per_host = 3")
        site.wait_for_leader([second])
        self.assertEqual(self.said(second).count("event=take-over-failed"), 1)
        first.daemon.start()
        site.wait_for_agents()
        site.flips_again()

    def test_a_take_over_puts_the_own_file_in_force_and_says_what_that_changed(self) -> None:
        site, first, second = self.site, self.first, self.second
        site.flips_again()
        self.edit(second, "slots_per_host = 3", "slots_per_host = 2")
        self.wait_until_said(second, "event=configuration-mismatch")
        self.assertEqual(self.slots_per_host(second), 3)
        first.daemon.kill9()
        site.wait_for_leader([second])
        self.wait_until_said(second, "event=configuration-changed")
        self.assertEqual(self.slots_per_host(second), 2)
        self.assertEqual(metric(second), [])
        told = [event for event in site.ask("history") if "export_policy pool slots_per_host" in str(event)]
        self.assertTrue(told)
        # Whoever comes back finds out at its start.
        first.daemon.start()
        first.daemon.wait_for_log("event=configuration-mismatch")
        self.assertIn("slots_per_host", finding(first))
        site.wait_for_agents()
        site.flips_again()
        self.edit(second, "slots_per_host = 2", "slots_per_host = 3")
        self.alike(first)


if __name__ == "__main__":
    one_site.main(of_places=2)
