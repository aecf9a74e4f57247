"""Where the lines of a run come from: the output of a child process, or the record of a run in the background."""

from __future__ import annotations

import json
import os
import select
import signal
import tempfile
import time
from collections import deque
from typing import Any, Deque, Mapping, Optional, Sequence

from . import _control
from ._command import PATIENCE, Options, begin_in_background, call, common_arguments, data_folder, fail, spawn, stop_in_background
from ._errors import OrderRefused, RunLost

# Seconds between two looks at the record.
_BEAT = 0.05


class Child:
    """``artoo run --json``: it asks nobody, and ends with this object."""

    def __init__(self, words: Sequence[str], text: str, options: Options) -> None:
        self._errors = tempfile.TemporaryFile()
        self._written = b""
        try:
            self._process = spawn(["run", "--json", *words, "-"], options, self._errors)
        except BaseException:
            self._errors.close()
            raise
        timeout = options.get("timeout")
        self._deadline = None if timeout is None else time.monotonic() + timeout + PATIENCE
        self._options = options
        self._buffer = b""
        assert self._process.stdin and self._process.stdout
        self._out = self._process.stdout
        try:
            with self._process.stdin as stdin:
                stdin.write(text.encode())
        except BrokenPipeError:
            pass  # It has ended already, and says why on standard error.
        except BaseException:
            self.close()
            raise

    def read(self) -> Optional[str]:
        """The next line; none at the end."""
        while b"\n" not in self._buffer:
            if not select.select([self._out], [], [], self._left())[0]:
                raise RunLost("artoo did not end within its timeout, so it was stopped")
            read = os.read(self._out.fileno(), 1 << 16)
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
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)

    def ended(self) -> int:
        """Waits for the process: its exit code, negative for a signal."""
        return self._process.wait(PATIENCE)

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
            self._process.kill()
            self._process.wait()
            self.errors()
            self._errors.close()
            self._out.close()

    def _drain(self) -> None:
        until = time.monotonic() + PATIENCE
        while self._process.poll() is None and time.monotonic() < until:
            if select.select([self._out], [], [], 0.05)[0] and not os.read(self._out.fileno(), 1 << 16):
                self._process.wait(PATIENCE)

    def _left(self) -> Optional[float]:
        return None if self._deadline is None else max(0.0, self._deadline - time.monotonic())


class Background:
    """``artoo run --detach``: its questions are answered over its control socket, and its record is read as it grows."""

    def __init__(self, words: Sequence[str], text: str, options: Options) -> None:
        self._options = options
        self.run_id = begin_in_background(words, text, options)
        self._lines: Deque[str] = deque()
        self._seen = 0
        self._size = -1
        self._is_over = False
        self._next_look = 0.0
        self._pid: Optional[int] = None
        try:
            self._folder = os.path.join(data_folder(options), "runs", self.run_id)
            # Open as long as the run's process lives.
            self._life = _control.connect(self._folder)
            self._pid = _control.process_of(self._life)
        except OrderRefused:
            pass  # It has ended already.
        except BaseException:
            stop_in_background(self.run_id, options)
            raise

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
            self.order(self.run_id, {"order": "stop"})
        except OrderRefused:
            pass  # It has ended already.

    def ended(self) -> int:
        """Waits for the process. It is no child of this one, so that its exit code is not known: the record has it."""
        until = time.monotonic() + PATIENCE
        while self._pid is not None and time.monotonic() < until:
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
        if self._pid is None:
            return
        try:
            self.stop()
            self.ended()
        finally:
            if self._lives(0.0) and self._pid is not None:
                os.kill(self._pid, signal.SIGKILL)
                self._life.close()
                self._pid = None

    def _lives(self, patience: float) -> bool:
        """Whether the run's process lives. A process that ends closes the connection, and nothing else is sent on it."""
        if self._pid is None:
            time.sleep(patience)
            return False
        if not select.select([self._life], [], [], patience)[0]:
            return True
        self._life.close()
        self._pid = None
        return False

    def _record_size(self) -> int:
        try:
            return os.stat(os.path.join(self._folder, "events.jsonl")).st_size
        except OSError:
            return -2

    def _look(self, lives: bool) -> None:
        began = time.monotonic()
        done = call(["runs", "show", "--json", *common_arguments(self._options), "--", self.run_id], self._options)
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


def _object(line: str) -> Mapping[str, Any]:
    try:
        value = json.loads(line)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
