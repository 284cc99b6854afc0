from pathlib import Path

import pytest

from companion.board import BadInputError, Color
from companion.settings import Settings, load_settings, settings_from


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
        ('[camera]\nkind = "webcam"', "it should be one of virtual, usb, folder"),
        ('[camera]\nkind = "folder"', "camera.folder is missing"),
        ('[camera]\nkind = "usb"', "table.folder is missing"),
        ("[camera]\nreads_per_s = 0", "it should be from 0.1 to 30"),
        ("[panel]\nbuzzer = 17", "panel.buzzer is 17, which is panel.red already"),
        ("[panel]\nbutton = 28", "it should be from 0 to 27"),
        ("[game]\nplayers = []", "2 to 4 players"),
        ('[game]\nplayers = ["Ada", "Bo"]', "player 1 is 'Ada'"),
        ('[game]\nplayers = [{name = "A", color = "blue"}, {name = "B", color = "red"}]', "'blue' should be one of"),
        ('[game]\nplayers = [{name = "A", color = "red"}, {name = "B", color = "red"}]', "the same color"),
        ("[web", "is no TOML"),
    ],
)
def test_what_is_wrong_is_named_with_the_remedy(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "strada.toml"
    path.write_text(text)
    with pytest.raises(BadInputError) as refused:
        load_settings(path)
    assert said in str(refused.value)
    assert str(path) in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match=r"none\.toml: cannot be read"):
        load_settings(tmp_path / "none.toml")
