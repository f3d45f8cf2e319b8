"""A workload manager that is slow: its agent is not lost, and what it said long ago decides nothing."""
import json
import unittest

import side_by_side
from configs import POOL
from processes import wait_until
from toy_site import EXAMPLE, ToySite

# Sleeps before each answer while a file says so.
SLOW = """import os, subprocess, sys, time
if os.path.exists(sys.argv[2] + ".slow"):
    time.sleep(float(open(sys.argv[2] + ".slow").read()))
sys.exit(subprocess.run(["/usr/bin/python3", "-IS", sys.argv[1], sys.argv[2]], check=False).returncode)
"""


class SlowSite(ToySite):
    broker_settings = {"agent_timeout": "20s"}

    def write_agent_config(self, name: str) -> None:
        super().write_agent_config(name)
        (self.path / "slow.py").write_text(SLOW)
        config = self.path / f"{name}.toml"
        config.write_text(config.read_text().replace(
            json.dumps(str(EXAMPLE)), f'"{self.path}/slow.py", {json.dumps(str(EXAMPLE))}')
            .replace("[agent]", '[agent]\ncall_timeout = "60s"'))


class ASlowManager(unittest.TestCase):
    def test_does_not_make_its_agent_lost(self) -> None:
        with SlowSite({"east": {"big1": 8}, "west": {"small1": 1}}, {"west": ["big1@east"]},
                      policies=[POOL]) as site:
            site.start()
            site.wait_for_agents()
            (site.path / "west.json.slow").write_text("25")

            def west() -> dict:
                return next(row for row in site.ask("clusters") if row["cluster"] == "west")
            # Its look is soon older than agent_timeout: the agent is heard, and counts as degraded.
            wait_until(lambda: west()["agent"] == "degraded", "the age of its look is known")
            (site.path / "west.json.slow").write_text("0")
            wait_until(lambda: west()["agent"] == "up", "a young look is told")
            self.assertEqual(site.history("agent-lost"), [])


if __name__ == "__main__":
    side_by_side.main(of_places=2)
