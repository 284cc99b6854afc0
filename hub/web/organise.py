"""The organiser's page: the room's tables, what everybody may watch, new pairing codes, and revoking keys.

POST /pair admits a table that gives a pairing code.
"""

from __future__ import annotations

from pathlib import Path

from flask import Flask, Response, make_response, render_template, request

from companion.board import BadInputError
from companion.board.fields import flag, text
from companion.web.bodies import answered, sent
from companion.web.languages import _
from hub.store.forgetting import MOST_NAME as MOST_FORGOTTEN_NAME
from hub.store.forgetting import forget, forgotten_names, remember
from hub.store.people import CODE_S, LEAST_PASSWORD, MOST_PASSWORD, ROLES, TABLE
from hub.store.tables import MOST_NAME, allow_buttons, enrolled, open_to_all, revoke
from hub.web.backend import Backend
from hub.web.sessions import official_here, organiser_here, refuse_hasty, the_organiser


def add_organising(app: Flask, backend: Backend) -> None:
    """Add the page and its decisions."""
    _add_pairing(app, backend)
    _add_people(app, backend)
    people, room = backend.people, backend.room

    @app.get("/organise")
    def organise() -> Response:
        if official_here(people) is not None and organiser_here(people) is None:
            said = _("You are a referee here: you see every table. Only organisers can do what is on this page.")
            return make_response(render_template("hub/missing.html", sentence=said), 403)
        if organiser_here(people) is None:
            limits = {"least": LEAST_PASSWORD, "most": MOST_PASSWORD, "most_name": MOST_NAME}
            page = render_template("hub/door.html", is_first=not people.has_organiser, **limits)
            return make_response(page, 403)
        return make_response(
            render_template(
                "hub/organise.html", standings=room.standings(True), minutes=CODE_S[TABLE] // 60,
                has_home=backend.has_home,
                accounts=people.accounts(), forgotten=forgotten_names(backend.store), least=LEAST_PASSWORD,
                most=MOST_PASSWORD, most_name=MOST_NAME,
            )
        )  # fmt: skip

    @app.post("/organise/code")
    def code() -> Response:
        the_organiser(people)
        return answered(_("Type this at the table, on its page Keeper."), 201, code=people.new_code(TABLE))

    @app.post("/organise/tables/<int:number>/open")
    def open_one(number: int) -> Response:
        the_organiser(people)
        is_open = flag(sent(), "open")
        open_to_all(backend.store, [number], is_open)
        room.look_again()
        return answered(_("Everybody may watch it.") if is_open else _("Only organisers watch it."), go="/organise")

    @app.post("/organise/open")
    def open_all() -> Response:
        the_organiser(people)
        is_open = flag(sent(), "open")
        open_to_all(backend.store, [table.number for table in enrolled(backend.store)], is_open)
        room.look_again()
        said = _("Everybody may watch all tables.") if is_open else _("Only organisers watch the tables.")
        return answered(said, go="/organise")

    @app.post("/organise/tables/<int:number>/buttons")
    def buttons(number: int) -> Response:
        the_organiser(people)
        is_allowed = flag(sent(), "allow")
        allow_buttons(backend.store, number, is_allowed)
        room.look_again()
        allowed, gone = _("Home Assistant’s buttons work now, if the table allows them."), _("They no longer work.")
        return answered(allowed if is_allowed else gone, go="/organise")

    @app.post("/organise/tables/<int:number>/revoke")
    def shut_out(number: int) -> Response:
        the_organiser(people)
        table = revoke(backend.store, number)
        if table is None:
            return answered(_("There is no such table, or its key was revoked already."), 409)
        if backend.broker is not None:
            backend.broker.shut_out(table)
        room.look_again()
        return answered(_("Its key opens nothing any more. What it told is kept."), go="/organise")


def _add_people(app: Flask, backend: Backend) -> None:
    """Add accounts and forgotten names."""
    people, store = backend.people, backend.store

    @app.post("/organise/accounts")
    def account() -> Response:
        the_organiser(people)
        body = sent({"name", "password", "role"}, "an account")
        name, password = text(body, "name", "a name", 200), text(body, "password", "a password", 1000)
        if body.get("role") not in ROLES:
            raise BadInputError(f"role is {body.get('role')!r:.40}; it should be one of {', '.join(ROLES)}")
        people.add(name, password, str(body["role"]), is_new=True)
        return answered(_("The account is made. Tell them the password."), 201, go="/organise")

    @app.post("/organise/accounts/remove")
    def remove_account() -> Response:
        the_organiser(people)
        people.remove(text(sent({"name"}, "an account"), "name", "a name", 200))
        return answered(_("The account is deleted."), go="/organise")

    @app.post("/organise/forget")
    def forget_name() -> Response:
        the_organiser(people)
        body = sent({"name"}, "a name")
        try:
            instead = forget(store, text(body, "name", "a name", MOST_FORGOTTEN_NAME))
        finally:  # the name may be replaced even if the database's file could not be rewritten
            backend.room.forget()
            backend.halls.look_again()
        return answered(_("Forgotten. They are called %(name)s now.", name=instead), go="/organise")

    @app.post("/organise/forgotten/<int:number>/remember")
    def remember_name(number: int) -> Response:
        the_organiser(people)
        remember(store, number)
        backend.room.forget()
        return answered(_("This name may be used again from now on."), go="/organise")


def _add_pairing(app: Flask, backend: Backend) -> None:
    listening = backend.listening
    authority = Path(listening.authority).read_text() if listening.authority else ""

    @app.post("/pair")
    def pair() -> Response:
        body = sent({"code", "name", "table", "key"}, "pairing")
        code, name = text(body, "code", "a pairing code", 40), text(body, "name", "the table's name", 200)
        before = None
        if "table" in body:
            before = (text(body, "table", "the table's id", 40), text(body, "key", "its key", 200))
        if (hasty := refuse_hasty(backend.tries)) is not None:
            return hasty
        paired = backend.people.pair(code, name, before)
        if paired is None:
            backend.tries.note(request.remote_addr or "")
            return answered(_("That pairing code is wrong, used up, or too old. Ask for a new one."), 403)
        table, key = paired
        if backend.broker is not None:
            backend.broker.let_in(table, key)
        backend.room.look_again()
        broker = {"host": "", "port": listening.port, "tls": bool(listening.certificate), "authority": authority}
        told = {"hub": backend.store.hub, "called": backend.name, "table": table, "key": key, "broker": broker}
        return answered(_("The table belongs to the hub now."), 201, **told)
