"""Each command of the guide's page on availability, but for its cold standby, does what it says, on a
PostgreSQL of the test's own."""
import os
import re
import signal
import unittest

from postgres_programs import bin_dir
from postgres_server import PostgresServer
from processes import ROOT, run
from readme_test import BLOCK, CHECKED_KINDS, Reader

PAGE = "broker/guide/standby.md"
README_TEST_RUNS = "\n## Cold standby\n"


class StandbyReader(Reader):
    """On one machine: `# hub-a` behind an order says whose it is."""

    def __init__(self, server: PostgresServer) -> None:
        super().__init__()
        self.ports["5432"] = str(server.port)
        self.environment |= {"PGHOST": "127.0.0.1", "PGPORT": str(server.port), "PGUSER": "leasehold",
                             "PGDATABASE": "postgres",
                             "PATH": f"{bin_dir(server.path)}:{self.environment['PATH']}"}

    def setup(self, _: str, body: str) -> None:
        self.run("", body.replace("sudo -u postgres ", ""))

    def orders(self, _: str, body: str) -> None:
        for line in body.splitlines():
            verb, name = re.match(r"sudo systemctl (.+) lease-broker +# (\S+)$", line).groups()
            daemon = next(each for each in self.daemons if f'"{name}"' in each.config.read_text())
            if verb == "kill -s KILL":
                daemon.signal(signal.SIGKILL)
                daemon.process.wait()
            else:
                assert verb in ("start", "stop"), verb
                self.order(daemon, verb)


class Guide(unittest.TestCase):
    def test_blocks_of_the_page_of_several_brokers_do_what_they_say(self) -> None:
        with PostgresServer() as server:
            reader = StandbyReader(server)
            self.addCleanup(reader.close)
            reader.files_of_first_site()
            blocks = [match for match in BLOCK.finditer((ROOT / PAGE).read_text().split(README_TEST_RUNS)[0])
                      if match["kind"] in CHECKED_KINDS]
            self.assertGreater(len(blocks), 8)
            for block in blocks:
                self.assertIn(block["verb"], ("setup", "file", "start", "run", "orders", "elsewhere"), block["body"])
                getattr(reader, block["verb"])(block["rest"] or "", block["body"])


if __name__ == "__main__":
    unittest.main()
