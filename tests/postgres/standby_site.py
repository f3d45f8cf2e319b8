"""A site of several brokers on one PostgreSQL: one leads, the others stand by; agents have all in their
list. Each broker has a folder of its own, as on machines of their own.
"""
import http.client
import json
import time
from pathlib import Path

from configs import POOL, Cluster, broker_toml
from http_visitor import Visitor
from leasehold_site import Site, question
from no_slot_twice import NoSlotTwice
from ports import Claim
from postgres_programs import client
from postgres_server import PostgresServer
from processes import PROGRAMS, Daemon, run, wait_until
from questions import Questions

__all__ = ["LEADER_TTL", "NoSlotTwice", "Place", "StandbySite"]

# A leader that a full machine holds up for so long is followed by another, which no test asks for.
LEADER_TTL = "6s"


class Place:
    """One broker of the site."""

    def __init__(self, name: str, folder: Path, ports: list[int], questions: Questions) -> None:
        folder.mkdir()
        self.questions = questions
        self.name = name
        self.ttl = ""  # "": the site's
        self.daemon = Daemon("lease-broker", name, folder / "broker.toml")
        self.listen, self.control = (f"tcp://127.0.0.1:{port}" for port in ports[:2])
        self.http = f"127.0.0.1:{ports[2]}"

    def ask(self, *words: str):
        asked = question(words) if self.daemon.running() and not self.daemon.is_stopped() else None
        if asked and (rows := self.questions.ask(self.control, asked)) is not None:
            return rows
        answer = run(PROGRAMS / "leasectl", *words, "--json", "--broker", self.control)
        assert answer.returncode in (0, 1, 4), answer.stderr
        return json.loads(answer.stdout)

    def row(self) -> dict:
        return self.ask("brokers")[0]

    def role(self) -> str:
        """What /leader says: "leads, epoch 2", "stands by: the broker 'hub-1' leads, at ...", "nobody leads
        since ...". Nothing where it is not answered."""
        try:
            return Visitor(int(self.http.rsplit(":", 1)[1])).get("/leader").body.decode()
        except (OSError, http.client.HTTPException):
            return ""

    def leads(self) -> bool:
        return self.role().startswith("leads")

    def stands_by(self, leader: "Place | None" = None) -> bool:
        """Behind this one, or behind whomever."""
        return self.role().startswith(f"stands by: the broker '{leader.name}'" if leader else "stands by")


class StandbySite(Site):
    """`broker` is whoever led last, as far as who asks has looked."""

    def __init__(self, server: PostgresServer, clusters: dict[str, Cluster], policies=(POOL,), brokers=2,
                 **settings) -> None:
        self.server = server
        self.places: list[Place] = []
        self.claims: list[Claim] = []
        self.sql_database = ""  # where the test itself looks; "": where the brokers do
        self.database_of: dict[str, str] = {}  # by broker: another way to the database
        super().__init__(clusters, policies, **settings)
        self.database_name = server.new_database()
        self.database = server.url(self.database_name)
        self.claims = [Claim() for _ in range(brokers)]
        self.places = [Place(f"hub-{i + 1}", self.path / f"hub-{i + 1}", claim.ports, self.questions)
                       for i, claim in enumerate(self.claims)]
        self.write_places()
        self.look_at(self.places[0])

    def write_places(self, **more) -> None:
        for place in self.places:
            ttl = {"leader_ttl": place.ttl} if place.ttl else {}
            settings = {"leader_ttl": LEADER_TTL, **self.settings, **ttl, "name": place.name, "http": place.http,
                        "database": self.database_of.get(place.name, self.database), **more}
            place.daemon.config.write_text(broker_toml(place.listen, place.control, settings,
                                                       self.clusters, self.policies, self.more))
        for name, cluster in self.clusters.items():
            cluster.agent["broker"] = [place.listen for place in self.places]
            self.write_agent_config(name)

    def look_at(self, place: Place) -> Place:
        """Whom ctl() asks and start_broker() starts."""
        self.broker, self.listen, self.control = place.daemon, place.listen, place.control
        return place

    def start_all(self) -> Place:
        """All brokers, one after another; agents; the first leads."""
        for place in self.places:
            place.daemon.start()
            wait_until(place.leads if place is self.places[0] else place.role, f"{place.name} answers")
        for agent in self.agents.values():
            agent.start()
        leader = self.wait_for_leader()
        self.wait_for_agents()
        return leader

    def standbys(self) -> list[Place]:
        return [place for place in self.places if place.daemon is not self.broker]

    def wait_for_leader(self, among=None) -> Place:
        def found() -> Place:
            leading = [place for place in among or self.places
                       if place.daemon.running() and place.leads()]
            assert len(leading) == 1, f"{[place.name for place in leading]} lead"
            return leading[0]
        return self.look_at(wait_until(found, "one broker leads"))

    def sql(self, statement: str) -> str:
        answer = run(*client("psql"), "-X", "-A", "-t", "-c", statement, self.sql_database or self.database)
        assert answer.returncode == 0, answer.stderr
        return answer.stdout.strip()

    def flips_again(self) -> float:
        """Until the lease has flipped once more; when that was."""
        before = self.flips()
        wait_until(lambda: self.flips() > before, "it flips")
        return time.monotonic()

    def kill_all(self) -> None:
        for place in self.places:
            place.daemon.kill9()
        for claim in self.claims:
            claim.release()
        super().kill_all()

    def finish(self) -> None:
        for place in self.places:
            if place.daemon is not self.broker and place.daemon.running():
                assert place.daemon.stop() == 0, place.daemon.log()
        super().finish()

    def verify(self) -> str:
        """Rule 1: nobody has committed after another one took over."""
        fell = self.sql("SELECT count(*) FROM (SELECT epoch, lag(epoch) OVER (ORDER BY first_event) AS before "
                        "FROM log) AS rows WHERE epoch < before")
        assert fell == "0", f"{fell} rows are of an older leadership than the one before"
        return super().verify()

    def check_ledgers(self) -> None:
        """The ledger is on the server: what workload managers enforce is looked at (NoSlotTwice)."""

    def complain(self) -> None:
        for place in self.places:
            if place.daemon is not self.broker:
                print(f"---- log of {place.name}\n{place.daemon.log(whole=True)[-4000:]}")
        super().complain()
