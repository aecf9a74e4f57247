//! Property: undoing any run restores the original tree.

use std::io;

use artoo_anchored_files::changed_trees::{Deed, deeds, half_as_often};
use proptest::prelude::*;

use super::super::{UndoError, Undoable, undoable};
use super::tree::Place;

fn all(deeds: &[Deed], place: &Place) {
    deeds.iter().for_each(|deed| deed.done_in(&place.root));
}

proptest! {
    #![proptest_config(half_as_often())]

    #[test]
    fn what_a_run_did_is_taken_back_byte_for_byte(
        found in deeds(25), calls in prop::collection::vec(deeds(12), 1..4),
    ) {
        let place = Place::new();
        all(&found, &place);
        let before = place.picture();
        let snapshot = place.snapshot();
        for call in &calls {
            place.call(&snapshot, |_| all(call, &place));
        }
        prop_assert_eq!(snapshot.not_covered(), []);
        snapshot.close().unwrap();
        if undoable(&place.record) != Undoable::Nothing {
            prop_assert_eq!(undoable(&place.record), Undoable::Yes);
            place.undo().unwrap();
            prop_assert_eq!(undoable(&place.record), Undoable::Undone);
        }
        prop_assert_eq!(place.picture(), before);
    }

    #[test]
    fn an_undo_that_is_killed_anywhere_is_finished_by_the_next(
        found in deeds(25), done in deeds(20), stops in prop::collection::vec(0..30_usize, 1..4),
    ) {
        let place = Place::new();
        all(&found, &place);
        let before = place.picture();
        place.run(|_| all(&done, &place));
        if undoable(&place.record) == Undoable::Nothing {
            return Ok(());
        }
        for stop in stops {
            let mut left = stop;
            let killed = place.prepare().unwrap().apply_while(&mut || {
                left = left.checked_sub(1).ok_or(io::ErrorKind::Interrupted)?;
                Ok(())
            });
            match killed {
                Ok(deviations) => {
                    prop_assert_eq!(deviations, []);
                    break;
                }
                Err(error) => prop_assert!(matches!(error, UndoError::Step { .. }), "{error}"),
            }
            prop_assert_eq!(undoable(&place.record), Undoable::Halfway);
        }
        if undoable(&place.record) == Undoable::Halfway {
            prop_assert!(place.prepare().unwrap().is_resumed());
            place.undo().unwrap();
        }
        prop_assert_eq!(place.picture(), before);
    }

    #[test]
    fn runs_are_taken_back_one_after_the_other(found in deeds(20), first in deeds(12), second in deeds(12)) {
        let place = Place::new();
        all(&found, &place);
        let mut pictures = Vec::new();
        let mut records = Vec::new();
        for (number, done) in [&first, &second].into_iter().enumerate() {
            pictures.push(place.picture());
            let run = place.another_run(number);
            run.run(|_| all(done, &place));
            records.push(run);
        }
        for (run, picture) in records.iter().zip(&pictures).rev() {
            if undoable(&run.record) != Undoable::Nothing {
                run.undo().unwrap();
            }
            prop_assert_eq!(&place.picture(), picture);
        }
    }
}
