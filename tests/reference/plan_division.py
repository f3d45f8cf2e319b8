"""Of plan.py: hybrid and share ratio (broker/rules/plan/README.md, "Hybrid", "Share ratio" and
"Mixed policies"), where slots are divided into quotas."""
from fractions import Fraction
from math import floor, inf

from plan_tree import fill, rounded


class Division:
    """What there is to divide: all of the group; beside owners what they do not own."""

    def __init__(self, tree, moves):
        self.tree, self.moves, self.group = tree, moves, tree.group
        self.shares = tree.group["policy"] == "share-ratio"
        policy = "share-ratio" if self.shares else "hybrid"
        self.consumers = [n for n in tree.consumers if n.policy == policy]
        self.leaves = [n for n in tree.by_tree if n.policy == policy]
        self.tops = [n for n in tree.siblings(tree.root) if n.policy == policy]
        self.losing = tree.by_rank if self.shares else self.leaves
        owners = sum(n.owned for n in tree.tops("ownership"))
        self.slots = max(0, tree.slots - owners)
        self.configured = tree.configured - owners
        self.has = {n: n.allocated for n in self.leaves}

    def holds(self, n):
        return sum(self.has[leaf] for leaf in n.leaves())

    def limit(self, n):
        return min(n.limit, n.share_limit) if self.shares else n.limit

    # Quotas

    def common(self):
        scale = Fraction(self.slots, self.configured) if self.configured > 0 else 0
        for n in reversed(self.consumers):
            below = n.children
            n.own = n.owned if self.shares else n.owned * scale
            n.weight = n.owned if scale or self.configured > 0 else 0
            n.res = sum(c.res for c in below)
            if n.named("reserved") is not None and not self.shares:
                n.res = floor(min(n.named("reserved"), n.own))
            n.want = sum(c.want for c in below) if below else n.demand
            n.want = min(n.limit, max(n.want, n.res))
            n.cap = min(sum(c.cap for c in below) if below else n.want, self.limit(n))

    def divide(self, slots, siblings):
        given = [Fraction(0) for _ in siblings]
        if self.shares:
            fill(slots, [n.ratio for n in siblings], [n.cap for n in siblings], given)
        else:
            for weights, caps in self.hybrid_fills(siblings):
                fill(slots - sum(given), weights, caps, given)
        for n, quota in zip(siblings, rounded(given)):
            n.quota = quota
            self.divide(quota, self.tree.siblings(n))

    def hybrid_fills(self, siblings):
        even = self.group.get("evenly_distribute", False)
        own = [n.weight for n in siblings]
        as_configured = [n.weight if even else inf for n in siblings]
        yield [n.res for n in siblings], [min(n.res, n.want) for n in siblings]
        yield own, [floor(min(n.want, n.own, most)) for n, most in zip(siblings, as_configured)]
        if even:
            yield own, [min(n.want, most) for n, most in zip(siblings, as_configured)]
        else:
            yield own, [min(n.want, n.own) for n in siblings]
        yield ([1] * len(siblings) if even else own), [n.want for n in siblings]

    # Steps before 5

    def take_beyond(self):
        beyond = sum(self.has.values()) - self.slots
        for leaf in reversed(self.losing):
            part = min(beyond, self.has[leaf] - leaf.quota)
            if part <= 0:
                continue
            beyond -= part
            self.has[leaf] -= part
            gone = min(part, self.moves.missing)
            self.moves.vanish(leaf, gone)
            self.moves.give_back(leaf, part - gone, firm=True)

    def enforce_limits(self):
        for leaf in reversed(self.leaves):
            self.drop(leaf, self.has[leaf] - self.limit(leaf))
        for n in reversed(self.consumers):
            for leaf in reversed(self.leaves if n.children else []):
                if n in leaf.parents():
                    over = self.holds(n) - self.limit(n)
                    self.drop(leaf, min(over, self.has[leaf] - leaf.quota))
        self.moves.order_heap()

    def drop(self, leaf, slots):
        if slots > 0:
            self.has[leaf] -= slots
            self.moves.give_back(leaf, slots)

    # Step 5. `owners`: what owners take of idle slots, by leaf; they are served in the same order.

    def hand_out(self, owners):
        self.idle = idle = max(0, self.slots - sum(self.has.values()))
        for top in self.tree.siblings(self.tree.root):
            if top in self.tops:
                idle -= self.pass_down(top, idle)
            else:
                for leaf in [n for n in self.tree.walk(top) if n in owners]:
                    self.moves.hand_out(leaf, owners[leaf])
        for leaf in self.leaves:
            room = min([self.limit(n) - self.holds(n) for n in leaf.parents()], default=inf)
            self.give(leaf, max(0, min(self.idle, leaf.quota - self.has[leaf], room)))

    def pass_down(self, n, most):
        """Returns what it was given; of that its children may be able to take less."""
        most = min(most, max(0, n.quota - self.holds(n)))
        if not n.children:
            self.give(n, most)
            return most
        left = most
        for child in self.tree.siblings(n):
            left -= self.pass_down(child, left)
        return most

    def give(self, leaf, slots):
        if slots > 0:
            self.idle -= slots
            self.has[leaf] += slots
            self.moves.hand_out(leaf, slots)

    # Step 6

    def excess(self, leaf):
        if self.shares and not self.group.get("reclaim_shared", True):
            return 0
        least = leaf.quota
        if self.group.get("disable_reclaim_hybrid_own") and self.slots < self.configured:
            least = max(least, leaf.owned)
        return self.has[leaf] - least

    def reclaim(self):
        by_branch = self.shares and self.group.get("share_enforcement") == "parent"
        branches = {n: n.quota - self.holds(n) for n in self.tops}  # what it is below its quota
        for claimant in self.losing:
            for loser in reversed(self.losing):
                part = min(claimant.quota - self.has[claimant], self.excess(loser))
                for n in claimant.parents():
                    if n not in loser.parents():
                        part = min(part, self.limit(n) - self.holds(n))
                mine, theirs = self.top(claimant), self.top(loser)
                if by_branch and mine is not theirs:
                    part = min(part, branches[mine], -branches[theirs])
                if part <= 0:
                    continue
                if mine is not theirs:
                    branches[mine] -= part
                    branches[theirs] += part
                self.has[loser] -= part
                self.has[claimant] += part
                self.moves.flow(loser, claimant, part, True)

    def top(self, leaf):
        return [leaf, *leaf.parents()][-1]
