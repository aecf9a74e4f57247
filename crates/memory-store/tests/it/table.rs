use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use artoo_memory_store::disk::Disk as _;
use artoo_memory_store::journal::Position;
use artoo_memory_store::table::{Part, Table, TableError, Writer};
use proptest::prelude::*;

use crate::faulty_disk::{Fault, FaultyDisk};

type Rows = BTreeMap<Vec<u8>, Vec<u8>>;
type Found = Vec<(Vec<u8>, Vec<u8>)>;

const COVERS: Position = Position { seq: 77, chain: [5; 32] };

fn path() -> PathBuf {
    PathBuf::from("/snapshot/77.table")
}

fn folder() -> &'static Path {
    Path::new("/snapshot")
}

fn disk() -> FaultyDisk {
    FaultyDisk::new(folder())
}

/// A disk with a table of this content.
fn holding(content: &[u8]) -> FaultyDisk {
    let disk = disk();
    disk.create(&path()).unwrap().append(content).unwrap();
    disk
}

fn write(disk: &FaultyDisk, rows: &Rows) -> Result<[u8; 32], TableError> {
    let mut writer = Writer::create(disk, &path())?;
    for (key, value) in rows {
        writer.put(key, value)?;
    }
    writer.finish(COVERS)
}

fn table(rows: &Rows) -> (FaultyDisk, Table) {
    let disk = disk();
    let hash = write(&disk, rows).unwrap();
    let table = Table::open(&disk, &path()).unwrap();
    assert_eq!((table.hash(), table.covers(), table.rows()), (hash, COVERS, rows.len() as u64));
    (disk, table)
}

fn scan(table: &Table, prefix: &[u8], from: &[u8]) -> Result<Found, TableError> {
    table.scan(prefix, from).map(|row| row.map(|row| (row.key().to_vec(), row.value().to_vec()))).collect()
}

/// Enough rows for several index blocks.
fn many() -> Rows {
    let row =
        |n: u32| (n.wrapping_mul(2_654_435_761).to_be_bytes().to_vec(), vec![n as u8; 40 + n as usize % 900]);
    (0..3000).map(row).collect()
}

fn any_rows() -> impl Strategy<Value = Rows> {
    let key = proptest::collection::vec(0u8..4, 0..6);
    let value = prop_oneof![
        9 => proptest::collection::vec(any::<u8>(), 0..100),
        1 => (0usize..9000).prop_map(|bytes| vec![7; bytes])
    ];
    proptest::collection::btree_map(key, value, 0..100)
}

proptest! {
    #[test]
    fn what_is_written_is_read(rows in any_rows(), wanted in proptest::collection::vec(0u8..4, 0..6), from in proptest::collection::vec(0u8..4, 0..6)) {
        let (_, table) = table(&rows);
        prop_assert_eq!(table.get(&wanted).unwrap().map(|row| row.value().to_vec()), rows.get(&wanted).cloned());
        for key in rows.keys() {
            prop_assert_eq!(table.get(key).unwrap().map(|row| row.value().to_vec()), rows.get(key).cloned());
        }
        let expected: Vec<_> = rows
            .iter()
            .filter(|(key, _)| key.starts_with(&wanted) && **key >= from)
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect();
        prop_assert_eq!(scan(&table, &wanted, &from).unwrap(), expected);
        table.verify().unwrap();
    }

    #[test]
    fn no_bytes_make_a_table_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        prop_assert!(Table::open(&holding(&bytes), &path()).is_err());
    }
}

#[test]
fn every_flip_and_every_truncation_is_an_error_or_the_right_answer() {
    let rows: Rows = (0u16..40).map(|n| (n.to_be_bytes().to_vec(), vec![n as u8; 250])).collect();
    let (disk, _) = table(&rows);
    let content = disk.content(&path());
    let expected: Vec<_> = rows.into_iter().collect();
    let answer = |content: Vec<u8>| {
        let table = Table::open(&holding(&content), &path())?;
        let found = scan(&table, &[], &[])?;
        table.verify().map(|()| found)
    };
    assert_eq!(answer(content.clone()).unwrap(), expected);
    for at in 0..content.len() {
        let mut flipped = content.clone();
        flipped[at] ^= 0x41;
        assert!(answer(flipped).is_err(), "byte {at} of {}", content.len());
        assert!(answer(content[..at].to_vec()).is_err(), "cut at {at}");
    }
    assert!(answer([content.as_slice(), &[0]].concat()).is_err());
}

