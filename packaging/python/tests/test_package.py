"""What needs no run of the real program: finding it, and a program that misbehaves."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import tempfile
import unittest
from pathlib import Path
from typing import List
from unittest import mock

import artoo
from artoo import _events

BINARY = os.environ["ARTOO_BINARY"]
PACKAGE = str(Path(artoo.__file__).resolve().parent.parent)


def in_python(*words: str, **env: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([sys.executable, *words], env={**os.environ, "PYTHONPATH": PACKAGE, **env}, capture_output=True, text=True)


class Folder(unittest.TestCase):
    def setUp(self) -> None:
        root = tempfile.TemporaryDirectory()
        self.addCleanup(root.cleanup)
        self.root = root.name

    def program(self, folder: str, script: str = "") -> str:
        path = Path(self.root, folder, "artoo")
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\necho $$ > '{self.root}/pid'\n{script}\n")
        path.chmod(0o755)
        return str(path)


class BinaryTests(Folder):
    def test_the_variable_is_first_then_the_interpreter_then_the_user_then_path(self) -> None:
        places = {name: self.program(name) for name in ("variable", "scripts", "user", "path")}
        path = lambda name, scheme=None: os.path.join(self.root, "user" if scheme else "scripts")  # noqa: E731
        found: List[str] = []
        env = {"ARTOO_BINARY": places["variable"], "PATH": os.path.join(self.root, "path")}
        with mock.patch.object(sysconfig, "get_path", path), mock.patch.dict(os.environ, env):
            found.append(artoo.find_binary())
            del os.environ["ARTOO_BINARY"]
            for name in ("scripts", "user", "path"):
                found.append(artoo.find_binary())
                os.unlink(places[name])
            with self.assertRaises(artoo.ArtooError) as raised:
                artoo.find_binary()
        self.assertEqual(found, list(places.values()))
        self.assertIn("ARTOO_BINARY", raised.exception.hint or "")

    def test_a_wrong_variable_is_told_and_nothing_else_is_taken(self) -> None:
        for wrong in ("/nowhere/artoo", self.root, __file__):
            with mock.patch.dict(os.environ, {"ARTOO_BINARY": wrong}):
                with self.assertRaises(artoo.ArtooError) as raised:
                    artoo.run("x")
            self.assertIn(wrong, raised.exception.message)

    def test_python_m_artoo_is_artoo(self) -> None:
        for words in (["--version"], ["policy", "check", "--nonsense"]):
            done, plain = in_python("-m", "artoo", *words), subprocess.run([BINARY, *words], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (plain.returncode, plain.stdout, plain.stderr))
        done = in_python("-m", "artoo", "--version", ARTOO_BINARY="/nowhere/artoo")
        self.assertEqual(done.returncode, 1)
        self.assertTrue(done.stderr.startswith("error: there is no program /nowhere/artoo\nhint: "), done.stderr)


class BrokenProgramTests(Folder):
    """A program that prints what a script says."""

    def run_with(self, script: str) -> artoo.Result:
        with mock.patch.dict(os.environ, {"ARTOO_BINARY": self.program("broken", script)}):
            return artoo.run("x" * 300_000)

    def assert_gone(self) -> None:
        pid = int(Path(self.root, "pid").read_text())
        with self.assertRaises(ProcessLookupError):
            os.kill(pid, 0)

    def test_a_broken_line_ends_the_process(self) -> None:
        for line in ("oops", "[1]", '{"no": "type"}', '{"type": ["run.started"]}', '{"type": "run.sta'):
            with self.assertRaises(artoo.ArtooError) as raised:
                self.run_with(f"echo '{line}'; exec sleep 60")
            self.assertIn(line, raised.exception.message)
            self.assert_gone()

    def test_an_end_without_a_result(self) -> None:
        started = """echo '{"type": "run.started", "run_id": "r1"}';"""
        cut_off = f"""{started} printf '{{"type": "pl'"""
        for script in ("exit 0", f"{started} exit 1", cut_off, f"{started} kill -9 $$", "kill -9 $$"):
            with self.assertRaises(artoo.ArtooError) as raised:
                self.run_with(script)
            self.assertIn("left no end on record", raised.exception.message)

    def test_its_own_words_are_the_exception(self) -> None:
        with self.assertRaises(artoo.ArtooError) as raised:
            self.run_with("echo 'warning: slow' >&2; echo 'error: no model is set up' >&2; echo 'hint: run it' >&2; exit 2")
        error = raised.exception
        self.assertEqual((error.message, error.hint, error.exit_code), ("no model is set up", "run it", 2))
        self.assertEqual(str(error), "no model is set up\nhint: run it")

    def test_a_process_that_ignores_every_signal(self) -> None:
        with mock.patch("artoo.PATIENCE", 0.3), self.assertRaises(artoo.ArtooError):
            self.run_with("trap '' INT TERM; echo oops; while :; do sleep 0.1; done")
        self.assert_gone()

    def test_much_on_both_outputs_and_unknown_events(self) -> None:
        line = """echo '{"type": "of.tomorrow", "x": 1}'; echo noise noise noise noise noise noise >&2"""
        lines = f"i=0; while [ $i -lt 3000 ]; do {line}; i=$((i+1)); done"
        end = """echo '{"type": "run.finished", "run_id": "r1", "exit_code": 77, "output": 1, "later": 2}'"""
        program = self.program("much", f"cat > '{self.root}/request'; {lines}; {end}")
        with mock.patch.dict(os.environ, {"ARTOO_BINARY": program}), artoo.start("x" * 300_000) as run:
            events = list(run)
        self.assertEqual((len(events), type(events[0]), events[0].raw["x"]), (3001, artoo.Event, 1))
        self.assertEqual((run.result().exit_code, run.result().raw["later"]), (77, 2))
        self.assertEqual(Path(self.root, "request").stat().st_size, 300_000)


class PartTests(unittest.TestCase):
    def test_every_event_type_is_known_to_the_program(self) -> None:
        done = subprocess.run([BINARY, "config", "schema", "--events"], capture_output=True, text=True, check=True)
        self.assertEqual([kind for kind in [*_events._TYPES, *_events._ASKING] if f'"{kind}"' not in done.stdout], [])

    def test_the_package_needs_the_standard_library_alone(self) -> None:
        code = f"import sys; sys.path.insert(0, {PACKAGE!r}); import artoo; print('typing_extensions' in sys.modules)"
        done = in_python("-I", "-c", code)
        self.assertEqual(done.stdout, "False\n", done.stderr)
        self.assertTrue(Path(PACKAGE, "artoo", "py.typed").exists())


if __name__ == "__main__":
    unittest.main()
