use artoo_types::{
    Entity, Level, Megram, MegramState, MegramWrite, MemoryAction, MemoryQuery, MemoryReply, Polarity,
    Potentials, SopRecord, Space, ToolName,
};

use super::{megram_id, time};

fn space() -> Space {
    Space::intent("Count the .txt files in docs")
}

pub(super) fn query() -> MemoryQuery {
    MemoryQuery { space: space(), entity: Entity::local() }
}

pub(super) fn reply() -> MemoryReply {
    MemoryReply {
        space: space(),
        entity: Entity::local(),
        sops: vec![
            SopRecord {
                id: megram_id(9),
                space: space(),
                entity: Entity::local(),
                content: "Prefer this: glob with **/*.txt, then shell: wc -c".to_owned(),
                polarity: Polarity::Practice,
                sources: vec![megram_id(1), megram_id(2)],
            },
            SopRecord {
                id: megram_id(10),
                space: space(),
                entity: Entity::local(),
                content: "Do not do this: count with ls -R | wc -l, it counts folders".to_owned(),
                polarity: Polarity::Constraint,
                sources: vec![megram_id(3)],
            },
        ],
        potentials: Potentials { attention: 2.6, decision: 0.75, action: MemoryAction::Exploit },
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
        },
    }
}
