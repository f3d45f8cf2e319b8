"""HTTP while things happen: streams of events, limits, and visitors who are slow, silent or many."""
import itertools
import time
import unittest

import one_site
from http_site import TOKENS, OnAnHttpSite, http_site, with_http, write_tokens
from http_visitor import Visitor, ready
from leasehold_site import Site
from processes import wait_until
from scenes import made, moved, still_site
from wire import control

LOOKS_AGAIN_S = 14.9  # each 15 s, and some for the clocks
GET = b"GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n"


def limited_site(limits: str) -> Site:
    return with_http(still_site(), f"[http]\n{limits}\n")


def last_event(site: Site) -> int:
    return site.ask("history")[-1]["id"]


class AStream(OnAnHttpSite):
    def test_tells_at_once_what_is_and_then_what_changes(self) -> None:
        site = self.site
        with Visitor(site.http).stream() as stream:
            broker = stream.next()
            self.assertEqual(stream.retry, 2000)
            self.assertEqual((broker["event"], broker["data"]["name"]), ("broker", "test"))
            first = stream.next()
            self.assertEqual(int(first["id"]), first["data"]["event"])
            site.order("freeze")
            frozen = last_event(site)
            self.assertLess(int(first["id"]), frozen)
            self.assertGreaterEqual(stream.until(frozen)[-1], frozen)
            answer = Visitor(site.http).api("leases")
            self.assertGreaterEqual(answer["as_of"]["event"], frozen)
            self.assertTrue(answer["result"][0]["frozen"])

    def test_tells_of_a_change_when_it_comes_not_when_it_looks_again(self) -> None:
        """A stream that only looked would do so LOOKS_AGAIN_S after it told of anything: it would never tell closer
        together of two changes, of which the second comes when the first was told of."""
        site, told = self.site, []
        with Visitor(site.http).stream() as stream:
            stream.next()
            for word in ("freeze", "thaw") * 3:
                control(site, word)
                stream.until(last_event(site))
                told.append(time.monotonic())
        self.assertLess(min(after - before for before, after in itertools.pairwise(told)), LOOKS_AGAIN_S)

    def test_tells_of_many_changes_twice_a_second_and_of_the_last(self) -> None:
        site = self.site
        begun = time.monotonic()
        with Visitor(site.http).stream() as stream:
            for _ in range(20):
                control(site, "freeze")
                control(site, "thaw")
            seen = stream.until(last_event(site))
            self.assertLessEqual(len(seen), 2 * (time.monotonic() - begun) + 2)
            self.assertEqual(seen, sorted(set(seen)))

    def test_that_broke_is_resumed_after_the_event_that_was_seen(self) -> None:
        site = self.site
        visitor = Visitor(site.http)
        with visitor.stream() as stream:
            stream.next()
            seen = int(stream.next()["id"])
        with visitor.stream(last_event_id=str(seen)) as stream:
            self.assertEqual(stream.next()["event"], "broker")
            site.order("freeze")
            state = stream.next()  # and nothing of what was seen
            self.assertGreater(int(state["id"]), seen)
        with visitor.stream(last_event_id=str(seen)) as stream:
            self.assertEqual([stream.next()["event"], stream.next()["event"]],
                             ["broker", "state"])

    def test_ends_with_its_broker_and_goes_on_with_the_next(self) -> None:
        site = self.site
        visitor = Visitor(site.http)
        with visitor.stream() as stream:
            started = stream.next()["data"]["started"]
            seen = stream.next()["id"]
            site.broker.kill9()
            while stream.next():
                pass
        site.start_broker()
        with ready(visitor).stream(last_event_id=seen) as stream:
            self.assertGreater(stream.next()["data"]["started"], started)
            self.assertGreater(int(stream.next()["id"]), int(seen))


class Visitors(OnAnHttpSite):
    def test_who_stay_at_the_door_when_the_broker_ends_hold_it_up_by_nothing(self) -> None:
        site = self.site
        visitor = Visitor(site.http)
        lines = [visitor.raw(GET % path) for path in
                 (b"/api/v1/stream", b"/api/v1/openapi.json" * 1, b"/api/v1/leases")]
        lines.append(visitor.raw(GET % b"/api/v1/openapi.json" * 150))
        self.assertEqual(site.broker.stop(), 0)
        for line in lines:
            line.close()
        site.start_broker()

    def test_see_no_answer_while_the_loop_stands_still_and_then_one(self) -> None:
        """What agents said last is asked of the loop; all else is told without it."""
        site = self.site
        visitor = Visitor(site.http)
        with site.broker.stopped():
            line = visitor.raw(GET % b"/api/v1/clusters")
        self.assertTrue(line.recv(4096).startswith(b"HTTP/1.1 200 "))
        line.close()

    def test_who_are_slow_silent_or_many_delay_no_lease(self) -> None:
        with limited_site("connections = 1000\nstreams = 500\nstreams_per_address = 500\n"
                          "rate_per_address = 0") as site:
            made(site)
            visitor = Visitor(site.http)
            silent = [visitor.raw() for _ in range(200)]
            half = [visitor.raw(b"GET /api/v1/leases HTTP/1.1\r\nHost: loc") for _ in range(20)]
            unread = [visitor.raw(GET % b"/api/v1/openapi.json" * 150) for _ in range(20)]
            streams = [visitor.raw(GET % b"/api/v1/stream") for _ in range(500)]
            wait_until(lambda: visitor.get("/api/v1/about").json["http"]["streams"] == 500,
                       "all streams stand")
            site.order("rebalance", "pool:west")
            moved(site)
            after = visitor.api("leases")["result"][0]
            self.assertEqual(after["consumer_slots"]["available"], 4)
            about = visitor.get("/api/v1/about").json["http"]
            # Who says nothing for long is sent away, and how long all this takes is the machine's.
            self.assertGreaterEqual(about["connections"], 500)
            for line in [*silent, *half, *unread, *streams]:
                line.close()
            wait_until(lambda: visitor.get("/api/v1/about").json["http"]["connections"] == 1,
                       "all of them are forgotten")


