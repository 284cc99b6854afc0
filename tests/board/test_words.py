import pytest
from hypothesis import given

from companion.board import (
    BARE,
    BadInputError,
    Color,
    Contents,
    LaidSection,
    Merchants,
    Mountain,
    Road,
    Section,
    Settlement,
    SettlementType,
    Snow,
    Terrain,
    Workshop,
)
from companion.board.words import MOST_MERCHANTS, contents_from_words, contents_to_words
from tests.board.test_reading import contents

RED_ROAD = Road(Color.RED, Terrain.PLAIN, (0, 3))


@given(contents)
def test_whatever_may_lie_on_a_cell_is_understood_in_words(lies: Contents) -> None:
    assert contents_from_words(contents_to_words(lies)) == lies


@pytest.mark.parametrize(
    ("words", "lies"),
    [
        ("bare", BARE),
        ("red plain straight 0-3", Contents(RED_ROAD)),
        ("  STRAIGHT 3-0   plain Red ", Contents(RED_ROAD)),
        ("red plain 0-3", Contents(RED_ROAD)),
        ("grey hill bend 3-5", Contents(Road(Color.GREY, Terrain.HILL, (3, 5)))),
        ("black workshop,black 3", Contents(Workshop(Color.BLACK), Merchants(black=3))),
        ("workshop black", Contents(Workshop(Color.BLACK))),
        ("city, black 1, 2 red", Contents(Settlement(SettlementType.CITY), Merchants(black=1, red=2))),
        ("village grey", Contents(Settlement(SettlementType.VILLAGE), Merchants(grey=1))),
        ("red town black", Contents(Settlement(SettlementType.TOWN), Merchants(black=1, red=1))),
        ("town red, black 2", Contents(Settlement(SettlementType.TOWN), Merchants(black=2, red=1))),
        ("snow", Contents(Snow())),
        ("Mountain", Contents(Mountain())),
        ("red 2", Contents(None, Merchants(red=2))),
        (f"hamlet, yellow {MOST_MERCHANTS}", Contents(Settlement(SettlementType.HAMLET), Merchants(yellow=12))),
    ],
)
def test_words_are_understood(words: str, lies: Contents) -> None:
    assert contents_from_words(words) == lies


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ("", "write 'bare'"),
        ("city,", "write 'bare'"),
        ("bare, red 1", "'bare', which means nothing"),
        ("red plain 0-1", "not side by side"),
        ("red plain 0-5", "not side by side"),
        ("red plain 4-4", "not side by side"),
        ("red plain 0-6", "'0-6', which means nothing"),
        ("red plain bend 0-3", "the edges 0-3 are those of a straight"),
        ("red plain", "write 'bare'"),
        ("red", "write 'bare'"),
        ("red black workshop", "write 'bare'"),
        ("city city", "write 'bare'"),
        ("city, town", "at most one tile"),
        ("city, red 1, red 2", "count red twice"),
        ("city red red", "count red twice"),
        ("city red, red 2", "count red twice"),
        ("snow red", "write 'bare'"),
        ("snow, city", "at most one tile"),
        ("green section 7", "no sections are known here: write it as JSON, after --json"),
        ("city, red 0", "from 1 to 12"),
        (f"city, red {MOST_MERCHANTS + 1}", "from 1 to 12"),
        ("city, red " + "9" * 5000, "from 1 to 12"),
        ("city, pink 2", "a colour and a number"),
        ("city, red -1", "'-1', which means nothing"),
        ("castle", "'castle', which means nothing"),
        ("city, red ²", "'²', which means nothing"),
    ],
)
def test_words_that_mean_nothing_are_named(words: str, complaint: str) -> None:
    with pytest.raises(BadInputError) as refused:
        contents_from_words(words)
    assert complaint in str(refused.value)
    assert len(str(refused.value)) < 250


SECTIONS = [
    LaidSection(Section(name, rays=(0, 3)), color) for color in ("green", "Brown") for name in ("7", "Old Mill")
]


@pytest.mark.parametrize(
    ("words", "color", "turn"),
    [
        ("green section old mill turned 2", "green", 2),
        ("BROWN section Old  Mill", "Brown", 0),
        ("brown section old mill turned 0", "Brown", 0),
    ],
)
def test_a_section_is_found_by_its_owner_and_id(words: str, color: str, turn: int) -> None:
    lies = Contents(LaidSection(Section("Old Mill", rays=(0, 3)), color, turn))
    assert contents_from_words(words, SECTIONS) == lies
    assert contents_from_words(contents_to_words(lies), SECTIONS) == lies


def test_a_section_is_known_by_how_its_rays_point() -> None:
    crossing = LaidSection(Section("1", rays=(0, 4)), "green")
    assert contents_from_words("green section 1 turned 3", [crossing]).tile == LaidSection(crossing.section, "green", 1)


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ("green section 8", "there are 'green section 7, green section old mill, brown section 7' and others"),
        ("grey section 7", "a section is 'grey section 7'; there are"),
        ("section 7", "a section is 'section 7'; there are"),
        ("green section", "write 'green section 7', or"),
        ("green section 7 turned 4", "'green section 7 turned 1', to 3"),
        ("green section 7 turned", "'green section 7 turned 1', to 3"),
    ],
)
def test_a_section_that_nobody_has_is_named(words: str, complaint: str) -> None:
    with pytest.raises(BadInputError) as refused:
        contents_from_words(words, SECTIONS)
    assert complaint in str(refused.value)
