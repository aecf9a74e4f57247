//! Whether a command that finds nothing has looked for it.
//!
//! Most mistakes find nothing, too: a wrong name, a filter that takes nothing. A command that looks for words of the
//! request finds something as soon as they stand in what it reads. So they are planted there, and it is tried again.

use artoo_types::Rehearsed;

use super::compared::{Compared, Without, said, without_subject};
use super::majority::{Came, failed, is_nothing};

/// The fewest characters of a word that is planted.
const SHORTEST: usize = 2;

/// A line of the words that stand in the request and in the command alike, outside of the names; `None` without such a
/// word.
pub(super) fn looked_for(request: &str, names: &[String], command: &str) -> Option<String> {
    let named: Vec<&str> = names.iter().flat_map(|name| words(name)).collect();
    let mut found: Vec<&str> = Vec::new();
    let in_command: Vec<&str> = words(command).collect();
    for word in words(request).filter(|word| word.chars().count() >= SHORTEST) {
        if in_command.contains(&word) && !named.contains(&word) && !found.contains(&word) {
            found.push(word);
        }
    }
    (!found.is_empty()).then(|| found.join(" "))
}

/// Whether it may have found nothing: it says so in figures, or the same where there is nothing to be read.
pub(super) fn may_be_nothing(came: &Came) -> bool {
    let is_same = |hidden: &Rehearsed| {
        without_subject(hidden, Compared::All) == Without::Says(said(&came.as_is, Compared::All))
    };
    !failed(&came.as_is)
        && came.as_is.changes.is_none()
        && (is_nothing(&came.as_is) || came.hidden.as_ref().is_some_and(is_same))
}

/// Whether it looked, and found nothing: it says something else where what it looks for is planted.
pub(super) fn finds_nothing(came: &Came) -> bool {
    let differs = |planted: &Rehearsed| {
        !failed(planted) && said(planted, Compared::All) != said(&came.as_is, Compared::All)
    };
    may_be_nothing(came) && came.planted.as_ref().is_some_and(differs)
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::guided::majority::tests::{candidate, complaint, samples};
    use crate::guided::majority::{Candidate, Goal, Winner, winner};

    use super::*;

    #[test]
    fn what_stands_in_both_is_looked_for() {
        let names = ["notes dir".to_owned()];
        let of = |request: &str, command: &str| looked_for(request, &names, command);
        assert_eq!(
            of("Mainitaanko notes dir tiedostoissa sana kaneli?", "grep -rw 'kaneli' 'notes dir'"),
            Some("kaneli".to_owned())
        );
        assert_eq!(
            of("notes dir 里提到“kaneli”了吗", "grep -r kaneli \"notes dir\""),
            Some("kaneli".to_owned())
        );
        assert_eq!(of("Is Kaneli in notes dir?", "ls 'notes dir' | grep kanel"), None);
    }

    /// With a line planted that it finds, or not.
    fn with(one: Candidate, planted: &str) -> Candidate {
        let planted = Some(complaint(planted, "", 0));
        Candidate { came: Came { planted, ..one.came }, ..one }
    }

    /// Observed with the embedded model: one says 0, another one No, and both are right.
    #[test]
    fn lesson_two_that_looked_and_found_nothing_bear_each_other_out() {
        let gone = || complaint("0", "No such file or directory", 0);
        let search = || candidate(0, "grep -rw kaneli docs | wc -l", "0", gone(), "0");
        let program = || candidate(1, "python3 -c 'look()'", "No", complaint("No", "", 0), "No");
        let of = |all: [Candidate; 2]| winner(&all, 2, Goal::Answer).unwrap();
        let settled = Winner { sample: 1, samples: samples(2, 2, 2, Some(true)) };
        assert_eq!(of([with(search(), "1"), with(program(), "Yes")]), settled);
        for (one, other) in [("0", "Yes"), ("1", "No"), ("0", "No")] {
            let found = of([with(search(), one), with(program(), other)]);
            assert_eq!(found.samples.ways, 1, "{one}, {other}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read(request in any::<String>(), name in any::<String>(), command in any::<String>()) {
            if let Some(line) = looked_for(&request, &[name], &command) {
                prop_assert!(!line.contains(['\n', '\r']));
            }
        }
    }
}
