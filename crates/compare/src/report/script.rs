//! The script of the page of a comparison: the module of the charts, and what draws them there.

/// ES module that draws the JSON report; exports `draw`.
const CHARTS: &str = include_str!("page/charts.js");

/// The page's own lines below it.
const BOOT: &str = include_str!("page/boot.js");

/// Returns the script without indentation, empty lines and lines of comment. No text in it spans
/// two lines.
pub(crate) fn script() -> String {
    let lines = CHARTS.lines().chain(BOOT.lines()).map(str::trim);
    let is_code = |line: &&str| !line.is_empty() && !["//", "/*", "*"].iter().any(|comment| line.starts_with(comment));
    lines.filter(is_code).fold(String::new(), |script, line| script + line + "\n")
}

/// Returns JSON that can stand in an element `script` of HTML: nothing in it ends the element or
/// opens a comment, and no character ends a line of JavaScript.
pub(crate) fn embedded(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_script_is_small_and_asks_nobody() {
        let script = script();
        assert!(script.len() < 30_000, "{} bytes", script.len());
        assert!(script.starts_with("export function draw(element, report) {\n"), "the module has no draw");
        for request in ["http:", "https:", "fetch(", "import ", "import(", "XMLHttpRequest", "WebSocket", "</", "<!--"] {
            let allowed = usize::from(request == "</");
            assert_eq!(script.matches(request).count(), allowed, "{request}");
        }
    }

    #[test]
    fn the_module_of_the_charts_uses_no_global_of_a_page() {
        for global in ["window", "globalThis", "localStorage", "location.", "navigator", "setTimeout", "eval("] {
            assert!(!CHARTS.contains(global), "{global}");
        }
        // The document is a parameter, and comes from the element.
        let (before, _) = CHARTS.split_once("function view(document, ").expect("the drawing of one report");
        assert!(!before.contains("document.") && before.contains("element.ownerDocument"));
    }

    #[test]
    fn json_cannot_end_its_element() {
        let value = "</script><!-- ]]>&\u{2028}\u{2029}ä";
        let text = embedded(&serde_json::to_string(value).unwrap());
        assert!(!text.contains(['<', '>', '&', '\u{2028}', '\u{2029}']), "{text}");
        assert_eq!(serde_json::from_str::<String>(&text).unwrap(), value);
    }
}
