"""Pictures that are watched: calm exposure before they are believed, and what is said of a camera that fails."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from hardware.camera import Camera, CameraLostError, Frame, Image, Trouble, WatchedCamera
from hardware.camera.frames import LOOK_S, MOST_STOPS, SETTLE_S, CalmCamera

SIZE_PX = (160, 120)


class Shown:
    """A camera that shows what it is given, ten pictures a second; exceptions among them are raised."""

    def __init__(self) -> None:
        self.now_s = 50.0
        self.next: Sequence[Any] = ()
        self.rng = np.random.default_rng(1)
        self.metered = self.closed = self.restarted = 0

    def frame(self, timeout_s: float) -> Frame:
        self.now_s += 0.1
        shown, self.next = self.next[0], self.next[1:]
        if isinstance(shown, Exception):
            raise shown
        return Frame(shown, self.now_s)

    def meter(self) -> None:
        self.metered += 1

    def close(self) -> None:
        self.closed += 1

    def restart(self) -> None:
        self.restarted += 1

    def table(self, level: float = 120.0, size_px: tuple[int, int] = SIZE_PX) -> Image:
        """Return a picture with structure and a sensor's noise."""
        width, height = size_px
        ramp = np.linspace(0.5, 1.5, width)[None, :, None] * level
        noise = self.rng.normal(0, 2.0, (height, width, 3))
        return np.clip(ramp + noise, 0, 255).astype(np.uint8)

    def black(self) -> Image:
        """Return the picture of a covered lens: black level and noise."""
        return np.clip(self.rng.normal(8, 3.0, (SIZE_PX[1], SIZE_PX[0], 3)), 0, 255).astype(np.uint8)


@pytest.fixture
def shown() -> Shown:
    return Shown()


def watch(camera: WatchedCamera, shown: Shown, pictures: Sequence[Any]) -> list[str]:
    """Return what is said of each picture: "" for a good one."""
    shown.next = pictures
    said = []
    for _ in pictures:
        try:
            camera.frame(1.0)
            said.append("")
        except CameraLostError as error:
            said.append(str(error.trouble))
    return said


def test_frozen_camera_is_noticed_after_three_seconds_and_serves_again_with_a_new_picture(shown: Shown) -> None:
    same, other = shown.table(), shown.table()
    camera = WatchedCamera(shown)
    said = watch(camera, shown, [same.copy() for _ in range(35)] + [other, same.copy()])
    assert said[:30] == [""] * 30
    assert said[31:35] == ["frozen"] * 4
    assert said[35:] == ["", ""]


def test_sensor_noise_alone_keeps_a_still_table_alive(shown: Shown) -> None:
    assert not any(watch(WatchedCamera(shown), shown, [shown.table() for _ in range(60)]))


def test_one_changed_pixel_is_not_frozen(shown: Shown) -> None:
    same = shown.table()
    pictures = [same.copy() for _ in range(60)]
    for k, picture in enumerate(pictures):
        picture[7, 11, 0] = k
    assert not any(watch(WatchedCamera(shown), shown, pictures))


def test_photographs_may_stay_the_same(shown: Shown) -> None:
    same = shown.table()
    assert not any(watch(WatchedCamera(shown, is_live=False), shown, [same] * 60))


def test_frozen_camera_is_restarted_now_and_then(shown: Shown) -> None:
    same = shown.table()
    camera = WatchedCamera(shown, restart=shown.restart)
    watch(camera, shown, [same] * 40)
    assert shown.restarted == 1
    watch(camera, shown, [same] * 100)
    assert shown.restarted == 2


def test_frozen_picture_that_comes_back_after_a_restart_is_frozen_again(shown: Shown) -> None:
    same = shown.table()
    starting = CameraLostError("the camera is starting", Trouble.STARTING)
    said = watch(WatchedCamera(shown), shown, [same] * 35 + [starting] + [same] * 35)
    assert said[35] == "starting"
    assert said[36] == ""
    assert said[-1] == "frozen"


def test_covered_lens_is_noticed_after_two_seconds_and_served_again_at_once(shown: Shown) -> None:
    said = watch(WatchedCamera(shown), shown, [shown.black() for _ in range(25)] + [shown.table()])
    assert said[:20] == [""] * 20
    assert said[21:25] == ["black"] * 4
    assert said[25] == ""


def test_covered_lens_is_noticed_by_the_small_picture_too(shown: Shown) -> None:
    frames = [Frame(shown.table(), 0.1 * k, shown.black()) for k in range(30)]
    shown.frame = lambda timeout_s: frames.pop(0)  # type: ignore[method-assign]
    assert watch(WatchedCamera(shown), shown, range(30))[-1] == "black"


def test_dim_table_is_not_black(shown: Shown) -> None:
    assert not any(watch(WatchedCamera(shown), shown, [shown.table(level=16.0) for _ in range(40)]))


