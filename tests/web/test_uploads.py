"""A photograph comes from a phone in small pieces, only from keepers, and one at a time."""

from typing import Any

import cv2
import numpy as np
import pytest
from flask.testing import FlaskClient

from companion.web.security import MOST_BYTES
from companion.web.setup import MOST_PHOTO_BYTES, Uploads
from tests.web.conftest import Steps
from tests.web.playing import ELSEWHERE, OWN

PIECE = 48 * 1024


@pytest.fixture(scope="module")
def photo() -> bytes:
    """Some hundred kilobytes of a picture with structure."""
    image = np.random.default_rng(2).integers(0, 255, (900, 1200, 3), np.uint8)
    return bytes(cv2.imencode(".jpg", image)[1].tobytes())


def put(client: FlaskClient, piece: bytes, status: int = 200, **where: object) -> Any:
    kind = "application/octet-stream"
    answer = client.post("/setup/upload", query_string=where, data=piece, headers=OWN, content_type=kind)
    assert answer.status_code == status, answer.text
    return answer.json


def sent(client: FlaskClient, photo: bytes) -> str:
    name = ""
    for at in range(0, len(photo), PIECE):
        more = {"upload": name} if name else {}
        name = put(client, photo[at : at + PIECE], at=at, of=len(photo), **more)["upload"]
    return name


def test_a_photograph_from_a_phone_is_the_empty_boards(setup: FlaskClient, step: Steps, photo: bytes) -> None:
    assert len(photo) > 4 * PIECE
    state = step("photograph", {"upload": sent(setup, photo)})
    assert state["size"] == [1200, 900], "no camera gives a picture: it is taken as it is"
    assert setup.get("/setup/photo/0.jpg").data.startswith(b"\xff\xd8")


def test_a_photograph_can_be_used_once(setup: FlaskClient, step: Steps, photo: bytes) -> None:
    name = sent(setup, photo)
    step("photograph", {"upload": name})
    assert "Send it again" in step("photograph", {"upload": name}, status=400)["message"]


def test_half_a_photograph_is_refused(setup: FlaskClient, step: Steps, photo: bytes) -> None:
    name = put(setup, photo[:PIECE], at=0, of=len(photo))["upload"]
    assert "got lost" in step("photograph", {"upload": name}, status=400)["message"]


def test_a_piece_that_is_sent_twice_is_held_once_and_one_that_is_missing_is_noticed(
    setup: FlaskClient, step: Steps, photo: bytes
) -> None:
    name = put(setup, photo[:PIECE], at=0, of=len(photo))["upload"]
    put(setup, photo[PIECE : 2 * PIECE], at=PIECE, upload=name)
    put(setup, photo[PIECE : 2 * PIECE], at=PIECE, upload=name)
    assert "got lost" in put(setup, photo[:9], 400, at=3 * PIECE, upload=name)["message"]
    for at in range(2 * PIECE, len(photo), PIECE):
        put(setup, photo[at : at + PIECE], at=at, upload=name)
    step("photograph", {"upload": name})


def test_a_newer_photograph_takes_the_place_of_one_that_was_left(setup: FlaskClient, photo: bytes) -> None:
    left = put(setup, photo[:PIECE], at=0, of=len(photo))["upload"]
    put(setup, photo[:PIECE], at=0, of=len(photo))
    assert "got lost" in put(setup, photo[PIECE : 2 * PIECE], 400, at=PIECE, upload=left)["message"]


def test_what_cannot_be_used_is_refused_with_its_first_piece(setup: FlaskClient, photo: bytes) -> None:
    heic = b"\0\0\0\x18ftypheic" + b"\0" * 200
    assert "HEIC" in put(setup, heic, 400, at=0, of=3_000_000)["message"]
    assert "JPEG or a PNG" in put(setup, b"GIF89a" + b"\0" * 60, 400, at=0, of=66)["message"]
    assert "12 MB at most" in put(setup, photo[:PIECE], 400, at=0, of=MOST_PHOTO_BYTES + 1)["message"]


def test_no_more_is_ever_held_than_was_announced() -> None:
    uploads = Uploads()
    head = b"\xff\xd8\xff" + b"\0" * 97
    with pytest.raises(ValueError, match="more bytes"):
        uploads.begin(head, 50)
    name = uploads.begin(head, 150)
    with pytest.raises(ValueError, match="missing"):
        uploads.go_on(name, b"\0" * 51, 100)


@pytest.mark.parametrize(
    "where", [{}, {"at": "x", "of": 9}, {"at": 0}, {"at": "-1", "of": 9}, {"at": "9" * 30, "of": 9}]
)
def test_a_piece_without_its_place_is_refused(setup: FlaskClient, photo: bytes, where: dict[str, object]) -> None:
    assert "its place" in put(setup, photo[:100], 400, **where)["message"]


def test_guests_send_nothing_and_no_piece_is_large(setup: FlaskClient, photo: bytes) -> None:
    where = {"at": 0, "of": len(photo)}
    refused = setup.post("/setup/upload", query_string=where, data=photo[:100], headers=OWN, environ_base=ELSEWHERE)
    assert refused.status_code == 403
    assert setup.post("/setup/upload", query_string=where, data=photo[:100]).status_code == 403, "another site's page"
    put(setup, photo[: MOST_BYTES + 1], 413, **where)
