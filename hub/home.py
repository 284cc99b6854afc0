"""Home Assistant: every table appears as a device, over MQTT discovery at Home Assistant's own broker.

| topic, below `strada/HUB/TABLE/home` | what | retained |
| --- | --- | --- |
| (itself) | whose turn it is, days, phase, lamp, camera, referee, as JSON | yes |
| /here | online or offline | yes |
| /verdict | an event: legal, illegal or ask, when it is given | no |
| /do | what a button asks for; only if an organiser and the table's own settings allow it | |

The device's name and entities are at PREFIX/device/strada_HUB_TABLE/config, in the form of Home Assistant's MQTT
integration; docs/home-assistant.md says which version of its schema it was checked against.
"""

from __future__ import annotations

import json
import logging
import secrets
import ssl
import threading
from collections.abc import Mapping
from typing import Any

from paho.mqtt.client import Client, MQTTMessage, MQTTv5
from paho.mqtt.enums import CallbackAPIVersion

from companion.words.catalogues import catalogue, say
from companion.words.table import ENTITIES
from hub.broker import KEEPALIVE_S, RETRY_S, close
from hub.messages import Journal
from hub.room import Room, Standing
from hub.settings import HomeSection
from hub.web.showing import shown

#: What the buttons ask a table to do: a keeper's commands, by their names in companion.keeping.
BUTTONS = ("done", "yes", "accept", "undo", "pause", "resume")

#: What a verdict can be, what the lamp can show, and what phase a game can be in.
VERDICTS = ("legal", "illegal", "ask")
LAMPS = (
    "no-game", "unchanged", "legal", "unfinished", "illegal", "hidden", "unclear", "to-clear", "disagrees", "paused",
    "over",
)  # fmt: skip
PHASES = ("waiting", "workshop", "turn", "over")

#: How often to check what has changed.
LOOK_S = 0.3

ONLINE, OFFLINE = "online", "offline"

#: How much of a state Home Assistant keeps at most.
MOST_STATE = 255

_log = logging.getLogger(__name__)


