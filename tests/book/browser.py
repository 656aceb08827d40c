# SPDX-License-Identifier: MIT
"""A browser for tests: Chromium without a window, driven in its own DevTools protocol through two
pipes. Pages are opened from disk.

    with Browser() as browser:
        page = browser.open(Path("index.html"))
        page.run("document.title")

A page keeps what went wrong on it: `errors` (exceptions and console errors) and `requests` (every
address asked for that is not a file of the book or data in the page).
"""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

WAIT_S = 120


def chromium():
    """The program, or None."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if shutil.which(name):
            return shutil.which(name)
    return None


class PageError(Exception):
    """Script on a page failed, or took too long."""


class Browser:
    def __init__(self):
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        to_read, self.to = os.pipe()
        self.of, to_write = os.pipe()
        command = [chromium(), "--headless=new", "--no-sandbox", "--disable-gpu",
                   "--remote-debugging-pipe", "--no-first-run", "--disable-extensions",
                   "--disable-background-networking", "--disable-component-update",
                   "--disable-dev-shm-usage", "--hide-scrollbars",
                   f"--user-data-dir={self.folder.name}", "about:blank"]
        self.process = subprocess.Popen(
            ["bash", "-c", f'exec "$@" 3<&{to_read} 4>&{to_write}', "bash", *command],
            pass_fds=(to_read, to_write), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(to_write)
        self.number, self.rest, self.pages = 0, b"", {}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.call("Browser.close")
        except (PageError, OSError):
            self.process.kill()
        self.process.wait()
        os.close(self.to)
        os.close(self.of)
        self.folder.cleanup()

    def message(self, end):
        """The next one; PageError when none has come by `end`: a page's script may never end."""
        while b"\0" not in self.rest:
            if not select.select([self.of], [], [], max(0, end - time.monotonic()))[0]:
                raise PageError(f"no answer in {WAIT_S} s")
            piece = os.read(self.of, 1 << 16)
            if not piece:
                raise PageError("the browser has ended")
            self.rest += piece
        one, _, self.rest = self.rest.partition(b"\0")
        return json.loads(one)

    def call(self, method, session=None, **parameters):
        self.number += 1
        number = self.number
        said = {"id": number, "method": method, "params": parameters}
        if session:
            said["sessionId"] = session
        os.write(self.to, json.dumps(said).encode() + b"\0")
        end = time.monotonic() + WAIT_S
        while True:
            reply = self.message(end)
            if reply.get("id") == number:
                if "error" in reply:
                    raise PageError(f"{method}: {reply['error']['message']}")
                return reply["result"]
            self.notice(reply)

    def notice(self, reply):
        page = self.pages.get(reply.get("sessionId"))
        if page:
            page.notice(reply["method"], reply["params"])

    def open(self, path, width=1280, height=900, dark=False, fragment=""):
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        page = self.pages[session] = Page(self, session, target)
        page.begin(path.resolve().as_uri() + fragment, width, height, dark)
        return page


class Page:
    def __init__(self, browser, session, target):
        self.browser, self.session, self.target = browser, session, target
        self.errors, self.requests, self.loaded = [], [], False

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    def notice(self, method, what):
        if method == "Page.loadEventFired":
            self.loaded = True
        elif method == "Runtime.exceptionThrown":
            details = what["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description", details["text"]))
        elif method == "Log.entryAdded" and what["entry"]["level"] == "error":
            self.errors.append(f"{what['entry']['text']} {what['entry'].get('url', '')}".strip())
        elif method == "Runtime.consoleAPICalled" and what["type"] in ("error", "assert"):
            self.errors.append(" ".join(str(a.get("value", a.get("description", "")))
                                        for a in what["args"]))
        elif method == "Network.requestWillBeSent":
            address = what["request"]["url"]
            if not address.startswith(("file:", "data:", "blob:", "about:")):
                self.requests.append(address)

    def begin(self, address, width, height, dark):
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")
        self.size(width, height)
        self.call("Emulation.setEmulatedMedia", media="", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.call("Page.navigate", url=address)
        end = time.monotonic() + WAIT_S
        while not self.loaded:
            self.browser.notice(self.browser.message(end))

    def go(self, path, width=1280, height=900, dark=False):
        """Another page in the same tab; what was said on the one before is forgotten."""
        self.errors, self.requests, self.loaded = [], [], False
        self.begin(path.resolve().as_uri(), width, height, dark)

    def size(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=width < 600)

    def run(self, script):
        """The value of an expression, awaited."""
        done = self.call("Runtime.evaluate", expression=script, awaitPromise=True,
                         returnByValue=True)
        if "exceptionDetails" in done:
            details = done["exceptionDetails"]
            raise PageError(details.get("exception", {}).get("description", details["text"]))
        return done["result"].get("value")

    def until(self, script, seconds=60):
        """Waits until the expression holds."""
        end = time.monotonic() + seconds
        while not self.run(f"!!({script})"):
            if time.monotonic() > end:
                raise PageError(f"never true: {script}; errors: {self.errors}")
            time.sleep(0.05)

    def print_media(self):
        self.call("Emulation.setEmulatedMedia", media="print")

    def picture(self, path, whole=False):
        clip = {}
        if whole:
            box = self.call("Page.getLayoutMetrics")["cssContentSize"]
            clip = {"captureBeyondViewport": True,
                    "clip": {"x": 0, "y": 0, "width": box["width"], "height": box["height"],
                             "scale": 1}}
        data = self.call("Page.captureScreenshot", format="png", **clip)["data"]
        path.write_bytes(base64.b64decode(data))

    def pdf(self, path):
        data = self.call("Page.printToPDF", printBackground=True, preferCSSPageSize=True)["data"]
        path.write_bytes(base64.b64decode(data))

    def close(self):
        self.browser.call("Target.closeTarget", targetId=self.target)
