"""`strada watch --answers`: decisions at a drawn evening come from standard input or a file, one command a line."""

import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

import pytest

from calibration import TableFolder
from companion.board import BARE, Color, Contents, LaidSection, Reading, Workshop
from companion.cli import watch
from companion.games.contract import Player
from companion.games.silk_road.position import made_up_sets
from simulator import write_square_evening, write_square_table
from tests.typed import Strada
from vision.reader import Reader, reader_of

pytestmark = pytest.mark.long

#: Where the drawn evening's three workshops are placed, by Ada (black), Bo (red) and Cy (yellow).
ADAS, BOS = "J3", "G8"
BLACK, RED = Contents(Workshop(Color.BLACK)), Contents(Workshop(Color.RED))

#: Watch an evening to its end while lines are typed; return what is printed and what is complained of.
Typed = Callable[..., tuple[str, str]]
#: The same, with nothing to complain of; return the lines that are printed as JSON.
Told = Callable[..., list[dict[str, Any]]]

#: What the reader makes of a cell: if it does not know, what could lie there; otherwise what it takes it for.
Seen = Sequence[Contents] | Contents


class Squinting:
    """The real reader, short-sighted for some cells of some photographs, which are numbered from 0."""

    def __init__(self, reader: Any, seen: Mapping[int, Mapping[str, Seen]]) -> None:
        self._reader, self._seen, self._number = reader, seen, -1

    def __getattr__(self, name: str) -> Any:
        return getattr(self._reader, name)

    def read(self, image: Any) -> Reading:
        self._number += 1
        reading: Reading = self._reader.read(image)
        for name, seen in self._seen.get(self._number, {}).items():
            cell = reading.board.cell(name)
            known = isinstance(seen, Contents)
            read = replace(
                reading.cells[cell], contents=seen if known else BARE, alternatives=() if known else tuple(seen)
            )
            unclear = reading.unclear - {cell} if known else reading.unclear | {cell}
            reading = replace(reading, cells={**reading.cells, cell: read}, unclear=unclear)
        return reading


@pytest.fixture
def squint(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    def put_on(reader: Any, seen: Mapping[int, Mapping[str, Seen]]) -> None:
        monkeypatch.setattr(watch, "reader_of", lambda table: Squinting(reader, seen))

    return put_on


@pytest.fixture
def typed(strada: Strada, monkeypatch: pytest.MonkeyPatch) -> Typed:
    def type_in(evening: Path, *lines: str, is_json: bool = False) -> tuple[str, str]:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("".join(f"{line}\n" for line in lines).encode())))
        options = ["--lang", "en", "--answers", "-", *["--json"] * is_json]
        status, printed, complained = strada("watch", evening, *options)
        assert status == 0, complained
        return printed, complained

    return type_in


@pytest.fixture
def told(typed: Typed) -> Told:
    def type_in(evening: Path, *lines: str) -> list[dict[str, Any]]:
        printed, complained = typed(evening, *lines, is_json=True)
        assert complained == ""
        return [json.loads(line) for line in printed.splitlines()]

    return type_in


@pytest.fixture
def asked(squint: Callable[..., None], taught_reader: Reader) -> None:
    """The reader does not see whose workshop Ada has placed."""
    squint(taught_reader, {1: {ADAS: (RED, BLACK)}})


@pytest.mark.usefixtures("asked")
def test_what_is_asked_is_answered_as_it_was_printed(drawn_evening: Path, typed: Typed) -> None:
    printed, complained = typed(drawn_evening, "", 'correct J3 "black workshop"  # J3: workshop of Ada', "", "")
    assert complained == ""
    assert printed.splitlines() == [
        "000.jpg  The game begins: Ada, Bo and Cy.",
        "001.jpg  Ada: please check J3.",
        '         correct J3 "red workshop"  # J3: workshop of Bo',
        '         correct J3 "black workshop"  # J3: workshop of Ada',
        '         correct J3 "bare"  # J3: empty',
        "         Corrected: J3. Ada: that move is legal.",
        "002.jpg  Bo: that move is legal.",
        "003.jpg  Cy: that move is legal.",
        "Ada: 0 gold, 6 days left",
        "Bo: 0 gold, 0 days left",
        "Cy: 0 gold, 0 days left",
    ]


