"""Of plan.py: the consumer tree, Fill and rounding, and moves made net."""
from fractions import Fraction
from math import floor


class Node:
    def __init__(self, path, parent):
        self.path, self.parent, self.children, self.conf = path, parent, [], {}

    def get(self, key, default=None):
        value = self.conf.get(key)
        return default if value is None else value

    def walk(self):
        yield self
        for child in self.children:
            yield from child.walk()

    def leaves(self):
        return [n for n in self.walk() if not n.children]

    def above(self):
        """Its parents, the closest first, without the root."""
        node, found = self.parent, []
        while node.parent is not None:
            found.append(node)
            node = node.parent
        return found


def build(consumers):
    root = Node("", None)
    nodes = {}
    for consumer in consumers:
        at, path = root, ""
        for word in consumer["path"].strip("/").split("/"):
            path += "/" + word
            if path not in nodes:
                nodes[path] = Node(path, at)
                at.children.append(nodes[path])
            at = nodes[path]
        at.conf = consumer
    return root, nodes


def by_rank(group, children):
    rank = lambda n: n.get("rank", group.get("default_rank", 0))
    return sorted(children, key=rank)  # stable: then as declared


def fill(amount, weights, caps, given):
    """Adds to `given`; returns what is left of `amount`."""
    for weightless in (False, True):
        while amount > 0:
            takers = [i for i in range(len(caps)) if (weights[i] == 0) == weightless
                      and caps[i] > given[i]]
            if not takers:
                break
            share = {i: Fraction(1 if weightless else weights[i]) for i in takers}
            total = sum(share.values())
            full = [i for i in takers if caps[i] - given[i] <= amount * share[i] / total]
            if not full:
                for i in takers:
                    given[i] += amount * share[i] / total
                return Fraction(0)
            for i in full:
                amount -= caps[i] - given[i]
                given[i] = caps[i]
    return amount


def rounded(given):
    whole = [floor(g) for g in given]
    remain = sum(given) - sum(whole)
    for i, g in enumerate(given):
        if remain >= 1 and g != whole[i]:
            whole[i] += 1
            remain -= 1
    return whole


class Moves:
    """Pairs (from, to), made net as they come: no leaf both gains and loses."""

    def __init__(self, soft):
        self.list = []  # [from, to, slots, is never kept]
        self.soft = soft
        self.given, self.idle = [], 0

    def add(self, giver, taker, slots, gone=False):
        if giver is not None:
            for old in self.list:
                if slots and old[1] is giver and old[2]:
                    part = min(slots, old[2])
                    old[2] -= part
                    slots -= part
                    self.to(old[0], taker, part, old[3] or (taker is None and gone))
        self.to(giver, taker, slots, gone)

    def to(self, giver, taker, slots, gone):
        if taker is not None:
            for old in self.list:
                if slots and old[0] is taker and old[2]:
                    part = min(slots, old[2])
                    old[2] -= part
                    slots -= part
                    self.put(giver, old[1], part, gone or (old[1] is None and old[3]))
        self.put(giver, taker, slots, gone)

    def put(self, giver, taker, slots, gone):
        if slots and giver is not taker:
            self.list.append([giver, taker, slots, gone])

    def available(self):
        return max(self.idle, 0) + sum(n for _, n in self.given)

    def hand_out(self, taker, slots):
        part = min(slots, max(self.idle, 0))
        self.idle -= part
        self.add(None, taker, part)
        slots -= part
        while slots:
            giver, held = self.given[0]
            part = min(slots, held)
            self.add(giver, taker, part)
            self.given[0][1] -= part
            slots -= part
            if not self.given[0][1]:
                self.given.pop(0)

    def settle(self, order):
        """Who gave back comes in reverse priority order; those that only give what is taken come
        last; slots that do not exist are nobody's."""
        self.given.sort(key=lambda pair: (self.soft(pair[0]), -order[pair[0]]))
        while self.idle < 0 and self.given:
            giver, held = self.given[0]
            part = min(-self.idle, held)
            self.add(giver, None, part, gone=True)
            self.idle += part
            self.given[0][1] -= part
            if not self.given[0][1]:
                self.given.pop(0)
