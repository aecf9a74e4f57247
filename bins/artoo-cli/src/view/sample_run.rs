//! Test data: a run with every kind of event, text in several scripts, and hostile text.
//!
//! The hostile text tries to act on the terminal.

use artoo_runtime::events::{Line, schema};
use serde_json::{Value, json};

const RUN: &str = "01970000-0000-7000-8000-000000000001";
const ONE: &str = "01970000-0000-7000-8000-0000000000a1";
const TWO: &str = "01970000-0000-7000-8000-0000000000a2";
const CALL: &str = "01970000-0000-7000-8000-0000000000c1";
const OTHER_CALL: &str = "01970000-0000-7000-8000-0000000000c2";

/// The lines of a whole run that is accepted after one replan.
pub(crate) fn run() -> Vec<Line> {
    let events = vec![
        (
            json!({"type": "run.started", "request": "How many .txt files are in docs,\nand which is the largest? 数一数 عدد الملفات 👩‍👩‍👧",
            "working_folder": "/home/ada/项目", "workspace": "/home/ada/artoo_workspace",
            "limits": {"max_replans": 3, "max_retries": 2, "time_budget_ms": 300000, "max_tokens": null},
            "instructions": [{"source": "/home/ada/.config/artoo/AGENTS.md", "bytes": 812}, {"source": "/home/ada/项目/AGENTS.md", "bytes": 412}]}),
            None,
            None,
        ),
        (usage("perceiver", 1), Some("perceiver"), None),
        (
            json!({"type": "memory.recalled", "laws": [], "recalled": [{
                "pair": {"space": "intent:how_many_txt", "entity": "env:local"}, "reason": {"why": "asked"},
                "potentials": {"attention": 0.8, "decision": 0.45, "action": "exploit"}, "experiences": [], "sops": [
            {"id": CALL, "space": "intent:how_many_txt", "entity": "env:local", "content": "count with find, not ls", "polarity": "practice", "sources": []}]}]}),
            Some("shared_memory"),
            None,
        ),
        (
            json!({"type": "plan.proposed",
            "task_criteria": [{"text": "the answer names a number", "mode": "verifiable"}],
            "subtasks": [
                {"sequence": 1, "intent": "count the .txt files in docs", "context": "", "success_criteria": []},
                {"sequence": 1, "intent": "找出 docs 里最大的文件\u{1b}[2J\u{9b}31m", "context": "", "success_criteria": []}],
            "kept": [],
            "memory": {"used": [CALL], "ignored": [OTHER_CALL]}}),
            Some("planner"),
            None,
        ),
        (
            json!({"type": "subtask.started", "intent": "count the .txt files in docs", "sequence": 1,
            "success_criteria": [{"text": "the output is one number", "mode": "verifiable"}]}),
            Some("dispatcher"),
            Some(ONE),
        ),
        (
            json!({"type": "subtask.started", "intent": "找出 docs 里最大的文件", "sequence": 1,
            "success_criteria": []}),
            Some("dispatcher"),
            Some(TWO),
        ),
        (
            json!({"type": "tool.started", "call_id": CALL, "tool": "shell", "arguments": {"command": "ls docs/*.txt | wc -l"}}),
            Some("executor"),
            Some(ONE),
        ),
        (json!({"type": "tool.output", "call_id": CALL, "text": "7\n"}), Some("executor"), Some(ONE)),
        (
            json!({"type": "tool.finished", "call_id": CALL, "tool": "shell", "ending": {"kind": "exited", "status": 0}, "failure": null,
            "duration_ms": 34, "shown": "7\n", "bytes": 2, "dropped_bytes": 0, "files": []}),
            Some("executor"),
            Some(ONE),
        ),
        (
            json!({"type": "tool.started", "call_id": OTHER_CALL, "tool": "write_file", "arguments": {"path": "ملف.txt", "content": "x"}}),
            Some("executor"),
            Some(TWO),
        ),
        (
            json!({"type": "tool.finished", "call_id": OTHER_CALL, "tool": "write_file", "ending": {"kind": "refused"},
            "failure": {"class": "denied", "reason": "ملف.txt exists, and nobody consented to overwrite it"},
            "duration_ms": 1250, "shown": "", "bytes": 0, "dropped_bytes": 10,
            "files": [{"path": "/home/ada/项目/报告.txt", "change": "created"}]}),
            Some("executor"),
            Some(TWO),
        ),
        (usage("executor", 4), Some("executor"), Some(ONE)),
        (
            json!({"type": "verdict", "criterion": "the output is one number", "mode": "verifiable", "pass": true, "judge": "check",
            "class": null, "reason": null, "evidence": {"kind": "observation", "text": "7"}}),
            Some("agent_validator"),
            Some(ONE),
        ),
        (
            json!({"type": "verdict", "criterion": "the largest file is named", "mode": "plausible", "pass": false, "judge": "model",
            "class": "logical", "reason": "the output names no file 😀", "evidence": null}),
            Some("agent_validator"),
            Some(TWO),
        ),
        (
            json!({"type": "correction", "attempt": 1, "failed_criterion": "the largest file is named", "failure_class": "logical",
            "what_was_wrong": "no name", "what_to_do": "list the files by size"}),
            Some("agent_validator"),
            Some(TWO),
        ),
        (
            json!({"type": "subtask.finished", "status": "matched", "output": "7", "failure_reason": null}),
            Some("agent_validator"),
            Some(ONE),
        ),
        (
            json!({"type": "subtask.finished", "status": "failed", "output": null, "failure_reason": "consent was refused\r\u{1b}[1A"}),
            Some("agent_validator"),
            Some(TWO),
        ),
        (
            json!({"type": "round.scored", "D": 0.5, "P": 1.0, "Omega": 0.05, "L": 0.62, "grad_l": 0.0, "grad_goal": 0.0}),
            Some("ggs"),
            None,
        ),
        (
            json!({"type": "directive", "prev": "init", "current": "change_approach", "blocked_tools": ["glob"],
            "blocked_targets": [{"tool": "shell", "target": "ls docs"}], "blocked_programs": [{"tool": "shell", "program": "perl"}],
            "blocked_approaches": [{"tool": "shell", "approach": "count"}],
            "failure_class": "logical", "failed_criterion": "the largest file is named", "rationale": "the approach is wrong and nothing moves"}),
            Some("ggs"),
            None,
        ),
        (
            json!({"type": "memory.written", "space": "tool:shell", "entity": "path:ls docs", "state": "change_approach", "f": 0.85, "sigma": -1.0, "k": 0.05}),
            Some("ggs"),
            None,
        ),
        (json!({"type": "warning", "message": "the disk is nearly full"}), Some("supervisor"), None),
        (
            json!({"type": "plan.proposed", "task_criteria": [], "subtasks": [
            {"sequence": 1, "intent": "list the files by size", "context": "", "success_criteria": []}], "kept": [ONE]}),
            Some("planner"),
            None,
        ),
        (failed_usage(), Some("planner"), None),
        (
            json!({"type": "round.scored", "D": 0.0, "P": 0.0, "Omega": 0.2, "L": 0.08, "grad_l": -0.54, "grad_goal": -0.6}),
            Some("ggs"),
            None,
        ),
        (finished("accept", None), Some("ggs"), None),
    ];
    let lines = events.into_iter().enumerate();
    lines.map(|(seq, (event, role, subtask))| line(seq + 1, event, role, subtask)).collect()
}

