//! Answers what a run asks: a command would change a file, and is let do it because the trial of it changed nothing but the shopping
//! list. The model follows a script.

mod support;

use artoo::{Answer, Artoo, Question, Request};
use serde_json::json;

const REQUEST: &str = "Put plums on my shopping list";

fn answer(question: &Question) -> Answer {
    let Question::Effect(asked) = question else { return Answer::No };
    let is_listed = asked.effects.iter().all(|effect| effect.what.ends_with("shopping.txt"));
    if is_listed { Answer::Yes } else { Answer::Words("Change nothing but shopping.txt".to_owned()) }
}

#[tokio::main]
pub(crate) async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = support::folder()?;
    let append = "echo plums >> shopping.txt; cat shopping.txt";
    let call = json!({"tool": "shell", "arguments": {"command": append}, "output_is_answer": true});
    let model = support::model((REQUEST, "change"), call, "Plums are on the list");
    let builder = Artoo::builder().model(model).data_folder(folder.path().join("data"));
    let artoo = builder.person(answer).build()?;

    let result = artoo.run(Request::new(REQUEST).folder(folder.path()))?.await;
    let list = std::fs::read_to_string(folder.path().join("shopping.txt"))?;
    if list == "apples\npears\nplums\n" { Ok(()) } else { Err(result.summary.into()) }
}
