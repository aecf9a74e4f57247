//! A client of `artoo acp` or `artoo mcp serve` that shows a test each message: JSON-RPC, one object a line.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};

use serde_json::{Value, json};

use crate::process::{PATIENCE, ended};

/// The client, with the program that it has started.
pub(crate) struct Peer {
    child: Child,
    input: Option<ChildStdin>,
    messages: Receiver<Value>,
    /// Everything that has come so far.
    pub(crate) seen: Vec<Value>,
    next: u64,
}

impl Peer {
    pub(crate) fn start(command: &mut Command) -> Self {
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let (send, messages) = channel();
        let output = BufReader::new(child.stdout.take().unwrap());
        std::thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                // The test may have ended.
                let _ = send.send(serde_json::from_str(&line).unwrap_or_else(|_| json!({"no JSON": line})));
            }
        });
        let input = child.stdin.take();
        Self { child, input, messages, seen: Vec::new(), next: 0 }
    }

    /// Sends a line as it is.
    pub(crate) fn write(&mut self, line: &str) {
        let input = self.input.as_mut().unwrap();
        input.write_all(format!("{line}\n").as_bytes()).and_then(|()| input.flush()).unwrap();
    }

    /// Sends a request, and returns its id.
    pub(crate) fn request(&mut self, method: &str, parameters: &Value) -> u64 {
        self.next += 1;
        let id = self.next;
        self.write(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": parameters}).to_string());
        id
    }

    pub(crate) fn notify(&mut self, method: &str, parameters: &Value) {
        self.write(&json!({"jsonrpc": "2.0", "method": method, "params": parameters}).to_string());
    }

    /// Answers a request of the agent.
    pub(crate) fn answer(&mut self, request: &Value, result: &Value) {
        self.write(&json!({"jsonrpc": "2.0", "id": request["id"], "result": result}).to_string());
    }

    /// The next message; `None` once the agent has closed its output.
    pub(crate) fn next(&mut self) -> Option<Value> {
        match self.messages.recv_timeout(PATIENCE) {
            Ok(message) => {
                self.seen.push(message.clone());
                Some(message)
            }
            Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout) => panic!("nothing more comes: {:#?}", self.seen),
        }
    }

    /// Waits for the message that this finds.
    pub(crate) fn until(&mut self, is_it: impl Fn(&Value) -> bool) -> Value {
        loop {
            let Some(message) = self.next() else { panic!("the agent ended: {:#?}", self.seen) };
            if is_it(&message) {
                return message;
            }
        }
    }

    /// Waits for the answer to a request.
    pub(crate) fn answered(&mut self, id: u64) -> Value {
        self.until(|message| message["id"] == id && message.get("method").is_none())
    }

    /// Waits for a request of the agent.
    pub(crate) fn asked(&mut self, method: &str) -> Value {
        self.until(|message| message["method"] == method)
    }

    /// Sends a request and waits for its answer.
    pub(crate) fn ask(&mut self, method: &str, parameters: &Value) -> Value {
        let id = self.request(method, parameters);
        self.answered(id)
    }

    /// Leaves, and waits until the agent has ended: its exit code.
    pub(crate) fn leave(mut self) -> Option<i32> {
        drop(self.input.take());
        while self.next().is_some() {}
        ended(&mut self.child).code()
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        drop(self.input.take());
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
