"""Runs of the real program, which ``ARTOO_BINARY`` names."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import unittest
from pathlib import Path
from typing import Any, Dict, List

import artoo
from scene import COUNT, LEFT, PATIENCE, Scene, until

PACKAGE = str(Path(artoo.__file__).resolve().parent.parent)


class RunTests(Scene):
    def test_a_run_has_a_result(self) -> None:
        for question in (None, lambda _: True):
            result = artoo.run(COUNT, on_question=question, **self.counting())
            self.assertEqual((result.output, result.exit_code, result.ok), ("3", artoo.ExitCode.ACCEPTED, True))
            self.assertTrue((self.home / ".artoo" / "runs" / result.run_id).is_dir())
            self.assertEqual(self.processes(), {})

    def test_events_come_while_the_run_works(self) -> None:
        with artoo.start("数一数: " + COUNT, **self.waiting()) as run:
            events: List[artoo.Event] = []
            for event in run:
                events.append(event)
                if isinstance(event, artoo.ToolStarted):
                    (self.folder / "go").write_text("")
        self.assertEqual((events[0].type, events[0].raw["request"]), ("run.started", "数一数: " + COUNT))
        # Lines of progress have no number of their own.
        self.assertEqual([event.seq for event in events if event.type != "progress"], list(range(1, events[-1].seq + 1)))
        self.assertTrue(all(event.run_id == run.id and event.raw["type"] == event.type for event in events))
        (started,) = [event for event in events if isinstance(event, artoo.ToolStarted)]
        self.assertIn("ls docs/*.txt | wc -l", started.arguments["command"])
        self.assertIs(events[-1], run.result())
        self.assertEqual(run.result().output, "3")

    def test_options_reach_the_run(self) -> None:
        options = self.counting()
        plain = self.server.answer

        def answer(body: Dict[str, Any]) -> Dict[str, Any]:
            schema = body.get("response_format", {}).get("json_schema", {}).get("name", "")
            known = schema in ("plan", "action", "parts", "verdict", "task_verdict", "resolved_or_open")
            return {"role": "assistant", "content": '{"count": 3}'} if schema and not known else plain(body)

        self.server.answer = answer  # type: ignore[method-assign]
        schema = {"type": "object", "properties": {"count": {"type": "integer"}}, "required": ["count"], "additionalProperties": False}
        data = self.home / "data folder"
        more: Dict[str, Any] = {"data_dir": data, "time_budget": 90.5, "memory": "off", "plan": False, "args": ["--max-replans", "1"]}
        with artoo.start(COUNT, output_schema=schema, **more, **options) as run:
            limits = next(run).raw["limits"]
            self.assertEqual((limits["time_budget_ms"], limits["max_replans"]), (90500, 1))
            self.assertEqual(run.result().structured, {"count": 3}, run.result())
        self.assertTrue((data / "runs" / run.id).is_dir())
        self.assertFalse((self.home / ".artoo").exists())


class AnswerTests(Scene):
    def test_yes(self) -> None:
        asked: List[artoo.Question] = []
        # Longer than the address of a socket.
        data = self.home / "a long name of a folder" / "another long name of a folder" / "and a third long name of a folder"
        with artoo.start(LEFT, data_dir=data, **self.deleting()) as run:
            for event in run:
                question = artoo.question_of(event)
                if question:
                    self.assertTrue(self.notes.exists(), "nothing happens before the answer")
                    asked.append(question)
                    run.answer(question, True)
        self.assertEqual((run.result().ok, run.result().output, self.notes.exists()), (True, "0", False))
        self.assertEqual([(question.type, question.effects[0]["kind"]) for question in asked], [("approval.requested", "deletes")])
        with self.assertRaises(artoo.OrderRefused):
            run.answer(asked[0], True)

    def test_no_and_something_else_instead(self) -> None:
        for answer in (False, "count them, and let them be"):
            with artoo.start(LEFT, **self.deleting()) as run:
                for event in run:
                    question = artoo.question_of(event)
                    if question:
                        run.answer(question, answer)
                    if event.type == "approval.decided":
                        self.assertEqual((event.raw["granted"], event.raw.get("instead")), (False, answer or None))
            self.assertTrue(self.notes.exists())
            self.assertNotEqual(run.result().output, "0")

    def test_a_question_that_nobody_answers_is_a_no(self) -> None:
        options = self.deleting()
        with artoo.start(LEFT, **options) as run:
            self.assertNotEqual(run.result().output, "0")
        self.assertNotEqual(artoo.run(LEFT, **options).output, "0")
        self.assertTrue(self.notes.exists())
        self.assertTrue(artoo.run(LEFT, yes=["deletes"], **options).ok)
        self.assertFalse(self.notes.exists())

    def test_a_plan_is_asked_about(self) -> None:
        for answer, code in ((True, 0), (False, artoo.ExitCode.CONSENT_MISSING), (None, artoo.ExitCode.CONSENT_MISSING)):
            with artoo.start(COUNT, plan=True, **self.counting()) as run:
                for event in run:
                    question = artoo.question_of(event)
                    if question:
                        self.assertEqual(question.type, "plan_approval.requested")
                        run.answer(question, answer)
            self.assertEqual(event.raw["exit_code"], code)

    def test_whether_it_goes_on(self) -> None:
        with self.assertRaises(artoo.RunFailed) as raised:
            artoo.run(COUNT, on_question=lambda _: False, args=["--ask-after-turns", "1"], **self.counting())
        self.assertEqual(raised.exception.exit_code, artoo.ExitCode.CONSENT_MISSING)

    def test_a_question_in_words(self) -> None:
        options = self.counting()
        artoo.run(COUNT, **options)
        plain = self.server.answer

        def asking(body: Dict[str, Any]) -> Dict[str, Any]:
            schema = body.get("response_format", {}).get("json_schema", {}).get("name", "")
            if schema == "resolved_or_open":
                answered = "The user answered: docs" in str(body["messages"])
                value = '{"questions": [], "intent": "Count docs"}' if answered else '{"questions": ["docs or logs?"], "intent": ""}'
                return {"role": "assistant", "content": value}
            return plain(body)

        self.server.answer = asking  # type: ignore[method-assign]
        with artoo.start("and there?", args=["--continue"], **options) as run:
            question = next(question for question in map(artoo.question_of, run) if question)
            self.assertEqual(question.questions, ["docs or logs?"])
            with self.assertRaises(TypeError):
                run.answer(question, True)
            run.answer(question, "docs")
            self.assertEqual(run.result().output, "3")


class UndoTests(Scene):
    def test_what_a_run_did_is_taken_back(self) -> None:
        options = self.deleting()
        env = options["env"]
        result = artoo.run(LEFT, yes=["deletes"], **options)
        tried = artoo.undo(result.run_id, dry_run=True, env=env)
        self.assertEqual((tried.undone, [change["action"] for change in tried.changes]), (False, ["recreate"]))
        self.notes.write_text("new\n")
        with self.assertRaises(artoo.ArtooError) as raised:
            artoo.undo(result.run_id, env=env)
        self.assertIn("notes.txt", raised.exception.message)
        self.assertEqual(self.notes.read_text(), "new\n")
        self.notes.unlink()
        self.assertTrue(artoo.undo(result.run_id, env=env).undone)
        self.assertEqual(self.notes.read_text(), "a year's work\n")
        for run_id, message in ((result.run_id, "undone already"), ("nobody", "nobody")):
            with self.assertRaises(artoo.ArtooError) as raised:
                artoo.undo(run_id, env=env)
            self.assertIn(message, raised.exception.message)


class EndTests(Scene):
    def test_stop(self) -> None:
        with artoo.start(COUNT, **self.waiting()) as run:
            next(event for event in run if isinstance(event, artoo.ToolStarted))
            threading.Thread(target=run.stop).start()
            with self.assertRaises(artoo.RunFailed) as raised:
                run.result()
            self.assertEqual(raised.exception.result.exit_code, artoo.ExitCode.INTERRUPTED)
            run.stop()
        self.assertEqual(self.processes(), {})

    def test_a_run_ends_with_its_block_and_with_its_object(self) -> None:
        with artoo.start(COUNT, **self.waiting()) as run:
            next(event for event in run if isinstance(event, artoo.ToolStarted))
        self.assertEqual((self.processes(), list(run)), ({}, []))
        with self.assertRaises(artoo.ArtooError):
            run.result()
        held = artoo.start(LEFT, **self.deleting())
        next(question for question in map(artoo.question_of, held) if question)
        del held
        self.assertEqual(self.processes(), {})

    def test_ctrl_c_and_the_end_of_the_interpreter_leave_no_process(self) -> None:
        for way in ("os.kill(os.getpid(), signal.SIGINT)", "sys.exit(7)"):
            code = f"import artoo, os, signal, sys\nrun = artoo.start({LEFT!r})\nfor event in run:\n  if artoo.question_of(event): {way}"
            env = {**os.environ, **self.deleting()["env"], "PYTHONPATH": PACKAGE}
            done = subprocess.run([sys.executable, "-c", code], env=env, cwd=self.folder, capture_output=True, timeout=PATIENCE)
            self.assertIn(done.returncode, (7, -signal.SIGINT), done.stderr)
            self.assertEqual(self.processes(), {})

    def test_ctrl_c_at_any_time_of_a_start_leaves_no_process(self) -> None:
        code = "import artoo, os, signal, threading\nthreading.Timer({}, os.kill, (os.getpid(), signal.SIGINT)).start()\nartoo.run({!r})"
        env = {**os.environ, **self.waiting()["env"], "PYTHONPATH": PACKAGE}
        for step in range(8):
            done = subprocess.run([sys.executable, "-c", code.format(step / 400, COUNT)], env=env, cwd=self.folder, capture_output=True)
            self.assertIn(b"KeyboardInterrupt", done.stderr)
            until("the process ends", lambda: self.processes() == {})

    def test_a_timeout_is_a_fault(self) -> None:
        with self.assertRaises(artoo.RunFailed) as raised:
            artoo.run(COUNT, timeout=1.5, **self.waiting())
        self.assertEqual(raised.exception.exit_code, artoo.ExitCode.TIMEOUT)
        self.assertEqual(self.processes(), {})

    def test_a_killed_process(self) -> None:
        with artoo.start(COUNT, **self.waiting()) as run:
            next(event for event in run if isinstance(event, artoo.ToolStarted))
            for pid, line in self.processes().items():
                if "--json" in line:
                    os.kill(pid, signal.SIGKILL)
            with self.assertRaises(artoo.ArtooError) as raised:
                run.result()
        self.assertEqual(raised.exception.exit_code, -signal.SIGKILL)


class FailureTests(Scene):
    def test_a_wrong_key(self) -> None:
        with self.assertRaises(artoo.RunFailed) as raised:
            artoo.run(COUNT, **self.counting(key="sk-right"))
        error = raised.exception
        self.assertEqual((error.exit_code, (error.result.error or {})["kind"]), (artoo.ExitCode.FAILED, "provider"))
        self.assertIn("Incorrect API key", error.message)
        self.assertTrue(error.hint, error)

    def test_what_keeps_a_run_from_beginning(self) -> None:
        options = {**self.counting(), "cwd": self.home / "nowhere"}
        for question in (None, lambda _: True):
            with self.assertRaises(artoo.ArtooError) as raised:
                artoo.run(COUNT, on_question=question, **options)
            self.assertIn("--cwd", raised.exception.message)
            self.assertEqual((raised.exception.hint, raised.exception.exit_code), ("name a folder that exists", artoo.ExitCode.USAGE))


if __name__ == "__main__":
    unittest.main()
