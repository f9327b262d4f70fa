"""A file that all processes of a run share, and a way for two tests to meet in different processes."""

import atexit
import os
import pathlib
import shutil
import tempfile
import time

PATIENCE_SECONDS = 10.0
RUN = os.environ.get("PYTEST_XDIST_TESTRUNUID", str(os.getpid()))
FOLDER = pathlib.Path(tempfile.gettempdir(), "parade-ledger-" + RUN)
LEDGER = FOLDER / "ledger.txt"

FOLDER.mkdir(exist_ok=True)
atexit.register(shutil.rmtree, FOLDER, ignore_errors=True)


def say(what):
    (FOLDER / what).touch()


def hears(what):
    """Waits for what a test in another process says. Without a second worker there is nobody to wait for."""
    if int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1")) < 2:
        return False
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not (FOLDER / what).exists():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True
