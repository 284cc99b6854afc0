"""Snow and mountains: each fault of the set-up, next to what is just allowed."""

import pytest

from companion.board import BadInputError, Section
from companion.games.contract import Player
from companion.games.silk_road import COMPETITIVE
from tests.games.silk_road.table import begin, ground, hand, names


@pytest.mark.parametrize(
    ("snow", "mountains", "faults"),
    [
        ("A1", "B4 C2 D4 E2", {}),
        ("F6", "B2 B4 D2 D4", {}),
        ("A1", "C3 C5 E3 E5", {}),  # C3 is two steps from the snow, diagonally
        ("A1", "B3 B5 E3 E5", {}),  # B3 is two steps to the right and one down
        ("A2", "B4 C2 D4 E2", {"snow-corner": "A2"}),
        ("C4", "B2 E2 E4 E5", {"mountain-near": "E4 E5", "snow-corner": "C4"}),
        ("A1", "B4 C2 D4", {"mountain-count": ""}),
        ("A1", "B4 C2 D4 E2 D4", {"mountain-count": "D4"}),
        ("A1", "B5 C2 C4 E2 E4", {"mountain-count": "", "mountain-near": "B5 C4"}),
        ("A1", "B4 C2 D4 D4", {"mountain-count": "D4"}),
        ("A1", "A1 B4 C2 D4", {"mountain-count": "A1", "mountain-rim": "A1"}),
        ("A1", "B4 C2 D4 F2", {"mountain-rim": "F2"}),
        ("A1", "B4 C6 D4 E2", {"mountain-rim": "C6"}),
        ("A1", "B2 B4 D2 D4", {"mountain-near": "B2"}),  # only diagonally next to the snow
        ("A1", "B4 C3 D5 E2", {"mountain-near": "B4 C3"}),  # diagonally next to each other
        ("A1", "B4 B5 D2 D4", {"mountain-near": "B4 B5"}),
        ("B1", "A1 B4 C2 D4", {"mountain-near": "A1 C2", "mountain-rim": "A1", "snow-corner": "B1"}),
    ],
)
def test_the_set_up_is_checked(snow: str, mountains: str, faults: dict[str, str]) -> None:
    found = COMPETITIVE.check_set_up(ground(snow, mountains))
    assert {fault.code: names(fault.cells) for fault in found} == faults
    assert [fault.code for fault in found] == sorted(faults)


@pytest.mark.parametrize("count", [1, 4])
def test_one_to_four_play(count: int) -> None:
    players = [Player(color.title(), color) for color in ("green", "brown", "blue", "yellow")[:count]]
    assert COMPETITIVE.begin(ground(), players, {player.color: [] for player in players}).colors[0] == "green"


@pytest.mark.parametrize(
    ("colors", "hands", "complaint"),
    [
        ([], {}, "0 players: Silk Road is for 1 to 4"),
        (list("abcde"), {color: [] for color in "abcde"}, "5 players"),
        (["green", "green"], {"green": []}, "colours are green, green; each player should have their own"),
        (["green"], {}, "sections lacks the colour green; a player without sections has an empty list"),
        (["green"], {"green": [], "red": []}, "'red' is not a player's colour; the players are green"),
        (["green", "brown"], {"green": [Section("1")], "brown": [Section("1")]}, "section '1' is given twice"),
    ],
)
def test_players_and_sections_that_do_not_fit_are_refused(
    colors: list[str], hands: dict[str, list[Section]], complaint: str
) -> None:
    with pytest.raises(BadInputError, match=complaint):
        COMPETITIVE.begin(ground(), [Player(color, color) for color in colors], hands)


def test_before_the_first_move_the_squares_next_to_the_snow_are_open() -> None:
    position = begin({"green": hand("g", 1), "brown": []})
    assert names(position.open_ways) == "A2 B1 B2"
    assert (position.next, position.phase, position.over) == ("green", "turn", False)
    assert position.wealth() == {"green": 0, "brown": 0}
