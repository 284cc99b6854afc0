"""Where releases are looked for: in a folder, on a stick, or at the address of a release as GitHub describes it.

Only what is signed counts. Nothing is fetched unless somebody said yes to it.
"""

from __future__ import annotations

import hashlib
import json
import re
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from companion.board import BadInputError
from companion.system.durable import contents, folder_of, write_whole
from companion.system.news import LIMIT_S, MOST_BYTES, fetched, is_newer, within
from companion.updates.release import MOST_SIGNATURE_BYTES, Release, verified

#: How much of a package is fetched at a time; the whole may take as long as strada-fetch.service may.
CHUNK_BYTES = 1024**2

#: How many signatures are looked at in one place, the ones with the highest versions first.
MOST_LOOKED_AT = 20

_NAME = re.compile(r"strada_(\d{1,6}(?:\.\d{1,6}){0,3})_(amd64|arm64)\.deb\.sig")


@dataclass(frozen=True, slots=True)
class Offer:
    """A signed release, its signature's file, and where its package is: a path or an address."""

    release: Release
    signature: bytes
    place: str


def look(feed: str, key: str, architecture: str) -> Offer | None:
    """Return the newest release there that is signed for the key, and for that processor; None if there is none.

    Raises BadInputError if nothing there is signed for the key although something claims to be, OSError if the place
    cannot be asked.
    """
    signatures = _at_address(feed) if feed.startswith(("http://", "https://")) else _in_folder(folder_of(feed))
    suitable = {name: place for name, place in signatures.items() if _architecture(name) == architecture}
    complaint: BadInputError | None = None
    for name in _newest_first(suitable)[:MOST_LOOKED_AT]:
        content = _signature(suitable[name])
        try:
            release = verified(content, key)
            if f"{release.name}.sig" != name:
                raise BadInputError(f"it is the signature of {release.name}")
        except BadInputError as error:
            complaint = complaint or BadInputError(f"{name}: {error}")
            continue
        package = _package(suitable, name) if feed.startswith(("http://", "https://")) else suitable[name][:-4]
        return Offer(release, content, package)
    if complaint is not None:
        raise complaint
    return None


def fetch(offer: Offer, to: Path) -> None:
    """Copy the package to that path, complete and as it was signed, or not at all; raises OSError, BadInputError."""
    write_whole(to, _checked(offer))


def pieces(source: IO[bytes], release: Release) -> Iterator[bytes]:
    """Yield the package's bytes; raises BadInputError as soon as they are not those that were signed."""
    digest, size = hashlib.sha256(), 0
    while chunk := source.read(CHUNK_BYTES):
        size += len(chunk)
        if size > release.size:
            break
        digest.update(chunk)
        yield chunk
    if size != release.size or digest.hexdigest() != release.sha256:
        raise BadInputError(f"{release.name} is not the file that was signed; take it from its place once more")


def _checked(offer: Offer) -> Iterator[bytes]:
    if not offer.place.startswith(("http://", "https://")):
        with Path(offer.place).open("rb") as file:
            yield from pieces(file, offer.release)
        return
    request = urllib.request.Request(offer.place, headers={"User-Agent": "Strada"})
    try:
        with within(LIMIT_S, lambda: urllib.request.urlopen(request, timeout=LIMIT_S)) as answer:
            yield from pieces(answer, offer.release)
    except urllib.error.HTTPError as error:
        error.close()
        raise OSError(f"it answered {error.code}") from None


def _in_folder(folder: Path) -> dict[str, str]:
    return {path.name: str(path) for path in folder.iterdir() if _NAME.fullmatch(path.name)}


def _at_address(feed: str) -> dict[str, str]:
    """Return the addresses of what belongs to the release, by name."""
    try:
        assets: Any = json.loads(fetched(feed, MOST_BYTES, LIMIT_S))["assets"]
        named = {str(each["name"]): str(each["browser_download_url"]) for each in assets}
    except (ValueError, KeyError, TypeError, RecursionError):
        raise OSError("it sent no release: JSON with assets") from None
    return {name: place for name, place in named.items() if place.startswith(("http://", "https://"))}


def _package(named: Mapping[str, str], signature: str) -> str:
    """Return the address of the package that a signature belongs to."""
    try:
        return named[signature.removesuffix(".sig")]
    except KeyError:
        raise OSError(f"the release has {signature} and not its package") from None


def _signature(place: str) -> bytes:
    if place.startswith(("http://", "https://")):
        return fetched(place, MOST_SIGNATURE_BYTES, LIMIT_S)
    return contents(Path(place), MOST_SIGNATURE_BYTES)


def _architecture(name: str) -> str:
    match = re.fullmatch(rf"{_NAME.pattern}|strada_[\d.]+_(amd64|arm64)\.deb", name)
    return "" if match is None else match[2] or match[3]


def _newest_first(names: Mapping[str, str]) -> list[str]:
    """Return the names of the signatures, the one with the highest version first."""
    signatures: list[tuple[str, str]] = [(match[1], name) for name in names if (match := _NAME.fullmatch(name))]
    ordered: list[tuple[str, str]] = []
    for version, name in signatures:
        at = next((i for i, (other, _) in enumerate(ordered) if is_newer(version, other)), len(ordered))
        ordered.insert(at, (version, name))
    return [name for _, name in ordered]
