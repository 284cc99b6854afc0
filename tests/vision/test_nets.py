"""The learnt nets answer those who play and those who set a table up at the same time."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from vision.tiles.exemplars import EMBEDDING
from vision.tiles.patches import FOLDED, loaded

#: Uneven, so that an answer to somebody else's question has another length.
SIZES = [1, 5, 2, 9, 3, 7] * 4


def test_several_threads_each_get_the_answer_to_their_own_question() -> None:
    rng = np.random.default_rng(1)
    asked = [rng.random((size, *FOLDED), np.float32) for size in SIZES]
    net = loaded(EMBEDDING)
    alone = [net(inputs, ("points",))[0] for inputs in asked]
    with ThreadPoolExecutor(4) as threads:
        together = list(threads.map(lambda inputs: net(inputs, ("points",))[0], asked))
    for one, other in zip(alone, together, strict=True):
        np.testing.assert_array_equal(one, other)
