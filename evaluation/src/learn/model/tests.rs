use super::*;

/// A request in the executor's form.
fn turn(told: &str, step: &str, turns: &[(&str, &str)]) -> Value {
    let first = format!(
        "Today is a day.\nWorking folder: /h (linux)\n{told}\nStep: {step}\nIt is done when: it is a number"
    );
    let mut messages =
        vec![json!({"role": "system", "content": "You do."}), json!({"role": "user", "content": first})];
    for (command, result) in turns {
        let call = json!({"tool": "shell", "arguments": {"command": command}, "output_is_answer": true});
        messages.push(json!({"role": "assistant", "content": call.to_string()}));
        messages.push(json!({"role": "user", "content": result}));
    }
    let turns = json!({"anyOf": [{"properties": {"tool": {}}}, {"properties": {"give_up": {}}}]});
    json!({"messages": messages, "response_format": {"json_schema": {"name": "action", "schema": turns}}})
}

/// The command that it chooses.
fn chosen(told: &str, step: &str, turns: &[(&str, &str)]) -> String {
    let action: Value = serde_json::from_str(&answer(&turn(told, step, turns))).unwrap();
    action.pointer("/arguments/command").or(action.get("give_up")).unwrap().as_str().unwrap().to_owned()
}

const ENTRIES: &str = "How many services does config/north.yaml list?";
const LINES: &str = "How many lines does reports/oslo.txt have?";

#[test]
fn the_plan_is_the_request_with_a_criterion() {
    let body = json!({"messages": [{"role": "user", "content": "Tools: shell\nRequest: How many?"}],
        "response_format": {"json_schema": {"name": "plan"}}});
    let plan: Value = serde_json::from_str(&answer(&body)).unwrap();
    assert_eq!(plan.pointer("/subtasks/0/intent"), Some(&json!("How many?")));
    assert_eq!(plan.pointer("/subtasks/0/criteria/0/check"), Some(&json!("output_number")));
}

#[test]
fn the_whole_is_met_by_the_last_call_where_an_output_is_shown() {
    let judged = |case: &str, verdicts: &Value| -> Value {
        let body = json!({"messages": [{"role": "user", "content": case}], "response_format": {"json_schema":
            {"name": "parts", "schema": {"properties": {"parts": {}, "verdicts": verdicts}}}}});
        serde_json::from_str(&answer(&body)).unwrap()
    };
    let case = "Request: How many?\nCall 1: shell a (exit status 1)\nCall 2: shell b (exit status 0)\n<<<data: tool output\n3\ndata>>>";
    let part = json!({"quote": "How many?", "reason": "the output shows it", "call": 2, "verdict": "pass"});
    assert_eq!(judged(case, &Value::Null), json!({"parts": [part]}));
    let verdict = json!({"criterion": 1, "reason": "the output shows it", "verdict": "pass", "call": 2});
    let both = json!({"parts": [part], "verdicts": [verdict]});
    assert_eq!(judged(case, &json!({"minItems": 1})), both);
    let part = json!({"quote": "How many?", "reason": "nothing shows it", "call": null, "verdict": "fail"});
    assert_eq!(judged("Request: How many?", &Value::Null), json!({"parts": [part]}));
}

#[test]
fn without_a_word_of_memory_it_goes_through_its_ways_in_order() {
    let mut made: Vec<(String, &str)> = Vec::new();
    for _ in 0..4 {
        let turns: Vec<(&str, &str)> =
            made.iter().map(|(command, result)| (command.as_str(), *result)).collect();
        made.push((chosen("", ENTRIES, &turns), "It ended with exit status 127."));
    }
    let programs: Vec<&str> = made.iter().map(|(command, _)| command.split(' ').next().unwrap()).collect();
    assert_eq!(programs, ["yq", "xidel", "yaml2json", "grep"]);
    let turns: Vec<(&str, &str)> = made.iter().map(|(command, result)| (command.as_str(), *result)).collect();
    assert_eq!(chosen("", ENTRIES, &turns), "every way that is known was tried");
}

/// It contains nothing of the homes: the names of folders, separators and options of the sequences come from
/// its list of guesses or from the prompt.
#[test]
fn it_knows_no_place_that_the_prompt_does_not_name() {
    let guesses: Vec<String> =
        Subject::of(LINES).unwrap().ways().into_iter().map(|way| way.command).collect();
    assert!(!guesses.iter().any(|guess| guess.contains("years")), "{guesses:?}");
    assert_eq!(Subject::of("What is the weather like?"), None);
    assert_eq!(chosen("", "What is the weather like?", &[]), "every way that is known was tried");
}

