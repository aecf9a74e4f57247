//! Checks a file as a table: its columns and its number of rows.

use std::{io, path::Path};

use crate::Filesystem;

/// The maximum number of bytes of a table that are read.
const MAX_TABLE: u64 = 64 * 1024 * 1024;
/// Possible field separators. Half of Europe uses semicolons, because its numbers have commas.
const SEPARATORS: [u8; 3] = [b',', b';', b'\t'];
/// The maximum number of column names reported.
const COLUMNS_TOLD: usize = 40;

/// The expected properties of a table. An empty list of columns expects nothing of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Expected<'a> {
    pub(crate) columns: &'a [String],
    pub(crate) min_rows: Option<u64>,
    pub(crate) max_rows: Option<u64>,
}

/// Whether a file is a table with the expected properties, and a description of it. Its rows have as many
/// fields as its header; the separator is the one that gives the header the most fields.
///
/// # Errors
/// The file cannot be read, or is too large (`FileTooLarge`).
pub(crate) fn has(
    path: &Path,
    expected: Expected<'_>,
    world: &Filesystem,
) -> Result<(bool, String), io::Error> {
    let bytes = world.read(path, MAX_TABLE)?;
    let Some((separator, columns)) = widest(&bytes) else {
        return Ok((false, "has no header row".to_owned()));
    };
    let rows = match rows(&bytes, separator) {
        Ok(rows) => rows,
        Err(error) => return Ok((false, format!("is no table: {error}"))),
    };
    let met = (expected.columns.is_empty() || expected.columns == columns)
        && expected.min_rows.is_none_or(|min| rows >= min)
        && expected.max_rows.is_none_or(|max| rows <= max);
    let told: Vec<&str> = columns.iter().map(String::as_str).take(COLUMNS_TOLD).collect();
    let more = columns.len().saturating_sub(told.len());
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    Ok((met, format!("has {rows} rows and the columns {told:?}{more}")))
}

/// The separator of a table, the names of its columns, and its rows; `None` if it has fewer than two columns, no row, or a
/// row with another number of fields.
/// ```
/// use artoo_checks::table;
/// let (separator, columns, rows) = table(b"name;n\n\"Ada; Bo\";1\n").unwrap();
/// assert_eq!((separator, columns.join("|"), rows), (';', "name|n".to_owned(), vec![vec!["Ada; Bo".to_owned(), "1".to_owned()]]));
/// assert_eq!(table(b"Dear Ada, hello\nI left.\n"), None);
/// ```
pub fn table(bytes: &[u8]) -> Option<(char, Vec<String>, Vec<Vec<String>>)> {
    let (separator, columns) = widest(bytes)?;
    let rows: Vec<csv::ByteRecord> =
        reader(bytes, separator).byte_records().collect::<Result<_, _>>().ok()?;
    let texts =
        |row: &csv::ByteRecord| row.iter().map(|cell| String::from_utf8_lossy(cell).into_owned()).collect();
    (columns.len() > 1 && !rows.is_empty())
        .then(|| (char::from(separator), columns, rows.iter().map(texts).collect()))
}

/// The first separator that gives the header the most fields, with these.
fn widest(bytes: &[u8]) -> Option<(u8, Vec<String>)> {
    let header = |separator: u8| columns(bytes, separator).map(|columns| (separator, columns));
    SEPARATORS.into_iter().rev().filter_map(header).max_by_key(|(_, columns)| columns.len())
}

fn reader(bytes: &[u8], separator: u8) -> csv::Reader<&[u8]> {
    csv::ReaderBuilder::new().delimiter(separator).from_reader(bytes)
}

fn columns(bytes: &[u8], separator: u8) -> Option<Vec<String>> {
    let mut reader = reader(bytes, separator);
    let names = reader.byte_headers().ok()?.iter();
    let names: Vec<String> = names.map(|name| String::from_utf8_lossy(name).trim().to_owned()).collect();
    (!names.is_empty()).then_some(names)
}

