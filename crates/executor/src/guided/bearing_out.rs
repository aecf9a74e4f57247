//! Whether an output bears out another one that is not the same.

use artoo_types::Rehearsed;

use super::compared::{Compared, said, stands_in};
use super::majority::{Came, Candidate, Goal, Worth, failed, worth};

/// From how many letters on a word is taken for a name, which does not stand somewhere by chance.
const SHORTEST_NAME: usize = 4;

/// Whether a command that says more in its lines says this, too: each line stands within one of as many, on the files
/// as they are and where lines are doubled. One prints a name, and another "Largest file: " before it. More lines are
/// another list, or an answer to more questions, unless they hold the same words: a list may stand on one line. A short word that is the same in both worlds may stand there by chance.
pub(super) fn bears_out(more: &Candidate, less: &Candidate, goal: Goal) -> bool {
    let all = Compared::All;
    let depends = |one: &Candidate| worth(&one.came, goal) == Worth::Depends;
    if goal == Goal::Change || !depends(more) || !depends(less) || failed(&more.came.as_is) {
        return false;
    }
    let (Some(less_doubled), Some(more_doubled)) = (&less.came.doubled, &more.came.doubled) else {
        return false;
    };
    let (own, doubled) = (said(&less.came.as_is, all), said(less_doubled, all));
    let is_telling = own != doubled || own.iter().any(|line| line.chars().count() >= SHORTEST_NAME);
    let (other, other_doubled) = (said(&more.came.as_is, all), said(more_doubled, all));
    let is_within = |less: &[String], more: &[String]| {
        (less.len() == more.len() && stands_in(less, more)) || all_words(less) == all_words(more)
    };
    is_telling && own != other && is_within(&own, &other) && is_within(&doubled, &other_doubled)
}

/// The words of all lines, sorted.
fn all_words(lines: &[String]) -> Vec<&str> {
    let mut words: Vec<&str> = lines.iter().flat_map(|line| line.split(' ')).collect();
    words.sort_unstable();
    words
}

/// Whether one of them lists as many lines as the other one says, in each world: one prints the names, and another counts them.
pub(super) fn is_number_of(one: &Came, other: &Came, goal: Goal) -> bool {
    // What is asked of processes is about no file.
    let depends = |came: &Came| match worth(came, goal) {
        Worth::Depends => true,
        Worth::Unknown => came.hidden.is_none() && came.doubled.is_none(),
        Worth::Independent | Worth::Failed | Worth::Ignores => false,
    };
    let counts = |list: &Rehearsed, number: &Rehearsed| {
        let (list, number) = (said(list, Compared::All), said(number, Compared::All));
        list.len() >= 2 && number == [list.len().to_string()]
    };
    let in_each = |list: &Came, number: &Came| {
        let doubled = match (&list.doubled, &number.doubled) {
            (Some(list), Some(number)) => counts(list, number),
            (None, None) => true,
            (Some(_), None) | (None, Some(_)) => false,
        };
        counts(&list.as_is, &number.as_is) && doubled
    };
    goal == Goal::Answer && depends(one) && depends(other) && (in_each(one, other) || in_each(other, one))
}

#[cfg(test)]
mod tests {
    use crate::guided::majority::tests::{candidate, complaint, samples};
    use crate::guided::majority::{Winner, winner};

    use super::*;

    /// How two commands that put these out, as it is and with lines doubled, agree.
    fn of(less: (&str, &str), more: (&str, &str)) -> (u32, u32, bool) {
        let gone = || complaint("", "no", 1);
        let all = [
            candidate(0, "find docs", less.0, gone(), less.1),
            candidate(1, "python3 -c 'tell()'", more.0, gone(), more.1),
        ];
        let winner = winner(&all, 2, Goal::Answer).unwrap();
        (winner.sample, winner.samples.agreed, winner.samples.ways >= 2)
    }

    /// Observed with the embedded model: one prints the bare name, and another says what it is.
    #[test]
    fn lesson_what_says_more_in_a_line_bears_out_what_it_says_too() {
        let told = ("Number of files in 3 folders: 9", "Number of files in 3 folders: 10");
        assert_eq!(of(("9", "10"), told), (0, 2, true));
        let named = ("Largest of 7: plan.md", "Largest of 8: plan.md");
        assert_eq!(of(("plan.md", "plan.md"), named), (0, 2, true));
        // By chance, in one world alone, or as a part of a word.
        assert_eq!(of(("9", "9"), ("9 of 10", "9 of 11")), (0, 1, false));
        assert_eq!(of(("9", "11"), told), (0, 1, false));
        assert_eq!(of(("plan", "plan"), named), (0, 1, false));
    }

    /// Observed with the embedded model: a program that forgot the condition listed all files, and a search that kept
    /// half of it some of them; and one answers one of two questions, and another both.
    #[test]
    fn lesson_a_longer_list_bears_out_nothing_of_it() {
        let (some, all) = ("one.txt\ntwo.txt", "a.pdf\none.txt\ntwo.txt");
        assert_eq!(of((some, some), (all, all)), (0, 1, false));
        let both = ("Files: 9\nLargest: plan.md", "Files: 10\nLargest: plan.md");
        assert_eq!(of(("9", "10"), both), (0, 1, false));
    }

    /// Observed with the embedded model: a search lists what is in an archive, and a program counts it.
    #[test]
    fn lesson_a_list_bears_out_its_number_where_one_of_them_is_said_twice() {
        let gone = || complaint("", "no", 1);
        let list = candidate(0, "tar -tf a.tar", "x.jpg\ny.jpg", gone(), "x.jpg\ny.jpg\nz.jpg");
        let number = |sample, doubled| candidate(sample, "python3 -c 'count()'", "2", gone(), doubled);
        let once = [list.clone(), number(1, "3")];
        assert_eq!(
            winner(&once, 2, Goal::Answer).unwrap().samples.ways,
            1,
            "nobody knows which is asked for"
        );
        let twice = [list.clone(), number(1, "3"), number(2, "3")];
        let settled = Winner { sample: 1, samples: samples(3, 3, 2, Some(true)) };
        assert_eq!(winner(&twice, 3, Goal::Answer), Some(settled));
        let by_chance = [list.clone(), number(1, "2"), number(2, "2")];
        assert_eq!(winner(&by_chance, 3, Goal::Answer).unwrap().samples.ways, 1);
        // Of processes nothing is hidden or doubled.
        let alone =
            |one: Candidate| Candidate { came: Came { hidden: None, doubled: None, ..one.came }, ..one };
        let processes = [list, number(1, "3"), number(2, "3")].map(alone);
        let samples = winner(&processes, 3, Goal::Answer).unwrap().samples;
        assert_eq!((samples.agreed, samples.ways, samples.depends), (3, 2, None));
    }
}
