from hardware.camera import Camera, WatchedCamera
from simulator import Setup, VirtualTable


def test_drawn_table_is_a_camera_and_can_be_watched_as_one(setup: Setup) -> None:
    table = VirtualTable(setup.camera, 1)
    assert isinstance(table, Camera)
    camera = WatchedCamera(table, size_px=(1640, 1230), is_live=False)
    frame = camera.frame(1.0)
    assert frame.image.shape == (1230, 1640, 3)
    assert frame.small is None
    camera.meter()
    camera.close()
