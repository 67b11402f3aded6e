//! Descriptions in Markdown as HTML.

use pulldown_cmark::{CowStr, Event, Parser, Tag};

/// Schemes of links that only lead somewhere. Others, such as `javascript`, run code.
const SCHEMES: [&str; 3] = ["http", "https", "mailto"];

/// Turns Markdown into HTML. Tags in it are text, and links of other schemes lead nowhere: the
/// comments of a script may come from anyone.
pub fn html(text: &str) -> String {
    let events = Parser::new(text).map(|event| match event {
        Event::Html(text) | Event::InlineHtml(text) => Event::Text(text),
        Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
            Event::Start(Tag::Link { link_type, dest_url: harmless(dest_url), title, id })
        }
        Event::Start(Tag::Image { link_type, dest_url, title, id }) => {
            Event::Start(Tag::Image { link_type, dest_url: harmless(dest_url), title, id })
        }
        event => event,
    });
    let mut out = String::new();
    pulldown_cmark::html::push_html(&mut out, events);
    out.truncate(out.trim_end().len());
    out
}

/// Replaces a link of another scheme. A scheme ends at the first colon, unless a slash, question
/// mark or number sign comes first (RFC 3986 4.2).
fn harmless(target: CowStr<'_>) -> CowStr<'_> {
    let scheme = target.find([':', '/', '?', '#']).filter(|at| target[*at..].starts_with(':')).map(|at| &target[..at]);
    match scheme {
        Some(scheme) if !SCHEMES.iter().any(|known| scheme.eq_ignore_ascii_case(known)) => CowStr::Borrowed("#"),
        _ => target,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_do_nothing() {
        for (text, expected) in [
            ("A *small* table", "<p>A <em>small</em> table</p>"),
            ("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"),
            ("a <b onclick=x>b</b>", "<p>a &lt;b onclick=x&gt;b&lt;/b&gt;</p>"),
            ("[a](/table?name=x:y)", "<p><a href=\"/table?name=x:y\">a</a></p>"),
            ("[a](https://a.example/)", "<p><a href=\"https://a.example/\">a</a></p>"),
            ("[a](JavaScript:alert(1))", "<p><a href=\"#\">a</a></p>"),
            ("[a](java&#10;script:alert(1))", "<p><a href=\"#\">a</a></p>"),
            ("<javascript:alert(1)>", "<p><a href=\"#\">javascript:alert(1)</a></p>"),
            ("![a](data:text/html,x)", "<p><img src=\"#\" alt=\"a\" /></p>"),
        ] {
            assert_eq!(html(text), expected, "{text}");
        }
    }
}
