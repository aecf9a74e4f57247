"""Finds the program ``artoo``."""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
from pathlib import Path
from typing import Iterator

from ._errors import BinaryNotFound

VARIABLE = "ARTOO_BINARY"


def find_binary() -> str:
    """The path of the program: ``ARTOO_BINARY``, then beside this interpreter, then beside this package, then in ``PATH``.

    Raises `BinaryNotFound`.
    """
    named = os.environ.get(VARIABLE)
    if named:
        if _is_program(named):
            return os.path.abspath(named)
        raise BinaryNotFound(f"{VARIABLE} names {named}, which is no program", f"correct the variable {VARIABLE}, or unset it")
    for folder in _folders():
        program = os.path.join(folder, "artoo")
        if _is_program(program):
            return program
    program_in_path = shutil.which("artoo")
    if program_in_path:
        return program_in_path
    raise BinaryNotFound(
        f"there is no program `artoo` beside {sys.executable} or in PATH",
        f"install the package again, or name the program by the variable {VARIABLE}",
    )


def _folders() -> Iterator[str]:
    yield sysconfig.get_path("scripts")
    user = f"{os.name}_user"
    if user in sysconfig.get_scheme_names():
        yield sysconfig.get_path("scripts", user)
    # `pip install --target FOLDER` puts programs into FOLDER/bin.
    yield str(Path(__file__).resolve().parent.parent / "bin")


def _is_program(path: str) -> bool:
    return os.path.isfile(path) and os.access(path, os.X_OK)
