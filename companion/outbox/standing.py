"""What a table shows its hub at this moment: the board that lies there, whose turn it is, and who should come and look.

It is retained by the broker and says nothing that the events do not say later; the broker says "gone" for a table that
is heard of no more.
"""

from __future__ import annotations

import json
from typing import Any

from companion.events import Outlook
from companion.plain import Forms
from companion.scoreboard import Snapshot

#: What the broker says for a table that has gone, and the table itself when it ends.
GONE = b'{"gone":true}'

#: What a table calls the referee for: a move that is refused, a cell that nobody makes out, a camera that sees nothing.
DISPUTE, UNCLEAR, CAMERA = "dispute", "unclear", "camera"

#: The notices that are verdicts. A verdict's number is that of the last cue, so that the same one is told twice.
VERDICTS = ("legal", "illegal", "ask")


def standing(snapshot: Snapshot, name: str) -> bytes:
    """Return what the hub is shown, as JSON; the same bytes for what looks the same."""
    told: dict[str, Any] = {"name": name, "phase": snapshot.phase, "attention": attention(snapshot)}
    told["lamp"] = str(snapshot.outlook)
    if snapshot.notice is not None and snapshot.notice.kind in VERDICTS:
        told["verdict"] = {"kind": snapshot.notice.kind, "number": snapshot.lamps.cues}
    if snapshot.position is not None:
        forms = Forms()
        told["ground"] = forms.write_ground(snapshot.position.ground)
        told["position"] = forms.write_position(snapshot.position)
    return json.dumps(told, separators=(",", ":")).encode()


def attention(snapshot: Snapshot) -> list[str]:
    """Return why somebody should come and look, by DISPUTE, UNCLEAR and CAMERA; nothing where all goes well."""
    if snapshot.phase not in ("workshop", "turn"):
        return [CAMERA] if snapshot.eye.trouble and snapshot.position is not None else []
    notice = snapshot.notice
    calls = {
        CAMERA: bool(snapshot.eye.trouble),
        DISPUTE: notice is not None and notice.kind == "illegal",
        UNCLEAR: snapshot.outlook is Outlook.UNCLEAR and notice is not None and notice.kind == "ask",
    }
    return [code for code, is_called in calls.items() if is_called]
