"""For programs that watch the table: GET /health, and GET /metrics for Prometheus (docs/monitoring.md)."""

from __future__ import annotations

from dataclasses import asdict

from flask import Flask, Response, abort, jsonify

from companion.web.backend import Monitor
from companion.web.languages import _
from companion.web.security import is_here
from companion.web.stream import Streams

#: It has a thread of its own (companion.web.server).
HEALTH = "/health"

#: Prometheus' text format; https://prometheus.io/docs/instrumenting/exposition_formats/
FORMAT = "text/plain; version=0.0.4; charset=utf-8"


def add_monitoring(app: Flask, monitor: Monitor, streams: Streams, is_open: bool) -> None:
    """Add both. Everybody may ask whether all is well; figures are for this machine, unless `is_open`."""

    @app.get(HEALTH)
    def health() -> Response:
        now = monitor.health()
        answer = jsonify({"ok": now.is_well, **asdict(now)})
        answer.status_code = 200 if now.is_well else 503
        return answer

    @app.get("/metrics")
    def metrics() -> Response:
        if not (is_open or is_here()):
            abort(403, _("These figures are only for programs on the table’s own machine."))
        return Response(monitor.figures(streams.count), content_type=FORMAT)
