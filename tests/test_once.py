"""What is reckoned once for all tests."""

import numpy as np

from tests.once import once


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
