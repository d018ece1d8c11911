# SPDX-FileCopyrightText: the tractrix authors
# SPDX-License-Identifier: BSD-3-Clause

"""A headless Chromium on two pipes (the DevTools protocol without a socket), and its pictures as pixels.

Needs nothing but Python's own library. Chromium gets a throw-away profile and no name resolution; WebGL is drawn
in software, so that every machine draws the same way."""

import base64
import json
import os
import select
import shutil
import struct
import subprocess
import tempfile
import time
import zlib

FLAGS = ["--headless=new", "--no-sandbox", "--remote-debugging-pipe", "--use-gl=angle", "--use-angle=swiftshader",
         "--enable-unsafe-swiftshader", "--hide-scrollbars", "--no-first-run", "--disable-extensions",
         "--disable-background-networking", "--disable-component-update", "--disable-sync",
         "--force-color-profile=srgb", "--host-resolver-rules=MAP * ~NOTFOUND"]


def find():
    """The browser's path, None when there is none."""
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


class Picture:
    """Pixels of a PNG as Chromium writes them: 8 bits, RGB or RGBA, not interlaced."""

    def __init__(self, png):
        assert png[:8] == b"\x89PNG\r\n\x1a\n"
        at, data = 8, b""
        while at < len(png):
            size, kind = struct.unpack(">I4s", png[at:at + 8])
            body = png[at + 8:at + 8 + size]
            if kind == b"IHDR":
                self.width, self.height, depth, color, _, _, interlace = struct.unpack(">IIBBBBB", body)
                assert depth == 8 and color in (2, 6) and interlace == 0
                self.channels = 3 if color == 2 else 4
            elif kind == b"IDAT":
                data += body
            at += 12 + size
        self.rows = self._unfilter(zlib.decompress(data))

    def _unfilter(self, raw):
        n, stride = self.channels, self.width * self.channels
        rows, above = [], bytearray(stride)
        for y in range(self.height):
            kind, row = raw[y * (stride + 1)], bytearray(raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
            if kind == 2:
                row = bytearray((a + b) & 255 for a, b in zip(row, above))
            elif kind:
                for i in range(stride):
                    left, up = row[i - n] if i >= n else 0, above[i]
                    corner = above[i - n] if i >= n else 0
                    if kind == 1:
                        guess = left
                    elif kind == 3:
                        guess = (left + up) >> 1
                    else:
                        p = left + up - corner
                        guess = min((left, up, corner), key=lambda v: abs(p - v))
                    row[i] = (row[i] + guess) & 255
            rows.append(bytes(row))
            above = row
        return rows

    def pixel(self, x, y):
        return tuple(self.rows[y][x * self.channels:x * self.channels + 3])

    def colors(self):
        """How many different colours there are."""
        n = self.channels
        return len({row[i:i + 3] for row in self.rows for i in range(0, len(row), n)})

    def difference(self, other):
        """Share of pixels of which a channel differs by more than 8 of 255."""
        assert (self.width, self.height) == (other.width, other.height)
        n, changed = self.channels, 0
        for a, b in zip(self.rows, other.rows):
            if a == b:
                continue
            changed += sum(any(abs(a[i + c] - b[i + c]) > 8 for c in range(3)) for i in range(0, len(a), n))
        return changed / (self.width * self.height)


class Browser:
    def __init__(self, path, width=1024, height=640):
        self.profile = tempfile.mkdtemp(prefix="tractrix-browser-")
        to_browser, self.out = os.pipe()
        self.inp, from_browser = os.pipe()
        # the protocol's pipes are descriptors 3 and 4 of the browser
        command = ["sh", "-c", f'exec "$0" "$@" 3<&{to_browser} 4>&{from_browser}', path, *FLAGS,
                   f"--user-data-dir={self.profile}", f"--window-size={width},{height}", "about:blank"]
        self.process = subprocess.Popen(command, pass_fds=(to_browser, from_browser), stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.buffer, self.serial, self.events, self.session = b"", 0, [], None
        targets = self.call("Target.getTargets")["targetInfos"]
        page = next(t for t in targets if t["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=page["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(domain + ".enable")

    def _read(self, deadline):
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.inp], [], [], max(0, deadline - time.monotonic()))
            block = os.read(self.inp, 1 << 16) if ready else b""
            if not block:
                raise RuntimeError("the browser " + ("went away" if ready else "does not answer"))
            self.buffer += block
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **params):
        self.serial += 1
        message = {"id": self.serial, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.out, data):]
        deadline = time.monotonic() + 60
        while True:
            answer = self._read(deadline)
            if answer.get("id") == self.serial:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self.events.append(answer)

    def size(self, width, height, scale=1, mobile=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=mobile)

    def scheme(self, name):
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}])

    def open(self, url):
        # a hash alone would not load the page again
        self.call("Page.navigate", url="about:blank")
        self.events.clear()
        self.call("Page.navigate", url=url)
        self.wait("document.readyState === 'complete' && location.protocol === 'file:'")

    def evaluate(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def wait(self, expression, seconds=60):
        deadline = time.monotonic() + seconds
        while not self.evaluate(expression):
            if time.monotonic() > deadline:
                raise RuntimeError(f"never true: {expression}")
            time.sleep(0.05)

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", **more)

    def drag(self, *points, shift=False):
        """Presses at the first (x, y), moves through the others, lets go at the last."""
        held = {"modifiers": 8 if shift else 0}
        self.mouse("mouseMoved", *points[0], **held)
        self.mouse("mousePressed", *points[0], buttons=1, clickCount=1, **held)
        for point in points[1:]:
            self.mouse("mouseMoved", *point, buttons=1, **held)
        self.mouse("mouseReleased", *points[-1], clickCount=1, **held)

    def key(self, key, code=None, text=""):
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, code=code or key, text=text)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, code=code or key)

    def png(self, selector=None):
        clip = {}
        if selector:
            box = self.evaluate(f"(() => {{ const r = document.querySelector({selector!r}).getBoundingClientRect(); "
                                "return [r.x + scrollX, r.y + scrollY, r.width, r.height]; })()")
            clip["clip"] = dict(zip(("x", "y", "width", "height"), box), scale=1)
        # written for speed, whose rows are read in a tenth of the time
        return base64.b64decode(self.call("Page.captureScreenshot", format="png", optimizeForSpeed=True, **clip)["data"])

    def requests(self):
        """Addresses asked for since the page was opened."""
        return [e["params"]["request"]["url"] for e in self.events if e.get("method") == "Network.requestWillBeSent"]

    def complaints(self):
        """Errors and warnings on the console, and exceptions, since the page was opened."""
        found = []
        for event in self.events:
            method, params = event.get("method"), event.get("params", {})
            if method == "Runtime.exceptionThrown":
                found.append(json.dumps(params["exceptionDetails"]))
            elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
                found.append(" ".join(str(a.get("value", a.get("description"))) for a in params["args"]))
            elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
                found.append(params["entry"]["text"])
        return found

    def close(self):
        try:
            self.session = None
            self.call("Browser.close")
            self.process.wait(10)
        except (RuntimeError, OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        os.close(self.out)
        os.close(self.inp)
        shutil.rmtree(self.profile, ignore_errors=True)


def test_page(write, check):
    """Exit code of a test of one page: `write` makes its folder in a fresh place and returns it, `check` takes a browser and that folder."""
    chromium = find()
    if chromium is None:
        print("skipped: no chromium")
        return 77
    with tempfile.TemporaryDirectory(prefix="tractrix-page-") as place:
        folder = write(place)
        browser = Browser(chromium)
        try:
            browser.size(1280, 800)
            check(browser, folder)
        finally:
            browser.close()
    print("ok")
    return 0


def check_quiet(browser):
    """Nothing was loaded but files, and nothing is wrong."""
    assert not [url for url in browser.requests() if not url.startswith(("file:", "data:"))], browser.requests()
    assert not browser.complaints(), browser.complaints()
