# SPDX-FileCopyrightText: the tractrix authors
# SPDX-License-Identifier: BSD-3-Clause

"""The page of an identification in a real browser: tables, a plot for each channel, the choice of a recording, no network.

    test_fit.py TRACTRIX PROBLEMS

Exit code 77 (skipped) where Chromium is missing."""

import csv
import json
import os
import subprocess
import sys

from browser import check_quiet, test_page

PLOTS = "document.querySelectorAll('#plots figure').length"
# largest share of the pixels of a curve's colour in a plot: 0 without a curve
INK = ("Math.min(...[...document.querySelectorAll('#plots .chart')].map((chart) => Math.max(...[...chart.querySelectorAll('canvas')]"
       ".map((c) => c.getContext('2d').getImageData(0, 0, c.width, c.height).data.filter((v, i) => i % 4 === 3 && v > 0).length))))")


def texts(browser, selector):
    return browser.evaluate(f"[...document.querySelectorAll('{selector}')].map((e) => e.innerText)")


def check(browser, folder):
    with open(os.path.join(folder, "summary.json"), encoding="utf-8") as file:
        summary = json.load(file)
    with open(os.path.join(folder, "predictions.csv"), encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    browser.open(f"file://{folder}/fit.html")
    browser.wait(f"{PLOTS} > 0")

    # parameters: the friction with its interval, no number for the mass, and why
    cells = texts(browser, "#parameters tbody tr:nth-child(1) td")
    friction = summary["parameters"][0]
    assert cells[:2] == ["pair(box, table).friction", "determined"], cells
    assert abs(float(cells[3]) - friction["value"]) < 1e-4 * friction["value"], cells
    assert texts(browser, "#parameters tbody tr:nth-child(3) td")[3] == "\u2013"
    assert "box.mass up" in texts(browser, "#undetermined li")[0]

    # the profile of the friction, with its curve and its bound
    assert browser.evaluate(INK.replace('#plots', '#profiles')) > 300
    assert summary["profiles"][0]["verdict"] in texts(browser, "#profiles p")[0]

    # residuals: a row per channel with bars of its autocorrelation, that of summary.json
    assert texts(browser, "#residuals td:nth-child(1)") == [c["name"] for c in summary["channels"]]
    assert texts(browser, "#residuals td.verdict") == [c["verdict"] for c in summary["channels"]]
    assert browser.evaluate("document.querySelectorAll('#residuals .bar').length") == 20 * len(summary["channels"])
    assert len(texts(browser, "#groups tbody tr")) == 2

    # recordings: one plot per column, with ink in each; another recording, and differences
    columns = [name for name in rows[0] if name.endswith(".predicted")]
    assert browser.evaluate(PLOTS) == len(columns) == 7
    assert browser.evaluate("document.getElementById('recording').length") == len({row["recording"] for row in rows})
    assert "held out" in texts(browser, "#recording option")[-1]
    assert browser.evaluate(INK) > 300
    browser.evaluate("{ const s = document.getElementById('recording'); s.selectedIndex = 5; s.dispatchEvent(new Event('change')); }")
    assert browser.evaluate(PLOTS) == 7 and browser.evaluate(INK) > 300
    browser.evaluate("document.getElementById('difference').click()")
    assert "less what was recorded" in browser.evaluate("document.getElementById('key').innerText")
    assert browser.evaluate(PLOTS) == 7 and browser.evaluate(INK) > 300

    # nothing sticks out of the page, nothing is loaded, nothing is wrong
    assert browser.evaluate("document.documentElement.scrollWidth <= innerWidth")
    check_quiet(browser)
    check_sessions(browser, os.path.join(os.path.dirname(folder), "sessions"))


def check_sessions(browser, folder):
    """Values per recording are rows of the table; the correlations are those of the shared parameters. Angles alone: no position errors."""
    browser.open(f"file://{folder}/fit.html")
    browser.wait(f"{PLOTS} > 0")
    with open(os.path.join(folder, "summary.json"), encoding="utf-8") as file:
        summary = json.load(file)
    names = texts(browser, "#parameters td:nth-child(1)")
    assert names == [f"bias(s) of spin {k}" for k in range(1, 6)] + ["s.damping", "spinner.inertia.yy"], names
    assert texts(browser, "#correlations tbody th") == names[5:]
    shown = float(texts(browser, "#correlations tbody tr:nth-child(1) td")[1].replace("\u2212", "-"))
    assert abs(shown - summary["correlations"][0][1]) < 0.006
    assert "5 recordings, 1 held out" in browser.evaluate("document.getElementById('facts').innerText")
    assert [row.split("\t")[:2] for row in texts(browser, "#groups tbody tr")] == [["fitted", "5"], ["held out", "1"]]
    check_quiet(browser)


def write(place):
    out = os.path.join(place, "run")
    parameters = ['{of: "pair(box, table).friction", profile: true}', '{of: "pair(box, table).stiffness", min: 100, max: 1.0e6}',
                  '{of: box.mass, min: 0.05, max: 5}']
    subprocess.run([sys.argv[1], "fit", os.path.join(sys.argv[2], "fit", "fit_box_slide.yaml"), "-o", out, "--quiet",
                    "--set", f"fit.parameters=[{', '.join(parameters)}]"], check=True)
    sessions = '[{of: "bias(s)", per: recording, min: -1, max: 1, prior: {mean: 0, sd: 0.01}}, {of: s.damping}, {of: spinner.inertia.yy}]'
    subprocess.run([sys.argv[1], "fit", os.path.join(sys.argv[2], "fit", "fit_spinner.yaml"), "-o", os.path.join(place, "sessions"), "--quiet",
                    "--set", f"fit.parameters={sessions}"], check=True)
    return out


if __name__ == "__main__":
    sys.exit(test_page(write, check))
