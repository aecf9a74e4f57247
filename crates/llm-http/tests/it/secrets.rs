//! An API key is only ever sent to the server.

use artoo_llm_client::LlmClient;
use artoo_llm_http::doubles::{MockServer, Reply};
use artoo_llm_http::{Anthropic, ApiKey, HttpConfig, OpenAiCompatible, ProxyPolicy, served_models};

use crate::{config, request};

const CANARY: &str = "canary-7a1e-0123456789";

#[tokio::test]
async fn no_error_and_no_debug_form_holds_the_key() {
    let echoes = [
        Reply::status(401, format!("{{\"error\": {{\"message\": \"bad key {CANARY}\"}}}}")),
        Reply::status(500, format!("<title>{CANARY}</title>")),
        Reply::status(400, format!("x{CANARY}x")),
        Reply::body("text/plain", format!("what is {CANARY}?")),
        Reply::body("text/html", format!("<title>{CANARY}</title>")),
        Reply::body("text/event-stream", format!("data: {{\"error\": \"{CANARY}\"}}\n\n")),
        Reply::body("text/event-stream", format!("data: {CANARY}\n\n")),
    ];
    for reply in echoes {
        let server = MockServer::start(move |_| reply.clone()).await.unwrap();
        let api_key = Some(ApiKey::new(CANARY).unwrap());
        let key = api_key.clone();
        let config = HttpConfig { api_key, ..config(&server) };
        let shown = format!("{config:?}");
        let (openai, anthropic) =
            (OpenAiCompatible::new(config.clone()).unwrap(), Anthropic::new(config).unwrap());
        let first = openai.complete(&request()).await.unwrap_err();
        let second = anthropic.complete(&request()).await.unwrap_err();
        let listed = served_models(&HttpConfig { api_key: key, ..self::config(&server) }).await.unwrap_err();
        for text in [
            shown,
            format!("{openai:?} {anthropic:?} {first} {first:?} {second} {second:?}"),
            format!("{listed} {listed:?}"),
        ] {
            assert!(!text.contains("canary"), "{text}");
        }
    }
}

#[test]
fn addresses_with_credentials_show_nowhere() {
    let config = HttpConfig {
        proxy: ProxyPolicy::Url(format!("http://me:{CANARY}@proxy:1")),
        ..HttpConfig::new(format!("https://me:{CANARY}@host/v1?key={CANARY}"), "m")
    };
    let error = OpenAiCompatible::new(config.clone()).unwrap_err();
    assert!(!format!("{config:?} {error} {error:?}").contains("canary"));
    let config = HttpConfig { base_url: format!("https://host/v1?key={CANARY}"), ..config };
    let model = OpenAiCompatible::new(config.clone()).unwrap();
    assert!(!format!("{config:?} {model:?} {}", model.endpoint()).contains("canary"));
    let config = HttpConfig { proxy: ProxyPolicy::Url(format!("http://[{CANARY}")), ..config };
    assert!(!OpenAiCompatible::new(config).unwrap_err().to_string().contains("canary"));
}
