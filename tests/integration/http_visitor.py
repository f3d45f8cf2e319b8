"""A visitor of a broker by HTTP: the standard library's client, and sockets for what it would not do."""
import gzip
import http.client
import json
import socket
from dataclasses import dataclass, field
from urllib.parse import quote, urlencode

from processes import LAST_BOUND_S, wait_until



@dataclass
class Answer:
    status: int
    fields: dict[str, str]
    body: bytes

    @property
    def json(self):
        body = gzip.decompress(self.body) if self.fields.get("content-encoding") == "gzip" else self.body
        return json.loads(body)


@dataclass
class Visitor:
    """Asks one broker; `token` and `host` as it would say them; `base` before each path."""
    port: int
    token: str = ""
    host: str = ""
    base: str = ""
    fields: dict[str, str] = field(default_factory=dict)

    def headers(self, more: dict[str, str]) -> dict[str, str]:
        said = {**self.fields, **more}
        if self.token:
            said["Authorization"] = f"Bearer {self.token}"
        if self.host:
            said["Host"] = self.host
        return said

    def get(self, path: str, method: str = "GET", **fields: str) -> Answer:
        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=LAST_BOUND_S)
        try:
            line.request(method, self.base + path, headers=self.headers(
                {name.replace("_", "-"): value for name, value in fields.items()}))
            answer = line.getresponse()
            return Answer(answer.status, {key.lower(): value for key, value in answer.getheaders()},
                          answer.read())
        finally:
            line.close()

    def api(self, name: str, subject: str = "", **parameters) -> dict:
        """The whole answer to a question, which must be a good one."""
        path = f"/api/v1/{name}" + (f"/{quote(subject, safe='')}" if subject else "")
        answer = self.get(path + ("?" + urlencode(parameters) if parameters else ""))
        assert answer.status == 200, f"{path}: {answer.status} {answer.body[:300]!r}"
        return answer.json

    def refusal(self, path: str, **fields: str) -> tuple[int, str]:
        answer = self.get(path, **fields)
        assert answer.status >= 400, answer
        return answer.status, answer.json["error"]["message"]

    def raw(self, data: bytes = b"") -> socket.socket:
        line = socket.create_connection(("127.0.0.1", self.port), timeout=LAST_BOUND_S)
        line.sendall(data)
        return line

    def stream(self, last_event_id: str = "") -> "Stream":
        return Stream(self, last_event_id)


class Stream:
    """Server-sent events, read one by one."""

    def __init__(self, visitor: Visitor, last_event_id: str = "") -> None:
        more = {"Last-Event-ID": last_event_id} if last_event_id else {}
        self._line = http.client.HTTPConnection("127.0.0.1", visitor.port, timeout=LAST_BOUND_S)
        self._line.request("GET", visitor.base + "/api/v1/stream", headers=visitor.headers(more))
        self.answer = self._line.getresponse()
        self.retry = None

    def __enter__(self) -> "Stream":
        return self

    def __exit__(self, *_) -> None:
        self.close()

    def close(self) -> None:
        self.answer.close()
        self._line.close()

    def next(self) -> dict:
        """{"event", "id", "data"} of the next event; comments are passed over. Empty: it has ended."""
        event: dict = {}
        while line := self.answer.readline():
            text = line.decode().rstrip("\n")
            if not text and event:
                return event
            name, _, value = text.partition(": ")
            if name == "retry":
                self.retry = int(value)
            elif name in ("event", "id", "data"):
                event[name] = json.loads(value) if name == "data" else value
        return {}

    def until(self, event: int) -> list[int]:
        """Ids of states up to that event or a later one."""
        seen: list[int] = []
        while not seen or seen[-1] < event:
            state = self.next()
            assert state, f"the stream ended after {seen[-5:]}"
            if state["event"] == "state":
                seen.append(int(state["id"]))
        return seen


def ready(visitor: Visitor) -> Visitor:
    def answers() -> bool:
        try:
            return visitor.get("/readyz").status == 200
        except OSError:
            return False
    wait_until(answers, "the broker is ready")
    return visitor
