"""Who may speak to the broker, as whom, and what that one may do: real processes over CURVE."""
import json
import os
import signal
import stat
import time
import unittest
from pathlib import Path

import side_by_side
import zmq
from configs import Cluster, Job, table
from leasehold_site import Site
from processes import LAST_BOUND_S, PROGRAMS, Daemon, run, wait_until
from scenes import LONG_S, made, moved, still_site
from secure_site import SecureSite
from wire import HEARTBEAT, FakeAgent

CHANGES = (["freeze"], ["thaw"], ["drain", "west"], ["resume", "west"], ["forget", "west"],
           ["rebalance", "pool:west"], ["close", "big1@east"], ["open", "big1@east"],
           ["reload", "--yes"])
QUESTIONS = (["clusters"], ["leases"], ["lease", "pool:west"], ["hosts"], ["policies"],
             ["explain", "pool:west"], ["history"])


def secure_site(**settings) -> SecureSite:
    """The still site of scenes.py, with keys."""
    broker = {"reclaim_delay": "1h", **settings.pop("broker", {})}
    return SecureSite({"east": Cluster({"big1": 8}), "west": Cluster({"small1": 1},
                      [Job(0, LONG_S)] * 5)}, broker=broker, **settings)


class AListener(unittest.TestCase):
    def refused(self, site, daemon: Daemon, *words: str) -> None:
        daemon.start()
        self.assertEqual(daemon.wait(), 2, daemon.log())
        for word in words:
            self.assertIn(word, daemon.log())

    def test_that_others_can_reach_is_refused_without_keys(self) -> None:
        for key in "listen", "control":
            with self.subTest(key), still_site(verify=False) as site:
                setattr(site, key, f"tcp://0.0.0.0:{site.claim.ports[0]}")
                site.write_broker_config()
                self.refused(site, site.broker, f"broker.toml:{8 if key == 'listen' else 9}",
                             f"'{key}'", "leasectl keygen", "[security]", "secret_key_file")

    def test_does_not_start_with_a_key_that_others_can_read(self) -> None:
        with secure_site(verify=False) as site:
            for daemon, name in (site.broker, "broker"), (site.agents["east"], "east"):
                with self.subTest(name):
                    path = site.key(name)["file"]
                    path.chmod(0o640)
                    self.refused(site, daemon, f"chmod 600 {path}", ".toml:")
                    path.unlink()
                    self.refused(site, daemon, "is not there", "leasectl keygen")

    def test_with_keys_takes_nothing_from_plain_peers(self) -> None:
        with secure_site() as site:
            site.start_broker()
            for endpoint in site.listen, site.control:
                with FakeAgent(endpoint) as plain:
                    plain.is_turned_away(HEARTBEAT)
            answer = run(PROGRAMS / "leasectl", "leases", "--broker", site.control)
            self.assertEqual(answer.returncode, 2, answer.stderr)
            self.assertIn("--key", answer.stderr)


class Keygen(unittest.TestCase):
    def test_makes_a_file_for_its_owner_alone_and_never_writes_over_it(self) -> None:
        with secure_site(verify=False) as site:
            made = run(PROGRAMS / "leasectl", "keygen", "--out", site.path / "other", "--json")
            path = Path(json.loads(made.stdout)["secret_key_file"])
            self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o600)
            before = path.read_text()
            again = run(PROGRAMS / "leasectl", "keygen", "--out", site.path / "other")
            self.assertEqual(again.returncode, 1)
            self.assertIn("is there already", again.stderr)
            self.assertEqual(path.read_text(), before)

    def test_tells_what_to_write_where_and_that_works(self) -> None:
        with secure_site(verify=False) as site:
            answer = run(PROGRAMS / "leasectl", "keygen", "--out", site.path / "bob", "--json")
            made_key = json.loads(answer.stdout)
            parts = {part["where"]: part["text"] for part in made_key["put"]
                     if part["for"] == "operator"}
            broker_part = next(text for where, text in parts.items() if "broker.toml" in where)
            site.more = broker_part
            site.write_broker_config()
            site.start_broker()
            home = site.path / "home/.config/leasehold"
            home.mkdir(parents=True)
            own = next(text for where, text in parts.items() if "ctl.toml" in where)
            (home / "ctl.toml").write_text(f'broker = "{site.control}"\n'
                                           + own.replace("…", site.key("broker")["public"]))
            asked = run(PROGRAMS / "leasectl", "leases", env={**os.environ, "HOME": str(site.path / "home")})
            self.assertEqual(asked.returncode, 0, asked.stderr)


