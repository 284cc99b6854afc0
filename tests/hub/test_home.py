"""Home Assistant: what it is told about a table, checked against its published schema, over its own real broker."""

import json
import re
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import paho.mqtt.client as mqtt
import pytest
from paho.mqtt.enums import CallbackAPIVersion

from bench.servers import free_port
from companion.board import BadInputError
from companion.commands import Done
from companion.outbox import Place, Post
from companion.scoreboard import Snapshot
from companion.session import Session
from companion.settings import HubSettings
from companion.wiring.hub import OBEYED, HubLink
from companion.words import LANGUAGES
from hub.home import BUTTONS, VERDICTS, Home, discovery, state_of
from hub.messages import Journal
from hub.room import Room, Standing
from hub.settings import HomeSection, hub_settings_from
from hub.store.tables import allow_buttons, enrolled
from tests.hub.conftest import Hub
from tests.hub.pages import Pages, heard, post, stands
from tests.hub.telling import soon
from tests.logbook.playing import played

SCHEMA = json.loads((Path(__file__).parent / "home_assistant.json").read_text())


def standing(pages: Pages, game: Session, **more: Any) -> Standing:
    pages.say(pages.table("By the window"), stands(game, "By the window", **more))
    return pages.room.standings(True)[-1]


def fields(found: dict[str, Any], *kinds: str) -> None:
    """Fail for a field that the schema does not know, and for a missing one that it requires."""
    required = {name for kind in kinds for name in SCHEMA[kind].get("required", ())}
    known = required | {name for kind in kinds for name in SCHEMA[kind].get("optional", ())}
    assert required <= found.keys()
    assert found.keys() <= known


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("allowed", [True, False])
def test_a_table_is_a_device_as_home_assistants_schema_wants_it(
    pages: Pages, game: Session, language: str, allowed: bool
) -> None:
    here = standing(pages, game, lamp="illegal", attention=["dispute"])
    allow_buttons(pages.store, 1, allowed)
    pages.room.look_again()
    found = discovery(pages.room.standings(True)[0], pages.store.hub, "The café", language)
    fields(found, "message")
    assert found["availability_mode"] in SCHEMA["availability_modes"]
    assert any(found["device"].get(name) for name in SCHEMA["device"]["one_of"])
    assert found["device"].keys() - set(SCHEMA["device"]["one_of"]) <= set(SCHEMA["device"]["optional"])
    fields(found["origin"], "origin")
    state = state_of(here)
    names = []
    for what, entity in found["components"].items():
        if entity.keys() == {"platform"}:
            assert not allowed, "it is taken away"
            continue
        kind = entity["platform"]
        fields(entity, "every", kind)
        names.append(entity["name"])
        assert entity.get("device_class") in (None, *SCHEMA[kind].get("device_classes", ()))
        if kind in ("sensor", "binary_sensor"):
            assert re.fullmatch(r"{{ value_json\.(\w+) }}", entity["value_template"])[1] == what  # type: ignore[index]
            assert what in state
        if kind == "binary_sensor":
            assert state[what] in SCHEMA[kind]["payloads"]
        if "options" in entity:
            assert state[what] in entity["options"]
    buttons = [name for name in found["components"] if found["components"][name].get("command_topic")]
    assert buttons == (list(BUTTONS) if allowed else [])
    assert len(set(names)) == len(names)
    assert len({each.get("unique_id", name) for name, each in found["components"].items()}) == len(found["components"])


def test_the_names_are_in_the_language_of_the_settings(pages: Pages, game: Session) -> None:
    here = standing(pages, game)
    names = {language: discovery(here, "x", "Café", language)["components"]["player"]["name"] for language in LANGUAGES}
    assert len(set(names.values())) == len(LANGUAGES)


def test_a_state_fits_and_tells_what_a_table_says(pages: Pages, game: Session) -> None:
    state = state_of(standing(pages, game, lamp="legal", attention=["camera"]))
    assert (state["phase"], state["lamp"], state["camera"], state["referee"]) == ("workshop", "legal", "ON", "ON")
    assert state["player"] == "Bea"
    assert len(state["player"]) <= SCHEMA["most_state"]
    assert state_of(standing(pages, game, lamp="<b>"))["lamp"] is None


