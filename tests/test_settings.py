import sys
from operator import attrgetter
from pathlib import Path

import pytest

from companion.board import BadInputError, Color
from companion.settings import Settings, load_settings, settings_from
from companion.wiring.choices import game_of


def test_without_a_file_the_defaults_run() -> None:
    settings = load_settings(None)
    assert settings == Settings() == settings_from({})
    assert settings.camera.kind == "virtual"


def test_a_file_changes_what_it_names_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "strada.toml"
    path.write_text(
        "[web]\nport = 80\n[panel]\nbuzzer = 13\n[camera]\nhold_s = 2\n"
        '[game]\nplayers = [{name = "Zoé", color = "grey"}, {name = "Bo", color = "red"}]\n'
    )
    settings = load_settings(path)
    assert (settings.web.port, settings.web.host) == (80, "127.0.0.1")
    assert settings.panel.buzzer == 13
    assert settings.camera.hold_s == 2.0
    assert settings.game.players == (("Zoé", Color.GREY), ("Bo", Color.RED))


def test_house_rules_are_off_until_the_table_settles_them(tmp_path: Path) -> None:
    assert game_of(Settings()).options == {}
    assert game_of(settings_from({"game": {"turn_clock": True}})).options == {}, "a clock is no rule"
    path = tmp_path / "strada.toml"
    path.write_text('[game]\nend = "now"\nhints = true\nfirst_days = {black = 4, red = 0}\n')
    game = game_of(load_settings(path))
    assert game.options == {"end": "now", "hints": True, "first_days": {"black": 4, "red": 0}}


def test_rules_and_seats_must_fit() -> None:
    with pytest.raises(BadInputError, match="game: 3 players: danger is for 2"):
        game_of(settings_from({"game": {"rules": "danger"}}))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[web]\nprot = 80", "'prot' is no key of [web]; did you mean 'port'?"),
        ("[wbe]\nport = 80", "'wbe' is no section; did you mean 'web'?"),
        ("zzz = 1", "there are web, camera, table, game, panel"),
        ("web = 80", "it should be a section, [web]"),
        ("[web]\nport = 65536", "web.port is 65536; it should be from 0 to 65535"),
        ("[web]\nport = true", "web.port is True; it should be a whole number"),
        ('[web]\nport = "80"', "web.port is '80'; it should be a whole number"),
        ("[web]\ntrusted_hosts = [1]", "it should be a list of words"),
        ('[web]\nhttps = "yes"', "it should be one of off, own, files"),
        ('[web]\nport = 443\nhttps = "own"\nhttps_port = 443', "web.https_port is 443, which is web.port already"),
        ('[web]\nhttps = "files"\ncertificate = "/c"', "web.key is missing"),
        ('[web]\nhttps = "files"\nkey = "/k"', "web.certificate is missing"),
        ('[web]\nmetrics = "all"', "it should be one of here, network"),
        ('[camera]\nkind = "webcam"', "it should be one of virtual, none, picamera2, usb, folder, video"),
        ('[camera]\nkind = "folder"', "camera.folder is missing"),
        ("[camera]\nframes_per_s = 0", "it should be from 0.5 to 30"),
        ('[camera]\nkind = "video"', "camera.clip is missing"),
        ("[panel]\nbuzzer = 17", "panel.buzzer is 17, which is panel.red already"),
        ("[panel]\nbutton = 28", "it should be from 0 to 27"),
        ("[game]\nplayers = []", "1 to 4 players"),
        ('[game]\nplayers = ["Ada", "Bo"]', "player 1 is 'Ada'"),
        ('[game]\nplayers = [{name = "A", color = 7}, {name = "B", color = "red"}]', "color 7 should be the colour"),
        ('[game]\nplayers = [{name = "A", color = "red"}, {name = "B", color = "red"}]', "the same color"),
        ('[game]\nend = "soon"', "game.end is 'soon'; it should be one of ever, now"),
        ("[game]\nhints = 1", "game.hints is 1; it should be true or false"),
        ("[game]\nfirst_days = 4", "game.first_days is 4; it should be days by colour"),
        ("[game]\nfirst_days = {blue = 4}", "color 'blue' should be one of"),
        ("[game]\nfirst_days = {red = 11}", "red gets 11; it should be a whole number from 0 to 10"),
        ("[game]\nfirst_days = {red = true}", "red gets True"),
        ("[game]\nfirst_days = {grey = 4}", "game.first_days names grey, which nobody plays"),
        ("[web", "is not valid TOML"),
        pytest.param(f"[web]\nport = {'9' * 5000}", "a number has thousands of digits", id="a number of 5,000 digits"),
        pytest.param(f"[web]\nport = 0x{'f' * 5000}", "a number of thousands of digits", id="one in hexadecimal"),
        pytest.param(f"[camera]\nhold_s = {'9' * 400}", "it should be from 0.1 to 3600", id="one that no float holds"),
        ('[table]\nfolder = "a\\u0000b"', "without the character NUL"),
        (
            '[backup]\nto = "backups"',
            "backup.to is 'backups'; it should be a folder (/whole/path), stick:LABEL or rclone:",
        ),
        ('[backup]\nto = "stick:"', "it should be a folder"),
        ('[backup]\nto = "rclone:nas"', "rclone:remote:folder"),
        ('[backup]\nto = "rclone:--config:x"', "rclone:remote:folder"),
        ("[backup]\nkeep = 0", "it should be from 1 to 1000"),
        ('[backup]\nkey = "age1"', "backup.key is not a public key"),
        ('[updates]\nfeed = "ftp://example.org/x"', "the https:// address of a release"),
        ('[updates]\nkey = "AGE-SECRET"', "updates.key is 'AGE-SECRET'; it should be the public key of releases"),
        ("[updates]\nkey = 7", "it should be the public key of releases"),
        ('[updates]\nfeed = "file:///etc/passwd"', "the https:// address of a release"),
        ('[table]\nfolder = "~nobody-of-that-name/x"', "there is no such user"),
    ],
)
def test_what_is_wrong_is_named_with_the_remedy(
    tmp_path: Path, text: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "strada.toml"
    path.write_text(text)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with pytest.raises(BadInputError) as refused:
        load_settings(path)
    assert said in str(refused.value)
    assert str(path) in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    "to", ["/srv/copies", "stick:CLUB 1", "stick:/media/club", "rclone:nas:", "rclone::sftp,host=x:y"]
)
def test_copies_go_to_a_folder_a_stick_or_a_remote(to: str) -> None:
    assert settings_from({"backup": {"to": to}}).backup.to == to
    assert settings_from({}).backup.to == ""


def test_a_secret_key_is_refused_and_never_quoted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with pytest.raises(BadInputError, match="secret one") as refused:
        settings_from({"backup": {"key": "AGE-SECRET-KEY-1QQQQQQQQ"}})
    assert "1QQQ" not in str(refused.value)


@pytest.mark.parametrize(
    "name", ["table.folder", "camera.folder", "camera.clip", "logbook.folder", "web.certificate", "web.key"]
)
def test_a_tilde_is_the_home_of_whoever_runs_this(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/pi")
    section, key = name.split(".")
    assert attrgetter(name)(settings_from({section: {key: "~/x"}})) == "/home/pi/x"


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match=r"none\.toml: cannot be read"):
        load_settings(tmp_path / "none.toml")
