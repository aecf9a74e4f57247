"""A server of OpenAI's chat completions that plans, acts and judges as a test needs it.

It mirrors what the Rust tests use: `bins/artoo-cli/tests/it/mock_model.rs` and `crates/llm-http/src/doubles`.
"""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Callable, Dict, List, Optional

Action = Callable[[str], Dict[str, Any]]


def shell(command: str) -> Dict[str, Any]:
    """A shell call whose output is the answer."""
    return {"tool": "shell", "arguments": {"command": command}, "output_is_answer": True}


def plan(intent: str) -> Dict[str, Any]:
    """A plan of one subtask whose output is a number."""
    criterion = {"text": "The output is the number of files", "check": "output_number"}
    return {"subtasks": [{"intent": intent, "sequence": 1, "kind": "find_out", "criteria": [criterion]}]}


class MockModel:
    """A server on a free loopback port. `close` ends it."""

    def __init__(self, intent: str, action: Action, key: Optional[str] = None) -> None:
        self.plan = plan(intent)
        self.action = action
        self.key = key
        self.asked = threading.Event()
        """Set once a model call has come."""
        self.hold: Optional[threading.Event] = None
        """Where it is there, a call waits for it."""
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, format: str, *args: Any) -> None:
                pass

            def do_GET(self) -> None:
                self.send(200, "application/json", json.dumps({"data": [{"id": "mock"}]}))

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                if outer.key and self.headers.get("authorization") != f"Bearer {outer.key}":
                    self.send(401, "application/json", json.dumps({"error": {"message": "Incorrect API key provided"}}))
                    return
                outer.asked.set()
                if outer.hold:
                    outer.hold.wait(60)
                message = outer.answer(body)
                if body.get("stream"):
                    self.send(200, "text/event-stream", streamed(message))
                else:
                    self.send(200, "application/json", json.dumps(whole(message)))

            def send(self, status: int, kind: str, text: str) -> None:
                data = text.encode()
                try:
                    self.send_response(status)
                    self.send_header("content-type", kind)
                    self.send_header("content-length", str(len(data)))
                    self.end_headers()
                    self.wfile.write(data)
                except OSError:
                    self.close_connection = True

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.base_url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def close(self) -> None:
        if self.hold:
            self.hold.set()
        self._server.shutdown()
        self._server.server_close()

    def answer(self, body: Dict[str, Any]) -> Dict[str, Any]:
        """The message of the assistant."""
        schema = body.get("response_format", {}).get("json_schema", {}).get("name", "")
        shown = json.dumps(body["messages"], ensure_ascii=False)
        if schema == "plan":
            return text(json.dumps(self.plan))
        if schema == "action":
            return text(json.dumps(self.action(shown)))
        if schema in ("verdict", "task_verdict"):
            return text(json.dumps({"met": False, "reason": "not to be seen"}))
        if schema == "resolved_or_open":
            newest = texts(body)[-1].rsplit("Newest message: ", 1)[-1]
            return text(json.dumps({"questions": [], "intent": newest}))
        if schema == "parts" or "your role changes: you now judge" in shown:
            return text(json.dumps(met(texts(body))))
        if "tools" in body:
            return called(self.action(shown))
        return text("It could not be done.")


def texts(body: Dict[str, Any]) -> List[str]:
    return [message["content"] for message in body["messages"] if isinstance(message.get("content"), str)]


def met(case: List[str]) -> Dict[str, Any]:
    """The judge's verdict: the request and each criterion are met by the last call."""
    lines = [line for content in case for line in content.splitlines()]
    request = next(line[len("Request: ") :] for line in lines if line.startswith("Request: "))
    last = int([line for line in lines if line.startswith("Call ")][-1][len("Call ") :].split(":")[0])
    if "Criteria:" in lines:
        count = len(lines) - 1 - max(at for at, line in enumerate(lines) if line == "Criteria:")
    else:
        count = sum(line.startswith("Criterion: ") for line in lines)
    passed = {"reason": "the call shows it", "call": last, "verdict": "pass"}
    return {"parts": [{"quote": request, **passed}], "verdicts": [{"criterion": number, **passed} for number in range(1, count + 1)]}


def text(content: str) -> Dict[str, Any]:
    return {"role": "assistant", "content": content}


def called(action: Dict[str, Any]) -> Dict[str, Any]:
    """An action as a tool call, or as text."""
    if "tool" not in action:
        return text(action.get("answer", ""))
    arguments = {**action["arguments"], "output_is_answer": action["output_is_answer"]}
    function = {"name": action["tool"], "arguments": json.dumps(arguments)}
    return {"role": "assistant", "content": "", "tool_calls": [{"index": 0, "id": "call_1", "type": "function", "function": function}]}


USAGE = {"prompt_tokens": 10, "completion_tokens": 5}


def whole(message: Dict[str, Any]) -> Dict[str, Any]:
    return {"model": "mock", "choices": [{"index": 0, "message": message, "finish_reason": finish(message)}], "usage": USAGE}


def streamed(message: Dict[str, Any]) -> str:
    choices = [
        [{"index": 0, "delta": message}],
        [{"index": 0, "delta": {}, "finish_reason": finish(message)}],
    ]
    chunks: List[Dict[str, Any]] = [{"model": "mock", "choices": choice} for choice in choices]
    chunks.append({"model": "mock", "choices": [], "usage": USAGE})
    return "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + "data: [DONE]\n\n"


def finish(message: Dict[str, Any]) -> str:
    return "tool_calls" if "tool_calls" in message else "stop"