def test_a_setting_that_makes_no_sense_is_refused() -> None:
    with pytest.raises(BadInputError, match="language"):
        hub_settings_from({"home_assistant": {"host": "ha.local", "language": "xx"}})
    assert "secret" not in repr(hub_settings_from({"home_assistant": {"host": "x", "password": "secret"}}))


class Assistant:
    """In place of Home Assistant: hears what is told at its own broker, and presses buttons."""

    def __init__(self, port: int) -> None:
        self.heard: list[tuple[str, str, bool]] = []
        self._there = threading.Event()
        self.client = mqtt.Client(CallbackAPIVersion.VERSION2, protocol=mqtt.MQTTv5)
        self.client.on_message = lambda _c, _d, got: self.heard.append((got.topic, got.payload.decode(), got.retain))
        self.client.on_subscribe = lambda *_: self._there.set()
        self.client.on_connect = lambda client, *_: client.subscribe([("strada/#", 1), ("homeassistant/#", 1)])
        self.client.connect("127.0.0.1", port)
        self.client.loop_start()
        assert self._there.wait(10)

    def last(self, end: str) -> str | None:
        return next((payload for topic, payload, _ in reversed(self.heard) if topic.endswith(end)), None)

    def says(self, topic: str, payload: str, *, retain: bool = False) -> None:
        self.client.publish(topic, payload, qos=1, retain=retain).wait_for_publish(5)

    def leave(self) -> None:
        self.client.disconnect()
        self.client.loop_stop()


@pytest.fixture
def port(mosquitto: str, tmp_path: Path) -> Iterator[int]:
    """The port of a broker like one in a house: not the hub's."""
    number = free_port()
    place = tmp_path / "house.conf"
    place.write_text(f"listener {number} 127.0.0.1\nallow_anonymous true\npersistence false\nuser root\n")
    with subprocess.Popen([mosquitto, "-c", str(place)], stderr=subprocess.DEVNULL) as process:
        soon(lambda: _answers(number))
        yield number
        process.terminate()


def _answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@pytest.fixture
def assistant(port: int) -> Iterator[Assistant]:
    made = Assistant(port)
    yield made
    made.leave()


Begin = Callable[[], Home]


@pytest.fixture
def home(pages: Pages, port: int) -> Iterator[Begin]:
    begun: list[Home] = []

    def begin() -> Home:
        at = HomeSection(host="127.0.0.1", port=port)
        begun.append(Home(at, pages.store.hub, "The café", pages.room, pages.journal))
        return begun[-1]

    yield begin
    for each in begun:
        each.close()


@pytest.mark.long
def test_a_table_is_discovered_and_its_verdict_told_once(
    pages: Pages, game: Session, assistant: Assistant, home: Begin
) -> None:
    table = pages.table("By the window")
    pages.say(table, stands(game, "By the window", verdict={"kind": "legal", "number": 3}))
    home()
    soon(lambda: assistant.last("/config"))
    topic = next(topic for topic, _, _ in assistant.heard if topic.endswith("/config"))
    assert re.fullmatch(SCHEMA["topic"], topic)
    soon(lambda: assistant.last("/home/here") == "online")
    assert assistant.last("/verdict") is None, "it was given before anybody listened"
    pages.say(table, stands(game, "By the window", verdict={"kind": "illegal", "number": 4}))
    soon(lambda: assistant.last("/verdict"))
    told = json.loads(assistant.last("/verdict") or "")
    assert told == {"event_type": "illegal", "player": "Bea"}
    assert set(SCHEMA["event"]["payload_requires"]) <= told.keys()
    pages.say(table, stands(game, "By the window", verdict={"kind": "illegal", "number": 4}, attention=["dispute"]))
    soon(lambda: '"referee": "ON"' in (assistant.last(f"{table}/home") or ""))
    assert sum(topic.endswith("/verdict") for topic, _, _ in assistant.heard) == 1
    pages.say(table, b'{"gone":true}')
    soon(lambda: assistant.last("/home/here") == "offline")


