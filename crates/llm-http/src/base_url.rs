//! Resolves a base URL pasted by a person to the endpoint URL.

use std::net::IpAddr;

use artoo_llm_client::LlmError;
use reqwest::Url;

/// The parts in which the endpoints of the two wire formats differ.
pub(crate) struct Endpoint {
    /// Suffixes that people paste after the base address, longest first.
    pub(crate) pasted: &'static [&'static str],
    /// Replaces an empty path.
    pub(crate) default_path: &'static str,
    /// The path below the base address.
    pub(crate) path: &'static str,
}

/// The URL to call for the address `base`.
pub(crate) fn resolve(base: &str, endpoint: &Endpoint) -> Result<Url, LlmError> {
    let refuse = |reason: &str| LlmError::Configuration { reason: format!("the base URL {reason}") };
    let base = base.trim();
    if base.is_empty() {
        return Err(refuse("is empty"));
    }
    let mut url =
        Url::parse(&with_scheme(base)).map_err(|error| refuse(&format!("is not a URL: {error}")))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(refuse(&format!("begins with {}://; only http:// and https:// are known", url.scheme())));
    }
    if !url.username().is_empty() || url.password().is_some() {
        // Not quoted, for the same reason that it is refused.
        return Err(refuse("holds credentials; put the key into the API key setting"));
    }
    url.set_fragment(None);
    let mut segments: Vec<&str> = url.path().split('/').filter(|segment| !segment.is_empty()).collect();
    for pasted in endpoint.pasted {
        let tail: Vec<&str> = pasted.split('/').collect();
        if segments.ends_with(&tail) {
            segments.truncate(segments.len() - tail.len());
            break;
        }
    }
    let base_path = if segments.is_empty() { endpoint.default_path.to_owned() } else { segments.join("/") };
    let gap = if base_path.is_empty() { "" } else { "/" };
    url.set_path(&format!("{base_path}{gap}{}", endpoint.path));
    Ok(url)
}

/// The URL as shown to people: without the query, which may hold a key.
pub(crate) fn shown(url: &Url) -> String {
    let mut url = url.clone();
    url.set_query(None);
    url.to_string()
}

/// Whether the URL leads to this machine.
pub(crate) fn is_loopback(url: &Url) -> bool {
    url.host_str().is_some_and(|host| {
        let host = host.trim_start_matches('[').trim_end_matches(']');
        host == "localhost"
            || host.ends_with(".localhost")
            || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback() || ip.is_unspecified())
    })
}

/// Whether the URL leads to this machine or its own network, where models are served by whoever uses them: a
/// private address, or a name without a domain.
pub(crate) fn is_near(url: &Url) -> bool {
    is_loopback(url)
        || url.host_str().is_some_and(|host| {
            match host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>() {
                Ok(IpAddr::V4(ip)) => ip.is_private() || ip.is_link_local(),
                Ok(IpAddr::V6(ip)) => ip.is_unique_local() || ip.is_unicast_link_local(),
                Err(_) => !host.contains('.') || host.ends_with(".local") || host.ends_with(".internal"),
            }
        })
}