def test_hand_over_the_lens_for_a_moment_is_no_event(shown: Shown) -> None:
    pictures = ([shown.black() for _ in range(15)] + [shown.table()]) * 4
    assert not any(watch(WatchedCamera(shown), shown, pictures))


def test_picture_of_the_same_shape_is_scaled_to_the_table_s_size(shown: Shown) -> None:
    camera = WatchedCamera(shown, size_px=(410, 308))
    for size_px in ((160, 120), (820, 616), (410, 308)):
        shown.next = [shown.table(size_px=size_px)]
        frame = camera.frame(1.0)
        assert frame.image.shape == (308, 410, 3)
        assert frame.image[:, 195:215].mean() == pytest.approx(120, abs=2)


def test_picture_of_another_shape_is_refused_with_both_sizes(shown: Shown) -> None:
    camera = WatchedCamera(shown, size_px=(1640, 1232))
    shown.next = [shown.table(size_px=(1280, 720))]
    with pytest.raises(CameraLostError, match=r"1280 x 720 .* 1640 x 1232") as lost:
        camera.frame(1.0)
    assert lost.value.trouble is Trouble.SIZE
    shown.next = [shown.table(size_px=(820, 616))]
    assert camera.frame(1.0).image.shape == (1232, 1640, 3)


def test_upright_picture_of_a_table_set_up_lying_is_refused(shown: Shown) -> None:
    said = watch(WatchedCamera(shown, size_px=SIZE_PX), shown, [shown.table(size_px=(120, 160))])
    assert said == ["size"]


def test_without_a_size_the_first_picture_s_counts(shown: Shown) -> None:
    camera = WatchedCamera(shown)
    shown.next = [shown.table(), shown.table(size_px=(320, 240))]
    assert camera.frame(1.0).image.shape == (120, 160, 3)
    assert camera.frame(1.0).image.shape == (120, 160, 3)


def test_camera_that_is_lost_is_passed_on(shown: Shown) -> None:
    lost = CameraLostError("it is gone", Trouble.MISSING)
    assert watch(WatchedCamera(shown), shown, [lost]) == ["missing"]


def test_watched_camera_is_a_camera(shown: Shown) -> None:
    camera = WatchedCamera(shown)
    assert isinstance(camera, Camera)
    camera.meter()
    camera.close()
    assert (shown.metered, shown.closed) == (1, 1)


TABLE = np.random.default_rng(4).integers(60, 140, (120, 160, 3), np.uint8)


class Device:
    """A camera under a lamp; metering brings its pictures back to where they were."""

    def __init__(self) -> None:
        self.now_s, self.gain, self.metered, self.hand = 0.0, 1.0, 0, False

    def clock(self) -> float:
        return self.now_s

    def frame(self, timeout_s: float) -> Frame:
        image = np.clip(TABLE * self.gain, 0, 255).astype(np.uint8)
        if self.hand:
            image[:, :40] = 200
        return Frame(image, self.now_s)

    def meter(self) -> None:
        self.metered += 1
        self.gain = 1.0

    def close(self) -> None: ...


@pytest.fixture
def device() -> Device:
    return Device()


@pytest.fixture
def camera(device: Device) -> CalmCamera:
    made = CalmCamera(device, device.clock)
    pass_time(device, made, SETTLE_S)
    return made


def pass_time(device: Device, camera: CalmCamera, seconds: float) -> None:
    device.now_s += seconds
    camera.frame(1.0)
    camera.calm()


@pytest.mark.parametrize("gain", [0.5, 1.7])
def test_a_lamp_switched_off_or_on_is_metered_once(device: Device, camera: CalmCamera, gain: float) -> None:
    device.gain = gain
    pass_time(device, camera, LOOK_S)
    assert device.metered == 1
    for _ in range(4):
        pass_time(device, camera, LOOK_S)
    assert device.metered == 1


@pytest.mark.parametrize("stops", [MOST_STOPS - 0.1, 0.1 - MOST_STOPS])
def test_a_little_more_or_less_light_is_left_alone(device: Device, camera: CalmCamera, stops: float) -> None:
    device.gain = 2**stops
    pass_time(device, camera, LOOK_S)
    assert device.metered == 0


def test_what_lies_in_a_quarter_of_the_picture_is_no_other_light(device: Device, camera: CalmCamera) -> None:
    device.hand = True
    pass_time(device, camera, LOOK_S)
    assert device.metered == 0


def test_nothing_is_looked_at_more_often_than_that(device: Device, camera: CalmCamera) -> None:
    device.gain = 1.7
    pass_time(device, camera, LOOK_S - 1)
    assert device.metered == 0


def test_while_nobody_calls_the_table_calm_nothing_is_metered(device: Device, camera: CalmCamera) -> None:
    device.gain = 1.7
    device.now_s += 10 * LOOK_S
    camera.frame(1.0)
    assert device.metered == 0
