"""The real `strada run`: drawn pixels, the real reader, referee, panel (mock pins), server and a browser's requests."""

import http.client
import json
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from companion.records.record import read_record, steps_of
from companion.settings import Settings
from companion.wiring import Companion

#: Far more than a slow machine needs; nothing is measured here.
PATIENCE_S = 90.0


@pytest.fixture
def companion() -> Iterator[Companion]:
    settings = Settings()
    made = Companion(replace(settings, web=replace(settings.web, port=0, streams=4)))
    thread = threading.Thread(target=made.run)
    thread.start()
    yield made
    started_s = time.monotonic()
    made.close()
    thread.join(timeout=10)
    assert not thread.is_alive()
    assert time.monotonic() - started_s < 10


def connect(companion: Companion) -> http.client.HTTPConnection:
    host = companion.addresses[0].removeprefix("http://").rstrip("/")
    return http.client.HTTPConnection(host, timeout=PATIENCE_S)


def send(companion: Companion, command: str) -> dict[str, Any]:
    connection = connect(companion)
    origin = companion.addresses[0].rstrip("/")
    connection.request("POST", f"/commands/{command}", headers={"Origin": origin, "X-Strada": "1"})
    said: dict[str, Any] = json.loads(connection.getresponse().read())
    connection.close()
    return said


def fetched(companion: Companion, path: str) -> http.client.HTTPResponse:
    connection = connect(companion)
    connection.request("GET", path, headers={"Connection": "close"})
    return connection.getresponse()


@pytest.mark.long
def test_a_drawn_game_is_dealt_and_refereed_from_its_pixels_for_the_browser(companion: Companion) -> None:
    assert "2×" in send(companion, "faster")["label"]
    assert "4×" in send(companion, "faster")["label"]
    stream = connect(companion)
    stream.request("GET", "/events")
    answer = stream.getresponse()
    deadline_s = time.monotonic() + PATIENCE_S
    seen: dict[str, str] = {}
    while "Bo</bdi></h2>" not in seen.get("turn", "") and time.monotonic() < deadline_s:
        line = answer.readline()
        if line.startswith(b"data: {"):
            seen |= json.loads(line.removeprefix(b"data: "))["parts"]
    assert "Their turn: place a workshop" in seen["turn"], "Ada's workshop was found right: it is Bo's turn"
    assert "that move is legal" in seen["notice"]
    assert seen["pieces"].count('class="plate') == 19
    assert "workshop black" in seen["pieces"]
    stream.close()
    record = read_record(fetched(companion, "/record.json").read().decode())
    assert [str(player.name) for player in record.start.players][:2] == ["Ada", "Bo"]
    assert steps_of(record)[1].kind == "legal", "Ada's workshop"
    jpeg = fetched(companion, "/camera.jpg").read()
    assert jpeg.startswith(b"\xff\xd8")
    assert len(jpeg) > 20_000
    assert b'class="card playing"' in fetched(companion, "/games").read()
    ruling = fetched(companion, "/rulings/latest").headers["Location"]
    assert b"Ada: that move is legal" in fetched(companion, ruling).read()
    assert fetched(companion, f"{ruling}/after.jpg").read().startswith(b"\xff\xd8")
