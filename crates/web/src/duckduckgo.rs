//! DuckDuckGo's page without scripts, which needs no key.

use artoo_tools::PageLimits;
use async_trait::async_trait;
use reqwest::{StatusCode, Url};

use super::address::AddressRule;
use super::charset::decoded;
use super::client::{Web, for_people};
use super::markup::{Piece, Tag, pieces};
use super::search::{SearchProvider, SearchResult, engine, page_address};
use crate::WebError;

/// Its address.
const ADDRESS: &str = "https://html.duckduckgo.com/html/";

/// Reads the page that DuckDuckGo serves to browsers without scripts.
///
/// ```
/// use artoo_web::{DuckDuckGo, SearchProvider};
///
/// assert_eq!(DuckDuckGo::default().origin(), "https://html.duckduckgo.com/html/");
/// ```
#[derive(Debug, Clone)]
pub struct DuckDuckGo {
    web: Web,
    address: String,
}

impl Default for DuckDuckGo {
    fn default() -> Self {
        Self { web: Web::new(AddressRule::public()), address: ADDRESS.to_owned() }
    }
}

impl DuckDuckGo {
    /// A server of the same form elsewhere.
    #[must_use]
    pub fn at(mut self, address: impl Into<String>, web: Web) -> Self {
        (self.address, self.web) = (address.into(), web);
        self
    }

    /// Asked through this client.
    #[must_use]
    pub fn through(mut self, web: Web) -> Self {
        self.web = web;
        self
    }
}

#[async_trait]
impl SearchProvider for DuckDuckGo {
    fn name(&self) -> &str {
        "duckduckgo"
    }

    fn origin(&self) -> String {
        self.address.clone()
    }

    async fn search(
        &self,
        query: &str,
        most: usize,
        limits: PageLimits,
    ) -> Result<Vec<SearchResult>, WebError> {
        let mut url = engine(&self.address)?;
        url.query_pairs_mut().append_pair("q", query);
        let received = self.web.get(url, for_people(), limits).await?;
        match received.status {
            StatusCode::OK => {}
            // What it sends to whom it takes for a robot.
            StatusCode::ACCEPTED | StatusCode::FORBIDDEN | StatusCode::TOO_MANY_REQUESTS => {
                return Err(WebError::Robot { provider: self.name().to_owned() });
            }
            status => return Err(WebError::Status { url: self.origin(), status: status.as_u16() }),
        }
        let (_, html) = decoded(&received)?;
        results(&html, most).map_err(|unread| match unread {
            Unread::Robot => WebError::Robot { provider: self.name().to_owned() },
            Unread::Shape => WebError::UnknownShape { provider: self.name().to_owned() },
        })
    }
}

/// Why a page holds no results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unread {
    Robot,
    Shape,
}

/// What is being read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Title,
    Snippet,
}

fn results(html: &str, most: usize) -> Result<Vec<SearchResult>, Unread> {
    let mut found: Vec<SearchResult> = Vec::new();
    // Whether the link that was read last is an advertisement, whose snippet follows.
    let mut advertisement = false;
    let mut reading: Option<Part> = None;
    let (mut empty, mut robot, mut any) = (false, false, false);
    for piece in pieces(html) {
        match piece {
            Piece::Open(tag) => {
                empty |= tag.is_of("no-results") || tag.is_of("result--no-result");
                robot |= is_a_test(&tag);
                if tag.is_of("result__a") {
                    any = true;
                    let target = tag.attribute("href").and_then(target);
                    advertisement = target.is_none();
                    if let Some(url) = target {
                        found.push(SearchResult { title: String::new(), url, snippet: String::new() });
                        reading = Some(Part::Title);
                    }
                } else if tag.is_of("result__snippet") && !advertisement {
                    reading = Some(Part::Snippet);
                }
            }
            Piece::Close(name) if matches!(name.as_str(), "a" | "div" | "td" | "h2") => reading = None,
            Piece::Close(_) => {}
            Piece::Text(text) => match (reading, found.last_mut()) {
                (Some(Part::Title), Some(last)) => last.title.push_str(&text),
                (Some(Part::Snippet), Some(last)) => last.snippet.push_str(&text),
                (_, None) | (None, _) => {}
            },
        }
    }
    if robot && found.is_empty() {
        return Err(Unread::Robot);
    }
    // Nothing at all is only believed where the page says so.
    if found.is_empty() && !empty && !any {
        return Err(Unread::Shape);
    }
    found.dedup_by(|a, b| a.url == b.url);
    found.truncate(most);
    Ok(found)
}

