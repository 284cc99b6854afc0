"""How a keeper signs in and out: POST and DELETE /keeper/session; and who is asking.

POST /keeper/sign-out signs others out: {"number": ...} of their session, or {"everybody": true}.

The session is a cookie that no script can read and that no other site's page sends. This machine itself (a kiosk, the
command line) needs none.
"""

from __future__ import annotations

import math
import re

from flask import Flask, Response, abort, request

from companion.board.fields import flag, text
from companion.commands import KEEPER, NAMELESS
from companion.web.bodies import answered, not_yet, sent
from companion.web.keepers import DIGITS, SESSION_S, Keepers, Refused, Session
from companion.web.languages import _, ngettext
from companion.web.security import is_here

#: The cookie that holds a session. Under TLS it is another one, which is never sent in the open: browsers do not let an
#: unencrypted page overwrite it, and no `__Host-` cookie can come from another machine (RFC 6265bis, 4.1.3).
COOKIE, SECURE_COOKIE = "strada-keeper", "__Host-strada-keeper"


#: What browsers call a device, and what people call it; the first match counts.
DEVICES = (
    ("iPhone", "iPhone"), ("iPad", "iPad"), ("Android", "Android"), ("CrOS", "Chromebook"), ("Windows", "Windows"),
    ("Macintosh", "Mac"), ("Linux", "Linux"),
)  # fmt: skip


def keeper_here(keepers: Keepers) -> str | None:
    """Return the deciding keeper's name, or just that they are a keeper; None if a viewer asks.

    Everybody can read who decided, so no address is kept. Nobody may bear the name of one of the table's own parts.
    """
    session = keepers.session(_kept())
    if session is None:
        return KEEPER if is_here() else None
    return session.name if session.name and session.name not in NAMELESS else KEEPER


def the_keeper(keepers: Keepers) -> str:
    """Return who decides. A viewer gets a 403 that says how to become a keeper."""
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
    """Add signing in and out. Templates may call `keeper()` for who decides, and `session_name()` for their name."""

    @app.post("/keeper/session")
    def sign_in() -> Response:
        body = sent({"pin", "name"}, "session")
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
        body = sent({"number", "everybody"}, "whom to sign out")
        if flag(body, "everybody"):
            keepers.sign_all_out()
            return answered(_("Everybody is signed out."), go="/keeper")
        if not keepers.sign_out(text(body, "number", "the number of a session")):
            return answered(_("They are signed out already."), 409)
        return answered(_("Signed out."), go="/keeper")

    app.jinja_env.globals["keeper"] = lambda: keeper_here(keepers)
    app.jinja_env.globals["session_name"] = lambda: (session := session_here(keepers)) and session.name


def _let_in(keepers: Keepers, pin: str, name: str) -> Response:
    entered = keepers.sign_in(pin, name, request.remote_addr or "", _device())
    if isinstance(entered, Refused):
        if entered.wait_s > 0:
            return not_yet(_too_many(entered.wait_s), entered.wait_s, 429)
        return answered(_("That is not the PIN. Hold the table’s button and look again."), 403)
    answer = answered(_("You are the keeper now, for the next twelve hours."), 201)
    answer.set_cookie(
        _cookie(), entered.token, max_age=SESSION_S, secure=request.is_secure, httponly=True, samesite="Strict"
    )
    return answer


def _device() -> str:
    """Return the device on which somebody signs in, as its browser calls it; "" if it is unknown."""
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
    """Return the session of the requesting browser, if it has one."""
    return keepers.session(_kept())


def _cookie() -> str:
    return SECURE_COOKIE if request.is_secure else COOKIE


def _kept() -> str:
    """Return what the browser has kept of a session."""
    return request.cookies.get(_cookie(), "")
