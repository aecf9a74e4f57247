//! The table, cell by cell and boundary by boundary.

use artoo_ggs_core::{Budget, Cell, Nearness, Parameters, Process, State, Trend};
use artoo_types::{Loss, MacroState, UnitInterval};
use proptest::prelude::*;

/// The specification's enumeration, copied: gradient, D, P, Omega, state.
const SPECIFICATION: [(Trend, Nearness, Process, Budget, MacroState); 24] = {
    use Budget::{Spent, Within};
    use MacroState::{Abandon, BreakSymmetry, ChangeApproach, ChangePath, Refine, Success};
    use Nearness::{Far, Near};
    use Process::{Sound, Wrong};
    use Trend::{Improving, Plateau, Worsening};
    [
        (Improving, Near, Sound, Within, Success),
        (Improving, Near, Wrong, Within, Success),
        (Improving, Near, Sound, Spent, Abandon),
        (Improving, Near, Wrong, Spent, Abandon),
        (Improving, Far, Sound, Within, Refine),
        (Improving, Far, Wrong, Within, ChangeApproach),
        (Improving, Far, Sound, Spent, Abandon),
        (Improving, Far, Wrong, Spent, Abandon),
        (Plateau, Near, Sound, Within, Success),
        (Plateau, Near, Wrong, Within, Success),
        (Plateau, Near, Sound, Spent, Abandon),
        (Plateau, Near, Wrong, Spent, Abandon),
        (Plateau, Far, Sound, Within, ChangePath),
        (Plateau, Far, Wrong, Within, BreakSymmetry),
        (Plateau, Far, Sound, Spent, Abandon),
        (Plateau, Far, Wrong, Spent, Abandon),
        (Worsening, Near, Sound, Within, Success),
        (Worsening, Near, Wrong, Within, Success),
        (Worsening, Near, Sound, Spent, Abandon),
        (Worsening, Near, Wrong, Spent, Abandon),
        (Worsening, Far, Sound, Within, Refine),
        (Worsening, Far, Wrong, Within, ChangeApproach),
        (Worsening, Far, Sound, Spent, Abandon),
        (Worsening, Far, Wrong, Spent, Abandon),
    ]
};

#[test]
fn all_24_cells_are_the_specifications() {
    let cells: Vec<_> = Cell::all().collect();
    assert_eq!(cells.len(), SPECIFICATION.len());
    for (number, (cell, row)) in (1..).zip(cells.iter().zip(SPECIFICATION)) {
        assert_eq!(
            (cell.trend, cell.nearness, cell.process, cell.budget),
            (row.0, row.1, row.2, row.3),
            "#{number}"
        );
        assert_eq!(MacroState::from(cell.state()), row.4, "#{number}");
        assert_eq!(cell.number(), number);
    }
}

#[test]
fn the_states_have_as_many_cells_as_the_specification_says() {
    let count = |state| Cell::all().filter(|cell| MacroState::from(cell.state()) == state).count();
    let counts = [
        (MacroState::Accept, 0),
        (MacroState::Abandon, 12),
        (MacroState::Success, 6),
        (MacroState::BreakSymmetry, 1),
        (MacroState::ChangeApproach, 2),
        (MacroState::ChangePath, 1),
        (MacroState::Refine, 2),
    ];
    for (state, expected) in counts {
        assert_eq!(count(state), expected, "{state:?}");
    }
}

fn at(d: f64, p: f64, omega: f64, gradient: f64) -> MacroState {
    let part = |value| UnitInterval::new(value).unwrap();
    let loss = Loss { d: part(d), p: part(p), omega: part(omega), l: 0.0 };
    Cell::of(&loss, gradient, &Parameters::default()).state().into()
}

/// The next number above and below.
fn around(value: f64) -> [f64; 3] {
    [value.next_down(), value, value.next_up()]
}

