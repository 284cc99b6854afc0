"""Settings: a TOML file with only known keys and checked values; without a file the defaults apply.

```toml
[web]
port = 8000
[camera]
kind = "usb"
[table]
folder = "/var/lib/strada/tables/club"
[game]
players = [{name = "Ada", color = "black"}, {name = "Bo", color = "red"}]
```
"""

from __future__ import annotations

import ipaddress
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from companion.board import BadInputError, Color, PlayerColor, player_color
from companion.board.notation import LAST_FIELD
from companion.settings.section import Section, a_key, a_number, a_path, a_word, check_known, loaded, quoted, section

#: The beginning of the last line in the installer's settings: a file that lost it was cut off.
END_MARK = "# end of the settings"


@dataclass(frozen=True, slots=True)
class WebSettings:
    """The scoreboard's address. `trusted_hosts` are names besides this machine's own.

    `metrics` says who may ask for the figures of /metrics: programs "here", on this machine, or in the whole "network".
    With `https` the pages are also served under TLS, at `https_port`: "own" uses a certificate that the table makes
    itself, "files" the one in `certificate` and its `key`, both in PEM.
    """

    host: str = "127.0.0.1"
    port: int = a_number(8000, 0, 65535)
    streams: int = a_number(100, 1, 500)
    streams_per_address: int = a_number(6, 1, 500)
    trusted_hosts: tuple[str, ...] = ()
    metrics: str = a_word("here", "here", "network")
    https: str = a_word("off", "off", "own", "files")
    https_port: int = a_number(8443, 0, 65535)
    certificate: str = a_path()
    key: str = a_path()


@dataclass(frozen=True, slots=True)
class CameraSettings:
    """Which camera looks at the table: the drawn table, a Pi's module, a USB camera, photographs, or a clip.

    A module or USB camera is asked for pictures of the size that the table was set up with. Photographs are in
    `folder` and are shown for `hold_s` each; `clip` is a video file.
    """

    kind: str = a_word("virtual", "virtual", "none", "picamera2", "usb", "folder", "video")
    index: int = a_number(0, 0, 63)
    folder: str = a_path()
    hold_s: float = a_number(3.0, 0.1, 3600)
    clip: str = a_path()
    frames_per_s: float = a_number(10.0, 0.5, 30)


@dataclass(frozen=True, slots=True)
class TableSettings:
    """The set-up of the table: a folder with table.json and setup/; empty for the one set up in the browser.

    A drawn table has its own.
    """

    folder: str = a_path()
    seed: int = a_number(1, 0, 2**31 - 1)


def _players(value: object) -> tuple[tuple[str, PlayerColor], ...]:
    if not isinstance(value, Sequence) or isinstance(value, str) or not 1 <= len(value) <= len(Color):
        raise BadInputError('game.players should list 1 to 4 players, as [{name = "Ada", color = "black"}, ...]')
    players = []
    for seat, one in enumerate(value, 1):
        if (
            not isinstance(one, dict)
            or set(one) != {"name", "color"}
            or not isinstance(one["name"], str)
            or not one["name"].strip()
        ):
            raise BadInputError(f"game.players: player {seat} is {quoted(one)}; they should have a name and a color")
        if not isinstance(one["color"], str) or not one["color"].strip():
            raise BadInputError(
                f"game.players: player {seat}'s color {quoted(one['color'])} should be the colour of a player"
            )
        players.append((one["name"], player_color(one["color"])))
    if len({color for _, color in players}) < len(players):
        raise BadInputError("game.players: two players have the same color; give each one of their own")
    return tuple(players)


def _first_days(value: object) -> Mapping[Color, int]:
    if not isinstance(value, dict):
        raise BadInputError(
            f"game.first_days is {quoted(value)}; it should be days by colour, as {{black = 4, red = 5}}"
        )
    for name, days in value.items():
        if name not in list(Color):
            raise BadInputError(f"game.first_days: color {name!r} should be one of {', '.join(Color)}")
        if type(days) is not int or not 0 <= days <= LAST_FIELD:
            raise BadInputError(
                f"game.first_days: {name} gets {quoted(days)}; it should be a whole number from 0 to {LAST_FIELD}"
            )
    return {Color(name): days for name, days in value.items()}


