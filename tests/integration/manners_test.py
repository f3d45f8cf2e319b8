"""The manners of a daemon: signals, checks before starting, readiness, who may run beside whom."""
import contextlib
import os
import re
import signal
import socket
import subprocess
import unittest

import one_site
from configs import POOL, Cluster
from leasehold_site import Site
from one_site import OnAMadeSite
from processes import LAST_BOUND_S, PROGRAMS, ROOT, Daemon, run, wait_until
from scenes import made, made_anew, still_site


class OnASite(OnAMadeSite):
    def test_stops_cleanly_on_sigterm_and_goes_on_where_it_was(self) -> None:
        site = self.site
        self.assertEqual(site.broker.stop(), 0)
        site.start_broker()
        site.wait_for_agents()
        site.wait_for_lease(phase="active", consumer_slots__used=1, in_transfer=0)
        self.assertEqual(site.held(), (3, 1))
        self.assertEqual(self.since("transfer-started"), [], "nothing moved again")

    def test_reloads_on_sighup(self) -> None:
        site = self.site
        site.policies.append({**POOL, "name": "more", "slots_per_host": 1,
                              "distribution": [{"cluster": "west", "shares": 1}]})
        site.write_broker_config()
        site.broker.signal(signal.SIGHUP)
        wait_until(lambda: len(site.ask("leases")) == 2, "the new policy has a lease")
        site.policies.pop()
        made_anew(site)

    def test_changes_nothing_when_the_reloaded_file_is_broken_and_says_so(self) -> None:
        site = self.site
        before = site.ask("policies")
        site.broker.config.write_text("[broker]\nreclaim_dely = \"5s\"\n")
        site.broker.signal(signal.SIGHUP)
        site.broker.wait_for_log("reclaim_dely")
        self.assertIn("broker.toml:2", site.broker.log())
        refused = site.ctl("reload", "--yes")
        self.assertNotEqual(refused.returncode, 0)
        self.assertEqual(site.ask("policies"), before)
        self.assertEqual(site.lease()["phase"], "active")
        site.write_broker_config()

    def test_refuses_a_database_that_another_broker_uses(self) -> None:
        site = self.site
        text = site.broker.config.read_text()
        text = text.replace(site.listen, f"tcp://127.0.0.1:{site.claim.ports[2]}")
        text = text.replace(site.control, f"tcp://127.0.0.1:{site.claim.ports[3]}")
        second = Daemon("lease-broker", "second broker", site.path / "second.toml")
        second.config.write_text(text)
        second.start()
        self.assertEqual(second.wait(), 1)
        self.assertIn("leasehold.db", second.log())

    def test_writes_no_line_per_report(self) -> None:
        """What it reports changes all the time; no policy is of it."""
        work = {"generator": "bursts", "busy": 1.5, "period": "2s", "widths": [1], "run_time": "300ms", "seed": 1}
        with Site({"north": Cluster({"n1": 2}, workload=work)}, []) as site:
            site.start()
            site.wait_for_agents()
            before = len(site.broker.log().splitlines())
            for _ in range(10):
                heard = site.flow("north")["last_report"]
                wait_until(lambda heard=heard: site.flow("north")["last_report"] != heard, "it reports")
            self.assertLessEqual(len(site.broker.log().splitlines()) - before, 2)

    def test_an_agent_stops_cleanly_on_sigterm_and_keeps_its_slots(self) -> None:
        site = self.site
        self.assertEqual(site.agents["west"].stop(), 0)
        site.check_ledgers()
        site.agents["west"].start()
        site.wait_for_agents()
        site.wait_for_lease(phase="active", consumer_slots__used=1)

    def test_an_agent_is_replaced_by_its_own_next_start_at_once(self) -> None:
        site = self.site
        site.agents["west"].kill9()
        site.agents["west"].start()
        site.agents["west"].wait_for_log("session")
        site.wait_for_lease(phase="active", consumer_slots__used=1)

    def test_an_agent_is_refused_beside_another_for_the_same_cluster(self) -> None:
        site = self.site
        text = site.agents["west"].config.read_text()
        other = Daemon("lease-agent", "second agent", site.path / "other.toml")
        other.config.write_text(text.replace("west-agent.db", "other-agent.db")
                                .replace("west-jobs.db", "other-jobs.db"))
        other.start()
        other.wait_for_log("second-agent")
        self.assertEqual(site.flow("west")["agent"], "up")
        self.assertEqual(other.stop(), 0)

    def test_an_agent_refuses_a_state_file_that_another_agent_uses(self) -> None:
        site = self.site
        twin = Daemon("lease-agent", "twin", site.path / "twin.toml")
        twin.config.write_text(site.agents["west"].config.read_text())
        twin.start()
        self.assertNotEqual(twin.wait(), 0)
        self.assertIn("west-agent.db", twin.log())


