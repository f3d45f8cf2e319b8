"""A site whose brokers come to another database: from a file to a server and back, and a server's from a dump.

Description: broker/guide/standby.md, "From a file to a server, and back" and "Backup and restore of a server".
"""
import contextlib
import unittest

from postgres_programs import client
from postgres_server import PostgresServer
from processes import PROGRAMS, run, wait_until
from scenes import busy_site
from standby_site import NoSlotTwice, StandbySite


class Moving(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.server = cls.enterClassContext(PostgresServer())

    def site(self) -> StandbySite:
        return busy_site(lambda *words, **more: StandbySite(self.server, *words, **more))

    def goes_on(self, site: StandbySite) -> None:
        site.wait_for_agents()
        site.flips_again()


class FromAFileToAServer(Moving):
    def on_a_file(self, site: StandbySite, **agent_options) -> None:
        """hub-1 alone, as before there was a server; agents have both brokers in their lists."""
        site.database_of = {"hub-1": "leasehold.db"}
        site.write_places()
        config = site.look_at(site.places[0]).daemon.config
        of_file = [line for line in config.read_text().splitlines(True) if not line.startswith("leader_ttl")]
        config.write_text("".join(of_file))
        site.start(**agent_options)

    def on_the_server(self, site: StandbySite) -> None:
        site.database_of = {}
        site.write_places()
        for place in site.places:
            place.daemon.start()
        leader = site.wait_for_leader()
        # A broker that is still starting when the leader steps down may end, for its supervisor to start it again.
        wait_until(lambda: all(place.stands_by(leader) for place in site.standbys()), "the others stand by")

    def stop_brokers(self, site: StandbySite) -> None:
        for place in site.places:
            if place.daemon.running():
                self.assertEqual(place.daemon.stop(), 0)

    def test_and_back_with_every_provider_drained_before_no_agent_is_refused(self) -> None:
        with self.site() as site:
            self.on_a_file(site)
            self.goes_on(site)
            with NoSlotTwice(site):
                site.order("drain", "east", "--wait")
                self.stop_brokers(site)
                self.on_the_server(site)
                self.goes_on(site)  # the server knows of no drain
                self.assertFalse(site.drained("east"))
                self.assertEqual(site.history("database-older"), [])
                site.order("drain", "east", "--wait")
                self.stop_brokers(site)
                for agent in site.agents.values():
                    self.assertEqual(agent.stop(), 0)
                self.on_a_file(site, agent_options=dict.fromkeys(site.agents, ["--forget-epoch"]))
                site.wait_for_agents()
                site.order("resume", "east")  # of the drain that the file knows
                self.goes_on(site)

    def test_without_draining_agents_are_refused_until_the_old_broker_is_back(self) -> None:
        with self.site() as site:
            self.on_a_file(site)
            self.goes_on(site)
            with NoSlotTwice(site):
                wait_until(lambda: site.held()[1] > 0, "west has slots")
                self.stop_brokers(site)
                self.on_the_server(site)
                for agent in site.agents.values():
                    agent.wait_for_log("database-older")
                self.stop_brokers(site)
                for agent in site.agents.values():
                    self.assertEqual(agent.stop(), 0)
                self.on_a_file(site, agent_options=dict.fromkeys(site.agents, ["--forget-epoch"]))
                self.goes_on(site)


class ADump(Moving):
    def restored(self, site: StandbySite, dump: str) -> None:
        """In the place of the database, as on a server that is new."""
        self.server.run("dropdb", "-h", "127.0.0.1", "-p", str(self.server.port), "-U", "leasehold",
                        site.database_name)
        self.server.make_database(site.database_name)
        done = run(*client("pg_restore"), "--exit-on-error", "--no-owner", "-d", site.database, dump)
        assert done.returncode == 0, done.stderr

    def test_that_is_put_back_is_taken_for_an_older_database_and_nothing_is_had_twice(self) -> None:
        with self.site() as site:
            site.start_all()
            with NoSlotTwice(site):
                site.flips_again()
                dump = str(site.path / "leasehold.dump")
                done = run(*client("pg_dump"), "-Fc", "-f", dump, site.database)  # of brokers that run
                self.assertEqual(done.returncode, 0, done.stderr)
                site.flips_again()
                for place in site.places:
                    self.assertEqual(place.daemon.stop(), 0)
                self.restored(site, dump)
                for place in site.places:
                    place.daemon.start()
                site.wait_for_leader()
                self.goes_on(site)
                self.assertTrue(any(event["reason"] == "database-older" for event in site.ask("history")))
            copy = str(site.path / "copy.db")
            made = run(PROGRAMS / "leasectl", "backup", copy, "--db", site.database)
            self.assertEqual(made.returncode, 0, made.stderr)
            for name in ("leases", "policies", "history"):
                asked = run(PROGRAMS / "leasectl", name, "--json", "--db", copy)
                self.assertEqual(asked.returncode, 0, asked.stderr)


class PutBackOnTheSameServer(Moving):
    """Within one leadership, with the operator's word `database_fenced`, while the consumer's agent is silent and its
    work runs. Symptom: the take-over was warm, and what that cluster had been given since the dump was given to
    another."""

    def put_back(self, site: StandbySite, dump: str, *options: str) -> None:
        done = run(*client("pg_restore"), "--exit-on-error", "--no-owner", *options, "-d", site.database, dump)
        self.assertEqual(done.returncode, 0, done.stderr)

    def rename(self, name: str, to: str) -> None:
        order = [*client("psql"), "-X", "-c", f"ALTER DATABASE {name} RENAME TO {to}", self.server.url("postgres")]
        # A session of a broker that was killed takes a moment to end.
        wait_until(lambda: run(*order).returncode == 0, f"{name} is called {to}")

    def kill_brokers(self, site: StandbySite) -> None:
        for place in site.places:
            place.daemon.kill9()

    def led_warm(self, site: StandbySite) -> bool:
        """The one that led before begins, since any other must have seen it lead."""
        self.kill_brokers(site)
        last = next(place for place in site.places if place.daemon is site.broker)
        last.daemon.start()
        site.wait_for_leader([last])
        said = last.daemon.log().rsplit("event=leadership-acquired", 1)[1].splitlines()[0]
        self.assertIn("warm=", said)
        return "warm=true" in said

    def a_database_made_anew(self, site: StandbySite, dump: str) -> None:
        before = f"{site.database_name}_before"
        self.rename(site.database_name, before)
        self.server.make_database(site.database_name)
        self.put_back(site, dump)

    def pg_restore_clean(self, site: StandbySite, dump: str) -> None:
        self.put_back(site, dump, "--clean")

    def data_only(self, site: StandbySite, dump: str) -> None:
        site.sql("TRUNCATE log, base, leader, brokers, leasehold_schema")
        self.put_back(site, dump, "--data-only")

    def renamed_back(self, site: StandbySite, dump: str) -> None:
        """The copy was led meanwhile; the database that was put aside for it takes its name again."""
        self.a_database_made_anew(site, dump)
        self.assertFalse(self.led_warm(site))
        self.kill_brokers(site)
        self.rename(site.database_name, f"{site.database_name}_copy")
        self.rename(f"{site.database_name}_before", site.database_name)

    def renamed_back_after_another_led_the_copy(self, site: StandbySite, dump: str) -> None:
        first, = (place for place in site.places if place.daemon is site.broker)
        site.look_at(site.standbys()[0])
        self.renamed_back(site, dump)
        site.look_at(first)

    def nothing(self, site: StandbySite, dump: str) -> None:
        """Only then is it warm, as it is meant to be."""

    def comes_back(self, way, warm: bool, silent=("west",)) -> None:
        with self.site() as site:
            site.settings["database_fenced"] = True
            site.write_places()
            site.start_all()
            with NoSlotTwice(site):
                site.flips_again()
                dump = str(site.path / "leasehold.dump")
                done = run(*client("pg_dump"), "-Fc", "-f", dump, site.database)
                self.assertEqual(done.returncode, 0, done.stderr)
                site.flips_again()
                with contextlib.ExitStack() as stopped:
                    for name in silent:
                        stopped.enter_context(site.agents[name].stopped())
                    self.kill_brokers(site)
                    way(site, dump)
                    self.assertEqual(self.led_warm(site), warm)
                for place in site.places:
                    if not place.daemon.running():
                        place.daemon.start()
                self.goes_on(site)

    def test_a_database_that_was_made_anew_is_not_warm(self) -> None:
        self.comes_back(self.a_database_made_anew, False)

    def test_a_dump_that_took_the_place_of_the_tables_is_not_warm(self) -> None:
        self.comes_back(self.pg_restore_clean, False)

    def test_a_dump_of_the_data_alone_is_not_warm(self) -> None:
        self.comes_back(self.data_only, False)

    def test_a_database_that_was_put_aside_and_renamed_back_is_not_warm(self) -> None:
        self.comes_back(self.renamed_back, False)

    def test_a_database_renamed_back_is_not_warm_for_the_broker_that_led_it_before(self) -> None:
        """Symptom: its own file bore out all that the database says, and the take-over was warm. No agent tells it who
        led the copy."""
        self.comes_back(self.renamed_back_after_another_led_the_copy, False, silent=("east", "west"))

    def test_what_nobody_put_back_is_warm(self) -> None:
        self.comes_back(self.nothing, True)

    def test_a_broker_that_has_lost_its_own_file_is_not_warm(self) -> None:
        self.comes_back(lambda site, _: [file.unlink() for file in site.path.glob("hub-*/broker.last-commit")], False)


if __name__ == "__main__":
    unittest.main()
