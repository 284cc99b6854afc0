"""Bad input, as a person types it: each time one line that names the fault and the remedy, status 2, no file left."""

import json
import shutil
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from companion.board import Color
from companion.cli import NOT_NOW
from tests.games.test_records import small
from tests.typed import Refused, Strada

EVENING = Path("games") / "evening"


@pytest.fixture
def table(drawn_evening: Path, tmp_path: Path) -> Path:
    """A copy of the drawn table, with two photographs of its evening, to damage."""
    table = Path(shutil.copytree(drawn_evening.parents[1], tmp_path / "table"))
    changed(table / EVENING / "game.json", lambda v: v.update(photos=v["photos"][:2]))
    for name in ("002", "003"):
        for path in (table / EVENING).glob(f"{name}.*"):
            path.unlink()
    return table


def changed(path: Path, change: Callable[[Any], object]) -> None:
    """Rewrite a JSON file after a change."""
    value = json.loads(path.read_text())
    change(value)
    path.write_text(json.dumps(value))


def grey(path: Path) -> None:
    """Replace the photograph with one that shows no board."""
    cv2.imwrite(str(path), np.full_like(cv2.imread(str(path)), 120))


def halved(path: Path) -> None:
    """Replace the photograph with one of half its size."""
    cv2.imwrite(str(path), cv2.resize(cv2.imread(str(path)), None, fx=0.5, fy=0.5))


SPOILT_TABLES = [
    (lambda t: (t / "table.json").unlink(), "table.json: No such file or directory; check the name"),
    (lambda t: (t / "table.json").write_text('{"rings":'), "table.json is not valid JSON"),
    (lambda t: (t / "table.json").write_text(""), "table.json is not valid JSON"),
    (lambda t: (t / "table.json").write_bytes(b"\xff\xd8"), "table.json is not valid JSON"),
    (lambda t: (t / "table.json").unlink() or (t / "table.json").mkdir(), "table.json: Is a directory"),
    (lambda t: (t / "table.json").write_text("[]"), "the file is []; it should be a JSON object"),
    (lambda t: changed(t / "table.json", lambda v: v.pop("rings")), "rings is missing"),
    (lambda t: changed(t / "table.json", lambda v: v.update(rings=99)), "rings is 99"),
    (lambda t: changed(t / "table.json", lambda v: v["clicks"].pop("A7")), "clicks names 3 cells; click"),
    (lambda t: changed(t / "table.json", lambda v: v["clicks"].update(A7=[5000, 1])), "A7 at (5000, 1) lies outside"),
    (lambda t: changed(t / "table.json", lambda v: v["clicks"].update(A7="here")), "it should be two numbers"),
    (lambda t: changed(t / "table.json", lambda v: v["tracks"].update(blue={})), "'blue' is not a colour"),
    (lambda t: halved(t / "setup" / "empty.jpg"), "empty.jpg has 820 x 616 pixels, the table was set up with 1640"),
    (lambda t: (t / "setup" / "empty.jpg").write_bytes(b""), "empty.jpg is not a photograph that can be read"),
    (lambda t: grey(t / "setup" / "empty.jpg"), "no board grid found near the clicks"),
]


@pytest.mark.parametrize(("spoil", "complaint"), SPOILT_TABLES[:5] + SPOILT_TABLES[6:])
def test_align_refuses(refused: Refused, table: Path, spoil: Callable[[Path], object], complaint: str) -> None:
    spoil(table)
    drawn_over = table / "grid.png"
    said = refused("align", table / "setup/empty.jpg", "--clicks", table / "table.json", "--overlay", drawn_over)
    assert complaint in said
    assert str(table) in said
    assert not drawn_over.exists()


