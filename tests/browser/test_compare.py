# SPDX-FileCopyrightText: the tractrix authors
# SPDX-License-Identifier: BSD-3-Clause

"""The page of a comparison in a real browser: table, curves of all variants, the buttons, no network, nothing to complain about.

    test_compare.py TRACTRIX PROBLEMS

Exit code 77 (skipped) where Chromium is missing."""

import os
import subprocess
import sys
import tempfile

from browser import Browser, find

PATHS = "document.querySelectorAll('#plots path').length"


def check(browser, page):
    browser.open(f"file://{page}")
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
    assert not [url for url in browser.requests() if not url.startswith(("file:", "data:"))], browser.requests()
    assert not browser.complaints(), browser.complaints()


def main():
    chromium = find()
    if chromium is None:
        print("skipped: no chromium")
        return 77
    with tempfile.TemporaryDirectory(prefix="tractrix-compare-") as folder:
        out = os.path.join(folder, "all")
        subprocess.run([sys.argv[1], "compare", os.path.join(sys.argv[2], "pendulum.yaml"), "--over",
                        "solve.method=ilqr,multiple_shooting,simplex", "-o", out, "--quiet"], check=False, stderr=subprocess.DEVNULL)
        browser = Browser(chromium)
        try:
            browser.size(1280, 800)
            check(browser, os.path.join(out, "compare.html"))
        finally:
            browser.close()
    print("ok")
    return 0


if __name__ == "__main__":
    sys.exit(main())
