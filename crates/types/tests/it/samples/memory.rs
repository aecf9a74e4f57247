use artoo_types::{
    BlockedTarget, Briefing, DreamReport, Entity, Experience, GuardAction, GuardQuery, GuardReply, Law,
    Lesson, Level, Megram, MegramState, MegramWrite, MemoryAction, MemoryGuard, MemoryQuery, MemoryReply,
    Origin, PairMemory, PlanMemory, Polarity, Potentials, RecallReason, SopRecord, Space, TagPair, ToolName,
};

use super::{call_id, megram_id, time};

fn space() -> Space {
    Space::intent("Count the .txt files in docs")
}

pub(super) fn query() -> MemoryQuery {
    MemoryQuery {
        pairs: vec![TagPair::new(space(), Entity::local())],
        like: Some("Count the .txt files in docs".to_owned()),
    }
}

pub(super) fn reply() -> MemoryReply {
    let pair = TagPair::new(space(), Entity::local());
    let rule = |number, content: &str, polarity, sources| SopRecord {
        id: megram_id(number),
        space: space(),
        entity: Entity::local(),
        content: content.to_owned(),
        polarity,
        sources,
    };
    let asked = PairMemory {
        pair,
        reason: RecallReason::Asked,
        sops: vec![
            rule(
                9,
                "Prefer this: glob with **/*.txt, then shell: wc -c",
                Polarity::Practice,
                vec![megram_id(1), megram_id(2)],
            ),
            rule(
                10,
                "Do not do this: count with ls -R | wc -l, it counts folders",
                Polarity::Constraint,
                vec![megram_id(3)],
            ),
        ],
        potentials: Potentials { attention: 2.6, decision: 0.75, action: MemoryAction::Exploit },
        experiences: vec![],
    };
    let similar = PairMemory {
        pair: TagPair::new(Space::tool(&ToolName::new("shell")), Entity::path("wc -c docs/*.txt")),
        reason: RecallReason::Similar { score: 0.62, shared: vec![".txt".to_owned(), "docs".to_owned()] },
        sops: vec![],
        potentials: Potentials { attention: 0.85, decision: -0.85, action: MemoryAction::Avoid },
        experiences: vec![Experience {
            id: megram_id(4),
            created_at: time("2026-03-14T09:27:03+08:00"),
            origin: Some(Origin::Person),
            state: MegramState::ChangeApproach,
            content: "wc -c docs/*.txt: no such file; the files lie in docs/2025".to_owned(),
            strength: 0.85,
            sigma: -1.0,
        }],
    };
    let law = Law { id: megram_id(11), content: "Never touch ~/taxes".to_owned() };
    MemoryReply { recalled: vec![asked, similar], laws: vec![law] }
}

pub(super) fn briefing() -> Briefing {
    let MemoryReply { recalled, laws } = reply();
    let rules = recalled.iter().flat_map(|pair| pair.sops.iter().cloned().map(Lesson::Rule));
    let experiences =
        recalled.iter().flat_map(|pair| pair.experiences.iter().cloned().map(Lesson::Experience));
    Briefing {
        request: "Count the .txt files in docs and name the largest".to_owned(),
        laws,
        lessons: rules.take(1).chain(experiences.take(1)).collect(),
    }
}

pub(super) fn of_plan() -> PlanMemory {
    PlanMemory { used: vec![megram_id(9), megram_id(11)], ignored: vec![megram_id(10)] }
}

fn call() -> BlockedTarget {
    BlockedTarget { tool: ToolName::new("shell"), target: "wc -c docs/*.txt".to_owned() }
}

pub(super) fn guard_query() -> GuardQuery {
    let pairs = TagPair::about_call("Count the .txt files in docs", &call(), "/home/ada/work".as_ref());
    GuardQuery { call_id: call_id(5), call: call(), pairs }
}

pub(super) fn guard_reply() -> GuardReply {
    GuardReply {
        call_id: call_id(5),
        guard: Some(MemoryGuard {
            target: call(),
            action: GuardAction::Refuse,
            potentials: Potentials { attention: 0.85, decision: -0.85, action: MemoryAction::Avoid },
            by_rule: false,
            because: vec![megram_id(4)],
            lesson: "wc -c docs/*.txt: no such file; the files lie in docs/2025".to_owned(),
        }),
    }
}

pub(super) fn dream() -> DreamReport {
    DreamReport {
        demoted: vec![megram_id(9)],
        promoted: vec![megram_id(12)],
        forgotten: vec![megram_id(13), megram_id(14)],
        examined: 3,
        corrected: 0,
    }
}

pub(super) fn write() -> MegramWrite {
    MegramWrite {
        megram: Megram {
            id: megram_id(4),
            level: Level::M,
            created_at: time("2026-03-14T09:27:03+08:00"),
            last_recalled_at: Some(time("2026-03-14T09:27:04+08:00")),
            space: Space::tool(&ToolName::new("shell")),
            entity: Entity::path("wc -c docs/*.txt"),
            content: "wc -c docs/*.txt: no such file; the files lie in docs/2025".to_owned(),
            state: MegramState::ChangeApproach,
            f: 0.85,
            sigma: -1.0,
            k: 0.05,
            origin: Some(Origin::Dreamer),
        },
    }
}