class Home:
    """Reports every table to Home Assistant, and passes on what its buttons ask for, until `close`."""

    def __init__(self, settings: HomeSection, hub: str, name: str, room: Room, journal: Journal) -> None:
        self._settings, self._hub, self._name, self._room, self._journal = settings, hub, name, room, journal
        self._ending, self._must_tell_all = threading.Event(), threading.Event()
        self._told: dict[str, str] = {}
        self._verdicts: dict[str, tuple[int, str]] = {}
        self._here = f"strada/{hub}/home"
        self._client = self._connected()
        self._thread = threading.Thread(target=self._run, name="home", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Report that the tables are gone, and end."""
        self._ending.set()
        self._thread.join(5)
        self._client.publish(self._here, OFFLINE, qos=1, retain=True)
        close(self._client)

    def _connected(self) -> Client:
        at = self._settings
        client = Client(CallbackAPIVersion.VERSION2, client_id=f"strada-{self._hub}", protocol=MQTTv5)
        if at.user:
            client.username_pw_set(at.user, at.password)
        if at.tls:
            client.tls_set_context(ssl.create_default_context(cafile=at.authority or None))
        client.will_set(self._here, OFFLINE, qos=1, retain=True)
        client.reconnect_delay_set(*RETRY_S)  # type: ignore[arg-type]  # it takes parts of a second, too
        client.max_queued_messages_set(10_000)
        client.on_connect = self._on_connect
        client.on_message = lambda _client, _data, message: self._hear(message)
        client.connect_async(at.host, at.port, KEEPALIVE_S, clean_start=True)
        client.loop_start()
        return client

    def _on_connect(self, client: Client, _data: Any, _flags: Any, code: Any, _properties: Any) -> None:
        if code.is_failure:
            self._journal.once("home", f"Home Assistant's broker does not let this hub in: {code}")
            return
        wanted = [f"strada/{self._hub}/+/home/do", f"{self._settings.prefix}/status"]
        client.subscribe([(topic, 1) for topic in wanted])
        self._must_tell_all.set()

    def _hear(self, message: MQTTMessage) -> None:
        """Handle a button, or the news that Home Assistant has started; ignore what makes no sense."""
        try:
            if message.topic == f"{self._settings.prefix}/status":
                if message.payload == b"online":
                    self._must_tell_all.set()
                return
            # A message that a broker kept is a button pressed at another time.
            if message.retain:
                return
            asked = message.payload.decode("ascii", "replace")
            table = message.topic.split("/")[2]
            standing = next((each for each in self._room.standings(True) if each.table.id == table), None)
            if standing is None or asked not in BUTTONS or not standing.table.has_buttons:
                about = "home" if standing is None else table  # anybody can invent any number of tables
                self._journal.once(about, "refused: a button of Home Assistant that nobody has allowed")
                return
            self._room.ask(standing.table, {"do": asked, "id": secrets.token_hex(8)})
        except Exception:  # else the client's thread would end
            _log.exception("a message of Home Assistant was not understood")

    def _run(self) -> None:
        version = -1
        while not self._ending.is_set():
            is_all = self._must_tell_all.is_set()
            if is_all:
                self._must_tell_all.clear()
                self._told.clear()
                self._client.publish(self._here, ONLINE, qos=1, retain=True)
            if is_all or self._room.version != version:
                version = self._room.version
                try:
                    self._tell()
                except Exception:  # a fault in one table must never end the others
                    _log.exception("Home Assistant was not told")
            self._ending.wait(LOOK_S)

    def _tell(self) -> None:
        known = {each.table.id: each for each in self._room.standings(True)}
        for table, standing in known.items():
            base = f"strada/{self._hub}/{table}/home"
            config = discovery(standing, self._hub, self._name, self._settings.language)
            self._publish(self._config(table), json.dumps(config))
            self._publish(f"{base}/here", ONLINE if standing.is_here else OFFLINE)
            self._publish(base, json.dumps(state_of(standing)))
            self._tell_verdict(standing, f"{base}/verdict")
        for table in self._verdicts.keys() - known.keys():  # its key was revoked
            del self._verdicts[table]
            self._publish(self._config(table), "")

    def _tell_verdict(self, standing: Standing, topic: str) -> None:
        """Report a verdict once. A verdict from before the hub or Home Assistant was there is not reported."""
        verdict = (standing.told or {}).get("verdict")
        number, kind = 0, ""
        if isinstance(verdict, dict) and verdict.get("kind") in VERDICTS and type(verdict.get("number")) is int:
            number, kind = verdict["number"], verdict["kind"]
        before = self._verdicts.get(standing.table.id)
        self._verdicts[standing.table.id] = (number, kind)
        if before is not None and standing.is_here and kind and before[0] != number:
            event = {"event_type": kind, "player": state_of(standing)["player"]}
            self._client.publish(topic, json.dumps(event), qos=1)

    def _publish(self, topic: str, payload: str) -> None:
        """Publish what has changed, as a retained message."""
        if self._told.get(topic) != payload:
            self._told[topic] = payload
            self._client.publish(topic, payload, qos=1, retain=True)

    def _config(self, table: str) -> str:
        return f"{self._settings.prefix}/device/strada_{self._hub}_{table.replace('-', '_')}/config"


def state_of(standing: Standing) -> dict[str, Any]:
    """Return the state of a table, as its entities read it."""
    table, told = shown(standing), standing.told or {}
    snapshot = table.snapshot
    turn = next((player for player in snapshot.players if player.is_next), None)
    lamp = told.get("lamp")
    return {
        "player": (turn.name[:MOST_STATE] if turn else "") or None,
        "colour": str(turn.color) if turn else None,
        "days": turn.days if turn else None,
        "phase": snapshot.phase,
        "lamp": lamp if lamp in LAMPS else None,
        "camera": "ON" if "camera" in standing.attention else "OFF",
        "referee": "ON" if standing.attention else "OFF",
        "why": list(standing.attention),
        "far": None if table.done is None else round(100 * table.done),
    }


def discovery(standing: Standing, hub: str, name: str, language: str) -> dict[str, Any]:
    """Return a table's description for Home Assistant: the device and its entities."""
    table = standing.table
    base, own = f"strada/{hub}/{table.id}/home", f"strada_{hub}_{table.id.replace('-', '_')}"
    words = catalogue(language)

    def entity(what: str, platform: str, **more: Any) -> dict[str, Any]:
        return {"platform": platform, "unique_id": f"{own}_{what}", "name": say(words, ENTITIES[what]), **more}

    def reads(what: str) -> dict[str, str]:
        return {"state_topic": base, "value_template": f"{{{{ value_json.{what} }}}}"}

    entities: dict[str, Mapping[str, Any]] = {
        "player": entity("player", "sensor", icon="mdi:account", json_attributes_topic=base, **reads("player")),
        "days": entity("days", "sensor", icon="mdi:walk", state_class="measurement", **reads("days")),
        "phase": entity("phase", "sensor", device_class="enum", options=list(PHASES), **reads("phase")),
        "lamp": entity("lamp", "sensor", device_class="enum", options=list(LAMPS), icon="mdi:led-on", **reads("lamp")),
        "far": entity("far", "sensor", icon="mdi:progress-clock", unit_of_measurement="%", **reads("far")),
        "verdict": entity("verdict", "event", icon="mdi:gavel", event_types=list(VERDICTS),
                          state_topic=f"{base}/verdict"),
        "camera": entity("camera", "binary_sensor", device_class="problem", **reads("camera")),
        "referee": entity("referee", "binary_sensor", icon="mdi:whistle", **reads("referee")),
    }  # fmt: skip
    for what in BUTTONS:
        # Without consent a button is removed: Home Assistant removes an entity that has nothing but its platform.
        pressed = entity(what, "button", command_topic=f"{base}/do", payload_press=what)
        entities[what] = pressed if table.has_buttons else {"platform": "button"}
    return {
        "device": {
            "identifiers": [own], "name": standing.name, "manufacturer": "Strada", "model": "La Strada",
            "suggested_area": name,
        },
        "origin": {"name": "Strada"},
        "availability": [{"topic": f"strada/{hub}/home"}, {"topic": f"{base}/here"}],
        "availability_mode": "all",
        "components": entities,
    }  # fmt: skip
