//! An artoo that is killed while it writes to its index.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;

use artoo_memory_store::index::{Entry, IndexError};

use crate::index_fixtures::{Truth, Wrong, id, megram, open, place, position};

const ROUNDS: u64 = 10;

/// Some new, one forgotten.
fn batch(seq: u64) -> Vec<Entry> {
    let new = (seq * 10..seq * 10 + 10).map(|number| Entry::Live(megram(number)));
    new.chain([Entry::Forgotten(id(seq * 7))]).collect()
}

#[tokio::test]
async fn what_was_acknowledged_outlives_kill_9() {
    let place = place();
    let mut truth = Truth::default();
    let mut known = 0;
    for round in 1..=ROUNDS {
        #[expect(clippy::disallowed_methods, reason = "an artoo that can be killed")]
        let mut artoo = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--ignored", "--exact", "index_kill::artoo_to_be_killed", "--nocapture"])
            .current_dir(place.path())
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let said = BufReader::new(artoo.stdout.take().unwrap());
        let numbers =
            said.lines().map_while(Result::ok).filter_map(|line| line.strip_prefix("seq ")?.parse().ok());
        let mut acknowledged = 0;
        // It is somewhere in one of the following batches.
        for seq in numbers.take(3 + round as usize) {
            acknowledged = seq;
        }
        assert!(acknowledged > known, "it wrote");
        artoo.kill().unwrap();
        artoo.wait().unwrap();

        let index = open(&place.path().join("index")).await.unwrap();
        let told = index.position().await.unwrap().unwrap().seq;
        assert!(told >= acknowledged, "{acknowledged} were acknowledged, and {told} are there");
        for seq in known + 1..=told {
            truth.take(&batch(seq));
        }
        known = told;
        // The current batch is there or not, and it is complete.
        match truth.is_told_by(&index).await {
            Ok(()) => {}
            Err(Wrong::Error(IndexError::Failed { because })) => panic!("{because}"),
            Err(wrong) => panic!("{wrong:?}"),
        }
        index.close().await;
    }
}

/// Writes until it is killed, and prints each acknowledged position.
#[tokio::test]
#[ignore = "runs inside what_was_acknowledged_outlives_kill_9"]
async fn artoo_to_be_killed() {
    let index = open(Path::new("index")).await.unwrap();
    let mut seq = index.position().await.unwrap().map_or(0, |position| position.seq);
    loop {
        seq += 1;
        index.project(batch(seq), position(seq)).await.unwrap();
        println!("seq {seq}");
        std::io::stdout().flush().unwrap();
    }
}