class Agents(unittest.TestCase):
    def test_lease_over_curve(self) -> None:
        with secure_site() as site:
            made(site)
            site.order("rebalance", "pool:west")
            moved(site)

    def test_with_an_unknown_key_come_in_when_it_is_entered(self) -> None:
        with secure_site() as site:
            site.owners["west"] = []
            site.write_broker_config()
            site.start()
            site.agents["west"].wait_for_log("connection-refused")
            self.assertIn(site.key("west")["public"], site.agents["west"].log())
            self.assertNotEqual(site.flow("west")["agent"], "up")
            site.owners.clear()
            site.write_broker_config()
            site.order("reload", "--yes")
            site.wait_for_lease(phase="active", consumer_slots__used=1)

    def test_are_not_fooled_by_a_broker_with_another_key(self) -> None:
        with secure_site() as site:
            site.start_broker()
            site.broker_keys = ["impostor"]
            site.write_agent_config("west")
            site.agents["west"].start()
            site.agents["west"].wait_for_log("broker_public_key is not its key")
            self.assertNotEqual(site.flow("west")["agent"], "up")

    def test_speak_for_their_own_cluster_only(self) -> None:
        with secure_site() as site:
            site.start_broker()
            site.agents["west"].start()
            with site.fake_agent("west") as liar:
                refusal = liar.hello("east")
                self.assertEqual((refusal["t"], refusal["reason"]), ("refusal", "wrong-key"))
                self.assertIn("east", refusal["message"])
                self.assertNotEqual(site.flow("east")["agent"], "up")
                row = wait_until(lambda: site.flow("east", reason="wrong-key"), "it is shown")
                self.assertEqual(row["agent"], "refused")
            with site.fake_agent("ana") as operator:  # an operator is no agent
                operator.is_turned_away(HEARTBEAT)

    def test_cannot_go_on_with_the_session_of_another(self) -> None:
        with secure_site() as site:
            site.start_broker()
            with site.fake_agent("east") as east, site.fake_agent("west") as west:
                self.assertEqual(east.hello("east")["t"], "configuration")
                west.session, west.configuration = east.session, east.configuration
                west.report([], pending=99)
                self.assertEqual(west.receive()["t"], "welcome")
                west.inventory({"big1": 99})
                self.assertEqual(west.receive()["t"], "welcome")
                self.assertEqual(site.ask("hosts"), [])


class AKeyThatIsRemoved(unittest.TestCase):
    def test_has_no_say_any_more_at_once(self) -> None:
        with secure_site(broker={"agent_timeout": "10m"}) as site:
            made(site)
            with site.fake_agent("desk", site.control) as desk:
                desk.send_bytes(b'{"leasehold": 1, "command": "clusters"}')
                self.assertTrue(desk.socket.poll(1000 * LAST_BOUND_S))
                desk.socket.recv()
                site.owners["west"] = []
                del site.operators["desk"]
                site.write_broker_config()
                site.broker.signal(signal.SIGHUP)
                site.broker.wait_for_log("key-removed")
                wait_until(lambda: site.flow("west")["agent"] != "up", "west is lost at once")
                desk.is_turned_away(b'{"leasehold": 1, "command": "clusters"}')  # nor may it connect again
            self.assertEqual(site.ctl("leases", operator="desk").returncode, 3)
            site.agents["west"].wait_for_log("connection-refused")
            site.check_ledgers()

    def test_is_exchanged_for_another_without_a_gap(self) -> None:
        with secure_site(broker={"agent_timeout": "10m"}) as site:
            made(site)
            site.owners["west"] = ["west", "west2"]
            site.write_broker_config()
            site.order("reload", "--yes")
            site.write_agent_config("west", key="west2")
            site.agents["west"].signal(signal.SIGHUP)
            wait_until(lambda: site.broker.log().count("event=agent-up cluster=west") == 2,
                       "it has come with its new key")
            site.owners["west"] = ["west2"]
            site.write_broker_config()
            site.order("reload", "--yes")
            self.assertEqual(site.flow("west")["agent"], "up")
            self.assertNotIn("agent-lost", site.broker.log())
            site.order("rebalance", "pool:west")
            moved(site)
            with site.fake_agent("west") as old:
                old.is_turned_away(HEARTBEAT)

    def test_of_the_broker_is_exchanged_without_a_restart(self) -> None:
        with secure_site() as site:
            site.broker_keys = ["broker", "broker2"]
            for name in site.agents:
                site.write_agent_config(name)
            made(site)
            process = site.broker.process.pid
            site.replace_broker_key()
            site.broker.signal(signal.SIGHUP)
            site.broker.wait_for_log("broker-key-changed")
            wait_until(lambda: site.ctl("leases", broker="broker2").returncode == 0, "new key")
            self.assertEqual(site.ctl("leases").returncode, 3)
            for name in site.agents:
                wait_until(lambda: site.broker.log().count(f"agent-up cluster={name}") == 2, name)
            self.assertEqual(site.broker.process.pid, process)