#[test]
fn omega_at_theta_abandons() {
    let got = around(0.8).map(|omega| at(0.9, 0.0, omega, 0.0));
    assert_eq!(got, [MacroState::ChangePath, MacroState::Abandon, MacroState::Abandon]);
}

#[test]
fn d_at_delta_is_close_enough() {
    let got = around(0.3).map(|d| at(d, 0.0, 0.0, 0.0));
    assert_eq!(got, [MacroState::Success, MacroState::Success, MacroState::ChangePath]);
}

#[test]
fn p_at_rho_is_not_logical() {
    let stuck = around(0.5).map(|p| at(0.9, p, 0.0, 0.0));
    assert_eq!(stuck, [MacroState::ChangePath, MacroState::ChangePath, MacroState::BreakSymmetry]);
    let moving = around(0.5).map(|p| at(0.9, p, 0.0, 0.2));
    assert_eq!(moving, [MacroState::Refine, MacroState::Refine, MacroState::ChangeApproach]);
}

#[test]
fn a_gradient_at_epsilon_is_a_signal_either_way() {
    let up = around(0.1).map(|gradient| at(0.9, 0.0, 0.0, gradient));
    assert_eq!(up, [MacroState::ChangePath, MacroState::Refine, MacroState::Refine]);
    let down = around(-0.1).map(|gradient| at(0.9, 1.0, 0.0, gradient));
    assert_eq!(down, [MacroState::ChangeApproach, MacroState::ChangeApproach, MacroState::BreakSymmetry]);
    let signs = [-0.1, -0.05, 0.0, 0.05, 0.1].map(|gradient| Trend::of(gradient, 0.1));
    assert_eq!(signs, [Trend::Improving, Trend::Plateau, Trend::Plateau, Trend::Plateau, Trend::Worsening]);
}

#[test]
fn a_gradient_that_is_no_number_is_no_signal() {
    assert_eq!(Trend::of(f64::NAN, 0.1), Trend::Plateau);
}

proptest! {
    /// Total and non-overlapping: every point of the input space lies in exactly one of the enumerated cells.
    #[test]
    fn every_point_lies_in_exactly_one_cell(d in 0.0..=1.0, p in 0.0..=1.0, omega in 0.0..=1.0, gradient in -2.0..2.0_f64) {
        let part = |value| UnitInterval::new(value).unwrap();
        let loss = Loss { d: part(d), p: part(p), omega: part(omega), l: 0.0 };
        let parameters = Parameters::default();
        let holds = |cell: &Cell| {
            let trend = match cell.trend {
                Trend::Improving => gradient <= -0.1,
                Trend::Plateau => gradient.abs() < 0.1,
                Trend::Worsening => gradient >= 0.1,
            };
            let nearness = match cell.nearness { Nearness::Near => d <= 0.3, Nearness::Far => d > 0.3 };
            let process = match cell.process { Process::Sound => p <= 0.5, Process::Wrong => p > 0.5 };
            let budget = match cell.budget { Budget::Within => omega < 0.8, Budget::Spent => omega >= 0.8 };
            trend && nearness && process && budget
        };
        let matching: Vec<_> = Cell::all().filter(holds).collect();
        prop_assert_eq!(matching, vec![Cell::of(&loss, gradient, &parameters)]);
    }

    #[test]
    fn the_sign_of_the_gradient_never_changes_the_state(d in 0.0..=1.0, p in 0.0..=1.0, omega in 0.0..=1.0, gradient in 0.0..2.0_f64) {
        prop_assert_eq!(at(d, p, omega, gradient), at(d, p, omega, -gradient));
    }
}

#[test]
fn states_are_named_as_on_the_wire() {
    let names: Vec<_> = Cell::all().map(|cell| serde_json::to_value(cell.state()).unwrap()).collect();
    for (cell, name) in Cell::all().zip(names) {
        assert_eq!(name, MacroState::from(cell.state()).name());
        assert_eq!(serde_json::from_value::<State>(name).unwrap(), cell.state());
    }
}
