"""A look at what workload managers enforce and run, all the while that a test does other things."""
import contextlib
import sqlite3
import threading
from pathlib import Path

import ledgers
from leasehold_site import Site
from processes import wait_until


class NoSlotTwice:
    """Looks, all the while, at what workload managers enforce and run; needs no broker's word, of which
    two may be wrong: what the clusters may use of a host's exported slots is never more than those.
    `looks`: of the host that was looked at least; `readings`: of those, which is when a file has changed."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.looks = 0
        self.readings = 0
        self.wrong: list[str] = []
        self._error: BaseException | None = None  # of the thread
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> "NoSlotTwice":
        self._thread.start()
        return self

    def __exit__(self, kind, *_) -> None:
        try:
            if kind is None:
                wait_until(lambda: self.looks >= 3 and self.readings or self.wrong, "three looks")
                assert self.wrong or self._thread.is_alive(), "the watch has ended"
        finally:
            self._end.set()
            self._thread.join()
            print(f"{self.looks} looks at each host, by {self.readings} readings", flush=True)
        if kind is None and self.wrong:
            raise AssertionError("\n".join(self.wrong)) from self._error

    def _run(self) -> None:
        try:
            self._watch()
        except BaseException as error:  # nobody else would hear of it
            self._error, self.wrong = error, [f"the watch has ended: {error!r}"]

    def _watch(self) -> None:
        exported = {f"{host}@{policy['provider']}": policy["slots_per_host"]
                    for policy in self.site.policies for host in policy["hosts"]}
        looks = dict.fromkeys(exported, 0)
        with ledgers.kept_open(), contextlib.ExitStack() as at_end:
            versions = [at_end.enter_context(Version(self.site.path / f"{name}-jobs.db"))
                        for name in self.site.clusters]
            seen = None
            while not self._end.wait(0.02) and not self.wrong:
                now, still = [each.now() for each in versions], exported
                if now != seen or None in now:
                    try:
                        before = self._caps()
                        # Where no file has changed meanwhile, all of it was so at once.
                        after = before if now == [each.now() for each in versions] and None not in now \
                            else self._caps()
                    except sqlite3.OperationalError:  # a file is being made
                        continue
                    # What stands in both was so at one instant between them, host by host: of many clusters
                    # some file changes in any look.
                    still = {host: slots for host, slots in exported.items()
                             if of_host(before, host) == of_host(after, host)}
                    self.wrong = offences(after, still)
                    seen = now if still == exported else None
                    self.readings += bool(still)
                for host in still:
                    looks[host] += 1
                self.looks = min(looks.values(), default=0)

    def _caps(self) -> dict:
        return {name: ledgers.caps(self.site.path, name) for name in self.site.clusters}


class Version:
    """Of a database that others write: what has not changed need not be read again."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._inode = 0
        self._connection: sqlite3.Connection | None = None

    def __enter__(self) -> "Version":
        return self

    def __exit__(self, *_) -> None:
        if self._connection:
            self._connection.close()

    def now(self) -> tuple | None:
        try:
            inode = self._path.stat().st_ino
            if inode != self._inode:
                self.__exit__()
                self._connection = sqlite3.connect(f"file:{self._path}?mode=ro", uri=True, timeout=2)
                self._inode = inode
            return inode, self._connection.execute("PRAGMA data_version").fetchone()[0]
        except (OSError, sqlite3.Error):
            self._inode = 0
            return None


def of_host(caps: dict, host: str) -> dict:
    """What each cluster's workload manager has of it: {cluster: its entry, or None}."""
    name, provider = host.split("@")
    return {cluster: of.get(name if cluster == provider else host) for cluster, of in caps.items()}


def offences(caps: dict, exported: dict[str, int]) -> list[str]:
    found = []
    for host, slots in exported.items():
        provider = host.split("@")[1]
        taken = {cluster: max(ledgers.on_exported(entry, cluster == provider, slots))
                 for cluster, entry in of_host(caps, host).items()}
        if sum(taken.values()) > slots:
            found.append(f"{host}: {slots} exported, enforced or used: "
                         f"{ {cluster: slots for cluster, slots in taken.items() if slots} }")
    return found
