"""Pictures as JPEG: in their own size, or at most as wide as allowed."""

import cv2
import numpy as np
import pytest

from companion.system.pictures import jpeg, size_px

PICTURE = np.full((30, 200, 3), 120, np.uint8)


@pytest.mark.parametrize(("most_px", "size"), [(None, (200, 30)), (200, (200, 30)), (100, (100, 15))])
def test_a_picture_is_made_smaller_only_where_it_is_too_wide(most_px: int | None, size: tuple[int, int]) -> None:
    assert size_px(jpeg(PICTURE, 80, most_px)) == size


def test_a_better_quality_takes_more_room() -> None:
    noise = cv2.randn(PICTURE.copy(), (128, 128, 128), (40, 40, 40))
    assert len(jpeg(noise, 95)) > len(jpeg(noise, 50))


def test_what_is_no_picture_is_named() -> None:
    with pytest.raises(ValueError, match="not a picture"):
        jpeg(np.zeros((0, 0, 3), np.uint8))
