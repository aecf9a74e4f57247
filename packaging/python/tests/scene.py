"""A home folder, a working folder with some files, and a model."""

from __future__ import annotations

import os
import tempfile
import time
import unittest
from pathlib import Path
from typing import Any, Callable, Dict, Optional

from mock_model import Action, MockModel, shell

if "ARTOO_BINARY" not in os.environ:
    raise RuntimeError("the variable ARTOO_BINARY must name the program that is tested")

PATIENCE = 60.0
COUNT = "How many .txt files are in docs?"
"""The request of `Scene.counting` and `Scene.waiting`."""
LEFT = "How many files are left?"
"""The request of `Scene.deleting`."""


def until(what: str, is_so: Callable[[], bool]) -> None:
    """Waits until the condition holds."""
    end = time.monotonic() + PATIENCE
    while not is_so():
        if time.monotonic() > end:
            raise AssertionError(f"{what}: it never came")
        time.sleep(0.01)


class Scene(unittest.TestCase):
    """The base of the tests against the real program."""

    def setUp(self) -> None:
        root = tempfile.TemporaryDirectory()
        self.addCleanup(root.cleanup)
        self.home = Path(root.name, "home")
        self.folder = Path(root.name, "项目 with blanks")
        (self.folder / "docs").mkdir(parents=True)
        self.home.mkdir()
        for name in ("a.txt", "b.txt", "数据.txt"):
            (self.folder / "docs" / name).write_text("text\n")
        self.notes = self.home / "artoo_workspace" / "notes.txt"

    def model(self, intent: str, action: Action, key: Optional[str] = None) -> Dict[str, Any]:
        """The options of a run with such a model."""
        self.server = MockModel(intent, action, key)
        self.addCleanup(self.server.close)
        env = {
            "HOME": str(self.home),
            "XDG_CONFIG_HOME": str(self.home / ".config"),
            "OPENAI_BASE_URL": self.server.base_url,
            "OPENAI_MODEL": "mock",
            "OPENAI_API_KEY": "sk-canary-1",
        }
        return {"cwd": self.folder, "env": env}

    def counting(self, **more: Any) -> Dict[str, Any]:
        """A model that counts the .txt files in docs."""
        return self.model("Count the .txt files in docs", lambda _: shell("ls docs/*.txt | wc -l"), **more)

    def deleting(self) -> Dict[str, Any]:
        """A model that deletes a file of the user's to answer."""
        self.notes.parent.mkdir(parents=True, exist_ok=True)
        self.notes.write_text("a year's work\n")

        def action(shown: str) -> Dict[str, Any]:
            if "did not agree" in shown or "did not allow it" in shown:
                return shell("find ~/artoo_workspace -type f | wc -l")
            return shell("rm ~/artoo_workspace/notes.txt\necho 0")

        return self.model("Remove the notes and count the rest", action)

    def waiting(self) -> Dict[str, Any]:
        """A model whose command waits for the file ``go``."""
        command = "until test -e go; do sleep 0.02; done; ls docs/*.txt | wc -l"
        return self.model("Count the .txt files in docs", lambda _: shell(command))

    def processes(self) -> Dict[int, str]:
        """The processes that have this scene's home, with their command lines: what a test may have left over."""
        found = {}
        marker = f"HOME={self.home}".encode()
        for entry in filter(str.isdigit, os.listdir("/proc")):
            try:
                if marker in Path("/proc", entry, "environ").read_bytes().split(b"\0"):
                    found[int(entry)] = Path("/proc", entry, "cmdline").read_bytes().replace(b"\0", b" ").decode()
            except OSError:
                continue
        return {pid: line for pid, line in found.items() if line}
