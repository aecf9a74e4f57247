"""artoo for Python programs: start runs, follow them, answer their questions, take back what they did.

>>> import artoo  # doctest: +SKIP
>>> artoo.run("How many .txt files are in docs?").output  # doctest: +SKIP
'3'

The package starts the program ``artoo`` and needs nothing beside Python's standard library.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import tempfile
import time
import weakref
from contextlib import AbstractContextManager, ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterator, List, Mapping, Optional, Union

from ._events import Event, ExitCode, Question, Result, ToolFinished, ToolStarted, Undo, parse_event, question_of
from ._program import ArtooError, Options, OrderRefused, RunFailed, call, environment, failure, find_binary, words_of

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = [
    "ArtooError", "Event", "ExitCode", "Options", "OrderRefused", "Question", "Result", "Run", "RunFailed", "ToolFinished",
    "ToolStarted", "Undo", "find_binary", "question_of", "run", "start", "undo",
]  # fmt: skip

# What answers a question by yes or no: the order, and the field that names the question.
_ORDERS = {
    "approval.requested": ("effect", "call_id"),
    "plan_approval.requested": ("plan", "round"),
    "continuation.requested": ("continuation", "number"),
}
PATIENCE = 30.0  # Seconds that artoo may take to end.


class Run(Iterator[Event], AbstractContextManager["Run"]):
    """A run at work. Iterating gives its events; it ends with its ``with`` block, with this object, and with the interpreter.

    >>> with artoo.start("Sort the lines of todo.txt") as run:  # doctest: +SKIP
    ...     for event in run:
    ...         if question := artoo.question_of(event):
    ...             run.answer(question, input(f"{question} yes? ") == "yes")
    ...     print(run.result().output)
    """

    def __init__(self, request: str, options: Options, asks: bool) -> None:
        self.id = ""  # Known once the run has begun.
        self._options, self._asks, self._data = options, asks, ""
        self._result: Optional[Result] = None
        stack = ExitStack()
        self.close = weakref.finalize(self, stack.close)
        """Ends the run if it is still at work. Whatever becomes of this object from here on, its process ends."""
        try:
            self._errors, stdin = (stack.enter_context(tempfile.TemporaryFile()) for _ in range(2))
            stdin.write(request.encode())
            stdin.seek(0)
            words = [find_binary(), "run", "--json", *(["--answer-by-socket"] if asks else []), *words_of(options)]
            if "output_schema" in options:
                schema = stack.enter_context(tempfile.NamedTemporaryFile("w"))
                json.dump(options["output_schema"], schema)
                schema.flush()
                words.append(f"--output-schema={schema.name}")
            started: List[subprocess.Popen[bytes]] = []
            stack.callback(_end, started)
            # In a session of its own, so that Ctrl+C reaches it once: from here.
            started.append(subprocess.Popen(
                [*words, "-"], stdin=stdin, stdout=subprocess.PIPE, stderr=self._errors, env=environment(options), start_new_session=True
            ))  # fmt: skip
            self._process = started[0]
        except BaseException:
            self.close()
            raise

    def __next__(self) -> Event:
        if not self.close.alive or not self._process.stdout:
            raise StopIteration
        try:
            line = self._process.stdout.readline()
            if not line.endswith(b"\n"):
                code = _wait(self._process)
                if not self.id and code > 0:
                    raise self._failure(code)
                raise ArtooError(f"the run has gone and left no end on record (exit code {code})", "see `artoo runs list`", code)
            event = parse_event(line)
            self.id = event.run_id or self.id
            if isinstance(event, Result):
                _wait(self._process)
                self._result, self._hint = event, self._failure(0).hint
                self.close()
            return event
        except BaseException:
            self.close()
            raise

    def _failure(self, code: int) -> ArtooError:
        self._errors.seek(0)
        return failure(code, self._errors.read())

    def answer(self, question: Question, answer: Union[bool, str, None], scope: str = "once") -> None:
        """Answers a question, from any thread.

        A question in words takes a text; an empty one means: go ahead. The others take true or false. Of an approval, ``scope`` says
        for how long a yes holds (``once``, ``run``, ``folder``), and a text is a no with what to do instead. None ends the run.
        Raises `OrderRefused`.
        """
        order = _order(question, answer, scope)
        for wait in (0.1, 0.2, 0.4, 0.8):
            with suppress(OrderRefused):
                return self._send(order)
            time.sleep(wait)  # The run may still be at work on the answer to another question.
        self._send(order)

    def stop(self) -> None:
        """Tells the run to end, from any thread. `result` raises `RunFailed` then."""
        self._process.send_signal(signal.SIGINT)

    def result(self) -> Result:
        """Waits for the end. A question that comes meanwhile is answered with no, and one in words with: go ahead.

        Raises `RunFailed` where a fault ended the run, and `ArtooError` where there is no result.
        """
        for event in self:
            if isinstance(event, Question) and self._asks:
                with suppress(OrderRefused):
                    self.answer(event, False if event.type in _ORDERS else "")
        if not self._result:
            raise ArtooError("this run was closed before its end", "see `artoo runs list`")
        if self._result.error:
            raise RunFailed(self._result.error["message"], self._hint or self._result.error.get("hint"), self._result)
        return self._result

    def __exit__(self, *_: object) -> None:
        self.close()

    def _send(self, order: Mapping[str, Any]) -> None:
        """Gives an order over the run's control socket."""
        self._data = self._data or _data_folder(self._options)
        try:
            with ExitStack() as stack:
                folder = os.open(os.path.join(self._data, "runs", self.id), os.O_RDONLY)
                stack.callback(os.close, folder)
                connection = stack.enter_context(socket.socket(socket.AF_UNIX))
                connection.settimeout(5.0)
                connection.connect(f"/proc/self/fd/{folder}/control")  # A folder's path may be too long for an address.
                replies = stack.enter_context(connection.makefile("rb"))
                for message in (b"", json.dumps(order).encode() + b"\n"):  # The run greets first.
                    connection.sendall(message)
                    reply = json.loads(replies.readline() or b'{"reason": "the run has ended"}')
                    if "reason" in reply:
                        raise OrderRefused(reply["reason"])
        except OSError as error:
            raise OrderRefused(f"the run does not listen: it may have ended ({error})", "see `artoo runs list`") from error


