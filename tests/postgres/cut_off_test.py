"""A leader whose line to the database is good, and whose lines to its agents are not: it gives its lead away.

Description: broker/guide/standby.md, "A leader without agents". When it does: unit/broker/cut_off_test.cpp.
"""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "integration"))

import one_site
from line import Line
from one_standby_site import OnStandbySite
from processes import PROGRAMS, run, wait_until
from standby_site import NoSlotTwice


class CutOff(OnStandbySite):
    """All agents have a line of their own to the first broker, which leads."""

    settings = {"agent_timeout": "20s"}

    def begin(self) -> None:
        first, second = self.site.places
        type(self).lines = {}
        for name, cluster in self.site.clusters.items():
            line = self.lines[name] = Line(int(first.listen.rsplit(":", 1)[1]))
            self.addClassCleanup(line.__exit__)
            cluster.agent["broker"] = [f"tcp://127.0.0.1:{line.port}", second.listen]
            self.site.write_agent_config(name)
        self.site.start_all()

    def as_found(self) -> None:
        for line in self.lines.values():
            line.mend()
        super().as_found()
        if self.first is self.site.places[0]:
            return
        self.first.daemon.kill9()
        self.site.wait_for_leader(self.site.places[:1])
        super().as_found()

    def test_a_leader_that_hears_nobody_steps_down_for_whom_agents_come_to(self) -> None:
        """It led for ever, and advised to forget clusters that lived."""
        site, first, second = self.site, self.first, self.second
        with NoSlotTwice(site):
            site.flips_again()
            for line in self.lines.values():
                line.cut()
            self.wait_until_said(first, "event=broker-isolated")
            self.assertIn(f"agents_come_to={second.name}", self.said(first))
            site.wait_for_leader([second])
            site.wait_for_agents()
            site.flips_again()
            for line in self.lines.values():
                line.mend()
            wait_until(lambda: first.stands_by(second) and second.leads(), "it hears who leads")
            wait_until(lambda: second.row()["agents"] == len(site.clusters), "it says how many it hears")

    def test_a_cluster_that_another_broker_hears_is_not_forgotten_without_being_asked_for(self) -> None:
        site, first, second = self.site, self.first, self.second
        with NoSlotTwice(site):
            site.flips_again()
            self.lines["west"].cut()
            where = f"connected to the broker '{second.name}'"
            wait_until(lambda: any(row["kind"] == "agent-lost" and where in row["command"]
                                   for row in first.ask("attention")), "it is said who hears west")
            self.assertNotIn("forget west", str(first.ask("attention")))
            forget = run(PROGRAMS / "leasectl", "forget", "west", "--broker", first.control)
            self.assertEqual(forget.returncode, 1, forget.stdout)
            self.assertIn(f"the agent of west is connected to the broker '{second.name}'", forget.stderr)
            self.lines["west"].mend()
            site.wait_for_agents()
            site.flips_again()


if __name__ == "__main__":
    one_site.main(of_places=2)
