#!/usr/bin/env python3
"""Writes campus.swf.gz: a small made-up trace of a 128-slot cluster, three weeks with days, nights
and weekends. Kept beside the trace so that it can be made again: make_campus.py > campus.swf.gz
"""
import gzip
import math
import random
import sys

rng = random.Random(20)
submit = 0.0
lines = ["; Version: 2.2", "; Computer: made up, 128 slots", "; MaxProcs: 128", "; UnixStartTime: 0"]
for number in range(1, 3001):
    hour, day = submit / 3600 % 24, int(submit / 86400) % 7
    busy = (0.3 + math.sin(math.pi * hour / 24) ** 2) * (0.4 if day > 4 else 1.0)
    submit += rng.expovariate(1 / 500) / busy
    width = 1 << rng.choice([0, 0, 0, 1, 2, 3, 4, 5, 5, 6, 7])
    run = int(rng.lognormvariate(5.5, 1.8)) + 1
    lines.append(f"{number} {int(submit)} -1 {run} {width} -1 -1 {width} -1 -1 1 "
                 f"{rng.randint(1, 40)} 1 1 1 1 -1 -1")
sys.stdout.buffer.write(gzip.compress(("\n".join(lines) + "\n").encode(), 9, mtime=0))
