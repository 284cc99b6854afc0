import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.board import (
    BadInputError,
    LaidSection,
    Section,
    SquareCell,
    section_from_json,
    section_to_json,
    sections_from_json,
)

names = st.text(min_size=1).filter(str.strip)
rays = st.sets(st.integers(0, 7)).map(lambda found: tuple(sorted(found)))
sections = st.builds(Section, names, st.integers(0, 99), st.booleans(), rays, st.booleans())


@given(sections)
def test_a_section_is_written_and_read_back(section: Section) -> None:
    assert section_from_json(section_to_json(section), "it") == section


@given(sections, st.integers(0, 3))
def test_a_laid_sections_rays_turn_as_the_board_would(section: Section, turn: int) -> None:
    middle = SquareCell(2, 2, 5)
    turned = {middle.neighbour(ray).turned(turn) for ray in section.rays}
    assert {middle.neighbour(ray) for ray in LaidSection(section, "green", turn).rays} == turned


@pytest.mark.parametrize("wrong", [(8,), (-1,), (3, 1), (2, 2)])
def test_a_section_cannot_have_impossible_rays(wrong: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="different ones from 0 to 7, ascending"):
        Section("1", rays=wrong)


def test_a_section_cannot_have_a_number_below_zero() -> None:
    assert Section("1").number == 0
    with pytest.raises(ValueError, match="number is -1"):
        Section("1", -1)


@pytest.mark.parametrize("turn", [-1, 4])
def test_a_section_lies_in_one_of_four_ways(turn: int) -> None:
    assert [LaidSection(Section("1", rays=(1,)), "green", each).rays for each in range(4)] == [(1,), (3,), (5,), (7,)]
    with pytest.raises(ValueError, match="0 to 3 quarter turns"):
        LaidSection(Section("1"), "green", turn)


def test_a_set_holds_each_id_once() -> None:
    one, other = section_to_json(Section("1")), section_to_json(Section("2"))
    assert [section.id for section in sections_from_json([one, other], "a set")] == ["1", "2"]
    with pytest.raises(BadInputError, match="a set 3: id is '1' again; each section should have an id of its own"):
        sections_from_json([one, other, one], "a set")
