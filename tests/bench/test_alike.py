"""Readings from two machines, compared."""

import json
from typing import Any

import pytest

from bench.alike import compared


def reading(**changed: Any) -> dict[str, bytes]:
    cell = {"contents": "red road", "confidence": 0.98, "alternatives": ["bare"]} | changed
    return {"000.json": json.dumps({"cells": {"G7": cell}}).encode()}


def test_the_same_readings_are_the_same_byte_for_byte() -> None:
    alike = compared(reading(), reading())
    assert alike.figures["readings the same byte for byte"] == alike.figures["readings"] == 1
    assert not alike.wrong


def test_a_number_that_was_added_up_in_another_order_is_told_and_is_not_wrong() -> None:
    alike = compared(reading(), reading(confidence=0.9799))
    assert alike.figures["readings the same byte for byte"] == 0
    assert alike.figures["most that a number differs"] == pytest.approx(0.0001)
    assert not alike.wrong


@pytest.mark.parametrize(
    "changed",
    [{"confidence": 0.97}, {"contents": "grey road"}, {"alternatives": []}, {"told": True}],
    ids=["another number", "another tile", "fewer answers", "more said"],
)
def test_whatever_says_something_else_is_wrong(changed: dict[str, Any]) -> None:
    assert len(compared(reading(), reading(**changed)).wrong) == 1


def test_a_photograph_that_only_one_machine_read_is_wrong() -> None:
    assert compared(reading(), {}).wrong
    assert compared({}, {}).wrong
