"""`start`, `run` and `undo`."""

from __future__ import annotations

import json
import os
import tempfile
import time
import weakref
from types import TracebackType
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Type, Union

from ._command import CommonOptions, Options, call, common_arguments, fail, message_and_hint, run_arguments
from ._errors import OrderRefused, RunFailed, RunLost, UndoRefused
from ._events import (
    ApprovalRequested,
    ClarificationRequested,
    ContinuationRequested,
    Event,
    Question,
    RunFinished,
    parse_event,
    question_of,
)
from ._result import Result, Undo
from ._sources import Background, Child

if TYPE_CHECKING:
    from typing_extensions import Unpack

Answer = Union[bool, str, None]


class Run:
    """A run that works. Iterating gives its events; ``with`` ends it if it is still at work.

    >>> with artoo.start("Sort the lines of todo.txt") as run:  # doctest: +SKIP
    ...     for event in run:
    ...         if question := artoo.question_of(event):
    ...             run.answer(question, input(f"{question} yes? ") == "yes")
    ...     print(run.result().output)

    It belongs to one thread, except for `stop`, `note` and `answer`. It ends when it is collected, and when the interpreter ends.
    """

    def __init__(self, source: Union[Child, Background], schema_file: Optional[str] = None) -> None:
        self.id: Optional[str] = None
        """The run's id, once it has begun."""
        self._source = source
        self._result: Optional[Result] = None
        self._open: List[Question] = []
        # From here on, whatever becomes of this object, its process ends.
        self._close = weakref.finalize(self, _end, source, schema_file)
        try:
            source.begin()
        except BaseException:
            self.close()
            raise
        self.id = source.run_id

    def __iter__(self) -> Run:
        return self

    def __next__(self) -> Event:
        event = None if self._result or not self._close.alive else self._guarded(self._next)
        if event is None:
            raise StopIteration
        return event

    def answer(self, question: Question, answer: Union[bool, str], *, scope: str = "once", reason: Optional[str] = None) -> None:
        """Answers a question.

        A question for approval, about a plan or about going on takes true or false. Of an approval, ``scope`` says for how long a
        yes holds (``once``, ``run``, ``folder``), and a text is a no with what to do instead. A question in words takes a text; an
        empty one means: go ahead. Raises `OrderRefused`, for example where somebody else was first.
        """
        order = _order_of(question, answer, scope, reason or ("the caller agreed" if answer is True else "the caller did not agree"))
        for wait in (0.1, 0.2, 0.4, 0.8, None):
            try:
                self._order(order)
                break
            except OrderRefused:
                # The run may still be at work on the answer to another question.
                if wait is None:
                    raise
                time.sleep(wait)
        self._open = [other for other in self._open if other is not question]

    def decline(self) -> None:
        """Ends the run instead of answering its open question."""
        self._order({"order": "decline"})
        self._open = []

    def note(self, text: str) -> None:
        """Tells the run something that it did not ask for."""
        self._order({"order": "note", "text": text})

    def stop(self) -> None:
        """Tells the run to end. What there is then is in ``result(check=False)``. A run that has ended stays as it is."""
        self._source.stop()

    def result(self, check: bool = True) -> Result:
        """Waits for the end. Questions that were not answered are answered with no, and those in words with: go ahead.

        Raises `RunFailed` where a fault ended the run (not with ``check=False``), `UsageError` or `ArtooError` where it did not
        begin, and `RunLost`.
        """
        self._refuse_open()
        for _ in self:
            self._refuse_open()
        if self._result is None:
            raise RunLost("this run was closed before its end", f"see `artoo runs show {self.id}`" if self.id else None)
        if check and self._result.error:
            fault = self._result.error
            message, hint = message_and_hint(self._source.errors())
            worded = hint if message == fault.get("message") else None
            raise RunFailed(str(fault.get("message")), worded or fault.get("hint"), self._result)
        return self._result

    def close(self) -> None:
        """Ends the run if it is still at work, and its process in any case."""
        self._close()

    def __enter__(self) -> Run:
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]) -> None:
        self.close()

    def _guarded(self, step: Callable[[], Optional[Event]]) -> Optional[Event]:
        try:
            return step()
        except BaseException:
            self.close()
            raise

    def _next(self) -> Optional[Event]:
        line = self._source.read()
        if line is None:
            self._ended_without_end()
            return None
        try:
            event = parse_event(line)
        except ValueError as error:
            raise RunLost(f"artoo printed a line that is no event: {line[:200]}", "is the program that was found artoo?") from error
        self.id = event.run_id or self.id
        question = question_of(event)
        if question and isinstance(self._source, Background):
            self._open.append(question)
        self._open = [open_one for open_one in self._open if not _settles(event, open_one)]
        if isinstance(event, RunFinished):
            self._result = Result.of(event.raw)
            self._source.ended()
        return event

    def _ended_without_end(self) -> None:
        code = self._source.ended()
        if self.id is None and code > 0:
            fail(code, self._source.errors())
        how = f" (signal {-code})" if code < 0 else ""
        raise RunLost(f"the run's process has gone, and left no end on record{how}", f"see `artoo runs show {self.id}`" if self.id else None)

    def _refuse_open(self) -> None:
        for question in list(self._open):
            try:
                self._order(_order_of(question, "" if isinstance(question, ClarificationRequested) else False, "once", "nobody answered"))
            except OrderRefused:
                pass  # Another question comes first, or it is answered already: an event will tell.

    def _order(self, order: Dict[str, Any]) -> None:
        if self.id is None:
            raise OrderRefused("the run has not begun")
        self._source.order(self.id, order)


