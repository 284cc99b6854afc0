"""A game at the table becomes a game record (records/FORMAT.md)."""

from companion.recording.recorder import Recorder, record_to_text
from companion.recording.silk_road import silk_road_to_json, silk_road_to_text
from companion.recording.writing import record_to_json

__all__ = ["Recorder", "record_to_json", "record_to_text", "silk_road_to_json", "silk_road_to_text"]
