"""Made-up releases, signed like real ones."""

import hashlib
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from companion.updates.release import Release, named, signed

SECRET = Ed25519PrivateKey.from_private_bytes(b"s" * 32)
KEY = named(SECRET.public_key())
ELSE = Ed25519PrivateKey.from_private_bytes(b"e" * 32)

CONTENT = b"a package of Debian's\n" * 1000


def released(
    folder: Path, version: str, architecture: str = "arm64", key: Ed25519PrivateKey = SECRET, content: bytes = CONTENT
) -> Path:
    """Put a release into the folder; return its package."""
    release = Release(version, architecture, len(content), hashlib.sha256(content).hexdigest())
    folder.mkdir(parents=True, exist_ok=True)
    (folder / release.name).write_bytes(content)
    (folder / f"{release.name}.sig").write_bytes(signed(release, key))
    return folder / release.name
