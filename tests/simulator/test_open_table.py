"""What visitors do to a drawn table besides laying and taking: a hand over the board, another lamp."""

import numpy as np

from hardware.camera import Camera, WatchedCamera
from simulator import Setup, VirtualTable
from tests.clock import Clock


def table_of(setup: Setup) -> VirtualTable:
    clock = Clock()
    table = VirtualTable(setup.camera, 1, clock=clock, sleep=clock.sleep)
    table.pause()
    table.advance(clock.now_s)
    return table


def test_a_visitors_hand_hides_cells_until_it_is_taken_away_or_the_players_go_on(setup: Setup) -> None:
    table = table_of(setup)
    assert not table.truth().occluded
    table.cover(True)
    table.advance(100.0)
    assert len(table.truth().occluded) > 10
    table.cover(False)
    table.advance(100.0)
    assert not table.truth().occluded
    table.cover(True)
    table.play()
    table.advance(100.0)
    assert not table.truth().occluded


def test_another_lamp_makes_the_picture_brighter_and_warmer_and_its_switch_takes_all_of_that_back(setup: Setup) -> None:
    table = table_of(setup)
    dark = table.camera.picture(table.scene, grain=False)
    for _ in range(2):  # switched on twice, it is on
        table.switch_lamp(True)
    table.advance(100.0)
    bright = table.camera.picture(table.scene, grain=False)
    blue, _, red = (bright.reshape(-1, 3).mean(axis=0) / dark.reshape(-1, 3).mean(axis=0)).tolist()
    assert red > 1.1
    assert red > blue
    table.switch_lamp(False)
    table.advance(100.0)
    assert np.array_equal(table.camera.picture(table.scene, grain=False), dark)


def test_drawn_table_is_a_camera_and_can_be_watched_as_one(setup: Setup) -> None:
    table = VirtualTable(setup.camera, 1)
    assert isinstance(table, Camera)
    camera = WatchedCamera(table, size_px=(1640, 1230), is_live=False)
    frame = camera.frame(1.0)
    assert frame.image.shape == (1230, 1640, 3)
    assert frame.small is None
    camera.meter()
    camera.close()