/// A last line with `directive` and `fault` as given; all other fields are filled.
pub(crate) fn finished(directive: &str, fault: Option<Value>) -> Value {
    let accepted = directive == "accept";
    json!({
        "type": "run.finished",
        "directive": if fault.is_some() { Value::Null } else { directive.into() },
        "error": fault,
        "summary": match directive {
            "accept" => "Counted the files and found the largest.",
            "success" => "One of two criteria is met.",
            _ => "The folder could not be read.\u{1b}[31m",
        },
        "output": if accepted || directive == "success" { "7 files; the largest is 报告.txt\u{1b}]0;title\u{7}\n" .into() } else { Value::Null },
        "unmet": if accepted { json!([]) } else { json!([
            {"criterion": "the largest file is named", "mode": "plausible", "subtask_id": TWO, "reason": "no file\nis named"}]) },
        "loss": {"D": 0.0, "P": 0.0, "Omega": 0.2, "L": 0.08}, "grad_l": -0.54, "grad_goal": -0.6, "replans": 1,
        "prev_directive": "change_approach",
        "partial": if accepted { json!([]) } else { json!([
            {"subtask_id": ONE, "intent": "count the .txt files", "status": "matched", "output": "7"},
            {"subtask_id": TWO, "intent": "名前 of the largest", "status": "failed", "output": {"file": null}},
            {"subtask_id": TWO, "intent": "write it down", "status": "skipped", "output": null}]) },
        "files": [{"path": "/home/ada/项目/报告.txt", "change": "created"}],
        "usage": {"calls": 5, "prompt_tokens": 4100, "completion_tokens": 312, "estimated": true,
                  "cost": {"amount": 0.0125, "currency": "USD"}},
        "roles": [{"role": "planner", "calls": 2, "prompt_tokens": 2100, "completion_tokens": 200,
                   "cost": {"amount": 0.0125, "currency": "USD"}},
                  {"role": "agent_validator", "calls": 3, "prompt_tokens": 2000, "completion_tokens": 112}],
        "elapsed_ms": 12345, "depth": 4, "exit_code": if accepted { 0 } else { 3 },
    })
}

/// A line with this event. It is checked against the schema, because a sample
/// that no run could produce proves nothing.
pub(crate) fn line(seq: usize, event: Value, role: Option<&str>, subtask: Option<&str>) -> Line {
    let mut object = json!({"v": 1, "seq": seq, "ts": "2026-03-01T12:00:00+01:00", "run_id": RUN});
    let fields = object.as_object_mut().unwrap();
    fields.extend(role.map(|role| ("role".to_owned(), role.into())));
    fields.extend(subtask.map(|subtask| ("subtask_id".to_owned(), subtask.into())));
    fields.extend(event.as_object().unwrap().clone());
    let validator = jsonschema::validator_for(&schema()).unwrap();
    let errors: Vec<String> = validator.iter_errors(&object).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{object:#}\n{errors:?}");
    serde_json::from_value(object).unwrap()
}

fn usage(model: &str, calls: u64) -> Value {
    json!({"type": "usage", "model": model, "prompt_tokens": 512, "cached_tokens": 0, "completion_tokens": 40, "elapsed_ms": 2100,
        "estimated": false, "error": null,
        "cumulative": {"calls": calls, "prompt_tokens": 512 * calls, "completion_tokens": 40 * calls,
        "cost": {"amount": 0.0025 * calls as f64, "currency": "€"}}})
}

fn failed_usage() -> Value {
    let mut event = usage("planner", 5);
    event["error"] = "the model server at http://127.0.0.1:9 answered 500: <html>\u{1b}[5m".into();
    event
}
