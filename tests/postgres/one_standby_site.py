"""Tests that use one busy site of several brokers, one after the other; their server is started for the class."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "integration"))

from one_site import OnOneSite
from postgres_server import PostgresServer
from processes import wait_until
from scenes import busy_site
from standby_site import Place, StandbySite


class OnStandbySite(OnOneSite):
    """Whoever leads is `first` to a test; `second` is another. All run, and all agents are heard."""

    brokers = 2
    settings: dict = {}  # keys of [broker]
    server: PostgresServer | None = None

    def site_for_all(self) -> StandbySite:
        if self.server is None:
            type(self).server = PostgresServer().__enter__()
            self.addClassCleanup(self.server.__exit__)
        elif not self.server.runs():
            self.server.start()
        return busy_site(lambda *words, broker: StandbySite(
            self.server, *words, brokers=self.brokers, broker={**broker, **self.settings}))

    def begin(self) -> None:
        self.site.start_all()

    def as_found(self) -> None:
        for place in self.site.places:
            if not place.daemon.running():
                place.daemon.start()
        self.first = self.wait_until_one_leads()
        self.second = self.site.standbys()[0]
        self.site.wait_for_agents()
        self.epoch = int(self.site.sql("SELECT epoch FROM leader"))
        self._before = {place.name: len(place.daemon.log(whole=True)) for place in self.site.places}

    def wait_until_one_leads(self) -> Place:
        """And the others stand by it. A leader that a full machine holds up for its time to live is followed by
        another: who leads is looked at together with that."""
        def found() -> Place | None:
            leader = self.site.wait_for_leader()
            return leader if all(place.stands_by(leader) for place in self.site.standbys()) else None
        return wait_until(found, "one leads, and the others stand by it")

    def said(self, place: Place) -> str:
        """What it has written since the test began."""
        return place.daemon.log(whole=True)[self._before[place.name]:]

    def wait_until_said(self, place: Place, text: str) -> None:
        wait_until(lambda: text in self.said(place), f"{place.name} writes {text!r}")
