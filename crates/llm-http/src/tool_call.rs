//! Tool call helpers for both wire formats.

use std::collections::BTreeSet;

use artoo_llm_client::{Message, ToolUse};
use serde_json::{Value, json};

/// More calls than any model makes in one answer. Each call is compared with the others, so a server must not
/// send any number of them.
pub(crate) const MAX_CALLS: usize = 512;

/// The arguments of a call as an object, if they are one.
pub(crate) fn object(arguments: &str) -> Option<Value> {
    serde_json::from_str(arguments).ok().filter(Value::is_object)
}

/// An object that wraps invalid arguments, so that they can be sent back.
pub(crate) fn wrapped(arguments: &str) -> Value {
    json!({"_text": arguments})
}

/// Whether two calls of one answer are one that was sent twice: the same tool and arguments under one id, or
/// one of them without an id. Under two ids they are two, since the model may want the same twice.
pub(crate) fn is_same(one: &ToolUse, other: &ToolUse) -> bool {
    let is_one = one.id == other.id || one.id.is_empty() || other.id.is_empty();
    if !is_one || one.name != other.name {
        return false;
    }
    fn text(call: &ToolUse) -> &str {
        let text = call.arguments.trim();
        if text.is_empty() { "{}" } else { text }
    }
    let (one, other) = (text(one), text(other));
    let written = |text: &str| text.bytes().filter(|byte| !byte.is_ascii_whitespace()).count();
    // The order of the fields may differ, their length may not.
    let may_be = one.starts_with('{') && written(one) == written(other);
    one == other || may_be && object(one).is_some_and(|one| object(other) == Some(one))
}

/// Gives an id to each call that has none, or one already used in this conversation: results refer to it. The
/// id has nine letters and digits, which every provider takes, and which one demands.
pub(crate) fn name_apart(calls: &mut [ToolUse], conversation: &[Message]) {
    let earlier = conversation.iter().flat_map(|message| &message.calls);
    let mut used: BTreeSet<String> = earlier.map(|call| call.id.clone()).collect();
    let mut number = used.len();
    for call in calls {
        while call.id.is_empty() || used.contains(&call.id) {
            number += 1;
            call.id = format!("call{number:05}");
        }
        used.insert(call.id.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn calls(ids: &[String]) -> Vec<ToolUse> {
        let call = |id: &String| ToolUse { id: id.clone(), name: "look".into(), arguments: "{}".into() };
        ids.iter().map(call).collect()
    }

    proptest! {
        #[test]
        fn every_name_is_used_once_and_those_that_are_one_stay(
            before in prop::collection::vec("(|a|b|call0000[1-4])", 0..4),
            now in prop::collection::vec("(|a|b|call0000[1-4])", 0..6),
        ) {
            let conversation = [Message { calls: calls(&before), ..Message::assistant("") }];
            let mut named = calls(&now);
            name_apart(&mut named, &conversation);
            let ids: BTreeSet<&str> = named.iter().map(|call| call.id.as_str()).collect();
            prop_assert_eq!(ids.len(), now.len());
            for (place, (call, given)) in named.iter().zip(&now).enumerate() {
                prop_assert!(!call.id.is_empty() && !before.contains(&call.id));
                let is_first = !before.contains(given) && !given.is_empty() && !now[..place].contains(given);
                let was_taken = named[..place].iter().any(|earlier| earlier.id == *given);
                prop_assert_eq!(call.id == *given, is_first && !was_taken);
            }
        }
    }

    #[test]
    fn what_was_sent_twice_is_one() {
        let call = |id: &str, name: &str, arguments: &str| ToolUse {
            id: id.into(),
            name: name.into(),
            arguments: arguments.into(),
        };
        let one = call("a", "look", "{\"x\": 1, \"y\": 2}");
        assert!(is_same(&one, &call("a", "look", "{\"y\":2,\"x\":1}")));
        assert!(is_same(&one, &call("", "look", "{\"x\":1,\"y\":2}")));
        assert!(is_same(&call("", "look", ""), &call("", "look", "{}")));
        assert!(!is_same(&one, &call("b", "look", &one.arguments)), "two ids are two calls");
        assert!(!is_same(&one, &call("a", "edit", &one.arguments)));
        assert!(!is_same(&one, &call("a", "look", "{\"x\": 1}")));
    }

    #[test]
    fn only_objects_are_arguments() {
        assert_eq!(object("{\"a\": 1}"), Some(json!({"a": 1})));
        for broken in ["{\"a\": ", "[1]", "3", "", "nonsense"] {
            assert_eq!(object(broken), None);
        }
    }
}
