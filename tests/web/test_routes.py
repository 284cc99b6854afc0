"""Every route, against whatever a network can send: the answer is a sentence, never a fault and never a change.

The routes come from the application's own map, so a new one is tried as soon as it is there.
"""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from flask.testing import FlaskClient
from hypothesis import given, settings
from hypothesis import strategies as st
from werkzeug.routing import Rule
from werkzeug.test import TestResponse

from companion.web.security import MOST_BYTES
from companion.web.sessions import COOKIE
from tests.tries import tries
from tests.web.playing import OWN, PHONE
from tests.web.sendable import BODIES, NEARLY, QUERIES, TYPES, WORDS
from tests.web.whole import Whole, whole

VIEWER = PHONE
UNSAFE = ("POST", "PUT", "PATCH", "DELETE")
METHODS = ("GET", "HEAD", "OPTIONS", *UNSAFE)

#: What a viewer may ask of a drawn table, by the beginning of the address; at a real one there is none of this.
OPEN = ("/commands/", "/table/")
#: How a viewer becomes a keeper, or ceases to be one.
DOOR = "/keeper/session"

#: For each argument of a route, something that makes sense there.
FITTING = {"filename": "base.css", "name": "pause", "what": "press", "which": "after"}

#: An argument in a rule, with its name in the group: <name>, <int(min=1):number>.
ARGUMENT = re.compile(r"<(?:[^<>]*:)?(\w+)>")


class Browser(FlaskClient):
    """Asks for pages like somebody who types an address."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.environ_base["HTTP_ACCEPT"] = "text/html"


@pytest.fixture(
    scope="module",
    params=[(False, FlaskClient), (True, FlaskClient), (True, Browser)],
    ids=["real", "drawn", "drawn, in a browser"],
)
def pages(request: pytest.FixtureRequest, book: Path) -> Whole:
    is_drawn, client = request.param
    made = whole(book, is_drawn=is_drawn)
    made.app.test_client_class = client
    return made


def rules(pages: Whole) -> list[Rule]:
    return list(pages.app.url_map.iter_rules())


def address(rule: Rule, arguments: Mapping[str, str] | None = None) -> str:
    """Return the rule's address with those arguments, and fitting ones for the rest."""
    given = {**FITTING, **(arguments or {})}
    return ARGUMENT.sub(lambda found: quote(given.get(found[1], "1"), safe=""), rule.rule)


def ask(
    client: FlaskClient, method: str, path: str, who: str = "127.0.0.1", headers: Mapping[str, str] = OWN, **more: Any
) -> TestResponse:
    return client.open(path, method=method, headers=dict(headers), environ_base={"REMOTE_ADDR": who}, **more)


def sentence(answer: TestResponse) -> str:
    """Return what a refusal says: in JSON, on a page, or as plain text where no page is possible."""
    said: str
    if answer.mimetype == "text/html":
        (said,) = re.findall('<div role="alert"><h1>(.*)</h1>', answer.text)
    elif answer.mimetype == "text/plain":
        said = answer.text
    else:
        assert answer.mimetype == "application/json", answer.text
        said = json.loads(answer.data)["message"]
    assert said[-1] in ".?!", said
    assert len(said) < 500
    return said


def unsafe(pages: Whole) -> Iterator[tuple[str, str]]:
    for rule in rules(pages):
        for method in sorted((rule.methods or set()) & set(UNSAFE)):
            yield method, address(rule)


def test_there_are_routes_to_try(pages: Whole) -> None:
    found = {rule.rule for rule in rules(pages)}
    assert {"/", "/tv", "/events", "/keeper", "/keeper/<name>", DOOR, "/keeper/start", "/games", "/setup"} <= found
    is_drawn = any(path.startswith(OPEN) and "what" in path for path in found)
    assert is_drawn == ("table" in pages.app.view_functions)


