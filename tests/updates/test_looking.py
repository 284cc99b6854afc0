"""Updates are looked for in a folder, on a USB stick or at an address; nothing is fetched unasked."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from companion.board import BadInputError
from companion.updates.looking import fetch, look
from tests.updates.releases import CONTENT, ELSE, KEY, released


def test_the_newest_that_is_signed_and_for_this_machine_is_on_offer(tmp_path: Path) -> None:
    for version, architecture in (("1.9.0", "arm64"), ("1.10.0", "arm64"), ("2.0.0", "amd64")):
        released(tmp_path, version, architecture)
    released(tmp_path, "3.0.0", key=ELSE)
    (tmp_path / "strada-9.0.0.tar.gz").write_bytes(b"of a checkout")
    offer = look(str(tmp_path), KEY, "arm64")
    assert offer is not None
    assert (offer.release.version, offer.place) == ("1.10.0", str(tmp_path / "strada_1.10.0_arm64.deb"))


def test_where_there_is_nothing_nothing_is_on_offer(tmp_path: Path) -> None:
    assert look(str(tmp_path), KEY, "arm64") is None
    released(tmp_path, "2.0.0", "amd64")
    assert look(str(tmp_path), KEY, "arm64") is None


def test_where_everything_is_signed_by_somebody_else_an_error_says_so(tmp_path: Path) -> None:
    released(tmp_path, "3.0.0", key=ELSE)
    with pytest.raises(BadInputError, match=r"strada_3\.0\.0_arm64\.deb\.sig: it is not signed for the key"):
        look(str(tmp_path), KEY, "arm64")


def test_a_signature_of_another_version_is_none(tmp_path: Path) -> None:
    """An old package under a new name would bring back a version with known holes."""
    package = released(tmp_path, "1.0.0")
    package.rename(tmp_path / "strada_9.0.0_arm64.deb")
    (tmp_path / f"{package.name}.sig").rename(tmp_path / "strada_9.0.0_arm64.deb.sig")
    with pytest.raises(BadInputError, match=r"it is the signature of strada_1\.0\.0_arm64\.deb"):
        look(str(tmp_path), KEY, "arm64")


@pytest.mark.parametrize("spoil", [CONTENT[:-1], CONTENT + b"x", b"x" + CONTENT[1:], b""])
def test_a_package_that_is_not_what_was_signed_is_not_fetched(tmp_path: Path, spoil: bytes) -> None:
    released(tmp_path / "stick", "2.0.0").write_bytes(spoil)
    offer = look(str(tmp_path / "stick"), KEY, "arm64")
    assert offer is not None
    with pytest.raises(BadInputError, match="is not the file that was signed"):
        fetch(offer, tmp_path / "here")
    assert not (tmp_path / "here").exists()


@contextmanager
def release_at(folder: Path) -> Iterator[tuple[str, list[str]]]:
    """Serve the folder's files as a release; yield its address and what was asked for."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            base = f"http://127.0.0.1:{self.server.server_address[1]}"
            if self.path == "/releases/latest":
                names = sorted(path.name for path in folder.iterdir())
                assets = [{"name": name, "browser_download_url": f"{base}/files/{name}"} for name in names]
                content = json.dumps({"tag_name": "v2.0.0", "assets": assets}).encode()
            elif (folder / Path(self.path).name).is_file():
                content = (folder / Path(self.path).name).read_bytes()
            else:
                self.send_error(404)
                return
            self.send_response(200)
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/releases/latest", asked
        server.shutdown()


def test_at_an_address_the_package_is_fetched_only_once_somebody_has_said_yes(tmp_path: Path) -> None:
    released(tmp_path / "there", "2.0.0")
    with release_at(tmp_path / "there") as (address, asked):
        offer = look(address, KEY, "arm64")
        assert offer is not None
        assert asked == ["/releases/latest", "/files/strada_2.0.0_arm64.deb.sig"]
        fetch(offer, tmp_path / "here")
    assert (tmp_path / "here").read_bytes() == CONTENT


def test_what_an_address_leaves_out_is_said(tmp_path: Path) -> None:
    package = released(tmp_path / "there", "2.0.0")
    with release_at(tmp_path / "there") as (address, _):
        offer = look(address, KEY, "arm64")
        package.unlink()
        with pytest.raises(OSError, match="and not its package"):
            look(address, KEY, "arm64")
        assert offer is not None
        with pytest.raises(OSError, match="it answered 404"):
            fetch(offer, tmp_path / "here")
        with pytest.raises(OSError, match="sent no release"):
            look(address.replace("/releases/latest", "/files/strada_2.0.0_arm64.deb.sig"), KEY, "arm64")
