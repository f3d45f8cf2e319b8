"""Brokers that name a database which is another site's, and lists of brokers that are not what they should be.

Description: broker/guide/standby.md, "Whose database it is".
"""
import signal
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "integration"))

import one_site
from one_standby_site import OnStandbySite
from processes import PROGRAMS, run, wait_until
from standby_site import NoSlotTwice, Place

OTHERS = {"east": "oak", "west": "wharf"}


class TwoSites(OnStandbySite):
    def write(self, place: Place, before: str, after: str) -> None:
        text = place.daemon.config.read_text()
        self.assertIn(before, text)
        place.daemon.config.write_text(text.replace(before, after))

    def of_another_site(self, place: Place, back=False) -> None:
        """All its clusters have other names."""
        for name, other in OTHERS.items():
            old, new = (other, name) if back else (name, other)
            self.write(place, f'"{old}"', f'"{new}"')

    def start_to_end(self, place: Place) -> str:
        """What a start says that ends with exit code 2."""
        done = run(PROGRAMS / "lease-broker", "--config", place.daemon.config)
        self.assertEqual(done.returncode, 2, done.stderr)
        return done.stderr

    def leasectl(self, *words: str) -> tuple[int, str]:
        done = run(PROGRAMS / "leasectl", *words, "--broker", ",".join(place.control for place in self.site.places))
        return done.returncode, done.stdout + done.stderr

    def restart(self, place: Place, *options: str) -> None:
        self.assertEqual(place.daemon.stop(), 0)
        place.daemon.start(*options)

    def test_a_file_that_names_no_cluster_of_the_database_is_no_candidate(self) -> None:
        """Symptom: the other site's broker took over, removed all clusters, and all leases drained."""
        site, first, second = self.site, self.first, self.second
        clusters = site.ask("clusters")
        with NoSlotTwice(site):
            self.assertEqual(second.daemon.stop(), 0)
            self.of_another_site(second)
            said = self.start_to_end(second)
            self.assertIn("file's clusters is in the database", said)
            self.assertIn("east, west", said)
            self.assertIn("--adopt", said)
            first.daemon.kill9()
            self.start_to_end(second)  # nor while nobody leads
            self.assertEqual(int(site.sql("SELECT epoch FROM leader")), self.epoch)
            first.daemon.start()
            site.wait_for_leader([first])
            self.of_another_site(second, back=True)
            second.daemon.start()
            self.assertEqual({row["cluster"] for row in site.ask("clusters")}, {row["cluster"] for row in clusters})
            site.flips_again()

    def test_a_standby_whose_file_becomes_another_sites_says_so_and_does_not_take_over(self) -> None:
        site, first, second = self.site, self.first, self.second
        self.assertEqual(self.leasectl("brokers")[0], 0)
        self.assertEqual(self.leasectl("doctor")[0], 0)
        self.of_another_site(second)
        second.daemon.signal(signal.SIGHUP)
        row, = wait_until(lambda: [need for need in second.ask("attention") if need["kind"] == "cannot-lead"],
                          "attention says so")
        self.assertEqual(row["subject"], second.name)
        self.assertIn("file's clusters is in the database", row["detail"])
        self.assertIn("file's clusters is in the database", second.row()["cannot_lead"])
        for command in ("brokers", "doctor"):
            code, said = self.leasectl(command)
            self.assertEqual(code, 1, said)
            self.assertIn(second.name, said)
            self.assertIn("could not take over", said)
        self.of_another_site(first)
        told = run(PROGRAMS / "leasectl", "reload", "--yes", "--broker", first.control)
        self.assertNotEqual(told.returncode, 0)
        self.assertIn("file's clusters is in the database", told.stderr)
        self.of_another_site(first, back=True)
        first.daemon.kill9()
        self.wait_until_said(second, "event=take-over-failed")
        self.assertEqual(int(site.sql("SELECT epoch FROM leader")), self.epoch)
        self.of_another_site(second, back=True)
        site.wait_for_leader([second])
        first.daemon.start()
        wait_until(lambda: self.leasectl("brokers")[0] == 0, "both could lead")
        site.wait_for_agents()
        site.flips_again()

    def test_a_database_of_a_site_is_led_by_brokers_of_that_site(self) -> None:
        """Also where clusters of two sites have the same names."""
        site, first, second = self.site, self.first, self.second
        self.assertEqual(second.daemon.stop(), 0)
        for place, name in ((first, "hq"), (second, "lab")):
            self.write(place, "[broker]\n", f'[broker]\nsite = "{name}"\n')
        self.restart(first)
        site.wait_for_leader([first])
        said = self.start_to_end(second)
        self.assertIn("is of the site 'lab', but the database belongs to the site 'hq'", said)
        self.write(second, 'site = "lab"\n', "")
        self.assertIn("names no site", self.start_to_end(second))
        self.write(second, "[broker]\n", '[broker]\nsite = "lab"\n')
        second.daemon.start("--adopt")  # the site's name has changed
        wait_until(lambda: second.stands_by(first), "it stands by")
        self.assertEqual(first.daemon.stop(), 0)
        site.wait_for_leader([second])
        self.assertIn("is of the site 'hq', but the database belongs to the site 'lab'", self.start_to_end(first))
        for place, name in ((first, "hq"), (second, "lab")):
            self.write(place, f'site = "{name}"\n', "")
        self.restart(second, "--adopt")
        site.wait_for_leader([second])
        first.daemon.start()
        site.wait_for_agents()
        site.flips_again()

    def test_two_brokers_of_one_name_are_told(self) -> None:
        first, second = self.first, self.second
        self.assertEqual(second.daemon.stop(), 0)
        self.write(second, f'name = "{second.name}"', f'name = "{first.name}"')
        second.daemon.start()
        wait_until(second.stands_by, "it stands by")
        for command in ("brokers", "doctor"):
            code, said = self.leasectl(command)
            self.assertEqual(code, 1, said)
            self.assertIn("two brokers have this name", said)
            self.assertIn(first.control, said)
            self.assertIn(second.control, said)
        self.assertEqual(second.daemon.stop(), 0)
        self.write(second, f'name = "{first.name}"', f'name = "{second.name}"')
        second.daemon.start()
        wait_until(lambda: self.leasectl("brokers")[0] == 0, "each has its own")


if __name__ == "__main__":
    one_site.main(of_places=2)
