"""The plug of a whole companion at its drawn table is pulled: it comes up in the same game."""

from bench.plugs import pull


def test_a_killed_companion_comes_up_in_the_game_that_its_pages_announced() -> None:
    found = pull(kills=2, seed=1)
    assert found.astray == []
    assert len(found.shown_s) >= 1, "the page showed the game again"