class AnOperator(unittest.TestCase):
    def test_may_do_what_its_role_says_and_is_named_in_the_history(self) -> None:
        with secure_site() as site:
            made(site)
            for name, role in site.operators.items():
                for question in QUESTIONS:
                    answer = site.ctl(*question, operator=name)
                    self.assertEqual(answer.returncode, 0, f"{name} {question}: {answer.stderr}")
                if role == "admin":
                    continue
                for change in CHANGES:
                    answer = site.ctl(*change, "--json", operator=name)
                    self.assertEqual(answer.returncode, 1, f"{name} {change}")
                    error = json.loads(answer.stdout)["error"]
                    self.assertEqual(error["code"], "refused")
                    self.assertIn(f"role {role}", error["message"])
                site.broker.wait_for_log(f"event=operator-refused by={name}")
            self.assertEqual(site.history("operator-command"), [])
            with site.fake_agent("ana", site.control) as ana:  # what it calls itself counts nothing
                ana.send_bytes(b'{"leasehold": 1, "command": "freeze", "by": "genomics"}')
                self.assertTrue(ana.socket.poll(1000 * LAST_BOUND_S))
            site.order("thaw")
            site.order("reload", "--yes")
            rows = site.ask("history")
            self.assertEqual([row["by"] for row in rows if row["kind"] == "operator-command"],
                             ["ana", "ana"])
            self.assertEqual([row["by"] for row in rows if row["by"]][-1], "ana")

    def test_that_is_unknown_is_told_at_once(self) -> None:
        with secure_site() as site:
            site.start_broker()
            for name in "stranger", "east":  # an agent is no operator
                answer = site.ctl("leases", operator=name)
                self.assertEqual(answer.returncode, 3)
                self.assertIn("does not admit this key", answer.stderr)
            answer = site.ctl("leases", broker="stranger")
            self.assertEqual(answer.returncode, 3)
            self.assertIn("--broker-key", answer.stderr)

    def test_cannot_be_claimed_on_a_plain_endpoint(self) -> None:
        with still_site() as site:
            made(site)
            with FakeAgent(site.control) as local:
                local.send_bytes(b'{"leasehold": 1, "command": "freeze", "by": "ana"}')
                self.assertTrue(local.socket.poll(1000 * LAST_BOUND_S))
            rows = [row for row in site.ask("history") if row["kind"] == "operator-command"]
            self.assertEqual([row["by"] for row in rows], ["local:ana"])

    def test_cannot_take_the_security_away_by_a_reload(self) -> None:
        with secure_site() as site:
            site.start_broker()
            text = site.broker.config.read_text()
            Site.write_broker_config(site)  # without keys
            plain = site.broker.config.read_text().replace(site.listen, "tcp://127.0.0.1:1")
            site.broker.config.write_text(plain.replace(site.control, "tcp://127.0.0.1:2"))
            answer = site.ctl("reload", "--yes")
            self.assertEqual(answer.returncode, 1, answer.stderr)
            self.assertIn("[security]", answer.stderr)
            site.broker.config.write_text(text)
            site.order("reload", "--yes")


class Limits(unittest.TestCase):
    def test_of_the_rate_are_told_once_and_hit_nobody_else(self) -> None:
        limits = table("[limits]", {"rate_per_peer": 20})
        with still_site(more=limits) as site:
            site.start_broker()
            site.agents["west"].start()
            with FakeAgent(site.listen) as loud:
                began = time.monotonic()
                for _ in range(3000):
                    loud.send_bytes(HEARTBEAT)
                welcome, told = loud.receive("welcome"), [loud.receive("refusal")]
                self.assertEqual(told[0]["reason"], "over-rate")
                self.assertIn("20 messages a second", told[0]["message"])

                def is_over() -> bool:
                    """What is sent behind them all is answered. A second hello may be refused, as of a second agent."""
                    loud.say_hello("east", welcome)
                    heard = loud.heard()
                    told.extend(one for one in heard if one.get("reason") == "over-rate")
                    return any(one["t"] == "configuration" for one in heard)
                wait_until(is_over, "it is heard again", every=0.5)
                # Who keeps still for a second is told again: a machine that holds it up lets it do so.
                self.assertLessEqual(len(told), 1 + (time.monotonic() - began))
            wait_until(lambda: site.flow("west")["agent"] == "up", "west is heard")
            self.assertEqual(site.broker.log().count("over-rate"), len(told))

    def test_of_history_rows_bound_each_answer(self) -> None:
        with still_site(more=table("[limits]", {"history_rows": 3})) as site:
            made(site)
            with FakeAgent(site.control) as client:
                client.send_bytes(b'{"leasehold": 1, "command": "history"}')
                self.assertTrue(client.socket.poll(1000 * LAST_BOUND_S))
                self.assertEqual(len(json.loads(client.socket.recv())["result"]), 3)
            self.assertGreater(len(site.ask("history")), 3)  # asked for bit by bit

    def test_of_message_bytes_close_the_connection(self) -> None:
        with still_site(more=table("[limits]", {"message_bytes": 65536})) as site:
            made(site)
            with FakeAgent(site.listen) as agent:
                agent.send_bytes(b"x" * 65537)
                agent.hear_nothing_before(zmq.EVENT_DISCONNECTED)
                agent.send_bytes(b"x" * 65000)
                self.assertEqual(agent.receive()["t"], "refusal")
            self.assertEqual(site.flow("west")["agent"], "up")


if __name__ == "__main__":
    side_by_side.main()
