//! What homes are made of: names in several languages, and text that says nothing.

use super::Home;
use crate::rng::Draw;

const FOLDERS: [&str; 14] = [
    "reports",
    "Berichte",
    "informes",
    "asiakirjat",
    "资料",
    "書類",
    "documentos",
    "Mes papiers",
    "team notes",
    "rapporter",
    "verkko",
    "2024 archive",
    "übersicht",
    "office",
];
const ASIDE: [&str; 8] = ["misc", "vrac", "sekalaista", "杂项", "その他", "outros", "Ablage", "old stuff"];
const STEMS: [&str; 20] = [
    "plan",
    "résumé",
    "huomio",
    "möte",
    "笔记",
    "メモ",
    "orçamento",
    "Liste",
    "viaje",
    "budget draft",
    "kokous",
    "invoice",
    "Entwurf",
    "agenda",
    "tavoite",
    "会议",
    "予定",
    "ficha",
    "carnet",
    "todo",
];
/// None of them is part of another, and none is a word of the text.
const TOKENS: [&str; 12] = [
    "kingfisher",
    "Leuchtturm",
    "tilhi",
    "girasol",
    "琥珀",
    "gingembre",
    "lanterna",
    "すずめ",
    "velvet",
    "Zahnrad",
    "kaneli",
    "brújula",
];
const PEOPLE: [&str; 16] = [
    "Aino Virtanen",
    "José Prado",
    "Mei Lin",
    "Yuki Tanaka",
    "Klara Böhm",
    "Omar Haddad",
    "Inês Duarte",
    "Luc Moreau",
    "Nora Quinn",
    "Pavel Novák",
    "Sofia Rossi",
    "Ebba Lund",
    "王伟",
    "佐藤 花",
    "Tomás Vega",
    "Hanna Korpi",
];
const CITIES: [&str; 9] = ["Lisboa", "Turku", "Kyoto", "München", "Sevilla", "Lyon", "成都", "Gent", "Oslo"];
const THINGS: [&str; 16] = [
    "lamp",
    "Regal",
    "silla",
    "tuoli",
    "椅子",
    "ランプ",
    "mesa",
    "tapis",
    "kettle",
    "Schrank",
    "hylly",
    "毛布",
    "vaso",
    "coussin",
    "clock",
    "Spiegel",
];
const WORDS: [&str; 24] = [
    "the", "garden", "morning", "Fenster", "und", "Straße", "kahvi", "sekä", "metsä", "camino", "lluvia",
    "pero", "rivière", "souvent", "maison", "chuva", "sempre", "praia", "water", "behind", "kirja", "Abend",
    "tarde", "table",
];

/// A home with some folders that have nothing to do with any request.
pub(super) fn furnished(draw: &mut Draw) -> Home {
    let mut home = Home::default();
    for folder in some(draw, &ASIDE, 2) {
        for stem in some(draw, &STEMS, 3) {
            let ending = draw.one_of(&["txt", "md", "log"]);
            let lines = draw.between(2, 5);
            home.put(format!("{folder}/{stem}.{ending}"), text(draw, lines));
        }
    }
    home
}

/// A folder for what a request is about.
pub(super) fn folder(draw: &mut Draw) -> &'static str {
    pick(draw, &FOLDERS)
}

/// Two folders.
pub(super) fn two_folders(draw: &mut Draw) -> (&'static str, &'static str) {
    let picked = some(draw, &FOLDERS, 2);
    (picked.first().copied().unwrap_or("a"), picked.last().copied().unwrap_or("b"))
}

/// Names of files without their endings, no two alike.
pub(super) fn stems(draw: &mut Draw, count: usize) -> Vec<&'static str> {
    some(draw, &STEMS, count)
}

/// Words that no text holds, no two alike.
pub(super) fn tokens(draw: &mut Draw, count: usize) -> Vec<&'static str> {
    some(draw, &TOKENS, count)
}

/// People, no two alike.
pub(super) fn people(draw: &mut Draw, count: usize) -> Vec<&'static str> {
    some(draw, &PEOPLE, count)
}

/// Cities, no two alike.
pub(super) fn cities(draw: &mut Draw, count: usize) -> Vec<&'static str> {
    some(draw, &CITIES, count)
}

/// Things that can be sold, no two alike.
pub(super) fn things(draw: &mut Draw, count: usize) -> Vec<&'static str> {
    some(draw, &THINGS, count)
}

/// Some of the items, in an order by lot.
pub(super) fn some(draw: &mut Draw, items: &[&'static str], count: usize) -> Vec<&'static str> {
    let mut items = items.to_vec();
    draw.shuffle(&mut items);
    items.truncate(count);
    items
}

/// One of the items.
pub(super) fn pick(draw: &mut Draw, items: &[&'static str]) -> &'static str {
    some(draw, items, 1).first().copied().unwrap_or_default()
}

/// A count as an index or a length.
pub(super) fn count(draw: &mut Draw, low: u64, high: u64) -> usize {
    usize::try_from(draw.between(low, high)).unwrap_or_default()
}

/// A line of words.
pub(super) fn line(draw: &mut Draw) -> String {
    let words = draw.between(4, 9);
    (0..words).map(|_| draw.one_of(&WORDS)).collect::<Vec<_>>().join(" ")
}

/// Lines of words.
pub(super) fn text(draw: &mut Draw, lines: u64) -> String {
    (0..lines).map(|_| line(draw) + "\n").collect()
}

/// Cents as people write them: 12.50.
pub(super) fn money(cents: u64) -> String {
    format!("{}.{:02}", cents / 100, cents % 100)
}
