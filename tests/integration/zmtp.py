"""A ZMTP 3 peer made of bare bytes (RFC 23, 26), for handshakes that ZeroMQ itself never makes.

Every piece may be given wrong: mechanism, socket type, identity of any length, commands that are cut off,
twice there or unknown, boxes that hold rubbish.
"""
import ctypes
import ctypes.util
import os
import random
import socket
import struct

from processes import LAST_BOUND_S
from zmq.utils import z85

SODIUM = ctypes.CDLL(ctypes.util.find_library("sodium"))
COMMAND, LARGE, MORE = 4, 2, 1


def frame(body: bytes, flags: int = 0) -> bytes:
    if len(body) > 255 or flags & LARGE:
        return struct.pack(">BQ", flags | LARGE, len(body)) + body
    return bytes([flags, len(body)]) + body


def command(name: bytes, data: bytes) -> bytes:
    return frame(bytes([len(name)]) + name + data, COMMAND)


def greeting(mechanism: bytes = b"NULL", version=(3, 1), as_server: int = 0) -> bytes:
    head = b"\xff" + bytes(8) + b"\x7f" + bytes(version)
    return head + mechanism.ljust(20, b"\0")[:20] + bytes([as_server]) + bytes(31)


def metadata(properties) -> bytes:
    return b"".join(bytes([len(name)]) + name + struct.pack(">I", len(value)) + value
                    for name, value in properties)


class Line:
    """A connection. What cannot be sent any more is dropped: the other side has closed it. `most_s`: where nothing
    comes for so long nothing will, as from who waits for the rest of a command that was cut off."""

    def __init__(self, endpoint: str, most_s: float = LAST_BOUND_S) -> None:
        host, port = endpoint.removeprefix("tcp://").rsplit(":", 1)
        self.socket = socket.create_connection((host, int(port)), timeout=most_s)

    def send(self, data: bytes) -> None:
        try:
            self.socket.sendall(data)
        except OSError:
            pass

    def end_sending(self) -> None:
        try:
            self.socket.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def receive(self, size: int) -> bytes:
        """So many bytes; b"": the other side has closed, or says nothing."""
        got = b""
        while len(got) < size:
            try:
                part = self.socket.recv(size - len(got))
            except OSError:
                return b""
            if not part:
                return b""
            got += part
        return got

    def receive_command(self) -> bytes:
        head = self.receive(2)
        if len(head) < 2 or head[0] & LARGE:
            return b""
        return self.receive(head[1])

    def close(self) -> None:
        self.socket.close()


def box(plain: bytes, nonce: bytes, public: bytes, secret: bytes) -> bytes:
    made = ctypes.create_string_buffer(len(plain) + 16)
    assert SODIUM.crypto_box_easy(made, plain, ctypes.c_ulonglong(len(plain)), nonce, public, secret) == 0
    return made.raw


def unbox(sealed: bytes, nonce: bytes, public: bytes, secret: bytes) -> bytes:
    plain = ctypes.create_string_buffer(max(len(sealed) - 16, 1))
    opened = SODIUM.crypto_box_open_easy(plain, sealed, ctypes.c_ulonglong(len(sealed)), nonce, public,
                                         secret)
    return plain.raw[:len(sealed) - 16] if opened == 0 else b""


class Curve:
    """CURVE up to READY with a key that is admitted (keys in Z85), with any properties."""

    def __init__(self, line: Line, own: str, secret: str, broker: str) -> None:
        self.line = line
        self.own, self.secret, self.broker = (z85.decode(key) for key in (own, secret, broker))
        public, hidden = ctypes.create_string_buffer(32), ctypes.create_string_buffer(32)
        SODIUM.crypto_box_keypair(public, hidden)
        self.short, self.short_secret = public.raw, hidden.raw
        self.count = 0

    def nonce(self, prefix: bytes) -> tuple[bytes, bytes]:
        self.count += 1
        tail = struct.pack(">Q", self.count)
        return tail, prefix + tail

    def hello(self, broken: bool = False) -> None:
        tail, nonce = self.nonce(b"CurveZMQHELLO---")
        signed = box(bytes(64), nonce, self.broker, self.short_secret)
        self.line.send(command(b"HELLO", bytes([1, 0]) + bytes(72) + self.short + tail +
                               (os.urandom(80) if broken else signed)))

    def initiate(self, data: bytes, length: int | None = None) -> bool:
        """Answers WELCOME. False: there was none."""
        welcome = self.line.receive_command()
        plain = unbox(welcome[24:], b"WELCOME-" + welcome[8:24], self.broker, self.short_secret) \
            if len(welcome) == 168 else b""
        if len(plain) != 128:
            return False
        self.theirs, cookie = plain[:32], plain[32:]
        vouched = os.urandom(16)
        vouch = box(self.short + self.broker, b"VOUCH---" + vouched, self.theirs, self.secret)
        tail, nonce = self.nonce(b"CurveZMQINITIATE")
        sealed = box(self.own + vouched + vouch + data, nonce, self.theirs, self.short_secret)
        self.line.send(command(b"INITIATE", (cookie + tail + sealed)[:length]))
        return True

    def message(self, plain: bytes) -> None:
        tail, nonce = self.nonce(b"CurveZMQMESSAGEC")
        self.line.send(frame(b"\x07MESSAGE" + tail +
                             box(plain, nonce, self.theirs, self.short_secret)))


