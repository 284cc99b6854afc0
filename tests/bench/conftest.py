"""Composed printings, moves on one of them, and what a command of the bench complains of."""

from collections.abc import Callable
from pathlib import Path

import pytest

from bench.training import moves as moving
from bench.training.album import Album
from bench.training.composed import album
from tests.bench.plain_printing import DRAWINGS
from tests.once import Shelf, sum_of

#: Return the album of the printing that is composed of that seed.
ComposedOf = Callable[[int], Album]
#: Run a command that must refuse what it was given; return what it complains of.
Complaint = Callable[[Callable[[], object]], str]

#: Part of a key: it changes with the drawings, which lie beside this file.
DRAWN = sum_of([Path(__file__).parent])


@pytest.fixture(scope="session")
def composed_of(shelf: Shelf) -> ComposedOf:
    return lambda seed: shelf.answer(f"composed-{seed}-{DRAWN}", lambda: album(seed, DRAWINGS))


@pytest.fixture(scope="session")
def composed(composed_of: ComposedOf) -> Album:
    return composed_of(3)


@pytest.fixture(scope="session")
def moves(shelf: Shelf) -> moving.Moves:
    return shelf.answer(f"moves-3-{DRAWN}", lambda: moving.composed(3, DRAWINGS))


@pytest.fixture
def complaint(capsys: pytest.CaptureFixture[str]) -> Complaint:
    def run(command: Callable[[], object]) -> str:
        with pytest.raises(SystemExit) as stopped:
            command()
        assert stopped.value.code == 2
        return capsys.readouterr().err

    return run
