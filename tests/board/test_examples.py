"""The examples in the docstrings are true, of compiled modules too: these show no docstrings, so the source is read."""

import ast
import doctest
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("module", "count"), [("bitboard", 3), ("components", 1), ("hexagon", 3), ("section", 2), ("square", 3)]
)
def test_the_examples_of_a_module_give_what_they_show(module: str, count: int) -> None:
    source = ast.parse((ROOT / "companion" / "board" / f"{module}.py").read_text())
    documented = (node for node in ast.walk(source) if isinstance(node, ast.FunctionDef | ast.ClassDef))
    text = "\n\n".join(ast.get_docstring(node) or "" for node in documented)
    known = vars(import_module(f"companion.board.{module}"))
    found = doctest.DocTestRunner().run(doctest.DocTestParser().get_doctest(text, dict(known), module, None, None))
    assert (found.failed, found.attempted) == (0, count)
