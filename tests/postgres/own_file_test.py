"""Brokers of one database whose configuration files are unlike: what a standby tells of it, and what a take-over does.

Description: broker/guide/standby.md, "Unlike files".
"""
import signal
import unittest

from leader_http_test import metrics
from postgres_server import PostgresServer
from processes import wait_until
from scenes import busy_site
from standby_site import Place, StandbySite

METRIC = "leasehold_standby_configuration_differs"


def finding(place: Place) -> str:
    """What `doctor` says of its file; "": that it is alike."""
    about, = [row for row in place.ask("doctor") if row["check"] == "broker" and "file" in row["finding"]]
    return "" if about["status"] == "ok" else about["finding"]


def metric(place: Place) -> list[float]:
    return metrics(place).having(METRIC)


class UnlikeFiles(unittest.TestCase):
    def setUp(self) -> None:
        self.server = self.enterContext(PostgresServer())

    def site(self) -> StandbySite:
        return busy_site(lambda *words, **more: StandbySite(self.server, *words, **more))

    def edit(self, place: Place, before: str, after: str) -> None:
        text = place.daemon.config.read_text()
        self.assertIn(before, text)
        place.daemon.config.write_text(text.replace(before, after))
        place.daemon.signal(signal.SIGHUP)

    def slots_per_host(self, place: Place) -> int:
        return place.ask("policies")[0]["slots_per_host"]

    def test_a_standby_tells_what_its_file_would_change_until_it_is_alike_again(self) -> None:
        with self.site() as site:
            leader = site.start_all()
            standby, = site.standbys()
            wait_until(lambda: metric(standby) == [0], "it is alike")
            self.assertEqual((finding(standby), metric(leader)), ("", []))
            self.edit(standby, "slots_per_host = 3", "slots_per_host = 2")
            standby.daemon.wait_for_log("event=configuration-differs")
            self.assertIn("export_policy pool slots_per_host", standby.daemon.log())
            wait_until(lambda: metric(standby) == [1], "its metric says so")
            self.assertIn("changed export_policy pool slots_per_host", finding(standby))
            self.edit(standby, "slots_per_host = 2", "slots_per_host = 3")
            standby.daemon.wait_for_log("event=configuration-alike")
            wait_until(lambda: metric(standby) == [0] and finding(standby) == "", "it is alike")
            # The leader's is another, and in force.
            self.edit(leader, 'reclaim_delay = "300ms"', 'reclaim_delay = "200ms"')
            wait_until(lambda: "changed broker reclaim_delay" in finding(standby), "it is not what is in force")
            site.flips_again()

    def test_a_file_that_cannot_be_read_is_told_before_it_is_needed(self) -> None:
        with self.site() as site:
            site.start_all()
            standby, = site.standbys()
            self.edit(standby, "slots_per_host = 3", "slots_per_host = -3")
            wait_until(lambda: metric(standby) == [1], "its metric says so")
            self.assertIn("this broker cannot lead", finding(standby))
            self.assertIn("slots_per_host", finding(standby))

    def test_whose_file_cannot_be_read_says_so_at_its_turn_and_leads_once_it_can(self) -> None:
        """Symptom: its log said `database-unavailable`, and whoever read it looked at the database."""
        with self.site() as site:
            first = site.start_all()
            second, = site.standbys()
            self.edit(second, "slots_per_host = 3", "slots_per_host = -3")
            first.daemon.kill9()
            second.daemon.wait_for_log("event=take-over-failed")
            self.assertIn("configuration cannot be put in force", second.daemon.log())
            self.assertNotIn("database-unavailable", second.daemon.log())
            self.assertEqual(metrics(second).having("leasehold_database_failing"), [0])
            self.assertEqual(site.sql("SELECT holder, stepped_down FROM leader"), f"{first.name}|f")
            self.edit(second, "slots_per_host = -3", "slots_per_host = 3")
            site.wait_for_leader([second])
            self.assertEqual(second.daemon.log().count("event=take-over-failed"), 1)
            first.daemon.start()
            site.wait_for_agents()
            site.flips_again()

    def test_a_take_over_puts_the_own_file_in_force_and_says_what_that_changed(self) -> None:
        with self.site() as site:
            first = site.start_all()
            second, = site.standbys()
            site.flips_again()
            self.edit(second, "slots_per_host = 3", "slots_per_host = 2")
            second.daemon.wait_for_log("event=configuration-differs")
            self.assertEqual(self.slots_per_host(second), 3)
            first.daemon.kill9()
            site.wait_for_leader([second])
            second.daemon.wait_for_log("event=configuration-changed")
            self.assertEqual(self.slots_per_host(second), 2)
            self.assertEqual(metric(second), [])
            told = [event for event in site.ask("history") if "export_policy pool slots_per_host" in str(event)]
            self.assertTrue(told)
            # Whoever comes back finds out at its start.
            first.daemon.start()
            first.daemon.wait_for_log("event=configuration-differs")
            self.assertIn("slots_per_host", finding(first))
            site.wait_for_agents()
            site.flips_again()


if __name__ == "__main__":
    unittest.main()