fn rows(bytes: &[u8], separator: u8) -> Result<u64, csv::Error> {
    let (mut reader, mut row, mut rows) = (reader(bytes, separator), csv::ByteRecord::new(), 0);
    while reader.read_byte_record(&mut row)? {
        rows += 1;
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use proptest::prelude::*;

    use super::*;

    fn seen(content: &[u8], expected: Expected<'_>) -> Result<(bool, String), io::ErrorKind> {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("t.csv"), content).unwrap();
        let world = Filesystem::new(folder.path(), folder.path(), Default::default());
        has(Path::new("t.csv"), expected, &world).map_err(|error| error.kind())
    }

    const ANY: Expected<'_> = Expected { columns: &[], min_rows: None, max_rows: None };

    #[test]
    fn columns_are_compared_in_order_whatever_parts_them() {
        let names = ["nimi".to_owned(), "määrä".to_owned()];
        let expected = Expected { columns: &names, min_rows: Some(2), max_rows: Some(2) };
        let table = [
            ("nimi,määrä\na,1\nb,2\n", true),
            // The format of a Finnish spreadsheet.
            ("\u{feff}nimi;määrä\r\na;1,5\r\nb;2,5\r\n", true),
            ("nimi\tmäärä\na\t1\nb\t2", true),
            ("\"nimi\", määrä\n\"a\nb\",1\n\n\"c\"\"d\",2\n", true),
            ("määrä,nimi\n1,a\n2,b\n", false),
            ("nimi,määrä,x\na,1,\nb,2,\n", false),
            ("nimi,määrä\na,1\n", false),
            ("nimi,määrä\na,1\nb,2\nc,3\n", false),
            ("nimi,määrä\na,1\nb\n", false),
            ("", false),
        ];
        for (content, met) in table {
            let found = seen(content.as_bytes(), expected);
            assert_eq!(found.as_ref().map(|(met, _)| *met), Ok(met), "{content:?}: {found:?}");
        }
    }

    #[test]
    fn what_it_has_is_told() {
        let told = |content: &str| seen(content.as_bytes(), ANY).unwrap();
        assert_eq!(told("a,b\n1,2\n"), (true, r#"has 1 rows and the columns ["a", "b"]"#.to_owned()));
        assert_eq!(told("\n"), (false, "has no header row".to_owned()));
        let (met, words) = told("a,b\n1,2\n1,2,3\n");
        assert!(!met && words.contains("line: 3") && words.contains("3 fields"), "{words}");
        let (_, words) = told(&"c,".repeat(99));
        assert!(words.ends_with("and 60 more"), "{words}");
    }

    #[test]
    fn a_file_of_two_gigabytes_is_said_to_be_too_large() {
        let folder = tempfile::tempdir().unwrap();
        fs::File::create(folder.path().join("t.csv")).unwrap().set_len(2 << 30).unwrap();
        let world = Filesystem::new(folder.path(), folder.path(), Default::default());
        let error = has(Path::new("t.csv"), ANY, &world).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
        assert!(error.to_string().contains("2147483648 bytes"), "{error}");
    }

    proptest! {
        #[test]
        fn any_bytes_are_a_table_or_not(
            content in prop::collection::vec(prop_oneof![any::<u8>(), prop::sample::select(&b",;\t\"\r\n"[..])], 0..200),
        ) {
            prop_assert!(seen(&content, ANY).is_ok());
        }

        /// The output of a CSV writer is read back unchanged.
        #[test]
        fn what_was_written_is_read(
            names in prop::collection::vec("[a-zåäö \",\n]{1,6}x", 2..6), rows in 0u64..5,
        ) {
            let mut writer = csv::Writer::from_writer(Vec::new());
            writer.write_record(&names).unwrap();
            (0..rows).for_each(|_| writer.write_record(&names).unwrap());
            let names: Vec<String> = names.iter().map(|name| name.trim().to_owned()).collect();
            let expected = Expected { columns: &names, min_rows: Some(rows), max_rows: Some(rows) };
            let (met, words) = seen(&writer.into_inner().unwrap(), expected).unwrap();
            prop_assert!(met, "{}", words);
        }
    }
}
