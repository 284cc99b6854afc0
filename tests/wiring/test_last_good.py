"""Settings that cannot be used any more: with `--last-good` those that last ran are used, and people are told."""

import logging
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from companion.board import BadInputError
from companion.cli import run
from companion.settings import END_MARK, Settings
from companion.wiring.choices import DAMAGED, ChosenSettings, before_last, choose_settings
from companion.wiring.machine import MOST_FAILED, SOUND_S, Starts
from companion.wiring.running import Companion, without_table
from companion.words import LANGUAGES, Voice
from tests.clock import Clock
from tests.faults.companions import running, until
from tests.written import written

ROOT = Path(__file__).parents[2]

GOOD = '[web]\nport = 0\n[game]\nplayers = [{name = "Zoe", color = "grey"}, {name = "Bo", color = "red"}]\n'


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "strada.toml"
    file.write_text(GOOD)
    return file


@pytest.fixture
def last_good(tmp_path: Path) -> Path:
    return tmp_path / "settings.last-good.toml"


def looked_up(path: Path | None, last_good: Path | None) -> ChosenSettings:
    return choose_settings(path, last_good, Settings.checked)


def players(found: ChosenSettings) -> list[str]:
    return [name for name, _ in found.settings.game.players]


def test_settings_that_ran_for_a_minute_are_kept(path: Path, last_good: Path, tmp_path: Path, clock: Clock) -> None:
    with Starts(tmp_path, clock=clock, on_sound=looked_up(path, last_good).keep) as starts:
        starts.beat()
        clock.now_s += SOUND_S - 1
        starts.beat()
        assert not last_good.exists()
        clock.now_s += 1
        starts.beat()
        assert last_good.read_text() == GOOD
    assert sorted(each.name for each in tmp_path.iterdir()) == [last_good.name, path.name]


def test_what_ran_in_safe_mode_is_not_kept_as_good(path: Path, last_good: Path, tmp_path: Path, clock: Clock) -> None:
    for _ in range(3):
        Starts(tmp_path).__enter__()
    with Starts(tmp_path, clock=clock, on_sound=looked_up(path, last_good).keep) as starts:
        assert starts.is_safe
        starts.beat()
        clock.now_s += SOUND_S
        starts.beat()
    assert not last_good.exists()


def test_settings_that_are_kept_already_are_not_written_again(path: Path, last_good: Path) -> None:
    looked_up(path, last_good).keep()
    before = written(last_good)
    looked_up(path, last_good).keep()
    assert written(last_good) == before
    path.write_text(GOOD + "# changed\n")
    looked_up(path, last_good).keep()
    assert last_good.read_text().endswith("# changed\n")
    assert before_last(last_good).read_text() == GOOD, "and those before stay, too"


def test_where_the_last_good_ones_are_damaged_too_those_before_are_in_force(
    path: Path, last_good: Path, caplog: pytest.LogCaptureFixture
) -> None:
    looked_up(path, last_good).keep()
    path.write_text(GOOD + "# changed\n")
    looked_up(path, last_good).keep()
    for file in (path, last_good):
        file.write_text("half of i")
    assert players(looked_up(path, last_good)) == ["Zoe", "Bo"]
    assert f"the last good settings are in use: {before_last(last_good)}" in caplog.text


