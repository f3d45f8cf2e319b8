"""Who may ask a broker by HTTP, and what is refused: broker/SECURITY.md, "Threats and answers"."""
import unittest

import one_site
from http_site import ROLES, TOKENS, OnAnHttpSite, plan_site, with_http, write_tokens
from http_visitor import Visitor
from processes import PROGRAMS, run, wait_until
from scenes import made, still_site

QUESTIONS = ("clusters", "leases", "hosts", "policies", "groups", "consumers", "history", "usage",
             "compare")


class Requests(OnAnHttpSite):
    def test_that_are_wrong_are_refused_by_what_is_wrong(self) -> None:
        site = self.site
        visitor = Visitor(site.http)
        for path, status, told in (
                ("/api/v1/leasses", 404, "did you mean 'leases'?"),
                ("/api/v1/lease/pool:wst", 404, "did you mean 'pool:west'?"),
                ("/api/v1/lease", 400, "no lease is named"),
                ("/api/v1/clusters?clustr=east", 400, "did you mean 'cluster'?"),
                ("/api/v1/clusters?cluster=est", 404, "did you mean 'east'?"),
                ("/api/v1/history?limit=x", 400, "limit: a whole number"),
                ("/api/v1/leases?limit=0", 400, "limit: a whole number from 1"),
                ("/api/v1/backup", 404, "there is no /api/v1/backup"),
                ("/assets/none.js", 404, "there is no /assets/none.js"),
                ("/api/v1/leases?" + "a" * 9000, 414, "more than 8192 bytes")):
            with self.subTest(path[:60]):
                got, why = visitor.refusal(path)
                self.assertEqual(got, status)
                self.assertIn(told, why)

    def test_that_would_change_something_are_refused(self) -> None:
        site = self.site
        events = len(site.ask("history"))
        for method in ("POST", "PUT", "DELETE", "OPTIONS", "PATCH"):
            with self.subTest(method):
                answer = Visitor(site.http).get("/api/v1/leases", method=method)
                self.assertEqual(answer.status, 405)
                self.assertEqual(answer.fields["allow"], "GET, HEAD")
        self.assertEqual(len(site.ask("history")), events)

    def test_with_a_body_are_refused_and_no_second_request_is_read_in_it(self) -> None:
        site = self.site
        body = b"GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n"
        request = (b"GET /livez HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n"
                   % len(body)) + body
        with Visitor(site.http).raw(request) as line:
            answer = b""
            while more := line.recv(4096):
                answer += more
        self.assertEqual(answer.count(b"HTTP/1.1 "), 1)
        self.assertTrue(answer.startswith(b"HTTP/1.1 413 "))

    def test_one_after_the_other_on_one_connection_are_answered_in_order(self) -> None:
        site = self.site
        paths = ["/livez", "/api/v1/policies", "/nothing", "/api/v1/clusters", "/livez"]
        request = "".join(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n" for path in paths)
        request += "GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        with Visitor(site.http).raw(request.encode()) as line:
            answer = b""
            while more := line.recv(4096):
                answer += more
        statuses = [part.split(b" ")[0] for part in answer.split(b"HTTP/1.1 ")[1:]]
        self.assertEqual(statuses, [b"200", b"200", b"404", b"200", b"200", b"200"])

    def test_of_pages_of_other_sites_are_refused_but_links_from_there_work(self) -> None:
        site = self.site
        visitor = Visitor(site.http)
        answer = visitor.get("/api/v1/leases", sec_fetch_site="cross-site", sec_fetch_mode="cors")
        self.assertEqual(answer.status, 403)
        for path in ("/", "/api/v1/leases"):
            answer = visitor.get(path, sec_fetch_site="cross-site", sec_fetch_mode="navigate")
            self.assertEqual(answer.status, 200)
    def test_by_a_name_that_only_points_here_are_refused(self) -> None:
        more = '[http]\nhosts = ["leases.example.org"]\n'
        with with_http(still_site(), more) as site:
            site.start_broker()
            for host, status in (("localhost", 200), ("127.0.0.1:1234", 200), ("[::1]", 200),
                                 ("leases.example.org", 200), ("evil.example.org", 403),
                                 ("127.0.0.1.evil.org", 403)):
                for path in ("/", "/api/v1/leases"):
                    with self.subTest(host=host, path=path):
                        self.assertEqual(Visitor(site.http, host=host).get(path).status, status)


class Tokens(unittest.TestCase):
    def test_are_needed_for_every_request_once_there_is_one(self) -> None:
        site = with_http(still_site())
        site.more += write_tokens(site)
        site.write_broker_config()
        with site:
            made(site)
            for token in ("", "wrong-but-long-enough", TOKENS["ana"][:-1]):
                for path in ("/api/v1/leases", "/api/v1/about", "/api/v1/stream", "/api/v1/no",
                             "/api/v1/openapi.json"):
                    with self.subTest(token=token, path=path):
                        answer = Visitor(site.http, token).get(path)
                        self.assertEqual(answer.status, 401)
                        self.assertEqual(answer.fields["www-authenticate"], "Bearer")
            for path in ("/livez", "/readyz", "/"):
                self.assertEqual(Visitor(site.http).get(path).status, 200)
            for name, token in TOKENS.items():
                about = Visitor(site.http, token).get("/api/v1/about").json
                self.assertEqual(about["operator"], {"name": name, "role": ROLES[name]})
            log = site.broker.log()
            self.assertFalse([name for name, token in TOKENS.items() if token in log])

    def test_are_needed_behind_a_proxy_though_it_comes_from_loopback(self) -> None:
        site = with_http(still_site(), '[http]\nbase_path = "/lease/hold"\n')
        site.more += write_tokens(site, ["ana"])
        site.write_broker_config()
        with site:
            site.start_broker()
            ana = Visitor(site.http, TOKENS["ana"])
            self.assertEqual(Visitor(site.http).get("/lease/hold/api/v1/leases").status, 401)
            for path in ("/lease/hold/api/v1/leases", "/api/v1/leases", "/lease/hold/"):
                self.assertEqual(ana.get(path).status, 200)
            self.assertEqual(ana.get("/api/v1/about").json["base_path"], "/lease/hold")
            bare = ana.get("/lease/hold")
            self.assertEqual((bare.status, bare.fields["location"]), (308, "/lease/hold/"))

    def test_that_are_exchanged_count_from_the_reload_on_also_for_streams_that_stand(self) -> None:
        site = with_http(still_site())
        site.more += write_tokens(site, ["ana", "desk"])
        site.write_broker_config()
        with site:
            made(site)
            ana, desk = (Visitor(site.http, TOKENS[name]) for name in ("ana", "desk"))
            with ana.stream() as kept, desk.stream() as ended:
                (site.path / "desk.token").write_text("another-long-token-of-desk\n")
                site.order("reload", "--yes")
                self.assertEqual(desk.get("/api/v1/leases").status, 401)
                while ended.next():
                    pass
                self.assertEqual(ana.get("/api/v1/leases").status, 200)
                site.order("freeze")
                kept.until(site.ask("history")[-1]["id"])
            self.assertEqual(Visitor(site.http, "another-long-token-of-desk").get("/api/v1/about")
                             .json["operator"]["name"], "desk")

    def test_that_others_can_read_or_that_are_short_keep_a_broker_from_starting(self) -> None:
        site = with_http(still_site(verify=False))
        site.more += write_tokens(site, ["ana", "desk"])
        site.write_broker_config()
        with site:
            token = site.path / "ana.token"
            for spoil, told in ((lambda: token.chmod(0o644), "chmod 600"),
                                (lambda: token.write_text("short\n"), "16 to 512"),
                                (lambda: token.write_text(TOKENS["desk"] + "\n"), "'ana' too"),
                                (token.unlink, "is not there")):
                spoil()
                for words in ((), ("--check-config",)):
                    answer = run(PROGRAMS / "lease-broker", "--config", site.broker.config, *words)
                    self.assertEqual(answer.returncode, 2)
                    self.assertIn(told, answer.stderr)
                    self.assertNotIn(TOKENS["desk"], answer.stderr)
                if token.exists():
                    token.chmod(0o600)

    def test_of_a_branch_show_that_branch_alone(self) -> None:
        site = plan_site()
        site.more += write_tokens(site)
        with with_http(site) as site:
            site.start()
            site.wait_for_agents()
            whole, branch = (Visitor(site.http, TOKENS[name]) for name in ("desk", "science"))
            wait_until(lambda: len(whole.api("leases")["result"]) == 3, "all leases are there")
            rows = {name: branch.api(name)["result"] for name in QUESTIONS}
            self.assertEqual([row["id"] for row in rows["leases"]], ["compute:/science/west"])
            self.assertEqual({row["cluster"] for row in rows["clusters"]}, {"west"})
            self.assertEqual({row["path"] for row in rows["consumers"]},
                             {"/science", "/science/west"})
            self.assertEqual({row["policy"] for row in rows["policies"]}, {"east-pool"})
            self.assertTrue(all("north" not in (row["lease"] or "") and "side" not in
                                (row["lease"] or "") for row in rows["history"]))
            self.assertTrue(rows["history"])
            self.assertEqual({row["consumer"] for row in rows["usage"]} - {None}, {"/science/west"})
            self.assertGreater(len(whole.api("history")["result"]), len(rows["history"]))
            self.assertEqual(branch.refusal("/api/v1/lease/side:east")[0], 404)
            self.assertEqual(branch.refusal("/api/v1/explain/compute:/industry/north")[0], 404)
            self.assertEqual(branch.api("lease", "compute:/science/west")["result"]["consumer"], "west")
            past = branch.api("leases", at="-1ms")["result"]
            self.assertEqual([row["id"] for row in past], ["compute:/science/west"])

    def test_of_a_branch_tell_no_name_of_others(self) -> None:
        site = plan_site()
        site.more += write_tokens(site)
        with with_http(site) as site:
            site.start()
            site.wait_for_agents()
            whole, branch = (Visitor(site.http, TOKENS[name]) for name in ("desk", "science"))
            wait_until(lambda: len(whole.api("leases")["result"]) == 3, "all leases are there")
            wait_until(lambda: len(branch.api("history")["result"]) >= 3, "its lease has a history")
            past = whole.api("about")["time"]
            for name in ("compute:/industry/north", "compute:/industry/nort", "/industry/north",
                         "/industri", "north", "nort", "n1@north", "x:west", "w2@west",
                         "/science/wst", "side:west"):
                for path in (f"explain/{name}", f"explain/{name}?at={past}", f"lease/{name}",
                             f"lease/{name}?at={past}", f"forecast/{name}?at={past}",
                             f"history?lease={name}", f"compare?lease={name}"):
                    with self.subTest(path):
                        code, why = branch.refusal(f"/api/v1/{path}")
                        self.assertEqual((code, why), (404, f"there is no '{name}' in your branch"))
            for question, of in (*((name, "") for name in QUESTIONS), ("attention", ""),
                                 ("explain", "compute:/science/west"), ("explain", "w1@west"),
                                 ("explain", "/science/west"), ("explain", "west"),
                                 ("lease", "compute:/science/west"), ("forecast", "/science/west")):
                with self.subTest(question, of=of):
                    told = str(branch.api(question, of))
                    for other in ("north", "/industry", "side:", "n1"):
                        self.assertNotIn(other, told)

    def test_newest_rows_of_a_branch_are_as_many_as_were_asked_for(self) -> None:
        site = plan_site()
        site.more += write_tokens(site)
        with with_http(site) as site:
            site.start()
            site.wait_for_agents()
            branch = Visitor(site.http, TOKENS["science"])
            wait_until(lambda: len(branch.api("history")["result"]) >= 3, "its lease has a history")
            for _ in range(3):  # rows of others alone
                site.ctl("drain", "north")
                site.ctl("resume", "north")
            rows = branch.api("history")["result"]
            self.assertEqual(branch.api("history", newest="1", limit=3)["result"], rows[-3:])
            self.assertEqual(branch.api("history", limit=3)["result"], rows[:3])


if __name__ == "__main__":
    one_site.main(of_places=2)
