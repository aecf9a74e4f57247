"""What a run and an undo come to."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, List, Mapping, Optional

from ._errors import ExitCode


@dataclass(frozen=True)
class Result:
    """How a run ended. ``raw`` is the whole line ``run.finished``."""

    run_id: str
    exit_code: int
    """One of `ExitCode`, or a number that this version does not know."""
    output: Any
    """The deliverable. Its worth stands in ``ok`` and ``exit_code``."""
    summary: str
    structured: Any
    """The value that meets ``output_schema``."""
    unmet: List[Dict[str, Any]]
    """The criteria that are not met."""
    files: List[Dict[str, Any]]
    """The files that the run created, changed or deleted."""
    error: Optional[Dict[str, Any]]
    """The fault that ended the run."""
    raw: Mapping[str, Any] = field(repr=False)

    @property
    def ok(self) -> bool:
        """Whether every criterion is met, with evidence."""
        return self.exit_code == ExitCode.ACCEPTED

    @classmethod
    def of(cls, raw: Mapping[str, Any]) -> Result:
        """Reads the line ``run.finished``."""
        return cls(
            run_id=raw.get("run_id", ""),
            exit_code=_code(raw.get("exit_code", ExitCode.FAILED)),
            output=raw.get("output"),
            summary=raw.get("summary", ""),
            structured=raw.get("structured"),
            unmet=raw.get("unmet", []),
            files=raw.get("files", []),
            error=raw.get("error"),
            raw=raw,
        )


@dataclass(frozen=True)
class Undo:
    """What an undo did or, with ``dry_run``, would do. ``raw`` is everything that ``artoo undo --json`` prints."""

    run_id: str
    undone: bool
    """Whether every file is as the run found it."""
    dry_run: bool
    changes: List[Dict[str, Any]]
    commits: List[Dict[str, Any]]
    obstacles: List[Dict[str, Any]]
    """What stands in the way. Nothing was changed then."""
    raw: Mapping[str, Any] = field(repr=False)

    @classmethod
    def of(cls, raw: Mapping[str, Any]) -> Undo:
        """Reads the page of ``artoo undo --json``."""
        return cls(
            run_id=raw.get("run_id", ""),
            undone=raw.get("undone", False),
            dry_run=raw.get("dry_run", False),
            changes=raw.get("changes", []),
            commits=raw.get("commits", []),
            obstacles=raw.get("obstacles", []),
            raw=raw,
        )


def _code(number: int) -> int:
    try:
        return ExitCode(number)
    except ValueError:
        return number