fn with_scheme(base: &str) -> String {
    if base.contains("://") {
        return base.to_owned();
    }
    let authority = base.split('/').next().unwrap_or_default();
    let host = match authority.strip_prefix('[') {
        Some(v6) => v6.split(']').next().unwrap_or_default(),
        None => authority.split(':').next().unwrap_or_default(),
    };
    let plain = host.eq_ignore_ascii_case("localhost") || host.parse::<IpAddr>().is_ok();
    format!("{}://{base}", if plain { "http" } else { "https" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::anthropic::ENDPOINT as ANTHROPIC;
    use crate::openai::ENDPOINT as OPENAI;
    use proptest::prelude::*;

    #[test]
    fn lesson_35_pasted_endpoints() {
        let check = |base: &str, expected: &str| {
            let url = resolve(base, &OPENAI).map(|url| url.to_string()).map_err(|error| error.to_string());
            assert_eq!(url.as_deref(), Ok(format!("{expected}/chat/completions").as_str()), "{base:?}");
        };
        check("https://api.openai.com/v1", "https://api.openai.com/v1");
        check(" https://api.openai.com/v1/ \n", "https://api.openai.com/v1");
        check("https://api.openai.com", "https://api.openai.com/v1");
        check("https://api.openai.com//v1///", "https://api.openai.com/v1");
        check("https://api.openai.com/v1/chat/completions", "https://api.openai.com/v1");
        check("https://api.openai.com/v1/chat/completions/", "https://api.openai.com/v1");
        check("http://localhost:1234/v1/models", "http://localhost:1234/v1");
        check("http://localhost:8080/chat/completions", "http://localhost:8080/v1");
        check("localhost:11434", "http://localhost:11434/v1");
        check("LOCALHOST:11434/v1", "http://localhost:11434/v1");
        check("127.0.0.1:8080", "http://127.0.0.1:8080/v1");
        check("[::1]:8080/v1", "http://[::1]:8080/v1");
        check("192.168.1.7:8000", "http://192.168.1.7:8000/v1");
        check("openrouter.ai/api/v1", "https://openrouter.ai/api/v1");
        check("https://host/custom/path", "https://host/custom/path");
        check("https://münchen.example/v1", "https://xn--mnchen-3ya.example/v1");
    }

    #[test]
    fn anthropic_endpoints() {
        let check = |base: &str, expected: &str| {
            assert_eq!(resolve(base, &ANTHROPIC).unwrap().as_str(), expected, "{base:?}");
        };
        check("https://api.anthropic.com", "https://api.anthropic.com/v1/messages");
        check("https://api.anthropic.com/v1/", "https://api.anthropic.com/v1/messages");
        check("api.anthropic.com/v1/messages", "https://api.anthropic.com/v1/messages");
        check("https://gateway.example/anthropic", "https://gateway.example/anthropic/v1/messages");
    }

    #[test]
    fn queries_are_sent_but_not_shown() {
        let url = resolve("https://host/openai?api-version=1&key=canary#x", &OPENAI).unwrap();
        assert_eq!(url.as_str(), "https://host/openai/chat/completions?api-version=1&key=canary");
        assert_eq!(shown(&url), "https://host/openai/chat/completions");
    }

    #[test]
    fn what_is_refused() {
        let check = |base: &str, expected: &str| {
            let error = resolve(base, &OPENAI).unwrap_err().to_string();
            assert_eq!(
                error,
                format!("the model is configured wrongly: the base URL {expected}"),
                "{base:?}"
            );
        };
        check("", "is empty");
        check("ftp://host/v1", "begins with ftp://; only http:// and https:// are known");
        check("https://me:canary@host/v1", "holds credentials; put the key into the API key setting");
        check("me:canary@host/v1", "holds credentials; put the key into the API key setting");
        check("http://", "is not a URL: empty host");
        check("http://host:99999", "is not a URL: invalid port number");
    }

    #[test]
    fn this_machine() {
        let check = |base: &str, expected: bool| {
            assert_eq!(is_loopback(&resolve(base, &OPENAI).unwrap()), expected, "{base:?}");
        };
        check("localhost:1", true);
        check("http://app.localhost", true);
        check("http://127.9.9.9", true);
        check("http://[::1]:80", true);
        check("http://0.0.0.0:80", true);
        check("http://192.168.0.1", false);
        check("https://localhost.example.com", false);
    }

    #[test]
    fn its_own_network() {
        let check = |base: &str, expected: bool| {
            assert_eq!(is_near(&resolve(base, &OPENAI).unwrap()), expected, "{base:?}");
        };
        check("localhost:1", true);
        check("http://192.168.0.1", true);
        check("http://10.1.2.3:8000", true);
        check("http://[fd00::1]:80", true);
        check("http://ollama:11434", true);
        check("http://box.local", true);
        check("http://host.docker.internal:11434", true);
        check("http://8.8.8.8", false);
        check("https://api.openai.com", false);
    }

    proptest! {
        #[test]
        fn never_panics_and_never_leaks(base in ".*", user in "[a-z]{1,5}") {
            let _ = resolve(&base, &OPENAI);
            let error = resolve(&format!("http://{user}:canary@{base}"), &OPENAI);
            prop_assert!(error.is_err_and(|error| !error.to_string().contains("canary")) || base.contains(['/', '\\', '?', '#', '@']));
        }

        #[test]
        fn resolving_again_changes_nothing(path in "(/[a-z0-9]{1,5}){0,3}") {
            let once = resolve(&format!("https://host{path}"), &OPENAI).unwrap();
            prop_assert_eq!(resolve(once.as_str(), &OPENAI).unwrap(), once);
        }
    }
}
