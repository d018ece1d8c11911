# SPDX-FileCopyrightText: the tractrix authors
# SPDX-License-Identifier: BSD-3-Clause

"""The player in a real browser: opens from disk without network, draws, plays, scrubs.

    test_player.py WRITE_PAGE

WRITE_PAGE is the program that writes the sample run's page. Exit code 77 (skipped) where Chromium is missing."""

import os
import subprocess
import sys
import tempfile
import time
import traceback

from browser import Browser, Picture, find

READY = "document.documentElement.dataset.state === 'ready'"
NOW = "Number(document.documentElement.dataset.time)"


def write(folder, name, *arguments):
    path = os.path.join(folder, name)
    subprocess.run([sys.argv[1], path, *arguments], check=True)
    return path


def show(browser, path, hash=""):
    browser.open(f"file://{path}#{hash}")
    browser.wait(READY)


def picture(browser, selector="#frame"):
    return Picture(browser.png(selector))


def settle(browser, quiet=10):
    """Waits until so many animation frames in a row have drawn nothing."""
    browser.evaluate("new Promise((done) => { const drawn = () => document.documentElement.dataset.frames;"
                     "let last = drawn(), same = 0; const look = () => { same = drawn() === last ? same + 1 : 0; last = drawn();"
                     f"if (same >= {quiet}) done(); else requestAnimationFrame(look); }}; requestAnimationFrame(look); }})")


def at_time(browser, t):
    browser.wait(f"Math.abs({NOW} - {t}) < 1e-6")


def middle_of(pic, is_it):
    """Mean x of the pixels that satisfy `is_it`, and how many there are."""
    found = [x for y in range(0, pic.height, 2) for x in range(0, pic.width, 2) if is_it(*pic.pixel(x, y))]
    return (sum(found) / len(found) if found else None), len(found)


def blue(r, g, b):
    return b > 120 and b > 1.2 * g and b > 1.8 * r


def opens_from_disk_without_network(browser, path):
    show(browser, path)
    assert browser.evaluate("document.querySelector('h1').textContent") == "Push a box <15 cm> across a table"
    others = [url for url in browser.requests() if not url.startswith(("file:", "data:", "about:"))]
    assert browser.requests() and not others, others
    loaded = browser.evaluate("performance.getEntriesByType('resource').map((e) => e.name).filter((n) => !n.startsWith('data:'))")
    assert loaded == [], loaded
    blocked = browser.evaluate("fetch('http://127.0.0.1:9/').then(() => 'reached', () => 'refused')")
    assert blocked == "refused"


def says_nothing_on_the_console(browser, path):
    show(browser, path, "play")
    browser.wait(f"{NOW} > 0.3")
    assert browser.complaints() == [], browser.complaints()


def draws_the_scene(browser, path):
    show(browser, path, "t=0")
    scene = picture(browser)
    assert scene.colors() > 500, scene.colors()
    _, count = middle_of(scene, blue)
    assert count > 1000, f"{count} pixels of the box"
    for layer in ("goals", "forces"):
        browser.evaluate(f"document.getElementById('show-{layer}').click()")
        settle(browser)
        without = picture(browser)
        assert scene.difference(without) > 1e-3, f"{layer} are not drawn"
        scene = without


def the_box_moves_to_its_goal(browser, path):
    quiet = "forces=0&goals=0&paths=0&view=top&t="
    places = []
    for t in (0, 0.4, 1):
        show(browser, path, quiet + str(t))
        places.append(middle_of(picture(browser), blue)[0])
    assert places[0] + 20 < places[1] < places[2] - 10, places
    # half the goal's place is half the way: pixels are proportional to metres seen from above
    share = browser.evaluate("(() => { const s = JSON.parse(document.getElementById('scene-data').textContent);"
                             "return s.poses[20][1][0] / s.poses[50][1][0]; })()")
    assert abs((places[1] - places[0]) / (places[2] - places[0]) - share) < 0.02, (places, share)


