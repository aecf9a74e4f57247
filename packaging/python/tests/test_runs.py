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
from scene import PATIENCE, REQUEST, Scene, until

PACKAGE = str(Path(artoo.__file__).resolve().parent.parent)
COUNT = "How many .txt files are in docs?"


class RunTests(Scene):
    def test_a_run_has_a_result(self) -> None:
        result = artoo.run(COUNT, **self.counting())
        self.assertEqual((result.output, result.exit_code, result.ok), ("3", artoo.ExitCode.ACCEPTED, True))
        self.assertTrue((self.runs / result.run_id).is_dir())
        self.assertEqual(self.processes(), {})

    def test_events_are_typed_and_the_same_in_both_ways(self) -> None:
        kinds: List[List[str]] = []
        for answers in (True, False):
            with artoo.start("数一数: " + COUNT, answers=answers, **self.counting()) as run:
                events = list(run)
            self.assertIsInstance(events[0], artoo.RunStarted)
            assert isinstance(events[0], artoo.RunStarted) and isinstance(events[-1], artoo.RunFinished)
            self.assertEqual(events[0].request, "数一数: " + COUNT)
            self.assertEqual(Path(events[0].working_folder), self.folder)
            self.assertEqual([event.seq for event in events], list(range(1, len(events) + 1)))
            (started,) = [event for event in events if isinstance(event, artoo.ToolStarted)]
            self.assertEqual(started.arguments["command"], "ls docs/*.txt | wc -l")
            self.assertTrue(all(event.run_id == run.id and event.raw["type"] == event.type for event in events))
            self.assertEqual(run.result().output, "3")
            kinds.append([event.type for event in events])
        # Memory of the first run changes what the second is told of, not what it does.
        self.assertEqual(*[[kind for kind in each if kind.startswith(("run.", "tool."))] for each in kinds])
        self.assertEqual(self.processes(), {})

    def test_events_come_while_the_run_works(self) -> None:
        for answers in (True, False):
            (self.folder / "go").unlink(missing_ok=True)
            with artoo.start(COUNT, answers=answers, **self.waiting()) as run:
                for event in run:
                    if isinstance(event, artoo.ToolStarted):
                        self.let_go()
                self.assertEqual(run.result().output, "3")

    def test_a_value_of_a_schema(self) -> None:
        options = self.counting()
        plain = self.server.answer

        def answer(body: Dict[str, Any]) -> Dict[str, Any]:
            schema = body.get("response_format", {}).get("json_schema", {}).get("name", "")
            known = schema in ("plan", "action", "parts", "verdict", "task_verdict", "resolved_or_open")
            return {"role": "assistant", "content": '{"count": 3}'} if schema and not known else plain(body)

        self.server.answer = answer  # type: ignore[method-assign]
        schema = {"type": "object", "properties": {"count": {"type": "integer"}}, "required": ["count"], "additionalProperties": False}
        result = artoo.run(COUNT, output_schema=schema, **options)
        self.assertEqual(result.structured, {"count": 3}, result.raw)

    def test_options_reach_the_run(self) -> None:
        data = self.home / "data folder"
        result = artoo.run(COUNT, memory="off", data_dir=data, time_budget=90.5, max_replans=1, config={"run.strict": True}, **self.counting())
        self.assertEqual(result.output, "3")
        self.assertFalse(self.runs.exists())
        limits: List[Any] = []
        options = {**self.counting(), "data_dir": data, "time_budget": 90.5, "max_replans": 1}
        artoo.run(COUNT, on_event=lambda event: limits.append(event.raw.get("limits")), **options)
        self.assertEqual((limits[0]["time_budget_ms"], limits[0]["max_replans"]), (90500, 1))


