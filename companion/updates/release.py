"""A release: a Debian package with a signature beside it, which names its version, processor, size and hash.

`strada_1.2.3_arm64.deb.sig` has two lines: what is signed, and the Ed25519 signature of it in base64. So it is known
what a file is before a hundred megabytes are fetched, and no file passes for another version's.
"""

from __future__ import annotations

import base64
import binascii
import re
import subprocess
from dataclasses import dataclass

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from companion.board import BadInputError

#: What is signed begins with this: no signature that the key makes for anything else counts as a release's.
CONTEXT = b"Strada release 1\n"

#: No signature file is larger than the first of these, and no package is larger than the second.
MOST_SIGNATURE_BYTES, MOST_BYTES = 1024, 1024**3

#: Debian's names of the processors that Strada runs on.
ARCHITECTURES = ("amd64", "arm64")

_LINE = re.compile(r"strada (\d{1,6}(?:\.\d{1,6}){0,3}) (amd64|arm64) ([1-9]\d{0,9}) ([0-9a-f]{64})")


@dataclass(frozen=True, slots=True)
class Release:
    """A version's package for one kind of processor: how many bytes it has, and their SHA-256 in hexadecimal."""

    version: str
    architecture: str
    size: int
    sha256: str

    @property
    def name(self) -> str:
        """What its file is called."""
        return f"strada_{self.version}_{self.architecture}.deb"

    @property
    def line(self) -> str:
        """What is signed."""
        return f"strada {self.version} {self.architecture} {self.size} {self.sha256}"


def signed(release: Release, key: Ed25519PrivateKey) -> bytes:
    """Return the content of the signature's file; raises BadInputError if there is no such release."""
    if not _LINE.fullmatch(release.line):
        raise BadInputError(f"{release.line!r:.200} cannot be released; a version is like 1.2.3")
    signature = key.sign(CONTEXT + release.line.encode())
    return f"{release.line}\n{base64.b64encode(signature).decode()}\n".encode()


def verified(content: bytes, key: str) -> Release:
    """Return what that signature's file says, if it was signed for that public key; raises BadInputError."""
    if len(content) > MOST_SIGNATURE_BYTES:
        raise BadInputError("this is not a signature of a release; it is too large")
    public = public_key(key)
    try:
        line, signature = content.decode("ascii").splitlines()
        public.verify(base64.b64decode(signature, validate=True), CONTEXT + line.encode())
    except InvalidSignature:
        raise BadInputError("it is not signed for the key in the settings ([updates] key)") from None
    except (ValueError, binascii.Error):
        raise BadInputError("this is not a signature of a release; it should be two lines of text") from None
    match = _LINE.fullmatch(line)
    if match is None or int(match[3]) > MOST_BYTES:
        raise BadInputError("what is signed is not a release of Strada that this version knows")
    return Release(match[1], match[2], int(match[3]), match[4])


def public_key(text: str) -> Ed25519PublicKey:
    """Return the public key as the settings have it, in base64; raises BadInputError."""
    try:
        return Ed25519PublicKey.from_public_bytes(base64.b64decode(text, validate=True))
    except (ValueError, binascii.Error):
        raise BadInputError(
            "the settings have no public key of releases ([updates] key); it is the 44 characters that make deb prints"
        ) from None


def named(key: Ed25519PublicKey) -> str:
    """Return the public key as it is written into the settings."""
    return base64.b64encode(key.public_bytes(Encoding.Raw, PublicFormat.Raw)).decode()


def architecture() -> str:
    """Return what Debian calls this machine's processor; "" if this is not Debian."""
    command = ["dpkg", "--print-architecture"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip()
