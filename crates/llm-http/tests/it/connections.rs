//! Connections: their number, their lifetime, and that unneeded ones are closed.

use std::sync::Arc;
use std::time::Duration;

use artoo_llm_client::LlmClient;
use artoo_llm_http::doubles::{MockServer, Reply, Step};
use artoo_llm_http::{HttpConfig, OpenAiCompatible, ProxyPolicy};

use crate::{client, config, request};

#[tokio::test]
async fn dropping_the_future_closes_the_connection() {
    let replies = [
        Reply::stall(),
        Reply::steps([Step::Head, Step::Stall]),
        Reply::steps([Step::delta("thr"), Step::Stall]),
    ];
    for reply in replies {
        let server = MockServer::start(move |_| reply.clone()).await.unwrap();
        let model = client(&server);
        let request = request();
        let mut call = Box::pin(model.complete(&request));
        tokio::select! {
            _ = &mut call => panic!("there is no answer"),
            _ = server.wait_until(|stats| stats.requests == 1) => {}
        }
        assert_eq!(server.stats().open, 1);
        drop(call);
        server.wait_until(|stats| stats.open == 0).await;
    }
}

#[tokio::test]
async fn lesson_350_connections_are_bounded_and_used_again() {
    let server = MockServer::start(|_| Reply::text("ok").after(Duration::from_millis(1))).await.unwrap();
    let model =
        Arc::new(OpenAiCompatible::new(HttpConfig { max_connections: 4, ..config(&server) }).unwrap());
    let mut calls = tokio::task::JoinSet::new();
    for _ in 0..100 {
        let model = Arc::clone(&model);
        calls.spawn(async move { model.complete(&request()).await.unwrap() });
    }
    assert_eq!(calls.join_all().await.len(), 100);
    let stats = server.stats();
    assert_eq!(stats.requests, 100);
    assert!(stats.max_open <= 4, "{stats:?}");
    assert!(stats.accepted <= 8, "connections are used again: {stats:?}");
}

#[tokio::test]
async fn a_server_that_keeps_the_stream_open_after_its_end_holds_nobody_up() {
    let server = MockServer::start(|_| Reply::steps([Step::delta("three"), Step::finish(), Step::Stall]))
        .await
        .unwrap();
    assert_eq!(client(&server).complete(&request()).await.unwrap().text, "three");
    server.wait_until(|stats| stats.open == 0).await;
}

#[tokio::test]
async fn redirects_are_not_followed() {
    let other = MockServer::start(|_| Reply::text("stolen")).await.unwrap();
    let location = other.base_url();
    let server =
        MockServer::start(move |_| Reply::status(307, "").header("location", &location)).await.unwrap();
    let error = client(&server).complete(&request()).await.unwrap_err();
    assert!(error.to_string().contains("answered 307"), "{error}");
    assert_eq!(other.stats().accepted, 0);
}

#[tokio::test]
async fn a_proxy_is_used_only_where_it_is_asked_for() {
    // A proxy for http:// gets the whole address in the request line, so a mock server can act as one.
    let proxy = MockServer::start(|_| Reply::text("through the proxy")).await.unwrap();
    let server = MockServer::start(|_| Reply::text("direct")).await.unwrap();
    let text = async |policy: ProxyPolicy| {
        let model = OpenAiCompatible::new(HttpConfig { proxy: policy, ..config(&server) }).unwrap();
        model.complete(&request()).await.unwrap().text
    };
    assert_eq!(text(ProxyPolicy::System).await, "direct");
    assert_eq!(text(ProxyPolicy::None).await, "direct");
    assert_eq!(text(ProxyPolicy::Url(proxy.base_url())).await, "through the proxy");
    assert!(proxy.calls()[0].path.starts_with(&server.base_url()));
}

#[tokio::test]
async fn https_with_system_certificates_can_be_built() {
    let config = HttpConfig {
        base_url: "https://127.0.0.1:1".into(),
        proxy: ProxyPolicy::None,
        ..HttpConfig::new("", "m")
    };
    let config = HttpConfig { retry: artoo_llm_client::RetryPolicy::NONE, ..config };
    let error = OpenAiCompatible::new(config).unwrap().complete(&request()).await.unwrap_err();
    assert!(
        error.to_string().starts_with("cannot reach the model server at https://127.0.0.1:1/v1/"),
        "{error}"
    );
}
