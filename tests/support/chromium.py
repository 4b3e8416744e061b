"""The Chromium of the browser tests: that of the npm package, or the one that CARTULARY_CHROMIUM names."""

import os
import platform
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Playwright

TOOLS = Path(sys.prefix) / "browser"
"""The folder in which make installs Chromium and the npm packages (tests/browser/package.json)."""

VARIABLE = "CARTULARY_CHROMIUM"
_FOLDER = TOOLS / "chromium"
_ARGUMENTS = (
    "--no-sandbox",  # the sandbox needs root or user namespaces, which containers seldom have
    "--disable-gpu",
    "--disable-dev-shm-usage",  # /dev/shm of a container is often too small
    "--renderer-process-limit=2",  # every process compiles the scripts of a site again
    "--font-render-hinting=none",  # text is equally wide on every machine
)


def reason_to_skip() -> str | None:
    """Return why this machine has no Chromium for the tests; None if it has one."""
    machine = f"{platform.system()} {platform.machine()}"
    if find_spec("playwright") is None:
        return f"there is no Playwright for {machine}, which drives the browser"
    if not os.environ.get(VARIABLE) and not (_FOLDER / "chromium").exists():
        return f"there is no Chromium for {machine}; set {VARIABLE} to the path of an installed one"
    return None


def launch(playwright: "Playwright") -> "Browser":
    """Start Chromium without a window."""
    if installed := os.environ.get(VARIABLE):
        return playwright.chromium.launch(executable_path=installed, args=[*_ARGUMENTS])
    return playwright.chromium.launch(
        executable_path=_FOLDER / "chromium",
        args=[*_ARGUMENTS],
        env={
            **os.environ,
            "LD_LIBRARY_PATH": str(_FOLDER / "lib"),
            "FONTCONFIG_FILE": str(_FOLDER / "fonts.conf"),
        },
    )