@dataclass(frozen=True, slots=True)
class GameSettings:
    """The game that the button deals. `players` are (name, colour), clockwise; if left out, they go by their colours.

    House rules, off by default: `end` "now" reads the end of the standard game by the days that a player would have,
    `first_days` gives colours a number other than six days in their first turn, `hints` lets the scoreboard show what
    could be built. `turn_clock` shows from the start how long the player in turn has been at it; keepers can switch it
    on and off, too.
    """

    rules: str = "standard"
    end: str = a_word("ever", "ever", "now")
    first_days: Mapping[Color, int] = field(default_factory=dict, metadata={"read": _first_days})
    hints: bool = False
    turn_clock: bool = False
    players: tuple[tuple[str, PlayerColor], ...] = field(
        default=(("Black", Color.BLACK), ("Red", Color.RED), ("Yellow", Color.YELLOW)), metadata={"read": _players}
    )

    @property
    def house_rules(self) -> Mapping[str, object]:
        """The options by name, except those left at their default, which not every game has."""
        others = (each.name for each in fields(self) if each.name not in ("rules", "turn_clock", "players"))
        usual = GameSettings()
        return {name: getattr(self, name) for name in others if getattr(self, name) != getattr(usual, name)}


@dataclass(frozen=True, slots=True)
class PanelSettings:
    """The pins (BCM numbers) of lamps, buzzer and button, and which way round they are wired."""

    pins: str = a_word("auto", "auto", "mock", "lgpio")
    red: int = a_number(17, 0, 27)
    green: int = a_number(27, 0, 27)
    blue: int = a_number(22, 0, 27)
    turn_black: int = a_number(5, 0, 27)
    turn_grey: int = a_number(6, 0, 27)
    turn_yellow: int = a_number(16, 0, 27)
    turn_red: int = a_number(26, 0, 27)
    buzzer: int = a_number(12, 0, 27)
    button: int = a_number(23, 0, 27)
    status_active_high: bool = True
    turn_active_high: bool = True
    buzzer_is_tonal: bool = True
    buzzer_active_high: bool = True
    button_pulls_up: bool = True


@dataclass(frozen=True, slots=True)
class LogbookSettings:
    """The logbook's folder; empty for that of `STRADA_DATA`, or else of the user's data.

    `pictures_mb` bounds the pictures of verdicts; the oldest are deleted. So are those of games that ended more than
    `pictures_days` ago (0: never).
    """

    folder: str = a_path()
    pictures_mb: int = a_number(1024, 0, 1_000_000)
    pictures_days: int = a_number(0, 0, 36_500)


@dataclass(frozen=True, slots=True)
class BackupSettings:
    """Copies off the machine. Empty `to`: none are made.

    `to` is a folder, `stick:LABEL` or `stick:/where/it/is/mounted` for a USB stick, or `rclone:remote:folder`. The
    newest `keep` stay there. With a public `key` for age, they are encrypted; with `pictures`, they include the games'
    pictures.
    """

    to: str = a_path()
    keep: int = a_number(8, 1, 1000)
    key: str = ""
    pictures: bool = True


@dataclass(frozen=True, slots=True)
class UpdatesSettings:
    """Where newer versions are looked for, once a day: `feed` is empty for nowhere, the address of a release as GitHub
    describes it, or a folder or stick (as `backup.to`). With the public `key` of releases, keepers may install what is
    signed for it: strada_1.2.3_arm64.deb with its .sig beside it.
    """

    feed: str = a_path()
    key: str = a_key()


