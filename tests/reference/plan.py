#!/usr/bin/env python3
"""What a resource plan comes to, from the description of the plans and not from our code: plain
recursion, fractions, no thought of speed. `evaluate(group, consumers, state)` takes dictionaries
with the keys of the configuration file and of the state file, and returns the answer of
`leasectl plan --json` without the words (grace is in ms, reasons are left out)."""
from math import floor, inf

from plan_owners import Owners
from plan_quotas import Quotas
from plan_tree import Moves, build, by_rank


class Evaluation(Quotas, Owners):
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
