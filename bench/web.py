"""The scoreboard in the browser: its first view, a hundred of them at once, some slow, some vanished, half requests.

The companion runs in this process as `strada run` does, on its drawn table, at its fastest. The watchers run in other
processes. An event's time is when the loop has judged it, before the logbook has written it. Nobody is told before it
is written. Slow and vanished ones need a network of their own (unshare, ip). If this machine grants none, the bench
says so.
"""

from __future__ import annotations

import argparse
import http.client
import json
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from typing import Any

from bench.bars import Bar, told
from bench.crowds import WATCHERS, Crowd, Stopwatch, ask, late_ms, running
from bench.dripping import dripping, waits_ms
from bench.viewing import View, first_views, has_browser

#: The bars.
MOST_KB, MOST_USABLE_S = 150, 1.0
MOST_TOLD_MS, MOST_FREE_S = 50, 15
SLOW = VANISHED = 20

#: How many half requests drip at once, from how many addresses, and how long the TV and a phone may wait meanwhile.
DRIPS, DRIPPING_ADDRESSES, MOST_WAIT_MS = 230, (1, 20), 300

#: Who asks meanwhile: this machine's own TV, and a phone.
ASKERS = {"TV": ("127.0.0.1", "/tv"), "phone": ("127.0.7.2", "/keeper")}

#: How much longer a frame's interval may be with watchers than without: chance alone makes that much.
MOST_SLOWER = 1.1

#: How long each part is watched.
WATCHED_S = 60.0


