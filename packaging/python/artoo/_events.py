"""What artoo prints as JSON: the events of a run, as ``artoo config schema --events`` describes them, and the page of an undo.

An event of another type than these is an `Event`. Every object has all that was printed in ``raw``.
"""

from __future__ import annotations

import json
from enum import IntEnum
from typing import Any, Dict, Mapping, Optional, Sequence, Type

from ._program import ArtooError

Objects = Sequence[Mapping[str, Any]]


class ExitCode(IntEnum):
    """The exit codes of ``artoo run``. A newer artoo may have more."""

    ACCEPTED = 0  # Every criterion is met, with evidence.
    FAILED = 1  # Internal failure, or failure of the model's provider.
    USAGE = 2  # Wrong option or configuration.
    PARTIAL = 3  # Some criteria are not met, or nobody checked the answer.
    ABANDONED = 4  # Given up, or a budget is spent.
    CONSENT_MISSING = 5  # Consent was needed and not given.
    NEEDS_PERSON = 6  # A person has to answer something first.
    TIMEOUT = 124
    HUNG_UP = 129
    INTERRUPTED = 130
    QUIT = 131
    TERMINATED = 143


class Page:
    """A JSON object. Its fields are attributes."""

    run_id: str = ""

    def __init__(self, raw: Mapping[str, Any]) -> None:
        vars(self).update(raw)
        self.raw = raw

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.raw})"


class Undo(Page):
    """What an undo did or, with ``dry_run``, would do. Where there are obstacles, nothing is changed."""

    undone: bool = False
    changes: Objects = ()
    obstacles: Objects = ()


class Event(Page):
    """What all events have."""

    type: str
    seq: int = 0


class Question(Event):
    """A question to a person. One in words has ``questions``. The others are answered by yes or no: whether a call may have its
    ``effects`` (``approval.requested``), a plan may run (``plan_approval.requested``), a run goes on (``continuation.requested``)."""

    questions: Sequence[str] = ()
    tool: str = ""
    command: str = ""
    effects: Objects = ()
    subtasks: Objects = ()


class ToolStarted(Event):
    call_id: str = ""
    tool: str = ""
    arguments: Any = None


class ToolFinished(Event):
    call_id: str = ""
    tool: str = ""
    shown: str = ""


class Result(Event):
    """How the run ended: its last event. ``error`` is the fault that ended it."""

    exit_code: int = ExitCode.FAILED
    output: Any = None
    summary: str = ""
    structured: Any = None
    unmet: Objects = ()
    files: Objects = ()
    error: Optional[Mapping[str, Any]] = None

    @property
    def ok(self) -> bool:
        """Whether every criterion is met, with evidence."""
        return self.exit_code == ExitCode.ACCEPTED


_ASKING = ("approval.requested", "clarification.requested", "plan_approval.requested", "continuation.requested")
_TYPES: Dict[str, Type[Event]] = {"tool.started": ToolStarted, "tool.finished": ToolFinished, "run.finished": Result}


def parse_event(line: bytes) -> Event:
    """The event of a line. Raises `ArtooError` where the line is none."""
    try:
        raw = json.loads(line)
        # Where no person is asked for approval, the run decides by itself.
        asks = raw["type"] in _ASKING and raw.get("person", True)
        return (Question if asks else _TYPES.get(raw["type"], Event))(raw)
    except (ValueError, TypeError, KeyError) as error:
        raise ArtooError(f"artoo printed a line that is no event: {line[:200]!r}", "is the program that was found artoo?") from error


def question_of(event: Event) -> Optional[Question]:
    """The event as a question to a person, where it is one."""
    return event if isinstance(event, Question) else None
