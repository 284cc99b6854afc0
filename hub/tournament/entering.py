"""Players as an organiser types them, or as a CSV file lists them: all of them enter, or none and one clear error."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from companion.board import BadInputError

#: The most characters of a name and of a club, and the most players of a tournament: a thousand sit at 250 tables.
MOST_NAME, MOST_CLUB, MOST_PLAYERS = 40, 60, 1000

#: What the first column may be called, in our languages, if a file begins with a line of headings.
HEADINGS = frozenset({"name", "player", "spieler", "spielerin", "nom", "joueur", "nome", "giocatore"})


@dataclass(frozen=True, slots=True)
class Entry:
    """Somebody who enters, and their club: "" if none is given."""

    name: str
    club: str = ""


def entries(text: str, known: Iterable[str] = ()) -> tuple[Entry, ...]:
    """Return who enters: one name per line, perhaps followed by a club after a comma, a semicolon or a tab.

    `known` are the names of those who are there already. Raises BadInputError with the line and its value, and then
    nobody enters.

    >>> [each.name for each in entries("Name;Club\\nAda;Bern\\n\\nBo")]
    ['Ada', 'Bo']
    """
    taken = {_key(name) for name in known}
    entered: list[Entry] = []
    for number, row in _rows(text):
        cells = [" ".join(cell.split()) for cell in row]
        if not any(cells) or (not entered and number == 1 and cells[0].casefold() in HEADINGS):
            continue
        entered.append(_entry(number, cells, taken))
        if len(taken) > MOST_PLAYERS:
            wrong = f"line {number}: a tournament has at most {MOST_PLAYERS} players"
            raise BadInputError(wrong, "csv-many", line=number, most=MOST_PLAYERS)
    return tuple(entered)


def _entry(number: int, cells: Sequence[str], taken: set[str]) -> Entry:
    name, club = cells[0], cells[1] if len(cells) > 1 else ""
    if any(cells[2:]):
        extra = next(cell for cell in cells[2:] if cell)[:MOST_NAME]
        wrong = f"line {number}: {extra!r} is one column too many; a line has a name, and perhaps a club"
        raise BadInputError(wrong, "csv-columns", line=number, value=extra)
    if not name:
        raise BadInputError(
            f"line {number}: {club!r} has no name before it", "csv-no-name", line=number, value=club[:40]
        )
    for value, most in ((name, MOST_NAME), (club, MOST_CLUB)):
        if len(value) > most:
            wrong = f"line {number}: {value[:20]!r} is longer than {most} characters"
            raise BadInputError(wrong, "csv-long", line=number, value=f"{value[:20]}…", most=most)
        if odd := next((each for each in value if not each.isprintable()), ""):
            shown = value.replace(odd, "�")
            wrong = f"line {number}: {shown!r} holds a character that cannot be shown"
            raise BadInputError(wrong, "csv-odd", line=number, value=shown)
    if _key(name) in taken:
        wrong = f"line {number}: {name!r} is there twice; tell them apart, with a second name"
        raise BadInputError(wrong, "csv-twice", line=number, value=name)
    taken.add(_key(name))
    return Entry(name, club)


def _rows(text: str) -> Iterable[tuple[int, list[str]]]:
    """Yield the rows, each with the number of the line that it begins on."""
    lines = text.removeprefix("\ufeff").splitlines()
    first = next((line for line in lines if line.strip()), "")
    between = next((each for each in ("\t", ";") if each in first), ",")
    reader = csv.reader((f"{line}\n" for line in lines), delimiter=between, strict=True, skipinitialspace=True)
    while True:
        number = reader.line_num + 1
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error:
            value = lines[number - 1][:MOST_NAME]
            wrong = f"line {number}: {value!r} has a quotation mark that does not end"
            raise BadInputError(wrong, "csv-quote", line=number, value=value) from None
        yield number, row


def _key(name: str) -> str:
    return " ".join(name.split()).casefold()
