"""The look at the ledgers finds what it is there to find."""
import unittest

import ledgers
import side_by_side


def rows(east: int, west: int, in_transfer: int = 0, unallocated: int = 0) -> list[dict]:
    return [{"generation": 1, "host": "big1@east", "cluster": cluster, "held": held, "exported": 4,
             "in_transfer": in_transfer, "unallocated": unallocated}
            for cluster, held in (("east", east), ("west", west))]


def caps(east: tuple[int, int], west: tuple[int, int]) -> dict:
    """(enforced, used) on leased slots; east has four slots of its own beside them, all in use."""
    return {"east": {"big1": {"slots": 4 + east[0], "own": 4, "used": 4 + east[1]}},
            "west": {"big1@east": {"slots": west[0], "own": 0, "used": west[1]}}}


class TheLook(unittest.TestCase):
    def test_passes_what_is_right(self) -> None:
        self.assertEqual(ledgers.offences(rows(3, 1), caps((3, 3), (1, 1))), [])
        self.assertEqual(ledgers.offences(rows(0, 1, in_transfer=3), caps((0, 0), (1, 0))), [])
        self.assertEqual(ledgers.offences(rows(4, 0), {"east": {}, "west": {}}), [])

    def test_finds_a_slot_that_two_enforce(self) -> None:
        self.assertIn("4 exported", ledgers.offences(rows(3, 1), caps((3, 0), (2, 0)))[-1])

    def test_finds_a_slot_that_one_enforces_and_the_other_still_uses(self) -> None:
        self.assertIn("4 exported", ledgers.offences(rows(0, 4), caps((0, 1), (4, 0)))[-1])

    def test_finds_more_enforced_than_held(self) -> None:
        self.assertIn("holds 1", ledgers.offences(rows(3, 1), caps((2, 0), (2, 0)))[0])

    def test_finds_a_provider_that_uses_slots_which_nobody_holds(self) -> None:
        nobodys = rows(1, 1, unallocated=2)
        self.assertEqual(ledgers.offences(nobodys, caps((1, 1), (1, 1))), [])
        self.assertIn("2 unallocated", ledgers.offences(nobodys, caps((1, 3), (1, 1)))[-1])

    def test_finds_a_slot_that_is_lost_or_made_up(self) -> None:
        self.assertIn("unallocated 3,", ledgers.offences(rows(2, 1), caps((2, 0), (1, 0)))[0])
        self.assertIn("unallocated 5,", ledgers.offences(rows(3, 1, 1), caps((3, 0), (1, 0)))[0])

    def test_takes_a_provider_without_a_fence_to_use_all_that_it_exports(self) -> None:
        found = ledgers.offences(rows(0, 4), {"east": {}, "west": caps((0, 0), (4, 0))["west"]})
        self.assertTrue(found)


if __name__ == "__main__":
    side_by_side.main()
