//! A tool of the program's own, beside the standard ones: a function. One that needs more (files, consent, other tasks) implements
//! `artoo::tools::Tool`. The model follows a script.

mod support;

use artoo::{Artoo, Request, tools::FunctionTool};
use serde_json::json;

const REQUEST: &str = "How many plums are in store?";

#[tokio::main]
pub(crate) async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let article = json!({"type": "string", "maxLength": 64, "description": "its name"});
    let arguments =
        json!({"type": "object", "properties": {"article": article}, "additionalProperties": false});
    let stock = FunctionTool::new("stock", "how many of an article are in store", arguments, |arguments| {
        let article = arguments.get("article").ok_or("name the article")?;
        Ok(if article == "plums" { "17" } else { "0" }.to_owned())
    });

    let folder = support::folder()?;
    let call = json!({"tool": "stock", "arguments": {"article": "plums"}, "output_is_answer": true});
    let model = support::model((REQUEST, "find_out"), call, "17");
    let artoo =
        Artoo::builder().model(model).data_folder(folder.path().join("data")).tool(stock.reads()).build()?;
    let result = artoo.run(Request::new(REQUEST).folder(folder.path()))?.await;
    if result.output == "17" { Ok(()) } else { Err(result.summary.into()) }
}
