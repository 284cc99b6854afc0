"""Draws the icons of an installed Strada from icon.svg: `python docs/icons.py` (needs chromium-headless-shell)."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

STATIC = Path(__file__).parents[1] / "companion/web/static"
#: Each icon: its side in pixels, the part of it that the drawing takes, and what lies behind it ("" for nothing).
ICONS = {
    "icon-192.png": (192, 1.0, ""),
    "icon-512.png": (512, 1.0, ""),
    "icon-whole.png": (512, 0.64, "#fff7e0"),  # a device cuts its own shape out: the middle 80 % stays
}


def draw(name: str) -> None:
    """Draw that icon into the folder of static files."""
    side, part, behind = ICONS[name]
    svg = (STATIC / "icon.svg").read_text().replace("<svg ", f'<svg width="{side * part}" height="{side * part}" ')
    style = f"margin:0;height:100vh;display:grid;place-items:center;background:{behind or 'transparent'}"
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "icon.html"
        page.write_text(f'<!doctype html><body style="{style}">{svg}')
        subprocess.run(
            [
                "chromium-headless-shell",
                "--no-sandbox",
                "--hide-scrollbars",
                "--default-background-color=00000000",
                f"--window-size={side},{side}",
                f"--screenshot={STATIC / name}",
                page.as_uri(),
            ],
            check=True,
            capture_output=True,
            timeout=60,
        )


if __name__ == "__main__":
    for each in ICONS:
        draw(each)