def plays_and_pauses(browser, path):
    # slow enough that the end is far away while pictures are taken
    show(browser, path, "t=0.3&loop=0&speed=0.1")
    first, begin = browser.png("#frame"), time.monotonic()
    browser.key(" ", "Space", " ")
    browser.wait(f"{NOW} > 0.38")
    assert browser.evaluate("document.getElementById('play').getAttribute('aria-label')") == "Pause"
    now, elapsed = browser.evaluate(NOW), time.monotonic() - begin
    assert now - 0.3 <= 0.1 * elapsed + 1e-3, f"{now - 0.3} s of motion in {elapsed} s at a tenth of the speed"
    second = browser.png("#frame")
    browser.key(" ", "Space", " ")
    browser.wait("document.getElementById('play').getAttribute('aria-label') === 'Play'")
    stopped = browser.evaluate(NOW)
    assert stopped < 1
    settle(browser)
    assert browser.evaluate(NOW) == stopped
    assert Picture(first).difference(Picture(second)) > 1e-3, "the picture does not change"
    # without loop it stays at the end; with it, it starts again
    show(browser, path, "t=0.9&loop=0&speed=4&play")
    at_time(browser, 1)
    browser.wait("document.getElementById('play').getAttribute('aria-label') === 'Play'")
    show(browser, path, "t=0.9&speed=1&play")
    browser.wait(f"{NOW} === 1")
    browser.wait(f"{NOW} < 0.5")


def keys_step_by_knots(browser, path):
    show(browser, path, "t=0.51")
    for key, t in (("ArrowRight", 0.52), ("ArrowRight", 0.54), ("ArrowLeft", 0.52), ("Home", 0), ("End", 1)):
        browser.key(key)
        at_time(browser, t)
    browser.key("ArrowLeft")
    at_time(browser, 0.98)


def an_idle_page_draws_nothing(browser, path):
    show(browser, path, "t=0.5")
    settle(browser, quiet=60)


def draws_meshes_and_hides_what_only_touches(browser, path):
    green = lambda r, g, b: g > 70 and g > 1.4 * r and g > 1.3 * b
    yellow = lambda r, g, b: r > 110 and r > 1.15 * g and g > 1.4 * b
    show(browser, path, "t=0&forces=0&paths=0&goals=0")
    scene = picture(browser)
    assert middle_of(scene, green)[1] > 60, "the mesh is not drawn"
    hidden = middle_of(scene, yellow)[1]
    browser.evaluate("document.getElementById('show-shapes').click()")
    settle(browser)
    assert middle_of(picture(browser), yellow)[1] > hidden + 60, "the ball under the mesh does not appear"


def plots_drives_with_their_limits(browser, path):
    show(browser, path, "t=0.5")
    shown = float(browser.evaluate("document.querySelector('#plot-d .keys button b').textContent.replace('\u2212', '-')"))
    values = browser.evaluate("JSON.parse(document.getElementById('scene-data').textContent).drives[0].values")
    assert shown == values[25], (shown, values[25])
    # the dashed lines go with the limits
    chart = picture(browser, "#plot-q .chart")
    text = open(path, encoding="utf-8").read().replace('"limits": {"px": [-0.09, 0.3], "u.px": [-20, 20]}', '"limits": {}')
    other = path + ".free.html"
    with open(other, "w", encoding="utf-8") as file:
        file.write(text)
    show(browser, other, "t=0.5")
    assert chart.difference(picture(browser, "#plot-q .chart")) > 1e-4


