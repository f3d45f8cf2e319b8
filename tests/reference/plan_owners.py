"""Of plan.py: a cycle of ownership."""
from fractions import Fraction
from math import inf

from plan_tree import fill, rounded


class Owners:
    # Ownership

    def owners(self):
        return [n for n in self.leaves if n.policy == "ownership"]

    def pools(self, amount):
        parents = sorted((n for n in self.tree if n.children and n.policy == "ownership"),
                         key=self.priority.get)
        left = max(0, amount - sum(n.owned for n in self.owners()))
        self.pool = {n: 0 for n in self.root.walk()}
        for n in parents:
            self.pool[n] = min(left, n.owned - sum(c.owned for c in n.children))
            left -= self.pool[n]
        self.pool[self.root] = left
        self.P = sum(self.pool.values())

    def deserve(self):
        self.deserved = {n: 0 for n in self.root.walk()}
        self.left_over(self.root)

    def beyond(self, n):
        if not n.children:
            return min(n.want - min(n.want, n.owned), n.share_limit)
        inside = sum(self.beyond(c) for c in n.children)
        own = sum(min(l.want, l.owned) for l in n.leaves())
        return max(0, min(inside, n.share_limit, n.limit - own))

    def left_over(self, n):
        amount = self.pool[n]
        for child in n.children:
            if child.children and child.policy == "ownership":
                amount += self.left_over(child)
        return self.pour(n, amount)

    def got_below(self, n):
        return sum(self.deserved[l] for l in n.leaves())

    def pour(self, parent, amount):
        kids = [c for c in parent.ranked if c.policy == "ownership"]
        given = [Fraction(0) for _ in kids]
        caps = [self.beyond(k) - self.got_below(k) for k in kids]
        left = fill(Fraction(amount), [k.ratio for k in kids], caps, given)
        for k, slots in zip(kids, rounded(given)):
            if k.children:
                left += self.pour(k, slots)
            else:
                self.deserved[k] += slots
        return left

    def lenders(self, b):
        """By preference."""
        listed = b.get("borrow_from")
        if listed is None:
            listed = ["*"] if b.get("borrow_limit", 0) > 0 else []
        found = []
        for name in listed:
            at = self.root if name == "*" else self.nodes[name]
            for l in at.leaves():  # in declaration order
                if l not in found and self.may_lend(l, b):
                    found.append(l)
        return found

    def may_lend(self, l, b):
        if l is b or l.policy != "ownership" or b.policy != "ownership":
            return False
        if self.group.get("siblings_only") and l.parent is not b.parent:
            return False
        to = l.get("lend_to")
        return to is None or "*" in to or any(b is n for name in to for n in self.nodes[name].leaves())

    def borrow_limit(self, b):
        return b.get("borrow_limit", 0 if b.get("borrow_from") is None else inf)

    def total(self, table, n):
        return sum(table[l] for l in n.leaves() if l in table)

    def lent(self, l):
        return sum(n for (_, lender), n in self.loans.items() if lender is l)

    def borrowed(self, b):
        return sum(n for (borrower, _), n in self.loans.items() if borrower is b)

    def holds(self, n):
        return sum(self.use[l] + self.shared[l] + self.borrowed(l) for l in n.leaves())

    def own_idle(self, l):
        return max(0, l.owned - self.use[l] - self.lent(l))

    def lendable(self, l):
        return max(0, min(l.get("lend_limit", 0) - self.lent(l), self.own_idle(l)))

    def stock(self):
        self.use, self.shared, self.loans = {}, {}, {}
        silent = []
        for n in self.owners():
            state = self.state[n]
            self.use[n], self.shared[n] = n.allocated, 0
            if state.get("shared") is not None or state.get("borrowed") is not None:
                self.shared[n] = state.get("shared") or 0
                for path, slots in (state.get("borrowed") or {}).items():
                    self.loans[n, self.nodes[path]] = slots
                self.use[n] -= self.shared[n] + self.borrowed(n)
            else:
                silent.append(n)
        for n in silent:
            part = max(0, min(self.use[n] - n.owned, self.P - sum(self.shared.values())))
            self.use[n] -= part
            self.shared[n] += part
        for n in silent:
            for l in self.lenders(n):
                part = min(self.use[n] - n.owned, self.lendable(l),
                           self.borrow_limit(n) - self.borrowed(n))
                if part > 0:
                    self.use[n] -= part
                    self.loan(n, l, part)

    def loan(self, b, l, slots):
        self.loans[b, l] = self.loans.get((b, l), 0) + slots

    def drop(self, n, slots):
        if slots > 0:
            self.moves.given.append([n, slots])
            self.dropped.setdefault(n, [])
        return slots

    def drop_borrowed(self, n, slots):
        order = self.lenders(n)
        place = {l: i for i, l in enumerate(order)}
        mine = [l for (b, l), held in self.loans.items() if b is n and held]
        last = len(order)
        for l in sorted(mine, key=lambda l: (place.get(l, last), self.tree.index(l)), reverse=True):
            part = max(0, min(slots, self.loans[n, l]))
            self.loans[n, l] -= part
            slots -= self.drop(n, part)
            if part:
                self.dropped[n].append(("borrowed", l, part))
        return slots

    def drop_shared(self, n, slots):
        part = max(0, min(slots, self.shared[n]))
        self.shared[n] -= part
        if self.drop(n, part):
            self.dropped[n].append(("shared", None, part))
        return slots - part

    def drop_owned(self, n, slots):
        part = max(0, min(slots, self.use[n]))
        self.use[n] -= part
        if self.drop(n, part):
            self.dropped[n].append(("owned", None, part))
        return slots - part

    def at_once(self, amount):
        self.dropped = {}
        for n in self.owners():
            over = self.holds(n) - n.limit
            if over > 0:
                self.drop_owned(n, self.drop_shared(n, self.drop_borrowed(n, over)))
            self.drop_shared(n, self.shared[n] - n.share_limit)
            allowed = self.lenders(n)
            for (b, l), held in list(self.loans.items()):
                if b is n and held and l not in allowed:
                    self.loans[b, l] = 0
                    self.drop(n, held)
                    self.dropped[n].append(("borrowed", l, held))
            over = self.borrowed(n) - self.borrow_limit(n)
            if over > 0:
                self.drop_borrowed(n, over)
            self.drop_owned(n, self.use[n] - n.owned)
        for parent in reversed(self.tree):
            if not parent.children or parent.policy != "ownership":
                continue
            back = sorted(parent.leaves(), key=self.priority.get, reverse=True)
            for drop in (self.drop_borrowed, self.drop_shared, self.drop_owned):
                for n in back:
                    over = self.holds(parent) - parent.limit
                    if over > 0:
                        drop(n, over)
            for n in back:
                over = self.total(self.shared, parent) - parent.share_limit
                if over > 0:
                    self.drop_shared(n, over)
        back = list(reversed(self.owners()))
        for l in self.owners():
            for n in back:
                most = min(l.get("lend_limit", 0), max(0, l.owned - self.use[l]))
                part = min(self.loans.get((n, l), 0), self.lent(l) - most)
                if part > 0:
                    self.loans[n, l] -= part
                    self.drop(n, part)
                    self.dropped[n].append(("borrowed", l, part))
        for n in back:
            over = min(sum(self.shared.values()) - self.P, self.shared[n] - self.deserved[n])
            if over > 0:
                self.drop_shared(n, over)
        for drop in (self.drop_borrowed, self.drop_shared, self.drop_owned):
            for n in back:
                over = sum(self.holds(o) for o in back) - amount
                if over > 0:
                    drop(n, over)
        self.moves.settle(self.priority)

    def need(self, n, other=None):
        room = [p.limit - self.holds(p) for p in self.outside(n, other)]
        return max(0, min([n.want - self.holds(n), *room]))

    def share_room(self, n, other=None):
        room = [p.share_limit - self.total(self.shared, p) for p in self.outside(n, other)]
        return max(0, min(room, default=inf))

    def take(self, n, slots):
        self.free -= slots
        self.log.append((None, n, slots))

    def step_own(self):
        for n in self.owners():
            part = min(self.need(n), self.own_idle(n), self.free)
            if part:
                self.use[n] += part
                self.take(n, part)

    def step_pool(self):
        for deserved in (True, False):
            for n in self.owners():
                most = self.deserved[n] if deserved else n.share_limit
                part = min(self.need(n), most - self.shared[n], self.share_room(n), self.free,
                           self.P - sum(self.shared.values()))
                if part > 0:
                    self.shared[n] += part
                    self.take(n, part)

    def step_borrow(self):
        for n in self.owners():
            for l in self.lenders(n):
                part = min(self.need(n), self.lendable(l), self.borrow_limit(n) - self.borrowed(n),
                           self.free)
                if part > 0:
                    self.loan(n, l, part)
                    self.take(n, part)

    def step_reclaim_own(self):
        for l in self.owners():
            for n in reversed(self.owners()):
                part = min(self.loans.get((n, l), 0), self.need(l, n))
                if part:
                    self.loans[n, l] -= part
                    self.use[l] += part
                    self.log.append((n, l, part))

    def step_reclaim_pool(self):
        if not self.group.get("reclaim_shared", True):
            return
        for n in self.owners():
            for victim in reversed(self.owners()):
                part = min(self.need(n, victim), self.deserved[n] - self.shared[n],
                           self.shared[victim] - self.deserved[victim], self.share_room(n, victim))
                if part > 0:
                    self.shared[victim] -= part
                    self.shared[n] += part
                    self.log.append((victim, n, part))

    def cycle(self, amount):
        self.log = []
        self.free = max(0, amount - sum(self.holds(n) for n in self.owners()))
        steps = [self.step_own, self.step_pool, self.step_borrow, self.step_reclaim_own,
                 self.step_reclaim_pool]
        if self.group.get("reclaim_before_borrow"):
            steps = [self.step_own, self.step_reclaim_own, self.step_pool, self.step_borrow,
                     self.step_reclaim_pool]
        while True:
            before = len(self.log)
            for step in steps:
                step()
            if len(self.log) == before:
                return
