# SPDX-License-Identifier: Apache-2.0
"""A headless Chromium, driven over its DevTools protocol by a pair of pipes."""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

TIME_LIMIT_S = 120  # seconds after which the browser counts as hung


class BrowserError(Exception):
    """The browser does not answer, or a script in the page failed."""


class Browser:
    """A browser with one page at a time, between begin() and end(). Collects the page's requests, logs and errors."""

    def __init__(self, program):
        self.folder = tempfile.mkdtemp(prefix="mlmq-browser-")
        to_browser, self.output = os.pipe()
        self.input, from_browser = os.pipe()

        def connect():
            # Descriptors 3 and 4 are fixed by the protocol. The pipes may already use them, so copies are made first.
            copies = os.dup(to_browser), os.dup(from_browser)
            high = [os.dup2(copy, 90 + i) for i, copy in enumerate(copies)]
            os.dup2(high[0], 3)
            os.dup2(high[1], 4)

        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             "--remote-debugging-pipe", f"--user-data-dir={self.folder}", "--hide-scrollbars", "--no-first-run",
             "--disable-background-networking", "--disable-component-update", "--disable-sync", "about:blank"],
            preexec_fn=connect, close_fds=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.buffer = b""
        self.number = 0
        self.session = None

    def begin(self):
        """Opens a new page without state of earlier ones, which is much faster than starting a new browser."""
        self.requests = []
        self.complaints = []
        self.context = self.call("Target.createBrowserContext", session=None)["browserContextId"]
        page = self.call("Target.createTarget", {"url": "about:blank", "browserContextId": self.context},
                         session=None)["targetId"]
        self.session = self.call("Target.attachToTarget", {"targetId": page, "flatten": True},
                                 session=None)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")
        self.call("Page.bringToFront")

    def end(self):
        """Closes the page and discards its storage."""
        self.call("Target.disposeBrowserContext", {"browserContextId": self.context}, session=None)
        self.session = None

    def call(self, method, parameters=None, session=""):
        """Sends a command. Returns its result."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters or {}}
        session = self.session if session == "" else session
        if session:
            message["sessionId"] = session
        os.write(self.output, json.dumps(message).encode() + b"\0")
        return self._wait(lambda got: got.get("id") == message["id"])

    def _wait(self, wanted):
        end = time.monotonic() + TIME_LIMIT_S
        while True:
            while b"\0" in self.buffer:
                text, self.buffer = self.buffer.split(b"\0", 1)
                got = json.loads(text)
                self._note(got)
                if wanted(got):
                    if "error" in got:
                        raise BrowserError(got["error"]["message"])
                    return got.get("result", got)
            ready, _, _ = select.select([self.input], [], [], max(0, end - time.monotonic()))
            data = os.read(self.input, 1 << 16) if ready else b""
            if not data:
                raise BrowserError("the browser does not answer" if not ready else "the browser has ended")
            self.buffer += data

    def _note(self, got):
        method, parameters = got.get("method"), got.get("params", {})
        if method == "Network.requestWillBeSent":
            self.requests.append(parameters["request"]["url"])
        elif method == "Runtime.exceptionThrown":
            details = parameters["exceptionDetails"]
            self.complaints.append(details.get("exception", {}).get("description", details["text"]))
        elif method == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning", "assert"):
            self.complaints.append(" ".join(str(argument.get("value", argument.get("description")))
                                            for argument in parameters["args"]))
        elif method == "Log.entryAdded" and parameters["entry"]["level"] in ("error", "warning"):
            self.complaints.append(parameters["entry"]["text"])

    def open(self, file, fragment=""):
        self.visit("file://" + os.path.abspath(file) + fragment)

    def visit(self, address):
        self.call("Page.navigate", {"url": address})
        self._wait(lambda got: got.get("method") == "Page.loadEventFired")

    def screen(self, width, height=1000, dark=False, phone=False):
        self.call("Emulation.setDeviceMetricsOverride",
                  {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": phone})
        self.call("Emulation.setEmulatedMedia",
                  {"features": [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]})

    def evaluate(self, script):
        """Evaluates an expression in the page. Returns its value, awaited if it is a promise."""
        got = self.call("Runtime.evaluate", {"expression": script, "returnByValue": True, "awaitPromise": True})
        if "exceptionDetails" in got:
            details = got["exceptionDetails"]
            raise BrowserError(details.get("exception", {}).get("description", details["text"]))
        return got["result"].get("value")

    def save_downloads_to(self, folder):
        self.call("Browser.setDownloadBehavior",
                  {"behavior": "allow", "downloadPath": folder, "browserContextId": self.context}, session=None)

    def picture(self, whole=False):
        """Returns a PNG of the visible part, or of the whole page."""
        return base64.b64decode(self.call("Page.captureScreenshot", {"captureBeyondViewport": whole})["data"])

    def press(self, key):
        """Presses Tab, Enter or Space."""
        text = {"Enter": "\r", "Space": " "}.get(key)
        number = {"Tab": 9, "Enter": 13, "Space": 32}[key]
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent",
                      {"type": kind, "key": text if key == "Space" else key, "code": key,
                       "windowsVirtualKeyCode": number, **({"text": text} if text and kind == "keyDown" else {})})

    def drag(self, start, end):
        """Drags the mouse from one point to another."""
        for kind, (x, y), buttons in (("mouseMoved", start, 0), ("mousePressed", start, 1), ("mouseMoved", end, 1),
                                      ("mouseReleased", end, 0)):
            self.call("Input.dispatchMouseEvent",
                      {"type": kind, "x": x, "y": y, "button": "left" if kind != "mouseMoved" else "none",
                                                   "buttons": buttons, "clickCount": 1})

    def close(self):
        for end in (self.output, self.input):
            os.close(end)
        self.process.terminate()
        try:
            self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
