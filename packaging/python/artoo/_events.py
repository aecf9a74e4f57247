"""The events of a run: the lines of ``artoo run --json``, described by ``artoo config schema --events``.

Each event keeps its line in ``raw``. An unknown type is a plain `Event`, and an unknown field stands in ``raw``: a newer artoo
is no error.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, fields
from typing import Any, Dict, List, Mapping, Optional, Type, Union


@dataclass(frozen=True)
class Event:
    """What all events have."""

    type: str
    raw: Mapping[str, Any] = field(repr=False)
    seq: int = 0
    ts: str = field(default="", repr=False)
    run_id: str = field(default="", repr=False)
    role: Optional[str] = None
    round: Optional[int] = None
    subtask_id: Optional[str] = None


@dataclass(frozen=True)
class RunStarted(Event):
    """A run begins."""

    request: str = ""
    working_folder: str = ""
    workspace: str = ""


@dataclass(frozen=True)
class ClarificationRequested(Event):
    """A question in words. The answer is a text; an empty one means: go ahead."""

    asked: int = 0
    questions: List[str] = field(default_factory=list)


@dataclass(frozen=True)
class PlanProposed(Event):
    """A plan."""

    subtasks: List[Dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True)
class PlanApprovalRequested(Event):
    """The question whether the plan may run (option ``plan``)."""

    subtasks: List[Dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True)
class ContinuationRequested(Event):
    """The question whether the run shall go on, since it has taken much."""

    number: int = 0
    turns: int = 0
    tokens: int = 0
    cost: Optional[float] = None
    currency: str = ""


@dataclass(frozen=True)
class SubTaskStarted(Event):
    """A subtask begins."""

    intent: str = ""


@dataclass(frozen=True)
class ToolStarted(Event):
    """A call of a tool begins."""

    call_id: str = ""
    tool: str = ""
    arguments: Any = None


@dataclass(frozen=True)
class ToolOutput(Event):
    """A piece of a call's output."""

    call_id: str = ""
    text: str = ""


@dataclass(frozen=True)
class ApprovalRequested(Event):
    """The question whether a call may have its effects. Where ``person`` is false, the run decides by itself."""

    call_id: str = ""
    tool: str = ""
    command: str = ""
    effects: List[Dict[str, Any]] = field(default_factory=list)
    changes: List[Dict[str, Any]] = field(default_factory=list)
    reason: str = ""
    person: bool = False


@dataclass(frozen=True)
class ApprovalDecided(Event):
    """The answer to it."""

    call_id: str = ""
    granted: bool = False
    scope: str = ""
    reason: str = ""


@dataclass(frozen=True)
class ToolFinished(Event):
    """A call ended."""

    call_id: str = ""
    tool: str = ""
    ending: Any = None
    failure: Any = None
    duration_ms: int = 0
    shown: str = ""
    files: List[Dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True)
class Verdict(Event):
    """A criterion was judged."""

    criterion: str = ""
    passed: bool = field(default=False, metadata={"key": "pass"})
    judge: str = ""
    reason: Optional[str] = None


@dataclass(frozen=True)
class SubTaskFinished(Event):
    """A subtask ended."""

    status: str = ""
    output: Any = None
    failure_reason: Optional[str] = None


@dataclass(frozen=True)
class Usage(Event):
    """A model call ended."""

    model: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    elapsed_ms: int = 0
    error: Optional[str] = None
    cumulative: Dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class RunWarning(Event):
    """Something worth knowing."""

    message: str = ""


@dataclass(frozen=True)
class RunUnfinished(Event):
    """The run has no end on record."""

    state: str = ""


@dataclass(frozen=True)
class RunFinished(Event):
    """The run ended. `Run.result` has the same as a `Result`."""

    summary: str = ""
    output: Any = None
    exit_code: int = 0
    directive: Optional[str] = None
    error: Optional[Dict[str, Any]] = None


Question = Union[ApprovalRequested, ClarificationRequested, PlanApprovalRequested, ContinuationRequested]

_TYPES: Mapping[str, Type[Event]] = {
    "run.started": RunStarted,
    "clarification.requested": ClarificationRequested,
    "plan.proposed": PlanProposed,
    "plan_approval.requested": PlanApprovalRequested,
    "continuation.requested": ContinuationRequested,
    "subtask.started": SubTaskStarted,
    "tool.started": ToolStarted,
    "tool.output": ToolOutput,
    "approval.requested": ApprovalRequested,
    "approval.decided": ApprovalDecided,
    "tool.finished": ToolFinished,
    "verdict": Verdict,
    "subtask.finished": SubTaskFinished,
    "usage": Usage,
    "warning": RunWarning,
    "run.unfinished": RunUnfinished,
    "run.finished": RunFinished,
}


def parse_event(line: str) -> Event:
    """The event of a line. Raises `ValueError` where the line is no JSON object with a type.

    >>> parse_event('{"v": 1, "seq": 2, "type": "warning", "message": "slow", "new": 1}')
    RunWarning(type='warning', seq=2, role=None, round=None, subtask_id=None, message='slow')
    >>> parse_event('{"type": "of.tomorrow", "seq": 3}').raw["type"]
    'of.tomorrow'
    """
    raw = json.loads(line)
    if not isinstance(raw, dict) or not isinstance(raw.get("type"), str):
        raise ValueError("this is no event")
    kind = _TYPES.get(raw["type"], Event)
    keys = {each.name: each.metadata.get("key", each.name) for each in fields(kind) if each.name != "raw"}
    return kind(raw=raw, **{name: raw[key] for name, key in keys.items() if key in raw})


def question_of(event: Event) -> Optional[Question]:
    """The event as a question to a person, where it is one."""
    if isinstance(event, ApprovalRequested):
        return event if event.person else None
    if isinstance(event, (ClarificationRequested, PlanApprovalRequested, ContinuationRequested)):
        return event
    return None
