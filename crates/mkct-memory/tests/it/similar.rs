use std::collections::BTreeSet;

use artoo_mkct_memory::similar::{
    FLOOR, Grams, MAX_GRAMS, MAX_SIMILAR, Question, indexed_text, pair_text, rank, shared,
};
use artoo_types::{Entity, Level, Megram, MegramState, Space, TagPair};
use proptest::prelude::*;

use crate::fixtures::{experience, id, rule};
use crate::requests::{REQUESTS, Row};

fn meets(question: &str, known: &str) -> bool {
    !rank(&Question::of(question), [((), Grams::of(known))], 1).is_empty()
}

/// Misses and false matches, by name: the figures of `docs/design/memory.md`, "Finding", in detail.
#[test]
fn requests_that_mean_the_same_meet_and_others_do_not() {
    let judged = |wrong: fn(&Row) -> bool| {
        let wrong = REQUESTS.iter().filter(|row| meets(row.question, row.known) != row.meets && wrong(row));
        wrong.map(|row| (row.question, row.known)).collect::<Vec<_>>()
    };
    let count = |meets: bool| REQUESTS.iter().filter(|row| row.meets == meets).count();
    assert_eq!((count(true), count(false)), (38, 34));
    assert_eq!(
        judged(|row| row.meets),
        [
            ("convert report.docx to pdf", "make a PDF out of letter.docx"),
            ("muunna raportti pdf-muotoon", "tee raportista pdf"),
            ("wandle bericht.docx in ein PDF um", "erzeuge aus brief.docx ein PDF"),
            ("会議の議事録を要約してください", "議事録の要約を書いて"),
            ("احسب عدد الملفات النصية", "كم ملف نصي يوجد في المجلد"),
            ("ابحث عن أكبر الملفات", "ما هو أكبر ملف في التنزيلات"),
        ]
    );
    assert_eq!(
        judged(|row| !row.meets),
        [
            ("could you please tell me what time it is", "could you please tell me how large the disk is"),
            ("kannst du mir bitte sagen wie spät es ist", "kannst du mir bitte die Rechnung umbenennen"),
            ("lütfen bana saati söyle", "lütfen bana en büyük dosyayı bul"),
        ]
    );
}

/// The same among all other entries, where rarity has more weight.
#[test]
fn what_is_meant_is_found_among_many() {
    let known = || REQUESTS.iter().map(|row| (row.known, Grams::of(row.known)));
    let missed: Vec<&str> = REQUESTS
        .iter()
        .filter(|row| row.meets)
        .filter(|row| {
            let found = rank(&Question::of(row.question), known(), MAX_SIMILAR);
            !found.iter().any(|similar| similar.key == row.known)
        })
        .map(|row| row.question)
        .collect();
    assert_eq!(
        missed,
        [
            "convert report.docx to pdf",
            "muunna raportti pdf-muotoon",
            "wandle bericht.docx in ein PDF um",
            "احسب عدد الملفات النصية",
            "ابحث عن أكبر الملفات",
        ]
    );
}

#[test]
fn languages_do_not_meet_by_chance() {
    let pairs = REQUESTS.iter().flat_map(|asked| REQUESTS.iter().map(move |known| (asked, known)));
    let met: Vec<(&str, &str)> = pairs
        .filter(|(asked, known)| asked.language != known.language && meets(asked.question, known.known))
        .map(|(asked, known)| (asked.question, known.known))
        .collect();
    assert_eq!(met, []);
}

#[test]
fn what_is_rare_weighs_more() {
    // Aino and the list are four hashes of the question each.
    let known = ["the notes of Aino", "a list of boats", "a list of cows", "a list of cars"];
    let found = rank(&Question::of("list Aino"), known.map(|known| (known, Grams::of(known))), 6);
    assert_eq!(found.first().map(|similar| similar.key), Some("the notes of Aino"));
    assert!(found.iter().skip(1).all(|similar| similar.score < found[0].score / 1.5), "{found:?}");
}

#[test]
fn equals_come_in_the_order_of_their_keys() {
    let grams = Grams::of("count the files");
    let found = rank(&Question::of("count the files"), [3, 1, 9, 2, 8, 7, 5].map(|key| (key, &grams)), 100);
    assert_eq!(found.iter().map(|similar| similar.key).collect::<Vec<_>>(), [1, 2, 3, 5, 7, 8]);
    assert!(found.iter().all(|similar| similar.score == 1.0));
}

/// Stores keep the hashes: with another hash an existing store would find nothing.
#[test]
fn hashes_are_the_same_for_ever() {
    assert_eq!(
        Grams::of("a txt 数文件").as_slice(),
        [172_484_253, 1_347_311_754, 1_715_802_855, 2_209_277_305]
    );
}

