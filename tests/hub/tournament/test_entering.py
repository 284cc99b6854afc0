"""Players typed or from CSV: each fault is one sentence with its line and value, and then nobody is entered."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.board import BadInputError
from hub.tournament.entering import MOST_NAME, MOST_PLAYERS, Entry, entries


def test_a_name_a_line_and_perhaps_a_club() -> None:
    assert entries("Ada\n  Bo  Berg \n\nCy, Bern") == (Entry("Ada"), Entry("Bo Berg"), Entry("Cy", "Bern"))


@pytest.mark.parametrize("text", [
    "Name,Club\nAda,Bern\nBo,", "\ufeffname;club\r\nAda;Bern\r\nBo;\r\n", "Spieler\tVerein\nAda\tBern\nBo",
    '"Ada","Bern"\n"Bo"',
])  # fmt: skip
def test_files_of_every_spreadsheet_are_read(text: str) -> None:
    assert entries(text) == (Entry("Ada", "Bern"), Entry("Bo"))


@pytest.mark.parametrize(
    ("text", "code", "line", "value"),
    [
        ("Ada\nBo,Bern,x", "csv-columns", 2, "x"),
        ("Ada\n,Bern", "csv-no-name", 2, "Bern"),
        ("Ada\n" + "x" * (MOST_NAME + 1), "csv-long", 2, "x" * 20 + "…"),
        ("Ada\nBo\nADA", "csv-twice", 3, "ADA"),
        ('Ada\n"Bo', "csv-quote", 2, '"Bo'),
        ("Ada\nB\x07o", "csv-odd", 2, "B�o"),
        ("Dora", "csv-twice", 1, "Dora"),
    ],
)
def test_a_bad_line_is_named_with_its_value(text: str, code: str, line: int, value: str) -> None:
    with pytest.raises(BadInputError, match=f"line {line}") as wrong:
        entries(text, ["Dora"])
    assert wrong.value.code == code
    assert (wrong.value.facts["line"], wrong.value.facts["value"]) == (line, value)


def test_a_tournament_has_a_last_chair() -> None:
    names = "\n".join(map(str, range(MOST_PLAYERS)))
    assert len(entries(names)) == MOST_PLAYERS
    with pytest.raises(BadInputError) as wrong:
        entries(f"{names}\nand one more")
    assert wrong.value.code == "csv-many"


@given(st.text(max_size=200))
def test_whatever_is_sent_is_read_or_refused(text: str) -> None:
    found: tuple[Entry, ...] = ()
    code = "csv-"
    try:
        found = entries(text)
    except BadInputError as error:
        code = error.code
    assert code.startswith("csv-")
    assert len({each.name.casefold() for each in found}) == len(found)
    assert all(each.name and each.name.isprintable() for each in found)