def plots_follow_and_scrub(browser, path):
    show(browser, path, "t=0.25")
    assert browser.evaluate("document.querySelectorAll('.plot').length") == 5
    assert browser.evaluate("document.querySelectorAll('.chart canvas').length") >= 8
    cursor = "(() => { const r = document.querySelector('#plot-q .cursor').getBoundingClientRect(); return r.x; })()"
    chart = browser.evaluate("(() => { const r = document.querySelector('#plot-q .chart').getBoundingClientRect();"
                             "return [r.x, r.y, r.width, r.height]; })()")
    y, quarter = chart[1] + chart[3] / 2, browser.evaluate(cursor)
    browser.key("End")
    at_time(browser, 1)
    full = browser.evaluate(cursor)
    start = quarter - (full - quarter) / 3
    # drag from 0.4 to 0.6 of the run
    where = [(start + s * (full - start), y) for s in (0.4, 0.5, 0.6)]
    browser.drag(*where)
    browser.wait(f"Math.abs({NOW} - 0.6) < 0.01")
    assert abs(browser.evaluate(cursor) - where[-1][0]) < 2
    shown = "document.querySelector('#plot-q .keys button[aria-pressed=true] b').textContent"
    value = browser.evaluate("(() => { const s = JSON.parse(document.getElementById('scene-data').textContent);"
                             f"return s.poses[Math.floor({NOW} / 0.02 + 1e-6)][1][0]; }})()")
    assert abs(float(browser.evaluate(shown)) - value) < 6e-4
    # a series is taken away and comes back
    before = picture(browser, "#plot-q .chart")
    browser.evaluate("document.querySelector('#plot-q .keys button[aria-pressed=true]').click()")
    settle(browser)
    assert before.difference(picture(browser, "#plot-q .chart")) > 1e-3
    browser.evaluate("document.querySelector('#plot-q .keys button').click()")
    settle(browser)
    assert before.difference(picture(browser, "#plot-q .chart")) == 0


def plots_zoom_together(browser, path):
    show(browser, path, "t=0.5")
    labels = "[...document.querySelectorAll('#plot-%s .dygraph-axis-label-x')].map((e) => parseFloat(e.textContent))"
    x, y, width = browser.evaluate("(() => { const r = document.querySelector('#plot-q .chart').getBoundingClientRect();"
                                   "return [r.x, r.y + 40, r.width]; })()")
    browser.drag((x + 0.4 * width, y), (x + 0.6 * width, y), (x + 0.7 * width, y), shift=True)
    for plot in "qvuf":
        browser.wait(f"Math.min(...{labels % plot}) > 0.2 && Math.max(...{labels % plot}) < 0.75")
    assert browser.evaluate(NOW) == 0.5, "zooming moves the time"
    browser.evaluate("document.querySelector('#plot-v .chart').dispatchEvent(new MouseEvent('dblclick'))")
    browser.wait(f"Math.min(...{labels % 'q'}) === 0")


def slider_scrubs(browser, path):
    show(browser, path)
    browser.evaluate("(() => { const s = document.getElementById('time'); s.value = 0.3;"
                     "s.dispatchEvent(new Event('input')); })()")
    at_time(browser, 0.3)
    assert browser.evaluate("document.getElementById('clock').textContent") == "0.30 / 1.00 s"


def the_camera_orbits(browser, path):
    show(browser, path, "t=0.5")
    before = picture(browser)
    browser.drag((400, 650), (450, 640), (520, 630))
    settle(browser)
    turned = picture(browser)
    moved = before.difference(turned)
    assert moved > 0.02, moved
    browser.evaluate("document.getElementById('fit').click()")
    settle(browser)
    moved = before.difference(picture(browser))
    assert moved < 1e-3, moved


def fits_a_narrow_screen_and_both_schemes(browser, path):
    browser.size(360, 740)
    browser.scheme("dark")
    show(browser, path, "t=0.5")
    assert browser.evaluate("document.scrollingElement.scrollWidth") <= 360
    assert browser.evaluate("document.documentElement.dataset.theme") == "dark"
    dark = sum(picture(browser, "header").pixel(2, 2))
    browser.scheme("light")
    browser.wait("document.documentElement.dataset.theme === 'light'")
    light = sum(picture(browser, "header").pixel(2, 2))
    assert dark < 150 and light > 600, (dark, light)
    browser.size(1280, 800)


