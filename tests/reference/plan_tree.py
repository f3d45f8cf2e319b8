"""Of plan.py: the consumer tree, its orders, and how slots are filled in and rounded."""
from fractions import Fraction
from math import floor, inf


class Node:
    """A consumer as its section says, or an implied parent; the root is a node without a parent."""

    def __init__(self, path, parent):
        self.path, self.parent = path, parent
        self.children, self.keys = [], {}

    def named(self, key, absent=None):
        value = self.keys.get(key)
        return absent if value is None else value

    def below(self):
        """It and all below it, depth first as declared."""
        yield self
        for child in self.children:
            yield from child.below()

    def leaves(self):
        return [n for n in self.below() if not n.children]

    def parents(self):
        """The consumers above it, the closest first; not the root."""
        above = self.parent
        while above.parent is not None:
            yield above
            above = above.parent


def grow(consumers):
    """The root of the tree; a parent that is only implied stands where it is first mentioned."""
    root = Node("", None)
    at = {"": root}
    for keys in consumers:
        path = ""
        for name in keys["path"].split("/")[1:]:
            parent, path = at[path], path + "/" + name
            if path not in at:
                at[path] = Node(path, parent)
                parent.children.append(at[path])
        at[path].keys = keys
    return root, at


class Tree:
    """The tree of one group with its orders and the numbers that need no policy."""

    def __init__(self, group, consumers, state):
        self.group = group
        self.root, self.at = grow(consumers)
        self.consumers = [n for n in self.root.below() if n is not self.root]
        self.default_rank = group.get("default_rank", 0)
        self.by_tree = [n for n in self.walk(self.root) if not n.children and n is not self.root]
        self.by_rank = sorted(self.by_tree, key=self.rank_across)  # stable: else as in the tree
        for n in self.consumers:
            top = n
            while top.parent is not self.root:
                top = top.parent
            n.policy = top.named("policy", group["policy"])
            n.limit = n.named("limit", inf)
            n.ratio = n.named("share_ratio", 1)
            n.share_limit = n.named("share_limit", inf) if n.ratio else 0
        self.leaf_states(state.get("consumers", {}))
        for n in reversed(self.consumers):
            n.owned = n.named("owned", sum(c.owned for c in n.children))
        self.slots = state.get("slots", group.get("slots"))
        self.configured = group.get("slots", self.slots)

    def leaf_states(self, states):
        for n in [self.root, *self.consumers]:
            of = [states.get(leaf.path, {}) for leaf in n.leaves()]
            n.demand = sum(s.get("demand", 0) for s in of)
            n.allocated = sum(s.get("allocated", 0) for s in of)
            n.state = of[0] if of else {}

    def siblings(self, parent):
        """Its children by rank, then as declared."""
        return sorted(parent.children, key=lambda n: n.named("rank", self.default_rank))

    def walk(self, node):
        """Depth first, siblings by rank; a parent before its children."""
        yield node
        for child in self.siblings(node):
            yield from self.walk(child)

    def rank_across(self, leaf):
        for n in [leaf, *leaf.parents()]:
            if n.named("rank") is not None:
                return n.named("rank")
        return self.default_rank

    def leaves_of(self, *policies):
        """In the order of priority that the policy has."""
        order = self.by_tree if policies == ("hybrid",) else self.by_rank
        return [n for n in order if n.policy in policies]

    def tops(self, *policies):
        return [n for n in self.root.children if n.policy in policies]


def fill(rest, weights, caps, given):
    """Adds to `given`; returns what nobody could take."""
    rest = Fraction(rest)
    kinds = ([i for i, w in enumerate(weights) if w > 0], [i for i, w in enumerate(weights) if w == 0])
    for kind, weight in zip(kinds, (lambda i: weights[i], lambda i: 1)):
        while rest > 0:
            open_ = [i for i in kind if given[i] < caps[i]]
            if not open_:
                break
            total = sum(weight(i) for i in open_)
            step = min([rest / total] + [Fraction(caps[i] - given[i]) / weight(i) for i in open_])
            for i in open_:
                given[i] += step * weight(i)
            rest -= step * total
    return rest


def rounded(given):
    """Siblings by priority: the floor, then one each to those whose share was not whole."""
    slots = [floor(g) for g in given]
    remain = sum(given) - sum(slots)
    for i, g in enumerate(given):
        if remain > 0 and g != slots[i]:
            slots[i] += 1
            remain -= 1
    return slots