@pytest.mark.usefixtures("asked")
def test_it_is_asked_and_answered_in_the_chosen_language(strada: Strada, drawn_evening: Path, tmp_path: Path) -> None:
    answers = tmp_path / "answers.txt"
    answers.write_text('\ncorrect J3 "black workshop"\n')
    status, printed, complained = strada("watch", drawn_evening, "--lang", "de", "--answers", answers)
    assert (status, complained) == (0, "")
    _, _, _, second, _, corrected, *_ = printed.splitlines()
    assert second == '         correct J3 "black workshop"  # J3: Startort von Ada'
    assert corrected.endswith("Ada: Der Zug ist richtig.")


@pytest.mark.usefixtures("asked")
def test_as_json_a_line_is_printed_for_each_photograph_and_each_command(drawn_evening: Path, told: Told) -> None:
    answers = "undo", "", "correct J3 castle", 'correct J3 "black workshop"', "", ""
    dealt, undone, asked, wrong, corrected, *rest = told(drawn_evening, *answers)
    assert (dealt["photo"], dealt["command"], dealt["refused"], dealt["choices"]) == ("000.jpg", None, None, [])
    assert (undone["photo"], undone["command"], undone["refused"]) == ("000.jpg", "undo", "nothing-to-undo")
    assert undone["said"] == ["There is nothing to take back."]
    assert (asked["photo"], asked["verdict"], asked["cells"]) == ("001.jpg", "unclear", ["J3"])
    assert [(choice["command"], choice["cell"], choice["says"]) for choice in asked["choices"]] == [
        ('correct J3 "red workshop"', "J3", "J3: workshop of Bo"),
        ('correct J3 "black workshop"', "J3", "J3: workshop of Ada"),
        ('correct J3 "bare"', "J3", "J3: empty"),
    ]
    assert wrong.keys() == {"photo", "command", "error"}
    assert (wrong["photo"], wrong["command"]) == ("001.jpg", "correct J3 castle")
    assert "'castle', which means nothing here" in wrong["error"]
    assert (corrected["photo"], corrected["kind"], corrected["verdict"]) == ("001.jpg", "workshop", "legal")
    assert corrected["choices"] == []
    assert [line["photo"] for line in rest] == ["002.jpg", "003.jpg"]
    assert rest[-1]["next"] == "black"


@pytest.mark.usefixtures("asked")
def test_a_wrong_command_is_one_sentence_and_the_next_line_is_read(drawn_evening: Path, typed: Typed) -> None:
    wrong = "correct J3", "flatten\x1b[2J", "# black, I think", "correct \udcff".encode(errors="replace").decode()
    printed, complained = typed(drawn_evening, "", *wrong, 'correct J3 "black workshop"')
    first, second, third = complained.splitlines()
    assert first.startswith("strada: correct needs a cell and what lies there: G7 and 'bare'")
    assert second.startswith("strada: 'flatten\\x1b[2J' is not one of 'done', 'yes', 'accept'")
    assert third.startswith("strada: correct needs a cell")
    assert "         Corrected: J3. Ada: that move is legal." in printed.splitlines()
    assert "003.jpg  Cy: that move is legal." in printed.splitlines()


@pytest.mark.usefixtures("asked")
def test_without_an_answer_the_rest_of_the_evening_goes_on(strada: Strada, drawn_evening: Path, tmp_path: Path) -> None:
    (tmp_path / "none").touch()
    status, printed, complained = strada("watch", drawn_evening, "--json", "--answers", tmp_path / "none")
    assert (status, complained) == (0, "")
    assert [json.loads(line)["photo"] for line in printed.splitlines()] == ["000.jpg", "001.jpg", "002.jpg", "003.jpg"]