class UnreadLog(unittest.TestCase):
    def test_of_a_broker_keeps_it_from_no_answer_and_from_no_sigterm(self) -> None:
        """Symptom: its loop waited in a write to a full pipe, for ever."""
        with still_site() as site, contextlib.ExitStack() as ends:
            read, write = os.pipe()
            ends.callback(os.close, read)
            os.set_blocking(write, False)
            with contextlib.suppress(BlockingIOError):
                while True:
                    os.write(write, b"x" * 1024)
            os.set_blocking(write, True)
            broker = subprocess.Popen([PROGRAMS / "lease-broker", "--config", site.broker.config],
                                      stdin=subprocess.DEVNULL, stderr=write)
            ends.callback(broker.wait)
            ends.callback(broker.kill)
            os.close(write)
            wait_until(lambda: site.ctl("status").returncode in (0, 1), "it answers")
            broker.send_signal(signal.SIGTERM)
            self.assertEqual(broker.wait(), 0)


class Systemd(unittest.TestCase):
    def test_is_told_when_a_broker_is_ready_and_when_it_stops(self) -> None:
        with still_site() as site, socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notified:
            notified.bind(str(site.path / "notify"))
            notified.settimeout(LAST_BOUND_S)
            site.broker.environment["NOTIFY_SOCKET"] = str(site.path / "notify")
            site.start_broker()
            self.assertIn(b"READY=1", notified.recv(500))
            site.broker.stop()
            self.assertIn(b"STOPPING=1", notified.recv(500))

    def test_is_told_that_programs_live_where_nothing_happens(self) -> None:
        with still_site() as site, socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notified:
            notified.bind(str(site.path / "notify"))
            notified.settimeout(LAST_BOUND_S)
            site.clusters["west"].agent["call_timeout"] = "100ms"
            site.write_agent_config("west")
            for daemon in (site.broker, site.agents["west"]):
                daemon.environment |= {"NOTIFY_SOCKET": str(site.path / "notify"),
                                       "WATCHDOG_USEC": "300000"}
                daemon.start()
                said = b""
                while said.count(b"WATCHDOG=1") < 5:
                    said += notified.recv(500)
                # An agent may wait for 15 calls; of a supervisor that waits for less it was killed.
                self.assertEqual(b"WATCHDOG_USEC=1500000" in said, daemon is not site.broker)
                daemon.stop()
                while b"STOPPING=1" not in said:
                    said += notified.recv(500)


class AUmask(unittest.TestCase):
    def test_that_is_stricter_than_ours_was_opened_to_the_group_and_to_others(self) -> None:
        given = os.umask(0o077)
        try:
            with still_site() as site:
                site.clusters["west"].agent["metrics_file"] = "west.prom"
                site.write_agent_config("west")
                made(site)
                wait_until((site.path / "west.prom").exists, "the agent's metrics are there")
                wide = [path.name for path in site.path.rglob("*") if path.lstat().st_mode & 0o077
                        and not path.is_symlink()]
                self.assertEqual(wide, [])
        finally:
            os.umask(given)


class AMistypedLine(unittest.TestCase):
    def test_is_answered_by_what_is_wrong_and_by_what_would_be_right(self) -> None:
        check = "unknown option '--chek-config'; did you mean '--check-config'? Else see {} --help"
        for program, words, told in (
                ("lease-broker", ["--chek-config"], check.format("lease-broker")),
                ("lease-agent", ["--chek-config"], check.format("lease-agent")),
                ("lease-broker", ["--zzzzzz"], "unknown option '--zzzzzz'; see lease-broker --help"),
                ("lease-broker", ["broker.toml"],
                 "'broker.toml' is one word too many; see lease-broker --help"),
                ("lease-broker", ["--config"], "--config needs a value: TEXT; see lease-broker --help"),
                ("lease-agent", ["--config", "a", "--config", "b"],
                 "--config is given more than once; once would be right; see lease-agent --help"),
                ("lease-agent", ["interupts", "--job", "42"],
                 "unknown command 'interupts'; did you mean 'interrupts'? Else see lease-agent --help"),
                ("lease-agent", ["interrupts", "--jobb", "42"], "unknown option '--jobb'; "
                 "did you mean '--job'? Else see lease-agent interrupts --help"),
                ("lease-agent", ["interrupts"], "--job is required; see lease-agent interrupts --help"),
                ("lease-agent", ["--force"], "--force requires --release; see lease-agent --help")):
            with self.subTest(program=program, words=words):
                answer = run(PROGRAMS / program, *words)
                self.assertEqual((answer.returncode, answer.stdout), (2, ""))
                self.assertEqual(answer.stderr, f"{program}: {told}\n")


