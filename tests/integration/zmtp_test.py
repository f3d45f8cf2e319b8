"""Peers that shake hands as ZeroMQ never does: whatever name they choose to be routed by, whatever their
metadata is, broker and operators' desk live on, and the agents that are there stay.
"""
import random
import unittest

import side_by_side
import zmtp
from configs import POOL, Cluster
from leasehold_site import Site
from processes import wait_until
from secure_site import SecureSite

ONE = {"east": Cluster({"big1": 8}), "west": Cluster({"small1": 1})}
HANDSHAKES = 500
OPEN_AT_ONCE = 120


class Handshakes(unittest.TestCase):
    def survives(self, site, endpoint: str, seed: int, shake) -> None:
        """So many connections, the last of which stay open, each of a random kind."""
        site.start_broker()
        site.agents["east"].start()
        wait_until(lambda: site.flow("east")["agent"] == "up", "east is up")
        chance = random.Random(seed)
        lines: list[zmtp.Line] = []
        for number in range(HANDSHAKES):
            with self.subTest(seed=seed, number=number):
                line = zmtp.Line(endpoint, most_s=10)
                lines.append(line)
                shake(chance, line)
            if chance.random() < 0.3:
                line.end_sending()
            if len(lines) > OPEN_AT_ONCE:
                lines.pop(chance.randrange(len(lines))).close()
            self.assertTrue(site.broker.running(), site.broker.log())
        site.agents["west"].start()
        wait_until(lambda: site.flow("west")["agent"] == "up", "a newcomer is let in")
        self.assertNotIn("agent-lost", site.broker.log())
        self.assertNotIn("ssertion", site.broker.log(whole=True))
        for line in lines:
            line.close()

    def test_without_keys_of_any_kind_end_nothing_at_the_agents_port(self) -> None:
        with Site(ONE, [POOL]) as site:
            self.survives(site, site.listen, 1, zmtp.random_null)

    def test_without_keys_of_any_kind_end_nothing_at_the_operators_port(self) -> None:
        with Site(ONE, [POOL]) as site:
            self.survives(site, site.control, 2, zmtp.random_null)

    def test_with_a_key_that_is_admitted_end_nothing(self) -> None:
        with SecureSite(ONE, [POOL]) as site:
            own, broker = site.key("west"), site.key("broker")
            keys = [own["public"], own["secret"], broker["public"]]
            self.survives(site, site.listen, 3,
                          lambda chance, line: zmtp.random_curve(chance, line, keys))

    def test_without_keys_end_nothing_where_keys_are_asked_for(self) -> None:
        with SecureSite(ONE, [POOL]) as site:
            self.survives(site, site.listen, 4, zmtp.random_null)

    def test_of_the_bare_bytes_here_are_taken_where_they_are_right(self) -> None:
        """Else the others would show nothing."""
        with SecureSite(ONE, [POOL]) as site:
            site.start_broker()
            own, broker = site.key("west"), site.key("broker")
            line = zmtp.Line(site.listen)
            line.send(zmtp.greeting(b"CURVE"))
            line.receive(64)
            curve = zmtp.Curve(line, own["public"], own["secret"], broker["public"])
            curve.hello()
            self.assertTrue(curve.initiate(zmtp.metadata([(b"Socket-Type", b"DEALER")])))
            self.assertTrue(line.receive_command().startswith(b"\x05READY"))
            curve.message(b"\0rubbish")
            wait_until(lambda: line.receive_command(), "the broker refuses rubbish")
            line.close()


if __name__ == "__main__":
    side_by_side.main()
