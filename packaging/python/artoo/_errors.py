"""Exit codes and exceptions. An exception carries artoo's own message and hint."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Optional

if TYPE_CHECKING:
    from ._result import Result, Undo


class ExitCode(IntEnum):
    """The exit codes of ``artoo run``. A code that is not listed stays a plain number."""

    ACCEPTED = 0
    """Every criterion is met, with evidence."""
    FAILED = 1
    """Internal failure, or failure of the model's provider."""
    USAGE = 2
    """Wrong option or configuration."""
    PARTIAL = 3
    """Some criteria are not met, or nobody checked the answer."""
    ABANDONED = 4
    """Given up, or a budget is spent. Partial results are delivered with the reason."""
    CONSENT_MISSING = 5
    """Consent was needed and not given."""
    NEEDS_PERSON = 6
    """A person has to answer something first."""
    TIMEOUT = 124
    HUNG_UP = 129
    INTERRUPTED = 130
    QUIT = 131
    TERMINATED = 143


class ArtooError(Exception):
    """Base class. ``str(error)`` is the message, with the hint on a second line.

    >>> print(ArtooError("no model is set up", "run `artoo setup`"))
    no model is set up
    hint: run `artoo setup`
    """

    def __init__(self, message: str, hint: Optional[str] = None, exit_code: Optional[int] = None) -> None:
        super().__init__(message, hint, exit_code)
        self.message = message
        self.hint = hint
        self.exit_code = exit_code

    def __str__(self) -> str:
        return f"{self.message}\nhint: {self.hint}" if self.hint else self.message


class BinaryNotFound(ArtooError):
    """There is no program ``artoo``, or it cannot be started."""


class UsageError(ArtooError):
    """artoo refused an option, a folder or the configuration (exit code 2)."""


class RunLost(ArtooError):
    """The run's process has gone without an end on record, or printed something that is no event."""


class OrderRefused(ArtooError):
    """The run did not take an answer, a note or a stop: it has ended, or the question is answered already."""


class RunFailed(ArtooError):
    """A fault ended the run. ``error.result`` has what was done until then."""

    def __init__(self, message: str, hint: Optional[str], result: Result) -> None:
        super().__init__(message, hint, result.exit_code)
        self.result = result


class UndoRefused(ArtooError):
    """Something stands in the way of the undo, so nothing was taken back. ``error.undo.obstacles`` names it."""

    def __init__(self, message: str, hint: Optional[str], undo: Undo) -> None:
        super().__init__(message, hint, 1)
        self.undo = undo
