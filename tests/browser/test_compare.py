# SPDX-FileCopyrightText: the tractrix authors
# SPDX-License-Identifier: BSD-3-Clause

"""The page of a comparison in a real browser: table, curves of all variants, the buttons, no network, nothing to complain about.

    test_compare.py TRACTRIX PROBLEMS

Exit code 77 (skipped) where Chromium is missing."""

import os
import subprocess
import sys

from browser import check_quiet, test_page

PATHS = "document.querySelectorAll('#plots path').length"


def check(browser, folder):
    browser.open(f"file://{folder}/compare.html")
    browser.wait("document.querySelectorAll('figure').length > 0")

    # cost, position, velocity, control; two variants with curves, one without
    assert browser.evaluate("document.querySelectorAll('figure').length") == 4
    assert browser.evaluate(PATHS) == 8
    assert browser.evaluate("document.querySelectorAll('#legend button').length") == 2
    assert "simplex" in browser.evaluate("document.querySelector('td.message').innerText")
    assert "3 variants" in browser.evaluate("document.getElementById('facts').innerText")

    # every curve lies in its picture and is one line
    assert browser.evaluate("[...document.querySelectorAll('#plots path')].every((p) => {"
                            "const b = p.getBBox(); return b.x >= 0 && b.y >= 0 && b.x + b.width <= 360 && b.y + b.height <= 190; })")
    assert browser.evaluate("[...document.querySelectorAll('#plots path')].every((p) => p.getAttribute('d').lastIndexOf('M') === 0)")

    browser.evaluate("document.querySelector('#legend button').click()")
    assert browser.evaluate(PATHS) == 4
    browser.evaluate("{ const f = document.getElementById('filter'); f.value = 'u.'; f.dispatchEvent(new Event('input')); }")
    assert browser.evaluate("document.querySelectorAll('figure').length") == 1
    check_quiet(browser)


def write(place):
    out = os.path.join(place, "all")
    subprocess.run([sys.argv[1], "compare", os.path.join(sys.argv[2], "pendulum.yaml"), "--over",
                    "solve.method=ilqr,multiple_shooting,simplex", "-o", out, "--quiet"], check=False, stderr=subprocess.DEVNULL)
    return out


if __name__ == "__main__":
    sys.exit(test_page(write, check))
