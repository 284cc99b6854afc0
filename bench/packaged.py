"""Strada as a Debian package, and its updates, in a booted system without a network: for bench.install.

The package is installed over what was removed, and a drawn game goes on. A keeper says yes to a newer version, and the
game goes on after it. A package signed with another key is refused. A version that changes the logbook and then ends by
itself is taken back, and the logbook restored.
"""

from __future__ import annotations

import json
import re
import subprocess
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from bench.plugs import goes_on
from bench.roots import Booted, Found, Root
from companion.updates.release import architecture, named
from systemd.deb.build import built, sign

#: The folder in which updates are looked for, in the system.
PLACE = "srv/strada-updates"
SETTINGS = "etc/strada/strada.toml"
DATA = "var/lib/strada"
DESK, NOTE = f"{DATA}/update", "opt/strada/update.json"

#: The longest that an update may take: packages unpacked, environment made, and its trial minute.
PATIENCE_S = 900.0

#: After how many seconds the bad version ends by itself: it was well until then, and has changed the logbook.
DIES_S = 30

_CHANGES = {
    "companion/logbook/schema.py": (
        "MIGRATIONS: tuple[str, ...] = (_FIRST,)",
        'MIGRATIONS: tuple[str, ...] = (_FIRST, "CREATE TABLE more (id INTEGER);")',
    ),
    "companion/web/server.py": (
        "from __future__ import annotations\n",
        "from __future__ import annotations\nimport os, threading\n"
        f"_timer = threading.Timer({DIES_S}, os._exit, (1,))\n_timer.daemon = True\n_timer.start()\n",
    ),
}


class Trial:
    """A package that is installed and updated, with a game going on; `moves` plays and returns what was announced."""

    def __init__(
        self,
        found: Found,
        system: Booted,
        root: Root,
        moves: Callable[[Booted, int], list[Any]],
    ) -> None:
        self.found, self.system, self.root, self.moves = found, system, root, moves
        self.key, self.place = Ed25519PrivateKey.generate(), root.folder / PLACE

    def run(self, folder: Path) -> None:
        """Install and update; packages are made in that folder."""
        self.place.mkdir(parents=True, exist_ok=True)
        with self.found.step("the package is made"):
            base = built(folder, architecture())
        self.found.figures["package_mb"] = round(base.stat().st_size / 1e6)
        good, bad = _another(base, "0.2.0"), _another(base, "0.3.0", _CHANGES)
        self._install(base)
        self._refuse(good)
        self._update(good)
        self._take_back(bad)

    def _install(self, base: Path) -> None:
        """Install the package itself, without a network; the Debian packages that it needs are there."""
        _put(base, self.place)
        with self.found.step("the package is installed without a network"):
            done = self.system.run("dpkg", "--install", f"/{PLACE}/{base.name}", timeout_s=600)
        (self.place / base.name).unlink()
        self.found.show(done.stdout + done.stderr)
        self.found.expect(done.returncode == 0, f"dpkg ended with {done.returncode}")
        settings = self.root.folder / SETTINGS
        text = settings.read_text("utf-8")
        places = f'[updates]\nfeed = "/{PLACE}"\nkey = "{named(self.key.public_key())}"\n'
        settings.write_text(text.replace("# end of the settings", f"{places}# end of the settings"), "utf-8")
        self.system.run("systemctl", "restart", "strada")
        self._expect_version("0.1.0")

    def _refuse(self, good: Path) -> None:
        """Check that what somebody else has signed is neither offered nor installed, whoever asks, wherever it is."""
        _put(good, self.place)
        signature = sign(self.place / good.name, Ed25519PrivateKey.generate())
        self._look()
        self.found.expect(self._page().count("install-update") == 0, "what another key has signed is offered")
        # As somebody who had taken over the service would ask for it.
        desk = self.root.folder / DESK
        for source, name in ((self.place / good.name, "candidate.deb"), (signature, "candidate.deb.sig")):
            (desk / name).write_bytes(source.read_bytes())
        self.system.run("systemctl", "stop", "strada-update.path")
        (desk / "ready").write_text("install 0.2.0\n")
        with self.found.step("an update that somebody else has signed"):
            self.found.show(self.system.run("/opt/strada/.venv/bin/strada", "update", "--install").stdout)
        self.system.run("systemctl", "start", "strada-update.path")
        self.found.expect("not signed for the key" in self._outcome().get("why", ""), f"it ended so: {self._outcome()}")
        told = self._doctor("update")
        self.found.expect("update-refused" in told, f"the doctor says {told}")
        self._expect_version("0.1.0")
        signature.unlink()

    def _update(self, good: Path) -> None:
        """Check that a keeper says yes, and the game goes on in the newer version."""
        sign(self.place / good.name, self.key)
        self._look()
        announced = self.moves(self.system, 2)
        self.found.expect("install-update" in self._page(), "a signed update is not offered")
        self.found.expect(self._version() == "0.1.0", "it was installed without anybody's yes")
        with self.found.step("an update that a keeper said yes to, with its minute"):
            self._say_yes("0.2.0")
        self._expect_outcome("stays", "0.2.0")
        self._expect_version("0.2.0")
        self._expect_game(announced, "after an update")

    def _take_back(self, bad: Path) -> None:
        """Check that a version that ends by itself is taken back, along with its change of the logbook."""
        _put(bad, self.place)
        sign(self.place / bad.name, self.key)
        self._look()
        announced = self.moves(self.system, 2)
        with self.found.step("an update that ends by itself, until it is taken back"):
            self._say_yes("0.3.0")
        self._expect_outcome("taken-back", "0.3.0")
        self.found.expect(self._outcome().get("database") == "restored", f"the logbook: {self._outcome()}")
        _until(lambda: self.system.shown("strada", "ActiveState") == "active")
        self._expect_version("0.2.0")
        told = self._doctor("update")
        self.found.expect("update-restored" in told, f"the doctor says {told}")
        self.found.expect("0.3.0" in self._page(), "the page Keeper says nothing of it")
        self._expect_game(announced, "after an update that was taken back")
        journal = self.said()
        self.found.show(journal)
        self.found.expect("version 0.3.0 is taken back: " in journal, "the journal says nothing of it")

    def said(self) -> str:
        """Return what the journal says of updates, once none runs: dpkg's output is written when it has ended."""
        _until(lambda: self.system.shown("strada-update", "ActiveState") not in ("active", "activating"))
        return self.system.run("journalctl", "--output=cat", "--no-pager", "--unit=strada-update").stdout

    def _say_yes(self, version: str) -> None:
        """Let a keeper say yes to that version, and wait until its outcome is known."""
        (self.root.folder / NOTE).unlink(missing_ok=True)
        self._post("install-update", {"version": version})
        _until(lambda: self._outcome().get("outcome", "begun") != "begun")

    def _look(self) -> None:
        """Let a keeper ask for a look, and wait until it is done."""
        note = self.root.folder / DESK / "offer.json"
        note.unlink(missing_ok=True)
        _until(partial(self._post, "look-for-update", {}))
        _until(lambda: note.exists() and not (note.parent / "wanted").exists())

    def _post(self, what: str, body: dict[str, str]) -> bool:
        headers = {"Origin": "http://127.0.0.1", "X_Strada": "1", "Content_Type": "application/json"}
        return self.system.ask(f"http://127.0.0.1/keeper/{what}", json.dumps(body), **headers) is not None

    def _page(self) -> str:
        return self.system.ask("http://127.0.0.1/keeper") or ""

    def _outcome(self) -> dict[str, str]:
        try:
            return dict(json.loads((self.root.folder / NOTE).read_text("utf-8")))
        except (OSError, ValueError):
            return {}

    def _doctor(self, *checks: str) -> list[str]:
        """Return the codes that the doctor finds at those checks."""
        said = self.system.run("runuser", "-u", "strada", "--", "strada", "doctor", "--json").stdout
        found = json.loads(said)["checks"] if said.startswith("{") else []
        return [each["code"] for each in found if each["check"] in checks]

    def _version(self) -> str:
        said = self.system.ask("http://127.0.0.1/health")
        return str(json.loads(said)["version"]) if said else ""

    def _expect_version(self, version: str) -> None:
        _until(lambda: self._version() == version)
        self.found.expect(self._version() == version, f"{self._version() or 'nothing'} runs, and not {version}")

    def _expect_outcome(self, outcome: str, version: str) -> None:
        ended = self._outcome()
        is_so = (ended.get("outcome"), ended.get("version")) == (outcome, version)
        self.found.expect(is_so, f"the update to {version} ended so: {ended}")

    def _expect_game(self, announced: list[Any], when: str) -> None:
        record = self.moves(self.system, 1)
        held = goes_on(announced, record, self.root.folder / DATA)
        self.found.expect(held, f"{when}: {len(announced)} moves were announced, {len(record)} are there")


