"""How organisers and referees sign in and out: POST and DELETE /session; POST /welcome makes the first account.

POST /welcome needs a code. The session is a cookie that no script can read and that no other site's page sends. The
hub's own machine has no rights here.
"""

from __future__ import annotations

import math

from flask import Flask, Response, abort, request

from companion.board.fields import text
from companion.web.bodies import answered, not_yet, sent
from companion.web.keepers import SESSION_S
from companion.web.languages import _, ngettext
from hub.store.people import ORGANISER, Official, People, Tries
from hub.web.backend import Backend

COOKIE, SECURE_COOKIE = "strada-organiser", "__Host-strada-organiser"


def organiser_here(people: People) -> Official | None:
    """Return the organiser who asks; None for everybody else, referees included."""
    official = official_here(people)
    return official if official is not None and official.organises else None


def official_here(people: People) -> Official | None:
    """Return the organiser or referee who asks, both of whom see every table; None for everybody else."""
    token = request.cookies.get(_cookie(), "")
    return people.official(token) if token else None


def the_organiser(people: People) -> Official:
    """Return the organiser who asks; everybody else gets a 403."""
    official = organiser_here(people)
    if official is None:
        abort(403, _("Only organisers can do this. Sign in first."))
    return official


def refuse_hasty(tries: Tries) -> Response | None:
    """Return the answer for somebody who was wrong too often; None for everybody else."""
    wait_s = tries.wait_s(request.remote_addr or "")
    if wait_s <= 0:
        return None
    minutes = math.ceil(wait_s / 60)
    said = ngettext("Too many tries. Wait a minute.", "Too many tries. Wait %(num)d minutes.", minutes)
    return not_yet(said, wait_s, 429)


def add_sessions(app: Flask, backend: Backend) -> None:
    """Add them. Templates may ask for `official()`, and for `organiser()` if that person organises."""
    people, tries = backend.people, backend.tries

    @app.post("/session")
    def sign_in() -> Response:
        body = sent({"name", "password"}, "session")
        name, password = text(body, "name", "a name", 200), text(body, "password", "a password", 1000)
        if (hasty := refuse_hasty(tries)) is not None:
            return hasty
        official = people.sign_in(name, password)
        if official is None:
            tries.note(request.remote_addr or "")
            return answered(_("That is not the name and password of an account."), 403)
        return _let_in(official)

    @app.delete("/session")
    def sign_out() -> Response:
        people.sign_out(request.cookies.get(_cookie(), ""))
        answer = answered(_("Signed out."))
        answer.delete_cookie(_cookie(), secure=request.is_secure, httponly=True, samesite="Strict")
        return answer

    @app.post("/welcome")
    def welcome() -> Response:
        body = sent({"name", "password", "code"}, "account")
        name, password = text(body, "name", "a name", 200), text(body, "password", "a password", 1000)
        code = text(body, "code", "the code that the hub’s terminal shows", 40)
        if (hasty := refuse_hasty(tries)) is not None:
            return hasty
        if people.has_organiser:
            return answered(_("There is an organiser already. Sign in, or ask them."), 409)
        people.check(name, password)  # before the code is used up
        if not people.use_code(code, ORGANISER):
            tries.note(request.remote_addr or "")
            return answered(_("That is not the code. It is in the hub’s terminal, and good once."), 403)
        people.add(name, password)
        official = people.sign_in(name, password)
        assert official is not None
        return _let_in(official)

    app.jinja_env.globals.update(organiser=lambda: organiser_here(people), official=lambda: official_here(people))


def _let_in(official: Official) -> Response:
    answer = answered(_("You are signed in for the next twelve hours."), 201)
    answer.set_cookie(
        _cookie(), official.token, max_age=SESSION_S, secure=request.is_secure, httponly=True, samesite="Strict"
    )
    return answer


def _cookie() -> str:
    return SECURE_COOKIE if request.is_secure else COOKIE