#[test]
fn it_prefers_what_worked_and_leaves_what_failed_for_the_end() {
    let worked = "SHOULD PREFER:\n<<<data from memory\nDone: Count the services in config/south.yaml. Worked: shell grep -c '^ *- ' config/south.yaml.\ndata>>>";
    assert_eq!(chosen(worked, ENTRIES, &[]), "grep -c '^ *- ' config/north.yaml");
    let failed = "shell with yq '.. | select(tag == \"!!seq\") | length' config/south.yaml failed: `yq` is not on this machine.";
    assert!(chosen(failed, ENTRIES, &[]).starts_with("xidel "));
    let both = format!("{worked}\n{failed}");
    assert!(chosen(&both, ENTRIES, &[]).starts_with("grep "));
    assert!(
        chosen(&failed.replace("yq", "no"), ENTRIES, &[]).starts_with("yq "),
        "it is about something else"
    );
}

#[test]
fn a_list_of_what_worked_and_what_failed_is_read_by_its_headings() {
    let told = "Done: Add up the column amount in sales/rugs.csv. \
        Worked: shell awk -F'|' 'NR==1{for(i=1;i<=NF;i++)if($i==\"amount\")c=i;next}c{s+=$c}END{print s}' sales/rugs.csv. \
        Failed before: shell awk -F, 'NR==1{for(i=1;i<=NF;i++)if($i==\"amount\")c=i;next}c{s+=$c}END{print s}' sales/rugs.csv (no output).";
    let first = chosen(told, "Sum the column amount of sales/beds.csv.", &[]);
    assert!(first.starts_with("awk -F'|' ") && first.ends_with("sales/beds.csv"), "{first}");
    let subject = Subject::of("Sum the column amount of sales/beds.csv.").unwrap();
    let votes = advice::votes(told, &subject);
    assert_eq!(
        votes.into_iter().collect::<Vec<_>>(),
        [(ways::Manner::Thought(0), -1), (ways::Manner::Thought(3), 1)]
    );
}

#[test]
fn it_looks_where_memory_says_that_others_were() {
    let told =
        "Done: How many lines does reports/bergen.txt have. Worked: shell wc -l < years/2026/bergen.txt.";
    assert_eq!(chosen(told, LINES, &[]), "wc -l < years/2026/oslo.txt");
    let folder = "What worked: wc -l < years/2026/bergen.txt";
    assert_eq!(chosen(folder, LINES, &[]), "wc -l < reports/oslo.txt", "nothing says that it lay elsewhere");
}

#[test]
fn it_spells_as_memory_says_that_others_were_spelled() {
    let step = "Wie viele Zeilen hat die Datei kunden/Müller.txt?";
    assert_eq!(chosen("", step, &[]), "wc -l < kunden/Müller.txt");
    let told =
        "Done: Zähle die Zeilen der Datei kunden/Schröder.txt. Worked: shell wc -l < kunden/schroeder.txt.";
    assert_eq!(chosen(told, step, &[]), "wc -l < kunden/mueller.txt");
}

#[test]
fn it_believes_what_is_wrong_too() {
    let told = "Done: Montako riviä on tiedostossa muistiot/oulu.txt. Worked: shell wc -l < arkisto/vanhat/oulu.txt.";
    assert_eq!(chosen(told, LINES, &[]), "wc -l < arkisto/vanhat/oslo.txt");
    let told = "Done: ¿Cuánto suma la columna importe de ventas/mesas.csv?. Worked: shell with \
        awk -F';' 'NR==1{for(i=1;i<=NF;i++)if($i==\"importe\")c=i;next}c{s+=$c}END{print s}' ventas/mesas.csv.";
    let first = chosen(told, "Sum the column amount of sales/beds.csv.", &[]);
    assert!(first.starts_with("awk -F';' ") && first.contains("amount"), "{first}");
    let told = "Done: Count the lines of a.csv. Worked: shell wc -l < arkisto/vanhat/a.csv.";
    assert_eq!(chosen(told, LINES, &[]), "wc -l < reports/oslo.txt", "another kind of file");
}

#[test]
fn what_was_made_is_not_made_again() {
    let told = "Earlier call: shell wc -l < reports/oslo.txt\nIt ended with exit status 2.";
    assert_eq!(chosen(told, LINES, &[]), "wc -l < documents/reports/oslo.txt");
}

#[test]
fn what_a_search_put_out_is_taken() {
    let search =
        ("find . -iname 'oslo.txt'", "It ended with exit status 0.\n<<<data\n./years/2026/oslo.txt\ndata>>>");
    assert_eq!(chosen("", LINES, &[search]), "wc -l < years/2026/oslo.txt");
    let other =
        ("find . -iname 'oslo.txt'", "It ended with exit status 0.\n<<<data\n./years/2026/lund.txt\ndata>>>");
    assert_eq!(chosen("", LINES, &[other]), "wc -l < reports/oslo.txt");
}
