//! Words that name a time by where the speaker stands in it: "yesterday", "letzte Woche", 今年.
//!
//! They stay as the user wrote them: whoever plans, acts and judges knows the date, and a date that R1 puts in their place may be wrong
//! (lesson 57). The table is closed and errs towards too much: a word taken for a time word costs a line of the prompt at most. "now",
//! "then" and "may" are left out; they seldom name a time.

use std::collections::BTreeSet;

/// Of the languages that put blanks or marks between words, in lower case.
const SPACED: &str = "
    today|tonight|yesterday|tomorrow|day before yesterday|day after tomorrow|last night|ago|recently|lately
    this morning|this afternoon|this evening|yesterday morning|tomorrow morning
    last hour|last week|last weekend|last month|last quarter|last year|past week|past month|past year
    this week|this weekend|this month|this quarter|this year|next week|next weekend|next month|next quarter|next year
    monday|tuesday|wednesday|thursday|friday|saturday|sunday
    january|february|march|april|june|july|august|september|october|november|december

    heute|gestern|vorgestern|morgen|übermorgen|heute morgen|heute abend|gestern abend|kürzlich|neulich
    letzte woche|letzter woche|letztes wochenende|letzten monat|letztes jahr|letztem jahr|vorige woche|voriges jahr
    diese woche|dieser woche|dieses wochenende|diesen monat|dieses jahr|diesem jahr|heuer
    nächste woche|nächster woche|nächstes wochenende|nächsten monat|nächstes jahr|nächstem jahr
    vergangene woche|vergangenen monat|vergangenes jahr|kommende woche|kommenden monat|kommendes jahr
    montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonnabend|sonntag
    januar|jänner|februar|märz|juni|juli|oktober|dezember

    aujourd'hui|aujourd’hui|hier|avant-hier|demain|après-demain|hier soir|ce matin|ce soir|cet après-midi|récemment
    la semaine dernière|semaine dernière|le mois dernier|mois dernier|l'année dernière|l’année dernière|année dernière|l'an dernier
    cette semaine|ce mois|ce mois-ci|cette année|ce week-end|la semaine prochaine|semaine prochaine
    le mois prochain|mois prochain|l'année prochaine|l’année prochaine|année prochaine|l'an prochain
    lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche
    janvier|février|avril|juin|juillet|août|septembre|octobre|novembre|décembre

    hoy|ayer|anteayer|mañana|pasado mañana|anoche|esta mañana|esta tarde|esta noche|recientemente
    la semana pasada|semana pasada|el mes pasado|mes pasado|el año pasado|año pasado
    esta semana|este fin de semana|este mes|este año|la próxima semana|próxima semana|semana próxima|la semana que viene
    el próximo mes|próximo mes|mes que viene|el próximo año|próximo año|año que viene
    lunes|martes|miércoles|jueves|viernes|sábado|domingo
    enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre
";

/// Of the languages that do not.
const UNSPACED: &str = "
    今天|昨天|前天|大前天|明天|后天|後天|大后天|今日|昨日|明日|今早|今晚|昨晚|明晚|昨夜|刚才|剛才|最近
    上周|上週|这周|這週|本周|本週|下周|下週|周末|週末|上周末|这周末|下周末
    上星期|这星期|這星期|下星期|上个星期|上個星期|这个星期|這個星期|下个星期|下個星期|上礼拜|这礼拜|下礼拜
    上个月|上個月|上月|这个月|這個月|本月|下个月|下個月|下月|上个季度|本季度|下个季度
    今年|去年|前年|明年|后年|後年|本年|年初|年底
    周一|周二|周三|周四|周五|周六|周日|週一|週二|週三|週四|週五|週六|週日
    星期一|星期二|星期三|星期四|星期五|星期六|星期日|星期天

    一昨日|明後日|おととい|きのう|きょう|あした|あさって|昨夜|今夜|今朝|今晩|先ほど
    先週|今週|来週|先々週|再来週|先月|今月|来月|先々月|再来月|昨年|一昨年|来年|再来年|おととし
    月曜|火曜|水曜|木曜|金曜|土曜|日曜
";

/// The time words of a text, in lower case; of those that begin at one place, the longest.
pub(crate) fn time_words(text: &str) -> BTreeSet<String> {
    // One blank between words, as in the table.
    let text = text.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ");
    let (spaced, unspaced): (Vec<&str>, Vec<&str>) = (entries(SPACED).collect(), entries(UNSPACED).collect());
    let mut found = BTreeSet::new();
    let mut before: Option<char> = None;
    let mut rest = text.as_str();
    while let Some(first) = rest.chars().next() {
        let alone = spaced.iter().filter(|entry| stands_alone(before, entry, rest));
        let within = unspaced.iter().filter(|entry| rest.starts_with(**entry));
        let word: Option<&str> = alone.chain(within).copied().max_by_key(|entry| entry.len());
        found.extend(word.map(str::to_owned));
        // A word within a word that was found is none of its own: 昨日 in 一昨日.
        let step = word.map_or(first.len_utf8(), str::len);
        let Some((passed, ahead)) = rest.split_at_checked(step) else { break };
        (before, rest) = (passed.chars().next_back(), ahead);
    }
    found
}

fn entries(table: &'static str) -> impl Iterator<Item = &'static str> {
    table.lines().flat_map(|line| line.split('|')).map(str::trim).filter(|entry| !entry.is_empty())
}

/// Whether the text begins with this and no letter of another word touches it. Chinese and Japanese may.
fn stands_alone(before: Option<char>, entry: &str, rest: &str) -> bool {
    let joins = |c: char| c.is_alphanumeric() && c < '\u{2e80}';
    let after = rest.strip_prefix(entry);
    after.is_some_and(|after| !before.is_some_and(joins) && !after.chars().next().is_some_and(joins))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_words_are_found_in_six_languages() {
        let table: &[(&str, &[&str])] = &[
            ("What changed Yesterday, and what last  week?", &["last week", "yesterday"]),
            ("the day before yesterday", &["day before yesterday"]),
            ("three days ago, not on Friday", &["ago", "friday"]),
            (
                "Was habe ich gestern und in der letzten Woche, äh, letzte Woche getan?",
                &["gestern", "letzte woche"],
            ),
            ("la liste d’hier et d'aujourd'hui", &["aujourd'hui", "hier"]),
            ("¿Qué hice ayer y el año pasado?", &["ayer", "el año pasado"]),
            ("今年的春节是哪一天", &["今年"]),
            ("上周五的文件", &["上周"]),
            ("一昨日のファイルと先週のメモ", &["一昨日", "先週"]),
            ("今天changed的files", &["今天"]),
        ];
        for (text, expected) in table {
            let expected: BTreeSet<String> = expected.iter().map(|word| (*word).to_owned()).collect();
            assert_eq!(time_words(text), expected, "{text}");
        }
    }

    #[test]
    fn other_words_are_none() {
        for text in [
            "Sort them again and now for b.txt",
            "sundays.txtx is unmarched",
            "chiers, agora",
            "日記を読む",
            "",
        ] {
            assert_eq!(time_words(text), BTreeSet::new(), "{text}");
        }
    }
}