@pytest.mark.long
def test_buttons_reach_a_table_only_with_consent(
    pages: Pages,
    game: Session,
    assistant: Assistant,
    home: Begin,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(pages.room, "ask", lambda table, what: asked.append(what["do"]))
    table = pages.table()
    pages.say(table, stands(game))
    do = f"strada/{pages.store.hub}/{table}/home/do"
    assistant.says(do, "undo", retain=True)
    home()
    soon(lambda: assistant.last("/config"))
    assistant.says(do, "done")
    soon(lambda: any(table in line and "nobody has allowed" in line for line in caplog.messages))
    allow_buttons(pages.store, 1, True)
    pages.room.look_again()
    soon(lambda: f'"{do}"' in (assistant.last("/config") or ""))
    assistant.says(do, "end")
    assistant.says(do, "<script>")
    assistant.says(f"strada/{pages.store.hub}/x/home/do", "done")
    assistant.says(do, "pause")
    soon(lambda: asked)
    assert asked == ["pause"], "nothing retained, nothing without consent, and only buttons"


@pytest.mark.long
def test_after_home_assistant_starts_it_is_told_everything_again(
    pages: Pages, game: Session, assistant: Assistant, home: Begin
) -> None:
    pages.say(pages.table(), stands(game))
    running = home()
    soon(lambda: assistant.last("/config"))
    before = len(assistant.heard)
    assistant.says("homeassistant/status", "online")
    soon(lambda: any(topic.endswith("/config") for topic, _, _ in assistant.heard[before:]))
    post(pages.organiser(), "/organise/tables/1/revoke")
    soon(lambda: assistant.last("/config") == "")
    running.close()
    soon(lambda: assistant.last(f"{pages.store.hub}/home") == "offline")


@pytest.mark.long
def test_buttons_of_tables_that_do_not_exist_are_logged_once(pages: Pages, caplog: pytest.LogCaptureFixture) -> None:
    nobody = HomeSection(host="127.0.0.1", port=free_port())
    home = Home(nobody, pages.store.hub, "Club", pages.room, Journal())
    for number in range(50):
        home._hear(heard(f"strada/{pages.store.hub}/{number}/home/do", b"done"))
    home.close()
    assert len([line for line in caplog.messages if "a button of Home Assistant" in line]) == 1


def test_only_an_organiser_consents(pages: Pages) -> None:
    pages.table()
    assert post(pages.client(), "/organise/tables/1/buttons", {"allow": True}).status_code == 403
    assert not enrolled(pages.store)[0].has_buttons
    assert post(pages.organiser(), "/organise/tables/1/buttons", {"allow": True}).status_code == 200
    assert enrolled(pages.store)[0].has_buttons


@pytest.mark.long
def test_a_table_obeys_once_and_only_where_its_own_settings_say_so(hub: Hub, posts: list[Post], tmp_path: Path) -> None:
    obeyed: list[tuple[str, str]] = []
    places = [tmp_path / "obeys", tmp_path / "does-not"]
    for place in places:
        hub.admit(place)
        played(place, 4)
    posts.append(Post(Place(places[0]), lambda: b"{}", obey=lambda what, by: obeyed.append((what, by))))
    posts.append(Post(Place(places[1]), lambda: b"{}"))
    room = Room(hub.store, hub.broker.access, Journal())
    soon(lambda: all(each.held is not None for each in posts))
    for known in enrolled(hub.store):
        for number in ("a", "a", "b"):
            room.ask(known, {"do": "pause", "id": number})
    soon(lambda: len(obeyed) == 2)
    assert obeyed == [("pause", "Hub"), ("pause", "Hub")]
    assert all(each.is_connected for each in posts)
    room.close()


def test_a_table_hands_on_a_keepers_buttons_and_nothing_else(tmp_path: Path) -> None:
    asked: list[tuple[object, str]] = []

    def submit(command: object, by: str) -> bool:
        asked.append((command, by))
        return True

    link = HubLink(tmp_path, HubSettings(obeys=True), Snapshot, submit)
    for what in ("done", "end", "correct", "start", "../x"):
        link._obey(what, "The café")
    assert asked == [(Done(confirmed=False), "The café")]
    assert frozenset(BUTTONS) == OBEYED
    assert set(VERDICTS) == {"legal", "illegal", "ask"}
    link.close()
