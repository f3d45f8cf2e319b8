"""Daemons whose configuration lies on a disk that answers nothing go on with what is in force."""
import contextlib
import signal
import unittest

import side_by_side
from http_site import http_site
from http_visitor import Visitor
from processes import PROGRAMS, preloaded, wait_until
from scenes import PATIENT
from wire import FakeAgent

STUCK = PROGRAMS / "libstuck_file.so"


class StuckFile:
    """A daemon's configuration, which cannot be opened while `stuck` lasts."""

    def __init__(self, daemon) -> None:
        self.mark, self.waits = (daemon.config.with_name(daemon.config.name + ending)
                                 for ending in (".stuck", ".waits"))
        daemon.environment.update(LD_PRELOAD=preloaded(STUCK), LEASEHOLD_STUCK_FILE=str(daemon.config))

    @contextlib.contextmanager
    def stuck(self):
        self.mark.touch()
        try:
            yield
        finally:
            self.mark.unlink()

    def wait_until_read(self) -> None:
        wait_until(self.waits.exists, "the file is being opened")


@unittest.skipUnless(STUCK.exists(), "sanitized programs take no library of ours")
class AConfigurationOnADiskThatAnswersNothing(unittest.TestCase):
    def is_answered(self, site, agent: FakeAgent) -> None:
        """Agents, visitors and operators are."""
        agent.send("heartbeat", session=agent.session, number=1, report=0)
        agent.receive("heartbeat-answer")
        for probe in ("/livez", "/readyz"):
            self.assertEqual(Visitor(site.http).get(probe).status, 200, probe)
        self.assertEqual(site.flow("west")["agent"], "up")

    def test_keeps_a_broker_from_no_answer_is_told_and_over_once_it_answers(self) -> None:
        """Symptom: `reload` stopped the loop for ever, and SIGTERM was not heard."""
        with http_site(broker=PATIENT) as site, FakeAgent(site.listen) as agent:
            disk = StuckFile(site.broker)
            site.start_broker()
            self.assertEqual(agent.hello("west")["t"], "configuration")
            site.more += '[[cluster]]\nname = "north"\n'
            site.write_broker_config()
            with disk.stuck():
                site.broker.signal(signal.SIGHUP)
                disk.wait_until_read()
                self.is_answered(site, agent)
                site.broker.wait_for_log("event=configuration-not-read")
                self.is_answered(site, agent)
                told = site.ctl("attention")
                self.assertEqual(told.returncode, 1)
                self.assertIn("configuration-not-read", told.stdout)
                for words in (("reload", "--dry-run"), ("reload", "--yes")):
                    refused = site.ctl(*words)
                    self.assertEqual(refused.returncode, 1, refused)
                    self.assertIn("does not answer", refused.stderr)
                self.is_answered(site, agent)
            site.broker.wait_for_log("event=configuration-read-again")
            wait_until(lambda: "configuration-not-read" not in str(site.ask("attention")),
                       "nobody is needed for it any more")
            site.order("reload", "--yes")
            self.assertIn("north", {row["cluster"] for row in site.ask("clusters")})

    def test_keeps_a_broker_from_no_sigterm(self) -> None:
        with http_site(broker=PATIENT) as site:
            disk = StuckFile(site.broker)
            site.start_broker()
            with disk.stuck():
                site.broker.signal(signal.SIGHUP)
                site.broker.wait_for_log("event=configuration-not-read")
                self.assertEqual(site.broker.stop(), 0)

    def test_keeps_a_start_from_no_sigterm(self) -> None:
        with http_site(verify=False) as site:
            disk = StuckFile(site.broker)
            with disk.stuck():
                site.broker.start()
                disk.wait_until_read()
                site.broker.signal(signal.SIGTERM)
                self.assertEqual(site.broker.wait(), -signal.SIGTERM)

    def test_keeps_an_agent_heard_and_is_told(self) -> None:
        """Symptom: an agent that was to read its settings again was given up as lost, and did not hear SIGTERM."""
        with http_site(broker=PATIENT) as site:
            agent = site.agents["west"]
            disk = StuckFile(agent)
            site.start()
            site.wait_for_agents()
            with disk.stuck():
                agent.signal(signal.SIGHUP)
                disk.wait_until_read()
                heard = site.flow("west")["last_heard"]
                wait_until(lambda: site.flow("west")["last_heard"] > heard, "it is heard meanwhile")
                agent.wait_for_log("event=configuration-not-read")
            agent.wait_for_log("event=configuration-read-again")
            agent.wait_for_log("event=reloaded")
            with disk.stuck():
                disk.waits.unlink()
                agent.signal(signal.SIGHUP)
                disk.wait_until_read()
                self.assertEqual(agent.stop(), 0)

    def test_keeps_a_start_of_an_agent_from_no_sigterm(self) -> None:
        with http_site(verify=False) as site:
            agent = site.agents["west"]
            disk = StuckFile(agent)
            with disk.stuck():
                agent.start()
                disk.wait_until_read()
                agent.signal(signal.SIGTERM)
                self.assertEqual(agent.wait(), -signal.SIGTERM)


if __name__ == "__main__":
    side_by_side.main()
