#!/usr/bin/env python3
"""What a resource plan comes to, from the description of the plans and not from our code: plain
recursion, fractions, no thought of speed. `evaluate(group, consumers, state)` takes dictionaries
with the keys of the configuration file and of the state file, and returns the answer of
`leasectl plan --json` without the words (grace is in ms, reasons are left out)."""
from fractions import Fraction
from math import floor, inf


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


class Evaluation:
    def __init__(self, group, consumers, state):
        self.group = group
        self.root, self.nodes = build(consumers)
        self.S = state.get("slots", group.get("slots"))
        self.Sc = group.get("slots", self.S)
        self.tree = [n for n in self.root.walk() if n is not self.root]
        for node in self.root.walk():
            node.ranked = by_rank(group, node.children)
        self.priority = {}
        self.number(self.root)
        self.leaves = sorted(self.root.leaves(), key=self.priority.get)
        self.state = {n: state.get("consumers", {}).get(n.path, {}) for n in self.leaves}
        for n in self.root.walk():
            n.demand = sum(self.state[l].get("demand", 0) for l in n.leaves())
            n.allocated = sum(self.state[l].get("allocated", 0) for l in n.leaves())
        for n in self.tree:
            top = n
            while top.parent is not self.root:
                top = top.parent
            n.top = top
            n.policy = top.get("policy", group["policy"])
            n.limit = n.get("limit", inf)
            n.ratio = n.get("share_ratio", 1)
            n.share_limit = 0 if n.ratio == 0 else n.get("share_limit", inf)
        for n in reversed(self.tree):
            n.owned = n.get("owned", sum(c.owned for c in n.children))
        owners = [c for c in self.root.children if c.policy == "ownership"]
        self.mixed = bool(owners) and len(owners) < len(self.root.children)
        self.taken = sum(c.owned for c in owners) if self.mixed else 0
        self.S1, self.Sc1 = max(self.S - self.taken, 0), self.Sc - self.taken
        self.idle = self.S - self.root.allocated
        self.held = {n: n.allocated for n in self.tree}
        soft = lambda n: n.policy == "ownership" and not n.get("rebalance", True)
        self.moves = Moves(soft)
        self.moves.idle = self.idle

    def number(self, node):
        self.priority[node] = len(self.priority)
        for child in node.ranked:
            self.number(child)

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

    # The answer

    def run(self):
        self.common()
        owners, dividing = self.owners(), self.dividing()
        self.claims = {}
        if self.group["policy"] == "share-ratio":
            self.share(self.root, self.S)
        elif dividing:
            self.hybrid(self.root, self.S1)
        if owners:
            amount = min(self.S, self.taken) if self.mixed else self.S
            self.pools(amount)
            self.deserve()
            self.stock()
            self.at_once(amount)
        if dividing:
            self.missing_and_limits()
        if owners:
            self.cycle(amount)
            for giver, taker, slots in self.log:
                if giver is not None:
                    self.moves.add(giver, taker, slots, gone=True)
                elif self.mixed:
                    self.claims[taker] = self.claims.get(taker, 0) + slots
                else:
                    self.moves.hand_out(taker, slots)
        if dividing:
            self.distribute()
            self.reclaim()
        return self.answer()

    def finish_moves(self):
        for giver, slots in self.moves.given:
            self.moves.add(giver, None, slots)
        net = {}
        for giver, taker, slots, gone in self.moves.list:
            if not slots:
                continue
            if taker is None and not gone and self.moves.soft(giver):
                self.keep(giver, slots)
            else:
                net[giver, taker] = net.get((giver, taker), 0) + slots
        end = len(self.priority)
        order = lambda ends: (ends[0] is not None, self.priority[ends[1]] if ends[1] else end,
                              -self.priority[ends[0]] if ends[0] else 0)
        return [(g, t, net[g, t]) for g, t in sorted(net, key=order)]

    def keep(self, n, slots):
        """Of what it gave back, the owned first, then shared, then loans, the preferred first."""
        order = self.lenders(n)
        kinds = ["owned", "shared", "borrowed"]
        place = lambda l: (order.index(l) if l in order else len(order), self.tree.index(l))
        self.dropped[n].sort(key=lambda e: (kinds.index(e[0]), place(e[1]) if e[1] else ()))
        for i in range(len(self.dropped[n])):
            kind, l, most = self.dropped[n][i]
            part = min(slots, most)
            slots -= part
            self.dropped[n][i] = (kind, l, most - part)
            if kind == "owned":
                self.use[n] += part
            elif kind == "shared":
                self.shared[n] += part
            else:
                self.loan(n, l, part)

    def grace(self, giver, taker):
        if giver is None:
            return 0
        who = giver
        if self.group.get("use_ancestor_grace_period") and taker is not None:
            common = [n for n in giver.above() if n in taker.above()]
            who = common[0] if common else giver
        return who.get("reclaim_grace_ms", 0)

    def answer(self):
        moves = self.finish_moves()
        rows = {}
        for n in self.tree:
            rows[n] = {"path": n.path, "demand": n.demand, "allocated": n.allocated,
                       "owned": floor(n.own), "reserved": n.res, "limit": n.get("limit"),
                       "quota": 0, "borrowed": 0, "lent": 0, "shared": 0, "free": 0, "change": 0}
        for giver, taker, slots in moves:
            if giver:
                rows[giver]["change"] -= slots
            if taker:
                rows[taker]["change"] += slots
        for n in self.leaves:
            row = rows[n]
            if n.policy == "ownership":
                row.update(quota=self.holds(n), borrowed=self.borrowed(n), lent=self.lent(n),
                           shared=self.shared[n])
                continue
            after = n.allocated + row["change"]
            row["quota"] = n.quota
            if n.policy == "hybrid":
                row["borrowed"] = max(0, after - row["owned"])
            else:
                row["shared"] = after
        self.charge_lent(rows)
        for n in self.tree:
            for key in ("quota", "borrowed", "lent", "shared", "change"):
                if n.children:
                    rows[n][key] = sum(rows[l][key] for l in n.leaves())
        self.set_free(rows)
        return {"slots": self.S, "idle": self.idle, "consumers": [rows[n] for n in self.tree],
                "moves": [{"from": g and g.path, "to": t and t.path, "slots": s,
                           "kind": "reclaim" if g else "transfer",
                           "grace_ms": self.grace(g, t)} for g, t, s in moves]}

    def charge_lent(self, rows):
        hybrid = [n for n in self.leaves if n.policy == "hybrid"]
        nobodys = max(0, self.S1 - sum(rows[n]["owned"] for n in hybrid))
        lent = max(0, sum(rows[n]["borrowed"] for n in hybrid) - nobodys)
        for n in hybrid:
            row = rows[n]
            row["lent"] = max(0, min(lent, row["owned"] - max(n.res, row["allocated"] + row["change"])))
            lent -= row["lent"]

    def set_free(self, rows):
        hybrid = [n for n in self.tree if n.policy == "hybrid"]
        wanting = any(n.want > n.allocated for n in hybrid)
        for n in reversed(hybrid):
            if not wanting:
                rows[n]["free"] = max(0, self.idle) * n.owned // self.Sc if self.Sc else 0
            elif n.children:
                rows[n]["free"] = max(sum(rows[c]["free"] for c in n.children), n.res - n.allocated)
            else:
                rows[n]["free"] = max(0, n.res - n.allocated)


def evaluate(group, consumers, state):
    return Evaluation(group, consumers, state).run()
