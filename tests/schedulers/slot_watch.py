"""Samples from both schedulers' own lists of jobs how many slots of a leased host are in use: the very CPUs
that jobs of either cluster hold, completing ones too. Never more than the host has; what is seen above
that is kept with both lists. Not the adapter's word: this asks the schedulers itself."""
import threading
import time

from slurm_clusters import SlurmCluster

# Slots cannot go from one cluster to the other in less: a fence settles first.
_SAMPLE_AT_MOST_S = 3.0


class SlotWatch:
    def __init__(self, east: SlurmCluster, west: SlurmCluster, hosts: dict[str, int],
                 every: float = 0.03) -> None:
        self.east, self.west = east, west
        self.hosts = hosts
        self.every = every
        self.samples = 0
        self.leased_samples = 0  # with work of the consumer on a leased host
        self.full_samples = 0    # with every slot of some host in use
        self.most = {host: 0 for host in hosts}
        self.breaches: list[str] = []
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> "SlotWatch":
        self._thread.start()
        return self

    def __exit__(self, *_) -> None:
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stop.wait(self.every):
            if self.east.answers_now() and self.west.answers_now():
                self.sample()

    def sample(self) -> None:
        start = time.monotonic()
        try:
            ours, theirs = self.east.cores_in_use(), self.west.cores_in_use()
        except AssertionError:  # a controller was killed meanwhile
            return
        if time.monotonic() - start > _SAMPLE_AT_MOST_S:
            return
        self.samples += 1
        sums = {host: (len(ours[host]), len(theirs[f"imp-{host}"])) for host in self.hosts}
        self.leased_samples += any(theirs for _, theirs in sums.values())
        self.full_samples += any(sum(each) == self.hosts[host] for host, each in sums.items())
        for host, (here, there) in sums.items():
            self.most[host] = max(self.most[host], here + there)
            if here + there > self.hosts[host]:
                self.breaches.append(f"{time.time():.3f} {host}: {here} + {there} of "
                                     f"{self.hosts[host]}: {sorted(ours[host])} and "
                                     f"{sorted(theirs[f'imp-{host}'])}")
