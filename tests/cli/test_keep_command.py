"""`strada keep`: decisions from the command line, sent to a companion behind the real server."""

import socket
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import pytest

from companion.board import BARE, Color, Contents, HexBoard, Merchants, Road, Settlement, SettlementType, Terrain
from companion.cli import keep
from companion.commands import Accept, Command, CorrectCell, Done, EndGame, Pause, Resume, TakeOffer, Undo
from companion.scoreboard import Scoreboard
from companion.web import Backend, Server, create_app
from tests.strangers import Answer, Stranger, said
from tests.typed import Refused, Strada

BOARD = HexBoard(6)
CELL = BOARD.cell
RED_ROAD = Contents(Road(Color.RED, Terrain.PLAIN, (0, 3)))
TWO_REDS = Contents(None, Merchants(red=2))
CITY = Contents(Settlement(SettlementType.CITY), Merchants(black=1, red=2))


@dataclass
class Companion:
    """A companion that notes what it was asked for."""

    scoreboard: Scoreboard = field(default_factory=Scoreboard)
    address: str = ""
    asked: list[Command] = field(default_factory=list)
    is_busy: bool = False

    def submit(self, command: Command, by: str) -> bool:
        if not self.is_busy:
            self.asked.append(command)
        return not self.is_busy


@pytest.fixture(scope="module")
def served() -> Iterator[Companion]:
    made = Companion()
    app = create_app(Backend(made.scoreboard, made.submit, lambda: None))
    server = Server(app, made.scoreboard, 2, "127.0.0.1", 0)
    made.address = f"http://127.0.0.1:{server.port}"
    yield made
    server.close()


@pytest.fixture
def companion(served: Companion) -> Companion:
    """A companion whose books have changed since the test before: what was asked for then is over."""
    served.asked.clear()
    served.is_busy = False
    latest = served.scoreboard.latest
    free = next(cell for cell in BOARD.cells if cell not in latest.contents)
    served.scoreboard.publish(replace(latest, contents={**latest.contents, free: CITY}))
    return served


