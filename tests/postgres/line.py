"""A TCP line between a broker and its database that a test can cut, each way alone, or rob of one answer."""
import contextlib
import select
import socket
import threading


class Line:
    """Listens on loopback, passes on to `port`. Sockets of a line that was cut end when it is mended: what was
    lost in between is never made up for."""

    def __init__(self, port: int) -> None:
        self.to = port
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.lost_to = self.lost_from = False  # bytes to the server, from it, vanish
        self.robbed = threading.Event()
        self.rob = b""
        self._pairs: list[tuple[socket.socket, socket.socket]] = []
        self._mutex = threading.Lock()
        self._end = False
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self) -> "Line":
        return self

    def __exit__(self, *_: object) -> None:
        self._end = True
        self.listener.close()
        self.mend()

    def cut(self, to_server: bool = True, from_server: bool = True) -> None:
        self.lost_to, self.lost_from = to_server, from_server

    def mend(self) -> None:
        self.lost_to = self.lost_from = False
        with self._mutex:
            for pair in self._pairs:
                for end in pair:
                    with contextlib.suppress(OSError):
                        end.shutdown(socket.SHUT_RDWR)
            self._pairs.clear()

    def rob_answer_to(self, statement: bytes) -> None:
        """The answer to the next that has these words vanishes, and its connection ends."""
        self.robbed.clear()
        self.rob = statement

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while not self._end:
                client = self.listener.accept()[0]
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with client, socket.socket() as server, contextlib.suppress(OSError):
            if not (self.lost_to or self.lost_from):
                server.connect(("127.0.0.1", self.to))
            with self._mutex:
                self._pairs.append((client, server))
            asked = [b""]
            while self._pass_on(client, server, asked):
                pass

    def _pass_on(self, client: socket.socket, server: socket.socket, asked: list[bytes]) -> bool:
        ends = [end for end in (client, server) if end is client or not self.lost_from]
        for end in select.select(ends, [], [], 0.05)[0]:
            data = end.recv(65536)
            if not data:
                return False
            if end is client:
                asked[0] = data
            elif self.rob and self.rob in asked[0]:
                self.rob = b""
                self.robbed.set()
                return False
            if end is client and not self.lost_to:
                server.sendall(data)
            elif end is server and not self.lost_from:
                client.sendall(data)
        return True
