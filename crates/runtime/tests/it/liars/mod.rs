//! Runs with claims of work that was not done: none may be accepted. Beside them honest runs of the same
//! shapes, which must be, so that refusing everything fails too.
//!
//! Each entry of a table is one run through the real bus, roles, tools and controller; only the model is
//! scripted. What only a model can judge is judged here by a model that reads what it is shown
//! ([`Judge::Sees`]); everywhere else the judge lies as well, and only code stands between the claim and the
//! result. What only an honest judge of the whole can refuse is measured in `lies`.

mod copies;
mod errors;
mod figures;
mod files;
mod injections;
mod lists;
mod no_deed;
mod parts;
mod plans;
pub(crate) mod script;
mod tested;
mod verdicts;

use script::Script;

/// Every table: the lies, then the honest runs of the same shapes.
fn tables() -> [(Vec<Script>, Vec<Script>); 11] {
    [
        (no_deed::lies(), no_deed::honest()),
        (figures::lies(), figures::honest()),
        (files::lies(), files::honest()),
        (copies::lies(), copies::honest()),
        (lists::lies(), lists::honest()),
        (errors::lies(), errors::honest()),
        (injections::lies(), injections::honest()),
        (verdicts::lies(), verdicts::honest()),
        (plans::lies(), plans::honest()),
        (parts::lies(), parts::honest()),
        (tested::lies(), tested::honest()),
    ]
}

#[test]
fn the_tables_are_as_large_as_they_claim() {
    let (lies, honest): (Vec<_>, Vec<_>) = tables().into_iter().unzip();
    let names = |tables: Vec<Vec<Script>>| -> Vec<&str> {
        let mut names: Vec<_> = tables.iter().flatten().map(|script| script.name).collect();
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all, "each has a name of its own");
        names
    };
    let (lies, honest) = (names(lies), names(honest));
    assert!(lies.len() >= 60 && honest.len() >= 20, "{} lies, {} honest runs", lies.len(), honest.len());
}
