from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient

from companion.web import Limits
from tests.web.books import evening, pages
from tests.web.playing import Table, game


@pytest.fixture
def table() -> Iterator[Table]:
    made = Table()
    made.scoreboard.publish(game())
    yield made
    made.scoreboard.close()


@pytest.fixture
def app(table: Table) -> Flask:
    limits = Limits(streams=3, streams_per_address=2)
    return table.pages(limits=limits)


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    return app.test_client()


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return evening(tmp_path_factory.mktemp("book"))


@pytest.fixture
def visitor(book: Path) -> FlaskClient:
    return pages(book).test_client()
