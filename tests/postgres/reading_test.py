"""What leasectl reads from a PostgreSQL server it reads alike from a copy of it in a file.

The database is one that a case of test_postgres leaves behind.
"""
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from postgres_server import PostgresServer
from processes import PROGRAMS, run

QUESTIONS = (("leases",), ("leases", "--json"), ("clusters", "-l"), ("usage", "--json"), ("policies",),
             ("hosts", "--json"), ("history", "--json"), ("history", "--limit", "3"),
             ("lease", "pool:west"), ("leases", "--at", "1970-01-01T00:20:00Z", "--json"),
             ("compare", "--json"), ("doctor", "--json"))


class Reading(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.server = cls.enterClassContext(PostgresServer())
        folder = cls.enterClassContext(tempfile.TemporaryDirectory())
        played = subprocess.run([PROGRAMS / "test_postgres", "questions of the past*"],
                                env=dict(os.environ, LEASEHOLD_POSTGRES=cls.server.url(""),
                                         LEASEHOLD_KEEP_DATABASES="1"),
                                capture_output=True, text=True)
        assert played.returncode == 0, played.stdout
        cls.database = cls.server.url("test_1")
        cls.copy = str(Path(folder) / "copy.db")
        made = run(PROGRAMS / "leasectl", "backup", cls.copy, "--db", cls.database)
        assert made.returncode == 0, made.stderr

    def ask(self, words: tuple[str, ...], database: str) -> tuple[int, str]:
        answer = run(PROGRAMS / "leasectl", *words, "--db", database)
        return answer.returncode, answer.stdout + answer.stderr

    def test_each_question_is_answered_alike(self) -> None:
        for words in QUESTIONS:
            with self.subTest(" ".join(words)):
                code, text = self.ask(words, self.copy)
                self.assertIn(code, (0, 1), text)
                self.assertGreater(len(text), 2)
                self.assertEqual(self.ask(words, self.database), (code, text))

    def test_a_history_is_verified_and_made_into_tables(self) -> None:
        for database in (self.database, self.copy):
            verified = run(PROGRAMS / "leasectl", "replay", database, "--verify")
            self.assertEqual(verified.returncode, 0, verified.stdout + verified.stderr)
            self.assertIn("the hash chain is whole", verified.stdout)
        tables = run(PROGRAMS / "leasectl", "tables", self.database, self.copy + ".tables")
        self.assertEqual(tables.returncode, 0, tables.stderr)
        self.assertGreater(Path(self.copy + ".tables").stat().st_size, 10_000)


if __name__ == "__main__":
    unittest.main()
