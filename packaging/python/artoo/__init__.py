"""artoo for Python programs: start runs, follow them, answer their questions, take back what they did.

>>> import artoo  # doctest: +SKIP
>>> result = artoo.run("How many .txt files are in docs?")  # doctest: +SKIP
>>> result.output, result.ok  # doctest: +SKIP
('3', True)

The package starts the program ``artoo`` and needs nothing beside Python's standard library.
"""

from ._binary import find_binary
from ._command import CommonOptions, Options
from ._errors import (
    ArtooError,
    BinaryNotFound,
    ExitCode,
    OrderRefused,
    RunFailed,
    RunLost,
    UndoRefused,
    UsageError,
)
from ._events import (
    ApprovalDecided,
    ApprovalRequested,
    ClarificationRequested,
    ContinuationRequested,
    Event,
    PlanApprovalRequested,
    PlanProposed,
    Question,
    RunFinished,
    RunStarted,
    RunUnfinished,
    RunWarning,
    SubTaskFinished,
    SubTaskStarted,
    ToolFinished,
    ToolOutput,
    ToolStarted,
    Usage,
    Verdict,
    parse_event,
    question_of,
)
from ._result import Result, Undo
from ._run import Run, run, start, undo

__all__ = [
    "ApprovalDecided",
    "ApprovalRequested",
    "ArtooError",
    "BinaryNotFound",
    "ClarificationRequested",
    "CommonOptions",
    "ContinuationRequested",
    "Event",
    "ExitCode",
    "Options",
    "OrderRefused",
    "PlanApprovalRequested",
    "PlanProposed",
    "Question",
    "Result",
    "Run",
    "RunFailed",
    "RunFinished",
    "RunLost",
    "RunStarted",
    "RunUnfinished",
    "RunWarning",
    "SubTaskFinished",
    "SubTaskStarted",
    "ToolFinished",
    "ToolOutput",
    "ToolStarted",
    "Undo",
    "UndoRefused",
    "Usage",
    "UsageError",
    "Verdict",
    "find_binary",
    "parse_event",
    "question_of",
    "run",
    "start",
    "undo",
]
