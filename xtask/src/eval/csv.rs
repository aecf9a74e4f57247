//! As much CSV as a grader needs: quoted fields, doubled quotes, line ends inside quotes.

/// The records of a CSV text.
pub(super) fn records(text: &str) -> Vec<Vec<String>> {
    let mut records = Vec::new();
    let mut record = Vec::new();
    let mut field = String::new();
    let mut quoted = false;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => {
                chars.next();
                field.push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => record.push(std::mem::take(&mut field)),
            '\n' if !quoted => {
                record.push(std::mem::take(&mut field));
                records.push(std::mem::take(&mut record));
            }
            '\r' if !quoted => {}
            c => field.push(c),
        }
    }
    if !field.is_empty() || !record.is_empty() {
        record.push(field);
        records.push(record);
    }
    records
}

/// The sum of a column of numbers, below its heading; `None` where there is no such column or a value is no number.
pub(super) fn column_sum(text: &str, column: &str) -> Option<f64> {
    let records = records(text);
    let (heading, rows) = records.split_first()?;
    let index = heading.iter().position(|name| name.trim() == column)?;
    // In cents, because tenths do not add up exactly.
    rows.iter()
        .try_fold(0.0, |sum, row| Some(sum + row.get(index)?.trim().parse::<f64>().ok()? * 100.0))
        .map(|sum| sum.round() / 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_hold_commas_quotes_and_lines() {
        let text = "a,b\n\"1,5\",\"say \"\"x\"\"\"\r\n\"two\nlines\",2";
        assert_eq!(records(text), [vec!["a", "b"], vec!["1,5", "say \"x\""], vec!["two\nlines", "2"]]);
    }

    #[test]
    fn a_column_is_summed() {
        assert_eq!(column_sum("n,x\n\"a,b\",0.1\nc,0.2\n", "x"), Some(0.3));
        assert_eq!(column_sum("n,x\nc,one\n", "x"), None);
        assert_eq!(column_sum("n,x\nc,1\n", "y"), None);
    }
}