class AnswerTests(Scene):
    def test_yes(self) -> None:
        asked: List[artoo.Question] = []
        with artoo.start(REQUEST, **self.deleting()) as run:
            for event in run:
                question = artoo.question_of(event)
                if question:
                    self.assertTrue(self.notes.exists(), "nothing happens before the answer")
                    asked.append(question)
                    run.answer(question, True, reason="a test agreed")
                if isinstance(event, artoo.ApprovalDecided):
                    self.assertEqual((event.granted, event.reason), (True, "a test agreed"))
            result = run.result()
        self.assertEqual((result.ok, result.output, self.notes.exists()), (True, "0", False))
        (question,) = asked
        assert isinstance(question, artoo.ApprovalRequested)
        self.assertEqual(question.effects[0]["kind"], "deletes")
        self.assertEqual(self.processes(), {})

    def test_no_and_something_else_instead(self) -> None:
        for answer in (False, "count them, and let them be"):
            decided: List[artoo.Event] = []
            if self.notes.exists():
                self.notes.unlink()
                self.notes.parent.rmdir()
            result = artoo.run(REQUEST, on_question=lambda _: answer, on_event=decided.append, **self.deleting())
            (decision,) = [event for event in decided if isinstance(event, artoo.ApprovalDecided)]
            self.assertFalse(decision.granted)
            self.assertEqual(decision.raw.get("instead"), answer or None)
            self.assertTrue(self.notes.exists(), result)
            self.server.close()

    def test_a_question_that_nobody_answers_is_a_no(self) -> None:
        options = self.deleting()
        with artoo.start(REQUEST, **options) as run:
            # Nobody looks at the events.
            result = run.result()
        self.assertTrue(self.notes.exists())
        self.assertNotEqual(result.output, "0")
        alone = artoo.run(REQUEST, **options)
        self.assertTrue(self.notes.exists())
        self.assertNotEqual(alone.output, "0")

    def test_consent_in_advance(self) -> None:
        self.assertTrue(artoo.run(REQUEST, yes=["deletes"], **self.deleting()).ok)
        self.assertFalse(self.notes.exists())

    def test_a_plan_is_asked_about_and_declined(self) -> None:
        for answer, code in ((True, artoo.ExitCode.ACCEPTED), (False, artoo.ExitCode.CONSENT_MISSING), (None, artoo.ExitCode.CONSENT_MISSING)):
            with artoo.start(COUNT, plan=True, **self.counting()) as run:
                for event in run:
                    question = artoo.question_of(event)
                    if question and answer is None:
                        run.decline()
                    elif question and answer is not None:
                        self.assertIsInstance(question, artoo.PlanApprovalRequested)
                        run.answer(question, answer)
                self.assertEqual(run.result(check=False).exit_code, code)

    def test_whether_it_goes_on(self) -> None:
        def answer(question: artoo.Question) -> bool:
            self.assertIsInstance(question, artoo.ContinuationRequested)
            return False

        with self.assertRaises(artoo.RunFailed) as raised:
            artoo.run(COUNT, on_question=answer, args=["--ask-after-turns", "1"], **self.counting())
        self.assertEqual(raised.exception.exit_code, artoo.ExitCode.CONSENT_MISSING)

    def test_a_question_in_words(self) -> None:
        options = self.counting()
        first = artoo.run(COUNT, **options)
        plain = self.server.answer

        def asking(body: Dict[str, Any]) -> Dict[str, Any]:
            schema = body.get("response_format", {}).get("json_schema", {}).get("name", "")
            if schema == "resolved_or_open":
                answered = "The user answered: docs" in str(body["messages"])
                value = '{"questions": [], "intent": "Count docs"}' if answered else '{"questions": ["docs or logs?"], "intent": ""}'
                return {"role": "assistant", "content": value}
            return plain(body)

        self.server.answer = asking  # type: ignore[method-assign]
        asked: List[artoo.Question] = []

        def answer(question: artoo.Question) -> str:
            asked.append(question)
            return "docs"

        result = artoo.run("and there?", on_question=answer, args=["--continue"], **options)
        (question,) = asked
        assert isinstance(question, artoo.ClarificationRequested)
        self.assertEqual(question.questions, ["docs or logs?"])
        self.assertNotEqual(result.run_id, first.run_id)
        self.assertEqual(result.output, "3")

    def test_the_first_answer_counts_and_a_wrong_one_is_refused(self) -> None:
        with artoo.start(REQUEST, **self.deleting()) as run:
            question = next(question for question in map(artoo.question_of, run) if question)
            with self.assertRaises(TypeError):
                run.answer(artoo.ClarificationRequested("clarification.requested", {}, asked=1), True)
            with self.assertRaises(artoo.OrderRefused) as raised:
                run.answer(artoo.ClarificationRequested("clarification.requested", {}, asked=1), "yes")
            self.assertIn("another question", raised.exception.message)
            run.note("the notes are of last year")
            with self.assertRaises(artoo.OrderRefused) as raised:
                run.note("x" * 20_000)
            self.assertIn("too long", raised.exception.message)
            run.answer(question, True)
            self.assertTrue(run.result().ok)
            with self.assertRaises(artoo.OrderRefused):
                run.answer(question, True)


