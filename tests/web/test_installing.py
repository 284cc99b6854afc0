"""What a device needs to install Strada."""

import cv2
import numpy as np
from flask.testing import FlaskClient


def test_manifest_names_icons_that_are_as_large_as_it_says(client: FlaskClient) -> None:
    answer = client.get("/manifest.webmanifest")
    assert answer.mimetype == "application/manifest+json"
    said = answer.get_json(force=True)
    assert (said["start_url"], said["scope"], said["display"]) == ("/", "/", "standalone")
    assert {icon["purpose"] for icon in said["icons"]} == {"any", "maskable"}
    for icon in said["icons"]:
        with client.get(icon["src"]) as picture:
            drawn = cv2.imdecode(np.frombuffer(picture.data, np.uint8), cv2.IMREAD_COLOR)
        assert drawn is not None
        assert f"{drawn.shape[1]}x{drawn.shape[0]}" == icon["sizes"]


def test_every_page_leads_to_the_manifest_and_names_the_worker_in_its_language(client: FlaskClient) -> None:
    client.set_cookie("language", "de")
    page = client.get("/tv").text
    assert 'rel="manifest" href="/manifest.webmanifest"' in page
    assert 'data-worker="/worker.js?v=' in page
    assert "language=de" in page


def test_worker_is_served_from_the_root_and_stored_by_nobody(client: FlaskClient) -> None:
    with client.get("/worker.js") as answer:
        assert answer.mimetype == "text/javascript"
        assert answer.headers["Cache-Control"] == "no-store"


def test_page_for_a_table_that_is_away_says_nothing_of_a_game(client: FlaskClient) -> None:
    page = client.get("/away").text
    assert "The table is away; I keep trying." in page
    assert "Ada" not in page
