"""What is worked out once for all tests."""

from functools import lru_cache
from pathlib import Path

import numpy as np

from tests.once import Shelf, filled, key_of, once, sum_of


class Drawing:
    """Draws at its leisure, and remembers what it drew."""

    def __init__(self) -> None:
        self.drawn = lru_cache(maxsize=4)(self._drawn)

    def _drawn(self, size: int) -> list[int]:
        return [size]


def test_like_arguments_are_reckoned_once_and_the_oldest_forgotten() -> None:
    asked: list[float] = []

    def total(picture: "np.ndarray[tuple[int, ...], np.dtype[np.float64]]", more: float = 0.0) -> float:
        asked.append(more)
        return float(picture.sum()) + more

    known = once(total, most=2)
    assert [known(np.ones(3)), known(np.ones(3)), known(np.ones(3), more=1.0)] == [3.0, 3.0, 4.0]
    assert asked == [0.0, 1.0]
    assert known(np.zeros(3)) == 0.0
    assert [known(np.ones(3), more=1.0), known(np.ones(3))] == [4.0, 3.0]
    assert asked == [0.0, 1.0, 0.0, 0.0]


def test_what_is_on_the_shelf_is_reckoned_once_and_everybody_gets_a_copy(tmp_path: Path) -> None:
    asked: list[int] = []

    def reckon() -> list[int]:
        asked.append(1)
        return [7]

    one, other = (Shelf(tmp_path / "shelf").answer("seven", reckon) for _ in range(2))
    one.append(8)
    assert (other, asked) == ([7], [1])
    known = once(sorted, most=1, shelf=Shelf(tmp_path / "shelf"))
    assert [known([2, 1]), known([3]), known([2, 1])] == [[1, 2], [3], [1, 2]]


def test_what_remembers_its_answers_goes_on_the_shelf_without_them(tmp_path: Path) -> None:
    drawing = Drawing()
    drawing.drawn(3)
    Shelf(tmp_path).answer("drawing", lambda: drawing)
    taken = Shelf(tmp_path).answer("drawing", Drawing)
    assert taken.drawn(3) == [3]
    assert (taken.drawn.cache_info().misses, taken.drawn.cache_info().maxsize) == (1, 4)


def test_a_folder_is_written_once_and_then_as_it_was(tmp_path: Path) -> None:
    def write(folder: Path) -> int:
        (folder / "setup").mkdir(parents=True)
        (folder / "setup" / "a.txt").write_text("a")
        return 1

    shelf = Shelf(tmp_path / "shelf")
    assert shelf.written("folder", tmp_path / "one", lambda: write(tmp_path / "one")) == 1
    assert shelf.written("folder", tmp_path / "other", lambda: 2) == 1
    assert (tmp_path / "other" / "setup" / "a.txt").read_text() == "a"


def test_an_empty_folder_is_filled_as_the_first_was_and_another_is_added_to(tmp_path: Path) -> None:
    def fill(folder: Path) -> int:
        file = folder / "book"
        file.write_text(file.read_text() + "2" if file.exists() else "1")
        reckoned.append(folder)
        return 1

    reckoned: list[Path] = []
    one, other = tmp_path / "one", tmp_path / "other"
    assert filled(one, "a book of the tests", fill) == filled(other, "a book of the tests", fill) == 1
    assert (reckoned, (other / "book").read_text()) == ([one], "1")
    filled(one, "a book of the tests", fill)
    assert ((one / "book").read_text(), (other / "book").read_text()) == ("12", "1")


def test_keys_are_of_what_is_said_and_labels_of_what_the_sources_say(tmp_path: Path) -> None:
    word = "ab"
    assert key_of((word, word)) == key_of((word, "".join(["a", "b"]))) != key_of(("ab", "ba"))
    (tmp_path / "one.py").write_text("1")
    (tmp_path / "notes.txt").write_text("1")
    first = sum_of([tmp_path])
    (tmp_path / "notes.txt").write_text("2")
    assert sum_of([tmp_path]) == first != sum_of([tmp_path], "numpy 2")
    (tmp_path / "one.py").write_text("2")
    assert sum_of([tmp_path]) != first
