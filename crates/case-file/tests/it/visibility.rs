//! The table of who is shown what.

use artoo_case_file::visibility::{Fact, Form, Limit, Reader, Viewer, form, markdown};
use proptest::prelude::*;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/design/case-file.md");
/// The beginning of the section that holds the table, and of the text behind it.
const SECTION: (&str, &str) = ("<!-- table -->\n", "<!-- end of table -->");

#[test]
fn the_docs_print_the_table() {
    let page = std::fs::read_to_string(PAGE).unwrap();
    assert!(page.contains(&markdown()), "run the test `rewrite_the_table`");
}

/// Writes the table into the docs.
#[test]
#[ignore = "it writes docs/design/case-file.md"]
fn rewrite_the_table() {
    let page = std::fs::read_to_string(PAGE).unwrap();
    let (before, rest) = page.split_once(SECTION.0).unwrap();
    let (_, behind) = rest.split_once(SECTION.1).unwrap();
    std::fs::write(PAGE, format!("{before}{}{}{}{behind}", SECTION.0, markdown(), SECTION.1)).unwrap();
}

/// What a guided model is shown is never more than what a capable one is.
#[test]
fn a_guided_model_is_shown_no_more() {
    for viewer in Viewer::ALL {
        for fact in Fact::ALL {
            let (capable, guided) = (form(viewer, Reader::Capable, fact), form(viewer, Reader::Guided, fact));
            let is_less = guided.limit().characters < capable.limit().characters;
            assert!(guided == Form::Absent || guided == capable || is_less, "{viewer:?} {fact:?}");
        }
    }
}

/// Whoever decides about a result is shown what the user said, and all that the run did.
#[test]
fn deciders_are_shown_the_users_words() {
    for viewer in [Viewer::Planner, Viewer::StepJudge, Viewer::RequestJudge] {
        assert!(form(viewer, Reader::Capable, Fact::UserStatements).is_shown(), "{viewer:?}");
    }
    for viewer in [Viewer::Planner, Viewer::RequestJudge] {
        assert!(form(viewer, Reader::Capable, Fact::EarlierCalls).is_shown(), "{viewer:?}");
    }
}

proptest! {
    /// A cut text begins with its beginning, says how much is missing, and is bounded; a text within the limit
    /// is whole.
    #[test]
    fn a_cut_is_marked(text in "\\PC{0,120}", characters in 0usize..60) {
        let limit = Limit { items: 1, characters };
        let cut = limit.cut(&text);
        let all = text.chars().count();
        // A mark is never longer than what it hides.
        if all < characters + 32 {
            prop_assert_eq!(cut.as_ref(), text.as_str());
        } else {
            let beginning: String = text.chars().take(characters).collect();
            let mark = format!(" [... {} more characters ...]", all - characters);
            prop_assert_eq!(cut.as_ref(), format!("{beginning}{mark}"));
        }
    }

    #[test]
    fn the_newest_are_kept(count in 0usize..20, items in 0usize..25) {
        let all: Vec<usize> = (0..count).collect();
        let (left_out, kept) = Limit { items, characters: 0 }.newest(&all);
        prop_assert_eq!(left_out + kept.len(), count);
        prop_assert_eq!(kept.len(), count.min(items));
        prop_assert_eq!(kept.last(), all.last().filter(|_| items > 0));
    }
}
