"""What a broker answers by HTTP: schema/http/README.md."""
import gzip
import json
import os
import re
import socket
import subprocess
import unittest

import jsonschema

import one_site
from configs import POOL, Cluster
from http_site import OnAnHttpSite, http_site, plan_site, with_http
from http_visitor import Visitor, ready
from leasehold_site import Site
from processes import LAST_BOUND_S, PROGRAMS, ROOT, run, wait_until
from scenes import moved, still_site

QUESTIONS = ("clusters", "leases", "hosts", "policies", "groups", "consumers", "history", "usage",
             "compare")
GUARDS = {"x-content-type-options": "nosniff", "referrer-policy": "no-referrer",
          "cross-origin-opener-policy": "same-origin", "cross-origin-resource-policy": "same-origin"}
RELEASED = ROOT / "schema/http/released.json"


def resolved(api: dict, schema: dict) -> jsonschema.Draft202012Validator:
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator({**schema, "components": api["components"]})


def lost(before, after, path: str = "") -> list[str]:
    """What `before` says and `after` does not: what is added is no loss."""
    if isinstance(before, dict) and isinstance(after, dict):
        return [row for key, value in before.items()
                for row in ([f"{path}/{key}"] if key not in after
                            else lost(value, after[key], f"{path}/{key}"))
                if key not in ("description", "summary", "title", "version")]
    if isinstance(before, list) and isinstance(after, list):
        return [f"{path}: {value}" for value in before if not any(
            not lost(value, other) for other in after)]
    return [] if before == after else [f"{path}: {before} became {after}"]


