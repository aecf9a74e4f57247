//! What commands looked for alike and did not find.
//!
//! A weak model writes a command for what is not there as it does for anything else. Its programs then end in the same
//! exception, and the one command that does not says 0, or adds up another column. So what most of them died of is a
//! fact about the world, where the request itself names it and it stands nowhere in what the request is about.

use artoo_checks::MissingName;

use super::compared::text;
use super::majority::{Candidate, failed};

/// The fewest characters of a name.
const SHORTEST: usize = 2;

/// What at least half of the commands asked for, and more than one, did not find, if the request names it; and the first of
/// them.
pub(crate) fn missing<'a>(
    request: &str,
    candidates: &'a [Candidate],
    asked: u32,
) -> Option<(MissingName, &'a Candidate)> {
    let complaint = |one: &Candidate| {
        let came = &one.came.as_is;
        failed(came).then(|| MissingName::of(&text(&came.stderr)))?
    };
    let complaints: Vec<(MissingName, &Candidate)> =
        candidates.iter().filter_map(|one| Some((complaint(one)?, one))).collect();
    let half = usize::try_from(asked.div_ceil(2)).unwrap_or(usize::MAX).max(2);
    let is_shared = |(missing, _): &&(MissingName, &Candidate)| {
        request.contains(missing.name())
            && missing.name().chars().count() >= SHORTEST
            && complaints.iter().filter(|(other, _)| other == missing).count() >= half
    };
    complaints.iter().find(is_shared).cloned()
}

#[cfg(test)]
mod tests {
    use crate::guided::majority::tests::{candidate, complaint as complains};

    use super::*;

    fn died(sample: u32, stderr: &str) -> Candidate {
        let mut one = candidate(sample, "python3 -c 'x'", "", complains("", "", 0), "");
        one.came.as_is = complains("", stderr, 1);
        one
    }

    fn found(request: &str, said: &[&str], asked: u32) -> Option<MissingName> {
        let all: Vec<Candidate> = (0..).zip(said).map(|(sample, said)| died(sample, said)).collect();
        missing(request, &all, asked).map(|(missing, _)| missing)
    }

    /// Observed with the embedded model in every language: three programs die of the same exception, and awk says 0.
    #[test]
    fn lesson_a_column_that_is_not_there_has_no_sum() {
        let died = "Traceback (most recent call last):\n  File \"<string>\", line 10\nKeyError: 'discount'\n";
        for request in [
            "wat is het totaal van de kolom discount in 资料/stock.csv?",
            "stock.csv 的 discount 列合计是多少?",
        ] {
            let column = Some(MissingName::Key("discount".to_owned()));
            assert_eq!(found(request, &[died, died, died], 4), column, "{request}");
            assert_eq!(found(request, &[died, died], 4), column);
            assert_eq!(found(request, &[died], 1), None, "one alone may be wrong");
            assert_eq!(found(request, &[died, died], 6), None);
            assert_eq!(found(request, &[died, "KeyError: 'Discount'"], 4), None);
        }
        assert_eq!(found("How much is the rebate?", &[died, died, died], 4), None, "nobody named it");
    }
}
