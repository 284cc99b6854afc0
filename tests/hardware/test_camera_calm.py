import numpy as np
import pytest

from hardware.camera.frames import Frame
from hardware.camera.light import LOOK_S, MOST_STOPS, SETTLE_S, CalmCamera

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


def test_a_lamp_switched_on_is_metered_once(device: Device, camera: CalmCamera) -> None:
    device.gain = 1.7
    pass_time(device, camera, LOOK_S)
    assert device.metered == 1
    for _ in range(4):
        pass_time(device, camera, LOOK_S)
    assert device.metered == 1


@pytest.mark.parametrize("stops", [MOST_STOPS - 0.1, -(MOST_STOPS - 0.1)])
def test_a_little_more_or_less_light_is_left_alone(device: Device, camera: CalmCamera, stops: float) -> None:
    device.gain = 2**stops
    pass_time(device, camera, LOOK_S)
    assert device.metered == 0


def test_a_lamp_switched_off_is_metered_too(device: Device, camera: CalmCamera) -> None:
    device.gain = 0.5
    pass_time(device, camera, LOOK_S)
    assert device.metered == 1


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
