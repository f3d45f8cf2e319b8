"""The page and HTTP behind nginx and Apache, as broker/ports/http/README.md says to set them up.

Its examples are what the proxies are started with, on loopback. Skipped where a proxy is not installed:
`scripts/install-packages proxies`.
"""
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import one_site
from http_site import TOKENS, with_http, write_tokens
from http_visitor import Visitor, ready
from leasehold_site import Site
from one_site import OnAMadeSite
from processes import ROOT, wait_until
from scenes import PATIENT, still_site

EXAMPLES = dict(re.findall(r"```(nginx|apache)\n(.*?)```",
                           (ROOT / "broker/ports/http/README.md").read_text(), re.DOTALL))
NGINX = """
worker_processes 1;
daemon off;
pid {folder}/pid;
error_log {folder}/error.log;
events {{}}
http {{
  access_log off;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  server {{
    listen 127.0.0.1:{port};
    {example}
  }}
}}
"""
APACHE = """
ServerRoot {folder}
ServerName localhost
PidFile {folder}/pid
ErrorLog {folder}/error.log
Listen 127.0.0.1:{port}
LoadModule mpm_event_module /usr/lib/apache2/modules/mod_mpm_event.so
LoadModule authz_core_module /usr/lib/apache2/modules/mod_authz_core.so
LoadModule proxy_module /usr/lib/apache2/modules/mod_proxy.so
LoadModule proxy_http_module /usr/lib/apache2/modules/mod_proxy_http.so
LoadModule headers_module /usr/lib/apache2/modules/mod_headers.so
{example}
"""


class Proxy:
    """One proxy in the foreground, with the example that speaks of this broker's port."""

    def __init__(self, kind: str, broker_port: int, port: int) -> None:
        self.kind = kind
        self.folder = Path(tempfile.mkdtemp(prefix=f"leasehold-{kind}-"))
        example = EXAMPLES[kind].replace(":7442", f":{broker_port}")
        text = {"nginx": NGINX, "apache": APACHE}[kind]
        (self.folder / "conf").write_text(
            text.format(folder=self.folder, port=port, example=example))
        words = {"nginx": ["nginx", "-c", self.folder / "conf"],
                 "apache": ["apache2", "-X", "-f", self.folder / "conf"]}[kind]
        self.visitor = Visitor(port, base="/leasehold")
        with open(self.folder / "said", "w") as said:
            self.process = subprocess.Popen(words, stdout=said, stderr=said)

    def __enter__(self) -> "Proxy":
        wait_until(self.answers, f"the proxy answers: {self.said()}")
        return self

    def __exit__(self, *_) -> None:
        # Apache, terminated, waits until the broker says something on a stream that is gone; nginx,
        # killed, leaves its workers behind.
        if self.kind == "nginx":
            self.process.terminate()
        else:
            self.process.kill()
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def said(self) -> str:
        return (self.folder / "said").read_text()

    def answers(self) -> bool:
        assert self.process.poll() is None, self.said()
        try:
            return self.visitor.get("/livez").status == 200
        except OSError:
            return False


class Proxies:
    """A site behind the proxy, with tokens; its visitor has ana's."""

    kind = ""

    def site_for_all(self) -> Site:
        site = with_http(still_site(broker=PATIENT))
        site.more += '[http]\nrate_per_address = 20\nbase_path = "/leasehold"\n' + write_tokens(site)
        site.write_broker_config()
        return site

    def begin(self) -> None:
        super().begin()
        ready(Visitor(self.site.http))
        proxy = Proxy(self.kind, self.site.http, self.site.claim.ports[3])
        self.addClassCleanup(proxy.__exit__)
        type(self).visitor = proxy.__enter__().visitor
        self.visitor.token = TOKENS["ana"]

    def as_found(self) -> None:
        super().as_found()
        wait_until(lambda: self.visitor.get("/api/v1/about").status == 200, "the visitor may ask")

    def test_questions_go_through_with_a_token_and_not_without(self) -> None:
        visitor = self.visitor
        answer = visitor.get("/api/v1/leases")
        self.assertEqual(answer.status, 200, answer.body)
        self.assertEqual([row["id"] for row in answer.json["result"]], ["pool:west"])
        again = visitor.get("/api/v1/leases", If_None_Match=answer.fields["etag"])
        self.assertIn(again.status, (200, 304))
        stranger = Visitor(visitor.port, base=visitor.base)
        self.assertEqual(stranger.get("/api/v1/leases").status, 401)
        self.assertEqual(stranger.get("/readyz").status, 200)

    def test_the_page_and_its_parts_come_by_relative_addresses(self) -> None:
        visitor = self.visitor
        page = visitor.get("/")
        if page.status == 404:
            self.skipTest("built without the page")
        self.assertEqual(page.status, 200)
        parts = re.findall(r'(?:src|href)="([^"#:]+)"', page.body.decode())
        self.assertTrue(parts)
        for part in parts:
            self.assertFalse(part.startswith("/"), part)
            self.assertEqual(visitor.get("/" + part).status, 200, part)

    def test_events_come_at_once_through_the_proxy(self) -> None:
        visitor = self.visitor
        with visitor.stream() as stream:
            first = stream.until(0)[-1]
            self.all_moved()
            self.assertGreater(stream.until(first + 1)[-1], first)

    def test_limits_go_by_the_visitor_not_by_the_proxy(self) -> None:
        visitor = self.visitor
        # What a visitor says of himself is not believed: the proxy says who he is.
        asked = 0
        def refused() -> bool:
            nonlocal asked
            asked += 1
            said = {"X_Forwarded_For": f"203.0.113.{asked % 250}"}
            return visitor.get("/api/v1/about", **said).status == 429
        wait_until(refused, "too many questions of one visitor are refused", every=0)


def lacking(program: str) -> str:
    return "" if shutil.which(program) else f"{program} is not installed"


@unittest.skipIf(lacking("nginx"), lacking("nginx"))
class BehindNginx(Proxies, OnAMadeSite):
    kind = "nginx"


@unittest.skipIf(lacking("apache2"), lacking("apache2"))
class BehindApache(Proxies, OnAMadeSite):
    kind = "apache"


if __name__ == "__main__":
    one_site.main()
