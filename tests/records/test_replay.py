"""`strada replay`: a record's steps, in words, on a page of a terminal, and as drawings."""

import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from companion.cli.replay import command
from companion.events import GameOver, MoveAccepted, MoveRefused, TurnTaken
from companion.games import score
from companion.records.page import draw_page
from companion.records.record import RecordStep, read_record, referee, steps_of
from companion.terminal import Ink, columns_of
from companion.words import Voice
from tests.games.editing import Json
from tests.games.random_records import RULES, random_record
from tests.games.test_records import LEGAL_TURN, SAVED, small
from tests.tries import seeds

UNFINISHED = {"player": "black", "turn": {"tiles": LEGAL_TURN["turn"]["tiles"], "merchants": {}}}
STRAY = {"player": "black", "turn": {"tiles": {}, "merchants": {"C1": {"black": 1}}}}
#: Black makes a mistake, then builds; Red saves their days; Black is allowed a merchant where no road goes.
PLAYED = small(UNFINISHED, LEGAL_TURN, SAVED, {**STRAY, "accepted": True})
HOSTILE = '<script>"&\x1b[2J\x07\ud83c\n'


def steps(record: Json) -> tuple[RecordStep, ...]:
    return steps_of(read_record(json.dumps(record)))


def voice(record: Json, language: str = "en") -> Voice:
    return Voice(read_record(json.dumps(record)).start.players, language, record["rules"])


def named(record: Json, name: str) -> Json:
    return {**record, "players": [{**player, "name": name} for player in record["players"]]}


# Steps.


def test_each_move_is_a_step_with_the_word_on_it() -> None:
    found = steps(PLAYED)
    assert [step.kind for step in found] == ["start", "legal", "legal", "illegal", "legal", "legal", "accepted"]
    refused, taken, _, let_stand = (step.events[0] for step in found[3:])
    assert isinstance(refused, MoveRefused)
    assert refused.is_unfinished
    assert isinstance(taken, TurnTaken)
    assert (taken.cost, taken.left) == (2, 4)
    assert isinstance(let_stand, MoveAccepted)
    assert {str(cell) for cell in found[6].cells} == {"C1"}


def test_a_refused_move_lies_on_the_board_of_its_step_and_not_of_the_next() -> None:
    found = steps(small(UNFINISHED, LEGAL_TURN))
    cell = found[3].before.ground.board.cell("A2")
    assert [cell in step.lies for step in found] == [False, False, False, True, True]
    assert cell not in found[4].before.expected()


def test_a_move_out_of_turn_is_refused_even_where_the_record_lets_it_stand() -> None:
    found = steps(small({**SAVED, "accepted": True}, LEGAL_TURN))
    assert [step.kind for step in found[3:]] == ["illegal", "legal"]
    assert found[3].after is found[3].before


def test_the_last_move_of_a_game_ends_it(records: Path) -> None:
    found = steps(json.loads((records / "la-strada-standard-1.json").read_text()))
    ends = [step for step in found if any(isinstance(event, GameOver) for event in step.events)]
    assert [step.after.over for step in ends] == [True]


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("seed", seeds(10))
def test_steps_say_what_the_referee_says_of_random_records(rules: str, seed: int) -> None:
    record = random_record(seed, rules)
    refereed = referee(json.dumps(record))
    found = steps(record)
    assert len(found) == len(record["moves"]) + 1
    for step, verdict in zip(found[1:], refereed["verdicts"], strict=True):
        assert (step.kind == "legal") is verdict["legal"]
        assert {color.value: days for color, days in step.after.days.items()} == verdict["days"]
        assert step.after.over is verdict["over"]
        for said in (voice(record).sentences(event) for event in step.events):
            assert all(said)
    assert {color.value: gold for color, gold in score(found[-1].after).gold.items()} == refereed["gold"]


# In words.


@pytest.fixture
def written(tmp_path: Path) -> Path:
    return write(tmp_path, PLAYED)


def write(folder: Path, record: Json) -> Path:
    path = folder / "record.json"
    path.write_text(json.dumps(record))
    return path


def replay(*arguments: object) -> Result:
    return CliRunner().invoke(command, [str(argument) for argument in arguments], catch_exceptions=False)


def test_in_words_each_move_is_a_line_and_the_score_comes_last(written: Path) -> None:
    lines = replay(written, "--lang", "en").output.splitlines()
    assert lines[:6] == [
        "  0  The game begins: Ada and Bo.",
        "  1  Ada: that move is legal.  [A1]",
        "  2  Bo: that move is legal.  [E3]",
        "  3  Ada: the road is not finished. A3: your road reaches this settlement, so put one of your merchants on it."
        "  [A2]",
        "  4  Ada: that move is legal. It cost 2 days, 4 left.  [A2 A3]",
        "  5  Bo builds nothing and keeps 6 days.",
    ]
    assert lines[6].startswith("  6  Ada: accepted by the table. C1: ")
    assert lines[-2:] == ["Ada: 9 gold, 10 days left", "Bo: 0 gold, 10 days left"]