def test_wherever_the_installers_settings_are_cut_off_the_last_good_ones_are_in_force(
    path: Path, last_good: Path
) -> None:
    """A cut in the last line that leaves all settings is not a cut."""
    script = ". systemd/install.sh; settings usb mock"
    written = subprocess.run(["bash", "-c", script], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    path.write_text(written)
    whole = looked_up(path, last_good)
    whole.keep()
    mark = written.index(END_MARK) + len(END_MARK)
    edges = [at + more for at, letter in enumerate(written) if letter == "\n" for more in (0, 1)]
    for cut in sorted({*range(0, len(written), 17), *edges, mark - 1, mark}):
        path.write_text(written[:cut])
        found = looked_up(path, last_good)
        assert found.settings == whole.settings, f"cut off after {written[:cut][-30:]!r}"
        assert found.warnings == ((DAMAGED,) if cut < mark else ())
        found.keep()
        assert (cut >= mark) or last_good.read_text() == written


def test_settings_that_never_had_the_end_mark_need_none_not_even_empty_ones(path: Path, last_good: Path) -> None:
    for text in ("\n", "\n", GOOD, f"{GOOD}{END_MARK}\n", f'{GOOD}{END_MARK}\n[logbook]\nfolder = ""\n'):
        path.write_text(text)
        found = looked_up(path, last_good)
        assert found.warnings == ()
        found.keep()


DAMAGES = {
    "half of it": GOOD[:30],
    "nothing of it": "",
    "its first comment": "# Strada's settings. Every k",
    "a section without its keys": "# Strada's settings.\n[web]\n",
    "zeros": "\0" * len(GOOD),
    "an unknown key": GOOD.replace("port", "prot"),
    "a value out of range": GOOD.replace("port = 0", "port = 99999"),
    "a host that is no address": GOOD.replace("port = 0", 'host = "127.0.0.999"'),
    "a host that is no name": GOOD.replace("port = 0", 'host = "0.0.0.0 "'),
    "a table with a wrong letter": '[camera]\nkind = "usb"\n[table]\nfolder = "/var/lib/strada/tablet/club"\n',
    "photographs that are gone": '[camera]\nkind = "folder"\nfolder = "/var/lib/strada/none"\n',
    "a clip that is gone": '[camera]\nkind = "video"\nclip = "/var/lib/strada/none.mp4"\n',
    "players that the rules do not seat": GOOD + 'rules = "two-player"\nfirst_days = {yellow = 4}\n',
    "unknown rules": GOOD + 'rules = "chess"\n',
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_where_they_cannot_be_used_the_last_good_ones_are_in_force_and_it_is_said(
    damage: str, path: Path, last_good: Path, caplog: pytest.LogCaptureFixture
) -> None:
    looked_up(path, last_good).keep()
    path.write_text(DAMAGES[damage])
    with caplog.at_level(logging.WARNING):
        found = looked_up(path, last_good)
    assert players(found) == ["Zoe", "Bo"]
    assert found.warnings == (DAMAGED,)
    (record,) = caplog.records
    assert str(path) in record.message
    assert f"the last good settings are in use: {last_good}" in record.message
    found.keep()
    assert last_good.read_text() == GOOD, "what is damaged is never kept"


def test_a_file_that_is_gone_counts_as_damaged(path: Path, last_good: Path) -> None:
    looked_up(path, last_good).keep()
    path.unlink()
    assert players(looked_up(path, last_good)) == ["Zoe", "Bo"]


@pytest.mark.parametrize("kept", [None, "", "[web]\nprot = 80\n"])
def test_where_nothing_good_is_kept_the_file_is_refused_as_ever(path: Path, last_good: Path, kept: str | None) -> None:
    path.write_text("[web]\nport = 99999\n")
    if kept:
        last_good.write_text(kept)
    with pytest.raises(BadInputError, match=r"strada\.toml: web\.port is 99999"):
        looked_up(path, last_good)


def test_on_a_terminal_without_the_option_a_bad_value_is_refused(path: Path, last_good: Path) -> None:
    looked_up(path, last_good).keep()
    path.write_text("[web]\nport = 99999\n")
    done = CliRunner().invoke(run.command, ["--settings", str(path)])
    assert isinstance(done.exception, BadInputError)
    done = CliRunner().invoke(run.command, ["--last-good", str(last_good)])
    assert "--last-good goes with --settings" in str(done.exception)


def test_options_that_are_wrong_by_themselves_are_refused_though_something_good_is_kept(
    path: Path, last_good: Path
) -> None:
    looked_up(path, last_good).keep()
    options = ["--settings", str(path), "--last-good", str(last_good), "--camera", "folder"]
    done = CliRunner().invoke(run.command, options)
    assert "camera.folder is missing" in str(done.exception)


def test_a_folder_that_cannot_be_written_keeps_nothing_and_says_so(
    path: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        looked_up(path, tmp_path / "missing" / "last-good.toml").keep()
    assert "cannot be written" in caplog.text


def test_everybody_is_told_in_each_language_also_while_there_is_no_table(path: Path, last_good: Path) -> None:
    looked_up(path, last_good).keep()
    path.write_text("")
    said = without_table(*looked_up(path, last_good).warnings).words
    assert len({said[language].warning for language in LANGUAGES}) == len(LANGUAGES)
    assert said["en"].warning.startswith("The settings file cannot be used, so the last good settings are in use")


@pytest.mark.long
def test_a_companion_on_its_last_good_settings_says_so_on_its_pages(tmp_path: Path, last_good: Path) -> None:
    data = tmp_path / "data"
    path = tmp_path / "strada.toml"
    path.write_text(f'[web]\nport = 0\n[camera]\nkind = "usb"\nindex = 63\n[logbook]\nfolder = "{data}"\n')
    looked_up(path, last_good).keep()
    path.write_text("half of i")
    found = looked_up(path, last_good)
    waiting = Companion(found.settings, warnings=found.warnings)
    waiting.close()
    assert waiting._scoreboard.latest.warning == Voice().trouble(DAMAGED)

    for _ in range(MOST_FAILED):
        Starts(data).__enter__()
    said = f"{Voice(language='de').trouble('safe-mode')} · {Voice(language='de').trouble(DAMAGED)}"
    # The quickest way to a loop: without a camera, and with a warning of its own.
    with Starts(data) as starts, running(Companion(found.settings, starts=starts, warnings=found.warnings)) as made:
        until(lambda: said in made._scoreboard.latest.in_language("de").warning)


def test_the_service_keeps_its_settings_among_its_data() -> None:
    unit = (ROOT / "systemd" / "strada.service").read_text()
    assert " --last-good /var/lib/strada/settings.last-good.toml " in unit
    assert "\nStateDirectory=strada\n" in unit
