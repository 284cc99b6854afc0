"""A real Home Assistant, installed from its package into an environment of its own, discovers a hub's table.

A drawn table belongs to a hub. The hub and Home Assistant meet at the house's Mosquitto, as docs/home-assistant.md
describes. Home Assistant is set up as people do it, through its own pages' requests. Its states are then compared with
what the table says, the document's automations run in it, and both the buttons and a restart are tried.

python -m bench.hub_home --python python3.13
"""

from __future__ import annotations

import argparse
import json
import logging
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from bench.assistant import PYTHONS, SOON_S, START_S, Assistant, House, found_python, installed, until, version_of
from bench.bars import Bar, told
from bench.servers import free_port
from hub.home import LAMPS, PHASES, VERDICTS, state_of
from hub.running import Hub
from hub.settings import BrokerSection, HomeSection, HubSection, HubSettings, WebSection
from hub.store.people import TABLE
from hub.store.tables import allow_buttons, enrolled

#: What the table is called, as in the document's automations, and the entities that the document lists.
NAME, SLUG = "By the window", "by_the_window"
ENTITIES = {
    "sensor": ("player_in_turn", "travel_days", "game", "lamp", "how_far_the_game_is"),
    "event": ("verdict",),
    "binary_sensor": ("camera_problem", "referee_wanted"),
}
PRESSED = ("turn_finished", "yes", "accept_the_move", "take_back_the_move", "pause", "go_on")

#: What the strip shows before any verdict.
BEFORE = (10, 20, 30)


class Trial:
    """A hub with a drawn table, and a Home Assistant that hears of it."""

    def __init__(self, program: Path, folder: Path, stack: ExitStack) -> None:
        self.wrong: list[str] = []
        (folder / "assistant").mkdir()
        self.house = House(folder, stack)
        self.assistant = Assistant(program, folder / "assistant")
        self.assistant.configure()
        home = HomeSection("127.0.0.1", self.house.port, self.house.user, self.house.password)
        settings = HubSettings(
            HubSection("The café", str(folder / "hub")), WebSection(port=free_port()),
            BrokerSection(free_port()), home_assistant=home,
        )  # fmt: skip
        self.hub = Hub(settings)
        stack.callback(self.hub.close)
        self.table_port = free_port()
        code = self.hub.people.new_code(TABLE)
        own = f'address = "http://127.0.0.1:{self.hub.port}"\ncode = "{code}"\nname = "{NAME}"\nobeys = true\n'
        (folder / "table.toml").write_text(f"[hub]\n{own}")
        words = ["run", "--settings", str(folder / "table.toml"), "--data", str(folder / "table"), "--seed", "1"]
        words += ["--port", str(self.table_port), "--camera", "virtual"]
        self.table = subprocess.Popen([sys.executable, "-m", "companion", *words], stdout=subprocess.DEVNULL)
        stack.callback(self.table.wait, 30)
        stack.callback(self.table.terminate)
        stack.callback(self.assistant.stop)

    def says(self) -> Mapping[str, Any]:
        """Return what the table says about itself at the hub."""
        return next((each.told or {} for each in self.hub.room.standings(True)), {})

    def expect(self, holds: object, sentence: str) -> None:
        """Note the sentence if it does not hold."""
        if not holds:
            self.wrong.append(sentence)
            print(f"NOT AS IT SHOULD BE: {sentence}", flush=True)

    def soon(self, holds: Callable[[], object], sentence: str) -> float:
        """Wait until it holds; note the sentence if it does not. Return how long it took."""
        try:
            return until(holds, SOON_S, sentence)
        except AssertionError:
            self.expect(False, sentence)
            return SOON_S

    def shows(self, entity: str) -> str:
        """Return what Home Assistant shows for one of the table's entities, such as `sensor.lamp`; "" if nothing."""
        kind, _, what = entity.partition(".")
        return str(self.assistant.state(f"{kind}.{SLUG}_{what}").get("state", ""))

    def verdict(self) -> tuple[str, str]:
        """Return which verdict Home Assistant shows, and since when."""
        found = self.assistant.state(f"event.{SLUG}_verdict")
        return str(found.get("attributes", {}).get("event_type")), str(found.get("state"))

    def command(self, name: str) -> None:
        """Press a button of the drawn table's own page."""
        at = f"http://127.0.0.1:{self.table_port}"
        headers = {"Origin": at, "X-Strada": "1", "Content-Type": "application/json"}
        urllib.request.urlopen(urllib.request.Request(f"{at}/commands/{name}", b"{}", headers), timeout=20).close()