@dataclass(frozen=True, slots=True)
class HubSettings:
    """The hub that the table belongs to, by its address and a pairing code from its screen; empty: what a keeper chose.

    `name` is what the table is called there; empty for this machine's name. `obeys`: the hub may press a keeper's
    buttons here, as Home Assistant does.
    """

    address: str = ""
    code: str = ""
    name: str = ""
    obeys: bool = False


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings of a table."""

    web: WebSettings = field(default_factory=WebSettings)
    camera: CameraSettings = field(default_factory=CameraSettings)
    table: TableSettings = field(default_factory=TableSettings)
    game: GameSettings = field(default_factory=GameSettings)
    panel: PanelSettings = field(default_factory=PanelSettings)
    logbook: LogbookSettings = field(default_factory=LogbookSettings)
    backup: BackupSettings = field(default_factory=BackupSettings)
    updates: UpdatesSettings = field(default_factory=UpdatesSettings)
    hub: HubSettings = field(default_factory=HubSettings)

    def checked(self) -> Settings:
        """Return these settings; raises BadInputError if one of them needs another that is missing."""
        if self.camera.kind == "folder" and not self.camera.folder:
            raise BadInputError("camera.folder is missing; a folder camera needs the folder of its photographs")
        if self.camera.kind == "video" and not self.camera.clip:
            raise BadInputError("camera.clip is missing; a video camera needs the file of its clip")
        _check_pins(self.panel)
        _check_host(self.web.host)
        _check_place(self.backup.to, "backup.to", _REMOTE, "rclone:remote:folder")
        _check_place(self.updates.feed, "updates.feed", r"https?://[^/\s]+/\S*", "the https:// address of a release")
        _check_key(self.backup.key)
        _check_https(self.web)
        colors = [color for _, color in self.game.players]
        for color in self.game.first_days:
            if color not in colors:
                complaint = f"game.first_days names {color}, which nobody plays; {', '.join(colors)} play"
                raise BadInputError(for_log(complaint, self.game.players))
        return self


def load_settings(path: Path | None) -> Settings:
    """Return the file's settings, or the defaults for None; raises BadInputError naming the key and the remedy."""
    return Settings() if path is None else loaded(path, settings_from)


def check_whole(path: Path, before: Path) -> None:
    """Raise BadInputError if the file lacks parts of `before` that a power cut takes: every key, or the end mark.

    A file that was cut off between two lines is valid TOML, and everything missing would get its default.
    """
    try:
        text, kept = path.read_text("utf-8", errors="replace"), before.read_text("utf-8", errors="replace")
    except OSError:
        return
    if _has_keys(kept) and not _has_keys(text):
        raise BadInputError(f"{path}: holds no key; put the settings back, or delete {before} to run without any")
    if _is_marked(kept) and not _is_marked(text):
        raise BadInputError(
            f"{path}: its last line {END_MARK!r} is missing, as where a file is cut off; add what is missing, and it"
        )


def check_named(settings: Settings) -> None:
    """Raise BadInputError if a table, photographs or a clip that the settings name does not exist."""
    camera, table = settings.camera, settings.table.folder
    if camera.kind not in ("virtual", "none") and table and not (Path(table) / "table.json").is_file():
        raise BadInputError(f"table.folder is {table!r}, and no table.json is there; check the name")
    if camera.kind == "folder" and not Path(camera.folder).is_dir():
        raise BadInputError(f"camera.folder is {camera.folder!r}, and no folder is there; check the name")
    if camera.kind == "video" and not Path(camera.clip).is_file():
        raise BadInputError(f"camera.clip is {camera.clip!r}, and no file is there; check the name")


def _has_keys(text: str) -> bool:
    try:
        return any(values or not isinstance(values, dict) for values in tomllib.loads(text).values())
    except (ValueError, RecursionError):
        return False


def _is_marked(text: str) -> bool:
    return any(line.strip().startswith(END_MARK) for line in text.splitlines())


def settings_from(values: Mapping[str, Any]) -> Settings:
    """Return the settings in that mapping; missing ones get their default."""
    kinds: dict[str, Any] = {each.name: each.default_factory for each in fields(Settings)}
    return Settings(**sections_from(values, kinds)).checked()


