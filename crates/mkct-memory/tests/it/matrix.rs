use artoo_mkct_memory::matrix::{MATRIX, row};
use artoo_types::MegramState;

#[test]
fn the_rows_are_those_of_the_specification() {
    let rows = MATRIX.map(|row| (row.state, row.f, row.sigma, row.k));
    assert_eq!(
        rows,
        [
            (MegramState::Abandon, 0.95, -1.0, 0.05),
            (MegramState::Accept, 0.90, 1.0, 0.05),
            (MegramState::ChangeApproach, 0.85, -1.0, 0.05),
            (MegramState::Success, 0.80, 1.0, 0.05),
            (MegramState::BreakSymmetry, 0.75, 1.0, 0.05),
            (MegramState::ChangePath, 0.30, 0.0, 0.2),
            (MegramState::Refine, 0.10, 0.5, 0.5),
        ]
    );
}

#[test]
fn every_state_has_its_row() {
    for state in MegramState::ALL {
        assert_eq!(row(state).state, state);
        assert!(MATRIX.contains(&row(state)));
    }
}
