"""Whatever is asked of the panel, in whatever order and by however many threads, ends as it should."""

import threading
from collections.abc import Callable
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from hardware.cues import CUES, GLOWS, LEGAL_GLOW, TURN
from hardware.panel import MOST_PAUSE_S, Panel
from hardware.pins import mock_factory
from tests.clock import Clock
from tests.hardware.mock_panel import GREEN, PINS, later, lit_turns, wait_for

CALLS: dict[str, Callable[[Panel], Any]] = {
    **{f"play {name}": lambda panel, cue=cue: panel.play(cue) for name, cue in CUES.items()},
    **{f"glow {name}": lambda panel, glow=glow: panel.glow(glow) for name, glow in GLOWS.items()},
    "red's turn": lambda panel: panel.show_turn("red"),
    "nobody's turn": lambda panel: panel.show_turn(None),
    "pause": lambda panel: panel.pause(),
    "pause long": lambda panel: panel.pause(1e9),
    "pause for nothing": lambda panel: panel.pause(0),
    "resume": lambda panel: panel.resume(),
    "state": lambda panel: panel.state(),
    "down": lambda panel: panel._factory.pin(PINS.button).drive_low(),
    "up": lambda panel: panel._factory.pin(PINS.button).drive_high(),
}


@given(st.lists(st.tuples(st.sampled_from(sorted(CALLS)), st.floats(0, 3)), max_size=40))
def test_whatever_is_asked_for_in_whatever_order_nothing_outlives_its_effect(calls: list[tuple[str, float]]) -> None:
    clock = Clock()
    panel = Panel(PINS, mock_factory(), clock=clock)
    for name, seconds in calls:
        CALLS[name](panel)
        clock.now_s += seconds
        assert panel.step() > -1e-9
        assert panel.dark_since_s is None or clock.now_s - panel.dark_since_s < MOST_PAUSE_S
    later(panel, clock, MOST_PAUSE_S + max(cue.seconds for cue in CUES.values()))
    turned = [name for name, _ in calls if "turn" in name and "play" not in name]
    state, glow = panel.state(), GLOWS[panel.state().glow]
    assert not state.sounding
    assert lit_turns(panel) == (["red"] if turned[-1:] == ["red's turn"] else [])
    assert state.status in {flash.colour for flash in glow.rhythm}
    assert state.glow == next((name[5:] for name, _ in reversed(calls) if name.startswith("glow ")), "calm")
    panel.close()


def test_several_threads_may_ask_for_everything_at_once() -> None:
    failed: list[BaseException] = []

    def asks(panel: Panel, first: int) -> None:
        names = sorted(CALLS)
        try:
            for number in range(150):
                CALLS[names[(first + 7 * number) % len(names)]](panel)
                with panel.paused(0.01):
                    panel.play(TURN)
        except BaseException as error:
            failed.append(error)

    with Panel(PINS, mock_factory()) as panel:
        threads = [threading.Thread(target=asks, args=(panel, first)) for first in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(20)
        panel.resume()
        panel.show_turn("grey")
        panel.glow(LEGAL_GLOW)
        panel.play(TURN)
        assert wait_for(lambda: panel.state().sounding)
        assert wait_for(lambda: panel.state().status == GREEN)
        assert lit_turns(panel) == ["grey"]
    assert failed == []
    assert not any(thread.is_alive() for thread in threads)