def sections_from(values: Mapping[str, Any], kinds: Mapping[str, type[Any]]) -> dict[str, Any]:
    """Return each section that is there as the dataclass of its name; raises BadInputError."""
    check_known(values, kinds, "section")
    return {name: _section(kinds[name], value, name) for name, value in values.items()}


def _section(kind: type[Section], value: object, name: str) -> Section:
    try:
        return section(kind, value, name)
    except BadInputError as error:
        raise BadInputError(for_log(str(error), value) if name == "game" else str(error)) from None


def for_log(complaint: str, game: object) -> str:
    """Return a complaint about a game's settings; if no terminal shows it, without quoting players' names.

    The journal is kept for months, and others read it. `game` is what was written there, or a part of it.
    """
    known = {*Color, "name", "color", *(each.name for each in fields(GameSettings))}
    names = {form for word in _words(game) if word not in known for form in (word, repr(word)[1:-1])}
    if sys.stderr.isatty() or not any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", complaint) for name in names):
        return complaint
    where = re.match(r"game(\.\w+)*(: player \d+)?", complaint)
    return (
        f"{where[0] if where else '[game]'} cannot be used; what is wrong quotes what may be names, which are kept "
        "out of logs: strada doctor says it on a terminal"
    )


def _words(value: object) -> Iterator[str]:
    """Yield every text in a file's value."""
    if isinstance(value, str) and value:
        yield value
    elif isinstance(value, Mapping):
        yield from _words([*value.keys(), *(each for key, each in value.items() if key not in ("rules", "end"))])
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for each in value:
            yield from _words(each)


def _check_host(host: str) -> None:
    """Raise BadInputError for anything but an address or a name, whatever the network."""
    bare = host[1:-1] if host.startswith("[") and host.endswith("]") else host
    try:
        if re.fullmatch(r"[\d.]+", bare) or ":" in bare:
            ipaddress.ip_address(bare)
        elif not re.fullmatch(r"[\w.-]*", bare):
            raise ValueError
    except ValueError:
        raise BadInputError(
            f"web.host is {host!r:.60}; it should be 0.0.0.0 (the local network), 127.0.0.1 (this machine alone), "
            "or an address or name of this machine"
        ) from None


#: What rclone calls a remote: its name in rclone's settings, or a type and its options after a colon.
_REMOTE = r"rclone:[^-/][^\0\n]*:[^\0\n]*"

#: A public key for age or for one of its plugins, or an SSH key's line.
_KEY = re.compile(r"age1[a-z0-9]{20,2000}|ssh-(ed25519|rsa) [A-Za-z0-9+/=]+( .*)?")


def _check_place(place: str, where: str, other: str, named: str) -> None:
    if place and not re.fullmatch(rf"/[^\0\n]*|stick:[^\0\n]+|{other}", place):
        raise BadInputError(
            f"{where} is {quoted(place)}; it should be a folder (/whole/path), stick:LABEL or {named}, "
            "or empty for none"
        )


def _check_key(key: str) -> None:
    """Raise BadInputError for anything but a public key; no complaint quotes what may be a secret one."""
    if key and not _KEY.fullmatch(key):
        raise BadInputError(
            "backup.key is not a public key of age's; it should be the line age1... that age-keygen prints, and the "
            "secret one (AGE-SECRET-KEY-...) should stay away from this machine"
        )


def _check_https(web: WebSettings) -> None:
    if web.https == "off":
        return
    if web.https_port and web.https_port == web.port:
        raise BadInputError(f"web.https_port is {web.https_port}, which is web.port already; choose another port")
    for name, path in (("certificate", web.certificate), ("key", web.key)):
        if web.https == "files" and not path:
            raise BadInputError(f'web.{name} is missing; web.https = "files" needs the certificate and its key')


def _check_pins(panel: PanelSettings) -> None:
    taken: dict[int, str] = {}
    for each in fields(panel):
        pin = getattr(panel, each.name)
        if type(pin) is int:
            other = taken.setdefault(pin, each.name)
            if other != each.name:
                raise BadInputError(f"panel.{each.name} is {pin}, which is panel.{other} already; choose another pin")
