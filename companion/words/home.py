"""What a table's parts are called in Home Assistant, by the names of its discovery (hub/home.py)."""

from __future__ import annotations

from collections.abc import Mapping

from companion.words.catalogues import Message

ENTITIES: Mapping[str, Message] = {
    "player": Message("Player in turn"),
    "days": Message("Travel days"),
    "phase": Message("Game"),
    "lamp": Message("Lamp"),
    "verdict": Message("Verdict"),
    "camera": Message("Camera problem"),
    "referee": Message("Referee wanted"),
    "far": Message("How far the game is"),
    "done": Message("Turn finished"),
    "yes": Message("Yes"),
    "accept": Message("Accept the move"),
    "undo": Message("Take back the move"),
    "pause": Message("Pause"),
    "resume": Message("Go on"),
}