@pytest.mark.parametrize(
    ("spoil", "complaint"),
    [
        *(spoilt for spoilt in SPOILT_TABLES if "[]" not in spoilt[1]),
        (lambda t: (t / "setup" / "teach.json").unlink(), "teach.json: No such file"),
        (lambda t: changed(t / "setup" / "empty.json", lambda v: v.update(cells={})), "no terrain for 127 cells"),
        (lambda t: changed(t / "setup" / "empty.json", lambda v: v["cells"].pop("C4")), "1 cells, first C4; confirm"),
        (lambda t: shutil.rmtree(t / "games"), "has no photographs of games"),
        (lambda t: halved(t / EVENING / "001.jpg"), "001.jpg has 820 x 616 pixels"),
        (lambda t: (t / EVENING / "001.jpg").write_bytes(b"?"), "001.jpg is not a photograph"),
    ],
)
def test_read_refuses(refused: Refused, table: Path, spoil: Callable[[Path], object], complaint: str) -> None:
    spoil(table)
    out = table.parent / "out"
    assert complaint in refused("read", table, "--out", out)
    assert not out.exists()


def test_read_writes_neither_over_the_table_nor_below_a_file(refused: Refused, table: Path, tmp_path: Path) -> None:
    before = {path: path.read_bytes() for path in table.rglob("*.json")}
    assert "the table's own folder" in refused("read", table, "--out", table)
    assert "nowhere is not a folder" in refused("read", tmp_path / "nowhere", "--out", tmp_path / "out")
    assert not (tmp_path / "out").exists()
    assert {path: path.read_bytes() for path in table.rglob("*.json")} == before
    (tmp_path / "file").touch()
    assert "name a folder that can be written" in refused("read", table, "--out", tmp_path / "file" / "sub")
    assert "name a folder that can be written" in refused("read", table, "--out", tmp_path / "file")
    assert (tmp_path / "file").read_bytes() == b""


@pytest.mark.parametrize(
    ("spoil", "complaint"),
    [
        (lambda e: (e / "game.json").unlink(), "game.json cannot be read (No such file"),
        (lambda e: (e / "game.json").write_text(""), "game.json is not valid JSON"),
        (lambda e: (e / "game.json").write_text("[]"), "game.json: the file is []; it should be a JSON object"),
        (lambda e: changed(e / "game.json", lambda v: v.update(rules="chess")), "'chess' are not known"),
        (lambda e: changed(e / "game.json", lambda v: v.update(players=[])), "players is []"),
        (lambda e: changed(e / "game.json", lambda v: v["players"][0].update(color="blue")), "'blue' should be one"),
        (lambda e: changed(e / "game.json", lambda v: v["photos"][1].update(button="go")), "'go' should be one of"),
        (lambda e: changed(e / "game.json", lambda v: v["photos"][1].update(photo="../x")), "the name of a file in"),
        (lambda e: (e / "001.jpg").unlink(), "1 of 2 photographs are missing"),
        (lambda e: halved(e / "001.jpg"), "001.jpg has 820 x 616 pixels"),
        (lambda e: (e / "001.jpg").write_bytes(b"?"), "001.jpg is not a photograph"),
        (lambda e: (e.parents[1] / "table.json").unlink(), "no table.json above"),
        (shutil.rmtree, "evening is not a folder"),
    ],
)
def test_watch_refuses(refused: Refused, table: Path, spoil: Callable[[Path], object], complaint: str) -> None:
    spoil(table / EVENING)
    assert complaint in refused("watch", table / EVENING, "--json")


def test_watch_refuses_answers_that_cannot_be_read(refused: Refused, table: Path, tmp_path: Path) -> None:
    for source, why in ((tmp_path, "Is a directory"), (tmp_path / "none.txt", "No such file or directory")):
        complained = refused("watch", table / EVENING, "--answers", source)
        assert f"--answers {source} cannot be read ({why}); it should be a file of commands, or -" in complained