def test_it_speaks_the_language_that_is_asked_for(written: Path) -> None:
    lines = replay(written, "--text", "--lang", "de").output.splitlines()
    assert "  5  Bo baut nichts und spart 6 Reisetage auf." in lines


def test_names_cannot_steer_the_terminal(tmp_path: Path) -> None:
    said = replay(write(tmp_path, named(PLAYED, HOSTILE)), "--text").output
    assert not set(said) & set("\x1b\x07\r\ud83c")
    assert said.count("\n") >= 7


def test_a_pipe_that_cannot_show_a_name_is_no_error(written: Path) -> None:
    write(written.parent, named(PLAYED, "王"))
    environment = {**os.environ, "PYTHONIOENCODING": "latin-1", "LC_ALL": "C"}
    run = subprocess.run(
        [sys.executable, "-m", "companion", "replay", str(written)],
        capture_output=True, encoding="latin-1", timeout=60, check=True, env=environment,
    )  # fmt: skip
    assert "  5  ? builds nothing and keeps 6 days." in run.stdout
    assert run.stderr == ""


# On a page.

SEQUENCE = re.compile(r"\x1b\[[0-9;]*m")


def page(record: Json, at: int, columns: int, lines: int, language: str = "en") -> list[str]:
    drawn = draw_page(steps(record), at, voice(record, language), columns, lines).text(Ink.TRUE)
    return [SEQUENCE.sub("", line) for line in drawn]


@pytest.mark.parametrize(
    ("columns", "lines"),
    [(80, 24), (80, 40), (120, 32), (120, 50), (200, 60), (60, 30), (54, 40), (53, 40), (80, 10), (20, 5), (1, 1)],
)
@pytest.mark.parametrize("rules", RULES)
def test_a_page_fits_its_terminal_and_has_the_board_where_there_is_room(
    records: Path, rules: str, columns: int, lines: int
) -> None:
    record = json.loads((records / f"la-strada-{rules}-6.json").read_text())
    found = steps(record)
    for at in (0, 7, len(record["moves"])):
        drawn = page(record, at, columns, lines)
        assert len(drawn) == lines
        assert all(columns_of(line) <= columns for line in drawn)
        whole = " ".join(" ".join(drawn).split())
        has_board = columns >= 54 and lines >= 24
        if lines > 1:
            assert f"{at} / {len(record['moves'])}"[:columns] in whole
        if columns >= 20 and lines >= 5:
            assert ("board needs" in whole) is not has_board
        if has_board:
            bare = [cell for cell in found[at].before.ground.board.cells if cell not in found[at].lies]
            assert all(str(cell) in whole for cell in bare)


def test_a_page_that_is_too_small_says_how_many_columns_the_board_needs(records: Path) -> None:
    record = json.loads((records / "la-strada-danger-1.json").read_text())
    whole = " ".join(page(record, 3, 40, 20))
    assert "The board needs 54 columns and 24 lines; this" in whole
    assert "Yellow: that move is legal" in whole, "all else is there"


def test_the_page_has_each_players_gold_days_merchants_and_tiles_left() -> None:
    (line,) = [line for line in page(PLAYED, 4, 64, 40) if " B  Ada" in line]
    assert re.search(r"B  Ada +●   5 +■{4}□{6}  4 +B11 +·17 ▲8  ∧5", line)


def test_the_page_shows_who_is_next_and_who_has_won(records: Path) -> None:
    record = json.loads((records / "la-strada-standard-6.json").read_text())
    assert any(line.startswith("▶  B  Black") for line in page(record, 41, 80, 24))
    assert any(line.startswith("★  R  Red") for line in page(record, 45, 80, 24))


def test_the_page_calls_whoever_has_no_name_by_their_colour(records: Path) -> None:
    record = json.loads((records / "la-strada-standard-6.json").read_text())
    drawn = page(record, 41, 80, 24, "fr")
    assert any(re.match(r"▶  N\w*  Noir ", line) for line in drawn), drawn
    assert not any("Black" in line for line in drawn)


def test_a_verdict_with_more_reasons_than_lines_is_cut_with_dots() -> None:
    many = {"player": "black", "turn": {"tiles": {
        name: {"color": "red", "terrain": "hill", "shape": "straight", "edges": [0, 3]} for name in ("B1", "C3", "D2")
    }, "merchants": {"E1": {"red": -1}, "C1": {"black": 3}}}}  # fmt: skip
    whole = page(small(many), 3, 64, 20)
    assert whole[-2].endswith("…")
    assert whole[-1].startswith("← →")