def percentile(values: Sequence[float], percent: float) -> float:
    """Return the smallest value that this percentage of them does not exceed; infinity if there are none."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, round(percent / 100 * (len(ordered) - 1)))] if ordered else float("inf")


def memory_mb() -> float:
    """Return how much memory this process holds now."""
    (line,) = (line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) / 1024


def hundred(seconds: float) -> tuple[dict[str, Any], list[Bar]]:
    """Measure a hundred at once, against none; and the one too many."""
    watch = Stopwatch()
    with running(watch) as companion:
        alone_from_s, alone_mb = time.monotonic(), memory_mb()
        time.sleep(seconds)
        start_s = time.monotonic()
        crowd = Crowd(companion, "well", WATCHERS, "127.0.3.")
        refused = [line for line in crowd.up() if " 200 " not in line]
        up_s, crowded_mb = time.monotonic(), memory_mb()
        extra = ask(companion, "GET", "/events")[0]
        page = [ask(companion, "GET", "/") for _ in range(10)]
        time.sleep(seconds)
        end_s, most_mb = time.monotonic(), memory_mb()
        late = late_ms(watch, crowd.end(), up_s, end_s)
    alone, crowded = watch.interval_ms(alone_from_s, start_s), watch.interval_ms(up_s, end_s)
    rates = watch.mean_frames_per_s(alone_from_s, start_s), watch.mean_frames_per_s(up_s, end_s)
    print(
        f"{WATCHERS} scoreboards: {_told(late)}; a frame every {crowded:.0f} ms, {rates[1]:.2f} a second, "
        f"alone {alone:.0f} ms, {rates[0]:.2f} a second; "
        f"memory {alone_mb:.0f} MB alone, {crowded_mb:.0f} with them, {most_mb:.0f} at the end"
    )
    disk = [1000 * took_s for took_s in watch.disk_s]
    print(f"of that the logbook's disk takes {median(disk):.1f} ms (median), {percentile(disk, 99):.1f} (p99)")
    print(f"the 101st: {extra}; pages: {page[0][0]}, {1000 * median(took_s for _, took_s in page):.0f} ms")
    bars = [
        Bar("scoreboards under the cap that were refused", len(refused), 0, "of 100"),
        Bar("99 % of verdicts at 100 scoreboards", percentile(late, 99), MOST_TOLD_MS, "ms"),
        Bar("a frame's interval with 100 scoreboards, against none", crowded / alone, MOST_SLOWER, "times"),
        Bar("answers to the 101st other than 503", int(extra != 503), 0, "answers"),
        Bar("pages beside 100 scoreboards that failed", sum(status != 200 for status, _ in page), 0, "of 10"),
    ]
    figures = {
        "verdicts": len(late),
        "median_ms": round(median(late), 1),
        "p99_ms": round(percentile(late, 99), 1),
        "disk_median_ms": round(median(disk), 1),
        "disk_p99_ms": round(percentile(disk, 99), 1),
        "frame_ms": round(crowded, 1),
        "frame_alone_ms": round(alone, 1),
        "frames_per_s": round(rates[1], 2),
        "frames_per_s_alone": round(rates[0], 2),
        "memory_mb": [round(mb) for mb in (alone_mb, crowded_mb, most_mb)],
    }
    return figures, bars


def troubled(seconds: float) -> tuple[dict[str, Any], list[Bar]]:
    """Measure sixty well ones, while twenty go slow and twenty vanish at the same moment."""
    watch = Stopwatch()
    well = WATCHERS - SLOW - VANISHED
    with running(watch, host="0.0.0.0") as companion:
        crowds = [
            Crowd(companion, "well", well, "127.0.3."),
            Crowd(companion, "slow", SLOW, "127.0.4."),
            Crowd(companion, "vanished", VANISHED, "10.99.0.", host="10.99.0.1"),
        ]
        refused = [line for crowd in crowds for line in crowd.up() if " 200 " not in line]
        time.sleep(5)
        now_s = time.monotonic()
        for crowd in crowds:
            crowd.say("now")
        # Newcomers are served once a thread is free again.
        free_s, newcomers = float("inf"), 0
        instead: list[http.client.HTTPConnection] = []
        while newcomers < SLOW + VANISHED and time.monotonic() < now_s + 60:
            connection = http.client.HTTPConnection(
                "127.0.0.1", companion.ports[0], timeout=10, source_address=(f"127.0.5.{newcomers + 2}", 0)
            )
            connection.request("GET", "/events")
            answer = connection.getresponse()
            if answer.status == 200:
                newcomers += 1
                instead.append(connection)
                free_s = time.monotonic() - now_s
            else:
                connection.close()
                time.sleep(0.25)
        page = [ask(companion, "GET", "/") for _ in range(5)]
        time.sleep(max(0, seconds - (time.monotonic() - now_s)))
        end_s = time.monotonic()
        late = late_ms(watch, crowds[0].end(), now_s, end_s)
        for connection in instead:
            connection.close()
        for crowd in crowds[1:]:
            crowd.say("end")
    print(
        f"{well} well beside {SLOW} slow and {VANISHED} vanished: {_told(late)}; "
        f"{newcomers} newcomers in their places, the last after {free_s:.1f} s"
    )
    bars = [
        Bar("scoreboards under the cap that were refused, beside slow ones", len(refused), 0, "of 100"),
        Bar("99 % of verdicts beside slow and vanished ones", percentile(late, 99), MOST_TOLD_MS, "ms"),
        Bar("places of slow and vanished ones not free again", SLOW + VANISHED - newcomers, 0, "of 40"),
        Bar("the last of their threads is free after", free_s, MOST_FREE_S, "s"),
        Bar("pages beside them that failed", sum(status != 200 for status, _ in page), 0, "of 5"),
    ]
    figures = {
        "median_ms": round(median(late), 1),
        "p99_ms": round(percentile(late, 99), 1),
        "free_s": round(free_s, 1),
    }
    return figures, bars


def dripped(seconds: float) -> tuple[dict[str, Any], list[Bar]]:
    """Measure how long the TV and a keeper's phone wait for a page: alone, then during half requests that never end."""
    figures: dict[str, Any] = {}
    bars: list[Bar] = []
    with running(Stopwatch()) as companion, ProcessPoolExecutor(2, get_context("spawn")) as pool:
        port = companion.ports[0]
        for addresses in (0, *DRIPPING_ADDRESSES):
            beside = f"{DRIPS} from {addresses} addresses" if addresses else "alone"
            with dripping(port, DRIPS if addresses else 0, "127.0.6.", max(1, addresses)) as end:
                asked = {name: pool.submit(waits_ms, port, *asker, seconds) for name, asker in ASKERS.items()}
                waits = {name: each.result() for name, each in asked.items()}
                drips = end()
            print(f"half requests, {beside}: {drips['open']} open at the end, {drips['closed']} were closed")
            for name, found in waits.items():
                middle, most = median(found), percentile(found, 99)
                print(f"... the {name} waits {middle:.0f} ms (median), {most:.0f} (p99), {max(found):.0f} at most")
                figures[f"{name}, {beside}"] = {
                    "median_ms": round(middle, 1),
                    "p99_ms": round(most, 1),
                    "n": len(found),
                }
                if addresses:
                    bars.append(Bar(f"99 % of the {name}'s pages beside {beside}", most, MOST_WAIT_MS, "ms"))
    return figures, bars


