"""What the broker does with messages that no good agent sends: it counts them, says so, goes on."""
import json
import os
import re
import threading
import unittest

import msgpack
import zmq

import one_site
from leasehold_site import Site
from one_site import OnAMadeSite, OnOneSite
from processes import PROGRAMS, run, wait_until
from scenes import PATIENT, still_site
from wire import FakeAgent

LIES = {
    "more used than its limit": [(0, 1, 9, True)],
    "a negative limit": [(0, -1, 0, True)],
    "negative use": [(0, 1, -1, True)],
    "an unknown host": [(7, 1, 0, True)],
    "a host twice": [(0, 1, 0, True), (0, 1, 0, True)],
}


class WithoutWest(OnOneSite):
    """Nobody speaks for west yet. A fake agent without heartbeats is not lost."""

    def site_for_all(self) -> Site:
        return still_site(broker=PATIENT)

    def begin(self) -> None:
        self.site.start_broker()
        self.site.agents["east"].start()
        wait_until(lambda: self.site.flow("east")["agent"] == "up" and self.site.ask("leases"), "east is up")


class AReportThatLies(WithoutWest):
    def refused(self, site, agent, groups) -> None:
        agent.report(groups)
        refusal = agent.receive("refusal")
        self.assertEqual(refusal["reason"], "bad-report", refusal)
        self.assertTrue(refusal["message"])
        row = wait_until(lambda: site.flow("west", reason="bad-report"), "clusters shows it")
        self.assertEqual(row["reason"], "bad-report")

    def test_is_refused_with_a_reason_that_clusters_shows(self) -> None:
        site = self.site
        with FakeAgent(site.listen) as agent:
            self.assertEqual(agent.hello("west")["t"], "configuration")
            agent.inventory({"small1": 1})
            order = agent.receive("order")
            generation = agent.configuration["groups"][0]["generation"]
            before = site.lease()
            for lie, hosts in LIES.items():
                with self.subTest(lie):
                    self.refused(site, agent, [(generation, order["seq"], False, 0, hosts)])
            with self.subTest("an unknown group"):
                self.refused(site, agent, [(generation + 99, 1, False, 0, [(0, 0, 0, True)])])
            with self.subTest("an order that was never given"):
                self.refused(site, agent, [(generation, order["seq"] + 9, False, 0, [])])
            after = site.lease()
            self.assertEqual(after["consumer_slots"], before["consumer_slots"])
            self.assertEqual(after["epoch"], before["epoch"])

    def test_by_an_agent_of_no_known_cluster_is_refused(self) -> None:
        with FakeAgent(self.site.listen) as agent:
            refusal = agent.hello("south")
            self.assertEqual((refusal["t"], refusal["reason"]), ("refusal", "unknown-cluster"))

    def test_by_an_agent_that_answers_an_old_welcome_is_welcomed_anew_and_not_taken(self) -> None:
        with FakeAgent(self.site.listen) as agent:
            answer = agent.hello("west", incarnation=12345)
            self.assertEqual(answer["t"], "welcome")
            self.assertNotEqual(self.site.flow("west")["agent"], "up")


class ASecondAgent(OnAMadeSite):
    def test_is_refused_and_told_why(self) -> None:
        site = self.site
        with FakeAgent(site.listen) as agent:
            refusal = agent.hello("west")
            self.assertEqual((refusal["t"], refusal["reason"]), ("refusal", "second-agent"))
            self.assertIn("west", refusal["message"])
        self.assertEqual(site.flow("west")["agent"], "up")


class Rubbish(OnAMadeSite):
    def test_changes_nothing(self) -> None:
        report = msgpack.packb({"v": 1, "t": "report", "session": 1, "number": 1})
        rubbish = [b"", b"\x00", os.urandom(200), report[:-3], report + b"x", b"\xdf\xff\xff\xff\xff",
                   b"\x91" * 5000, msgpack.packb({"v": 1, "t": "no-such-type"}),
                   msgpack.packb({"v": 1, "t": "report", "session": "one"}), b"x" * (1 << 20)]
        site = self.site
        before = site.lease()
        for data in rubbish:
            with FakeAgent(site.listen) as agent:
                agent.send_bytes(data)
                if data.startswith(b"\x82"):
                    agent.receive("refusal", "welcome")
        site.order("rebalance", "pool:west")
        site.wait_for_lease(consumer_slots__used=4)
        self.assertEqual(site.lease()["id"], before["id"])

    def test_that_is_too_large_closes_the_connection_and_not_the_broker(self) -> None:
        site = self.site
        with FakeAgent(site.listen) as agent:
            agent.send_bytes(b"x" * (17 << 20))
            agent.send("heartbeat", session=1, number=1, report=0)
            agent.receive("welcome")
        self.assertEqual(site.lease()["phase"], "active")

    def test_of_another_version_is_answered_with_both_versions(self) -> None:
        site = self.site
        with FakeAgent(site.listen) as agent:
            agent.send("hello", version=99, cluster="west")
            refusal = agent.receive("refusal")
            self.assertEqual((refusal["reason"], refusal["version"]), ("wire-version", 1))
            self.assertIn("99", refusal["message"])
            self.assertIn("1", refusal["message"])

    def test_on_the_control_port_is_answered_with_an_error(self) -> None:
        site = self.site
        with FakeAgent(site.control) as client:
            client.send_bytes(b"\xff\x00 not a request")
            client.send_bytes(b"{\"request\": 7}")
        self.assertEqual(site.ask("leases") is not None, True)