class Limits(unittest.TestCase):
    def test_of_connections_make_the_silent_give_way_and_turn_the_others_away(self) -> None:
        with limited_site("connections = 4") as site:
            site.start_broker()
            visitor = ready(Visitor(site.http))
            silent = [visitor.raw() for _ in range(12)]
            self.assertEqual(visitor.get("/livez").status, 200)
            streams = [visitor.raw(GET % b"/api/v1/stream") for _ in range(4)]
            for stream in streams:
                self.assertTrue(stream.recv(4096).startswith(b"HTTP/1.1 200 "))
            answer = visitor.get("/api/v1/about")
            self.assertEqual((answer.status, answer.fields["retry-after"]), (503, "1"))
            streams.pop().close()
            wait_until(lambda: visitor.get("/api/v1/about").status == 200, "a place is free")
            self.assertGreater(visitor.get("/api/v1/about").json["http"]["turned_away"], 8)
            for line in [*silent, *streams]:
                line.close()

    def test_of_connections_leave_a_reserve_for_probes(self) -> None:
        with limited_site("connections = 4") as site:
            site.start_broker()
            visitor = ready(Visitor(site.http))
            streams = [visitor.raw(GET % b"/api/v1/stream") for _ in range(4)]
            for stream in streams:
                self.assertTrue(stream.recv(4096).startswith(b"HTTP/1.1 200 "))
            silent = [visitor.raw(b"GET / HT") for _ in range(64)]
            for path in ("/livez", "/readyz", "/leader"):
                self.assertEqual(visitor.get(path).status, 200)
            self.assertEqual(visitor.get("/api/v1/about").status, 503)
            for line in [*silent, *streams]:
                line.close()

    def test_of_connections_make_half_requests_give_way(self) -> None:
        # 512 of them, of one local user, shut everybody out: each was waited for 10 seconds.
        with limited_site("connections = 8") as site:
            site.start_broker()
            visitor = ready(Visitor(site.http))
            half = [visitor.raw(b"GET /api/v1/leases HTTP/1.1\r\nHost: 127") for _ in range(64)]
            for path in ("/livez", "/api/v1/about", "/api/v1/leases"):
                self.assertEqual(visitor.get(path).status, 200)
            for line in half:
                line.close()

    def test_of_streams_are_told_and_come_into_force_by_a_reload(self) -> None:
        with limited_site("streams = 3\nstreams_per_address = 2") as site:
            site.start_broker()
            visitor = ready(Visitor(site.http))
            with visitor.stream() as one, visitor.stream() as two:
                self.assertEqual((one.next()["event"], two.next()["event"]), ("broker", "broker"))
                answer = visitor.get("/api/v1/stream")
                self.assertEqual((answer.status, answer.fields["retry-after"]), (429, "1"))
                site.more = "[http]\nstreams = 2\n"
                site.write_broker_config()
                self.assertIn("streams", site.order("reload", "--yes"))
                self.assertEqual(visitor.get("/api/v1/stream").status, 503)

    def test_of_streams_count_for_each_visitor_that_a_proxy_names(self) -> None:
        site = with_http(still_site(), '[http]\nbase_path = "/x"\nstreams_per_address = 1\n')
        site.more += write_tokens(site, ["ana"])
        site.write_broker_config()
        with site:
            site.start_broker()
            one, other = (Visitor(site.http, TOKENS["ana"], fields={
                "X-Forwarded-For": f"198.51.100.9, 192.0.2.{last}"}) for last in (1, 2))
            ready(one)
            with one.stream() as first, other.stream() as second:
                self.assertEqual((first.next()["event"], second.next()["event"]),
                                 ("broker", "broker"))
                self.assertEqual(one.get("/api/v1/stream").status, 429)

    def test_of_requests_are_told_with_when_to_come_again(self) -> None:
        with limited_site("rate_per_address = 1") as site:
            site.start_broker()
            visitor = Visitor(site.http)
            answers = [visitor.get("/api/v1/policies") for _ in range(40)]
            many = [answer for answer in answers if answer.status == 429]
            self.assertTrue(many)
            self.assertEqual(many[0].fields["retry-after"], "1")
            self.assertIn("rate_per_address", many[0].json["error"]["message"])
            self.assertEqual(answers[0].status, 200)
            self.assertEqual(visitor.get("/livez").status, 200)
            site.broker.wait_for_log("event=http-refused")


class Health(unittest.TestCase):
    def test_says_why_the_broker_cannot_do_its_work(self) -> None:
        with http_site(verify=False) as site:
            site.start_broker()
            visitor = ready(Visitor(site.http))
            log = site.database
            kept = log.with_suffix(".kept")
            log.rename(kept)
            log.mkdir()  # nothing can be read there
            answer = wait_until(lambda: (got := visitor.get("/readyz")).status == 503 and got,
                                "it is not ready")
            self.assertIn(b"leasehold.db", answer.body)
            self.assertEqual(visitor.get("/livez").status, 200)
            log.rmdir()
            kept.rename(log)
            ready(visitor)


if __name__ == "__main__":
    one_site.main(of_places=2)
