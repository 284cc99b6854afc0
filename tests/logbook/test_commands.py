"""`strada games`, `strada export` and `strada statistics`."""

import json
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from click.testing import CliRunner, Result

from bench.killed import Snap
from bench.made_up import People
from calibration.table import TableFolder, decode_photo
from companion.board import BadInputError, Color, HexBoard, reading_from_json
from companion.cli import group
from companion.commands import CorrectCell, Done
from companion.evening import load_evening, see_photo
from companion.events import GameOver
from companion.games import score
from companion.logbook import Logbook, data_folder, opening, schema
from companion.logbook.archive import LoggedGame, Seat
from companion.logbook.opening import opened_to_read
from companion.logbook.statistics import statistics_of, wilson
from companion.records.record import Recorder, record_to_text, referee
from companion.session import Session
from companion.system.pictures import jpeg
from tests.logbook.playing import Play, Table
from tests.session.evenings import known_evenings, truths
from tests.session.tabletop import Tabletop, at, black_builds


@dataclass
class Played:
    """A logbook of some games, and what a recorder that listened wrote down of the last one."""

    folder: Path
    record: str
    results: list[GameOver]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Played:
    folder, recorder = tmp_path_factory.mktemp("logbook"), Recorder()
    play = Play(People(8, rules=("danger", "standard")))
    with Logbook(folder, "kitchen", encode=bytes) as logbook:
        play.on(logbook, 70, is_pictured=True)
    recorder.hear(play.announced)
    results = [event for event in play.announced if isinstance(event, GameOver)]
    assert recorder.record is not None
    assert len(results) >= 2
    return Played(folder, record_to_text(recorder.record), results)


def strada(*arguments: object) -> Result:
    return CliRunner().invoke(group, [str(argument) for argument in arguments], catch_exceptions=False)


def test_games_are_listed_with_gold_and_winners(played: Played) -> None:
    lines = strada("games", "--data", played.folder).output.splitlines()
    assert lines[0].startswith("   1  20")
    first = played.results[0]
    assert "danger: " in lines[0]
    for color, gold in score(first.position).gold.items():
        name = next(player.name for player in first.position.players if player.color is color)
        assert f"{name} {gold}" in lines[0]
    assert lines[0].count("(won)") + lines[0].count("(shared)") == len(first.winners)
    assert "; over, " in lines[0]
    assert lines[-1].endswith(" pictures")


def test_games_as_json_are_a_line_each(played: Played) -> None:
    games = [json.loads(line) for line in strada("games", "--data", played.folder, "--json").output.splitlines()]
    assert [game["number"] for game in games] == list(range(1, len(games) + 1))
    assert games[0]["outcome"] == "over"
    assert games[0]["place"] == "kitchen"


@pytest.mark.parametrize("which", ["number", "last"])
def test_a_game_is_replayed_by_its_number_or_as_the_last_one(played: Played, tmp_path: Path, which: str) -> None:
    number = strada("games", "--data", played.folder).output.count("\n")
    path = tmp_path / "record.json"
    path.write_text(played.record)
    name = number if which == "number" else which
    replayed = strada("replay", name, "--data", played.folder, "--text").output
    assert replayed == strada("replay", path, "--text").output
    assert replayed