class CheckConfig(unittest.TestCase):
    def check(self, program: str, name: str, text: str, status: int, *words: str) -> None:
        with still_site(verify=False) as site:
            path = site.path / name
            path.write_text(text if text else path.read_text())
            answer = run(PROGRAMS / program, "--config", path, "--check-config")
            self.assertEqual(answer.returncode, status, answer.stdout + answer.stderr)
            for word in words:
                self.assertIn(word, answer.stderr)

    def test_passes_what_is_right(self) -> None:
        self.check("lease-broker", "broker.toml", "", 0)
        self.check("lease-agent", "west.toml", "", 0)

    def test_names_place_fault_and_remedy_of_what_is_wrong(self) -> None:
        self.check("lease-broker", "broker.toml", "[broker]\nlisten = 5\n", 2, "broker.toml:2")
        self.check("lease-agent", "west.toml", "[agent]\nclustre = \"x\"\n", 2, "west.toml:2",
                   "cluster")

    def test_describes_every_key_without_a_configuration(self) -> None:
        for program, kept in {"lease-broker": "config/KEYS.md",
                              "lease-agent": "config/AGENT_KEYS.md"}.items():
            answer = run(PROGRAMS / program, "--describe-config", "--config", "/nonexistent")
            self.assertEqual((answer.returncode, answer.stderr), (0, ""))
            self.assertEqual(answer.stdout, (ROOT / kept).read_text())

    def test_describes_every_metric_without_a_configuration(self) -> None:
        for program, kept in {"lease-broker": "schema/METRICS.md",
                              "lease-agent": "schema/AGENT_METRICS.md"}.items():
            answer = run(PROGRAMS / program, "--describe-metrics", "--config", "/nonexistent")
            self.assertEqual((answer.returncode, answer.stderr), (0, ""))
            self.assertEqual(answer.stdout, (ROOT / kept).read_text())

    def refused_by_both(self, program: str, name: str, old: str, new: str, word: str) -> None:
        """By --check-config with exit 2 and a reason, and by a start."""
        with still_site(verify=False) as site:
            (site.path / "folder").mkdir()
            (site.path / "circle").symlink_to("circle")
            (site.path / "to-no-folder").symlink_to("no/made.db")
            path = site.path / name
            text = path.read_text()
            self.assertRegex(text, old)
            path.write_text(re.sub(old, lambda _: new, text, count=1))
            answer = run(PROGRAMS / program, "--config", path, "--check-config")
            self.assertEqual(answer.returncode, 2, answer.stdout + answer.stderr)
            self.assertIn(word, answer.stderr)
            self.assertFalse((site.path / "made.db").exists())
            daemon = site.broker if program == "lease-broker" else site.agents["west"]
            daemon.start()
            self.assertNotEqual(daemon.wait(), 0)

    def test_refuses_what_a_start_of_the_broker_refuses(self) -> None:
        for new, word in (('database = ":memory:"', "keeps nothing"),
                          ('database = "folder"', "is a folder"),
                          ('database = "no/made.db"', "there is no folder"),
                          ('database = "circle"', "Too many levels of symbolic links"),
                          ('database = "to-no-folder"', "there is no folder"),
                          ('database = "/proc/version"', "keeps nothing"),
                          ('database = "/proc/made.db"', "keeps nothing"),
                          ('database = "a\\u0000b"', "U+0000"),
                          ('database = "broker.toml"', "is no SQLite database")):
            with self.subTest(new):
                self.refused_by_both("lease-broker", "broker.toml", "database = .*", new, word)
        self.refused_by_both("lease-broker", "broker.toml", "control = .*",
                             'control = "ipc://no/made"', "there is no folder")
        for path, word in (("/proc/made", "keeps nothing"), ("@made", "is no path"),
                           ("folder/../leasehold.db", "the same file")):
            with self.subTest(path):
                self.refused_by_both("lease-broker", "broker.toml", "control = .*",
                                     f'control = "ipc://{path}"', word)

    def test_refuses_what_a_start_of_an_agent_refuses(self) -> None:
        for old, new, word in ((r"(?m)^state = .*", 'state = ":memory:"', "keeps nothing"),
                               (r"(?m)^state = .*", 'state = "folder"', "is a folder"),
                               (r"(?m)^state = .*", 'state = "no/made.db"', "there is no folder"),
                               (r"(?m)^state = .*", 'state = "circle"', "Too many levels of symbolic links"),
                               (r"(?m)^state = .*", 'state = "/proc/version"', "keeps nothing"),
                               (r"(?m)^trace = .*", 'trace = "made.swf"', "cannot open the trace"),
                               (r"(?m)^trace = .*", 'trace = "folder"', "folder")):
            with self.subTest(new):
                self.refused_by_both("lease-agent", "west.toml", old, new, word)


if __name__ == "__main__":
    one_site.main(of_places=2)
