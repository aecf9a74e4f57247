"""Where the lines of a run come from: the output of a child process, or the record of a run in the background."""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import subprocess
import tempfile
import time
from collections import deque
from typing import Any, Deque, Mapping, Optional, Sequence, TypeVar

from . import _control
from ._command import Options, call, common_arguments, data_folder, deferred_interrupt, fail, spawn
from ._errors import OrderRefused, RunLost

T = TypeVar("T")

# Seconds that artoo may take to end what it was told to end.
PATIENCE = 30.0
# Seconds between two looks at the record.
_BEAT = 0.05


class Child:
    """``artoo run --json``: it asks nobody, and ends with this object."""

    run_id: Optional[str] = None

    def __init__(self, words: Sequence[str], text: str, options: Options) -> None:
        self._words = ["run", "--json", *words, "-"]
        self._text = text.encode()
        self._options = options
        self._buffer = b""
        self._errors = tempfile.TemporaryFile()
        self._written = b""
        self._deadline: Optional[float] = None
        self._process: Optional[subprocess.Popen[bytes]] = None

    def begin(self) -> None:
        """Starts the process. What interrupts this is to be followed by `close`."""
        with deferred_interrupt():
            self._process = spawn(self._words, self._options, self._errors)
        timeout = self._options.get("timeout")
        self._deadline = None if timeout is None else time.monotonic() + timeout + PATIENCE
        try:
            with _there(self._process.stdin) as stdin:
                stdin.write(self._text)
        except BrokenPipeError:
            pass  # It has ended already, and says why on standard error.

    def read(self) -> Optional[str]:
        """The next line; none at the end."""
        while b"\n" not in self._buffer:
            read = self._read(self._left())
            if read is None:
                raise RunLost("artoo did not end within its timeout, so it was stopped")
            if not read:
                break
            self._buffer += read
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line.decode(errors="replace") or None

    def order(self, run_id: str, order: Mapping[str, Any]) -> None:
        """Sends an order to the run."""
        _control.tell(os.path.join(data_folder(self._options), "runs", run_id), order)

    def stop(self) -> None:
        """Tells the run to end."""
        if self._process and self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)

    def ended(self) -> int:
        """Waits for the process: its exit code, negative for a signal."""
        return _there(self._process).wait(PATIENCE)

    def errors(self) -> bytes:
        """What it wrote on standard error."""
        if not self._errors.closed:
            self._errors.seek(0)
            self._written = self._errors.read()
        return self._written

    def close(self) -> None:
        """Ends the process if it is still there."""
        try:
            self.stop()
            self._drain()
        finally:
            if self._process:
                self._process.kill()
                self._process.wait()
                _there(self._process.stdout).close()
            self.errors()
            self._errors.close()

    def _drain(self) -> None:
        """Reads on until the process has ended: it could not end with a full pipe."""
        until = time.monotonic() + PATIENCE
        while self._process and self._process.poll() is None and time.monotonic() < until:
            if self._read(_BEAT) == b"":
                self._process.wait(PATIENCE)

    def _read(self, patience: Optional[float]) -> Optional[bytes]:
        """What comes next, none where nothing comes in this time, and nothing at the end."""
        out = _there(_there(self._process).stdout).fileno()
        return os.read(out, 1 << 16) if select.select([out], [], [], patience)[0] else None

    def _left(self) -> Optional[float]:
        return None if self._deadline is None else max(0.0, self._deadline - time.monotonic())


