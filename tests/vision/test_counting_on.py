"""How many cubes came to a cell or left it is judged by how it looked when their number was known."""

import math

import numpy as np
import pytest

from companion.board import BARE, LEAST_ANEW, Color, Contents, HexCell, Merchants, Workshop
from tests.vision.conftest import CITY, TOWN, DrawnTable, cubes_seen
from tests.vision.test_tilt import PAIR
from vision.cubes.counting_on import MOST_CHANGED, CountingOn
from vision.cubes.crowds import counted
from vision.light.flatten import Floats
from vision.reader import Reader
from vision.tiles.opinion import COLORS, MOST, MOST_COUNTED

HERE = HexCell(0, 0)
LOOK = np.random.default_rng(1).random((64, 18, 18), np.float32)
BLACK = COLORS.index(Color.BLACK)


def held(tile: object = TOWN, **counts: int) -> Contents:
    return Contents(tile, Merchants(**counts))  # type: ignore[arg-type]


def known(contents: Contents) -> CountingOn:
    counting = CountingOn()
    counting.keep(HERE, contents, LOOK)
    return counting


def came(number: int, share: float = 0.98) -> Floats:
    """Return the net's word that this many black cubes came, and nothing else."""
    changes = np.full((len(COLORS), 2 * MOST_CHANGED + 1), math.log(1e-4), np.float32)
    changes[:, MOST_CHANGED] = 0.0
    changes[BLACK, MOST_CHANGED] = math.log(1e-4)
    changes[BLACK, MOST_CHANGED + number] = math.log(share)
    return changes


UNSURE = cubes_seen(black=[0.02, 0.08, 0.25, 0.35, 0.2, 0.1])


def test_from_three_one_more_is_four_though_they_look_like_three() -> None:
    told = known(held(black=3)).put_right(HERE, came(1), UNSURE)
    assert UNSURE.best == held(black=3)
    assert told.best == held(black=4)
    assert told.since is not None
    assert told.since.contents == held(black=3)


def test_how_many_look_to_be_there_is_told_whatever_they_were_counted_on_from() -> None:
    """Three look likeliest, two and four less so; nothing looks like red ones. Counting anew is only half believed."""
    looks = []
    for number in (1, 3, 6):
        since = known(held(black=number)).put_right(HERE, came(1), UNSURE).since
        assert since is not None
        looks.append(since.looks)
    assert looks[0] == looks[1] == looks[2]
    black, red = looks[0][Color.BLACK], looks[0][Color.RED]
    assert max(black) == black[3] == 1
    assert black[3] > black[2] > black[4] > black[1] > black[0] > 0.02 / 0.35
    assert red[0] == 1
    assert min(*black, *red) >= LEAST_ANEW


def test_more_than_are_ever_counted_are_told_too() -> None:
    told = known(held(black=7)).put_right(HERE, came(-1), cubes_seen(black=[0, 0, 0, 0, 0.1, 0.9]))
    numbers = told.numbers_of(0)[BLACK]
    assert numbers.argmax() == 6
    assert len(numbers) == MOST + 1
    assert told.counts[0, BLACK].argmax() == MOST_COUNTED
    likely = counted(told, site=True)
    assert next(iter(likely)) == held(black=6)
    assert sum(likely.values()) == pytest.approx(1, abs=0.1)


def test_the_net_is_believed_beside_what_is_counted_and_not_alone() -> None:
    """If the net wavers between two numbers, counting decides."""
    changes = came(1, 0.5)
    changes[BLACK, MOST_CHANGED] = math.log(0.48)
    assert known(held(black=2)).put_right(HERE, changes, cubes_seen(black=[0, 0, 0.95, 0.05])).best == held(black=2)
    assert known(held(black=2)).put_right(HERE, changes, cubes_seen(black=[0, 0, 0.05, 0.95])).best == held(black=3)


