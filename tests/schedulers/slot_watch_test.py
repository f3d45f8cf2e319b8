"""SlotWatch tells a slot that both clusters use from one that was handed over."""
import unittest

from slot_watch import SlotWatch


class Told:
    """A cluster that says which CPUs its jobs hold."""

    def __init__(self, **use: set) -> None:
        self.use = {name.replace("_", "-"): cpus for name, cpus in use.items()}

    def cores_in_use(self) -> dict:
        if not self.use:
            raise AssertionError("its controller does not answer")
        return self.use


def watched(east: Told, west: Told) -> SlotWatch:
    watch = SlotWatch(east, west, {"p1": 4})
    watch.sample()
    return watch


class ASlotWatch(unittest.TestCase):
    def test_bears_a_full_host(self) -> None:
        watch = watched(Told(p1={0, 1}), Told(imp_p1={0, 1}))
        self.assertEqual((watch.samples, watch.full_samples, watch.breaches), (1, 1, []))

    def test_keeps_what_is_above(self) -> None:
        watch = watched(Told(p1={0, 1, 2}), Told(imp_p1={0, 1}))
        self.assertEqual((len(watch.breaches), watch.most["p1"]), (1, 5))
        self.assertIn("3 + 2 of 4", watch.breaches[0])

    def test_counts_no_sample_without_an_answer(self) -> None:
        self.assertEqual(watched(Told(p1={0, 1, 2}), Told()).samples, 0)


if __name__ == "__main__":
    unittest.main()
