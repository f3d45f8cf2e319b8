"""Tests that use one site, one after the other: it is started for the first of them, each leaves it as it
found it, and after the last its ledgers are looked at and its history is verified.

    class OnAStillSite(OnOneSite): ...
    one_site.main()      runs the tests of a file one after the other; names, or parts of names, choose
"""
import copy
import sys
import unittest

import places
import skipped
from leasehold_site import Site
from scenes import PATIENT, made, made_anew, moved, reloaded, still_site


class OnOneSite(unittest.TestCase):
    """A test that fails says what the programs logged, and the next one has a new site."""

    site: Site | None = None

    def site_for_all(self) -> Site:
        """It is asked for where there is none, and not started."""
        raise NotImplementedError

    def begin(self) -> None:
        """What is done once, on a site that was just made."""
        self.site.start()

    def as_found(self) -> None:
        """Waits until the site is as each test may find it, or brings it there."""

    def setUp(self) -> None:
        if self.site is None:
            type(self).site = self.site_for_all().__enter__()
            self.begin()
        self.as_found()

    def run(self, result=None):
        before = _troubles(result)
        super().run(result)
        if _troubles(result) > before:
            self._end(AssertionError)
        return result

    @classmethod
    def tearDownClass(cls) -> None:
        cls._end(None)

    @classmethod
    def _end(cls, kind) -> None:
        site, cls.site = cls.site, None
        if site:
            site.__exit__(kind, None, None)


class OnAMadeSite(OnOneSite):
    """A still site whose lease was just made: west runs on the one slot offered."""

    def site_for_all(self) -> Site:
        return still_site(broker=PATIENT)

    def begin(self) -> None:
        made(self.site)
        type(self).configured = copy.deepcopy(self._configuration())

    def as_found(self) -> None:
        if self._configuration() != self.configured:
            self.site.policies, self.site.more, self.site.settings = copy.deepcopy(self.configured)
            reloaded(self.site)
        if self.site.lease()["frozen"]:
            self.site.order("thaw")
        if self.site.held() != (3, 1):
            made_anew(self.site)
        self.site.wait_for_agents()
        self.site.wait_for_new_sessions()  # until an agent that a test started again has reported nothing is evaluated
        self.site.wait_for_lease(phase="active", in_transfer=0, consumer_slots__used=1)
        self.last = self.site.ask("history")[-1]["id"]

    def _configuration(self) -> tuple:
        return self.site.policies, self.site.more, self.site.settings

    def since(self, *kinds: str) -> list[dict]:
        """What happened to the lease in this test."""
        return [row for row in self.site.history(*kinds) if row["id"] > self.last]

    def all_moved(self) -> None:
        self.site.order("rebalance", "pool:west")
        moved(self.site)


def _troubles(result) -> int:
    return len(result.failures) + len(result.errors)


def main(of_places: int = 1) -> None:
    """Like unittest.main(), with the names as side_by_side.main() takes them. `of_places`: 2 where a test
    starts a site beside that of its class (places.py)."""
    with places.taken(of_places):
        skipped.main(argv=[sys.argv[0], "-v", *[word for name in sys.argv[1:] for word in ("-k", name)]])
