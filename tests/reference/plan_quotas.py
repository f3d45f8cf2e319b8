"""Of plan.py: hybrid and share ratio, from quotas to moves."""
from fractions import Fraction
from math import floor, inf

from plan_tree import fill, rounded


class Quotas:
    # Quotas

    def common(self):
        for n in reversed(self.tree):
            hybrid = n.policy == "hybrid"
            n.own = Fraction(n.owned)
            if hybrid:
                n.own = Fraction(n.owned * self.S1, self.Sc1) if self.Sc1 > 0 else Fraction(0)
            if n.get("reserved") is not None or not n.children:
                n.res = floor(min(n.get("reserved", 0), n.own))
            else:
                n.res = sum(c.res for c in n.children)
            want = sum(c.want for c in n.children) if n.children else n.demand
            n.want = min(n.limit, max(want, n.res if hybrid else 0))

    def hybrid(self, parent, amount):
        kids = [c for c in parent.ranked if c.policy == "hybrid"]
        even = self.group.get("evenly_distribute", False)
        given = [Fraction(0) for _ in kids]
        owned = [k.owned if self.Sc1 > 0 else 0 for k in kids]
        left = fill(Fraction(amount), [k.res for k in kids], [min(k.res, k.want) for k in kids], given)
        if even:
            first = [floor(min(k.want, k.own, o)) for k, o in zip(kids, owned)]
            second = [min(k.want, o) for k, o in zip(kids, owned)]
        else:
            first = [floor(min(k.want, k.own)) for k in kids]
            second = [min(k.want, k.own) for k in kids]
        left = fill(left, owned, first, given)
        left = fill(left, owned, second, given)
        fill(left, [1] * len(kids) if even else owned, [k.want for k in kids], given)
        for k, quota in zip(kids, rounded(given)):
            k.quota = quota
            if k.children:
                self.hybrid(k, quota)

    def share_cap(self, n):
        inside = sum(self.share_cap(c) for c in n.children) if n.children else n.demand
        return min(inside, n.limit, n.share_limit)

    def share(self, parent, amount):
        kids = parent.ranked
        given = [Fraction(0) for _ in kids]
        fill(Fraction(amount), [k.ratio for k in kids], [self.share_cap(k) for k in kids], given)
        for k, quota in zip(kids, rounded(given)):
            k.quota = quota
            if k.children:
                self.share(k, quota)

    # Hybrid and share ratio: steps 4 to 6

    def change(self, leaf, slots):
        for n in [leaf, *leaf.above()]:
            self.held[n] += slots

    def cap(self, n):
        return min(n.limit, n.share_limit) if n.policy == "share-ratio" else n.limit

    def reclaimable(self, n):
        quota = n.quota
        if self.group.get("disable_reclaim_hybrid_own") and self.S < self.Sc and n.policy == "hybrid":
            quota = max(quota, n.owned)
        return max(0, self.held[n] - quota)

    def dividing(self):
        return [n for n in self.leaves if n.policy != "ownership"]

    def missing_and_limits(self):
        back = list(reversed(self.dividing()))
        for n in back:
            part = min(max(0, self.held[n] - n.quota), max(0, -self.moves.idle))
            if part:
                self.change(n, -part)
                self.moves.add(n, None, part, gone=True)
                self.moves.idle += part
        for n in back:
            self.release(n, self.held[n] - self.cap(n))
        for parent in reversed(self.tree):
            if not parent.children or parent.policy == "ownership":
                continue
            for n in [n for n in back if n in parent.leaves()]:
                self.release(n, min(self.held[parent] - self.cap(parent), self.held[n] - n.quota))
        self.moves.settle(self.priority)

    def release(self, n, slots):
        if slots > 0:
            self.change(n, -slots)
            self.moves.given.append([n, slots])

    def lacks(self, n):
        if n.policy == "ownership":
            return sum(self.claims.get(l, 0) for l in n.leaves())
        return max(0, n.quota - self.held[n])

    def got(self, n, slots):
        if n.policy == "ownership":
            self.claims[n] -= slots
        else:
            self.change(n, slots)

    def pass_down(self, children, amount):
        for n in children:
            part = min(amount, self.lacks(n))
            amount -= part
            if n.children:
                self.pass_down(n.ranked, part)
            elif part:
                self.got(n, part)
                self.moves.hand_out(n, part)

    def outside(self, claimant, other):
        """Parents of the claimant that the other does not stand in."""
        return [n for n in claimant.above() if other is None or n not in other.above()]

    def room(self, claimant, other):
        if claimant.policy == "ownership":
            return inf
        return max(0, min([self.cap(n) - self.held[n] for n in self.outside(claimant, other)],
                          default=inf))

    def distribute(self):
        self.pass_down(self.root.ranked, self.moves.available())
        for n in self.leaves:
            part = min(self.lacks(n), self.moves.available(), self.room(n, None))
            if part:
                self.got(n, part)
                self.moves.hand_out(n, part)

    def reclaim(self):
        if self.group["policy"] == "share-ratio" and not self.group.get("reclaim_shared", True):
            return
        parent = (self.group["policy"] == "share-ratio"
                  and self.group.get("share_enforcement", "leaf") == "parent")
        for n in self.leaves:
            for victim in reversed(self.dividing()):
                part = min(self.lacks(n), self.reclaimable(victim), self.room(n, victim))
                if parent and n.top is not victim.top:
                    part = min(part, max(0, n.top.quota - self.held[n.top]),
                               max(0, self.held[victim.top] - victim.top.quota))
                if part:
                    self.change(victim, -part)
                    self.got(n, part)
                    self.moves.add(victim, n, part, gone=True)