def tried(program: Path) -> tuple[dict[str, Any], list[str]]:
    """Return the figures of a trial, and a sentence for each thing that is not as it should be."""
    place = Path(tempfile.mkdtemp(prefix="strada-home-"))
    try:
        with ExitStack() as stack:
            trial = Trial(program, place, stack)
            figures = _followed(trial)
            said = (place / "assistant" / "said.txt").read_text(errors="replace").splitlines()
            ours = [line for line in said if "ERROR" in line and re.search("mqtt|automation|template|strada", line)]
            trial.expect(not ours, f"Home Assistant complains: {ours[:3]}")
            return {"version": version_of(program), **figures}, trial.wrong
    finally:
        shutil.rmtree(place, ignore_errors=True)


def _followed(trial: Trial) -> dict[str, Any]:
    until(lambda: trial.says().get("position"), START_S, "the table did not come to its hub")
    trial.assistant.start()
    trial.assistant.let_in()
    trial.assistant.add_broker(trial.house.port, trial.house.user, trial.house.password)
    strip = {"entity_id": "light.wled", "rgb_color": BEFORE}
    until(lambda: trial.assistant.state("light.wled"), SOON_S, "the strip is not there")
    trial.assistant.ask("/api/services/light/turn_on", strip)
    figures: dict[str, Any] = {"discovered_s": round(_discovered(trial), 1)}
    for step in (_compared, _judged, _automated, _pressed, _restarted):
        began_s = time.monotonic()
        figures |= step(trial) or {}
        print(f"{(step.__doc__ or '').partition('.')[0]}: {time.monotonic() - began_s:.0f} s", flush=True)
    trial.table.kill()
    trial.soon(lambda: trial.shows("sensor.game") == "unavailable", "a table that was killed stays available")
    return figures


def _discovered(trial: Trial) -> float:
    wanted = [f"{kind}.{what}" for kind, names in ENTITIES.items() for what in names]
    took_s = trial.soon(lambda: all(map(trial.shows, wanted)), "not every entity of the document is there")
    for missing in (entity for entity in wanted if not trial.shows(entity)):
        trial.expect(False, f"{missing} of {NAME} is not there")
    for button in PRESSED:
        trial.expect(not trial.shows(f"button.{button}"), f"the button {button} is there, and nobody allowed it")
    return took_s


def _compared(trial: Trial) -> None:
    """Compare what Home Assistant shows with what the table says, while it plays."""

    def is_so() -> bool:
        state = state_of(trial.hub.room.standings(True)[0])
        wanted = {"sensor.player_in_turn": state["player"], "sensor.travel_days": state["days"],
                  "sensor.game": state["phase"], "sensor.lamp": state["lamp"],
                  "sensor.how_far_the_game_is": state["far"]}  # fmt: skip
        shown = {entity: trial.shows(entity) for entity in wanted}
        return all(shown[entity] == ("unknown" if value is None else str(value)) for entity, value in wanted.items())

    trial.soon(is_so, "Home Assistant does not show what the table says")
    trial.expect(trial.shows("sensor.game") in PHASES, "the phase is none")
    trial.expect(trial.shows("sensor.lamp") in (*LAMPS, "unknown"), "the lamp is none")


def _judged(trial: Trial) -> dict[str, Any]:
    """Let the table play until there have been verdicts of two kinds, and see each arrive."""
    trial.command("faster")
    seen: dict[str, str] = {}

    def has_both() -> bool:
        kind, since = trial.verdict()
        if kind in VERDICTS:
            seen[since] = kind
        return len(seen) >= 4 and len(set(seen.values())) >= 2

    trial.soon(lambda: trial.verdict()[0] in VERDICTS, "no verdict was shown")
    trial.soon(has_both, f"Home Assistant showed no verdicts of two kinds: {seen}")
    trial.command("pause")
    trial.soon(lambda: trial.verdict()[0] == trial.house.verdicts[-1], "the last verdict is another one")
    told = list(trial.house.verdicts)
    trial.expect(_within(list(seen.values()), told), f"verdicts were told as {told}, and shown as {seen}")
    trial.command("pause")
    return {"verdicts_told": len(told), "verdicts_seen": len(seen), "kinds": sorted(set(seen.values()))}


