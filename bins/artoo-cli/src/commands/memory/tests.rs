//! Tests of the commands on an in-memory store, and snapshots of pages that such a store cannot produce.

mod given;

use std::path::Path;
use std::sync::Arc;

use artoo_memory_store::operator::{Dreamt, Finding, Keeping, Levels, Owner, Part, Stats, Verification};
use artoo_mkct_memory::{InMemory, MemoryService, Rules};
use artoo_runtime::explain::HeldCall;
use artoo_types::{
    BlockedTarget, DreamReport, Entity, GuardAction, Megram, MegramId, MegramState, MemoryAction,
    MemoryQuery, MemoryReply, Origin, PairMemory, PlanMemory, Potentials, RecallReason, Space, TagPair,
    ToolName,
};
use artoo_types::{Experience, Held, HeldEnd, Law, Polarity, SopRecord};
use chrono::Duration;
use uuid::Uuid;

use super::*;
use given::{HOSTILE, experience, id, json, memory, now, run_id, say, say_in};

#[test]
fn what_is_in_memory_is_listed_to_fit() {
    let memory = memory();
    let mut text = String::new();
    for columns in [160, 100, 80, 40] {
        let said = say_in(&memory, Path::new("/work"), columns, &["list"]).ended(0);
        assert!(said.out.lines().all(|line| crate::terminal::width(line) <= columns), "{}", said.out);
        text.push_str(&format!("{columns} columns\n{}\n", said.out));
    }
    insta::assert_snapshot!(text);
    let listed = |words: &[&str]| {
        let said = say(&memory, words).ended(0);
        said.out
            .lines()
            .map(|line| json(line)["megram"]["id"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    let ids = |numbers: &[u128]| numbers.iter().map(|number| id(*number).to_string()).collect::<Vec<_>>();
    assert_eq!(listed(&["list", "--json", "--limit", "2"]), ids(&[9, 1]));
    assert_eq!(listed(&["list", "--json", "--space", "tool:"]), ids(&[9]));
    assert_eq!(listed(&["list", "--json", "--text", "missed"]), ids(&[9]));
    assert_eq!(listed(&["list", "--json", "--level", "c"]), ids(&[]));
}

#[test]
fn an_entry_is_shown_with_what_is_behind_it() {
    let memory = memory();
    wait(memory.dream(&artoo_mkct_memory::Template)).unwrap().unwrap();
    let rule = id(0x100).to_string();
    let mut text = String::new();
    for shown in [&rule, &id(3).to_string(), &id(8).to_string()] {
        text.push_str(&say_in(&memory, Path::new("/work"), 80, &["show", shown]).ended(0).out);
    }
    text.push_str(&say(&memory, &["stats"]).ended(0).out);
    insta::assert_snapshot!(text);
    let page = json(&say(&memory, &["show", &rule, "--json"]).ended(0).out);
    assert_eq!(
        (&page["listed"]["megram"]["level"], page["sources"].as_array().unwrap().len()),
        (&"C".into(), 7)
    );
}

#[test]
fn a_mistaken_id_is_explained() {
    let memory = memory();
    let mut text = String::new();
    for words in [
        &["show", "ffffff00"][..],
        &["show", "0"],
        &["show", "not an id"],
        &["show", ""],
        &["why", "01970009"],
        &["why", "last"],
        &["why", "  "],
        &["forecast", ""],
        &["forget", ""],
        &["forget", "ffffff00"],
        &["forget", "nothing of the kind"],
        &["forget", "01970001"],
        &["list", "--text", " "],
        &["remember", " "],
        &["remember", "x", "--for", " "],
        &["import", "/work/not/there"],
        &["import", "/"],
        &["export", "--output", "/not/there/x"],
    ] {
        let folder = tempfile::tempdir().unwrap();
        let said = say_in(&memory, folder.path(), 200, words).ended(2);
        assert_eq!(said.out, "");
        let err = said.err.replace(&folder.path().display().to_string(), "~");
        text.push_str(&format!("$ artoo memory {}\n{err}", words.join(" ")));
    }
    insta::assert_snapshot!(text);
}

#[test]
fn what_would_be_recalled_is_said_with_its_reason() {
    let memory = memory();
    let said = say_in(&memory, Path::new("/work"), 100, &["why", "count the files"]).ended(0);
    insta::assert_snapshot!(said.out);
    let page = json(&say(&memory, &["why", "count the files", "--json"]).ended(0).out);
    assert_eq!(page["query"]["pairs"][1]["entity"], "path:/work");
}

#[test]
fn how_memory_fades_is_drawn() {
    let memory = memory();
    memory.write(experience(10, MegramState::Abandon, 0, "sort it", "sort -o lost a line")).unwrap();
    say(&memory, &["remember", "sort with a copy", "--for", "sort it"]).ended(0);
    let mut text = String::new();
    for (columns, request) in [(100, "count the files"), (60, "sort it"), (20, "数一数文件")] {
        text.push_str(&say_in(&memory, Path::new("/work"), columns, &["forecast", request]).ended(0).out);
    }
    insta::assert_snapshot!(text);
    let page = json(&say(&memory, &["forecast", "count the files", "--days", "3", "--json"]).ended(0).out);
    assert_eq!(page["pairs"][0]["forecast"]["days"].as_array().unwrap().len(), 4);
}

#[test]
fn what_a_person_says_is_a_rule_without_secrets() {
    let memory = memory();
    let said =
        say(&memory, &["remember", "the key is hunter2-is-long-enough", "--for", "call the server"]).ended(0);
    assert!(said.err.contains("looks like a secret"), "{}", said.err);
    assert!(said.out.contains("(intent:call_the_server, env:local)"), "{}", said.out);
    let never = json(&say(&memory, &["remember", "--never", "sort in place", "--json"]).ended(0).out);
    assert_eq!(
        (&never["level"], &never["sigma"], &never["k"], &never["origin"]),
        (&"C".into(), &(-1.0).into(), &0.0.into(), &"person".into())
    );
    let law = json(&say(&memory, &["remember", "--law", "answer in Finnish", "--json"]).ended(0).out);
    assert_eq!(law["level"], "T");
    let known = wait(memory.recall(&MemoryQuery {
        pairs: vec![TagPair::new(Space::intent("call the server"), Entity::local())],
        like: None,
    }));
    let known = known.unwrap().unwrap();
    assert_eq!(known.laws.iter().map(|law| law.content.as_str()).collect::<Vec<_>>(), ["answer in Finnish"]);
    let rules: Vec<&str> = known.recalled[0].sops.iter().map(|sop| sop.content.as_str()).collect();
    assert!(matches!(rules.as_slice(), [rule] if rule.starts_with("the key is [redacted")), "{rules:?}");
    say(&memory, &["remember", &"x".repeat(3000)]).ended(2);
}

#[test]
fn nothing_is_forgotten_unasked() {
    let memory = memory();
    let said = say(&memory, &["forget", &id(3).to_string()]).ended(2);
    assert!(said.err.contains("glob docs/*.txt works") && said.err.contains("--yes"), "{}", said.err);
    assert!(memory.get(id(3)).is_some());
    let said = say(&memory, &["forget", "--yes", &id(3).to_string()]).ended(0);
    assert!(said.out.contains("forgotten for good: 1 entry"), "{}", said.out);
    assert!(said.err.contains("records of runs still hold"), "{}", said.err);
    assert_eq!(memory.get(id(3)), None);
    let gone = json(&say(&memory, &["forget", "--yes", "--json", "missed"]).ended(0).out);
    assert_eq!(gone["forgotten"], serde_json::json!([id(9)]));
    say(&memory, &["show", &id(9).to_string()]).ended(2);
}

#[test]
fn an_export_comes_in_as_experience() {
    let folder = tempfile::tempdir().unwrap();
    let (here, there) = (memory(), Arc::new(InMemory::new(Rules::default(), now, || id(0x999))));
    say(&here, &["remember", "--law", "answer in Finnish"]).ended(0);
    let said = say_in(&here, folder.path(), 100, &["export", "--output", "out.jsonl"]).ended(0);
    assert!(said.err.contains("10 entries written"), "{}", said.err);
    let file = folder.path().join("out.jsonl");
    let lines = std::fs::read_to_string(&file).unwrap();
    let mode = std::os::unix::fs::MetadataExt::mode(&file.metadata().unwrap());
    assert_eq!((lines.lines().count(), mode & 0o777), (11, 0o600));
    let shown = say(&here, &["export"]).ended(0).out;
    assert_eq!(shown.lines().map(json).collect::<Vec<_>>(), lines.lines().map(json).collect::<Vec<_>>());
    // An existing file is never overwritten.
    say_in(&here, folder.path(), 100, &["export", "--output", "out.jsonl"]).ended(2);
    let said = say_in(&there, folder.path(), 100, &["import", "out.jsonl"]).ended(0);
    insta::assert_snapshot!(said.out, @r"
    imported: 10 entries
      1 among them came as rules or laws: here they are experiences until they prove themselves
    ");
    assert_eq!(say(&there, &["list", "--level", "T"]).ended(0).err, "nothing in memory is like that\n");
    let again = json(&say_in(&there, folder.path(), 100, &["import", "out.jsonl", "--json"]).ended(0).out);
    assert_eq!((&again["taken"], &again["duplicates"]), (&0.into(), &10.into()));
    std::fs::write(folder.path().join("bad.jsonl"), "{}\n").unwrap();
    let said = say_in(&there, folder.path(), 100, &["import", "bad.jsonl"]).ended(2);
    assert!(said.err.contains("no export of a memory") && said.err.contains("hint: "), "{}", said.err);
}

#[test]
fn the_store_is_looked_after() {
    let memory = memory();
    let report = json(&say(&memory, &["dream", "--json"]).ended(0).out);
    assert_eq!((&report["promoted"], &report["examined"]), (&serde_json::json!([id(0x100)]), &3.into()));
    assert_eq!(say(&memory, &["dream"]).ended(0).out, "nothing changed (3 pairs looked at)\n");
    assert!(say(&memory, &["verify"]).ended(0).out.contains("everything holds"));
    assert_eq!(say(&memory, &["rebuild"]).ended(0).out, "the index was built anew: 10 entries\n");
    assert!(say(&memory, &["log"]).ended(0).err.contains("nothing yet"));
    for command in ["stats", "verify", "rebuild"] {
        json(&say(&memory, &[command, "--json"]).ended(0).out);
    }
}

#[test]
fn pages_of_a_store_on_disk() {
    let finding = |part, finding: &str, hint: Option<&str>, remedy| Finding {
        part,
        finding: finding.to_owned(),
        hint: hint.map(str::to_owned),
        remedy,
    };
    let findings = vec![
        finding(Part::Journal, "2 events are lost, 7 to 8\u{1b}[2J", Some("keep the copy in damaged/"), None),
        finding(
            Part::Index,
            "it differs from the truth",
            Some("build it anew"),
            Some(artoo_types::Remedy::RebuildMemory),
        ),
        finding(Part::Snapshot, "block 3 is damaged", None, None),
        finding(Part::Sharing, "others cannot write", None, None),
    ];
    let mut text = String::new();
    for owner in [
        Owner::This,
        Owner::Other { pid: Some(42) },
        Owner::Other { pid: None },
        Owner::Nobody { why: "the disk has no locks".to_owned() },
    ] {
        let keeping = Keeping::Disk {
            folder: "/home/ada/.artoo/memory".into(),
            pending: if owner == Owner::This { 0 } else { 3 },
            owner,
            journal_bytes: 4_200_000,
            snapshot_bytes: 99,
            index_bytes: 0,
            durable: 12_345,
        };
        let stats = Stats {
            levels: Levels { m: 10, k: 2, c: 1, t: 1 },
            consolidated: 7,
            forgotten: 3,
            pairs: 4,
            oldest: Some(now() - Duration::days(400)),
            newest: Some(now()),
            keeping,
            last_dream: Some(now()),
            findings: findings.clone(),
        };
        text.push_str(&pages::stats(&stats));
    }
    let verified = Verification { events: 12_345, megrams: 14, findings };
    text.push_str(&pages::verification(&verified));
    let report = DreamReport {
        promoted: vec![id(1)],
        demoted: vec![id(2)],
        forgotten: (3..9).map(id).collect(),
        examined: 12,
        corrected: 1,
    };
    text.push_str(&pages::dreamt(&Dreamt { at: now(), report }));
    insta::assert_snapshot!(text);
}

/// One of each thing that a record can contain.
#[test]
fn pages_of_a_run_and_of_what_is_similar() {
    let potentials = |decision| Potentials { attention: 1.5, decision, action: MemoryAction::Avoid };
    let pair = |space: &str| TagPair::new(Space::from_raw(space), Entity::path(HOSTILE));
    let experience = |number, origin| Experience {
        id: id(number),
        created_at: now(),
        origin,
        state: MegramState::ChangeApproach,
        content: HOSTILE.to_owned(),
        strength: 0.85,
        sigma: -1.0,
    };
    let sop = |number, polarity| SopRecord {
        id: id(number),
        space: Space::from_raw("tool:shell"),
        entity: Entity::local(),
        content: HOSTILE.to_owned(),
        polarity,
        sources: vec![id(1), id(2)],
    };
    let similar = RecallReason::Similar { score: 0.4321, shared: vec!["txt".to_owned(), HOSTILE.to_owned()] };
    let reply = MemoryReply {
        recalled: vec![
            PairMemory::unknown(pair("intent:count")),
            PairMemory {
                pair: pair("tool:shell"),
                reason: similar,
                potentials: potentials(-0.85),
                sops: vec![sop(20, Polarity::Practice), sop(21, Polarity::Constraint)],
                experiences: vec![
                    experience(22, Some(Origin::Run(run_id()))),
                    experience(23, Some(Origin::Person)),
                    experience(24, Some(Origin::Dreamer)),
                    experience(25, Some(Origin::Import)),
                    experience(26, None),
                ],
            },
        ],
        laws: vec![Law { id: id(30), content: HOSTILE.to_owned() }],
    };
    let target = BlockedTarget { tool: ToolName::new("shell"), target: HOSTILE.to_owned() };
    let held =
        |action, came| HeldCall { call: target.clone(), held: Held { action, because: vec![id(21)], came } };
    let query = MemoryQuery { pairs: vec![pair("intent:count")], like: Some("count".to_owned()) };
    let asked = why::Asked {
        query: query.clone(),
        reply: Some(reply),
        round: Some(1),
        memory: PlanMemory { used: vec![id(20), id(22), id(30)], ignored: vec![id(21)] },
        held: vec![
            held(GuardAction::Refuse, HeldEnd::Refused),
            held(GuardAction::Refuse, HeldEnd::Agreed),
            held(GuardAction::Confirm, HeldEnd::Agreed),
            held(GuardAction::Confirm, HeldEnd::Tried),
        ],
    };
    let without =
        why::Asked { query, reply: None, round: None, memory: PlanMemory::default(), held: Vec::new() };
    let found = why::RunMemory {
        request: HOSTILE.to_owned(),
        questions: vec![asked, without],
        learned: vec![self::experience(40, MegramState::ChangeApproach, 0, "count", HOSTILE)],
    };
    let text =
        why_page::of_run(run_id(), &found, 90) + &why_page::of_run(run_id(), &why::RunMemory::default(), 90);
    assert!(!text.contains(['\u{1b}', '\u{202e}', '\r', '\0']), "{text}");
    insta::assert_snapshot!(text);
}

#[test]
fn a_short_id_is_as_long_as_it_must_be() {
    let memory = memory();
    assert_eq!(ids::short(memory.as_ref(), id(1)).unwrap(), "01970001");
    let twin = Megram {
        id: MegramId::new(Uuid::from_u128(id(1).uuid().as_u128() + 1)),
        ..experience(1, MegramState::Accept, 0, "a", "b")
    };
    memory.write(twin.clone()).unwrap();
    assert_eq!(ids::short(memory.as_ref(), id(1)).unwrap(), id(1).to_string());
    assert_eq!(ids::find(memory.as_ref(), &twin.id.to_string().to_uppercase()).unwrap(), twin.id);
    for (text, expected) in
        [("01970001", true), ("0197-0001", true), ("facade", false), ("0197", false), ("delete 5", false)]
    {
        assert_eq!(ids::looks_like_id(text), expected, "{text}");
    }
}
