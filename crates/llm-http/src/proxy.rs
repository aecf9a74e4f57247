//! Checks the address of a proxy: one that cannot be used must not mean that none is used.

use artoo_llm_client::LlmError;
use reqwest::Url;

use crate::base_url::is_loopback;

/// Checks the proxy that the system has for requests to `url`, as the HTTP library will choose it: the variable
/// of its scheme, then the one for all. The library itself goes direct where it cannot read one.
pub(crate) fn check_system(url: &Url, variable: impl Fn(&str) -> Option<String>) -> Result<(), LlmError> {
    let first = |names: [&'static str; 2]| {
        names.into_iter().find_map(|name| variable(name).map(|value| (name, value)))
    };
    let own =
        if url.scheme() == "https" { ["HTTPS_PROXY", "https_proxy"] } else { ["HTTP_PROXY", "http_proxy"] };
    let exempt = first(["NO_PROXY", "no_proxy"]).is_some_and(|(_, list)| is_exempt(url, &list));
    if is_loopback(url) || exempt {
        return Ok(());
    }
    let chosen = [first(own), first(["ALL_PROXY", "all_proxy"])].into_iter().flatten();
    match chosen.into_iter().find(|(_, value)| !value.is_empty()) {
        None => Ok(()),
        Some((name, value)) => check(&value)
            .map_err(|reason| LlmError::Configuration { reason: format!("the proxy in {name} {reason}") }),
    }
}

/// What is wrong with a proxy whose address cannot be read.
pub(crate) const NO_ADDRESS: &str = "is not an address such as http://host:port";

/// Checks the address of a proxy. It is never quoted: it may hold credentials.
pub(crate) fn check(address: &str) -> Result<(), &'static str> {
    if address.contains(|c: char| c.is_whitespace() || c.is_control()) {
        return Err(NO_ADDRESS);
    }
    let whole = if address.contains("://") { address.to_owned() } else { format!("http://{address}") };
    let url = Url::parse(&whole).map_err(|_| NO_ADDRESS)?;
    match url.scheme() {
        "http" | "https" if url.has_host() => Ok(()),
        "http" | "https" => Err(NO_ADDRESS),
        scheme if scheme.starts_with("socks") => {
            Err("is a SOCKS proxy, which is not supported; name one that begins with http://")
        }
        _ => Err("begins with neither http:// nor https://"),
    }
}

/// Whether the list of exceptions names the host or a domain that it is in.
fn is_exempt(url: &Url, list: &str) -> bool {
    let host = url.host_str().unwrap_or_default().to_ascii_lowercase();
    list.split(',').map(|entry| entry.trim().trim_start_matches('.').to_ascii_lowercase()).any(|entry| {
        entry == "*"
            || (!entry.is_empty()
                && (host == entry || host.strip_suffix(&entry).is_some_and(|rest| rest.ends_with('.'))))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(url: &str, set: &[(&str, &str)]) -> Result<(), String> {
        let variable =
            |name: &str| set.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
        check_system(&Url::parse(url).unwrap(), variable).map_err(|error| error.to_string())
    }

    #[test]
    fn a_proxy_that_cannot_be_used_is_reported() {
        let hosted = "https://api.example.com/v1";
        let error = with(hosted, &[("HTTPS_PROXY", "http://me:canary@[half")]).unwrap_err();
        assert_eq!(
            error,
            "the model is configured wrongly: the proxy in HTTPS_PROXY is not an address such as http://host:port"
        );
        for bad in
            ["http://", "http:// host:1", "http://host:99999", "ftp://host:1", "socks5://127.0.0.1:1080"]
        {
            assert!(with(hosted, &[("https_proxy", bad)]).is_err(), "{bad}");
            assert!(with(hosted, &[("ALL_PROXY", bad)]).is_err(), "{bad}");
            assert!(with(hosted, &[("HTTPS_PROXY", ""), ("all_proxy", bad)]).is_err(), "{bad}");
            assert!(with("http://api.example.com", &[("HTTP_PROXY", bad)]).is_err(), "{bad}");
        }
    }

    #[test]
    fn what_is_not_used_is_not_checked() {
        let bad = "http://[half";
        let hosted = "https://api.example.com/v1";
        for good in ["http://host:3128", "host:3128", "https://me:secret@host", "http://[::1]:8080"] {
            assert_eq!(with(hosted, &[("HTTPS_PROXY", good), ("ALL_PROXY", bad)]), Ok(()), "{good}");
        }
        assert_eq!(with(hosted, &[("HTTP_PROXY", bad)]), Ok(()), "it is for another scheme");
        assert_eq!(with("http://localhost:1234", &[("HTTP_PROXY", bad)]), Ok(()));
        for exempt in ["*", "api.example.com", "a, .example.com", "EXAMPLE.com"] {
            assert_eq!(with(hosted, &[("HTTPS_PROXY", bad), ("no_proxy", exempt)]), Ok(()), "{exempt}");
        }
        assert!(with(hosted, &[("HTTPS_PROXY", bad), ("no_proxy", "ample.com")]).is_err());
        assert_eq!(with(hosted, &[]), Ok(()));
    }
}
