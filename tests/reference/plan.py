#!/usr/bin/env python3
"""What a resource plan comes to, from broker/rules/plan/README.md and not from our code: plain
recursion, fractions, everything added up anew at each step, no thought of speed.
`evaluate(group, consumers, state)` takes dictionaries with the keys of the configuration file and
of the state file, and returns the answer of `leasectl plan --json` without the words (grace is in
ms, reasons are left out)."""
from math import floor
from zoneinfo import ZoneInfo

from plan_division import Division
from plan_moves import Moves
from plan_owners import Owners
from plan_tree import Tree

NUMBERS = ("quota", "borrowed", "lent", "shared", "change")


class Evaluation:
    def __init__(self, group, consumers, state):
        self.group = group
        self.tree = tree = Tree(group, consumers, state)
        self.idle = tree.slots - tree.root.allocated
        hybrid = tree.tops("hybrid")
        self.moves = Moves(tree.by_tree if hybrid else tree.by_rank, self.idle)
        self.owners = Owners(tree, self.moves) if tree.tops("ownership") else None
        divides = hybrid or tree.tops("share-ratio")
        self.division = Division(tree, self.moves) if divides else None

    def run(self):
        owners, division = self.owners, self.division
        if division:
            division.common()
            division.divide(division.slots, division.tops)
        if owners:
            owners.at_once()
        if division:
            division.take_beyond()
            division.enforce_limits()
        if owners:
            owners.cycle()
        idle_taken = {}
        for loser, n, slots in owners.log if owners else []:
            if loser is not None:
                self.moves.flow(loser, n, slots, True)
            elif division:
                idle_taken[n] = idle_taken.get(n, 0) + slots
            else:
                self.moves.hand_out(n, slots)
        if division:
            division.hand_out(idle_taken)
            division.reclaim()
        return self.answer()

    def answer(self):
        moves, kept = self.moves.finish()
        for n, slots in kept:
            if n.policy == "ownership":
                self.owners.keep(n, slots)
        self.rows = {n: {"path": n.path, "demand": n.demand, "allocated": n.allocated,
                         "owned": n.owned, "reserved": 0, "limit": n.named("limit")}
                     | dict.fromkeys(NUMBERS, 0) | {"free": 0} for n in self.tree.consumers}
        for loser, n, slots in moves:
            if loser:
                self.rows[loser]["change"] -= slots
            if n:
                self.rows[n]["change"] += slots
        for n in self.tree.by_tree:
            self.rows[n].update(self.numbers_of(n, n.allocated + self.rows[n]["change"]))
        for n in self.division.consumers if self.division else []:
            self.rows[n].update(owned=floor(n.own), reserved=n.res)
        self.charge_lent()
        for n in self.tree.consumers:
            for key in NUMBERS if n.children else []:
                self.rows[n][key] = sum(self.rows[leaf][key] for leaf in n.leaves())
        self.set_free()
        return {"slots": self.tree.slots, "idle": self.idle,
                "consumers": list(self.rows.values()),
                "moves": [{"from": loser and loser.path, "to": n and n.path, "slots": slots,
                           "kind": "reclaim" if loser else "transfer",
                           "grace_ms": self.grace(loser, n)} for loser, n, slots in moves]}

    def numbers_of(self, n, after):
        if n.policy == "hybrid":
            return {"quota": n.quota, "borrowed": max(0, after - floor(n.own))}
        if n.policy == "share-ratio":
            return {"quota": n.quota, "shared": after}
        owners = self.owners
        return {"quota": owners.holds(n), "borrowed": owners.borrowed(n), "lent": owners.lent(n),
                "shared": owners.shared[n]}

    def grace(self, loser, n):
        who = loser
        if self.group.get("use_ancestor_grace_period") and loser and n:
            common = [p for p in loser.parents() if p in n.parents()]
            who = common[0] if common else loser
        return who.named("reclaim_grace_ms", 0) if who else 0

    def hybrid(self):
        return [n for n in self.tree.by_tree if n.policy == "hybrid"]

    def charge_lent(self):
        """All that is borrowed less the slots nobody owns."""
        rows = [(self.rows[n], n.res) for n in self.hybrid()]
        if not rows:
            return
        nobodys = max(0, self.division.slots - sum(row["owned"] for row, _ in rows))
        lent = sum(row["borrowed"] for row, _ in rows) - nobodys
        for row, reserve in rows:
            unused = row["owned"] - max(row["allocated"] + row["change"], reserve)
            row["lent"] = max(0, min(lent, unused))
            lent -= row["lent"]

    def set_free(self):
        consumers = [n for n in self.tree.consumers if n.policy == "hybrid"]
        short = any(n.want > n.allocated for n in consumers)
        for n in reversed(consumers):
            below = sum(self.rows[c]["free"] for c in n.children)
            if short:
                self.rows[n]["free"] = max(below, n.res - n.allocated)
            elif self.tree.configured:
                self.rows[n]["free"] = max(0, self.idle) * n.owned // self.tree.configured


def in_force(consumers, time, zone):
    """The numbers of each consumer at that time (broker/rules/plan/README.md, "Windows");
    None: outside of all windows."""
    if time is None:
        return consumers
    clock = time.astimezone(ZoneInfo(zone)).strftime("%H:%M")
    now = []
    for keys in consumers:
        window = keys.get("window", {"from": "", "to": ""})
        begin, end = window["from"], window["to"]
        inside = begin <= clock < end if begin < end else begin <= clock or clock < end
        now.append(keys | window if begin and inside else keys)
    return now


def evaluate(group, consumers, state):
    return Evaluation(group, consumers, state).run()