def start(request: str, **options: Unpack[Options]) -> Run:
    """Starts a run and returns at once. The run asks, and waits for `Run.answer`. `Options` lists the options."""
    return Run(request, options, asks=True)


def run(
    request: str, *, on_question: Optional[Callable[[Question], Union[bool, str, None]]] = None, **options: Unpack[Options]
) -> Result:
    """Works on a request and returns its result. `Options` lists the options, and `Run.result` the errors.

    >>> artoo.run("Sort the lines of todo.txt", cwd="project", yes=["overwrites"]).ok  # doctest: +SKIP
    True

    ``on_question`` returns the answer, as `Run.answer` takes it. Without it every question is answered with no.
    """
    with Run(request, options, asks=on_question is not None) as active:
        for event in active:
            if on_question and isinstance(event, Question):
                active.answer(event, on_question(event))
        return active.result()


def undo(
    run_id: str, dry_run: bool = False, *, data_dir: Optional[Union[str, Path]] = None, env: Optional[Mapping[str, str]] = None
) -> Undo:
    """Takes back what a run did to files: everything, or nothing. With ``dry_run`` it only says what it would do.

    >>> artoo.undo(result.run_id, dry_run=True).changes  # doctest: +SKIP
    [{'path': '/home/me/todo.txt', 'action': 'restore', ...}]

    Raises `ArtooError` where that is not possible.
    """
    done = call(["undo", "--json", *(["--dry-run"] if dry_run else []), "--", run_id], {"data_dir": data_dir, "env": env})
    try:
        page = Undo(json.loads(done.stdout))
    except ValueError:
        raise failure(done.returncode, done.stderr) from None
    if page.obstacles and not dry_run:
        hint = "with `dry_run` the obstacles are in the result"
        raise ArtooError(f"something stands in the way of the undo of run {run_id}: {page.obstacles[0]}", hint, done.returncode)
    return page


def _order(question: Question, answer: Union[bool, str, None], scope: str) -> Dict[str, Any]:
    """What goes over the control socket for an answer."""
    if answer is None:
        return {"order": "decline"}
    kind, key = _ORDERS.get(question.type, ("answer", "asked"))
    is_text, agreed = isinstance(answer, str), answer is True
    if is_text != (kind == "answer") and not (is_text and kind == "effect"):
        raise TypeError("a question in words is answered by a text, another one by true or false")
    if kind == "answer":
        return {"order": kind, "round": question.raw[key], "answer": answer}
    decision = {key: question.raw[key], "granted": agreed, "reason": "the caller agreed" if agreed else "the caller did not agree"}
    if kind == "effect":
        decision.update(scope=scope if agreed else "once", instead=answer if is_text else None)
    return {"order": kind, "decision": decision}


def _data_folder(options: Options) -> str:
    """Where artoo keeps its runs."""
    done = call(["config", "show", "--json"], options)
    if done.returncode:
        raise failure(done.returncode, done.stderr)
    value: str = json.loads(done.stdout)["values"]["run.data_dir"]["value"]
    path = json.loads(value) if value.startswith('"') else value.strip("'")
    home = environment(options).get("HOME") or os.path.expanduser("~")
    return os.path.abspath(home + path[1:] if path.startswith("~/") else path)


def _wait(process: subprocess.Popen[bytes]) -> int:
    """Waits until the process ends, and kills it where that takes too long. Its exit code, negative for a signal."""
    with suppress(subprocess.TimeoutExpired):
        return process.wait(PATIENCE)
    process.kill()
    return process.wait()


def _end(started: List[subprocess.Popen[bytes]]) -> None:
    """Ends the process. Nobody reads its output then, so that it cannot wait for a reader."""
    for process in started:
        try:
            process.send_signal(signal.SIGINT)
            if process.stdout:
                process.stdout.close()
            _wait(process)
        finally:
            process.kill()
