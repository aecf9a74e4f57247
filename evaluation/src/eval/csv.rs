//! Tables as a grader reads them: records of any length, with any ASCII separator.

/// The records of a CSV text.
pub(crate) fn records(text: &str, separator: char) -> Vec<Vec<String>> {
    let separator = u8::try_from(separator).unwrap_or(b',');
    let mut reader = ::csv::ReaderBuilder::new();
    let reader = reader.has_headers(false).flexible(true).delimiter(separator).from_reader(text.as_bytes());
    // Text in memory is valid UTF-8 and has no length that is wrong, so there is nothing to fail.
    let records = reader.into_records().map_while(Result::ok);
    records.map(|record| record.iter().map(str::to_owned).collect()).collect()
}

/// What stands in a column, below its heading; `None` where there is no such column or a record is too short.
fn column(text: &str, separator: char, heading: &str) -> Option<Vec<String>> {
    let records = records(text, separator);
    let (headings, rows) = records.split_first()?;
    let index = headings.iter().position(|name| name.trim() == heading)?;
    rows.iter().map(|row| row.get(index).map(|value| value.trim().to_owned())).collect()
}

/// A column of numbers; `None` where there is no such column or a value is no number.
pub(crate) fn numbers(text: &str, separator: char, heading: &str) -> Option<Vec<f64>> {
    column(text, separator, heading)?.iter().map(|value| value.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_hold_commas_quotes_and_lines() {
        let text = "a,b\n\"1,5\",\"say \"\"x\"\"\"\r\n\"two\nlines\",2";
        assert_eq!(records(text, ','), [vec!["a", "b"], vec!["1,5", "say \"x\""], vec!["two\nlines", "2"]]);
    }

    #[test]
    fn a_column_is_read() {
        assert_eq!(numbers("n,x\n\"a,b\",0.1\nc,0.2\n", ',', "x"), Some(vec![0.1, 0.2]));
        assert_eq!(numbers("n,x\nc,one\n", ',', "x"), None);
        assert_eq!(numbers("n,x\nc\n", ',', "x"), None);
        assert_eq!(column("n,x\nc,1\n", ',', "y"), None);
        assert_eq!(column("n,x\n\"a,b\",1\n", ',', "n"), Some(vec!["a,b".to_owned()]));
        assert_eq!(numbers("n|x\na,b|1\n", '|', "x"), Some(vec![1.0]));
    }
}
