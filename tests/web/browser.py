"""A headless Chromium, controlled through chromedriver by W3C WebDriver, the protocol that all browsers support."""
import base64
import json
import os
import pathlib
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request


def missing():
    """The missing program, or ""."""
    return ", ".join(name for name in ("chromium", "chromedriver") if not shutil.which(name))


class Browser:
    def __init__(self, width=1280, height=800):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.home = tempfile.TemporaryDirectory()
        self.base = f"http://127.0.0.1:{port}"
        environment = {**os.environ, "HOME": self.home.name, "XDG_CONFIG_HOME": self.home.name, "XDG_CACHE_HOME": self.home.name}
        self.process = subprocess.Popen(["chromedriver", f"--port={port}", "--silent"], env=environment,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
                     f"--window-size={width},{height}"]
        capabilities = {"alwaysMatch": {"browserName": "chrome", "goog:chromeOptions": {"args": arguments}}}
        self.session = ""
        for _ in range(100):
            try:
                self.session = "/session/" + self.ask("POST", "/session", {"capabilities": capabilities})["sessionId"]
                return
            except (urllib.error.URLError, ConnectionError):
                time.sleep(0.1)
        raise RuntimeError("chromedriver does not answer")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.ask("DELETE", self.session)
        finally:
            self.process.terminate()
            self.process.wait()
            self.home.cleanup()

    def ask(self, method, path, body=None):
        data = None if method != "POST" else json.dumps(body or {}).encode()
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=300) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(json.load(error)["value"]["message"]) from None

    def open(self, url):
        self.ask("POST", self.session + "/url", {"url": url})

    def run(self, script, *args):
        """The value that a function body returns in the page."""
        return self.ask("POST", self.session + "/execute/sync", {"script": script, "args": args})

    def wait(self, script, *args, seconds=60):
        """Waits until the function body returns a true value."""
        end = time.monotonic() + seconds
        while True:
            value = self.run(script, *args)
            if value:
                return value
            if time.monotonic() > end:
                raise RuntimeError(f"waited {seconds} s for: {script}")
            time.sleep(0.03)

    def keys(self, text):
        """Types on the keyboard, where the focus is."""
        actions = [step for key in text for step in ({"type": "keyDown", "value": key}, {"type": "keyUp", "value": key})]
        self.ask("POST", self.session + "/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]})

    def chord(self, held, key):
        """Presses a key while another one is held."""
        actions = [{"type": "keyDown", "value": held}, {"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}, {"type": "keyUp", "value": held}]
        self.ask("POST", self.session + "/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]})

    def label(self, element):
        """The name that a screen reader announces for an element that `run` has returned."""
        (reference,) = element.values()
        return self.ask("GET", f"{self.session}/element/{reference}/computedlabel")

    def protocol(self, command, **parameters):
        """A command of Chromium's own protocol."""
        self.ask("POST", self.session + "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def become(self, width, height):
        """Emulates a touch screen of this size; a window cannot be as narrow as a phone."""
        self.protocol("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=2, mobile=True)
        self.protocol("Emulation.setTouchEmulationEnabled", enabled=True)

    def prefer(self, scheme):
        """Sets the preference of the user's system: "light" or "dark"."""
        self.protocol("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def picture(self, path):
        pathlib.Path(path).write_bytes(base64.b64decode(self.ask("GET", self.session + "/screenshot")))
