"""The look at every limit finds what it is there to find."""
import unittest

import paths  # noqa: F401
import limits
import side_by_side


def seen(held: tuple[int, int], limit: tuple[int, int], enforced: tuple[int, int], used=(0, 0)):
    """A site of one group with four slots on one host; pairs are of east, which exports, and west."""
    clusters = ("east", "west")
    rows = [{"generation": 1, "host": "big1@east", "cluster": cluster, "held": slots, "exported": 4,
             "in_transfer": 4 - sum(held)} for cluster, slots in zip(clusters, held)]
    caps = {cluster: {name: {"slots": slots, "own": 0, "used": use}}
            for cluster, name, slots, use in zip(clusters, ("big1", "big1@east"), enforced, used)}
    return ((rows, caps), {(1, 0, cluster): slots for cluster, slots in zip(clusters, held)},
            {cluster: {(1, 0): slots} for cluster, slots in zip(clusters, limit)},
            {cluster: {(1, 0): slots} for cluster, slots in zip(clusters, enforced)})


class TheLook(unittest.TestCase):
    def test_passes_what_is_right(self) -> None:
        self.assertEqual(limits.offences(seen((3, 1), (3, 1), (3, 1)), True), [])
        self.assertEqual(limits.offences(seen((2, 1), (1, 1), (1, 0)), True), [])

    def test_finds_a_limit_above_what_is_held(self) -> None:
        self.assertEqual(limits.offences(seen((3, 1), (3, 2), (3, 1)), True),
                         ["group 1, host 0, west: limit 2, held 1"])

    def test_finds_more_enforced_than_is_durable(self) -> None:
        self.assertEqual(limits.offences(seen((3, 1), (2, 1), (3, 1)), True),
                         ["group 1, host 0, east: enforced 3, limit 2"])

    def test_takes_a_limit_that_the_agent_does_not_know_for_none(self) -> None:
        (look, held, of_agents, enforced) = seen((3, 1), (3, 1), (3, 1))
        of_agents["west"] = {}
        self.assertEqual(limits.offences((look, held, of_agents, enforced), True),
                         ["group 1, host 0, west: enforced 1, limit 0"])

    def test_counts_only_slots_of_hosts_while_files_are_older_ones(self) -> None:
        self.assertEqual(limits.offences(seen((3, 1), (4, 2), (3, 1)), False), [])
        found = limits.offences(seen((3, 1), (3, 1), (3, 1), used=(3, 2)), False)
        self.assertEqual(len(found), 1)
        self.assertIn("4 exported", found[0])


if __name__ == "__main__":
    side_by_side.main()