def _told(late: Sequence[float]) -> str:
    middle, most = median(late), percentile(late, 99)
    return f"{len(late)} verdicts told, median {middle:.1f} ms, p99 {most:.1f}, worst {max(late):.1f}"


def views(times: int) -> tuple[dict[str, Any], list[Bar]]:
    """Measure the first view on the virtual table, on this machine and on one four times as slow."""
    watch = Stopwatch()
    with running(watch) as companion:
        address = companion.addresses[0]
        here, slow = first_views(address, times), first_views(address, times, slowed=4)
    kilobytes = max(view.transferred_bytes for view in [*here, *slow]) / 1000
    for name, seen in (("here", here), ("four times as slow", slow)):
        print(f"first view, {name}: {_said(seen)}")
    bars = [
        Bar("first view, transferred", kilobytes, MOST_KB, "kB"),
        Bar("first view, usable (median)", median(view.usable_s for view in here), MOST_USABLE_S, "s"),
    ]
    figures = {
        "kilobytes": round(kilobytes, 1),
        "usable_s": round(median(view.usable_s for view in here), 3),
        "usable_slow_s": round(median(view.usable_s for view in slow), 3),
    }
    return figures, bars


def _said(seen: Sequence[View]) -> str:
    usable = sorted(view.usable_s for view in seen)
    painted = median(view.painted_s for view in seen)
    size = max(view.transferred_bytes for view in seen) / 1000
    return (
        f"{size:.0f} kB in {seen[0].requests} requests; painted after {painted:.2f} s, "
        f"usable after {median(usable):.2f} s (worst {usable[-1]:.2f})"
    )


def main() -> None:
    """Print the figures of each part."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shared", type=Path, help="not needed here: the table is drawn")
    parser.add_argument("--seconds", type=float, default=WATCHED_S, help="how long each part is watched")
    parser.add_argument("--views", type=int, default=8, help="how many first views")
    parser.add_argument("--part", choices=["views", "hundred", "dripped", "troubled"], help="only this one")
    options = parser.parse_args()
    figures: dict[str, Any] = {}
    bars: list[Bar] = []
    if options.part in (None, "views"):
        if has_browser():
            figures["views"], held = views(options.views)
            bars += held
        else:
            print("no first views: Chromium and Playwright are not there")
    if options.part in (None, "hundred"):
        figures["hundred"], held = hundred(options.seconds)
        bars += held
    if options.part in (None, "dripped"):
        figures["dripped"], held = dripped(options.seconds)
        bars += held
    if options.part == "troubled":
        figures["troubled"], held = troubled(options.seconds)
        bars += held
    elif options.part is None:
        figures["troubled"] = _in_its_own_network(options.seconds)
    figures["bars"] = told(bars)
    print(json.dumps(figures))


def _in_its_own_network(seconds: float) -> dict[str, Any]:
    """Run that part as root of a user and network namespace, who may make network cards; print its output."""
    unshare = shutil.which("unshare")
    words = [sys.executable, "-m", "bench.web", "--part", "troubled", "--seconds", str(seconds)]
    if unshare is None or subprocess.run([unshare, "-Urn", "true"], check=False, timeout=10).returncode != 0:
        print("no slow and vanished ones: this machine grants no network of its own (unshare -Urn)")
        return {}
    script = 'ip link set lo up && exec "$@"'
    done = subprocess.run(
        [unshare, "-Urn", "sh", "-c", script, "sh", *words], capture_output=True, text=True, check=False, timeout=600
    )
    *lines, last = done.stdout.splitlines() or [""]
    print("\n".join(lines))
    if done.returncode != 0:
        raise SystemExit(done.stderr[-2000:])
    figures: dict[str, Any] = json.loads(last)
    return figures


if __name__ == "__main__":
    main()
