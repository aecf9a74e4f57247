"""The program ``artoo``: where it is, its options, and what goes wrong with it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sysconfig
from pathlib import Path
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Sequence, TypedDict, Union

if TYPE_CHECKING:
    from ._events import Result


class ArtooError(Exception):
    """Base class, with artoo's own message and hint. ``exit_code`` is there where artoo ended with it."""

    def __init__(self, message: str, hint: Optional[str] = None, exit_code: Optional[int] = None) -> None:
        super().__init__(message, hint, exit_code)
        self.message, self.hint, self.exit_code = message, hint, exit_code

    def __str__(self) -> str:
        return f"{self.message}\nhint: {self.hint}" if self.hint else self.message


class OrderRefused(ArtooError):
    """The run did not take an answer: it has ended, or somebody else has answered."""


class RunFailed(ArtooError):
    """A fault ended the run. ``result`` has what was done until then."""

    def __init__(self, message: str, hint: Optional[str], result: Result) -> None:
        super().__init__(message, hint, result.exit_code)
        self.result, self.args = result, (message, hint, result)


class Options(TypedDict, total=False):
    """The options of ``artoo run``. What is not given is as in the configuration."""

    cwd: Union[str, Path]
    workspace: Union[str, Path]
    data_dir: Optional[Union[str, Path]]
    env: Optional[Mapping[str, str]]  # Variables in addition to this process's own.
    model: str
    base_url: str
    approval: str
    yes: Sequence[str]  # Kinds of effects that are granted in advance, for example ["overwrites"].
    sandbox: str
    memory: str
    plan: bool  # Ask before a plan is carried out.
    session: str
    timeout: float  # Seconds after which the run ends.
    time_budget: float  # Seconds that the run plans with.
    output_schema: Mapping[str, Any]  # A JSON Schema for `Result.structured`.
    args: Sequence[str]  # Further options of the command line, for example ["-c", "tools.web=true"].


def words_of(options: Mapping[str, Any]) -> List[str]:
    """The options on a command line. It has none for ``env``, and ``output_schema`` needs a file."""
    words = [*options.get("args", ())]
    for name, value in options.items():
        if name in ("args", "env", "output_schema"):
            continue
        flag = "--" + name.replace("_", "-")
        if name in ("timeout", "time_budget") and value is not None:
            value = f"{round(value * 1000)}ms"
        values = value if isinstance(value, (list, tuple)) else [value]
        words += [flag if each is True else f"{flag}={each}" for each in values if each is not None and each is not False]
    return words


def environment(options: Options) -> Dict[str, str]:
    """The variables of the program."""
    return {**os.environ, **(options.get("env") or {})}


def call(words: Sequence[str], options: Options) -> subprocess.CompletedProcess[bytes]:
    """Runs a command other than ``run`` to its end. Of the options it takes ``data_dir`` and ``env``."""
    data_dir = options.get("data_dir")
    common = [f"--data-dir={data_dir}"] if data_dir else []
    return subprocess.run([find_binary(), *common, *words], env=environment(options), stdin=subprocess.DEVNULL, capture_output=True)


def failure(code: int, errors: bytes) -> ArtooError:
    """The last error that artoo wrote on standard error before it ended with this code."""
    message, hint = f"artoo ended with exit code {code}", None
    for line in errors.decode(errors="replace").splitlines():
        if line.startswith("error: "):
            message, hint = line[len("error: ") :], None
        elif line.startswith("hint: "):
            hint = line[len("hint: ") :]
    return ArtooError(message, hint, code)


def find_binary() -> str:
    """The path of the program: ``ARTOO_BINARY``, then beside this interpreter, then beside this package, then in ``PATH``."""
    named = os.environ.get("ARTOO_BINARY")
    # `pip install --target FOLDER` puts programs into FOLDER/bin.
    folders = [sysconfig.get_path("scripts"), sysconfig.get_path("scripts", "posix_user"), str(Path(__file__).parent.parent / "bin")]
    places = [os.path.abspath(named)] if named else [*(os.path.join(folder, "artoo") for folder in folders), "artoo"]
    found = next(filter(None, map(shutil.which, places)), None)
    if not found:
        raise ArtooError(f"there is no program {' or '.join(places)}", "install the package again, or let ARTOO_BINARY name the program")
    return os.path.abspath(found)