@pytest.mark.usefixtures("asked")
def test_an_endless_line_is_refused_and_ends_the_answers(strada: Strada, drawn_evening: Path, tmp_path: Path) -> None:
    (tmp_path / "long").write_bytes(b"x" * 5000 + b"\nundo\n")
    status, printed, complained = strada("watch", drawn_evening, "--lang", "en", "--answers", tmp_path / "long")
    assert status == 0
    assert complained.count("\n") == 1
    assert "goes on for more than 4096 bytes: that is no command; no more answers are read" in complained
    assert "003.jpg  " in printed
    assert "take back" not in printed


def test_what_was_misread_is_taken_back_put_right_and_said_to_be_done(
    drawn_evening: Path, told: Told, squint: Callable[..., None], taught_reader: Reader
) -> None:
    squint(taught_reader, {2: {BOS: BLACK}})
    answers = "", "", f'correct {BOS} "red workshop"', "undo", "done", "accept", "", "pause", "resume", "end"
    lines = told(drawn_evening, *answers)
    at_bos = [line for line in lines if line["photo"] == "002.jpg"]
    assert [(line["command"], line["verdict"], line["refused"]) for line in at_bos] == [
        (None, "illegal", None),
        (f'correct {BOS} "red workshop"', "legal", None),
        ("undo", "none", None),
        ("done", "legal", None),
        ("accept", "none", at_bos[-1]["refused"]),
    ]
    assert at_bos[-1]["refused"] is not None
    assert f'correct {BOS} "red workshop"' in [choice["command"] for choice in at_bos[0]["choices"]]
    assert [line["command"] for line in lines if line["photo"] == "003.jpg"] == [None, "pause", "resume", "end"]
    assert lines[-1]["over"] is True


def test_a_question_is_answered_with_yes(
    drawn_evening: Path, told: Told, squint: Callable[..., None], taught_reader: Reader
) -> None:
    squint(taught_reader, {})
    *_, asked, saved = told(drawn_evening, "", "", "", "done", "yes")
    assert [choice["command"] for choice in asked["choices"]] == ["yes"]
    assert asked["choices"][0]["says"].startswith(asked["said"][0])
    assert (saved["kind"], saved["player"], saved["verdict"], saved["next"]) == ("turn", "black", "legal", "red")


PLAYERS = (Player("Ada", "green"), Player("Bo", "brown"))