def test_hostile_names_are_only_text_on_a_page() -> None:
    assert not set("".join(page(named(PLAYED, HOSTILE), 4, 80, 30))) & set("\x1b\x07\n\ud83c")


# At the keys.


class Terminal:
    """`strada replay` in a pseudo-terminal."""

    def __init__(self, record: Path, **environment: str) -> None:
        self.person, program = pty.openpty()
        self.before = termios.tcgetattr(program)
        self.program = program
        self.seen = b""
        self.run = subprocess.Popen(
            [sys.executable, "-m", "companion", "replay", str(record), "--lang", "en"],
            stdin=program, stdout=program, stderr=program, start_new_session=True,
            # Tests in the background ignore SIGINT, and the program would inherit that; at a terminal it would not.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509  no thread runs here
            env={**os.environ, "TERM": "xterm-256color", "NO_COLOR": "", **environment},
        )  # fmt: skip

    def type(self, keys: bytes) -> None:
        os.write(self.person, keys)

    def until(self, *texts: str, patience_s: float = 20.0) -> None:
        """Wait until the texts are shown after whatever was waited for before."""
        deadline_s = time.monotonic() + patience_s
        shown = b""
        while not all(text.encode() in shown for text in texts):
            ready, _, _ = select.select([self.person], [], [], max(0.0, deadline_s - time.monotonic()))
            assert ready, f"{texts} were not shown in {patience_s} s, but {shown[-600:]!r}"
            shown += os.read(self.person, 65536)
        self.seen += shown

    def ended(self) -> int:
        """Read whatever is still shown until the program has ended; return its status."""
        deadline_s = time.monotonic() + 20
        while (is_running := self.run.poll() is None) or select.select([self.person], [], [], 0)[0]:
            assert time.monotonic() < deadline_s, "it goes on"
            if select.select([self.person], [], [], 0.05 if is_running else 0)[0]:
                self.seen += os.read(self.person, 65536)
        return self.run.wait()

    def close(self) -> None:
        self.run.kill()
        self.run.wait()
        os.close(self.person)
        os.close(self.program)


@pytest.fixture
def terminal(written: Path) -> Iterator[Callable[..., Terminal]]:
    opened: list[Terminal] = []

    def begin(**environment: str) -> Terminal:
        opened.append(Terminal(written, **environment))
        opened[-1].until("0 / 6")
        return opened[-1]

    yield begin
    for each in opened:
        each.close()


def test_arrows_step_through_the_game_and_q_leaves(terminal: Callable[..., Terminal]) -> None:
    shown = terminal(COLORTERM="truecolor")
    for keys, text in [
        (b"\x1b[C", "1 / 6"),
        (b"\x1b[C", "2 / 6"),
        (b"\x1b[D", "1 / 6"),
        (b"\x1b[F", "6 / 6"),
        (b"\x1b[H", "0 / 6"),
        (b"\x1b[6~", "6 / 6"),
        (b"\x1b[5~", "0 / 6"),
    ]:
        shown.type(keys)
        shown.until(text)
    shown.type(b"\x1b[C\x1b[C\x1b[C")
    shown.until("3 / 6", "the road is not finished")
    shown.type(b"q")
    assert shown.ended() == 0
    assert shown.seen.startswith(b"\x1b[?1049h")
    assert b"48;2;" in shown.seen
    assert shown.seen.endswith(b"\x1b[?1049l")
    assert termios.tcgetattr(shown.program) == shown.before


@pytest.mark.parametrize(
    ("leave", "status"),
    [
        (lambda shown: shown.type(b"\x1b"), 0),
        (lambda shown: shown.type(b"\x03"), 0),
        (lambda shown: shown.run.send_signal(signal.SIGINT), 130),
        (lambda shown: shown.run.send_signal(signal.SIGTERM), 128 + signal.SIGTERM),
    ],
    ids=["Esc", "Ctrl-C", "SIGINT", "SIGTERM"],
)
def test_every_way_out_gives_the_terminal_back(
    terminal: Callable[..., Terminal], leave: Callable[[Terminal], object], status: int
) -> None:
    shown = terminal()
    leave(shown)
    assert shown.ended() == status
    assert b"\x1b[?25h\x1b[?1049l" in shown.seen[-20:]
    assert b"Traceback" not in shown.seen
    assert termios.tcgetattr(shown.program) == shown.before


def test_without_colours_where_none_are_wanted(terminal: Callable[..., Terminal]) -> None:
    shown = terminal(NO_COLOR="1", COLORTERM="truecolor")
    shown.type(b"q")
    assert shown.ended() == 0
    assert not re.search(rb"\x1b\[[34]8;", shown.seen)