class UndoTests(Scene):
    def test_what_a_run_did_is_taken_back(self) -> None:
        options = self.deleting()
        result = artoo.run(REQUEST, yes=["deletes"], **options)
        tried = artoo.undo(result.run_id, dry_run=True, env=options["env"])
        self.assertEqual((tried.undone, [change["action"] for change in tried.changes]), (False, ["recreate"]))
        self.assertFalse(self.notes.exists())
        done = artoo.undo(result.run_id, env=options["env"])
        self.assertTrue(done.undone)
        self.assertEqual(self.notes.read_text(), "a year's work\n")
        with self.assertRaises(artoo.ArtooError) as raised:
            artoo.undo(result.run_id, env=options["env"])
        self.assertIn("undone already", raised.exception.message)

    def test_what_was_changed_since_stands_in_the_way(self) -> None:
        options = self.deleting()
        result = artoo.run(REQUEST, yes=["deletes"], **options)
        self.notes.write_text("new\n")
        with self.assertRaises(artoo.UndoRefused) as raised:
            artoo.undo(result.run_id, env=options["env"])
        self.assertEqual(len(raised.exception.undo.obstacles), 1)
        self.assertEqual(self.notes.read_text(), "new\n")

    def test_an_unknown_run(self) -> None:
        with self.assertRaises(artoo.UsageError) as raised:
            artoo.undo("nobody", env=self.counting()["env"])
        self.assertIn("nobody", raised.exception.message)
        self.assertIn("artoo runs list", raised.exception.hint or "")


class EndTests(Scene):
    def test_stop(self) -> None:
        for answers in (True, False):
            with artoo.start(COUNT, answers=answers, **self.waiting()) as run:
                next(event for event in run if isinstance(event, artoo.ToolStarted))
                threading.Thread(target=run.stop).start()
                with self.assertRaises(artoo.RunFailed) as raised:
                    run.result()
                self.assertEqual(raised.exception.exit_code, artoo.ExitCode.INTERRUPTED)
                self.assertEqual(run.result(check=False), raised.exception.result)
                run.stop()
            self.assertEqual(self.processes(), {})

    def test_leaving_the_block_ends_the_run(self) -> None:
        for answers in (True, False):
            with artoo.start(COUNT, answers=answers, **self.waiting()) as run:
                next(event for event in run if isinstance(event, artoo.ToolStarted))
            self.assertEqual(self.processes(), {})
            with self.assertRaises(artoo.RunLost):
                run.result()
            self.assertEqual(list(run), [])

    def test_a_run_that_nobody_holds_ends(self) -> None:
        for answers in (True, False):
            run = artoo.start(COUNT, answers=answers, **self.waiting())
            next(event for event in run if isinstance(event, artoo.ToolStarted))
            del run
            until("its process ends", lambda: self.processes() == {})

    def test_ctrl_c_and_the_end_of_the_interpreter_end_the_run(self) -> None:
        for answers in (True, False):
            for way in ("os.kill(os.getpid(), signal.SIGINT)", "sys.exit(7)"):
                code = (
                    "import artoo, os, signal, sys\n"
                    f"run = artoo.start({COUNT!r}, answers={answers})\n"
                    "for event in run:\n"
                    f"    if event.type == 'tool.started': {way}\n"
                )
                options = self.waiting()
                env = {**os.environ, **options["env"], "PYTHONPATH": PACKAGE}
                done = subprocess.run([sys.executable, "-c", code], env=env, cwd=self.folder, capture_output=True, timeout=PATIENCE)
                self.assertIn(done.returncode, (7, -signal.SIGINT), done.stderr)
                until("its process ends", lambda: self.processes() == {})
                self.server.close()

    def test_a_timeout_is_a_result(self) -> None:
        with self.assertRaises(artoo.RunFailed) as raised:
            artoo.run(COUNT, timeout=1.5, **self.waiting())
        self.assertEqual(raised.exception.exit_code, artoo.ExitCode.TIMEOUT)
        self.assertEqual(self.processes(), {})

    def test_a_killed_process(self) -> None:
        for answers in (True, False):
            with artoo.start(COUNT, answers=answers, **self.waiting()) as run:
                next(event for event in run if isinstance(event, artoo.ToolStarted))
                self.kill_runs()
                with self.assertRaises(artoo.RunLost) as raised:
                    run.result()
                self.assertIn("artoo runs show", raised.exception.hint or "")


class FailureTests(Scene):
    def test_a_wrong_key(self) -> None:
        for question in (None, lambda _: True):
            with self.assertRaises(artoo.RunFailed) as raised:
                artoo.run(COUNT, on_question=question, **self.counting(key="sk-right"))
            error = raised.exception
            self.assertEqual(error.exit_code, artoo.ExitCode.FAILED)
            self.assertIn("Incorrect API key", error.message)
            self.assertTrue(error.hint, error)
            self.assertEqual((error.result.error or {})["kind"], "provider")
            self.server.close()

    def test_what_keeps_a_run_from_beginning(self) -> None:
        options = {**self.counting(), "cwd": self.home / "nowhere"}
        for question in (None, lambda _: True):
            with self.assertRaises(artoo.UsageError) as raised:
                artoo.run(COUNT, on_question=question, **options)
            self.assertIn("--cwd", raised.exception.message)
            self.assertEqual((raised.exception.hint, raised.exception.exit_code), ("name a folder that exists", 2))
        with self.assertRaises(artoo.UsageError):
            artoo.run("  ", **self.counting())


if __name__ == "__main__":
    unittest.main()
