"""Of plan.py: from what each step takes and gives to net moves (broker/rules/plan/README.md, "Moves")."""


class Flow:
    """So many slots from a leaf, or from idle (None), to a leaf, or to nobody (None). `firm`: the
    leaf loses them even if nobody takes them and it has rebalance = false."""

    def __init__(self, giver, taker, slots, firm):
        self.giver, self.taker, self.slots, self.firm = giver, taker, slots, firm


class Moves:
    def __init__(self, priority, idle):
        self.place = {leaf: i for i, leaf in enumerate(priority)}
        self.idle, self.missing = max(idle, 0), max(-idle, 0)
        self.heap = []   # given back and not handed out yet: [leaf, slots, firm]
        self.flows = []  # net at all times, in the order in which they came about

    def keeps(self, leaf):
        return leaf.named("rebalance", True) is False

    def available(self):
        return self.idle + sum(slots for _, slots, _ in self.heap)

    def give_back(self, leaf, slots, firm=False):
        if slots > 0:
            self.heap.append([leaf, slots, firm])

    def order_heap(self):
        """Reverse priority order, rebalance = false after all others."""
        self.heap.sort(key=lambda entry: (self.keeps(entry[0]), -self.place[entry[0]]))

    def drop_missing(self):
        """Slots that are not there any more are the first of those given back."""
        self.order_heap()
        for leaf, part, _ in self.from_heap(self.missing):
            self.missing -= part
            self.flow(leaf, None, part, True)

    def vanish(self, leaf, slots):
        self.missing -= slots
        self.flow(leaf, None, slots, True)

    def from_heap(self, slots):
        while slots > 0 and self.heap:
            leaf, has, firm = self.heap[0]
            part = min(has, slots)
            self.heap[0][1] -= part
            if not self.heap[0][1]:
                self.heap.pop(0)
            slots -= part
            yield leaf, part, firm

    def hand_out(self, leaf, slots):
        part = min(slots, self.idle)
        self.idle -= part
        self.flow(None, leaf, part, False)
        for giver, part, _ in list(self.from_heap(slots - part)):
            self.flow(giver, leaf, part, False)

    def flow(self, giver, taker, slots, firm):
        """What the giver gained before passes on; what the taker lost before it need not gain."""
        for old in self.flows:
            if slots and giver is not None and old.taker is giver and old.slots:
                part = min(old.slots, slots)
                old.slots -= part
                slots -= part
                self.flow_on(old.giver, taker, part, old.firm or (taker is None and firm))
        self.flow_on(giver, taker, slots, firm)

    def flow_on(self, giver, taker, slots, firm):
        for old in list(self.flows):
            if slots and taker is not None and old.giver is taker and old.slots:
                part = min(old.slots, slots)
                old.slots -= part
                slots -= part
                self.add(giver, old.taker, part, firm or old.taker is None)
        self.add(giver, taker, slots, firm)

    def add(self, giver, taker, slots, firm):
        if slots and giver is not taker:
            self.flows.append(Flow(giver, taker, slots, firm))

    def finish(self):
        """The moves, and what leaves with rebalance = false keep."""
        for leaf, slots, firm in list(self.from_heap(self.available())):
            self.flow(leaf, None, slots, firm)
        net, kept = {}, []
        for f in self.flows:
            if f.taker is None and not f.firm and f.slots and self.keeps(f.giver):
                kept.append((f.giver, f.slots))
            elif f.slots:
                net[f.giver, f.taker] = net.get((f.giver, f.taker), 0) + f.slots
        last = len(self.place)
        ends = sorted(net, key=lambda e: (e[0] is not None, self.place.get(e[1], last),
                                          -self.place.get(e[0], 0)))
        return [(giver, taker, net[giver, taker]) for giver, taker in ends], kept
