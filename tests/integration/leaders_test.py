"""An agent and several brokers on one database: it finds the one that leads, follows none that was
overtaken, over restarts too, and can be told to forget. The brokers are played.
"""
import contextlib
import tempfile
import time
import unittest
from pathlib import Path

import side_by_side
from configs import Cluster, agent_toml, swf
from played_broker import PlayedBroker
from ports import Claim
from processes import Daemon, wait_until

TTL_MS = 3_000
FIRST, SECOND = {"epoch": 1, "incarnation": 11}, {"epoch": 2, "incarnation": 22}
STANDS_BY: dict = {}


class Site:
    """Broker a leads, b stands by; the agent has both in its list."""

    def __init__(self, folder: Path, ports: list[int]) -> None:
        brokers = [f"tcp://127.0.0.1:{port}" for port in ports[:2]]
        self.a = PlayedBroker(folder, "a", brokers[0], FIRST, TTL_MS)
        self.b = PlayedBroker(folder, "b", brokers[1], STANDS_BY, TTL_MS)
        (folder / "east.swf").write_text(swf([]))
        cluster = Cluster({"big1": 4}, agent={"report_interval": "5s"})
        (folder / "east.toml").write_text(agent_toml("east", brokers, cluster, folder / "east.swf"))
        self.agent = Daemon("lease-agent", "east", folder / "east.toml")

    def start(self) -> None:
        self.a.start()
        self.b.start()
        self.agent.start()
        self.a.wait_until_it_says("configuration")

    def end(self) -> None:
        self.agent.kill9()
        self.a.kill()
        self.b.kill()

    def b_takes_over(self) -> float:
        """Once it was asked in vain; how many seconds later the agent had found it."""
        self.b.wait_until_it_says("refusal", len(self.b.said("refusal")))
        self.b.play(SECOND)
        leads = time.monotonic()
        return self.b.wait_until_it_says("configuration")["at"] - leads


@contextlib.contextmanager
def site():
    ports = Claim()
    with tempfile.TemporaryDirectory(prefix="leasehold-") as folder:
        made = Site(Path(folder), ports.ports)
        try:
            yield made
        finally:
            made.end()
            ports.release()


class AnAgentFindsTheLeader(unittest.TestCase):
    """How soon is told, not judged."""

    def test_where_the_old_one_is_gone(self) -> None:
        with site() as made:
            made.start()
            made.a.kill()
            print(f"old leader gone: {made.b_takes_over():.1f} s", flush=True)
            hello = [row["heard"] for row in made.b.said("configuration")][-1]
            self.assertEqual((hello["seen_epoch"], hello["seen_incarnation"]), (2, 22))

    def test_where_the_old_one_stands_still(self) -> None:
        with site() as made:
            made.start()
            made.a.stop()
            print(f"old leader stopped: {made.b_takes_over():.1f} s", flush=True)

    def test_where_the_old_one_is_connected_and_silent(self) -> None:
        with site() as made:
            made.start()
            made.a.play(None)
            print(f"old leader silent: {made.b_takes_over():.1f} s", flush=True)

    def test_where_the_old_one_steps_down(self) -> None:
        with site() as made:
            made.start()
            made.a.play(STANDS_BY)
            print(f"old leader stands by: {made.b_takes_over():.1f} s", flush=True)

    def test_where_all_stand_by_for_long_with_one_line_in_its_log(self) -> None:
        with site() as made:
            made.start()
            began = time.monotonic()
            made.a.play(STANDS_BY)
            for broker in (made.a, made.b):
                broker.wait_until_it_says("refusal", 3)
            heard = [row["at"] for row in made.a.said("refusal") + made.b.said("refusal")]
            asked = [at for at in heard if at >= began]
            # From when it began: a busy broker hears late, and then several at once. The first answer, to a
            # heartbeat, and a turn after it may follow at once.
            self.assertLessEqual(len(asked), (max(asked) - began) / 0.9 + 4)
            self.assertEqual(made.agent.log().count("event=redirected"), 1, made.agent.log())
            made.b_takes_over()
            self.assertNotIn("event=refused", made.agent.log())

    def test_that_is_the_only_one_when_it_leads_again(self) -> None:
        with site() as made:
            config = made.agent.config
            config.write_text(config.read_text().replace(f', "{made.b.endpoint}"', ""))
            self.assertNotIn(made.b.endpoint, config.read_text())
            made.start()
            made.a.play(STANDS_BY)
            made.a.wait_until_it_says("refusal", 2)
            made.a.play(SECOND)
            made.a.wait_until_it_says("configuration", 1)


class AnAgentFollowsNoneThatWasOvertaken(unittest.TestCase):
    def test_over_its_own_restart_until_it_leads_anew(self) -> None:
        with site() as made:
            made.start()
            made.a.kill()
            made.b_takes_over()
            made.agent.kill9()
            made.b.kill()
            made.a.start()  # and believes that it leads
            welcomed = len(made.a.said("welcome"))
            made.agent.start()
            knock = made.a.wait_until_it_says("welcome", welcomed + 1)["heard"]
            self.assertEqual((knock["seen_epoch"], knock["seen_incarnation"]), (2, 22))
            made.agent.wait_for_log("event=leader-refused")
            self.assertEqual(len(made.a.said("configuration")), 1)
            made.a.play({"epoch": 3, "incarnation": 33})
            made.a.wait_until_it_says("configuration", 1)
            self.assertEqual(made.agent.log().count("event=leader-refused"), 1)

    def test_until_it_is_told_to_forget(self) -> None:
        with site() as made:
            made.start()
            made.a.play({"incarnation": 7})  # a database of its own
            made.agent.wait_for_log("--forget-epoch")
            self.assertEqual(len(made.a.said("configuration")), 1)
            made.agent.stop()
            made.agent.start("--forget-epoch")
            made.a.wait_until_it_says("configuration", 1)
            made.agent.wait_for_log("event=epoch-forgotten epoch=1 incarnation=11")
            made.agent.stop()
            made.agent.start()
            made.a.wait_until_it_says("configuration", 2)
            wait_until(lambda: "event=connected" in made.agent.log(), "it is connected")
            self.assertNotIn("event=leader-refused", made.agent.log())


if __name__ == "__main__":
    side_by_side.main()
