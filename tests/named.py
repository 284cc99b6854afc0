"""Tables in documents whose rows name tests: `tests/x.py::test_y`, with or without the folder."""

import ast
import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
_NAMED = re.compile(r"`(?:tests/)?([\w/]+\.py)::(test_\w+)`")


def rows_of(document: Path) -> dict[str, list[tuple[str, str]]]:
    """Return the tests that each row of the document's first table names, file and function, by its first cell."""
    lines = document.read_text().splitlines()
    first = next(number for number, line in enumerate(lines) if line.startswith("| ---"))
    rows: dict[str, list[tuple[str, str]]] = {}
    for line in lines[first + 1 :]:
        if not line.startswith("|"):
            break
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        name = cells[0] if cells[0] not in rows else f"{cells[0]}: {cells[1]}"
        rows[name if name not in rows else line] = _NAMED.findall(line)
    return rows


def is_there(file: str, test: str) -> bool:
    """Whether that test exists."""
    path = ROOT / "tests" / file
    tree = ast.parse(path.read_text()) if path.exists() else ast.Module([], [])
    return any(isinstance(node, ast.FunctionDef) and node.name == test for node in tree.body)


@cache
def promised() -> frozenset[tuple[str, str]]:
    """Return the tests, file and function, that the tables of faults and threats name."""
    rows = [rows_of(ROOT / "docs" / name) for name in ("faults.md", "threats.md")]
    return frozenset(test for each in rows for tests in each.values() for test in tests)


def must_run(file: str, test: str, why_not: str, is_ci: bool) -> bool:
    """Whether that skipped test is promised and should have run: in CI, unless only root can try it."""
    return is_ci and (file, test) in promised() and "only root" not in why_not
