"""Two brokers behind what asks /leader, as broker/ports/http/README.md says to set it up: its examples of HAProxy
and Kubernetes are what is run here, on loopback, HAProxy in front of the example's nginx with TLS on each machine.

Skipped where a program is not installed: `scripts/install-packages proxies`.
"""
import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "integration"))

import skipped
from http_visitor import Visitor
from ports import Claim
from postgres_server import PostgresServer
from processes import ROOT, wait_until
from proxy_test import EXAMPLES, NGINX
from scenes import busy_site
from standby_site import Place, StandbySite

try:
    import yaml
except ImportError:
    yaml = None

PAGE = (ROOT / "broker/ports/http/README.md").read_text()
HAPROXY = """
global
    maxconn 100
defaults
    mode http
    timeout connect 5s
    timeout client 1m
    timeout server 1m
frontend site
    bind 127.0.0.1:{port}
    default_backend leasehold
{example}
"""
PROGRAMS = ("haproxy", "nginx", "openssl", "curl")


def example(kind: str) -> str:
    found, = re.findall(rf"```{kind}\n(.*?)```", PAGE, re.DOTALL)
    return found


def replaced(text: str, words: dict[str, str]) -> str:
    """All of them are there, or the example says something else by now."""
    for before, after in words.items():
        assert before in text, f"{before!r} is not in: {text}"
        text = text.replace(before, after)
    return text


def lacking() -> str:
    missing = [name for name in PROGRAMS if not shutil.which(name)] + ([] if yaml else ["python3-yaml"])
    return f"not installed: {', '.join(missing)}" if missing else ""


@unittest.skipIf(lacking(), lacking())
class Balanced(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.server = cls.enterClassContext(PostgresServer())

    def setUp(self) -> None:
        self.front = Claim()
        self.addCleanup(self.front.release)

    def site(self, more: str = "") -> StandbySite:
        site = busy_site(lambda *words, **settings: StandbySite(self.server, *words, **settings))
        site.more += more
        site.write_places()
        return site

    def started(self, *command) -> None:
        with open(self.folder / Path(command[0]).name, "ab") as said:
            process = subprocess.Popen(command, stdout=said, stderr=said, stdin=subprocess.DEVNULL)
        self.addCleanup(process.wait)
        self.addCleanup(process.terminate)

    def make_certificate(self) -> None:
        """Of both machines, and its own authority."""
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
                        "-nodes", "-keyout", self.folder / "key", "-out", self.folder / "certificate", "-days", "2",
                        "-subj", "/CN=test", "-addext",
                        "subjectAltName=DNS:hub-a.example.org,DNS:hub-b.example.org"],
                       check=True, capture_output=True)

    def start_nginx(self, place: Place, port: int) -> None:
        folder = self.folder / place.name
        (folder / "nginx").mkdir()
        tls = f"ssl_certificate {self.folder}/certificate; ssl_certificate_key {self.folder}/key;\n"
        text = NGINX.format(folder=folder / "nginx", port=f"{port} ssl",
                            example=tls + replaced(EXAMPLES["nginx"], {"127.0.0.1:7442": place.http}))
        (folder / "nginx/conf").write_text(text)
        self.started("nginx", "-c", folder / "nginx/conf")

    def start_haproxy(self, **words: str) -> Visitor:
        port, *backs = self.front.ports[:3]
        text = replaced(example("haproxy"), {
            "/etc/ssl/certs/ca-certificates.crt": str(self.folder / "certificate"),
            "hub-a.example.org:443": f"127.0.0.1:{backs[0]}",
            "hub-b.example.org:443": f"127.0.0.1:{backs[1]}", **words})
        (self.folder / "haproxy.cfg").write_text(HAPROXY.format(port=port, example=text))
        self.started("haproxy", "-db", "-f", self.folder / "haproxy.cfg")
        return Visitor(port, base="/leasehold")

    def balanced(self) -> StandbySite:
        site = self.site('[http]\nbase_path = "/leasehold"\nhosts = ["cluster.example.org"]\n')
        self.folder = site.path
        self.make_certificate()
        for place, port in zip(site.places, self.front.ports[1:3]):
            self.start_nginx(place, port)
        return site

    def test_haproxy_sends_everybody_to_who_leads_and_to_the_next_when_that_was_killed(self) -> None:
        with self.balanced() as site:
            visitor = self.start_haproxy()

            def answers(status: int, body: bytes) -> bool:
                try:
                    answer = visitor.get("/leader", Host="cluster.example.org")
                except OSError:
                    return False  # it is not there yet
                return answer.status == status and body in answer.body
            wait_until(lambda: answers(503, b""), "there is nobody to send to")
            first = site.start_all()
            wait_until(lambda: answers(200, b"leads, epoch 1\n"), "it sends to the leader")
            page = visitor.get("/livez", Host="cluster.example.org")
            self.assertEqual(page.status, 200)
            first.daemon.kill9()
            site.wait_for_leader(site.standbys())
            wait_until(lambda: answers(200, b"leads, epoch 2\n"), "it sends to the next")
            first.daemon.start()
            wait_until(first.row, "it stands by")
            for _ in range(20):
                self.assertTrue(answers(200, b"leads, epoch 2\n"))

    def test_a_certificate_of_another_machine_is_not_sent_to(self) -> None:
        with self.balanced() as site:
            site.start_all()
            visitor = self.start_haproxy(**{"verifyhost hub-a.example.org": "verifyhost hub-c.example.org",
                                            "verifyhost hub-b.example.org": "verifyhost hub-c.example.org"})
            said = self.folder / "haproxy"
            wait_until(lambda: said.read_text().count("is DOWN") >= 2, "it has looked at both")
            self.assertEqual(visitor.get("/leader").status, 503)

    def test_the_probe_for_kubernetes_is_ready_at_the_leader_alone(self) -> None:
        probe = yaml.safe_load(example("yaml"))["readinessProbe"]
        self.assertEqual(set(probe), {"exec", "periodSeconds"})
        with self.site() as site:
            leader = site.start_all()
            standby, = site.standbys()

            def ready(place: Place) -> bool:
                command = [replaced(word, {"127.0.0.1:7442": place.http}) if "://" in word else word
                           for word in probe["exec"]["command"]]
                return subprocess.run(command, capture_output=True, check=False).returncode == 0
            wait_until(lambda: ready(leader), "the leader is ready")
            self.assertFalse(ready(standby))
            leader.daemon.kill9()
            wait_until(lambda: ready(standby), "the next is")
            site.look_at(standby)


if __name__ == "__main__":
    skipped.main()