#[test]
fn an_explanation_names_what_is_shared() {
    let cases: [(&str, &str, &[&str]); 6] = [
        ("count the text files", "how many .txt files, count", &["count", "files"]),
        ("zähle die Textdateien", "welche Datei", &["datei"]),
        ("统计文本文件的数量", "这里有多少个文本文件", &["文本文件"]),
        ("テキストファイルを数えてください", "ファイルを消してください", &["ファイルを"]),
        ("احسب الملفات", "كم ملف هنا", &["ملف"]),
        ("count", "", &[]),
    ];
    for (question, known, expected) in cases {
        assert_eq!(shared(question, known), expected, "{question} | {known}");
    }
}

#[test]
fn a_pair_is_found_by_its_tags_its_rules_and_its_newest_lessons() {
    let lesson = |number: u128, words: &str| Megram {
        content: words.to_owned(),
        ..experience(number, MegramState::Accept, number as f64)
    };
    let law = Megram { level: Level::T, ..lesson(9, "a law") };
    let old_rule = Megram { content: "the rule".to_owned(), ..rule(1, MegramState::Success, 0.0) };
    let pair = TagPair::new(Space::intent("Count all files"), Entity::path("/srv/docs"));
    let live = [lesson(2, "second"), lesson(3, &"文".repeat(500)), old_rule, law];
    let expected = format!("count_all_files /srv/docs\nthe rule\n{}\nsecond", "文".repeat(500));
    assert_eq!(pair_text(&pair, &live), expected);
    assert_eq!(indexed_text(&lesson(4, "used glob")), "count_the_files \nused glob");
    assert_eq!(lesson(4, "").entity, Entity::local(), "which says nothing");
    assert_eq!(id(4), lesson(4, "").id);
}

#[test]
fn hostile_texts_are_read_in_part() {
    let long = [
        "a".repeat(1 << 20),
        "a ".repeat(1 << 19),
        "a\u{301}".repeat(1 << 19),
        "\u{301}".repeat(1 << 19),
        "数".repeat(1 << 18),
        "\0".repeat(1 << 20),
        "\n|%\u{202e}\u{200d}".repeat(1 << 17),
        (0..200_000).map(|number| format!("word{number} ")).collect(),
    ];
    for text in &long {
        let cut: String = text.chars().take(2048).collect();
        assert_eq!(Grams::of(text), Grams::of(&cut));
        assert!(shared(text, text).len() <= 6);
    }
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![".{0,60}", "([a-eä]{1,6} ){0,30}", "[数文件のをファ ]{0,40}", "(\\PC|\\n|\\x00){0,40}"]
}

proptest! {
    #[test]
    fn a_text_is_wholly_like_itself_and_like_its_words_in_another_order(text in any_text()) {
        let grams = Grams::of(&text);
        prop_assert!(grams.as_slice().len() <= MAX_GRAMS);
        prop_assert!(grams.as_slice().is_sorted_by(|a, b| a < b));
        prop_assert_eq!(&Grams::from_hashes(grams.as_slice().iter().rev().copied().collect()), &grams);
        let found = rank(&Question::of(&text), [((), &grams)], 6);
        // A text of a letter or two is like nothing.
        prop_assert_eq!(found.len(), usize::from(Question::of(&text).is_like(&grams)));
        prop_assert!(found.iter().all(|similar| similar.score == 1.0));
    }

    #[test]
    fn results_are_bounded_ordered_and_explained(
        question in any_text(),
        known in proptest::collection::vec(any_text(), 0..20),
        limit in 0_usize..10,
    ) {
        let all = || known.iter().enumerate().map(|(key, text)| (key, Grams::of(text)));
        let found = rank(&Question::of(&question), all(), limit);
        prop_assert!(found.len() <= limit.min(MAX_SIMILAR));
        prop_assert!(found.iter().all(|similar| (FLOOR..=1.0 + 1e-12).contains(&similar.score)));
        prop_assert!(found.is_sorted_by(|a, b| (b.score, a.key) <= (a.score, b.key)));
        prop_assert_eq!(found.iter().map(|s| s.key).collect::<BTreeSet<_>>().len(), found.len());
        prop_assert_eq!(&rank(&Question::of(&question), all(), limit), &found);
        // The order of the candidates makes no difference.
        let backwards = rank(&Question::of(&question), all().collect::<Vec<_>>().into_iter().rev(), limit);
        prop_assert_eq!(&backwards, &found);
        for similar in &found {
            prop_assert!(!shared(&question, &known[similar.key]).is_empty());
        }
    }

    /// The overlap of two texts of similar length is symmetric.
    #[test]
    fn likeness_has_two_sides(a in "([a-e]{6} ){4,8}", b in "([a-e]{6} ){4,8}") {
        let score = |a: &str, b: &str| {
            let found = rank(&Question::of(a), [((), Grams::of(b))], 1);
            found.first().map(|similar| similar.score)
        };
        let ratio = Grams::of(&a).as_slice().len() as f64 / Grams::of(&b).as_slice().len() as f64;
        if let (Some(there), Some(back)) = (score(&a, &b), score(&b, &a)) {
            // Everything shared weighs the same, and so does everything else.
            let spread = 2.0 * ratio.max(1.0 / ratio);
            prop_assert!(there <= back * spread && back <= there * spread, "{there} {back}");
        }
    }
}