def test_a_file_of_that_name_is_replayed_before_a_game_of_that_number(
    played: Played, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("1").write_text(played.record)
    assert strada("replay", "1", "--data", played.folder, "--text").output == strada("replay", "./1", "--text").output


def test_the_logbook_lies_where_the_environment_says(played: Played, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STRADA_DATA", str(played.folder))
    assert strada("games").output == strada("games", "--data", played.folder).output


@pytest.mark.parametrize(
    ("environment", "folder"),
    [
        ({"STRADA_DATA": "/data", "XDG_DATA_HOME": "/xdg", "HOME": "/home/ada"}, "/data"),
        ({"XDG_DATA_HOME": "/xdg", "HOME": "/home/ada"}, "/xdg/strada"),
        ({"XDG_DATA_HOME": "relative", "HOME": "/home/ada"}, "/home/ada/.local/share/strada"),
        ({"HOME": "/home/ada"}, "/home/ada/.local/share/strada"),
    ],
)
def test_the_folder_of_the_logbook(environment: dict[str, str], folder: str) -> None:
    assert data_folder(None, environment) == Path(folder)
    assert data_folder(Path("here"), environment) == Path("here")


def test_without_a_home_the_folder_is_asked_for() -> None:
    with pytest.raises(BadInputError, match="STRADA_DATA"):
        data_folder(None, {})


@pytest.mark.parametrize("command", [("games",), ("export", "last"), ("statistics",)])
def test_a_folder_without_a_logbook_is_bad_input(tmp_path: Path, command: tuple[str, ...]) -> None:
    with pytest.raises(BadInputError, match="holds no logbook"):
        strada(*command, "--data", tmp_path)


def test_a_logbook_without_games_says_so(tmp_path: Path) -> None:
    Logbook(tmp_path).close()
    assert strada("games", "--data", tmp_path).output == "The logbook holds no game yet.\n"
    assert strada("statistics", "--data", tmp_path).output == "No game has been finished yet.\n"
    with pytest.raises(BadInputError, match="holds no game yet"):
        strada("export", "last", "--data", tmp_path)


def test_an_exported_game_is_the_record_that_was_kept_at_the_table(played: Played, tmp_path: Path) -> None:
    out = tmp_path / "game.json"
    assert strada("export", "last", "--data", played.folder, "-o", out).exit_code == 0
    assert out.read_text() == played.record
    assert strada("export", "last", "--data", played.folder).output == played.record


def test_every_exported_game_is_refereed_as_it_ended(played: Played) -> None:
    for number, result in enumerate(played.results, 1):
        judged = referee(strada("export", number, "--data", played.folder).output)
        assert judged["over"]
        assert judged["gold"] == {color.value: gold for color, gold in score(result.position).gold.items()}


@pytest.mark.parametrize("command", [("replay", "999"), ("export", "99"), ("export", "0"), ("export", "first")])
def test_a_game_that_is_not_there_is_bad_input(played: Played, command: tuple[str, str]) -> None:
    said = rf"game '{command[1]}' is not in the logbook; it holds 1 to \d+, and `last` is"
    with pytest.raises(BadInputError, match=said):
        strada(*command, "--data", played.folder)


def test_a_file_that_is_there_is_written_over_only_by_force(played: Played, tmp_path: Path) -> None:
    out = tmp_path / "game.json"
    out.write_text("mine")
    with pytest.raises(BadInputError, match="--force"):
        strada("export", "1", "--data", played.folder, "-o", out)
    assert out.read_text() == "mine"
    strada("export", "1", "--data", played.folder, "-o", out, "--force")
    assert out.read_text() != "mine"


def test_a_zip_holds_record_events_and_pictures(played: Played, tmp_path: Path) -> None:
    out = tmp_path / "game.zip"
    assert strada("export", "1", "--data", played.folder, "--zip", "-o", out).output == f"{out}\n"
    with zipfile.ZipFile(out) as file:
        names = file.namelist()
        record = file.read("strada-game-0001/record.json").decode()
        events = [json.loads(line) for line in file.read("strada-game-0001/events.jsonl").splitlines()]
        picture = file.read("strada-game-0001/pictures/000.jpg")
    assert record == strada("export", "1", "--data", played.folder).output
    assert [event["is"] for event in events].count("GameDealt") == 1
    assert events[-1]["is"] in ("GameOver", "StandingChanged")
    assert picture == Snap(Tabletop().seen()).image
    assert "strada-game-0001/README.txt" in names


def test_a_table_cannot_be_written_and_zipped_at_once(played: Played, tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="without --zip"):
        strada("export", "1", "--data", played.folder, "--table", tmp_path, "--zip")


def test_what_people_put_right_stands_in_the_photographs_with_what_had_been_read(tmp_path: Path) -> None:
    data, out = tmp_path / "data", tmp_path / "table"
    play = Table(data).deal()
    table = play.table
    black_builds(table)
    misread = table.seen(doubted={at(2): (table.lies[at(3)], table.lies[at(2)])})
    play.press(Done(), misread)  # asked about
    play.press(CorrectCell(at(2), table.lies[at(2)]), misread)
    play.closed()
    output = strada("export", "1", "--data", data, "--table", out)
    assert "5 photographs" in output.output
    folder = out / "games" / "game-0001"
    asked, answered = (json.loads((folder / f"00{number}.json").read_text()) for number in (3, 4))
    for shown in (asked, answered):
        reading = reading_from_json(shown, HexBoard())
        assert reading.contents(at(2)) == table.lies[at(2)]
        assert at(2) not in reading.unclear
        assert shown["corrections"][str(at(2))]["said"]["tile"]["kind"] == "road"
        assert shown["corrections"][str(at(2))]["read"]["tile"] is None
    assert asked["ruled"] == [{"kind": "turn", "player": "black", "verdict": "unclear", "violations": []}]
    assert answered["ruled"][0]["verdict"] == "legal"
    buttons = [photo["button"] for photo in json.loads((folder / "game.json").read_text())["photos"]]
    assert buttons == ["deal", "done", "done", "done", "done"]


@pytest.mark.long
def test_a_photographed_evening_that_was_kept_can_be_refereed_again(tables: Path, tmp_path: Path) -> None:
    evening = known_evenings(tables)[0]
    table = evening.folder.parents[1]
    view = SimpleNamespace(centres_px={})
    session, data, out = Session(), tmp_path / "data", tmp_path / "evidence"
    said = []
    with Logbook(data, str(table), encode=bytes) as logbook:
        for photo, reading, _ in truths(evening):
            line = see_photo(session, evening.game, photo, reading)
            sight = SimpleNamespace(image=(evening.folder / photo.name).read_bytes(), reading=reading, view=view)
            logbook.record(line.events, session.state, sight)
            if line.events:
                said.append(line)
    strada("export", "last", "--data", data, "--table", out)
    assert TableFolder.open(out).setup == TableFolder.open(table).setup
    again, other = load_evening(out / "games" / "game-0001"), Session()
    words = []
    for photo in again.photos:
        known = json.loads((again.folder / photo.name).with_suffix(".json").read_text())
        words.append(see_photo(other, again.game, photo, reading_from_json(known, HexBoard())).word)
    assert words == [line.word for line in said if line.word.kind != "none"]
    assert other.position == session.position


def test_a_picture_becomes_a_jpeg_much_like_it() -> None:
    image = np.full((60, 80, 3), (20, 120, 220), np.uint8)
    assert np.abs(decode_photo(jpeg(image), "it").astype(int) - image).max() <= 3
    with pytest.raises(ValueError, match="not a picture"):
        jpeg("a picture")


def games(*winners: int, rules: str = "standard", outcome: str = "over") -> Iterator[LoggedGame]:
    """Yield games of three, each won by that seat; 0 means shared by all."""
    for number, winner in enumerate(winners, 1):
        seats = tuple(
            Seat(name, color, 20 + number, 1 / 3 if winner == 0 else float(seat == winner))
            for seat, (name, color) in enumerate(zip(("Ada", "Bo", "Cy"), Color, strict=False), 1)
        )
        yield LoggedGame(number, "", "", outcome, "", rules, seats, 30, 0)


def test_the_first_seat_is_ahead_only_where_chance_cannot_explain_it() -> None:
    few = statistics_of(games(1, 1, 2)).seats["standard", 3]
    assert [record.standing for record in few] == ["open", "open", "open"]
    many = statistics_of(games(*[1, 1, 1, 2] * 10)).seats["standard", 3]
    assert [record.standing for record in many] == ["ahead", "open", "behind"]
    assert many[0].wins == 30


def test_a_full_tie_is_shared() -> None:
    found = statistics_of(games(0, 0, 0)).players
    assert {name: round(record.wins, 9) for name, record in found.items()} == {"Ada": 1, "Bo": 1, "Cy": 1}


def test_games_that_were_not_played_out_do_not_count() -> None:
    found = statistics_of([*games(1), *games(2, 2, outcome="left"), *games(3, outcome="early")])
    assert found.players["Ada"].games == 1
    assert found.left_out == 3


def test_the_wilson_interval_stays_between_none_and_all() -> None:
    for wins in range(21):
        low, high = wilson(wins, 20)
        assert 0 <= low <= wins / 20 <= high <= 1


def test_statistics_in_words_and_as_json(played: Played) -> None:
    words = strada("statistics", "--data", played.folder).output
    assert "seat 1: won " in words
    assert "too few games to tell" in words
    told = json.loads(strada("statistics", "--data", played.folder, "--json").output)
    assert sum(seats["records"][0]["games"] for seats in told["seats"]) == len(played.results)
    only = json.loads(strada("statistics", "--data", played.folder, "--json", "--rules", "danger").output)
    assert {seats["rules"] for seats in only["seats"]} == {"danger"}


def test_the_question_that_the_documents_ask_is_answered(played: Played) -> None:
    text = (Path(__file__).parents[2] / "docs" / "logbook.md").read_text()
    (query,) = re.findall(r"^```sql\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    with opened_to_read(played.folder) as connection:
        rows = connection.execute(query).fetchall()
    assert rows
    assert all(name in {"Ada", "Bo", "Cy"} and isinstance(rule, str) and count >= 1 for name, rule, count in rows)


def test_the_tables_and_files_that_the_documents_name_are_there(played: Played) -> None:
    text = (Path(__file__).parents[2] / "docs" / "logbook.md").read_text()
    for table in schema.TABLES:
        assert f"| `{table}` |" in text
    for name in (opening.FILE, opening.NEWEST, opening.LOCK):
        assert f"| `{name}` |" in text
    assert list(played.folder.glob("pictures/game-0001/*.jpg"))
