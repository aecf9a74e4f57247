"""The control socket of a run: how another process answers its questions, sends notes and stops it."""

from __future__ import annotations

import json
import os
import socket
import struct
from typing import Any, Mapping

from ._errors import OrderRefused

NAME = "control"
# The kernel takes a few bytes more in the address of a socket.
_LONGEST_PATH = 100
# What a run takes at once: `MAX_LINE` in crates/runtime/src/control.rs.
_LONGEST_ORDER = 16 * 1024 - 1
_REPLY_TIME = 5.0
_GONE = "the run does not listen: it may have ended"


def connect(run_folder: str) -> socket.socket:
    """A connection that the run has greeted. Raises `OrderRefused`."""
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    connection.settimeout(_REPLY_TIME)
    try:
        _connect(connection, os.path.join(run_folder, NAME), run_folder)
        _hear(connection)
    except OSError as error:
        connection.close()
        raise OrderRefused(f"{_GONE} ({error})", "see `artoo runs list`") from error
    except BaseException:
        connection.close()
        raise
    return connection


def tell(run_folder: str, order: Mapping[str, Any]) -> None:
    """Sends one order and waits until the run has taken it. Raises `OrderRefused`."""
    line = json.dumps(order).encode() + b"\n"
    if len(line) > _LONGEST_ORDER:
        raise OrderRefused(f"this is too long for a run: {len(line)} bytes, of {_LONGEST_ORDER}", "put it into a file, and name the file")
    with connect(run_folder) as connection:
        try:
            connection.sendall(line)
            _hear(connection)
        except OSError as error:
            raise OrderRefused(f"{_GONE} ({error})", "see `artoo runs list`") from error


def process_of(connection: socket.socket) -> int:
    """The process that listens at the other end."""
    size = struct.calcsize("3i")
    pid, _, _ = struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size))
    return int(pid)


def _connect(connection: socket.socket, path: str, folder: str) -> None:
    if len(os.fsencode(path)) <= _LONGEST_PATH:
        connection.connect(path)
        return
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        connection.connect(f"/proc/self/fd/{descriptor}/{NAME}")
    finally:
        os.close(descriptor)


def _hear(connection: socket.socket) -> None:
    line = b""
    while not line.endswith(b"\n"):
        read = connection.recv(4096)
        if not read:
            raise ConnectionResetError("the connection was closed")
        line += read
    said = json.loads(line)
    if said.get("said") == "refused":
        raise OrderRefused(str(said.get("reason", "the run refused")))
