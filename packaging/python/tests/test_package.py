"""What needs no run of the real program: finding it, starting it, and a program that misbehaves."""

from __future__ import annotations

import doctest
import os
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
import time
import unittest
from pathlib import Path
from typing import List
from unittest import mock

import artoo
from artoo import _binary, _control, _errors, _events
from scene import until

BINARY = os.environ["ARTOO_BINARY"]
PACKAGE = str(Path(artoo.__file__).resolve().parent.parent)


def in_python(*words: str, **env: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([sys.executable, *words], env={**os.environ, "PYTHONPATH": PACKAGE, **env}, capture_output=True, text=True)


class BinaryTests(unittest.TestCase):
    def setUp(self) -> None:
        root = tempfile.TemporaryDirectory()
        self.addCleanup(root.cleanup)
        self.root = root.name

    def program(self, folder: str) -> str:
        path = Path(self.root, folder, "artoo")
        path.parent.mkdir(exist_ok=True)
        path.write_text("#!/bin/sh\n")
        path.chmod(0o755)
        return str(path)

    def test_the_variable_is_first_then_the_interpreter_then_the_user_then_path(self) -> None:
        places = {name: self.program(name) for name in ("variable", "scripts", "user", "path")}
        schemes = {None: "scripts", "posix_user": "user"}
        path = lambda name, scheme=None: os.path.join(self.root, schemes[scheme])  # noqa: E731
        found: List[str] = []
        env = {"ARTOO_BINARY": places["variable"], "PATH": os.path.join(self.root, "path")}
        with mock.patch.object(sysconfig, "get_path", path), mock.patch.dict(os.environ, env):
            found.append(artoo.find_binary())
            del os.environ["ARTOO_BINARY"]
            for name in ("scripts", "user", "path"):
                found.append(artoo.find_binary())
                os.unlink(places[name])
            with self.assertRaises(artoo.BinaryNotFound) as raised:
                artoo.find_binary()
        self.assertEqual(found, list(places.values()))
        self.assertIn("ARTOO_BINARY", raised.exception.hint or "")

    def test_a_wrong_variable_is_told_and_nothing_else_is_taken(self) -> None:
        for wrong in ("/nowhere/artoo", self.root, __file__):
            with mock.patch.dict(os.environ, {"ARTOO_BINARY": wrong}):
                with self.assertRaises(artoo.BinaryNotFound) as raised:
                    artoo.run("x")
            self.assertIn(wrong, raised.exception.message)

    def test_a_program_for_another_machine(self) -> None:
        other = Path(self.root, "other")
        other.write_bytes(b"\x7fELF\2\1\1" + b"\0" * 100)
        other.chmod(0o755)
        for start in (lambda: artoo.run("x", binary=str(other)), lambda: artoo.start("x", binary=str(other))):
            with self.assertRaises(artoo.BinaryNotFound) as raised:
                start()
            self.assertIn(str(other), raised.exception.message)

    def test_python_m_artoo_is_artoo(self) -> None:
        for words in (["--version"], ["policy", "check", "--nonsense"]):
            done, plain = in_python("-m", "artoo", *words), subprocess.run([BINARY, *words], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (plain.returncode, plain.stdout, plain.stderr))
        done = in_python("-m", "artoo", "--version", ARTOO_BINARY="/nowhere/artoo")
        self.assertEqual(done.returncode, 1)
        self.assertIn("error: ARTOO_BINARY names /nowhere/artoo", done.stderr)
        self.assertNotIn("Traceback", done.stderr)


class BrokenProgramTests(unittest.TestCase):
    """A program that prints what this script says."""

    def setUp(self) -> None:
        root = tempfile.TemporaryDirectory()
        self.addCleanup(root.cleanup)
        self.root = root.name

    def program(self, script: str) -> str:
        path = Path(self.root, "artoo")
        path.write_text(f"#!/bin/sh\necho $$ > '{self.root}/pid'\n{script}\n")
        path.chmod(0o755)
        return str(path)

    def assert_gone(self) -> None:
        pid = int(Path(self.root, "pid").read_text())
        with self.assertRaises(ProcessLookupError):
            os.kill(pid, 0)

    def test_a_broken_line_ends_the_process(self) -> None:
        for line in ("oops", "[1]", '{"no": "type"}', '{"type": 1}', '{"type": "run.sta'):
            with self.assertRaises(artoo.RunLost) as raised:
                artoo.run("x", binary=self.program(f"echo '{line}'; exec sleep 60"))
            self.assertIn(line, raised.exception.message)
            self.assert_gone()

    def test_a_line_that_is_cut_off(self) -> None:
        with self.assertRaises(artoo.RunLost):
            artoo.run("x", binary=self.program("""printf '{"type": "run.started", "run_id": "r1"}\\n{"type": "pl'"""))

    def test_an_end_without_a_result(self) -> None:
        started = """echo '{"type": "run.started", "run_id": "r1"}';"""
        for script, words in (("exit 0", "no end"), (f"{started} exit 0", "no end"), (f"{started} kill -9 $$", "signal 9"), ("kill -9 $$", "signal 9")):
            with self.assertRaises(artoo.RunLost) as raised:
                artoo.run("x", binary=self.program(script))
            self.assertIn(words, raised.exception.message)

    def test_its_own_words_are_the_exception(self) -> None:
        script = "echo 'warning: slow' >&2; echo 'error: no model is set up' >&2; echo 'hint: run it' >&2; exit {}"
        for code, kind in ((2, artoo.UsageError), (1, artoo.ArtooError)):
            for question in (None, lambda _: True):
                with self.assertRaises(kind) as raised:
                    artoo.run("x", on_question=question, binary=self.program(script.format(code)))
                error = raised.exception
                self.assertEqual((error.message, error.hint, error.exit_code), ("no model is set up", "run it", code))

    def test_a_process_that_ignores_its_timeout_and_every_signal(self) -> None:
        began = time.monotonic()
        with mock.patch("artoo._sources.PATIENCE", 0.3):
            with self.assertRaises(artoo.RunLost) as raised:
                artoo.run("x", timeout=0.1, binary=self.program("trap '' INT TERM; while :; do sleep 0.1; done"))
        self.assertIn("timeout", raised.exception.message)
        self.assertLess(time.monotonic() - began, 30)
        self.assert_gone()

    def test_an_error_in_the_loop_ends_the_process(self) -> None:
        with self.assertRaises(ZeroDivisionError):
            with artoo.start("x", answers=False, binary=self.program("""echo '{"type": "a"}'; exec sleep 60""")) as run:
                for _ in run:
                    raise ZeroDivisionError
        self.assert_gone()

    def test_ctrl_c_while_a_run_in_the_background_begins_stops_it(self) -> None:
        script = f"""case "$1 $2" in
"run --detach") sleep 0.5; echo r1 ;;
"runs stop") echo "$*" > '{self.root}/stopped' ;;
esac"""
        process = subprocess.Popen(
            [sys.executable, "-c", f"import artoo; artoo.start('x', binary={self.program(script)!r})"],
            env={**os.environ, "PYTHONPATH": PACKAGE},
            stderr=subprocess.PIPE,
        )
        until("the program starts", Path(self.root, "pid").exists)
        process.send_signal(signal.SIGINT)
        self.assertIn(b"KeyboardInterrupt", process.communicate()[1])
        self.assertEqual(Path(self.root, "stopped").read_text(), "runs stop -- r1\n")

    def test_much_on_both_outputs_and_a_long_request(self) -> None:
        lines = "i=0; while [ $i -lt 3000 ]; do echo '{\"type\": \"of.tomorrow\", \"x\": 1}'; echo noise noise noise noise noise >&2; i=$((i+1)); done"
        end = """echo '{"type": "run.finished", "run_id": "r1", "exit_code": 77, "output": 1, "later": 2}'"""
        with artoo.start("x" * 300_000, answers=False, binary=self.program(f"cat > '{self.root}/request'; {lines}; {end}")) as run:
            events = list(run)
        self.assertEqual((len(events), type(events[0]), events[0].raw["x"]), (3001, artoo.Event, 1))
        self.assertEqual((run.result().exit_code, run.result().raw["later"]), (77, 2))
        self.assertEqual(Path(self.root, "request").stat().st_size, 300_000)


class PartTests(unittest.TestCase):
    def test_examples(self) -> None:
        for module in (_errors, _events):
            done = doctest.testmod(module)
            self.assertEqual(done.failed, 0)
            self.assertGreater(done.attempted, 0)

    def test_a_long_path_of_a_socket(self) -> None:
        import socket
        import threading

        with tempfile.TemporaryDirectory() as root:
            folder = Path(root, *["a long name of a folder"] * 8)
            folder.mkdir(parents=True)
            descriptor = os.open(folder, os.O_RDONLY)
            self.addCleanup(os.close, descriptor)
            with socket.socket(socket.AF_UNIX) as server:
                server.bind(f"/proc/self/fd/{descriptor}/control")
                server.listen()

                def serve() -> None:
                    connection, _ = server.accept()
                    with connection:
                        # In two pieces, as a stream may cut it.
                        connection.sendall(b'{"said": "rea')
                        time.sleep(0.05)
                        connection.sendall(b'dy", "answers": true}\n')
                        connection.recv(4096)
                        connection.sendall(b'{"said": "refused", "reason": "not now"}\n')

                thread = threading.Thread(target=serve)
                thread.start()
                with self.assertRaises(artoo.OrderRefused) as raised:
                    _control.tell(str(folder), {"order": "stop"})
                thread.join()
            self.assertEqual(raised.exception.message, "not now")
        with self.assertRaises(artoo.OrderRefused):
            _control.tell("/nowhere", {"order": "stop"})

    def test_every_name_is_there_and_every_event_type_is_known_to_the_program(self) -> None:
        self.assertEqual(sorted(artoo.__all__), artoo.__all__)
        self.assertTrue(all(hasattr(artoo, name) for name in artoo.__all__))
        done = subprocess.run([BINARY, "config", "schema", "--events"], capture_output=True, text=True, check=True)
        self.assertEqual([kind for kind in _events._TYPES if f'"{kind}"' not in done.stdout], [])

    def test_the_package_needs_the_standard_library_alone(self) -> None:
        done = in_python("-I", "-c", f"import sys; sys.path.insert(0, {PACKAGE!r}); import artoo; print('typing_extensions' in sys.modules)")
        self.assertEqual(done.stdout, "False\n", done.stderr)
        self.assertTrue(Path(PACKAGE, "artoo", "py.typed").exists())
        self.assertTrue(shutil.which(_binary.find_binary()))


if __name__ == "__main__":
    unittest.main()