def test_watch_refuses_a_language_that_is_not_spoken(refused: Refused, tmp_path: Path) -> None:
    assert "'la' is not one of 'de', 'en', 'fr', 'it'" in refused("watch", tmp_path, "--lang", "la")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "this is not JSON"),
        ("[" * 100_000, "this is not JSON"),
        (json.dumps({**small(), "author": "Ada"}), "unknown field 'author'; its fields are"),
        (json.dumps({**small(), "format": "strada-record/2"}), "format is 'strada-record/2'; this version reads"),
        (json.dumps({**small(), "game": "chess"}), "game is 'chess'; this version referees"),
        (json.dumps({**small(), "rules": "danger-of-chess"}), "are not known; this version referees"),
        (json.dumps({**small(), "moves": 3}), "moves is 3; it should be a list"),
    ],
)
def test_referee_and_replay_refuse(refused: Refused, tmp_path: Path, text: str, complaint: str) -> None:
    path, drawings = tmp_path / "record.json", tmp_path / "drawings"
    path.write_text(text)
    assert complaint in refused("referee", path)
    assert complaint in refused("replay", path, "--svg", drawings)
    assert not drawings.exists()


def test_replay_refuses_what_it_cannot_read_or_draw(refused: Refused, tmp_path: Path) -> None:
    assert "nowhere.json: No such file or directory; give the path of" in refused("replay", tmp_path / "nowhere.json")
    assert "Is a directory" in refused("replay", tmp_path)
    path = tmp_path / "record.json"
    path.write_bytes(b"\xff\xd8")
    assert "not UTF-8 text" in refused("replay", path)
    path.write_text(json.dumps(small()))
    assert "'tlh' is not one of 'de', 'en', 'fr', 'it'" in refused("replay", path, "--lang", "tlh")
    assert "cannot be made (Not a directory); name another folder" in refused("replay", path, "--svg", path / "sub")
    assert "cannot be made (File exists); name another folder" in refused("replay", path, "--svg", path)
    (tmp_path / "drawn" / "000-start.svg").mkdir(parents=True)
    assert "000-start.svg is there already, and no drawing" in refused("replay", path, "--svg", tmp_path / "drawn")


def test_record_refuses_before_it_looks_at_a_photograph(refused: Refused, table: Path, tmp_path: Path) -> None:
    evening, there = table / EVENING, tmp_path / "there.json"
    there.write_text("mine")
    assert "there.json is there already; name another file, or write over it with --force" in refused(
        "record", evening, "-o", there
    )
    assert "is not a file; name another for --out" in refused("record", evening, "--force", "-o", tmp_path)
    assert "there is no folder" in refused("record", evening, "-o", tmp_path / "nowhere" / "game.json")
    assert "nowhere is not a folder; name a table's TABLE/games/evening, or an address such as" in refused(
        "record", tmp_path / "nowhere"
    )
    (evening / "001.jpg").write_bytes(b"?")
    assert "001.jpg is not a photograph" in refused("record", evening, "-o", tmp_path / "game.json")
    (table / "table.json").unlink()
    assert "no table.json above" in refused("record", evening, "-o", tmp_path / "game.json")
    assert there.read_text() == "mine"
    assert not (tmp_path / "game.json").exists()


@pytest.mark.long
def test_record_refuses_an_evening_in_which_nothing_was_dealt(refused: Refused, table: Path, tmp_path: Path) -> None:
    photo = table / EVENING / "000.jpg"
    shutil.copy(table / "setup" / "empty.jpg", photo)
    changed(table / EVENING / "game.json", lambda v: v.update(photos=v["photos"][:1]))
    assert "no game was dealt, so there is none to write down" in refused("record", table / EVENING)


