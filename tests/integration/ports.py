"""Ports on loopback that no other test and no running instance uses.

A block of ports below the range from which the system takes those of outgoing connections, claimed
for the life of a Claim by listening on its first port.
"""
import os
import socket

_FIRST, _LAST, _BLOCK = 21000, 31000, 8


class Claim:
    def __init__(self) -> None:
        blocks = (_LAST - _FIRST) // _BLOCK
        start = os.getpid() * 7
        for attempt in range(blocks):
            base = _FIRST + (start + attempt) % blocks * _BLOCK
            guard = socket.socket()
            try:
                guard.bind(("127.0.0.1", base))
                guard.listen(1)
            except OSError:
                guard.close()
                continue
            if all(_is_free(port) for port in range(base + 1, base + _BLOCK)):
                self._guard = guard
                self.ports = list(range(base + 1, base + _BLOCK))
                return
            guard.close()
        raise RuntimeError("no free block of ports on loopback")

    def release(self) -> None:
        self._guard.close()


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True