def test_a_colour_that_nobody_plays_does_not_come() -> None:
    told = known(held()).put_right(HERE, came(1), cubes_seen(), absent=(BLACK,))
    assert told.best.merchants.black == 0


def test_another_tile_than_was_known_is_counted_anew() -> None:
    assert known(held(CITY, black=2)).put_right(HERE, came(1), UNSURE) is UNSURE


def test_only_settlements_and_workshops_are_kept() -> None:
    counting = known(held(black=1))
    assert HERE in counting
    counting.keep(HERE, BARE, LOOK)
    assert HERE not in counting
    counting.keep(HERE, held(Workshop(Color.RED), red=6), LOOK)
    assert HERE in counting
    counting.new_game()
    assert HERE not in counting


def test_what_looks_just_as_it_did_holds_what_it_held_and_no_more_go_than_there_were() -> None:
    counting = known(held(black=2, red=1))
    changes = np.exp(counting.changes([HERE], LOOK[None])[HERE])
    assert (changes.argmax(axis=1) == MOST_CHANGED).all()
    fewer = np.arange(-MOST_CHANGED, MOST_CHANGED + 1) < -np.array([2, 0, 0, 1])[:, None]
    assert changes[fewer].max() < 1e-6


def test_books_that_were_put_right_are_counted_on_from() -> None:
    counting = known(held(black=3))
    counting.still(HERE, held(black=2))
    assert counting.put_right(HERE, came(1), UNSURE).best == held(black=3)
    counting.still(HexCell(1, 0), held(black=2))
    assert HexCell(1, 0) not in counting, "nothing is known of how it looks"


@pytest.mark.long
def test_a_reader_counts_on_from_the_books_and_forgets_them_with_the_game(
    drawn: DrawnTable, taught_reader: Reader
) -> None:
    reader, deal = taught_reader, drawn.deal(5)
    reader.new_game()
    reader.read(drawn.deal_picture(5))
    reader.booked(deal, PAIR)
    site, scene, rng = min(deal, key=str), drawn.dealt(5), np.random.default_rng(5)
    for expected in (1, 2, 3):
        scene = scene.put(site, Color.GREY, rng)
        reading = reader.read(drawn.camera.picture(scene))
        opinion = reader._views[site].opinions[-1]
        assert opinion.since is not None
        assert opinion.since.contents == Contents(deal[site].tile, Merchants(grey=expected - 1))
        assert reading.contents(site).merchants.grey == expected
        assert reading.cells[site].since == opinion.since.contents
        assert reading.cells[site].anew == opinion.since.looks
        reader.booked({**deal, site: Contents(deal[site].tile, Merchants(grey=expected))}, PAIR)
    since = reader.read(drawn.camera.picture(scene)).cells[site].since
    books = Contents(deal[site].tile, Merchants(grey=3))
    assert since in (None, books), "if it is looked at again at all, it is counted on from the books as they are now"
    reader.new_game()
    assert site not in reader._comparing.counting_on


@pytest.mark.long
def test_a_persons_word_is_counted_on_from(drawn: DrawnTable, taught_reader: Reader) -> None:
    """Three cubes lie so that the reader is in doubt, until somebody says how many there are; then one more comes."""
    reader, deal, rng = taught_reader, drawn.deal(5), np.random.default_rng(6)
    reader.new_game()
    reader.read(drawn.deal_picture(5))
    site, scene = min(deal, key=str), drawn.dealt(5)
    for _ in range(3):
        scene = scene.put(site, Color.GREY, rng)
    assert site in reader.read(drawn.camera.picture(scene)).unclear
    reader.confirmed({site: Contents(deal[site].tile, Merchants(grey=3))}, by_hand=True)
    reader.read(drawn.camera.picture(scene.put(site, Color.GREY, rng)))
    since = reader._views[site].opinions[-1].since
    assert since is not None
    assert since.contents.merchants.grey == 3
    assert since.numbers[COLORS.index(Color.GREY)].argmax() == 4
