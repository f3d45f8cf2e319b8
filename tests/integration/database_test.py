"""Databases that cannot be used: a clear error, and no order that could not be recorded."""
import contextlib
import fcntl
import hashlib
import os
import resource
import signal
import sqlite3
import subprocess
import sys
import unittest

import msgpack

import side_by_side
from processes import PROGRAMS, run, wait_until
from scenes import made, moved, still_site

NOBODY = 65534
REACHABLE = all(folder.stat().st_mode & 0o001 for folder in PROGRAMS.resolve().parents)


UNLIMITED = resource.RLIM_INFINITY


def no_room() -> None:
    """No file may grow beyond what a start and some orders need: 24 pages of the write-ahead log."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, UNLIMITED))


def become_nobody() -> None:
    """Root may write to everything; the program under test must not be root then."""
    os.setgroups([])
    os.setgid(NOBODY)
    os.setuid(NOBODY)


def chained(before: bytes, row: tuple) -> bytes:
    """The hash of a row of the log: broker/record/log_row.cpp."""
    *numbers, body = row
    numbers.append(len(body))
    columns = b"".join(number.to_bytes(8, "little", signed=True) for number in numbers)
    return hashlib.blake2b(before + columns + body, digest_size=32).digest()


def export_one_more(database: sqlite3.Connection) -> None:
    """As the last image of each lease has it, on its first host; every hash is made right again."""
    groups, group_hosts, exported = 8, 14, 1  # places in images, in a group and in a host
    database.execute("DROP TRIGGER log_is_final")
    before, changed = bytes(32), 0
    for row in database.execute("SELECT first_event, batch, time_ms, clock_set, core_version, epoch, "
                                "body FROM log ORDER BY first_event").fetchall():
        body = msgpack.unpackb(row[-1])
        images = msgpack.unpackb(body[-1])
        for _, group in images[groups]:
            group[group_hosts][0][exported] += 1
            changed += 1
        body[-1] = msgpack.packb(images)
        row = (*row[:-1], msgpack.packb(body))
        before = chained(before, row)
        database.execute("UPDATE log SET body = ?, hash = ? WHERE first_event = ?",
                         (row[-1], before, row[0]))
    assert changed


# Opens the file named, reads and closes it, again and again: each may be the first after a killed
# broker, which mends the log, or the last, which folds it in.
READER = """
import sqlite3, sys
while True:
    try:
        database = sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True, timeout=2)
        database.execute("SELECT count(*) FROM log").fetchall()
        database.close()
    except sqlite3.OperationalError:
        pass
