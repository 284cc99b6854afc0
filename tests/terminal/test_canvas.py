"""Characters on a page: their width, their colours, and what must never reach a terminal."""

import pytest

from companion.terminal import PLAIN, Canvas, Ink, Style, columns_of, cut, printable, rgb, wrapped
from companion.terminal.canvas import indexed, mixed

RED_ON_WHITE = Style((255, 0, 0), (255, 255, 255), is_bold=True)


def test_what_lies_beyond_the_page_is_not_drawn() -> None:
    canvas = Canvas(5, 2)
    for x, y in ((3, 0), (-2, 1), (0, -1), (0, 2), (4, 7)):
        canvas.put(x, y, "abcd")
    assert canvas.text(Ink.TRUE) == ("   ab", "cd")


def test_wide_characters_take_two_columns_and_never_half_a_one_at_the_rim() -> None:
    canvas = Canvas(5, 1)
    assert canvas.put(0, 0, "王王王") == 6
    assert canvas.text(Ink.NONE) == ("王王",)
    assert columns_of("Zoë 王") == 6
    assert columns_of("Zoe\u0308") == 3


def test_what_could_steer_a_terminal_is_replaced() -> None:
    assert printable("A\x1b[2Jd\na\u202e\ud83c\u2028") == "A�[2Jd�a���"


def test_spaces_that_do_not_break_stay() -> None:
    assert printable("K7\xa0: 2\u202fans") == "K7\xa0: 2\u202fans"
    assert wrapped("K7\xa0: 2 pions", 6) == ["K7\xa0: 2", "pions"]


def test_runs_of_one_style_are_painted_at_once() -> None:
    canvas = Canvas(8, 1)
    canvas.put(0, 0, "ab", RED_ON_WHITE)
    canvas.put(2, 0, "cd", RED_ON_WHITE)
    canvas.put(5, 0, "e")
    assert canvas.text(Ink.TRUE) == ("\x1b[38;2;255;0;0m\x1b[48;2;255;255;255m\x1b[1mabcd\x1b[0m e",)
    assert canvas.text(Ink.INDEXED) == ("\x1b[38;5;196m\x1b[48;5;231m\x1b[1mabcd\x1b[0m e",)
    assert canvas.text(Ink.NONE) == ("\x1b[1mabcd\x1b[0m e",)


@pytest.mark.parametrize(
    ("environment", "ink"),
    [
        ({"TERM": "xterm-256color", "COLORTERM": "truecolor"}, Ink.TRUE),
        ({"TERM": "xterm-256color"}, Ink.INDEXED),
        ({"TERM": "xterm-256color", "COLORTERM": "truecolor", "NO_COLOR": "1"}, Ink.NONE),
        ({"TERM": "xterm-256color", "NO_COLOR": ""}, Ink.INDEXED),
        ({"TERM": "dumb"}, Ink.NONE),
    ],
    ids=str,
)
def test_colours_are_those_that_the_environment_promises(environment: dict[str, str], ink: Ink) -> None:
    assert Ink.of(environment) is ink


@pytest.mark.parametrize(
    ("code", "number"), [("#000000", 16), ("#ffffff", 231), ("#808080", 244), ("#ff0000", 196), ("#eadfae", 187)]
)
def test_the_nearest_of_256_colours_keeps_the_hue(code: str, number: int) -> None:
    assert indexed(rgb(code)) == number


def test_colours_are_mixed_by_their_share() -> None:
    assert mixed((0, 100, 255), (100, 0, 255), 0.25) == (25, 75, 255)
    assert Ink.TRUE.paint("a", PLAIN) == "a"


def test_text_is_broken_between_words_and_cut_where_one_is_too_long() -> None:
    assert wrapped("it cost 6 days", 8) == ["it cost", "6 days"]
    assert wrapped("Donaudampfschifffahrt ends", 10) == ["Donaudamp…", "ends"]
    assert wrapped("", 8) == [""]
    assert [cut("王王王", columns) for columns in range(7)] == ["", "…", "…", "王…", "王…", "王王…", "王王王"]
