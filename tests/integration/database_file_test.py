"""Files that are no usable database: what a broker and leasectl say of each, and what they leave."""
import os
import shutil
import sqlite3
import unittest

import side_by_side
from database_test import REACHABLE, become_nobody
from processes import PROGRAMS, run
from scenes import made, still_site


class AFile(unittest.TestCase):
    def made_and_stopped(self, site) -> None:
        made(site)
        self.assertEqual(site.broker.stop(), 0)

    def refused(self, site) -> str:
        site.broker.start()
        self.assertEqual(site.broker.wait(), 1, site.broker.log())
        return site.broker.log()

    def asked(self, database, **options) -> str:
        answer = run(PROGRAMS / "leasectl", "--db", database, "status", **options)
        self.assertEqual(answer.returncode, 1, answer.stdout)
        return answer.stderr

    def test_of_a_schema_that_is_not_known_is_not_copied_before_it_is_refused(self) -> None:
        with still_site(verify=False) as site:
            self.made_and_stopped(site)
            for schema in (99, 3):
                with sqlite3.connect(site.database) as database:
                    database.execute(f"PRAGMA user_version = {schema}")
                log = self.refused(site)
                self.assertIn(f"schema {schema}", log)
                self.assertNotIn("upgrade-copy", log)
                self.assertEqual(list(site.path.glob("leasehold.db.core-*")), [])

    def test_that_is_empty_or_missing_though_commits_were_made_is_said_with_what_to_choose(self) -> None:
        with still_site(verify=False) as site:
            self.made_and_stopped(site)
            commits = int((site.path / "leasehold.db.commit").read_text())
            kept = site.path / "kept.db"
            shutil.copy(site.database, kept)
            for state in ("empty", "missing"):
                with self.subTest(state):
                    site.database.unlink(missing_ok=True)
                    if state == "empty":
                        site.database.touch()
                        self.assertIn(f"is empty, though {commits} commits were made",
                                      self.asked(site.database))
                    (site.path / "leasehold.db.commit").write_text(f"{commits:<20}\n")
                    site.broker.start()
                    site.broker.wait_for_log("event=database-older")
                    self.assertIn(f"leasehold.db was {state}, though {commits} commits were made",
                                  site.broker.log())
                    self.assertIn("put the newest copy in its place", site.broker.log())
                    site.broker.wait_for_log("event=started")
                    self.assertEqual(site.broker.stop(), 0)

    @unittest.skipUnless(REACHABLE and os.geteuid() == 0, "needs to be root, and nobody to reach programs")
    def test_of_another_user_is_named_with_its_owner_and_mode(self) -> None:
        with still_site(verify=False) as site:
            self.made_and_stopped(site)
            site.path.chmod(0o777)
            for path in site.path.iterdir():
                path.chmod(0o666)
            site.database.chmod(0o600)
            answer = self.asked(site.database, preexec_fn=become_nobody)
            self.assertIn("leasehold.db cannot be read: it belongs to root, mode 0600, and this is nobody", answer)
            self.assertIn("leasectl backup", answer)
            site.broker.limits = become_nobody
            log = self.refused(site)
            self.assertIn("leasehold.db cannot be read: it belongs to root, mode 0600, and this is nobody", log)
            self.assertIn("chown nobody", log)
            self.assertNotIn("its folder must exist", log)

    @unittest.skipUnless(REACHABLE and os.geteuid() == 0, "needs to be root, and nobody to reach programs")
    def test_with_its_log_in_a_folder_that_a_reader_may_not_write_says_who_may_read_it(self) -> None:
        with still_site(verify=False) as site:
            self.made_and_stopped(site)
            database = sqlite3.connect(site.database)
            database.execute("INSERT INTO migration VALUES (0, 'kept', 'in the log')")
            database.commit()
            shutil.copy(f"{site.database}-wal", site.path / "log")
            database.close()  # folds it in
            shutil.move(site.path / "log", f"{site.database}-wal")
            site.path.chmod(0o755)
            for path in site.path.iterdir():
                path.chmod(0o644)
            answer = self.asked(site.database, preexec_fn=become_nobody)
            self.assertIn("leasehold.db-wal", answer)
            self.assertIn("belongs to root", answer)
            self.assertNotIn("give write permission", answer)

    def test_that_is_a_folder_is_said_to_be_one(self) -> None:
        with still_site(verify=False) as site:
            self.assertIn("is a folder: a regular file is wanted", self.asked(site.path))

    def test_that_was_read_while_no_broker_ran_can_be_put_back_elsewhere(self) -> None:
        with still_site(verify=False) as site:
            self.made_and_stopped(site)
            run(PROGRAMS / "leasectl", "--db", site.database, "status")
            self.assertEqual(list(site.path.glob("leasehold.db-*")), [])
            restored = run(PROGRAMS / "leasectl", "restore", site.database, site.path / "x.db")
            self.assertEqual(restored.returncode, 0, restored.stderr)

    def test_whose_log_is_behind_what_was_committed_is_copied_with_a_warning(self) -> None:
        with still_site(verify=False) as site:
            self.made_and_stopped(site)
            (site.path / "leasehold.db.commit").write_text(f"{99999:<20}\n")
            answer = run(PROGRAMS / "leasectl", "backup", site.path / "copy.db", "--db", site.database)
            self.assertEqual(answer.returncode, 0, answer.stderr)
            self.assertIn("99999 were made: it is an older copy", answer.stderr)


if __name__ == "__main__":
    side_by_side.main()
