//! Laws of the small values.

use artoo_types::{
    Amount, Arguments, CallId, Entity, EvidenceId, RunId, Space, TaskId, ToolCall, ToolName, UnitInterval,
    intent_slug,
};
use proptest::prelude::*;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::samples;

fn target(arguments: Arguments) -> String {
    ToolCall { arguments, ..samples::tool_call() }.target()
}

fn arguments() -> impl Strategy<Value = Vec<(String, Value)>> {
    let value = prop_oneof![
        "[ -~\n\té文]{0,20}".prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        any::<bool>().prop_map(Value::from),
        Just(Value::Null),
    ];
    proptest::collection::btree_map("[a-z]{1,6}", value, 0..5).prop_map(|map| map.into_iter().collect())
}

proptest! {
    #[test]
    fn amounts_survive_text_and_are_never_negative(units in 0.0f64..=2000.0, any in proptest::num::f64::ANY) {
        let amount = Amount::new(units).unwrap();
        let text = serde_json::to_string(&amount).unwrap();
        prop_assert_eq!(serde_json::from_str::<Amount>(&text).unwrap(), amount);
        prop_assert!((amount.units() - units).abs() <= 1e-12);
        prop_assert_eq!(amount.to_string().parse::<f64>().ok().and_then(Amount::new), Some(amount));
        prop_assert_eq!(Amount::new(any).is_some(), (0.0..=1e6).contains(&any));
    }

    #[test]
    fn unit_intervals_hold_only_numbers_from_0_to_1(value in proptest::num::f64::ANY) {
        let inside = (0.0..=1.0).contains(&value);
        prop_assert_eq!(UnitInterval::new(value).map(UnitInterval::get), inside.then_some(value));
        let clamped = UnitInterval::clamped(value).get();
        prop_assert!((0.0..=1.0).contains(&clamped));
        if inside {
            prop_assert_eq!(clamped, value);
        }
        let read = serde_json::from_value::<UnitInterval>(json!(value));
        prop_assert_eq!(read.ok().map(UnitInterval::get), inside.then_some(value));
    }

    #[test]
    fn unit_intervals_survive_text(value in 0.0f64..=1.0) {
        let value = UnitInterval::clamped(value);
        let text = serde_json::to_string(&value).unwrap();
        prop_assert_eq!(serde_json::from_str::<UnitInterval>(&text).unwrap(), value);
    }

    #[test]
    fn evidence_ids_are_64_lower_case_hexadecimal_digits(text in "[0-9a-fA-Fg./\\\\é]{60,68}") {
        let good = text.len() == 64 && text.bytes().all(|b| b"0123456789abcdef".contains(&b));
        prop_assert_eq!(EvidenceId::parse(&text).is_some(), good);
        prop_assert_eq!(serde_json::from_value::<EvidenceId>(json!(text)).is_ok(), good);
    }

    #[test]
    fn evidence_ids_survive_text(hex in "[0-9a-f]{64}") {
        let id = EvidenceId::parse(&hex).unwrap();
        prop_assert_eq!(id.as_str(), hex.as_str());
        prop_assert_eq!(id.to_string(), hex.as_str());
        prop_assert_eq!(serde_json::from_value::<EvidenceId>(json!(hex)).unwrap(), id);
    }

    /// Two calls that differ only in the order of arguments, in blanks that mean nothing or in nulls are the same call twice.
    #[test]
    fn targets_do_not_depend_on_order_blanks_or_nulls(pairs in arguments()) {
        let plain: Arguments = pairs.iter().cloned().collect();
        let other: Arguments = pairs
            .iter()
            .rev()
            .map(|(name, value)| match value.as_str() {
                Some(text) if text.contains(['\n', '"', '\'', '`', '\\']) => {
                    (name.clone(), json!(format!("  {text}\n")))
                }
                Some(text) => (name.clone(), json!(format!("  {}\n", text.replace(' ', "\t  ")))),
                None => (name.clone(), value.clone()),
            })
            .chain([("zz_absent".to_owned(), Value::Null)])
            .collect();
        prop_assert_eq!(target(plain), target(other));
    }

    #[test]
    fn a_target_of_one_argument_is_its_own_normal_form(text in "[ -~é文\n]{0,40}") {
        let once = target(Arguments::from_iter([("command".to_owned(), json!(text))]));
        let twice = target(Arguments::from_iter([("command".to_owned(), json!(once))]));
        prop_assert_eq!(once, twice);
    }

    #[test]
    fn rendered_calls_are_cut_at_characters(shown in "[é文a🙂]{0,400}") {
        let mut call = samples::tool_call();
        call.output.shown = shown.clone();
        let rendered = call.render();
        let output = rendered.split_once(" → ").unwrap().1;
        prop_assert!(shown.starts_with(output));
        prop_assert_eq!(output.chars().count(), shown.chars().count().min(200));
    }

    #[test]
    fn ids_survive_text(bits in any::<u128>()) {
        let id = RunId::new(Uuid::from_u128(bits));
        prop_assert_eq!(id.to_string().parse::<RunId>().unwrap(), id);
        let call = CallId::new(Uuid::from_u128(bits));
        prop_assert_eq!(serde_json::from_value::<CallId>(json!(id)).unwrap(), call);
    }

    #[test]
    fn reader_and_writer_of_memory_agree_on_the_space(intent in ".{0,60}") {
        let label = intent_slug(&intent);
        let label = label.as_deref().unwrap_or("task");
        prop_assert_eq!(Space::intent(&intent).to_string(), format!("intent:{label}"));
        prop_assert_eq!(TaskId::from_text(&intent).to_string(), label);
    }
}

#[test]
fn tags_are_those_of_the_specification() {
    assert_eq!(Space::tool(&ToolName::new("shell")).as_str(), "tool:shell");
    assert_eq!(Entity::local().as_str(), "env:local");
    assert_eq!(Entity::path("/tmp/a|b").as_str(), "path:/tmp/a|b");
}
