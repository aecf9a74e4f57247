"""The command line: options of Python as options of artoo, and commands that end at once."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
from contextlib import contextmanager
from typing import IO, Any, Dict, Iterator, List, Mapping, NoReturn, Optional, Sequence, Tuple, TypedDict, Union

from ._binary import find_binary
from ._errors import ArtooError, BinaryNotFound, ExitCode, UsageError

class CommonOptions(TypedDict, total=False):
    """The options of every function."""

    data_dir: Union[str, "os.PathLike[str]"]
    """Where runs are kept."""
    profile: str
    config: Mapping[str, Any]
    """Values of the configuration, for example ``{"tools.web": True}``."""
    env: Mapping[str, str]
    """Variables in addition to this process's own."""
    binary: str
    """The program, instead of the one that `find_binary` finds."""


class Options(CommonOptions, total=False):
    """The options of `run` and `start`. What is not given is as in the configuration."""

    cwd: Union[str, "os.PathLike[str]"]
    """The working folder."""
    model: str
    base_url: str
    """The address of a server that speaks OpenAI's chat completions."""
    approval: str
    """``auto``, ``ask`` or ``never``."""
    yes: Sequence[str]
    """Kinds of effects that are granted in advance, for example ``["overwrites"]``."""
    sandbox: str
    """``read-only``, ``workspace-write`` or ``full-access``."""
    workspace: Union[str, "os.PathLike[str]"]
    memory: str
    """``on``, ``read-only`` or ``off``."""
    plan: bool
    """Ask before a plan is carried out."""
    strict: bool
    time_budget: float
    """Seconds that the run plans with."""
    timeout: float
    """Seconds after which the run ends (`ExitCode.TIMEOUT`)."""
    max_tokens: int
    max_cost: float
    max_replans: int
    session: str
    """The session to go on with."""
    output_schema: Mapping[str, Any]
    """A JSON Schema for ``result.structured``."""
    args: Sequence[str]
    """Further options of the command line."""


# Options with the same value on the command line.
_PLAIN = (
    "cwd", "model", "base_url", "approval", "sandbox", "workspace", "memory", "max_tokens", "max_cost", "max_replans", "session",
)  # fmt: skip


def run_arguments(options: Options) -> List[str]:
    """The options of ``artoo run``."""
    given: Dict[str, Any] = dict(options)
    words = common_arguments(options)
    for name in _PLAIN:
        if given.get(name) is not None:
            words.append(f"--{name.replace('_', '-')}={given[name]}")
    for name in ("time_budget", "timeout"):
        if given.get(name) is not None:
            words.append(f"--{name.replace('_', '-')}={max(1, round(given[name] * 1000))}ms")
    words += [f"--yes={kind}" for kind in options.get("yes", ())]
    words += [f"--{name}" for name in ("plan", "strict") if given.get(name)]
    return [*words, *options.get("args", ())]


def common_arguments(options: CommonOptions) -> List[str]:
    """The options that every command has."""
    words = []
    if "data_dir" in options:
        words.append(f"--data-dir={os.fspath(options['data_dir'])}")
    if "profile" in options:
        words.append(f"--profile={options['profile']}")
    for key, value in options.get("config", {}).items():
        words += ["-c", f"{key}={value if isinstance(value, str) else json.dumps(value)}"]
    return words


def spawn(words: Sequence[str], options: CommonOptions, stderr: Union[int, IO[bytes]]) -> subprocess.Popen[bytes]:
    """Starts artoo in a session of its own, so that Ctrl+C reaches it once: from here."""
    program = options.get("binary") or find_binary()
    try:
        return subprocess.Popen(
            [program, *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
            env={**os.environ, **options.get("env", {})},
            start_new_session=True,
        )
    except OSError as error:
        hint = "it must be a program for this machine: install the package again"
        raise BinaryNotFound(f"cannot start {program}: {error.strerror}", hint) from error


@contextmanager
def deferred_interrupt() -> Iterator[None]:
    """Ctrl+C waits for the end of the block, so that a process that was started has its name before an exception comes."""
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or before is None:
        yield
        return
    came: List[int] = []
    signal.signal(signal.SIGINT, lambda number, _: came.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if came:
            signal.raise_signal(signal.SIGINT)


def call(words: Sequence[str], options: CommonOptions) -> subprocess.CompletedProcess[bytes]:
    """Runs a command to its end. No process is left over, whatever interrupts this."""
    process: Optional[subprocess.Popen[bytes]] = None
    try:
        with deferred_interrupt():
            process = spawn(words, options, subprocess.PIPE)
        out, errors = process.communicate()
    except BaseException:
        if process:
            process.kill()
            process.communicate()
        raise
    return subprocess.CompletedProcess(words, process.returncode, out, errors)


def fail(code: int, errors: bytes) -> NoReturn:
    """Raises what artoo wrote on standard error before it ended with this code."""
    message, hint = message_and_hint(errors)
    kind = UsageError if code == ExitCode.USAGE else ArtooError
    raise kind(message or f"artoo ended with exit code {code}", hint, code)


def message_and_hint(errors: bytes) -> Tuple[Optional[str], Optional[str]]:
    """The last error on standard error and its hint, as artoo words them for a terminal."""
    message = hint = None
    for line in errors.decode(errors="replace").splitlines():
        if line.startswith("error: "):
            message, hint = line[len("error: ") :], None
        elif line.startswith("hint: "):
            hint = line[len("hint: ") :]
    return message, hint


def data_folder(options: CommonOptions) -> str:
    """Where artoo keeps its runs."""
    done = call(["config", "show", "--json", *common_arguments(options)], options)
    if done.returncode:
        fail(done.returncode, done.stderr)
    value: str = json.loads(done.stdout)["values"]["run.data_dir"]["value"]
    path = str(json.loads(value)) if value.startswith('"') else value.strip("'")
    home = {**os.environ, **options.get("env", {})}.get("HOME")
    if path.startswith("~/") and home:
        path = os.path.join(home, path[2:])
    return os.path.abspath(os.path.expanduser(path))