def _within(shown: list[str], told: list[str]) -> bool:
    """Whether what was shown is what was told, in order, except for what was asked for too late to be seen."""
    rest = iter(told)
    return all(each in rest for each in shown)


def _automated(trial: Trial) -> None:
    """Have the three automations run: the strip, the speaker, the referee's phone."""
    colours = {(0, 200, 60), (230, 20, 20), (255, 140, 0)}

    def lit() -> list[tuple[int, ...]]:
        return [tuple(said["color"][each] for each in "rgb") for said in trial.house.strip if "color" in said]

    trial.expect({*lit()} <= {BEFORE, *colours}, f"the strip shows {lit()}")
    trial.expect({*lit()} & colours, "the strip shows no verdict's colour")
    said = "nobody said whose turn it is"
    trial.soon(lambda: str(trial.assistant.state("heard.tts").get("state")).endswith(", your turn."), said)
    trial.soon(lambda: "dispute" in trial.says().get("attention", ()), "no move was refused")
    trial.command("pause")  # so that it stays like that for half a minute
    trial.soon(lambda: lit()[-1] == BEFORE, "the strip does not go back to what it showed")
    trial.soon(lambda: trial.shows("binary_sensor.referee_wanted") == "on", "the referee is not wanted")
    phone = "heard.notify"
    trial.soon(lambda: trial.assistant.state(phone).get("state") == "dispute", "the referee's phone is silent")
    trial.expect(trial.assistant.state(phone).get("attributes", {}).get("title") == NAME, "the phone names no table")
    trial.command("pause")


def _pressed(trial: Trial) -> None:
    """Allow the buttons, press two of them, and take the consent back."""
    (table,) = enrolled(trial.hub.store)
    allow_buttons(trial.hub.store, table.number, True)
    trial.hub.room.look_again()
    names = [f"button.{button}" for button in PRESSED]
    trial.soon(lambda: {"", "unavailable"}.isdisjoint(map(trial.shows, names)), "not every button is there")
    for button, is_paused in (("pause", True), ("go_on", False)):
        _press(trial, button, is_paused)
    allow_buttons(trial.hub.store, table.number, False)
    trial.hub.room.look_again()
    trial.soon(lambda: not any(map(trial.shows, names)), "buttons that are not allowed any more are there")


def _press(trial: Trial, button: str, is_paused: bool) -> None:
    trial.assistant.ask("/api/services/button/press", {"entity_id": f"button.{SLUG}_{button}"})
    obeyed = f"the table does not obey the button {button}"
    trial.soon(lambda: (trial.says().get("lamp") == "paused") == is_paused, obeyed)
    shown = f"Home Assistant does not show what the button {button} did"
    trial.soon(lambda: (trial.shows("sensor.lamp") == "paused") == is_paused, shown)


def _restarted(trial: Trial) -> None:
    """Start Home Assistant again: the device is there, and the next verdict is shown."""
    trial.assistant.stop()
    trial.assistant.start()
    trial.soon(lambda: trial.shows("sensor.game") in PHASES, "after a restart the device is not there")
    before = trial.verdict()[1]
    trial.soon(lambda: trial.verdict()[1] not in (before, "unavailable", "unknown", ""), "a restart ends the verdicts")


def main() -> None:
    """Print what was found, the bars, and the figures as one line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shared", type=Path, help="not needed: the table is drawn")
    parser.add_argument("--python", default=found_python(), help="the Python that Home Assistant gets")
    arguments = parser.parse_args()
    logging.disable(logging.WARNING)
    if arguments.python is None:
        print(f"strada: Home Assistant wants {PYTHONS[-1]} or newer; name one with --python", file=sys.stderr)
        sys.exit(2)
    figures, wrong = tried(installed(arguments.python))
    bars = [Bar("what is not as it should be with Home Assistant", len(wrong), 0, "things")]
    print(json.dumps({**figures, "wrong": wrong, "bars": told(bars)}))


if __name__ == "__main__":
    main()
