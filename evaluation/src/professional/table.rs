//! Formats the document of the professional tasks.

use std::fmt::Write as _;

use super::{
    results::{Games, Played, median, sum},
    task::{Task, Verdict},
};

const ABOUT: &str = include_str!("about.md");

/// A person's view of one run.
pub(super) fn transcript(task: &Task, command: &str, shown: &str) -> String {
    format!(
        "# {}\n\nWritten by `{command}`; do not edit.\n\n\
         The answers of the model are those of a [game by hand](../professional.md); everything else is done as it is shown.\n\n\
         `artoo run {:?}`:\n\n```text\n{}\n```\n",
        task.about,
        task.request,
        shown.trim()
    )
}

/// The document.
pub(super) fn document(games: &Games) -> String {
    let (sabotaged, fair): (Vec<&Played>, Vec<&Played>) =
        games.played.iter().partition(|game| game.sabotaged);
    let mut text =
        format!("# Professional tasks, played by hand\n\nWritten by `{}`; do not edit.\n", games.command);
    // Writing to a string cannot fail.
    let _ = write!(text, "\n- date: {}\n- machine: {}\n\n{}", games.date, games.machine, ABOUT.trim_end());
    text.push_str("\n\n## All together\n\n");
    sums(&mut text, &fair);
    text.push_str("\n## Each\n\n| task | work | end | by the grader | calls (plain) | depth | tokens read (plain) | tokens written (plain) | cached | cost | repairs | questions | own seconds |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
    for game in &fair {
        let tokens = game.tokens();
        let _ = writeln!(
            text,
            "| {} | {} | {} | {}{} | {} ({}) | {} | {} ({}) | {} ({}) | {} % | {} | {} | {} | {:.1} |",
            game.name,
            game.about,
            ended(game),
            game.verdict.name(),
            objections(game),
            game.calls,
            game.plain.calls,
            game.depth,
            tokens.prompt,
            game.plain.tokens.prompt,
            tokens.completion,
            game.plain.tokens.completion,
            percent(tokens.cached, tokens.prompt),
            times(game.cost()),
            game.repairs,
            game.questions,
            game.seconds
        );
    }
    text.push_str("\n## Tokens by role\n\n| role | read | of that cached | written |\n|---|---|---|---|\n");
    let mut roles: Vec<&String> = fair.iter().flat_map(|game| game.roles.keys()).collect();
    roles.sort_unstable();
    roles.dedup();
    for role in roles {
        let tokens = sum(fair.iter().filter_map(|game| game.roles.get(role)));
        let _ = writeln!(
            text,
            "| {role} | {} | {} % | {} |",
            tokens.prompt,
            percent(tokens.cached, tokens.prompt),
            tokens.completion
        );
    }
    text.push_str("\n## Sabotaged\n\n| task | end | by the grader |\n|---|---|---|\n");
    for game in &sabotaged {
        let _ = writeln!(
            text,
            "| {} | {} | {}{} |",
            game.name,
            ended(game),
            game.verdict.name(),
            objections(game)
        );
    }
    text
}

fn sums(text: &mut String, fair: &[&Played]) {
    let count = |verdict: Verdict| fair.iter().filter(|game| game.verdict == verdict).count();
    let tokens = sum(&fair.iter().map(|game| game.tokens()).collect::<Vec<_>>());
    let all = tokens.prompt.saturating_add(tokens.completion);
    let calls: u64 = fair.iter().map(|game| game.calls).sum();
    let plain_calls: u64 = fair.iter().map(|game| game.plain.calls).sum();
    let plain = sum(fair.iter().map(|game| &game.plain.tokens));
    let plain_tokens = plain.prompt.saturating_add(plain.completion);
    let near = fair.iter().filter(|game| game.calls <= game.plain.calls.saturating_add(2)).count();
    let costs = median(fair.iter().filter_map(|game| game.cost()).collect());
    let repairs: u64 = fair.iter().map(|game| game.repairs).sum();
    let reworded: u64 = fair.iter().map(|game| game.reworded).sum();
    let rows = [
        ("right", format!("{} of {}", count(Verdict::Right), fair.len())),
        ("honest, but not done", count(Verdict::Honest).to_string()),
        ("**wrong**", count(Verdict::Wrong).to_string()),
        ("model calls", format!("{calls}, a plain loop {plain_calls}: {} x", ratio(calls, plain_calls))),
        (
            "tokens, read and written",
            format!("{all}, a plain loop {plain_tokens}: {} x", ratio(all, plain_tokens)),
        ),
        ("games with at most two calls more than a plain loop", format!("{near} of {}", fair.len())),
        ("cost beside a plain loop, median", times(costs)),
        ("of the tokens read, cached", format!("{} %", percent(tokens.cached, tokens.prompt))),
        ("of those of the plain loop, cached", format!("{} %", percent(plain.cached, plain.prompt))),
        ("calls that repair a structured answer", repairs.to_string()),
        (
            "questions of the model that read otherwise than when they were answered",
            format!("{reworded} of {calls}"),
        ),
    ];
    text.push_str("| sum | |\n|---|---|\n");
    for (name, value) in rows {
        let _ = writeln!(text, "| {name} | {value} |");
    }
}

fn ended(game: &Played) -> String {
    let exit = game.exit.map(|code| format!(", exit {code}")).unwrap_or_default();
    format!("{}{exit}", if game.directive.is_empty() { "none" } else { &game.directive })
}

fn objections(game: &Played) -> String {
    if game.objections.is_empty() {
        String::new()
    } else {
        format!(": {}", game.objections.join("; ").replace('|', "\\|").replace("](", "]\\("))
    }
}

/// A ratio, if it is known.
fn times(ratio: Option<f64>) -> String {
    ratio.map_or_else(|| "-".to_owned(), |ratio| format!("{ratio:.2} x"))
}

fn percent(part: u64, whole: u64) -> u64 {
    part.saturating_mul(100).checked_div(whole).unwrap_or_default()
}

fn ratio(one: u64, other: u64) -> String {
    if other == 0 { "-".to_owned() } else { format!("{:.2}", one as f64 / other as f64) }
}
