"""`strada read`: every photograph of a table, read."""

from __future__ import annotations

import json
import os
import statistics
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import click
import cv2

from calibration.table import TableFolder, load_photo
from companion.board import BadInputError, reading_to_json
from companion.cli.options import PATH
from vision.overlay import draw
from vision.reader import reader_of


@click.command()
@click.argument("table", type=PATH)
@click.option("--out", required=True, type=PATH, help="The folder to write readings to.")
@click.option("--alone", is_flag=True, help="Read each photograph without memory of the others.")
@click.option("--overlay", is_flag=True, help="Draw what was read over each photograph, beside its reading.")
def command(table: Path, out: Path, alone: bool, overlay: bool) -> None:
    """Read setup/ of the folder TABLE, then every photograph of every game and clip, in order.

    Writes a reading beside the same relative name under OUT, and prints how many and how fast as its last line.
    """
    folder = TableFolder.open(table)
    sequences = sequences_of(folder)
    _refuse_out(out, folder)
    for photos in sequences.values():  # unreadable photographs are noticed before anything is written
        for photo in photos:
            load_photo(photo, folder.setup.size_px)
    reader = reader_of(folder)
    took_ms = []
    total = sum(len(photos) for photos in sequences.values())
    with click.progressbar(length=total, label=table.name, file=sys.stderr) as bar:
        for name, photos in sequences.items():
            reader.new_game(is_dealt=begins_bare(name) and not alone)
            for photo in photos:
                if alone:
                    reader.new_game(is_dealt=False)
                image = load_photo(photo, folder.setup.size_px)
                start = time.perf_counter()
                reading = reader.read(image)
                took_ms.append((time.perf_counter() - start) * 1000)
                target = out / photo.relative_to(folder.path)
                _write(target.with_suffix(".json"), (json.dumps(reading_to_json(reading), indent=1) + "\n").encode())
                if overlay:
                    drawn = draw(image, reader.view, reading, folder.setup.tracks)
                    _write(target.with_suffix(".png"), cv2.imencode(".png", drawn)[1].tobytes())
                bar.update(1)
    click.echo(json.dumps(speeds(took_ms)))


def sequences_of(folder: TableFolder) -> Mapping[str, list[Path]]:
    """Return the photographs of each game and of the clip, in order, by relative folder name."""
    places = sorted(path for path in (folder.path / "games").glob("*") if path.is_dir())
    if (folder.path / "clip").is_dir():
        places.append(folder.path / "clip")
    sequences = {str(place.relative_to(folder.path)): sorted(place.glob("*.jpg")) for place in places}
    if not any(sequences.values()):
        raise BadInputError(f"{folder.path} has no photographs of games; they belong in games/NAME/NNN.jpg")
    return sequences


def begins_bare(sequence: str) -> bool:
    """Return whether a sequence begins before any road is laid: games do, a clip is cut from the middle of one."""
    return sequence != "clip"


def speeds(took_ms: list[float]) -> dict[str, float]:
    """Return how many photographs were read, the median and the 95th percentile of the times in ms."""
    ordered = sorted(took_ms)
    return {
        "photos": len(ordered),
        "ms_median": round(statistics.median(ordered), 1),
        "ms_p95": round(ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))], 1),
    }


def _refuse_out(out: Path, folder: TableFolder) -> None:
    """Raise BadInputError if readings cannot be written, or would replace what people confirmed."""
    if out.resolve() == folder.path.resolve():
        raise BadInputError(f"--out {out} is the table's own folder, whose files would be overwritten; name another")
    existing = next(path for path in (out, *out.absolute().parents) if path.exists())
    if not (existing.is_dir() and os.access(existing, os.W_OK)):
        raise BadInputError(f"--out {out} cannot be written, as {existing} cannot; name a folder that can be written")


def _write(path: Path, content: bytes) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    except OSError as error:
        raise BadInputError(f"cannot write {path}: {error.strerror}; name a folder that can be written") from None