EVIL = "x\x1b[2J\x07\x7f\x9b1m\u202egnp.\u2066\u200f\u061c\u2028\nforged"
RAW = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]")


class FakeBroker(threading.Thread):
    """Answers its requests one after the other, and all further ones with the last answer."""

    def __init__(self, *answers: dict) -> None:
        super().__init__(daemon=True)
        self.answers = [json.dumps(answer, ensure_ascii=False).encode() for answer in answers]
        self.socket = zmq.Context.instance().socket(zmq.ROUTER)
        self.endpoint = f"tcp://127.0.0.1:{self.socket.bind_to_random_port('tcp://127.0.0.1')}"
        self.over = False
        self.asked = 0
        self.start()

    def run(self) -> None:
        while not self.over:
            if self.socket.poll(50):
                peer = self.socket.recv_multipart()[0]
                answer = self.answers[min(self.asked, len(self.answers) - 1)]
                self.asked += 1
                self.socket.send_multipart([peer, answer])
        self.socket.close(linger=0)


class WhatABrokerSays(unittest.TestCase):
    def said(self, answer: dict, *words: str) -> str:
        broker = FakeBroker(answer)
        done = run(PROGRAMS / "leasectl", *words, "--broker", broker.endpoint)
        broker.over = True
        broker.join()
        text = done.stdout + done.stderr
        self.assertIn("u202e", text, text)
        self.assertIsNone(RAW.search(text), repr(text))
        self.assertNotIn("\nforged", text)
        return done.stdout

    def test_in_names_steers_no_terminal(self) -> None:
        row = {"cluster": EVIL, "remote": EVIL, "flow": "import", "status": EVIL, "reason": EVIL,
               "agent": "up", "host": EVIL, "id": EVIL, "lease": EVIL, "kind": EVIL, "by": EVIL,
               "from": EVIL, "to": EVIL, "name": EVIL, "provider": EVIL, "consumer": EVIL,
               "time": "2026-11-21T17:01:00.000Z", "numbers": {EVIL: 1}}
        for words in (["clusters"], ["leases"], ["hosts"], ["clusters", "--json"],
                      ["history", "--json", "--limit", "1"], ["history", "--limit", "1"]):
            numbered = {"id": 7} if words[0] == "history" else {}  # a text there is told as another version's
            with self.subTest(words):
                self.said({"ok": True, "result": [{**row, **numbered}]}, *words)

    def test_in_an_error_steers_no_terminal(self) -> None:
        error = {"ok": False, "error": {"code": "refused", "message": EVIL.replace("\n", " ")}}
        self.said(error, "leases")
        self.assertEqual(json.loads(self.said(error, "leases", "--json"))["error"]["message"],
                         error["error"]["message"])


class WhatABusyBrokerSays(unittest.TestCase):
    def history(self, words: list[str], *ids: list[int]) -> tuple[str, int]:
        """What leasectl prints where its questions are answered by rows of these ids, and how many it asked."""
        rows = [[{"id": n, "kind": "flip", "time": "2026-11-21T17:01:00.000Z", "numbers": {}} for n in page]
                for page in ids]
        broker = FakeBroker(*({"ok": True, "result": page} for page in rows))
        done = run(PROGRAMS / "leasectl", "history", *words, "--broker", broker.endpoint)
        broker.over = True
        broker.join()
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout, broker.asked

    def test_a_history_ends_although_rows_come_as_fast_as_they_are_read(self) -> None:
        for words in ([], ["--json"], ["--csv"]):
            with self.subTest(words):
                self.assertEqual(self.history(words, [6, 7], [7])[1], 2)
                self.assertEqual(self.history(words, [6, 7], [8], [8, 9, 10])[1], 3)

    def test_a_history_is_whole_although_the_broker_cuts_its_pages_shorter_and_shorter(self) -> None:
        text, asked = self.history(["--json"], [1, 2, 3], [6], [4, 5], [6])
        self.assertEqual(([row["id"] for row in json.loads(text)], asked), ([1, 2, 3, 4, 5, 6], 4))


if __name__ == "__main__":
    one_site.main()