@pytest.mark.parametrize(
    ("typed", "command"),
    [
        (["done"], Done(confirmed=False)),
        (["yes"], TakeOffer()),
        (["accept"], Accept()),
        (["undo"], Undo(1)),
        (["undo", "3"], Undo(3)),
        (["undo", "999999999"], Undo(999_999_999)),
        (["correct", "G7", "red plain straight 0-3"], CorrectCell(CELL("G7"), RED_ROAD)),
        (["correct", "g7", "red", "plain", "3-0"], CorrectCell(CELL("G7"), RED_ROAD)),
        (["correct", "F5", "city, black 1, red 2"], CorrectCell(CELL("F5"), CITY)),
        (["correct", "C3", "bare"], CorrectCell(CELL("C3"), BARE)),
        (["correct", "--json", "C3", '{"merchants": {"red": 2}}'], CorrectCell(CELL("C3"), TWO_REDS)),
        (["pause"], Pause()),
        (["resume"], Resume()),
        (["end"], EndGame()),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_is_typed_is_asked_for(strada: Strada, companion: Companion, typed: list[str], command: Command) -> None:
    status, printed, complained = strada("keep", *typed, "--address", companion.address + "/")
    assert (status, complained) == (0, "")
    assert printed.startswith("Sent: ")
    assert companion.asked == [command]


def test_without_an_address_it_is_that_of_strada_run(
    strada: Strada, companion: Companion, monkeypatch: pytest.MonkeyPatch
) -> None:
    for parameter in keep.command.params:
        if parameter.name == "address":
            assert parameter.default == "http://127.0.0.1:8000"
            monkeypatch.setattr(parameter, "default", companion.address)
    assert strada("keep", "pause")[0] == 0
    assert companion.asked == [Pause()]


def test_whoever_types_undo_second_is_told_that_somebody_was_faster(strada: Strada, companion: Companion) -> None:
    assert strada("keep", "undo", "--address", companion.address)[0] == 0
    second = strada("keep", "undo", "2", "--address", companion.address)
    assert second == (1, "", "strada: Somebody was faster. Look at the board again.\n")
    assert companion.asked == [Undo(1)]


def test_a_proxy_is_not_asked(strada: Strada, companion: Companion, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    assert strada("keep", "pause", "--address", companion.address)[0] == 0


def test_a_companion_that_is_busy_does_not_obey_now(strada: Strada, companion: Companion) -> None:
    companion.is_busy = True
    refused = (1, "", "strada: The table is busy. Try again.\n")
    assert strada("keep", "done", "--address", companion.address) == refused


@pytest.mark.parametrize(
    ("typed", "complaint"),
    [
        ([], "Missing argument 'COMMAND'"),
        (["flatten"], "'flatten' is not one of 'done'"),
        (["done", "now"], "done takes nothing more; 'now' is too much"),
        (["undo", "0"], "undo '0'; its number of moves should be whole"),
        (["undo", "one"], "undo 'one'"),
        (["undo", "1", "2"], "undo '1 2'"),
        (["undo", "1000000000"], "undo '1000000000'"),
        (["undo", "-1"], "-1"),
        (["correct"], "correct needs a cell and what lies there: G7 and 'bare'"),
        (["correct", "G7"], "correct needs a cell"),
        (["correct", "G7", "castle"], "'castle', which means nothing"),
        (["correct", "G7", "red plain 0-1"], "not side by side"),
        (["correct", "--json", "G7", "bare"], "contents are 'bare', not valid JSON"),
        (["correct", "--json", "G7", '{"tile": {"kind": "castle"}}'], "cell G7: a tile of kind 'castle'"),
        (["correct", "Z9", "bare"], "There is no cell “Z9” on this board. Its cells run from A1 to M7"),
        (["done", "--json"], "--json is about what lies on a cell; done needs none"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_nonsense_is_told_in_one_line(refused: Refused, companion: Companion, typed: list[str], complaint: str) -> None:
    assert complaint in refused("keep", "--address", companion.address, *typed)
    assert companion.asked == []


@pytest.mark.parametrize(
    "address",
    ["127.0.0.1:8000", "https://127.0.0.1", "ftp://x", "http://", "http://x:99999", "http://x:y", "http://[", "http://x/y",
     "http://a@x", ""],
)  # fmt: skip
def test_an_address_that_makes_no_sense_is_named(refused: Refused, address: str) -> None:
    complained = refused("keep", "pause", "--address", address)
    assert complained == f"strada: --address is {address!r}; it should be like http://127.0.0.1:8000\n"


def test_if_nobody_listens_it_says_so(refused: Refused) -> None:
    with socket.create_server(("127.0.0.1", 0)) as door:
        free = f"http://127.0.0.1:{door.getsockname()[1]}"
    complaint = f"{free} cannot be reached (Connection refused); is a companion running there?"
    assert complaint in refused("keep", "pause", "--address", free)


# Somebody else.

OTHER = "{} is not Strada, or another version of it: it answered "


@pytest.mark.parametrize(
    ("answer", "status", "complaint"),
    [
        (said("403 No", {"message": "Sit here."}), 1, "Sit here."),
        (said("409 No", {"message": "They press it."}), 1, "They press it."),
        (said("400 Bad", {"message": "A foreign\x1b[2J host."}), 2, "A foreign�[2J host"),
        (said("404 Not Found", {"message": "Unknown."}), 2, "Unknown"),
        (said("200 OK", {"message": "Hello."}, "nginx"), 2, OTHER + "200"),
        (said("202 OK", {"message": "Hello."}, "nginx"), 2, OTHER + "202"),
        (said("202 OK", ["Hello"]), 2, OTHER + "202"),
        (said("202 OK", b"\xff"), 2, OTHER + "202"),
        (said("500 Oh", b"no JSON"), 2, OTHER + "500"),
        (said("302 Found\r\nLocation: http://127.0.0.1:9/", b""), 2, "{} is not Strada"),
        (lambda guest: guest.sendall(b"220 mail.example ESMTP\r\n"), 2, "{} cannot be reached ("),
        (lambda guest: None, 2, "{} cannot be reached ("),
        (lambda guest: time.sleep(1), 2, "{} did not answer within 0.3 s; is a companion running there?"),
    ],
    ids=["403", "409", "400", "404", "page", "nginx", "list", "binary", "500", "302", "mail", "nothing", "mute"],
)
def test_what_is_answered_is_told_in_one_line(
    strada: Strada, stranger: Stranger, monkeypatch: pytest.MonkeyPatch, answer: Answer, status: int, complaint: str
) -> None:
    if "did not answer" in complaint:
        monkeypatch.setattr(keep, "ANSWER_S", 0.3)
    address = stranger(answer)
    left, printed, complained = strada("keep", "pause", "--address", address)
    assert (left, printed) == (status, "")
    assert complained.startswith(f"strada: {complaint.format(address)}")
    assert complained.count("\n") == 1
