"""The examples in the docstrings are true."""

import doctest
from importlib import import_module

import pytest


@pytest.mark.parametrize(("module", "count"), [("components", 3), ("hexagon", 3), ("square", 3)])
def test_the_examples_of_a_module_give_what_they_show(module: str, count: int) -> None:
    found = doctest.testmod(import_module(f"companion.board.{module}"))
    assert (found.failed, found.attempted) == (0, count)
