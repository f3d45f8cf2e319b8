"""What load balancers and Prometheus see of several brokers on one PostgreSQL: /leader, /readyz, /metrics.

Description: broker/ports/http/README.md, "Several brokers".
"""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "integration"))

import one_site
from http_visitor import Answer, Visitor
from metrics_test import Metrics
from one_standby_site import OnStandbySite
from processes import wait_until
from standby_site import LEADER_TTL, Place


def ask(place: Place, path: str, method: str = "GET") -> Answer:
    return Visitor(int(place.http.rsplit(":", 1)[1])).get(path, method)


def status(place: Place, path: str) -> int:
    return ask(place, path).status


def metrics(place: Place) -> Metrics:
    answer = ask(place, "/metrics")
    assert answer.status == 200, answer
    return Metrics(answer.body.decode())


class WhoAsksByHttp(OnStandbySite):
    def check_leader(self, place: Place, epoch: int) -> None:
        led = ask(place, "/leader")
        self.assertEqual((led.status, led.body.decode()), (200, f"leads, epoch {epoch}\n"))
        self.assertEqual(ask(place, "/readyz").body, b"ok\n")
        seen = metrics(place)
        self.assertEqual(seen.having("leasehold_leads"), [1])
        self.assertEqual(seen.having("leasehold_leader_epoch"), [epoch])
        self.assertEqual(seen.having("leasehold_take_overs_total"), [1])
        self.assertEqual(seen.having("leasehold_standby_lag_seconds"), [])
        left, = seen.having("leasehold_leadership_left_seconds")
        self.assertTrue(0 < left <= float(LEADER_TTL[:-1]), left)

    def check_standby(self, place: Place, leader: Place, epoch: int) -> None:
        stood = ask(place, "/leader")
        self.assertEqual(stood.status, 503)
        self.assertEqual(stood.body.decode(),
                         f"stands by: the broker '{leader.name}' leads, at {leader.control}\n")
        head = ask(place, "/leader", "HEAD")
        self.assertEqual((head.status, head.body), (503, b""))
        ready = ask(place, "/readyz")
        self.assertEqual(ready.status, 200)
        self.assertIn(b"stands by", ready.body)
        seen = metrics(place)
        self.assertEqual(seen.having("leasehold_leads"), [0])
        self.assertEqual(seen.having("leasehold_leader_epoch"), [epoch])
        self.assertEqual(seen.having("leasehold_take_overs_total"), [0])
        self.assertEqual(seen.having("leasehold_leadership_left_seconds"), [])
        self.assertEqual(len(seen.having("leasehold_standby_lag_seconds")), 1)

    def test_a_leader_is_found_and_the_next_when_it_was_killed(self) -> None:
        """It is the first: nobody has led before."""
        site, first, second = self.site, self.first, self.second
        self.check_leader(first, 1)
        self.check_standby(second, first, 1)
        first.daemon.kill9()
        wait_until(lambda: status(second, "/leader") == 200, "the other leads")
        self.check_leader(site.look_at(second), 2)

    def test_of_a_standby_whose_database_is_gone_is_heard_why(self) -> None:
        """It is not ready and says why, its lag grows, and it still tells its metrics."""
        site, leader, standby = self.site, self.first, self.second
        lost = metrics(leader).sum("leasehold_leaderships_lost_total")
        self.server.stop()
        wait_until(lambda: status(standby, "/readyz") == 503, "it is not ready")
        self.assertEqual(status(standby, "/leader"), 503)
        wait_until(lambda: metrics(standby).sum("leasehold_standby_lag_seconds") > 2, "it lags")
        self.assertEqual(metrics(standby).having("leasehold_database_failing"), [1])
        wait_until(lambda: status(leader, "/leader") == 503, "nobody leads")
        self.assertGreater(metrics(leader).sum("leasehold_leaderships_lost_total"), lost)
        self.server.start()
        wait_until(lambda: [status(place, "/leader") for place in site.places].count(200) == 1, "one leads again")
        site.wait_for_leader()
        wait_until(lambda: all(status(place, "/readyz") == 200 for place in site.places), "both are ready")


if __name__ == "__main__":
    one_site.main(of_places=2)
