"""What is signed is believed, and nothing else is."""

import base64
import hashlib
import subprocess
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from companion.board import BadInputError
from companion.updates.release import CONTEXT, Release, signed, verified
from tests.updates.releases import ELSE, KEY, SECRET

RELEASE = Release("1.2.3", "arm64", 7, hashlib.sha256(b"package").hexdigest())


def test_what_the_key_signed_is_read_as_it_was_written() -> None:
    assert verified(signed(RELEASE, SECRET), KEY) == RELEASE
    assert RELEASE.name == "strada_1.2.3_arm64.deb"


def lined(line: str) -> bytes:
    """Return that line, with the real line's signature."""
    return line.encode() + b"\n" + signed(RELEASE, SECRET).splitlines()[1] + b"\n"


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (signed(RELEASE, ELSE), "is not signed for the key"),
        (lined(RELEASE.line.replace("1.2.3", "1.2.4")), "is not signed for the key"),
        (lined(RELEASE.line.replace("arm64", "amd64")), "is not signed for the key"),
        (lined(RELEASE.line.replace(" 7 ", " 8 ")), "is not signed for the key"),
        (lined(RELEASE.line[:-1] + "0"), "is not signed for the key"),
        (signed(RELEASE, SECRET).splitlines()[0], "should be two lines"),
        (signed(RELEASE, SECRET) + b"more\n", "should be two lines"),
        (b"", "should be two lines"),
        (RELEASE.line.encode() + b"\nAAAA\n", "is not signed for the key"),
        (RELEASE.line.encode() + b"\n!!!!\n", "should be two lines"),
        (b"\xff" * 100, "should be two lines"),
        (b"x" * 5000, "is too large"),
    ],
)
def test_anything_else_is_refused(content: bytes, why: str) -> None:
    with pytest.raises(BadInputError, match=why):
        verified(content, KEY)


def test_a_signature_that_the_key_made_for_something_else_does_not_count() -> None:
    """The same line without what all releases begin with, or a line that no release has, does not count."""
    bare = base64.b64encode(SECRET.sign(RELEASE.line.encode())).decode()
    with pytest.raises(BadInputError, match="is not signed for the key"):
        verified(f"{RELEASE.line}\n{bare}\n".encode(), KEY)
    odd = "strada 1.2.3-rc1 arm64 7 ab"
    well_signed = base64.b64encode(SECRET.sign(CONTEXT + odd.encode())).decode()
    with pytest.raises(BadInputError, match="is not a release"):
        verified(f"{odd}\n{well_signed}\n".encode(), KEY)


def test_a_version_that_cannot_be_released_is_not_signed() -> None:
    with pytest.raises(BadInputError, match="cannot be released"):
        signed(Release("1.2.3-rc1", "arm64", 7, RELEASE.sha256), SECRET)


def test_settings_without_a_key_believe_nobody() -> None:
    for key in ("", "AAAA", "é"):
        with pytest.raises(BadInputError, match="no public key of releases"):
            verified(signed(RELEASE, SECRET), key)


def test_openssl_checks_the_same_signature(tmp_path: Path) -> None:
    """Anybody who does not trust this program can ask another."""
    line, signature = signed(RELEASE, SECRET).splitlines()
    (tmp_path / "said").write_bytes(CONTEXT + line)
    (tmp_path / "signature").write_bytes(base64.b64decode(signature))
    (tmp_path / "key.pem").write_bytes(
        SECRET.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    )
    command = ["openssl", "pkeyutl", "-verify", "-pubin", "-inkey", str(tmp_path / "key.pem"), "-rawin"]
    command += ["-in", str(tmp_path / "said"), "-sigfile", str(tmp_path / "signature")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
