"""What brokers on one PostgreSQL say, and answer, while nobody leads: the database is away, stands still, is full
or damaged, or ends sessions. Description: broker/guide/standby.md, "While nobody leads"."""
import json
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "integration"))

import one_site
from http_visitor import Visitor
from one_standby_site import OnStandbySite
from processes import PROGRAMS, run, wait_until
from standby_site import Place, StandbySite

HELPS = re.compile(r"repair the database|put a sound copy|correct |start |takes over at")
SAYS = re.compile(r"nobody leads since (?P<since>20\d\d-\S+Z), because (?P<why>.+); (?P<help>.+)", re.S)
NOW = ("status", "attention", "clusters", "leases", "hosts", "policies", "lease pool:west", "explain pool:west")
# The first is of the connection that was there, the second of those that are tried after it.
STANDS_STILL = "has not answered|timeout expired"
PAST = ("history", "usage", "compare", "leases --at -1m")


class NobodyLeads(OnStandbySite):
    settings = {"leader_ttl": "2s"}

    def site_for_all(self) -> StandbySite:
        site = super().site_for_all()
        site.write_places()
        return site

    def leasectl(self, words: str, *places: Place) -> subprocess.CompletedProcess:
        brokers = ",".join(place.control for place in places or self.site.places)
        return run(PROGRAMS / "leasectl", *words.split(), "--broker", brokers)

    def says_nobody(self, place: Place, why: str = "") -> bool:
        said = self.leasectl("brokers", place)
        first = said.stdout.splitlines()[0] if said.stdout else ""
        return said.returncode == 4 and bool(re.search(why, said.stdout)) and bool(SAYS.match(first))

    def wait_until_nobody_leads(self, why: str = "") -> None:
        for place in self.site.places:
            wait_until(lambda place=place: self.says_nobody(place, why), f"{place.name} says that nobody leads")

    def starts_again(self) -> bool:
        self.server.start()
        return True

    def check_reads(self, *places: Place, past_is_there: bool = False) -> None:
        """Symptom: they took 10 to 27 s, and ended with an error."""
        events = set()
        places = places or tuple(self.site.places)
        for words in NOW:
            for place in places:
                with self.subTest(words, place=place.name):
                    answer = self.leasectl(words, place)
                    self.assertEqual(answer.returncode, 4, answer.stderr)
                    self.assertRegex(answer.stdout.splitlines()[0], SAYS)
                    self.assertGreater(len(answer.stdout.splitlines()), 1, "it answers")
                    self.assertNotIn("nothing needs a person", answer.stdout)
        for words in () if past_is_there else PAST:
            with self.subTest(words):
                answer = self.leasectl(words)
                self.assertEqual(answer.returncode, 4, answer.stderr)
                self.assertRegex(answer.stderr, SAYS)
        for place in places:
            told = json.loads(self.http(place, "/api/v1/leases").body)
            self.assertRegex(told["nobody_leads"]["since"], "^20")
            events.add(told["as_of"]["event"])
        self.assertNotIn(0, events)

    def http(self, place: Place, path: str):
        return Visitor(int(place.http.rsplit(":", 1)[1])).get(path)

    def check_page(self) -> None:
        """Symptom: of two brokers each named the other, or itself, as the leader."""
        for place in self.site.places:
            led = self.http(place, "/leader")
            self.assertEqual(led.status, 503)
            self.assertRegex(led.body.decode(), SAYS)
            self.assertIsNone(place.row()["leader"])

    def check_orders(self) -> None:
        for place in self.site.places:
            refused = self.leasectl("freeze", place)
            self.assertEqual(refused.returncode, 4, refused.stdout)
            self.assertRegex(refused.stderr, SAYS)
        refused = self.leasectl("stepdown")
        self.assertEqual(refused.returncode, 4, refused.stdout)
        self.assertNotIn("--force", refused.stderr, "nobody would step down")

    def check_needs(self, why: str) -> None:
        needs = json.loads(self.leasectl("attention --json").stdout)
        need, = [each for each in needs if each["kind"] == "nobody-leads"]
        self.assertRegex(need["detail"], why)
        self.assertRegex(need["command"], HELPS)
        self.assertIn("fault  broker", self.leasectl("doctor").stdout)

    def goes_on(self) -> None:
        self.site.wait_for_leader()
        self.site.wait_for_agents()
        wait_until(lambda: self.leasectl("leases").returncode == 0, "somebody leads")
        self.site.flips_again()

    def test_of_a_database_that_is_stopped_everybody_says_so_and_answers_from_memory(self) -> None:
        """Symptom: the log said that leases go on; each of two brokers named the other as the leader."""
        self.server.stop()
        self.wait_until_nobody_leads("cannot be reached")
        self.check_reads()
        self.check_page()
        self.check_orders()
        self.check_needs("cannot be reached")
        for place in self.site.places:
            self.assertNotIn("leases go on", self.said(place))
        wait_until(self.starts_again, "it starts once its last backend is gone")
        self.goes_on()

    def test_of_a_database_that_stands_still_reads_are_answered_meanwhile(self) -> None:
        """Symptom: a question waited until the server was given up, and those behind it erred."""
        with self.server.stands_still():
            self.wait_until_nobody_leads(STANDS_STILL)
            self.check_reads()
            self.check_page()
            self.check_orders()
            self.check_needs(STANDS_STILL)
        self.goes_on()

    def test_a_session_that_an_administrator_ends_is_told_in_his_words(self) -> None:
        """Symptom: "could not obtain client encoding"."""
        site = self.site
        ended = site.sql("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE "
                         "application_name = 'leasehold'")
        self.assertGreater(int(ended), 0)
        self.wait_until_said(self.first, "terminating connection due to administrator command")
        self.goes_on()
        for place in site.places:
            self.assertNotIn("client encoding", self.said(place))

    def test_of_a_full_database_the_servers_reason_is_told_and_the_past_is_read(self) -> None:
        """Symptom: exit 0, and that nothing needs a person, for ever."""
        site = self.site
        site.sql("CREATE FUNCTION is_full() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION "
                 "'could not extend file \"base/1\": No space left on device' USING ERRCODE = '53100'; END $$; "
                 "CREATE TRIGGER is_full BEFORE INSERT ON log EXECUTE FUNCTION is_full()")
        self.wait_until_nobody_leads("No space left on device")
        self.check_reads(past_is_there=True)
        self.check_orders()
        self.check_needs("No space left on device")
        self.assertIn("broker-started", self.leasectl("history").stdout)
        site.sql("DROP TRIGGER is_full ON log; DROP FUNCTION is_full()")
        self.goes_on()

    def test_of_a_leaders_row_that_is_lost_everybody_says_what_would_help(self) -> None:
        site = self.site
        # In one step: a commit between a copy and the deletion would make the copy an older row.
        site.sql("CREATE TABLE saved (LIKE leader); WITH gone AS (DELETE FROM leader RETURNING *) "
                 "INSERT INTO saved SELECT * FROM gone")
        self.wait_until_nobody_leads("the table leader has no row")
        self.check_reads(past_is_there=True)
        self.check_needs("the table leader has no row")
        self.assertIn("put a sound copy", self.leasectl("brokers").stdout)
        site.sql("INSERT INTO leader SELECT * FROM saved; DROP TABLE saved")
        self.goes_on()

    def test_of_last_rows_that_are_gone_who_was_left_says_so(self) -> None:
        """What the leader does not see, since it has them in memory, whoever would follow it says."""
        site, first, second = self.site, self.first, self.second
        first.daemon.kill9()
        site.sql("CREATE TABLE saved AS SELECT * FROM log ORDER BY first_event DESC LIMIT 1; "
                 "ALTER TABLE log DISABLE TRIGGER USER; "
                 "DELETE FROM log USING saved WHERE log.first_event = saved.first_event")
        wait_until(lambda: self.says_nobody(second, "its log does not end where"), "the other says why it cannot lead")
        self.assertEqual(self.leasectl("status", second).returncode, 4)
        self.assertNotIn("nothing needs a person", self.leasectl("attention", second).stdout)
        site.sql("INSERT INTO log SELECT * FROM saved; ALTER TABLE log ENABLE TRIGGER USER; DROP TABLE saved")
        self.is_led_again()

    def lead_is_lost(self, why: str) -> None:
        """What a leader does not see, who would follow it sees beforehand, and says once nobody leads."""
        first, second = self.first, self.second
        wait_until(lambda: why in (second.row()["cannot_lead"] or ""), "the other says that it could not lead")
        first.daemon.kill9()
        wait_until(lambda: self.says_nobody(second, why), "the other says why it cannot lead")
        self.check_reads(second, past_is_there=True)

    def is_led_again(self) -> None:
        self.site.wait_for_leader([self.second])
        self.first.daemon.start()
        wait_until(self.first.stands_by, "who comes back stands by")
        self.goes_on()

    def test_of_another_schema_no_broker_leads_and_the_release_that_made_it_would_help(self) -> None:
        """Symptom: whoever had its session from before took over, and wrote rows of its own release."""
        site = self.site
        site.sql("INSERT INTO leasehold_schema VALUES (9999, 'a newer release')")
        self.lead_is_lost("has schema 9999")
        self.assertIn("release that wrote the database", self.leasectl("brokers", self.second).stdout)
        site.sql("DELETE FROM leasehold_schema WHERE version = 9999")
        self.is_led_again()

    def test_of_a_log_whose_beginning_and_bases_are_gone_no_broker_leads(self) -> None:
        site = self.site
        # Nobody else writes between the first statement and the end.
        site.sql("ALTER TABLE log DISABLE TRIGGER USER; ALTER TABLE base DISABLE TRIGGER USER; "
                 "CREATE TABLE saved_log AS SELECT * FROM log ORDER BY first_event LIMIT 1; "
                 "CREATE TABLE saved_base AS SELECT * FROM base; "
                 "DELETE FROM log USING saved_log WHERE log.first_event = saved_log.first_event; DELETE FROM base")
        self.lead_is_lost("the state that it")
        self.assertIn("sound copy", self.leasectl("brokers", self.second).stdout)
        site.sql("INSERT INTO log SELECT * FROM saved_log; INSERT INTO base SELECT * FROM saved_base; "
                 "ALTER TABLE log ENABLE TRIGGER USER; ALTER TABLE base ENABLE TRIGGER USER; "
                 "DROP TABLE saved_log, saved_base")
        self.is_led_again()

    def test_a_broker_that_led_before_accuses_no_cluster_of_silence(self) -> None:
        """Symptom: it told when it had heard the clusters itself, and called them silent."""
        site, first = self.site, self.first
        with first.daemon.stopped():
            site.wait_for_leader(site.standbys())
            site.wait_for_agents()

        def accuses_nobody() -> bool:
            return first.stands_by() and first.ask("status")["silent"] == [] \
                and {row["last_report"] for row in first.ask("clusters")} == {None}
        wait_until(accuses_nobody, "it stands by, and calls none of them silent")
        self.goes_on()


if __name__ == "__main__":
    one_site.main(of_places=2)
