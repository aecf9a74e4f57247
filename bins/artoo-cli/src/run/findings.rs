//! What the auditor finds out of order in this run, at its end.

use artoo_auditor::RunFindings;

/// Maximum number of findings shown; the others are counted.
const TOLD: usize = 5;

/// The first of them, and where the others are.
pub(super) fn told(findings: &mut RunFindings) -> Vec<String> {
    shortened(findings.sentences())
}

/// The first of some sentences, and where the others are.
pub(super) fn shortened(mut sentences: Vec<String>) -> Vec<String> {
    let more = sentences.len().saturating_sub(TOLD);
    sentences.truncate(TOLD);
    if more > 0 {
        sentences.push(format!("{more} more: artoo audit report"));
    }
    sentences
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_many_some_are_told_and_the_others_counted() {
        let told = shortened((0..8).map(|number| number.to_string()).collect());
        assert_eq!(told, ["0", "1", "2", "3", "4", "3 more: artoo audit report"]);
        assert_eq!(shortened(vec!["one".to_owned()]), ["one"]);
    }
}