class Answers(OnAnHttpSite):
    def test_are_what_leasectl_prints_with_what_they_are_of(self) -> None:
        site = self.site
        visitor = self.visitor
        site.order("rebalance", "pool:west")
        moved(site)
        site.order("freeze")  # and still: leasectl and the visitor see the same
        for name, subject in [*((each, "") for each in QUESTIONS), ("lease", "pool:west"),
                              ("explain", "pool:west")]:
            if name == "usage":
                continue  # it grows
            with self.subTest(name):
                self.same(site, visitor, name, subject)
        self.assertEqual(visitor.api("policies", details="true")["result"],
                         site.ask("policies", "-l"))
        site.order("thaw")

    def same(self, site: Site, visitor: Visitor, name: str, subject: str) -> None:
        """But for what passes with the time."""
        def steady(value):
            if isinstance(value, list):
                return [steady(each) for each in value]
            if isinstance(value, dict):
                return {key: steady(each) for key, each in value.items()
                        if key not in ("last_report", "last_heard", "next_evaluation", "since", "would_change")}
            return value

        def equal() -> bool:
            answer = visitor.api(name, subject)
            words = [name, subject] if subject else [name]
            self.assertEqual(steady(answer["result"]), steady(site.ask(*words)))
            self.assertGreater(answer["as_of"]["event"], 0)
            self.assertRegex(answer["as_of"]["time"], r"^20\d\d-.*Z$")
            return True
        wait_until(equal, f"{name} is the same by HTTP")

    def test_of_the_past_are_of_the_event_that_had_happened_by_then(self) -> None:
        site = self.site
        visitor = self.visitor
        before = site.ask("history")[-1]
        site.order("rebalance", "pool:west")
        moved(site)
        for name, subject in (("leases", ""), ("clusters", ""), ("hosts", ""),
                              ("lease", "pool:west"), ("usage", ""), ("history", "")):
            with self.subTest(name):
                past = visitor.api(name, subject, at=before["time"])
                self.assertGreater(visitor.api(name, subject)["as_of"]["event"], before["id"])
                if name not in ("usage", "history"):
                    self.assertEqual(past["as_of"]["time"], before["time"])
                    self.assertGreaterEqual(past["as_of"]["event"], before["id"])
        slots = visitor.api("leases", at=before["time"])["result"][0]["consumer_slots"]
        self.assertEqual(slots["available"], 1)
        status, why = visitor.refusal("/api/v1/leases?at=2020-01-01T00:00:00Z")
        self.assertEqual(status, 400)
        self.assertIn("history begins at", why)

    def test_are_not_sent_again_while_nothing_changed_and_compressed_where_asked(self) -> None:
        visitor = self.visitor
        for path in ("/api/v1/policies", "/api/v1/openapi.json", "/"):
            with self.subTest(path):
                first = visitor.get(path)
                again = visitor.get(path, if_none_match=first.fields["etag"])
                self.assertEqual((again.status, again.body), (304, b""))
                self.assertEqual(visitor.get(path, if_none_match='"x"').status, 200)
                head = visitor.get(path, method="HEAD")
                self.assertEqual((head.status, head.body), (200, b""))
                self.assertEqual(head.fields["content-length"], str(len(first.body)))
        plain = visitor.get("/api/v1/openapi.json")
        packed = visitor.get("/api/v1/openapi.json", accept_encoding="gzip")
        self.assertEqual(packed.fields["content-encoding"], "gzip")
        self.assertEqual(packed.json, plain.json)
        self.assertLess(len(packed.body), len(plain.body) / 2)

    def test_carry_what_keeps_browsers_from_misusing_them(self) -> None:
        visitor = self.visitor
        for path in ("/", "/livez", "/readyz", "/api/v1/leases", "/api/v1/no", "/no.js", "/docs", "/docs/"):
            with self.subTest(path):
                fields = visitor.get(path).fields
                self.assertEqual({**fields, **GUARDS}, fields)
                self.assertIn("default-src 'none'; script-src 'self'",
                              fields["content-security-policy"])
                self.assertNotIn("unsafe", fields["content-security-policy"])
                self.assertNotIn("set-cookie", fields)
                self.assertNotIn("access-control-allow-origin", fields)

    def test_to_a_visitor_of_a_broker_without_page_say_so(self) -> None:
        visitor = self.visitor
        page = visitor.get("/")
        about = visitor.get("/api/v1/about").json
        self.assertEqual(page.fields["content-type"], "text/html; charset=utf-8")
        self.assertNotRegex(page.body, rb"<script(?![^>]*\bsrc=)|<style|\bstyle=|\bon\w+=")
        if not about["page"]:
            self.assertIn(b"built without its page", page.body)
        self.assertEqual((about["name"], about["mode"], about["operator"]),
                         ("test", "lease", None))
        self.assertIsNotNone(about["first_event_time"])

    def test_to_a_reader_of_the_guide_are_its_pages_whole_and_nothing_of_this_site(self) -> None:
        visitor = self.visitor
        self.assertEqual(visitor.get("/docs").fields["location"], "/docs/")
        first = visitor.get("/docs/")
        if first.status == 404:
            self.skipTest("this broker was built without its guide: lowdown is missing")
        pages = {"": first.body.decode()}
        for file in re.findall(r'href="([\w-]+\.html)"', pages[""]):
            if file not in pages:
                answer = visitor.get(f"/docs/{file}")
                self.assertEqual((answer.status, answer.fields["content-type"]), (200, "text/html; charset=utf-8"))
                pages[file] = answer.body.decode()
        self.assertGreater(len(pages), 20)
        for file in sorted({each for page in pages.values()
                            for each in re.findall(r'(?:href|src)="([\w.-]+\.(?:css|png|svg))"', page)}):
            self.assertEqual(visitor.get(f"/docs/{file}").status, 200, file)
        self.assertNotIn(str(self.site.path), "".join(pages.values()))
        packed = visitor.get("/docs/", accept_encoding="gzip")
        self.assertEqual(gzip.decompress(packed.body), first.body)
        self.assertEqual(visitor.get("/docs/", if_none_match=first.fields["etag"]).status, 304)

    def test_have_a_description_that_still_has_all_that_was_released(self) -> None:
        """What is added is fine; LEASEHOLD_WRITE_RELEASED=1 keeps what is served now."""
        served = self.visitor.get("/api/v1/openapi.json").json
        if os.environ.get("LEASEHOLD_WRITE_RELEASED"):
            RELEASED.write_text(json.dumps(served, indent=1) + "\n")
        self.assertEqual(lost(json.loads(RELEASED.read_text()), served), [])


