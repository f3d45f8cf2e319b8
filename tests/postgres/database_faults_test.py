"""Several brokers whose database, or the line to it, fails: rules of broker/store/postgres/README.md by number."""
import contextlib
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "integration"))

import one_site
from line import Line
from one_standby_site import OnStandbySite
from postgres_programs import client
from processes import PROGRAMS, run, wait_until
from standby_site import NoSlotTwice, Place, StandbySite


def asked(place: Place) -> bool:
    """It says what it is."""
    told = run(PROGRAMS / "leasectl", "brokers", "--json", "--broker", place.control)
    return told.returncode in (0, 1, 4) and json.loads(told.stdout)[0]["role"] != "unreachable"


def stands_still(pid: int) -> bool:
    """By SIGSTOP, or it has ended."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0] in "TZX"


class Faults(OnStandbySite):
    """Each broker has a line of its own to the database. A leader that loses its session has another one before a
    longer time to live is over, and goes on."""

    settings = {"leader_ttl": "2s"}

    def site_for_all(self) -> StandbySite:
        site = super().site_for_all()
        type(self).lines = {place.name: Line(self.server.port) for place in site.places}
        for name, line in self.lines.items():
            self.addClassCleanup(line.__exit__)
            site.database_of[name] = site.database.replace(f":{self.server.port}/", f":{line.port}/")
        site.write_places()
        return site

    def starts_again(self) -> bool:
        self.server.start()
        return True

    def goes_on(self) -> None:
        self.site.wait_for_leader()
        self.site.wait_for_agents()
        self.site.flips_again()

    def cut(self, **how: bool) -> None:
        site, line = self.site, self.lines[self.first.name]
        with NoSlotTwice(site):
            site.flips_again()
            line.cut(**how)
            site.wait_for_leader(site.standbys())
            site.wait_for_agents()
            site.flips_again()
            line.mend()
            self.wait_until_one_leads()
            site.flips_again()

    def test_a_leader_cut_off_from_the_database_is_followed_by_another_rules_4_and_8(self) -> None:
        self.cut()

    def test_a_leader_whose_words_do_not_reach_the_database(self) -> None:
        self.cut(from_server=False)

    def test_a_leader_who_does_not_hear_the_database(self) -> None:
        self.cut(to_server=False)

    def test_a_commit_whose_answer_is_lost_ends_the_leadership_rule_4(self) -> None:
        site, line = self.site, self.lines[self.first.name]
        with NoSlotTwice(site):
            site.flips_again()
            line.rob_answer_to(b"INSERT INTO log")
            wait_until(line.robbed.is_set, "the answer to a commit is lost")
            wait_until(lambda: self.first.row()["epoch"] > self.epoch, "it takes over anew, or another")
            self.goes_on()

    def test_a_database_that_is_killed_and_started_again_under_load(self) -> None:
        site = self.site
        with NoSlotTwice(site):
            site.flips_again()
            known = site.flips()
            self.server.kill()
            for place in site.places:
                self.wait_until_said(place, "database-unavailable")
            wait_until(self.starts_again, "it starts once its last backend is gone")
            self.goes_on()
            self.assertGreater(site.flips(), known)

    def test_a_killed_backend_of_the_leader_takes_all_sessions_with_it_and_nothing_else(self) -> None:
        """The server recovers by itself, and is the same server as before."""
        site = self.site
        with NoSlotTwice(site):
            site.flips_again()
            # Stopped it cannot end before the kill, which would then hit nothing and have nobody take over.
            pid = self.stopped_session()
            epoch = self.epoch_in_database()
            os.kill(pid, signal.SIGKILL)
            wait_until(lambda: self.epoch_in_database() > epoch, "one takes over")
            self.goes_on()

    def epoch_in_database(self) -> int:
        """No server that has ended answers any more, however long a test waits."""
        if not self.server.runs():
            raise ChildProcessError("PostgreSQL has ended:\n" + (self.server.path / "log").read_text()[-1000:])
        return int(self.site.sql("SELECT epoch FROM leader"))

    def sessions_of_the_leader(self) -> list[int]:
        """Processes of the server; one waits for the leader's next statement, and holds no lock."""
        return [int(pid) for pid in self.site.sql(
            "SELECT pid FROM pg_stat_activity WHERE application_name = 'leasehold' AND state = 'idle' "
            "AND (query LIKE 'WITH mine%' OR query LIKE 'UPDATE leader SET renewal%')").splitlines()]

    def test_a_server_that_stands_still_ends_the_leadership_and_nobody_waits_for_it(self) -> None:
        """The loop stood still with its statement: no question, no SIGTERM was heard."""
        first, second = self.first, self.second
        with NoSlotTwice(self.site):
            self.site.flips_again()
            with self.server.stands_still():
                self.wait_until_said(first, "has not answered")
                wait_until(lambda: asked(first) and asked(second), "both hear questions again")
                self.assertEqual(first.daemon.stop(), 0)
            first.daemon.start()
            self.goes_on()

    def test_a_session_of_the_leader_that_stands_still_is_followed_by_another_leader(self) -> None:
        site, first = self.site, self.first
        with NoSlotTwice(site):
            site.flips_again()
            pid = self.stopped_session()
            try:
                site.wait_for_leader(site.standbys())
                wait_until(first.stands_by, "it hears who leads")
                site.wait_for_agents()
                site.flips_again()
            finally:
                os.kill(pid, signal.SIGCONT)
            self.wait_until_said(first, "has not answered")
            self.wait_until_one_leads()
            site.flips_again()

    def stopped_session(self) -> int:
        """Stopped while it held no lock: another would wait for that, too. It may have ended when the signal comes."""
        def found() -> int | None:
            for pid in self.sessions_of_the_leader()[:1]:
                with contextlib.suppress(ProcessLookupError, FileNotFoundError):
                    os.kill(pid, signal.SIGSTOP)
                    wait_until(lambda: stands_still(pid), "it stops", every=0.001)
                    if pid in self.sessions_of_the_leader():
                        return pid
                    os.kill(pid, signal.SIGCONT)
            return None
        return wait_until(found, "the leader's session is stopped while it is idle")

    def test_a_backend_that_is_held_between_lock_and_commit_leaves_one_leader_rules_1_and_6(self) -> None:
        site = self.site
        with NoSlotTwice(site):
            site.flips_again()
            holder = subprocess.Popen([*client("psql"), "-X", "-q", site.database],
                                      stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
            try:
                holder.stdin.write("BEGIN; SELECT epoch FROM leader FOR UPDATE;\n")
                holder.stdin.flush()
                # The leader's commit and the other's take-over, which its ttl allows meanwhile.
                waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
                wait_until(lambda: int(site.sql(waiting)) >= 2, "both wait for the row")
            finally:
                holder.communicate("COMMIT;\n")
            self.goes_on()


if __name__ == "__main__":
    one_site.main(of_places=2)