def identity(chance: random.Random) -> bytes:
    """Of 0 to 300 bytes, often as a ROUTER itself would number a peer (libzmq's rand() is not seeded)."""
    kind = chance.randrange(4)
    if kind == 0:
        return b"\0" + struct.pack(">I", 0x6B8B4567 + chance.randrange(300))
    if kind == 1:
        return b"\0" * chance.choice((1, 2, 5, 255))
    if kind == 2:
        return chance.randbytes(chance.choice((0, 1, 4, 5, 254, 255, 256, 300)))
    return b""


def properties(chance: random.Random) -> list[tuple[bytes, bytes]]:
    kinds = (b"DEALER", b"REQ", b"ROUTER", b"PUB", b"", b"X" * 300, b"DEALER\0")
    made = [(b"Socket-Type", chance.choice(kinds) if chance.random() < 0.1 else b"DEALER"),
            (b"Identity", identity(chance))]
    if chance.random() < 0.3:
        made.append((chance.randbytes(chance.randrange(255)), chance.randbytes(chance.randrange(300))))
    if chance.random() < 0.2:
        made.append((b"Identity", identity(chance)))
    if chance.random() < 0.1:
        made += [(b"X-%d" % i, bytes(300)) for i in range(200)]
    return made


def damaged(chance: random.Random, data: bytes) -> bytes:
    """Now and then cut off, with a byte changed or with a length that is not so."""
    kind = chance.randrange(20) if data else 20
    if kind == 0:
        return data[:chance.randrange(len(data))]
    if kind == 1:
        at = chance.randrange(len(data))
        return data[:at] + bytes([chance.randrange(256)]) + data[at + 1:]
    if kind == 2:
        return data + chance.randbytes(chance.randrange(20))
    return data


def random_null(chance: random.Random, line: Line) -> None:
    """A handshake without keys, mostly one that is right but for its identity, then some frames."""
    if chance.random() < 0.1:  # ZMTP 1 and 2: the identity is the first message, of any form
        head = chance.choice((b"", b"\xff" + bytes(8) + b"\x7f\x01\x05"))
        return line.send(head + frame(identity(chance), chance.choice((0, MORE, COMMAND))) +
                         frame(b"x"))
    hello = greeting(chance.choice((b"NULL",) * 16 + (b"CURVE", b"PLAIN", b"", b"\xff" * 20)),
                     (3, chance.choice((0, 1, 9))), chance.choice((0, 0, 1)))
    ready = command(b"READY", damaged(chance, metadata(properties(chance))))
    after = [frame(b"x"), frame(b"", MORE) + frame(b"y"), frame(b"\x04PING\0\x0aabc", COMMAND),
             command(b"READY", b""), command(b"ERROR", b"\xff"), frame(chance.randbytes(300)),
             frame(b"z" * 20, MORE), command(chance.randbytes(9), b""), command(b"PING", bytes(40))]
    more = b"".join(chance.sample(after, 3) if chance.random() < 0.3 else after[:1])
    if chance.random() < 0.2:  # all at once: nothing may follow READY before the other side's
        return line.send(damaged(chance, hello) + ready + more)
    line.send(hello + ready)
    if line.receive(64) and line.receive_command().startswith(b"\x05READY"):
        line.send(more)


def random_curve(chance: random.Random, line: Line, keys: list[str]) -> None:
    line.send(greeting(b"CURVE"))
    if len(line.receive(64)) < 64:
        return
    curve = Curve(line, *keys)
    curve.hello(broken=chance.random() < 0.1)
    cut = chance.randrange(300) if chance.random() < 0.1 else None
    if not curve.initiate(damaged(chance, metadata(properties(chance))), cut) or cut is not None:
        return
    if not line.receive_command().startswith(b"\x05READY"):
        return
    for plain in (b"\0hello", b"\1more", b"\0rest", b"", b"\4\4PING\0\1", b"\xff"):
        curve.message(damaged(chance, plain))
    line.send(frame(b"\x07MESSAGE" + chance.randbytes(chance.randrange(60))))