class Background:
    """``artoo run --detach``: its questions are answered over its control socket, and its record is read as it grows."""

    def __init__(self, words: Sequence[str], text: str, options: Options) -> None:
        self.run_id: Optional[str] = None
        self._words = ["run", "--detach", *words, "-"]
        self._text = text.encode()
        self._options = options
        self._starter: Optional[subprocess.Popen[bytes]] = None
        self._folder = ""
        # Open as long as the run's process lives.
        self._life: Optional[socket.socket] = None
        self._pid = 0
        self._lines: Deque[str] = deque()
        self._seen = 0
        self._size = -1
        self._is_over = False
        self._next_look = 0.0

    def begin(self) -> None:
        """Starts the run. What interrupts this is to be followed by `close`."""
        with deferred_interrupt():
            self._starter = spawn(self._words, self._options, subprocess.PIPE)
        out, errors = self._starter.communicate(self._text)
        self.run_id = out.decode().strip() or None
        if self.run_id is None:
            fail(self._starter.returncode, errors)
        self._folder = os.path.join(data_folder(self._options), "runs", self.run_id)
        try:
            self._life = _control.connect(self._folder)
            self._pid = _control.process_of(self._life)
        except OrderRefused:
            pass  # It has ended already.

    def read(self) -> Optional[str]:
        """The next line; none at the end."""
        lost_at = None
        while not self._lines and not self._is_over:
            lives = self._lives(max(_BEAT, self._next_look - time.monotonic()))
            size = self._record_size()
            if size != self._size or not lives:
                self._size = size
                self._look(lives)
            if not lives:
                # Its record says so a little later.
                lost_at = lost_at or time.monotonic() + PATIENCE
                self._is_over = self._is_over or time.monotonic() > lost_at
        return self._lines.popleft() if self._lines else None

    def order(self, run_id: str, order: Mapping[str, Any]) -> None:
        """Sends an order to the run."""
        _control.tell(self._folder, order)

    def stop(self) -> None:
        """Tells the run to end."""
        try:
            _control.tell(self._folder, {"order": "stop"})
        except OrderRefused:
            pass  # It has ended already.

    def ended(self) -> int:
        """Waits for the process. It is no child of this one, so that its exit code is not known: the record has it."""
        until = time.monotonic() + PATIENCE
        while self._life and time.monotonic() < until:
            self._lives(_BEAT)
        return 0

    def errors(self) -> bytes:
        """What it wrote on standard error."""
        try:
            with open(os.path.join(self._folder, "stderr"), "rb") as file:
                return file.read()
        except OSError:
            return b""

    def close(self) -> None:
        """Ends the process if it is still there."""
        self._name()
        if self.run_id is None or self._is_over and self._life is None:
            return
        if self._life is None:
            call(["runs", "stop", *common_arguments(self._options), "--", self.run_id], self._options)
            return
        try:
            self.stop()
            self.ended()
        finally:
            if self._lives(0.0) and self._life:
                os.kill(self._pid, signal.SIGKILL)
                self._life.close()
                self._life = None

    def _name(self) -> None:
        """Learns the run's id where `begin` was interrupted: the run may have begun, and only the output of the command names it."""
        starter, self._starter = self._starter, None
        if starter and self.run_id is None:
            try:
                self.run_id = starter.communicate(timeout=PATIENCE)[0].decode().strip() or None
            finally:
                starter.kill()
                starter.wait()

    def _lives(self, patience: float) -> bool:
        """Whether the run's process lives. A process that ends closes the connection, and nothing else is sent on it."""
        if self._life is None:
            time.sleep(patience)
            return False
        if not select.select([self._life], [], [], patience)[0]:
            return True
        self._life.close()
        self._life = None
        return False

    def _record_size(self) -> int:
        try:
            return os.stat(os.path.join(self._folder, "events.jsonl")).st_size
        except OSError:
            return -2

    def _look(self, lives: bool) -> None:
        began = time.monotonic()
        done = call(["runs", "show", "--json", *common_arguments(self._options), "--", _there(self.run_id)], self._options)
        # A long record takes long to read: most of the time is for the run.
        self._next_look = time.monotonic() + 4 * (time.monotonic() - began)
        lines = done.stdout.decode(errors="replace").splitlines()
        if not lines and not lives:
            fail(done.returncode, done.stderr)
        last = _object(lines[-1]) if lines else {}
        if last.get("type") == "run.unfinished" and last.get("state") in ("running", "unknown"):
            lines.pop()
        elif last.get("type") in ("run.unfinished", "run.finished"):
            self._is_over = True
        self._lines.extend(lines[self._seen :])
        self._seen = max(self._seen, len(lines))


def _there(value: Optional[T]) -> T:
    """What `begin` has made."""
    assert value is not None, "the run has not begun"
    return value


def _object(line: str) -> Mapping[str, Any]:
    try:
        value = json.loads(line)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