@pytest.mark.long
def test_wrong_methods_are_refused_with_a_sentence(pages: Whole) -> None:
    client, before = pages.app.test_client(), pages.changes()
    tried = 0
    for path in {address(rule) for rule in rules(pages)}:
        adapter = pages.app.url_map.bind("localhost")
        allowed = set(adapter.allowed_methods(path)) | {"HEAD", "OPTIONS"}
        for method in set(METHODS) - allowed:
            answer = ask(client, method, path)
            assert answer.status_code == 405, f"{method} {path}"
            sentence(answer)
            tried += 1
    assert tried > 50
    assert pages.changes() == before


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"X-Strada": "1"},
        {"Origin": "http://localhost"},
        {"Origin": "http://evil.example", "X-Strada": "1"},
        {"Origin": "http://localhost.evil.example", "X-Strada": "1"},
        {"Origin": "http://localhost:81", "X-Strada": "1"},
        {"Origin": "null", "X-Strada": "1"},
        {"Origin": "", "X-Strada": "1"},
        {"Origin": "http://[", "X-Strada": "1"},
        {"Referer": "http://localhost/", "X-Strada": "1"},
    ],
    ids=str,
)
@pytest.mark.parametrize("who", ["127.0.0.1", VIEWER])
def test_another_sites_page_changes_nothing(pages: Whole, headers: dict[str, str], who: str) -> None:
    client, before = pages.app.test_client(), pages.changes()
    for method, path in unsafe(pages):
        answer = ask(client, method, path, who, headers)
        assert answer.status_code == 403, f"{method} {path}"
        sentence(answer)
    assert pages.changes() == before


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example", "192.168.1.5.evil.example", "[::1", "a b"])
def test_under_another_name_nothing_is_answered(pages: Whole, host: str) -> None:
    client, before = pages.app.test_client(), pages.changes()
    for rule in rules(pages):
        for method in sorted((rule.methods or set()) - {"OPTIONS", "HEAD"}):
            headers = {"Host": host, "Origin": f"http://{host}", "X-Strada": "1"}
            answer = ask(client, method, address(rule), headers=headers)
            assert answer.status_code == 400, f"{method} {rule.rule}"
            assert "web.trusted_hosts" in sentence(answer)
    assert pages.changes() == before


@pytest.mark.parametrize("cookie", ["", "x", "WyJBZGEiLDk5OTk5OTk5OTksIm4iXQ.AAAA"])
def test_without_the_pin_nobody_decides(pages: Whole, cookie: str) -> None:
    client, before = pages.app.test_client(), pages.changes()
    client.set_cookie(COOKIE, cookie)
    tried = 0
    for method, path in unsafe(pages):
        if path == DOOR or path.startswith(OPEN):
            continue
        answer = ask(client, method, path, VIEWER, json={})
        assert answer.status_code == 403, f"{method} {path}"
        assert "PIN" in sentence(answer)
        tried += 1
    assert tried >= 2
    assert pages.changes() == before


def test_at_a_real_table_a_viewer_can_ask_for_nothing_but_to_come_in(book: Path) -> None:
    assert not [path for _, path in unsafe(whole(book, is_drawn=False)) if path.startswith("/table/")]


@pytest.mark.parametrize("who", ["127.0.0.1", VIEWER])
def test_a_number_of_5000_digits_is_no_page(pages: Whole, who: str, caplog: pytest.LogCaptureFixture) -> None:
    """Python reads no number of more than 4,300 digits, and each such request was once a traceback in the log."""
    digits = "1" * 5000
    numbered = [rule for rule in rules(pages) if "int" in rule.rule and "GET" in (rule.methods or ())]
    assert len(numbered) >= 7
    for rule in numbered:
        names = dict.fromkeys(rule.arguments, digits)
        answer = ask(pages.app.test_client(), "GET", address(rule, names), who)
        assert (answer.status_code, rule.rule) == (404, rule.rule)
        sentence(answer)
    assert caplog.text == ""


def test_a_page_that_one_came_from_may_be_called_anything(pages: Whole) -> None:
    answer = ask(pages.app.test_client(), "GET", "/rulings/latest", VIEWER, {"Referer": "http://[::1"})
    assert answer.status_code in (302, 404)


@pytest.mark.parametrize("who", ["127.0.0.1", VIEWER])
def test_huge_bodies_are_refused(pages: Whole, who: str) -> None:
    client, before = pages.app.test_client(), pages.changes()
    for method, path in unsafe(pages):
        answer = ask(client, method, path, who, data=b" " * (MOST_BYTES + 1), content_type="application/json")
        assert answer.status_code == 413, f"{method} {path}"
        sentence(answer)
    assert pages.changes() == before


# Anything at all.


def test_each_step_of_the_set_up_is_tried(pages: Whole) -> None:
    said = ask(pages.app.test_client(), "POST", "/setup/nothing", json={}).json
    known = re.search(r"There are: (.*)\.$", said["message"])
    assert {f"/setup/{step}" for step in known[1].split(", ")} <= NEARLY.keys()


#: The nearly right bodies, with strategies that are made only once.
BODIES_NEARLY = {path: st.fixed_dictionaries({}, optional=fields) for path, fields in NEARLY.items()}


# There are many routes, each at three tables; `make bench-fuzz` sends a hundred thousand requests.
@pytest.mark.parametrize("path", NEARLY)
@settings(max_examples=tries(30))
@given(data=st.data())
def test_what_is_nearly_right_is_obeyed_or_named(pages: Whole, path: str, data: st.DataObject) -> None:
    client, before = pages.app.test_client(), pages.changes()
    body = data.draw(BODIES_NEARLY[path], "body")
    answer = ask(client, "POST", path, json=body)
    assert answer.status_code < 500, answer.text
    if answer.status_code >= 400:
        sentence(answer)
        assert pages.changes() == before
    elif path.startswith("/keeper/") and path not in (DOOR, "/keeper/teach"):  # a lesson is shown, but nothing decided
        assert len(pages.changes()) > len(before)


@pytest.mark.long
@pytest.mark.parametrize("who", ["127.0.0.1", VIEWER])
@given(data=st.data())
def test_whatever_is_sent_is_answered_with_a_sentence(pages: Whole, who: str, data: st.DataObject) -> None:
    client, before = pages.app.test_client(), pages.changes()
    rule = data.draw(st.sampled_from(sorted(rules(pages), key=lambda each: each.rule)), "rule")
    method = data.draw(st.sampled_from(sorted(rule.methods or METHODS)) | st.sampled_from(METHODS), "method")
    given_words = {name: data.draw(WORDS | st.text(max_size=12), name) for name in sorted(rule.arguments)}
    path = address(rule, given_words)
    answer = ask(
        client,
        method,
        path,
        who,
        data=data.draw(BODIES, "body"),
        content_type=data.draw(TYPES, "type"),
        query_string=data.draw(QUERIES, "query"),
    )
    assert answer.status_code < 500 or answer.headers.get("Retry-After"), f"{method} {path}: {answer.text}"
    if answer.status_code >= 400 and method != "HEAD":
        sentence(answer)
    is_open = path.startswith(OPEN) and who == VIEWER
    if not (answer.status_code < 300 and (who == "127.0.0.1" or is_open)):
        assert pages.changes() == before, f"{method} {path}"
    answer.close()
