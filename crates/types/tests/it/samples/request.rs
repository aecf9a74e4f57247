use std::collections::BTreeMap;

use artoo_types::{
    Amount, ClarificationAnswered, ClarificationRequested, Constraints, ContinuationDecided,
    ContinuationRequested, Instruction, Limits, PersonNote, Price, Prices, Rejection, Role, Surroundings,
    TaskSpec, Turn, UserRequest,
};

use super::{run_id, subtask_id, task_id, time};

pub(super) fn user_request() -> UserRequest {
    UserRequest {
        text: "How many .txt files are in docs, and which is the largest? 请在今天内完成。".to_owned(),
        errand: artoo_types::Errand::Command,
        surroundings: Surroundings {
            now: time("2026-03-14T09:26:52+08:00"),
            zone: "Asia/Shanghai".to_owned(),
            working_folder: "/home/ada/notes".into(),
            workspace: "/home/ada/artoo_workspace".into(),
            home: "/home/ada".into(),
            platform: "linux".to_owned(),
        },
        turns: vec![turn()],
        instructions: vec![Instruction {
            source: "/home/ada/notes/AGENTS.md".to_owned(),
            text: "Dates are written 2026-03-14.".to_owned(),
        }],
        constraints: Constraints {
            scope: Some("docs".to_owned()),
            deadline: Some(time("2026-03-14T17:00:00+08:00")),
        },
        limits: Limits { max_tokens: Some(20_000), max_cost: Amount::new(0.5), ..Limits::default() }
            .with_stated_time(120_000),
        prices: Prices { currency: "EUR".to_owned(), roles: BTreeMap::from([(Role::Planner, price())]) },
        person_present: true,
    }
}

pub(super) fn continuation_requested() -> ContinuationRequested {
    ContinuationRequested {
        number: 2,
        turns: 400,
        tokens: 1_843_000,
        estimated: true,
        cost: Amount::new(3.75),
        currency: "EUR".to_owned(),
    }
}

pub(super) fn continuation_decided() -> ContinuationDecided {
    ContinuationDecided { number: 2, granted: true, reason: "the person agreed".to_owned() }
}

pub(super) fn task_spec() -> TaskSpec {
    TaskSpec {
        task_id: task_id(),
        intent: "Count the .txt files in docs and name the largest of them".to_owned(),
        constraints: Constraints {
            scope: Some("in docs".to_owned()),
            deadline: Some(time("2026-03-14T23:59:59+08:00")),
        },
        raw_input: user_request().text,
        subject: Some("Count the .txt files in docs and name the largest".to_owned()),
        corrects: Some(run_id()),
        earlier: vec![turn()],
    }
}

fn turn() -> Turn {
    Turn {
        run_id: Some(run_id()),
        rejected: Some(Rejection::Undone),
        files: vec!["created: /home/ada/docs/list.txt".to_owned()],
        undo: Some("8c74b3f2f2b5".to_owned()),
        ..Turn::new("What is in docs?", "12 files, 3 of them text files")
    }
}

fn price() -> Price {
    Price { prompt: Amount::new(0.25).unwrap(), completion: Amount::new(2.0).unwrap() }
}

pub(super) fn clarification_requested() -> ClarificationRequested {
    ClarificationRequested {
        round: 1,
        subtask_id: Some(subtask_id(2)),
        questions: vec!["Which folder do you mean by \"there\"?".to_owned(), "哪一个文件?".to_owned()],
    }
}

pub(super) fn clarification_answered() -> ClarificationAnswered {
    ClarificationAnswered {
        round: 1,
        subtask_id: Some(subtask_id(2)),
        answer: "docs, and 报告.txt in it".to_owned(),
    }
}

pub(super) fn note() -> PersonNote {
    PersonNote { text: "Leave out what lies in sub; 也不要算 README.txt".to_owned() }
}
