"""A keeper signs in and out: POST and DELETE /keeper/session, and who it is that asks for something.

POST /keeper/sign-out signs somebody else out: {"number": ...} of their session, or {"everybody": true}.

The session is a cookie that no script can read and no other site's page sends. This machine itself (a kiosk, the
command line) keeps without one.
"""

from __future__ import annotations

import math
import re

from flask import Flask, Response, abort, request

from companion.board.fields import flag, only, text
from companion.commands import KEEPER, NAMELESS
from companion.web.bodies import answered, sent
from companion.web.keepers import DIGITS, SESSION_S, Keepers, Refused, Session
from companion.web.languages import _, ngettext
from companion.web.security import is_here

#: The cookie that holds a session. Under TLS it is another one, which is never sent in the open: browsers do not let a
#: page in the open write over it, and none of a `__Host-` cookie can come from another machine (RFC 6265bis, 4.1.3).
COOKIE, SECURE_COOKIE = "strada-keeper", "__Host-strada-keeper"


#: What a browser calls its device, and what people do; the first that is found.
DEVICES = (
    ("iPhone", "iPhone"), ("iPad", "iPad"), ("Android", "Android"), ("CrOS", "Chromebook"), ("Windows", "Windows"),
    ("Macintosh", "Mac"), ("Linux", "Linux"),
)  # fmt: skip


def keeper_here(keepers: Keepers) -> str | None:
    """Return who decides, if the one who asks may: their name, or that they are a keeper. None: a viewer.

    Everybody reads who decided, so no address is kept. Nobody is called as the table's own parts are.
    """
    session = keepers.session(_kept())
    if session is None:
        return KEEPER if is_here() else None
    return session.name if session.name and session.name not in NAMELESS else KEEPER


def the_keeper(keepers: Keepers) -> str:
    """Return who decides; a viewer is answered 403, with how to become a keeper."""
    by = keeper_here(keepers)
    if by is None:
        abort(
            403,
            _(
                "You need the keeper’s PIN for this. Hold the table’s button to see it, "
                "then sign in on the Keeper page."
            ),
        )
    return by


def add_sessions(app: Flask, keepers: Keepers) -> None:
    """Add signing in and out; templates may ask `keeper()` who decides, and `session_name()` as whom they signed in."""

    @app.post("/keeper/session")
    def sign_in() -> Response:
        body = sent()
        only(body, {"pin", "name"}, "session")
        pin = "".join(text(body, "pin", f"the {DIGITS} digits that the table shows").split())
        name = text({"name": "", **body}, "name", "a name of at most 200 characters", 200)
        if not re.fullmatch(f"[0-9]{{{DIGITS}}}", pin):
            return answered(_("The PIN has %(digits)d digits.", digits=DIGITS), 400)
        return _let_in(keepers, pin, name)

    @app.delete("/keeper/session")
    def sign_out() -> Response:
        session = keepers.session(_kept())
        if session is not None:
            keepers.sign_out(session.number)
        answer = answered(_("Signed out."))
        answer.delete_cookie(_cookie(), secure=request.is_secure, httponly=True, samesite="Strict")
        return answer

    @app.post("/keeper/sign-out")
    def sign_others_out() -> Response:
        the_keeper(keepers)
        body = sent()
        only(body, {"number", "everybody"}, "whom to sign out")
        if flag(body, "everybody"):
            keepers.sign_all_out()
            return answered(_("Everybody is signed out."), go="/keeper")
        if not keepers.sign_out(text(body, "number", "the number of a session")):
            return answered(_("They are signed out already."), 409)
        return answered(_("Signed out."), go="/keeper")

    app.jinja_env.globals["keeper"] = lambda: keeper_here(keepers)
    app.jinja_env.globals["session_name"] = lambda: _session_name(keepers)


def _let_in(keepers: Keepers, pin: str, name: str) -> Response:
    entered = keepers.sign_in(pin, name, request.remote_addr or "", _device())
    if isinstance(entered, Refused):
        if entered.wait_s > 0:
            answer = answered(_too_many(entered.wait_s), 429)
            answer.headers["Retry-After"] = str(math.ceil(entered.wait_s))
            return answer
        return answered(_("That is not the PIN. Hold the table’s button and look again."), 403)
    answer = answered(_("You are the keeper now, for the next twelve hours."), 201)
    answer.set_cookie(
        _cookie(), entered.token, max_age=SESSION_S, secure=request.is_secure, httponly=True, samesite="Strict"
    )
    return answer


def _device() -> str:
    """Return on what somebody signs in, as its browser says; "" for what is not known."""
    agent = request.headers.get("User-Agent", "")
    return next((shown for named, shown in DEVICES if named in agent), "")


def _too_many(wait_s: float) -> str:
    seconds = math.ceil(wait_s)
    if seconds < 120:
        return ngettext(
            "Too many wrong PINs. Try again in %(num)d second.",
            "Too many wrong PINs. Try again in %(num)d seconds.",
            seconds,
        )
    return ngettext(
        "Too many wrong PINs. Try again in %(num)d minute.",
        "Too many wrong PINs. Try again in %(num)d minutes.",
        math.ceil(seconds / 60),
    )


def session_here(keepers: Keepers) -> Session | None:
    """Return the session of the browser that asks, if it has one."""
    return keepers.session(_kept())


def _session_name(keepers: Keepers) -> str | None:
    session = session_here(keepers)
    return None if session is None else session.name


def _cookie() -> str:
    return SECURE_COOKIE if request.is_secure else COOKIE


def _kept() -> str:
    """Return what the browser kept of a session."""
    return request.cookies.get(_cookie(), "")