@pytest.mark.parametrize(
    ("address", "complaint"),
    [
        ("http://127.0.0.1:{free}/", "cannot be reached (Connection refused); is a companion running there?"),
        ("http://127.0.0.1:x/", "cannot be reached (nonnumeric port"),
        ("http://", "cannot be reached (no host given)"),
        ("http://[::1/", "cannot be reached (Invalid IPv6 URL)"),
        ("http://" + "a" * 70 + ".example/", "cannot be reached ("),
        ("127.0.0.1:8000", "is not a folder; name a table's TABLE/games/evening, or an address such as http://"),
    ],
)
def test_record_refuses_an_address_where_nobody_is(refused: Refused, address: str, complaint: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        free = taken.getsockname()[1]
    assert complaint in refused("record", address.format(free=free))


@pytest.mark.parametrize(
    ("toml", "complaint"),
    [
        ("[web", "is not valid TOML"),
        ("[web]\nprot = 8000", "'prot' is no key of [web]; did you mean 'port'?"),
        ("[wbe]\nport = 8000", "'wbe' is no section; did you mean 'web'?"),
        ("[web]\nport = 99999", "web.port is 99999; it should be from 0 to 65535"),
        ('[web]\nhost = "256.1.1.1"', "web.host is '256.1.1.1'; it should be 0.0.0.0"),
        ('[camera]\nkind = "webcam"', "camera.kind is 'webcam'; it should be one of"),
        ('[game]\nrules = "chess"', "game: rules 'chess' are not known; this version referees"),
        ("[panel]\nred = 27", "panel.green is 27, which is panel.red already; choose another pin"),
    ],
)
def test_run_refuses_settings(refused: Refused, tmp_path: Path, toml: str, complaint: str) -> None:
    path = tmp_path / "strada.toml"
    path.write_text(toml)
    assert complaint in refused("run", "--settings", path)


def test_run_refuses_more_players_than_the_rules_have_seats(refused: Refused, tmp_path: Path) -> None:
    path = tmp_path / "strada.toml"
    named = ", ".join(f'{{name = "{name}", color = "{color}"}}' for name, color in zip("ABC", Color, strict=False))
    path.write_text(f"[game]\nplayers = [{named}]\n")
    assert "game: 3 players: danger is for 2" in refused("run", "--settings", path, "--rules", "danger")
    assert "'--rules': 'dangr' is not one of 'standard'" in refused("run", "--rules", "dangr")


def test_run_refuses_a_table_that_is_not_set_up(refused: Refused, table: Path, tmp_path: Path) -> None:
    photos = table / EVENING
    assert "setup/table.json: No such file" in refused("run", "--photos", photos, "--table", table / "setup")
    assert "nowhere is not a folder" in refused("run", "--photos", photos, "--table", tmp_path / "nowhere")
    assert "no photograph (.jpg, .png) in" in refused("run", "--photos", tmp_path / "nowhere", "--table", table)
    (table / "setup" / "teach.jpg").unlink()
    assert "teach.jpg: No such file" in refused("run", "--photos", photos, "--table", table)


def test_run_refuses_a_port_that_is_taken(strada: Strada) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        status, said, complained = strada("run", "--port", port)
    assert (status, said, complained.count("\n")) == (NOT_NOW, "", 1)
    assert complained.startswith(f"strada: port {port} of 127.0.0.1 cannot be used")


def test_run_refuses_an_address_that_this_machine_has_not_got(strada: Strada) -> None:
    """It may get it later: a table whose settings name its own address may be on before the network gives it that."""
    status, said, complained = strada("run", "--host", "192.0.2.1", "--port", "0")
    assert (status, said, complained.count("\n")) == (NOT_NOW, "", 1)
    assert complained.startswith("strada: port 0 of 192.0.2.1 cannot be used")


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["alin"], "No such command 'alin'; see strada --help"),
        (["align", "photo.jpg"], "Missing option '--clicks'; see strada align --help"),
        (["align", "photo.jpg", "--clicks", "c.json", "--rings", "six"], "'six' is not a valid integer; see"),
        (["read", "table"], "Missing option '--out'; see strada read --help"),
        (["run", "--port", "80000"], "80000 is not in the range 0<=x<=65535; see strada run --help"),
        (["watch"], "Missing argument 'EVENING'; see strada watch --help"),
        (["referee"], "Missing argument 'FILE...'; see strada referee --help"),
        (["record"], "Missing argument 'EVENING|ADDRESS'; see strada record --help"),
        (["replay"], "Missing argument 'RECORD'; see strada replay --help"),
    ],
)
def test_a_mistyped_command_is_refused_in_one_line_too(refused: Refused, arguments: list[str], complaint: str) -> None:
    assert complaint in refused(*arguments)


def test_strada_alone_says_what_there_is(strada: Strada) -> None:
    status, printed, _ = strada()
    assert status == 0
    assert "Referee a photographed evening." in printed