def start(request: str, *, answers: bool = True, **options: Unpack[Options]) -> Run:
    """Starts a run and returns at once. `Options` lists the options.

    The run asks, and waits for `Run.answer`. With ``answers=False`` it asks nobody: it is a child process whose every question is
    answered with no.
    """
    words = run_arguments(options)
    schema_file = None
    if "output_schema" in options:
        descriptor, schema_file = tempfile.mkstemp(suffix=".json", prefix="artoo-schema-")
        words.insert(0, f"--output-schema={schema_file}")
        with open(descriptor, "w") as file:
            json.dump(options["output_schema"], file)
    return Run(Background(words, request, options) if answers else Child(words, request, options), schema_file)


def run(
    request: str,
    *,
    on_event: Optional[Callable[[Event], object]] = None,
    on_question: Optional[Callable[[Question], Answer]] = None,
    **options: Unpack[Options],
) -> Result:
    """Works on a request and returns its result. `Options` lists the options.

    >>> artoo.run("How many .txt files are in docs?", cwd="~/project").output  # doctest: +SKIP
    '3'

    Without ``on_question`` every question is answered with no. Its return value is the answer (see `Run.answer`); none ends the
    run. Raises `RunFailed` where a fault ended the run.
    """
    with start(request, answers=on_question is not None, **options) as active:
        for event in active:
            if on_event:
                on_event(event)
            question = question_of(event)
            if on_question and question:
                _answer(active, question, on_question(question))
        return active.result()


def undo(run_id: str, dry_run: bool = False, **options: Unpack[CommonOptions]) -> Undo:
    """Takes back what a run did to files: everything, or nothing. With ``dry_run`` it only says what it would do.

    >>> artoo.undo(result.run_id, dry_run=True).changes  # doctest: +SKIP
    [{'path': '/home/me/todo.txt', 'action': 'restore', ...}]

    Raises `UndoRefused` where something stands in the way, and `ArtooError` where it cannot be undone.
    """
    flags = ["--dry-run"] if dry_run else []
    done = call(["undo", "--json", *flags, *common_arguments(options), "--", run_id], options)
    try:
        page = Undo.of(json.loads(done.stdout))
    except ValueError:
        fail(done.returncode or 1, done.stderr)
    if page.obstacles and not dry_run:
        raise UndoRefused(f"the changes of run {page.run_id} cannot be taken back, so none was", "see `error.undo.obstacles`", page)
    return page


def _order_of(question: Question, answer: Union[bool, str], scope: str, reason: str) -> Dict[str, Any]:
    granted = answer is True
    decision: Dict[str, Any] = {"granted": granted, "reason": reason}
    if isinstance(question, ClarificationRequested):
        if not isinstance(answer, str):
            raise TypeError("a question in words is answered by a text; `decline` ends the run")
        return {"order": "answer", "round": question.asked, "answer": answer}
    if isinstance(question, ApprovalRequested):
        words = answer if isinstance(answer, str) else None
        decision.update(call_id=question.call_id, scope=scope if granted else "once", instead=words)
        return {"order": "effect", "decision": decision}
    if isinstance(answer, str):
        raise TypeError("this question is answered by true or false")
    if isinstance(question, ContinuationRequested):
        return {"order": "continuation", "decision": {**decision, "number": question.number}}
    return {"order": "plan", "decision": {**decision, "round": question.round}}


def _answer(active: Run, question: Question, answer: Answer) -> None:
    if answer is None:
        active.decline()
    else:
        active.answer(question, answer)


def _settles(event: Event, question: Question) -> bool:
    """Whether the event says that the question is answered, here or elsewhere."""
    if isinstance(question, ApprovalRequested):
        return event.type == "approval.decided" and event.raw.get("call_id") == question.call_id
    if isinstance(question, ClarificationRequested):
        return event.type == "clarification.answered" and event.raw.get("asked") == question.asked
    kind = "continuation.decided" if isinstance(question, ContinuationRequested) else "plan_approval.decided"
    return event.type == kind


def _end(source: Union[Child, Background], schema_file: Optional[str]) -> None:
    try:
        source.close()
    finally:
        if schema_file:
            os.unlink(schema_file)
