use artoo_mkct_memory::key::{Key, layer_prefix, pair_prefix};
use artoo_types::{Entity, Level, Space};
use proptest::prelude::*;

use crate::fixtures::id;

fn name() -> impl Strategy<Value = String> {
    prop_oneof![3 => "[a-c|%\u{0}\n\u{7f}\u{85}文2457CD]{0,12}", 1 => any::<String>()]
}

fn any_key() -> impl Strategy<Value = Key> {
    let level = proptest::sample::select(vec![Level::M, Level::K, Level::C, Level::T]);
    prop_oneof![
        any::<u128>().prop_map(|n| Key::Megram(id(n))),
        any::<u128>().prop_map(|n| Key::Recall(id(n))),
        (level, any::<u128>()).prop_map(|(level, n)| Key::Layer { level, id: id(n) }),
        (name(), name(), any::<u128>()).prop_map(|(space, entity, n)| Key::Index {
            space: Space::from_raw(space),
            entity: Entity::from_raw(entity),
            id: id(n),
        }),
    ]
}

proptest! {
    #[test]
    fn keys_survive_their_encoding(key in any_key()) {
        let text = key.encode();
        prop_assert!(!text.chars().any(char::is_control));
        prop_assert_eq!(Key::decode(&text).unwrap(), key);
    }

    #[test]
    fn no_text_makes_decoding_panic_and_a_key_has_one_spelling(text in "[mxlr|%0-9a-fA-FMKCT+-]{0,60}|.{0,60}") {
        if let Ok(key) = Key::decode(&text) {
            prop_assert_eq!(key.encode(), text);
        }
    }

    /// Lesson N18: the ancestor wrote an underscore for a pipe, and two names shared a bucket.
    #[test]
    fn lesson_n18_two_names_never_share_a_bucket(a in name(), b in name(), c in name(), d in name()) {
        let (space, entity) = (Space::from_raw(a), Entity::from_raw(b));
        let (other_space, other_entity) = (Space::from_raw(c), Entity::from_raw(d));
        let same = (&space, &entity) == (&other_space, &other_entity);
        let key = Key::Index { space: other_space, entity: other_entity, id: id(1) };
        prop_assert_eq!(key.encode().starts_with(&pair_prefix(&space, &entity)), same);
    }
}

#[test]
fn lesson_n18_the_pairs_that_collided() {
    let prefix = |space: &str, entity: &str| pair_prefix(&Space::from_raw(space), &Entity::from_raw(entity));
    assert_ne!(prefix("a|b", "c"), prefix("a_b", "c"));
    assert_ne!(prefix("a|b", "c"), prefix("a", "b|c"));
    assert_ne!(prefix("a%7Cb", "c"), prefix("a|b", "c"));
    assert!(!prefix("s", "abc").starts_with(&prefix("s", "ab")));
}

#[test]
fn layers_are_scanned_by_prefix() {
    let key = Key::Layer { level: Level::C, id: id(7) }.encode();
    assert!(key.starts_with(&layer_prefix(Level::C)));
    assert!(!key.starts_with(&layer_prefix(Level::K)));
}

#[test]
fn what_is_not_a_key_says_why() {
    let uuid = id(1).to_string();
    let cases = [
        (String::new(), "forms"),
        (format!("m|{uuid}|"), "forms"),
        (format!("q|{uuid}"), "forms"),
        ("m|1".to_owned(), "UUID"),
        (format!("l|X|{uuid}"), "level"),
        (format!("x|a%|b|{uuid}"), "percent"),
        (format!("x|a%+7|b|{uuid}"), "percent"),
        (format!("x|a%FF|b|{uuid}"), "percent"),
        (format!("x|a%é|b|{uuid}"), "percent"),
        (format!("x|%61|b|{uuid}"), "spelled"),
        (format!("x|a%7cb|b|{uuid}"), "spelled"),
        (format!("m|{}", uuid.replace('-', "")), "spelled"),
    ];
    for (text, reason) in cases {
        let error = Key::decode(&text).unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
    }
}
