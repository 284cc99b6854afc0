"""What is laid over a picture."""

import numpy as np

from simulator.paint import blend


def test_each_pixel_is_mixed_as_its_mask_says_and_what_is_not_covered_stays() -> None:
    rng = np.random.default_rng(1)
    image, over = (rng.integers(0, 256, (256, 300, 3), dtype=np.uint8) for _ in range(2))
    mask = np.zeros((256, 300), np.uint8)
    mask[:, 20:276] = np.arange(256)[:, None]
    share = mask[..., None].astype(np.int64) / 255
    mixed = np.floor(over * share + image * (1 - share) + 0.5 - 1e-9)
    before = image.copy()
    blend(image, over, mask)
    assert np.array_equal(image, mixed)
    assert np.array_equal(image[:, :20], before[:, :20])
    blend(image, over, np.zeros_like(mask))
    assert np.array_equal(image, mixed)