@pytest.fixture(scope="module")
def silk_road(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An evening of Silk Road at a drawn table: the deal and two turns."""
    folder = tmp_path_factory.mktemp("squares")
    camera, _ = write_square_table(folder, 7, made_up_sets(player.color for player in PLAYERS))
    evening = folder / "games" / "evening"
    assert write_square_evening(evening, camera, 7, PLAYERS, most=3, mistakes=0) == 3
    return evening


def test_silk_road_is_kept_by_words_for_its_sections(silk_road: Path, told: Told, squint: Callable[..., None]) -> None:
    truth = json.loads((silk_road / "001.json").read_text())
    ((cell, tile),) = [
        (name, cell["tile"]) for name, cell in truth["cells"].items() if (cell["tile"] or {}).get("kind") == "section"
    ]
    (section,) = [each for each in made_up_sets(["green"])["green"] if each.id == tile["section"]["id"]]
    true = LaidSection(section, "green", tile["turn"])
    other = next(turned for turn in range(4) if (turned := replace(true, turn=turn).least_turned) != true)
    squint(reader_of(TableFolder.open(silk_road.parents[1])), {1: {cell: (Contents(other), Contents(true))}})
    said = [f'correct {cell} "green section {each.section.id}' + (f' turned {each.turn}"' if each.turn else '"')
            for each in (other, true)]  # fmt: skip
    _, asked, corrected, last = told(silk_road, "", said[1])
    assert asked["verdict"] == "unclear"
    assert [choice["command"] for choice in asked["choices"]] == [*said, f'correct {cell} "bare"']
    assert (corrected["player"], corrected["verdict"], corrected["next"]) == ("green", "legal", "brown")
    assert (last["player"], last["verdict"]) == ("brown", "legal")


def _heeds_ctrl_c() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@contextmanager
def watching(evening: Path) -> Iterator[tuple[subprocess.Popen[str], IO[str], IO[str]]]:
    """Run `strada watch` in a process of its own; give it, its input and its output. It is gone at the end."""
    with subprocess.Popen(
        [sys.executable, "-m", "companion", "watch", str(evening), "--json", "--answers", "-"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8",
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
        # A shell that runs the tests in the background ignores Ctrl-C, and what it starts inherits that.
        preexec_fn=_heeds_ctrl_c,  # noqa: PLW1509
    ) as process:  # fmt: skip
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            yield process, process.stdin, process.stdout
        finally:
            process.kill()


def test_a_program_keeps_an_evening_line_by_line(drawn_evening: Path) -> None:
    with watching(drawn_evening) as (process, answers, printed):
        heard = []
        for answer in ("", "undo", "", "", "castle", ""):
            heard.append(json.loads(printed.readline()))
            answers.write(f"{answer}\n")
            answers.flush()
        assert [line["photo"] for line in heard] == ["000.jpg", "001.jpg", "001.jpg", "002.jpg", "003.jpg", "003.jpg"]
        assert "error" in heard[-1]
        assert process.communicate(timeout=60) == ("", "")
        assert process.returncode == 0


def test_ctrl_c_ends_it_while_it_waits(drawn_evening: Path) -> None:
    with watching(drawn_evening) as (process, _, printed):
        assert json.loads(printed.readline())["photo"] == "000.jpg"
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) == 130
        assert process.stderr is not None
        assert process.stderr.read().strip() == ""


def test_it_ends_once_nobody_reads_its_output(drawn_evening: Path) -> None:
    with watching(drawn_evening) as (process, answers, printed):
        assert json.loads(printed.readline())["photo"] == "000.jpg"
        printed.close()
        answers.write("\n")
        answers.close()
        assert process.wait(timeout=60) == 1
        assert process.stderr is not None
        assert process.stderr.read() == ""


def test_at_a_terminal_it_prompts_until_the_end_of_input(drawn_evening: Path) -> None:
    keyboard, terminal = os.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "companion", "watch", str(drawn_evening), "--lang", "en", "--answers", "-"],
        stdin=terminal, stdout=terminal, stderr=terminal,
    ) as process:  # fmt: skip
        os.close(terminal)
        shown = ""
        try:
            for typed in (b"undo\n", b"\n", b"\x04"):
                while not shown.endswith("> "):
                    shown += os.read(keyboard, 1000).decode()
                shown = shown.removesuffix("> ") + "| "
                os.write(keyboard, typed)
            while process.poll() is None or "Cy: 0 gold" not in shown:
                shown += os.read(keyboard, 1000).decode()
        except OSError:  # the other side is closed, so it has ended
            pass
        finally:
            process.kill()
            os.close(keyboard)
    lines = [line.strip() for line in shown.splitlines() if line.strip()]
    assert lines == [
        "000.jpg  The game begins: Ada, Bo and Cy.",
        "| undo",
        "There is nothing to take back.",
        "|",
        "001.jpg  Ada: that move is legal.",
        "|",
        "002.jpg  Bo: that move is legal.",
        "003.jpg  Cy: that move is legal.",
        "Ada: 0 gold, 6 days left",
        "Bo: 0 gold, 0 days left",
        "Cy: 0 gold, 0 days left",
    ]


def test_without_standard_input_the_evening_goes_on(drawn_evening: Path) -> None:
    command = f'exec "{sys.executable}" -m companion watch "{drawn_evening}" --json --answers - <&-'
    done = subprocess.run(["sh", "-c", command], capture_output=True, encoding="utf-8", timeout=120, check=False)
    assert (done.returncode, done.stderr, done.stdout.count("\n")) == (0, "", 4)
