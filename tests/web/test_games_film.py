"""A game as a film: which of its steps it shows, each as a drawing; and the photographs beside a replay."""

import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

from flask.testing import FlaskClient

from companion.web.games.sharing import DRAWING_POLICY, MOST, film_of
from tests.web.books import Play, played, reader, story


def shown(client: FlaskClient, step: int) -> str:
    parts: dict[str, str] = client.get(f"/games/1/steps/{step}").get_json()["parts"]
    return parts["shown"]


def test_all_drawings_of_a_game_are_of_one_size_and_say_what_happened(book: Path) -> None:
    client, steps = reader(book), story(book).steps
    drawings = [ET.fromstring(client.get(f"/games/1/steps/{index}.svg").data) for index in film_of(steps)]
    assert len({(each.get("width"), each.get("height"), each.get("viewBox")) for each in drawings}) == 1
    titles = [each.findtext("{http://www.w3.org/2000/svg}title") for each in drawings]
    assert titles[0] == "The game begins: Ada and Bo"
    assert titles[-1] is not None
    assert "win" in titles[-1]


def test_a_drawing_runs_and_loads_nothing(book: Path) -> None:
    answer = reader(book).get("/games/1/steps/3.svg")
    assert answer.mimetype == "image/svg+xml"
    assert answer.headers["Content-Security-Policy"] == DRAWING_POLICY
    assert "http" not in answer.text.replace("http://www.w3.org/2000/svg", "")


def test_a_name_is_text_in_a_drawing_too(tmp_path: Path) -> None:
    client = reader(played(tmp_path, "built", names=("<b>&Bea", "Rob")))
    drawing = client.get("/games/1/steps/99.svg").text
    ET.fromstring(drawing)
    assert "&lt;b&gt;&amp;Bea" in drawing


def test_a_film_shows_what_counted_and_neither_what_was_refused_nor_what_was_taken_back(tmp_path: Path) -> None:
    steps = story(played(tmp_path, "refused", "built", "undone")).steps
    kinds = {steps[index].kind for index in film_of(steps)}
    assert kinds == {"start", "legal", "undone"}
    assert "illegal" in {step.kind for step in steps}
    assert any(step.is_undone for step in steps)
    assert not any(steps[index].is_undone for index in film_of(steps))


def test_a_long_game_is_thinned_out_evenly_from_its_deal_to_its_end(book: Path) -> None:
    steps = story(book).steps
    move = next(step for step in steps if step.kind == "legal")
    long = (steps[0], *[replace(move)] * 500, steps[-1])
    film = film_of(long)
    assert len(film) == MOST
    assert (film[0], film[-1]) == (0, 501)
    assert {later - earlier for earlier, later in pairwise(film)} <= {4, 5}


def test_the_page_offers_a_film_where_anything_happened(book: Path) -> None:
    page = reader(book).get("/games/1", headers={"Accept": "text/html"}).text
    steps, same = re.findall(r'data-steps="([^"]+)"', page)
    assert steps == same, "as a GIF, and as a WebP where the browser can"
    assert tuple(map(int, steps.split())) == film_of(story(book).steps)


def test_a_moment_whose_picture_is_not_kept_shows_the_last_one_before_it_and_says_so(tmp_path: Path) -> None:
    play = Play(tmp_path)
    play.begin()
    play.refused()
    play.built()
    client, steps = reader(play.closed()), story(tmp_path).steps
    at = next(index for index, step in enumerate(steps) if step.kind == "illegal")
    (before,) = re.findall(r'src="([^"]+)"', shown(client, at))
    pictures = sorted(tmp_path.glob("pictures/*/*.jpg"))
    pictures[-1].unlink()
    beside = shown(client, at + 1)
    (address,) = re.findall(r'src="([^"]+)"', beside)
    assert "This is the last one before it" in beside
    assert client.get(address).data == client.get(before).data
    assert "This is the last one before it" not in shown(client, at)
