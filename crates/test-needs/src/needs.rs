//! What a machine must have: the names that `ARTOO_TESTS_NEED` lists.

use std::collections::BTreeSet;
use std::fmt;

use crate::table::{Ability, TOOLS};

/// The variable with the names, separated by commas, whose skip is a failure.
pub const VARIABLE: &str = "ARTOO_TESTS_NEED";

/// Every name that may be listed: those of the tools, then those of the abilities.
pub fn names() -> Vec<&'static str> {
    let tools = TOOLS.iter().map(|tool| tool.name);
    tools.chain(Ability::ALL.map(Ability::name)).collect()
}

/// The names that are listed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Needs(BTreeSet<&'static str>);

/// A listed name that nothing has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unknown(String);

impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{VARIABLE} lists {:?}, which is none of {}", self.0, names().join(", "))
    }
}

impl std::error::Error for Unknown {}

impl Needs {
    /// Reads the value of the variable.
    ///
    /// # Errors
    /// A name is unknown: a misspelt name would let its tests be skipped.
    pub fn read(value: &str) -> Result<Self, Unknown> {
        let known = names();
        let listed = value.split(',').map(str::trim).filter(|name| !name.is_empty());
        let find = |listed: &str| {
            let name = known.iter().find(|name| **name == listed);
            name.copied().ok_or_else(|| Unknown(listed.to_owned()))
        };
        listed.map(find).collect::<Result<_, _>>().map(Self)
    }

    /// Whether a skip for lack of this is a failure.
    pub fn lists(&self, name: &str) -> bool {
        self.0.contains(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_listed_with_commas() {
        let needs = Needs::read("node, landlock,").unwrap();
        assert!(needs.lists("node") && needs.lists("landlock") && !needs.lists("git"));
        assert_eq!(Needs::read("").unwrap(), Needs::default());
    }

    #[test]
    fn an_unknown_name_is_an_error() {
        let error = Needs::read("node,nodde").unwrap_err();
        assert!(
            error.to_string().starts_with("ARTOO_TESTS_NEED lists \"nodde\", which is none of "),
            "{error}"
        );
    }

    #[test]
    fn every_name_may_be_listed() {
        let needs = Needs::read(&names().join(",")).unwrap();
        assert!(names().into_iter().all(|name| needs.lists(name)));
    }
}
