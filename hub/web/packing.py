"""Answers packed by gzip where the browser can unpack them: a board as SVG is a fifth of its size then.

Nothing that only some may know stands beside what a stranger can choose: no page repeats an address or a form, and
what is short is sent as it is.
"""

from __future__ import annotations

import gzip

from flask import Response, request

#: What is shorter is sent as it is; a level beyond which little is won.
LEAST_BYTES, LEVEL = 1500, 5

TYPES = ("text/html", "text/css", "text/javascript", "application/json", "image/svg+xml")


def packed(answer: Response) -> Response:
    """Return the answer, packed where that is worth it."""
    answer.headers.add("Vary", "Accept-Encoding")
    is_wanted = request.accept_encodings.quality("gzip") > 0 and request.method == "GET" and answer.status_code == 200
    if not is_wanted or answer.mimetype not in TYPES or "Content-Encoding" in answer.headers:
        return answer
    answer.direct_passthrough = False
    content = answer.get_data()
    if len(content) >= LEAST_BYTES:
        answer.set_data(gzip.compress(content, LEVEL, mtime=0))
        answer.headers["Content-Encoding"] = "gzip"
    return answer
