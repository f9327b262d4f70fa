"""parade's side of a pytest run: imposes an order, and writes what happens, a line of JSON for each event.

Each process that runs tests has a file of its own, and each line is one write: what was written before a process
died stays on record. JSON escapes line breaks, so no name and no message can make a line of its own.
"""

import json
import os
import threading
import time

import pytest

FOLDER = os.environ.get("PARADE_PYTEST", "")
MESSAGE_LIMIT = 8000
WORST_FIRST = ("error", "failed", "skipped", "passed")


class Recorder:
    def __init__(self):
        self.process = None
        self.descriptor = None

    def write(self, kind, **fields):
        if self.process is None:
            self.process = os.getpid()
            name = "%d-%d.jsonl" % (self.process, time.monotonic_ns())
            flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_EXCL
            self.descriptor = os.open(os.path.join(FOLDER, "events", name), flags, 0o644)
        if self.process != os.getpid():
            return  # A test forked: the child's events are not the suite's.
        line = json.dumps(dict(fields, event=kind, process=self.process)) + "\n"
        os.write(self.descriptor, line.encode("ascii"))


def clean(text):
    return str(text).encode("utf-8", "replace").decode("utf-8")


def moment():
    return {"epoch_micros": time.time_ns() // 1000, "monotonic_nanos": time.monotonic_ns()}


class ParadePlugin:
    def __init__(self, order):
        self.order = order
        self.recorder = Recorder()
        self.current = None
        self.reports = []

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config, items):
        """After all others: the order that was asked for, and nothing else."""
        if self.order is None:
            return
        named = {}
        for item in items:
            named.setdefault(item.nodeid, []).append(item)
        chosen = [named[name].pop(0) for name in self.order if named.get(name)]
        kept = set(map(id, chosen))
        config.hook.pytest_deselected(items=[item for item in items if id(item) not in kept])
        items[:] = chosen

    def pytest_collection_finish(self, session):
        if session.config.option.collectonly:
            addopts = session.config.getini("addopts")
            self.recorder.write("settings", addopts=[clean(option) for option in addopts])
            for item in session.items:
                self.recorder.write("collected", node=clean(item.nodeid))
            self.recorder.write("done")

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item):
        self.current, self.reports = item.nodeid, []
        thread = threading.current_thread().name
        self.recorder.write("start", node=clean(item.nodeid), thread=clean(thread), **moment())
        yield
        outcome, message = self.outcome()
        self.current = None
        if outcome is not None:
            self.recorder.write("end", node=clean(item.nodeid), outcome=outcome, message=message, **moment())

    def pytest_runtest_logreport(self, report):
        """The process that hands out tests to workers hears of reports, too; it runs none itself."""
        if self.current is None or report.nodeid != self.current:
            return
        if report.outcome == "rerun":
            self.reports = []
        else:
            self.reports.append(report)

    def outcome(self):
        """None where the test did not come to its end: pytest itself was told to stop in it."""
        if not any(report.when == "teardown" for report in self.reports):
            return None, None
        found = {}
        for report in self.reports:
            kind = report.outcome
            if kind == "failed" and report.when != "call":
                kind = "error"
            found.setdefault(kind, report)
        worst = next(kind for kind in WORST_FIRST if kind in found)
        return worst, explained(found[worst]) if worst != "passed" else None


def explained(report):
    """What was thrown first, then all that pytest says; why a test was skipped."""
    if report.outcome == "skipped":
        wasxfail = getattr(report, "wasxfail", None)
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else wasxfail
        return clean(reason or "")[:MESSAGE_LIMIT]
    crash = getattr(report.longrepr, "reprcrash", None)
    first = crash.message + "\n" if crash is not None else ""
    return clean(first + (report.longreprtext or ""))[:MESSAGE_LIMIT]


def pytest_configure(config):
    if FOLDER:
        order = None
        path = os.path.join(FOLDER, "order")
        if os.path.exists(path):
            with open(path, encoding="utf-8") as lines:
                order = [json.loads(line) for line in lines]
        config.pluginmanager.register(ParadePlugin(order), "parade-events")