fn is_a_test(tag: &Tag) -> bool {
    let id = tag.attribute("id").unwrap_or_default();
    id == "challenge-form" || tag.is_of("anomaly-modal__modal") || tag.is_of("anomaly-modal__title")
}

/// What a link of the page leads to: the page itself, or a redirect with the page in `uddg`. Advertisements lead nowhere.
fn target(href: &str) -> Option<String> {
    let base = Url::parse(ADDRESS).ok()?;
    let url = base.join(href).ok()?;
    let own =
        url.host_str().is_some_and(|host| host == "duckduckgo.com" || host.ends_with(".duckduckgo.com"));
    if !own {
        return page_address(url.as_str());
    }
    if url.path() != "/l/" {
        return None;
    }
    let target = url.query_pairs().find(|(name, _)| name == "uddg")?.1.into_owned();
    let target = page_address(&target)?;
    // A redirect may lead to an advertisement's counter.
    let counter = Url::parse(&target).is_ok_and(|url| {
        url.path() == "/y.js" && url.host_str().is_some_and(|host| host.ends_with("duckduckgo.com"))
    });
    (!counter).then_some(target)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn redirects_are_decoded_and_advertisements_lead_nowhere() {
        let check = |href: &str, expected: Option<&str>| {
            assert_eq!(target(href).as_deref(), expected, "{href}");
        };
        check(
            "//duckduckgo.com/l/?uddg=https%3A%2F%2Fwww.rust%2Dlang.org%2F&rut=1",
            Some("https://www.rust-lang.org/"),
        );
        check(
            "/l/?kh=-1&uddg=http%3A%2F%2Fa.example%2F%3Fq%3D1%26r%3D%25",
            Some("http://a.example/?q=1&r=%"),
        );
        check("https://a.example/x", Some("https://a.example/x"));
        check("//duckduckgo.com/y.js?ad_domain=a.example&u3=https%3A%2F%2Fa.example", None);
        check("//duckduckgo.com/l/?uddg=https%3A%2F%2Fduckduckgo.com%2Fy.js%3Fad_domain%3Da", None);
        check("//duckduckgo.com/l/?uddg=javascript%3Aalert(1)", None);
        check("//duckduckgo.com/l/?uddg=file%3A%2F%2F%2Fetc%2Fpasswd", None);
        check("//duckduckgo.com/l/", None);
        check("/settings", None);
        check("javascript:void(0)", None);
        check("", None);
    }

    #[test]
    fn nothing_is_only_believed_where_the_page_says_so() {
        assert_eq!(results("<div class='no-results'>No results.</div>", 8), Ok(Vec::new()));
        assert_eq!(results("<html><body>Welcome</body></html>", 8), Err(Unread::Shape));
        assert_eq!(results("", 8), Err(Unread::Shape));
        assert_eq!(results("<form id='challenge-form'>Select all ducks</form>", 8), Err(Unread::Robot));
        // Only advertisements: the engine searched.
        assert_eq!(results("<a class='result__a' href='//duckduckgo.com/y.js?x'>Buy</a>", 8), Ok(Vec::new()));
    }

    proptest! {
        #[test]
        fn what_is_a_link_leads_to_the_page(path in "[a-zA-Z0-9/_.~%?&=+ é中-]{0,40}") {
            let mut page = Url::parse("https://a.example/").unwrap();
            page.set_path(&path);
            let mut link = Url::parse("https://duckduckgo.com/l/").unwrap();
            link.query_pairs_mut().append_pair("uddg", page.as_str()).append_pair("rut", "f");
            prop_assert_eq!(target(link.as_str()), Some(page.to_string()));
        }

        #[test]
        fn any_text_is_read_without_a_panic(html in "(<a class=result__a href=|<div class=result__snippet>|</a>|>|//duckduckgo.com/l/\\?uddg=|http://x/|a){0,30}") {
            if let Ok(found) = results(&html, 3) {
                prop_assert!(found.len() <= 3);
                prop_assert!(found.iter().all(|result| page_address(&result.url).is_some()));
            }
        }
    }
}
