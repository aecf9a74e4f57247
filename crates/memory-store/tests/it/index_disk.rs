//! A disk that fails at any call, a full disk, and power cuts: acknowledged writes are in the index, or the
//! index is known to be unusable.

use std::path::Path;
use std::sync::Arc;

use artoo_memory_store::index::{Entry, Index, IndexError};
use proptest::prelude::*;

use crate::faulty_disk::{Fault, FaultyDisk};
use crate::index_fixtures::{Truth, Wrong, id, megram, position};

const FOLDER: &str = "/nowhere/index";
/// Each session leaves a table; after the fourth they are compacted.
const SESSIONS: u64 = 5;
const BATCHES: u64 = 2;

fn disk() -> FaultyDisk {
    FaultyDisk::new(Path::new("/nowhere"))
}

async fn open(disk: &FaultyDisk) -> Result<Index, IndexError> {
    Index::open(Path::new(FOLDER), Arc::new(disk.clone())).await
}

/// The writes up to a position: some new, some earlier ones forgotten.
fn batch(seq: u64) -> Vec<Entry> {
    let new = (seq * 3..seq * 3 + 3).map(|number| Entry::Live(megram(number)));
    let gone = seq.is_multiple_of(3).then(|| Entry::Forgotten(id(seq)));
    new.chain(gone).collect()
}

/// Writes what is missing up to a position, like a store that knows the state.
async fn bring_up(index: &Index, to: u64, told: &mut u64) -> Result<(), IndexError> {
    while *told < to {
        index.project(batch(*told + 1), position(*told + 1)).await?;
        *told += 1;
    }
    Ok(())
}

fn truth(to: u64) -> Truth {
    let mut truth = Truth::default();
    for seq in 1..=to {
        truth.take(&batch(seq));
    }
    truth
}

async fn told(index: &Index) -> Result<u64, IndexError> {
    Ok(index.position().await?.map_or(0, |position| position.seq))
}

/// Several sessions, up to the first error. Returns the acknowledged position.
async fn live(disk: &FaultyDisk, acknowledged: &mut u64) -> Result<(), IndexError> {
    for session in 1..=SESSIONS {
        let index = open(disk).await?;
        let mut at = told(&index).await?;
        assert!(at >= *acknowledged, "{acknowledged} were acknowledged, and {at} are there");
        while at < session * BATCHES {
            let result = bring_up(&index, at + 1, &mut at).await;
            if result.is_err() {
                assert!(
                    matches!(index.position().await, Err(IndexError::Failed { .. })),
                    "it says so from then on"
                );
                index.close().await;
                return result;
            }
            *acknowledged = at;
        }
        if session == SESSIONS - 1 {
            index.compact().await?;
        }
        index.close().await;
    }
    Ok(())
}

/// Opens the remains, and updates them. An error is accepted if it leads to a rebuild; a wrong answer is not.
async fn holds(disk: &FaultyDisk, acknowledged: u64) -> Result<(), IndexError> {
    let index = open(disk).await?;
    let mut at = told(&index).await?;
    assert!(at >= acknowledged, "{acknowledged} were acknowledged, and {at} are there");
    bring_up(&index, SESSIONS * BATCHES, &mut at).await?;
    match truth(at).is_told_by(&index).await {
        Ok(()) => {}
        Err(Wrong::Error(error)) => return Err(error),
        Err(wrong) => panic!("{wrong:?}"),
    }
    index.close().await;
    Ok(())
}

#[tokio::test]
async fn any_call_may_fail() {
    let untroubled = disk();
    live(&untroubled, &mut 0).await.unwrap();
    holds(&untroubled, SESSIONS * BATCHES).await.unwrap();
    let calls = untroubled.calls();
    let (mut failed, mut good, mut rebuilt) = (0, 0, 0);
    for (number, fault) in [Fault::Nothing, Fault::Short(40), Fault::DoneAllTheSame].into_iter().enumerate() {
        for at in (number as u64..calls).step_by(3) {
            let disk = disk();
            disk.fail_after(at, fault);
            let mut acknowledged = 0;
            if live(&disk, &mut acknowledged).await.is_err() {
                failed += 1;
            }
            disk.heal();
            match holds(&disk, acknowledged).await {
                Ok(()) => good += 1,
                Err(error) => {
                    assert!(error.wants_rebuild(), "{at} {fault:?}: {error}");
                    rebuilt += 1;
                }
            }
        }
    }
    println!(
        "{calls} calls: {failed} lives failed; afterwards {good} indexes were good, {rebuilt} to be rebuilt"
    );
    assert!(failed > calls / 2 && good > rebuilt);
}

#[tokio::test]
async fn a_full_disk_stops_writing_and_nothing_else() {
    let disk = disk();
    let index = open(&disk).await.unwrap();
    let mut at = 0;
    bring_up(&index, 3, &mut at).await.unwrap();
    disk.set_free(63 << 20);
    for refused in [index.project(batch(4), position(4)).await, index.compact().await] {
        let error = refused.unwrap_err();
        assert!(matches!(error, IndexError::Full { free: 66_060_288, .. }), "{error}");
        assert!(!error.wants_rebuild());
    }
    truth(3).is_told_by(&index).await.unwrap();
    disk.set_free(1 << 30);
    bring_up(&index, 9, &mut at).await.unwrap();
    truth(9).is_told_by(&index).await.unwrap();
    index.close().await;
}

#[tokio::test]
async fn where_nothing_can_be_written_it_is_not_opened() {
    let disk = disk();
    live(&disk, &mut 0).await.unwrap();
    disk.read_only();
    let error = open(&disk).await.err().unwrap();
    assert!(matches!(error, IndexError::File { .. }), "{error}");
    let disk = crate::faulty_disk::FaultyDisk::new(Path::new("/nowhere"));
    disk.without_locks();
    let error = open(&disk).await.err().unwrap();
    assert!(matches!(error, IndexError::File { doing: "locked", .. }), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_power_cut_takes_nothing_that_was_acknowledged(
        cuts in proptest::collection::vec((0_u64..400, any::<u64>()), 1..4),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let disk = disk();
            let mut acknowledged = 0;
            for (calls, mut chance) in cuts {
                disk.fail_after(calls, Fault::Short(50));
                let lived = live(&disk, &mut acknowledged).await;
                disk.power_cut(|| {
                    chance = chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    chance >> 63 == 1
                });
                if lived.is_ok() {
                    break;
                }
            }
            if let Err(error) = holds(&disk, acknowledged).await {
                assert!(error.wants_rebuild(), "{error}");
            }
        });
    }
}
