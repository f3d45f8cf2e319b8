"""SlotWatch tells a slot that both clusters use from one that was handed over."""
import sys
import threading
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "integration"))
from slot_watch import Looks, SlotWatch, Watch  # noqa: E402


class Told:
    """A cluster that says which jobs hold which CPUs, and something else at each look; the last again."""

    def __init__(self, *looks: dict) -> None:
        self.looks = list(looks)

    def answers_now(self) -> bool:
        return True

    def work(self) -> dict:
        told = self.looks.pop(0) if len(self.looks) > 1 else self.looks[0]
        if not told:
            raise AssertionError("its controller does not answer")
        return {(node, job, "10:00"): set(held) for node, jobs in told.items() for job, held in jobs.items()}


def p1(**jobs) -> dict:
    return {"p1": jobs}


def imp(**jobs) -> dict:
    return {"imp-p1": jobs}


def watched(east: Told, west: Told, times: int = 1) -> SlotWatch:
    watch = SlotWatch(east, west, {"p1": 4})
    for _ in range(times):
        watch.sample()
    return watch


class ASlotWatch(unittest.TestCase):
    def test_bears_a_full_host(self) -> None:
        watch = watched(Told(p1(a={0, 1})), Told(imp(b={0, 1})))
        self.assertEqual((watch.samples, watch.full_samples, watch.breaches), (1, 1, []))

    def test_keeps_what_is_above(self) -> None:
        watch = watched(Told(p1(a={0, 1, 2})), Told(imp(b={0, 1})))
        self.assertEqual((len(watch.breaches), watch.most["p1"]), (1, 5))
        self.assertIn("3 + 2 of 4", watch.breaches[0])

    def test_bears_slots_that_go_from_one_to_the_other_while_it_looks(self) -> None:
        watch = watched(Told(p1(a={0, 1}, b={2, 3}), p1(a={0, 1})), Told(imp(c={0, 1})))
        self.assertEqual((watch.samples, watch.most["p1"], watch.breaches), (1, 4, []))

    def test_takes_other_work_on_the_same_slots_for_other_work(self) -> None:
        watch = watched(Told(p1(a={0, 1, 2}), p1(d={0, 1, 2})), Told(imp(c={0, 1})))
        self.assertEqual((watch.samples, watch.breaches), (1, []))

    def test_finds_one_that_is_twice_at_any_length_of_a_look(self) -> None:
        watch = watched(Told(p1(a={0, 1, 2}), p1(a={0, 1, 2}), p1()), Told(imp(), imp(c={0, 1})), 2)
        self.assertEqual(watch.breaches, [], "at the second look it had ended")
        watch = watched(Told(p1(a={0, 1, 2})), Told(imp(), imp(c={0, 1})), 2)
        self.assertEqual(len(watch.breaches), 1)

    def test_counts_no_look_without_an_answer(self) -> None:
        self.assertEqual(watched(Told(p1(a={0, 1, 2})), Told({})).samples, 0)

    def test_is_red_where_one_kind_never_counts(self) -> None:
        class Blind(Watch):
            def judge(self, *_) -> None:
                self._stop.set()

        def away() -> dict:
            raise LookupError("no such queue")
        watch = Blind(Looks("counted", dict, dict), Looks("alive", away, dict))
        with self.assertRaisesRegex(AssertionError, "0 looks of kind alive"), watch:
            pass

    def test_is_red_where_its_thread_dies_of_what_nobody_foresaw(self) -> None:
        looked = threading.Event()

        class Dies(Watch):
            EVERY_S = 0.0

            def judge(self, *_) -> None:
                if self.samples > 3:
                    looked.set()
                    raise OSError("unforeseen")
        with self.assertRaisesRegex(AssertionError, "unforeseen"), Dies(Looks("all", dict, dict)):
            looked.wait()


if __name__ == "__main__":
    unittest.main()