"""


class ADatabase(unittest.TestCase):
    def refused(self, site, *words: str) -> None:
        site.broker.start()
        self.assertEqual(site.broker.wait(), 1, site.broker.log())
        for word in ("leasehold.db", *words):
            self.assertIn(word, site.broker.log())

    def made_and_stopped(self, site) -> None:
        made(site)
        self.assertEqual(site.broker.stop(), 0)

    def test_of_a_newer_schema_is_refused(self) -> None:
        with still_site(verify=False) as site:
            self.made_and_stopped(site)
            with sqlite3.connect(site.database) as database:
                database.execute("PRAGMA user_version = 9999")
            self.refused(site, "9999")
            answer = run(PROGRAMS / "leasectl", "leases", "--db", site.database)
            self.assertEqual(answer.returncode, 1, answer.stderr)

    def test_that_is_corrupt_is_refused(self) -> None:
        with still_site(verify=False) as site:
            self.made_and_stopped(site)
            size = site.database.stat().st_size
            with site.database.open("r+b") as file:
                file.seek(4096)
                file.write(os.urandom(size - 4096))
            self.refused(site)

    def test_with_a_flipped_byte_in_a_row_is_not_served_and_says_what_to_do(self) -> None:
        with still_site(verify=False) as site:
            self.made_and_stopped(site)
            with sqlite3.connect(site.database) as database:
                database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            data = bytearray(site.database.read_bytes())
            at = data.rindex(b"lease-made")
            data[at] ^= 0x01  # another letter, in the history
            site.database.write_bytes(data)
            before = site.database.read_bytes()
            self.refused(site, "is damaged", "not served", "backup")
            self.assertEqual(site.database.read_bytes(), before)
            answer = run(PROGRAMS / "leasectl", "leases", "--db", site.database)
            self.assertEqual(answer.returncode, 1, answer.stderr)
            self.assertIn("is damaged", answer.stderr)

    def test_whose_ledger_does_not_add_up_is_not_served(self) -> None:
        with still_site(verify=False) as site:
            self.made_and_stopped(site)
            with sqlite3.connect(site.database) as database:
                export_one_more(database)
            self.refused(site, "is damaged", "is not exported", "backup")

    def test_that_is_no_database_is_refused(self) -> None:
        with still_site(verify=False) as site:
            site.database.write_text("these are not the bytes of a database\n" * 300)
            self.refused(site)

    def test_in_a_directory_that_is_not_there_is_refused(self) -> None:
        with still_site(verify=False, broker={"database": "nowhere/leasehold.db"}) as site:
            self.refused(site, "nowhere")

    @unittest.skipUnless(REACHABLE, "the programs lie where user nobody cannot reach them")
    def test_that_is_read_only_is_refused(self) -> None:
        with still_site(verify=False) as site:
            self.made_and_stopped(site)
            site.path.chmod(0o777)
            for path in site.path.iterdir():
                path.chmod(0o444 if path.name == "leasehold.db" else 0o666)
            if os.geteuid() == 0:
                os.chown(site.path / "leasehold.db.lock", NOBODY, NOBODY)
                site.broker.limits = become_nobody
            self.refused(site, "cannot be written")

    def test_that_others_read_is_opened_again_after_a_kill(self) -> None:
        """It ended with "locked by another program", one start in four."""
        with still_site() as site, contextlib.ExitStack() as readers:
            site.start()
            for _ in range(2):
                reader = subprocess.Popen([sys.executable, "-c", READER, str(site.database)])
                readers.callback(reader.wait)
                readers.callback(reader.kill)
            for _ in range(20):
                site.broker.kill9()
                site.broker.start()
                wait_until(lambda: "event=started" in site.broker.log()
                           or not site.broker.running(), "the broker has started or ended")
                self.assertTrue(site.broker.running(), site.broker.log()[-300:])

    def test_that_is_full_stops_orders_and_goes_on_by_itself_when_there_is_room(self) -> None:
        with still_site() as site:
            self.made_and_stopped(site)
            site.broker.limits = no_room
            site.broker.start()

            def ordered() -> bool:
                words = "thaw", "freeze", "thaw"
                return 0 in [site.ctl(word, "--timeout", "1s").returncode for word in words]

            def full() -> bool:
                ordered()  # that it was not answered in time says nothing yet
                return "event=commit-failed" in site.broker.log()
            wait_until(full, "it is full")
            self.assertIn("leasehold.db", site.broker.log())
            self.assertNotEqual(site.ctl("rebalance", "pool:west", "--timeout", "1s").returncode, 0)
            self.assertTrue(site.broker.running())

            def told_why() -> bool:
                answer = site.ctl("leases", "--timeout", "1s")
                said, _, rows = answer.stdout.partition("\n")
                return answer.returncode == 4 and "pool:west" in rows and all(
                    words in said for words in ("nobody leads since", "leasehold.db", "continues by itself"))
            wait_until(told_why, "who asks is told why")
            looked = site.ctl("doctor")
            self.assertIn("fault  broker: ", looked.stdout)
            self.assertNotIn("is lease-broker running there?", looked.stdout, "it answered")
            site.check_ledgers()
            resource.prlimit(site.broker.pid, resource.RLIMIT_FSIZE, (UNLIMITED, UNLIMITED))
            wait_until(ordered, "it takes orders")
            wait_until(lambda: site.ctl("rebalance", "pool:west", "--timeout", "1s").returncode == 0,
                       "it goes on")
            moved(site)

    def test_that_is_removed_stops_orders_until_it_is_back(self) -> None:
        with still_site() as site:
            made(site)
            away = site.database.with_name("away.db")
            site.database.rename(away)
            wait_until(lambda: site.ctl("freeze", "--timeout", "1s").returncode != 0
                       and "event=commit-failed" in site.broker.log(), "no order is taken")
            self.assertIn("leasehold.db was removed or replaced", site.broker.log())

            def told_why() -> bool:
                answer = site.ctl("leases", "--json", "--timeout", "1s")
                return answer.returncode == 4 and "put it back as it was" in answer.stderr
            wait_until(told_why, "who asks is told what to do")
            self.assertFalse(site.database.exists(), "no other is made in its place")
            away.rename(site.database)
            wait_until(lambda: site.ctl("thaw", "--timeout", "1s").returncode == 0, "it goes on")
            site.order("rebalance", "pool:west")
            moved(site)

    def test_whose_file_beside_it_cannot_be_written_says_so_once_and_works_on(self) -> None:
        with still_site() as site:
            sealed = os.memfd_create("commit", os.MFD_ALLOW_SEALING)  # a regular file that nobody can write
            self.addCleanup(os.close, sealed)
            fcntl.fcntl(sealed, fcntl.F_ADD_SEALS, fcntl.F_SEAL_WRITE | fcntl.F_SEAL_GROW)
            beside = site.database.with_name(site.database.name + ".commit")
            beside.symlink_to(f"/proc/{os.getpid()}/fd/{sealed}")
            made(site)
            site.order("freeze")
            site.order("thaw")
            self.assertEqual(site.broker.log().count("event=compaction-failed"), 1)

    def test_older_than_its_agents_know_is_noticed(self) -> None:
        with still_site() as site:
            self.made_and_stopped(site)
            old = site.path / "old.db"
            with sqlite3.connect(site.database) as now, sqlite3.connect(old) as then:
                now.backup(then)
            site.start_broker()
            site.wait_for_agents()
            wait_until(lambda: site.ctl("rebalance", "pool:west").returncode == 0, "rebalance")
            moved(site)
            site.broker.stop()
            for path in site.path.glob("leasehold.db-*"):
                path.unlink()
            old.replace(site.database)
            site.start_broker()
            wait_until(lambda: "database-older" in site.broker.log(), "the broker notices")
            moved(site)


if __name__ == "__main__":
    side_by_side.main()
