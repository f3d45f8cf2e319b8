"""A workload manager that is slow: its agent is not lost, and what it said long ago decides nothing."""
import unittest
from pathlib import Path

import side_by_side
from configs import POOL
from processes import wait_until
from toy_site import EXAMPLE, ToySite

# Sleeps before each answer while a file says so.
SLOW = f"""import os, sys, time
if os.path.exists(sys.argv[1] + ".slow"):
    time.sleep(float(open(sys.argv[1] + ".slow").read()))
sys.path.insert(0, "{EXAMPLE.parent}")
import example
example.main()
"""


class SlowSite(ToySite):
    broker_settings = {"agent_timeout": "20s"}

    def stands_for(self) -> Path:
        (self.path / "slow.py").write_text(SLOW)
        return self.path / "slow.py"

    def write_agent_config(self, name: str) -> None:
        super().write_agent_config(name)
        config = self.path / f"{name}.toml"
        config.write_text(config.read_text().replace("[agent]", '[agent]\ncall_timeout = "60s"'))


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
