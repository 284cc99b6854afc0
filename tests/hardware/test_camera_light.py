import numpy as np
import pytest

from hardware.camera import Image, Light, light_drift, light_of


def table(level: float = 110.0, size_px: tuple[int, int] = (576, 324)) -> Image:
    width, height = size_px
    rng = np.random.default_rng(1)
    ramp = np.linspace(0.6, 1.3, width)[None, :, None] * level
    return np.clip(ramp + rng.normal(0, 3.0, (height, width, 3)), 0, 255).astype(np.uint8)


def drift(then: Image, now: Image) -> tuple[float, float]:
    found = light_drift(light_of(then), light_of(now))
    return found.level_ratio, found.clipped


def test_same_light_has_not_drifted() -> None:
    assert drift(table(), table()) == (1.0, 0.0)


@pytest.mark.parametrize("times", [0.5, 0.8, 1.25, 1.6])
def test_brighter_or_darker_lamp_is_measured(times: float) -> None:
    assert drift(table(), table(110.0 * times))[0] == pytest.approx(times, rel=0.03)


def test_drift_in_stops() -> None:
    assert light_drift(Light((63.0,) * 192, 0.0), Light((31.0,) * 192, 0.0)).stops == -1.0


@pytest.mark.parametrize(
    ("where", "share"), [(np.s_[:, :144], 0.25), (np.s_[:, :288, 2], 0.5)], ids=["all channels", "one channel"]
)
def test_what_became_too_bright_to_tell_is_a_share_of_the_picture(where: tuple[slice, ...], share: float) -> None:
    now = table()
    now[where] = 255
    assert drift(table(), now)[1] == pytest.approx(share, abs=0.01)


def test_what_was_clipped_when_metered_does_not_count() -> None:
    then = table()
    then[:80] = 255
    assert drift(then, then)[1] == 0.0


def test_arm_and_tiles_are_no_drift() -> None:
    now = table()
    now[:, 200:330] = 40
    now[100:140, 400:440] = 230
    assert drift(table(), now)[0] == pytest.approx(1.0, abs=0.02)


def test_large_picture_tells_the_same_as_its_small_one() -> None:
    assert drift(table(size_px=(2304, 1296)), table())[0] == pytest.approx(1.0, abs=0.02)


def test_darkness_is_measured_too() -> None:
    ratio, clipped = drift(table(), np.zeros((324, 576, 3), np.uint8))
    assert 0 < ratio < 0.1
    assert clipped == 0.0
