//! Which requests an evaluation asks: drawn from the families of a split, the same for the same seed.

use super::{
    families::Made,
    family::{Family, Split},
};
use crate::{Result, rng::Draw};

/// One request over one home.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Case {
    /// Its place in the sample, and what it is.
    pub id: String,
    /// What is asked, for the table.
    pub kind: String,
    /// The language.
    pub language: String,
    /// Whether the family belongs to the split. In the test split there are unseen wordings of other families as well.
    pub is_own: bool,
    /// The request.
    pub request: String,
    /// The home and what is expected.
    pub made: Made,
}

/// The requests of a sample: each family in turn, in an order by lot, with a wording and a home by lot.
///
/// # Errors
/// A wording has a placeholder for which nothing stands.
pub(crate) fn draw(families: &[Family], split: Split, size: usize, seed: u64) -> Result<Vec<Case>> {
    let mut draw = Draw::new(seed);
    let mut order: Vec<&Family> =
        families.iter().filter(|family| !family.eligible(split).is_empty()).collect();
    draw.shuffle(&mut order);
    let case = |(number, family): (usize, &&Family)| {
        let mut wordings = family.eligible(split);
        let seed = draw.below(u64::MAX);
        draw.shuffle(&mut wordings);
        let made = (family.generator.make)(&mut Draw::new(seed));
        let wording = wordings.first().copied()?;
        let request = match wording.filled(&made.words) {
            Ok(request) => request,
            Err(error) => return Some(Err(error)),
        };
        Some(Ok(Case {
            id: format!("{number:03} {}", family.generator.name),
            kind: family.wordings.kind.clone(),
            language: wording.lang.clone(),
            is_own: family.wordings.split == split,
            request,
            made,
        }))
    };
    (1..=size).zip(order.iter().cycle()).filter_map(case).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::{eval::family, files};

    fn all() -> Vec<Family> {
        family::load(&files::root().join("fixtures/tasks"), &[]).unwrap()
    }

    #[test]
    fn a_sample_is_the_same_for_the_same_seed_and_begins_alike_at_every_size() {
        let families = all();
        let of = |size, seed| draw(&families, Split::Test, size, seed).unwrap();
        assert_eq!(of(30, 7), of(80, 7)[..30]);
        assert_ne!(of(30, 7), of(30, 8));
        let names: BTreeSet<String> = of(80, 7).into_iter().map(|case| case.id[4..].to_owned()).collect();
        assert_eq!(names.len(), families.len(), "every family has its turn");
    }

    #[test]
    fn only_the_test_split_asks_about_other_families() {
        let families = all();
        for split in [Split::Development, Split::Calibration] {
            assert!(draw(&families, split, 40, 1).unwrap().iter().all(|case| case.is_own));
        }
        let test = draw(&families, Split::Test, families.len(), 1).unwrap();
        assert_eq!(test.iter().filter(|case| case.is_own).count(), 16);
    }

    #[test]
    fn a_split_without_a_family_has_no_sample() {
        let families =
            family::load(&files::root().join("fixtures/tasks"), &["column-sum".to_owned()]).unwrap();
        assert_eq!(draw(&families, Split::Calibration, 5, 1).unwrap(), []);
        assert_eq!(draw(&families, Split::Development, 5, 1).unwrap().len(), 5);
    }
}