def _until(holds: Callable[[], bool]) -> None:
    """Wait for a while until the condition holds."""
    until_s = time.monotonic() + PATIENCE_S
    while not holds() and time.monotonic() < until_s:
        time.sleep(0.5)


def _put(package: Path, place: Path) -> None:
    (place / package.name).write_bytes(package.read_bytes())


def _another(base: Path, version: str, changes: dict[str, tuple[str, str]] | None = None) -> Path:
    """Return the package as another version, with those texts in its sources changed."""
    tree = base.parent / version
    subprocess.run(["dpkg-deb", "--raw-extract", str(base), str(tree)], check=True)
    project = r'^version = ".*"$', f'version = "{version}"'
    for path, (old, new) in {
        "pyproject.toml": project,
        "DEBIAN/control": ("^Version: .*$", f"Version: {version}"),
    }.items():
        file = tree / path if path.startswith("DEBIAN") else tree / "usr/lib/strada" / path
        file.write_text(re.sub(old, new, file.read_text("utf-8"), count=1, flags=re.MULTILINE), "utf-8")
    for path, (old, new) in (changes or {}).items():
        file = tree / "usr/lib/strada" / path
        text = file.read_text("utf-8")
        if old not in text:
            raise ValueError(f"{path} has no {old!r} any more")
        file.write_text(text.replace(old, new, 1), "utf-8")
    package = base.with_name(base.name.replace(base.stem.split("_")[1], version))
    pack = ["dpkg-deb", "--root-owner-group", "-Znone", "--build", str(tree), str(package)]
    subprocess.run(pack, check=True, stdout=subprocess.DEVNULL)
    return package