class ALongList(unittest.TestCase):
    def test_walked_by_pages_is_the_whole_list(self) -> None:
        policies = [{**POOL, "name": f"p{number}", "hosts": [f"h{number}"], "slots_per_host": 1}
                    for number in range(57)]
        clusters = {"east": Cluster({f"h{number}": 1 for number in range(57)}),
                    "west": Cluster({"small1": 1})}
        with with_http(Site(clusters, policies, broker={"reclaim_delay": "1h"})) as site:
            site.start()
            site.wait_for_agents()
            visitor = Visitor(site.http)
            wait_until(lambda: len(visitor.api("hosts")["result"]) == 58, "all hosts are known")
            for name, key in (("leases", "id"), ("hosts", "host"), ("policies", "policy")):
                with self.subTest(name):
                    self.check_walk(visitor, name, key)
            self.check_history(visitor)

    def check_walk(self, visitor: Visitor, name: str, key: str) -> None:
        whole = [row[key] for row in visitor.api(name)["result"]]
        walked, page, more = [], visitor.api(name, limit=10), 0
        walked += [row[key] for row in page["result"]]
        while "next" in page:
            page = visitor.api(name, limit=10, after=page["next"])
            walked += [row[key] for row in page["result"]]
            more += 1
        self.assertEqual(more, len(whole) // 10 - (len(whole) % 10 == 0))
        self.assertEqual(sorted(walked), sorted(whole))
        self.assertEqual(len(set(walked)), len(walked))

    def check_history(self, visitor: Visitor) -> None:
        whole = visitor.api("history")
        last = whole["result"][-1]["id"]
        self.assertNotIn("next", whole)
        page = visitor.api("history", limit=7)
        walked = page["result"]
        while "next" in page:
            page = visitor.api("history", limit=7, after=page["next"])
            walked += page["result"]
        self.assertEqual([row["id"] for row in walked if row["id"] <= last],
                         [row["id"] for row in whole["result"]])


class TheDescription(unittest.TestCase):
    def test_is_what_is_served(self) -> None:
        """Every path is asked, and every answer keeps to its schema."""
        with with_http(plan_site()) as site:
            site.start()
            site.wait_for_agents()
            visitor = Visitor(site.http)
            lease = wait_until(lambda: visitor.api("leases")["result"], "there is a lease")[0]["id"]
            api = visitor.get("/api/v1/openapi.json").json
            self.assertEqual(api["openapi"], "3.1.0")
            for path, item in api["paths"].items():
                with self.subTest(path):
                    self.check_path(visitor, api, path.replace("{lease}", lease), item["get"])
            refused = resolved(api, api["components"]["schemas"]["error"])
            refused.validate(visitor.get("/api/v1/lease/none").json)

    def check_path(self, visitor: Visitor, api: dict, path: str, get: dict) -> None:
        [(kind, content)] = get["responses"]["200"]["content"].items()
        if kind == "text/event-stream":
            with visitor.stream() as stream:
                for _ in range(2):
                    event = stream.next()
                    schema = api["components"]["schemas"][f"stream-{event['event']}"]
                    resolved(api, schema).validate(event["data"])
            return
        answer = visitor.get(path)
        self.assertEqual(answer.status, 200, answer.body[:300])
        self.assertIn(kind, answer.fields["content-type"])
        if kind == "application/json":
            resolved(api, content["schema"]).validate(answer.json)
        for parameter in get.get("parameters", []):
            if parameter["in"] == "query" and parameter["schema"]["type"] == "boolean":
                self.assertEqual(visitor.get(f"{path}?{parameter['name']}=true").status, 200)

    def test_that_lost_something_is_noticed(self) -> None:
        released = json.loads(RELEASED.read_text())
        changed = json.loads(RELEASED.read_text())
        del changed["paths"]["/api/v1/leases"]
        changed["components"]["schemas"]["leases"]["items"]["properties"]["slots"]["type"] = "string"
        changed["components"]["schemas"]["leases"]["items"]["required"].remove("phase")
        self.assertEqual(len(lost(released, changed)), 3)


class TheListener(unittest.TestCase):
    def test_whose_port_is_taken_is_missed_by_nobody_who_did_not_ask_for_it(self) -> None:
        """In a network of its own: the default port of all."""
        if run("unshare", "-rn", "true").returncode != 0:
            self.skipTest("no user may have a network of its own here")
        site = still_site(verify=False)
        with site:
            text = site.broker.config.read_text().replace('http = ""\n', "")
            site.broker.config.write_text(text)
            taken = ("import os, socket, sys\n"
                     "taken = socket.create_server((\"127.0.0.1\", 7442))\n"
                     "taken.set_inheritable(True)\n"
                     "os.execv(sys.argv[1], sys.argv[1:])")
            words = [PROGRAMS / "lease-broker", "--config", site.broker.config]
            with site.broker.log_path.open("ab") as log:
                process = subprocess.Popen(
                    ["unshare", "-rn", "sh", "-c", 'ip link set lo up; exec "$@"', "sh",
                     "/usr/bin/python3", "-c", taken, *words], stdout=log, stderr=log)
            try:
                site.broker.wait_for_log("event=started")
            finally:
                process.terminate()
                self.assertEqual(process.wait(LAST_BOUND_S), 0)
            log = site.broker.log()
            self.assertIn("event=http-off", log)
            self.assertIn("http=none", log)

    def test_that_was_asked_for_and_cannot_be_had_ends_the_broker(self) -> None:
        with http_site(verify=False) as site, socket.create_server(("127.0.0.1", site.http)):
            answer = run(PROGRAMS / "lease-broker", "--config", site.broker.config)
            self.assertEqual(answer.returncode, 1)
            self.assertIn(f"cannot listen on 127.0.0.1:{site.http}", answer.stderr)

    def test_says_where_it_is_and_is_not_there_where_it_is_turned_off(self) -> None:
        with http_site() as site:
            site.start_broker()
            self.assertIn(f"http=127.0.0.1:{site.http}", site.broker.log())
            ready(Visitor(site.http))
            site.broker.stop()
            site.settings["http"] = ""
            site.write_broker_config()
            site.start_broker()
            self.assertIn("http=none", site.broker.log())
            with self.assertRaises(OSError):
                Visitor(site.http).get("/livez")


if __name__ == "__main__":
    one_site.main()
