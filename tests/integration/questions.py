"""Questions to a broker over connections that stay, one for each endpoint and thread.

The same questions as leasectl's, and the same answers; not for orders.
"""
import threading

import zmq

# A broker that is stopped, or that was started again meanwhile, may never answer: then leasectl is asked.
_WAITS_MS = 3_000
_PAGE_ROWS = 1_000


class Questions:
    def __init__(self) -> None:
        self._sockets: dict[tuple, zmq.Socket] = {}

    def ask(self, endpoint: str, question: dict, keys: tuple | None = None):
        """What is printed with --json; None: no answer came, or it was refused. `keys`: (public, secret, the broker's
        public) of who asks."""
        if question["command"] != "history":
            return self._ask(endpoint, question, keys)
        newest = self._ask(endpoint, {**question, "newest": True, "limit": 1}, keys)
        rows = [] if newest else newest
        while newest and (not rows or rows[-1]["id"] < newest[-1]["id"]):
            after = {"after": rows[-1]["id"]} if rows else {}
            page = self._ask(endpoint, {**question, **after, "limit": _PAGE_ROWS}, keys)
            if not page:
                return None
            rows += page
        return rows

    def _ask(self, endpoint: str, question: dict, keys: tuple | None):
        key = (threading.get_ident(), endpoint, keys)
        socket = self._sockets.get(key)
        if socket is None:
            socket = self._sockets[key] = zmq.Context.instance().socket(zmq.DEALER)
            socket.linger = 0
            if keys:
                socket.curve_publickey, socket.curve_secretkey, socket.curve_serverkey = map(str.encode, keys)
            socket.connect(endpoint)
        socket.send_json({"leasehold": 1, **question})
        answer = socket.recv_json() if socket.poll(_WAITS_MS) else {}
        if not answer.get("ok"):
            # A late answer must not be taken for that of the next question.
            self._sockets.pop(key).close()
            return None
        return answer["result"]

    def close(self) -> None:
        for socket in self._sockets.values():
            socket.close()
        self._sockets.clear()
