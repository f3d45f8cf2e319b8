"""Of plan.py: one cycle of ownership (broker/rules/plan/README.md, "Ownership").
What leaves hold stands in three tables: `use`
(owned in use), `shared`, and `loans` by borrower and lender."""
from fractions import Fraction
from math import inf

from plan_tree import fill, rounded


class Owners:
    def __init__(self, tree, moves):
        self.tree, self.moves, self.group = tree, moves, tree.group
        self.leaves = tree.leaves_of("ownership")
        self.back = list(reversed(self.leaves))
        self.parents = [n for n in tree.consumers if n.children and n.policy == "ownership"]
        owned = sum(n.owned for n in tree.tops("ownership"))
        self.slots = min(owned, tree.slots) if tree.tops("hybrid") else tree.slots
        for n in self.leaves:
            n.want = min(n.demand, n.limit)
        self.orders = {n: self.preference(n) for n in self.leaves}
        self.given_back = {n: [] for n in self.leaves}  # [kind, lender, slots]
        self.idle_taken, self.reclaims, self.log = {}, [], []
        self.set_pools()
        self.set_deserved()
        self.take_stock()

    # Pools

    def set_pools(self):
        self.P = left = max(0, self.slots - sum(n.owned for n in self.leaves))
        self.pool = {}
        for n in self.tree.walk(self.tree.root):
            if n in self.parents:
                self.pool[n] = min(left, n.owned - sum(c.owned for c in n.children))
                left -= self.pool[n]
        self.pool[self.tree.root] = left

    def set_deserved(self):
        self.deserved = {n: 0 for n in self.leaves}
        self.pour_from(self.tree.root)

    def pour_from(self, parent):
        """The pool of the parent and what deeper ones left over; returns what goes up."""
        slots = self.pool[parent]
        for child in parent.children:
            if child in self.parents:
                slots += self.pour_from(child)
        return slots - self.pour(parent, slots)

    def pour(self, parent, slots):
        children = [n for n in self.tree.siblings(parent) if n.policy == "ownership"]
        given = [Fraction(0)] * len(children)
        fill(slots, [n.ratio for n in children], [self.can_take(n) for n in children], given)
        for n, part in zip(children, rounded(given)):
            if n.children:
                self.pour(n, part)
            else:
                self.deserved[n] += part
        return sum(given)

    def can_take(self, n):
        """The cap, less what was given below already."""
        return self.cap(n) - sum(self.deserved[leaf] for leaf in n.leaves())

    def cap(self, n):
        own = sum(min(leaf.want, leaf.owned) for leaf in n.leaves())
        if not n.children:
            return min(n.want - own, n.share_limit)
        return max(0, min(sum(map(self.cap, n.children)), n.share_limit, n.limit - own))

    # Lending

    def preference(self, borrower):
        """The lenders whose loans the plan allows, the preferred first."""
        names = borrower.named("borrow_from")
        if names is None:
            names = ["*"] if borrower.named("borrow_limit", 0) > 0 else []
        order = []
        for name in names:
            for leaf in (self.tree.root if name == "*" else self.tree.at[name]).leaves():
                if leaf not in order and self.lends_to(leaf, borrower):
                    order.append(leaf)
        return order

    def lends_to(self, lender, borrower):
        if lender is borrower or lender.policy != "ownership":
            return False
        if self.group.get("siblings_only") and lender.parent is not borrower.parent:
            return False
        names = lender.named("lend_to", ["*"])
        return "*" in names or any(n.path in names for n in [borrower, *borrower.parents()])

    def borrow_limit(self, n):
        return n.named("borrow_limit", 0 if n.named("borrow_from") is None else inf)

    def lent(self, lender):
        return sum(slots for (_, of), slots in self.loans.items() if of is lender)

    def borrowed(self, borrower):
        return sum(slots for (by, _), slots in self.loans.items() if by is borrower)

    def lendable(self, n):
        return max(0, min(n.named("lend_limit", 0) - self.lent(n), self.own_idle(n)))

    def own_idle(self, n):
        return max(0, n.owned - self.use[n] - self.lent(n))

    def lend(self, borrower, lender, slots):
        self.loans[borrower, lender] = self.loans.get((borrower, lender), 0) + slots

    # What they hold

    def holds(self, n):
        return sum(self.use[leaf] + self.shared[leaf] + self.borrowed(leaf) for leaf in n.leaves())

    def shares(self, n):
        return sum(self.shared[leaf] for leaf in n.leaves())

    def take_stock(self):
        self.use, self.shared, self.loans = {}, {}, {}
        silent = []
        for n in self.leaves:
            shared, borrowed = n.state.get("shared"), n.state.get("borrowed")
            self.shared[n] = shared or 0
            for path, slots in (borrowed or {}).items():
                self.lend(n, self.tree.at[path], slots)
            self.use[n] = n.allocated - self.shared[n] - self.borrowed(n)
            if shared is None and borrowed is None:
                silent.append(n)
        for n in silent:
            free = self.P - sum(self.shared.values())
            self.shared[n] = max(0, min(n.allocated - n.owned, free))
            self.use[n] -= self.shared[n]
        for n in silent:
            for lender in self.orders[n]:
                slots = min(self.use[n] - n.owned, self.lendable(lender),
                            self.borrow_limit(n) - self.borrowed(n))
                if slots > 0:
                    self.use[n] -= slots
                    self.lend(n, lender, slots)

    # Step 1

    def drop(self, kind, n, slots, lender=None):
        if slots <= 0:
            return
        if kind == "owned":
            self.use[n] -= slots
        elif kind == "shared":
            self.shared[n] -= slots
        else:
            self.loans[n, lender] -= slots
        self.given_back[n].append([kind, lender, slots])
        self.moves.give_back(n, slots)

    def drop_some(self, kind, n, slots):
        """At most so many; a borrower's least preferred lender first."""
        if kind == "owned":
            self.drop(kind, n, min(slots, self.use[n]))
        elif kind == "shared":
            self.drop(kind, n, min(slots, self.shared[n]))
        else:
            for lender in sorted(self.lenders_of(n), key=self.place_for(n), reverse=True):
                part = max(0, min(slots, self.loans[n, lender]))
                slots -= part
                self.drop(kind, n, part, lender)

    def lenders_of(self, n):
        return [lender for (by, lender), slots in self.loans.items() if by is n and slots]

    def place_for(self, n):
        """Loans that the plan does not allow are the least preferred, as declared."""
        order, declared = self.orders[n], self.tree.consumers
        return lambda lender: (order.index(lender) if lender in order else len(order),
                               declared.index(lender))

    def over_limit(self, n):
        for kind in ("borrowed", "shared", "owned"):
            for leaf in self.back:
                if leaf is n or n in leaf.parents():
                    self.drop_some(kind, leaf, self.holds(n) - n.limit)

    def over_share_limit(self, n):
        for leaf in self.back:
            if leaf is n or n in leaf.parents():
                self.drop_some("shared", leaf, self.shares(n) - n.share_limit)

    def at_once(self):
        for n in self.leaves:
            self.over_limit(n)
            self.over_share_limit(n)
            for lender in self.lenders_of(n):
                if lender not in self.orders[n]:
                    self.drop("borrowed", n, self.loans[n, lender], lender)
            self.drop_some("borrowed", n, self.borrowed(n) - self.borrow_limit(n))
            self.drop_some("owned", n, self.use[n] - n.owned)
        for n in reversed(self.parents):
            self.over_limit(n)
            self.over_share_limit(n)
        for lender in self.leaves:
            may = min(lender.named("lend_limit", 0), max(0, lender.owned - self.use[lender]))
            for n in self.back:
                over = min(self.lent(lender) - may, self.loans.get((n, lender), 0))
                self.drop("borrowed", n, over, lender)
        for n in self.back:
            beyond = sum(self.shared.values()) - self.P
            self.drop_some("shared", n, min(beyond, self.shared[n] - self.deserved[n]))
        for kind in ("borrowed", "shared", "owned"):
            for n in self.back:
                self.drop_some(kind, n, sum(map(self.holds, self.leaves)) - self.slots)
        self.moves.drop_missing()

    # Steps 2 to 6

    def need(self, n, loser=None):
        room = [p.limit - self.holds(p) for p in n.parents()
                if loser is None or p not in loser.parents()]
        return max(0, min([n.want - self.holds(n), *room]))

    def share_room(self, n, loser=None):
        room = [p.share_limit - self.shares(p) for p in n.parents()
                if loser is None or p not in loser.parents()]
        return min(room, default=inf)

    def take_idle(self, n, slots):
        self.idle -= slots
        self.log.append((None, n, slots))

    def step_own(self):
        for n in self.leaves:
            slots = min(self.need(n), self.own_idle(n), self.idle)
            if slots > 0:
                self.use[n] += slots
                self.take_idle(n, slots)

    def step_pool(self):
        for most in (self.deserved, {n: n.share_limit for n in self.leaves}):
            for n in self.leaves:
                slots = min(self.need(n), most[n] - self.shared[n], self.share_room(n), self.idle,
                            self.P - sum(self.shared.values()))
                if slots > 0:
                    self.shared[n] += slots
                    self.take_idle(n, slots)

    def step_borrow(self):
        for n in self.leaves:
            for lender in self.orders[n]:
                slots = min(self.need(n), self.borrow_limit(n) - self.borrowed(n),
                            self.lendable(lender), self.idle)
                if slots > 0:
                    self.lend(n, lender, slots)
                    self.take_idle(n, slots)

    def step_reclaim_own(self):
        for owner in self.leaves:
            for n in self.back:
                slots = min(self.loans.get((n, owner), 0), self.need(owner, n))
                if slots > 0:
                    self.loans[n, owner] -= slots
                    self.use[owner] += slots
                    self.log.append((n, owner, slots))

    def step_reclaim_pool(self):
        for n in self.leaves if self.group.get("reclaim_shared", True) else []:
            for loser in self.back:
                slots = min(self.need(n, loser), self.deserved[n] - self.shared[n],
                            self.shared[loser] - self.deserved[loser], self.share_room(n, loser))
                if slots > 0:
                    self.shared[loser] -= slots
                    self.shared[n] += slots
                    self.log.append((loser, n, slots))

    def cycle(self):
        self.idle = self.slots - sum(map(self.holds, self.leaves))
        steps = [self.step_own, self.step_pool, self.step_borrow, self.step_reclaim_own,
                 self.step_reclaim_pool]
        if self.group.get("reclaim_before_borrow"):
            steps.insert(1, steps.pop(3))
        moved = -1
        while moved < len(self.log):
            moved = len(self.log)
            for step in steps:
                step()

    # broker/rules/plan/README.md, "Moves"

    def keep(self, n, slots):
        """Of what it gave back: owned first, then shared, then borrowed, the preferred first."""
        kinds = ("owned", "shared", "borrowed")
        place = self.place_for(n)
        for entry in sorted(self.given_back[n], key=lambda e: (
                kinds.index(e[0]), place(e[1]) if e[1] else (0, 0))):
            kind, lender, most = entry
            part = min(most, slots)
            entry[2] -= part
            slots -= part
            if kind == "owned":
                self.use[n] += part
            elif kind == "shared":
                self.shared[n] += part
            elif part:
                self.lend(n, lender, part)