def every_control_has_a_name(browser, path):
    show(browser, path)
    nameless = browser.evaluate(
        "[...document.querySelectorAll('button, select, input, canvas, summary')].filter((e) => !(e.textContent.trim() ||"
        "e.getAttribute('aria-label') || (e.labels && e.labels.length) || e.closest('[aria-hidden=true]'))).map((e) => e.outerHTML)")
    assert nameless == [], nameless


def shows_the_summary(browser, path):
    show(browser, path)
    assert browser.evaluate("document.getElementById('status').textContent") == "converged"
    doubt = "document.getElementById('doubt')"
    assert browser.evaluate(f"{doubt}.textContent") == "leans on its time step"
    assert browser.evaluate(f"!{doubt}.hidden && {doubt}.classList.contains('warn')")
    assert browser.evaluate("document.querySelector('#summary tr[title]').title") == "x 0.001 m, y 0 m"
    text = browser.evaluate("document.getElementById('summary').textContent")
    assert "box.position is off by 1.7 times its tolerance" in text, text
    for part in ("\u2713 met box.position", "\u2717 missed pz.position", "1 limit kept", "0.005", "penetration", "210 \u00b5m"):
        assert part in text, text


def long_runs_open_and_play(browser, path):
    show(browser, path, "t=0.5&play")
    browser.wait(f"{NOW} > 0.6")
    assert browser.complaints() == []


def without_libraries_it_says_what_to_install(browser, path):
    browser.open(f"file://{path}")
    assert "libjs-three" in browser.evaluate("document.getElementById('notice').innerText")
    assert browser.evaluate("getComputedStyle(document.querySelector('main')).display") == "none"
    assert browser.complaints() == []


def a_broken_scene_is_named(browser, path):
    with open(path, encoding="utf-8") as file:
        page = file.read()
    start = page.index('id="scene-data">') + len('id="scene-data">')
    broken = path + ".broken.html"
    with open(broken, "w", encoding="utf-8") as file:
        file.write(page[:start] + "{\"bodies\": []}" + page[page.index("</script>", start):])
    browser.open(f"file://{broken}")
    browser.wait("document.documentElement.dataset.state === 'failed'")
    assert "lacks bodies, times or poses" in browser.evaluate("document.getElementById('notice').innerText")


def main():
    chromium = find()
    if chromium is None:
        print("skipped: no chromium")
        return 77
    with tempfile.TemporaryDirectory(prefix="tractrix-player-") as folder:
        path = write(folder, "player.html", "51", "1")
        long_path = write(folder, "long.html", "10001", "1")
        bare_path = write(folder, "bare.html", "51", "1", os.path.join(folder, "nothing"))
        tests = [(test, path) for test in (
            opens_from_disk_without_network, says_nothing_on_the_console, draws_the_scene, draws_meshes_and_hides_what_only_touches, plots_drives_with_their_limits, the_box_moves_to_its_goal,
            plays_and_pauses, keys_step_by_knots, an_idle_page_draws_nothing, plots_follow_and_scrub, plots_zoom_together, slider_scrubs,
            the_camera_orbits, fits_a_narrow_screen_and_both_schemes, every_control_has_a_name, shows_the_summary,
            a_broken_scene_is_named)]
        tests += [(long_runs_open_and_play, long_path), (without_libraries_it_says_what_to_install, bare_path)]
        failed = 0
        browser = Browser(chromium)
        try:
            browser.size(1280, 800)
            browser.scheme("light")
            for test, page in tests:
                begin = time.monotonic()
                try:
                    test(browser, page)
                    verdict = "ok"
                except (AssertionError, RuntimeError) as error:
                    line = traceback.extract_tb(error.__traceback__)[1]
                    verdict, failed = f"FAILED in line {line.lineno}, {line.line}: {error!r}", failed + 1
                print(f"{test.__name__} ({time.monotonic() - begin:.1f} s): {verdict}", flush=True)
        finally:
            browser.close()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