#[test]
fn a_flip_in_a_table_with_several_index_blocks_is_an_error_or_the_right_answer() {
    let rows = many();
    let (disk, _) = table(&rows);
    let content = disk.content(&path());
    let mut told = 0;
    for (number, (key, value)) in rows.iter().enumerate().step_by(5) {
        // Spread over the file, and many bytes of its last 600, where indices and footer are.
        let at = if number % 2 == 0 {
            content.len() * number / rows.len()
        } else {
            content.len() - 1 - number / 5
        };
        let mut flipped = content.clone();
        flipped[at] ^= 1 << (number % 8);
        disk.set_content(&path(), flipped);
        let found = Table::open(&disk, &path()).and_then(|table| table.get(key));
        match found {
            Ok(found) => assert_eq!(found.unwrap().value(), value),
            Err(_) => told += 1,
        }
    }
    assert!(told > 100, "{told}");
}

#[test]
fn a_damaged_block_is_named_and_the_others_are_read() {
    let rows = many();
    let (disk, _) = table(&rows);
    let mut content = disk.content(&path());
    content[100] ^= 1;
    let table = Table::open(&holding(&content), &path()).unwrap();
    let first = rows.keys().next().unwrap();
    let error = table.get(first).unwrap_err();
    assert!(matches!(error, TableError::Damaged { part: Part::Block, offset: 12, .. }), "{error}");
    assert!(error.to_string().contains("/snapshot/77.table"), "{error}");
    assert!(error.hint().is_some());
    let (last, value) = rows.iter().next_back().unwrap();
    assert_eq!(table.get(last).unwrap().unwrap().value(), value);
    // A scan reports it and ends.
    let mut all = table.scan(&[], &[]);
    assert!(all.next().unwrap().is_err());
    assert!(all.next().is_none());
}

#[test]
fn opening_and_looking_up_read_a_few_pieces_however_many_rows_there_are() {
    let reads = |rows: &Rows| {
        let (disk, _) = table(rows);
        let before = disk.calls();
        let table = Table::open(&disk, &path()).unwrap();
        table.get(rows.keys().next().unwrap()).unwrap().unwrap();
        disk.calls() - before
    };
    let few: Rows = many().into_iter().take(3).collect();
    assert!(reads(&many()) <= reads(&few) + 4, "{} {}", reads(&many()), reads(&few));
}

#[test]
fn rows_out_of_order_and_rows_that_are_too_large_are_refused() {
    let disk = disk();
    let mut writer = Writer::create(&disk, &path()).unwrap();
    writer.put(b"b", b"").unwrap();
    assert!(matches!(writer.put(b"a", b""), Err(TableError::OutOfOrder { .. })));
    assert!(matches!(writer.put(b"b", b""), Err(TableError::OutOfOrder { .. })));
    assert!(matches!(writer.put(&[b'c'; 2000], b""), Err(TableError::TooLarge { what: "key", .. })));
    let large = vec![0; (64 << 20) + 1];
    assert!(matches!(writer.put(b"c", &large), Err(TableError::TooLarge { what: "value", .. })));
    drop(writer);
    assert_eq!(disk.files(folder()), Vec::<PathBuf>::new(), "what is not finished is removed");
}

#[test]
fn a_newer_version_is_refused_with_a_hint_and_half_of_one_is_damage() {
    let (disk, _) = table(&many());
    let mut content = disk.content(&path());
    let end = content.len();
    content[end - 12] = 2;
    let error = Table::open(&holding(&content), &path()).unwrap_err();
    assert!(matches!(error, TableError::Damaged { part: Part::Footer, .. }), "{error}");
    content[8] = 2;
    let error = Table::open(&holding(&content), &path()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the snapshot /snapshot/77.table is of version 2, and this release knows 1"
    );
    assert_eq!(error.hint(), Some("update artoo, or give this release a folder of its own"));
}

#[test]
fn every_call_may_fail_and_the_power_with_it_and_the_table_before_stays() {
    let old: Rows = [(b"a".to_vec(), b"old".to_vec())].into();
    let new = many();
    let mut failed = 0;
    for call in 0.. {
        let (disk, _) = table(&old);
        disk.fail_after(call, if call % 2 == 0 { Fault::Short(50) } else { Fault::DoneAllTheSame });
        let done = write(&disk, &new);
        disk.heal();
        let table = Table::open(&disk, &path()).unwrap();
        table.verify().unwrap();
        let is_named = matches!(done, Err(TableError::Io { doing: "name" | "sync the folder of", .. }));
        assert!(done.is_ok() || table.rows() == 1 || is_named, "{done:?}");
        assert!(done.is_err() || table.rows() == 3000);
        let mut chance = call;
        disk.power_cut(|| {
            chance = chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            chance >> 63 == 0
        });
        let table = Table::open(&disk, &path()).unwrap();
        table.verify().unwrap();
        assert!([1, 3000].contains(&table.rows()));
        if done.is_ok() {
            assert_eq!(table.rows(), 3000);
            break;
        }
        failed += 1;
        // The remains of the failed one do no harm.
        write(&disk, &new).unwrap();
        assert_eq!(disk.files(folder()), [path()]);
    }
    assert!(failed > 5, "{failed}");
    assert!(matches!(Table::open(&disk(), &path()), Err(TableError::Io { .. })));
}
