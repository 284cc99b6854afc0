"""A game at the table becomes a game record (records/FORMAT.md)."""

from companion.recording.recorder import Recorder
from companion.recording.writing import record_to_json, record_to_text

__all__ = ["Recorder", "record_to_json", "record_to_text"]
