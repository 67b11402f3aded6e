//! Bars as static SVG, for pages without a script: the record of the benchmark. The charts of a
//! comparison are drawn by `page/charts.js`.
//!
//! All lengths are in units of a drawing that is `WIDTH` wide, about one CSS pixel on a phone.

use std::fmt::Write;

use super::grid::cut;

/// Width of every drawing.
const WIDTH: f64 = 340.0;

/// Start of bars, right of labels of up to [`LABEL`] letters.
const LEFT: f64 = 92.0;

/// Room for the figure behind a bar.
const FIGURE: f64 = 92.0;

/// Letters of a label that there is always room for.
const LABEL: usize = 12;

/// Longest label of a bar that is shown in full.
const LONG_LABEL: usize = 22;

/// Room for each further letter of a label.
const LETTER: f64 = 6.8;

/// One bar.
#[derive(Debug)]
pub struct Bar {
    /// CSS class, which sets the colour.
    pub class: &'static str,
    /// Length, in any unit.
    pub value: f64,
    /// Start and end of the interval, if there is one.
    pub interval: Option<(f64, f64)>,
    /// Figure after the bar.
    pub text: String,
    /// Description, for pointers and screen readers.
    pub title: String,
}

/// Bars of one format.
#[derive(Debug)]
pub struct Group {
    /// Label before the bars.
    pub label: String,
    /// Further CSS class: `base`, `lossy` or nothing.
    pub class: &'static str,
    /// Bars, from the top down.
    pub bars: Vec<Bar>,
}

/// Draws horizontal bars from zero, on one linear scale.
pub fn bars(title: &str, about: &str, groups: &[Group]) -> String {
    let (thick, between) = if groups.iter().any(|group| group.bars.len() > 1) { (12.0, 10.0) } else { (18.0, 10.0) };
    let all = || groups.iter().flat_map(|group| &group.bars);
    let most = all().map(|bar| bar.interval.map_or(bar.value, |(_, high)| high.max(bar.value))).fold(0.0, f64::max);
    let letters = groups.iter().map(|group| group.label.chars().count()).max().unwrap_or(0).clamp(LABEL, LONG_LABEL);
    let left = LEFT + (letters - LABEL) as f64 * LETTER;
    let x = |value: f64| left + if most > 0.0 { value / most * (WIDTH - left - FIGURE) } else { 0.0 };
    let mut body = String::new();
    let mut y = 4.0;
    for group in groups {
        let height = thick * group.bars.len() as f64;
        let middle = y + height / 2.0 + 4.0;
        element(
            &mut body,
            format_args!("<text class=\"label {}\" x=\"{:.1}\" y=\"{middle:.1}\">", group.class, left - 8.0),
            &cut(&group.label, LONG_LABEL),
        );
        for bar in &group.bars {
            let (end, middle) = (x(bar.value).max(left + 1.0), y + thick / 2.0);
            let _ = write!(body, "<g class=\"bar {} {}\"><title>{}</title>", bar.class, group.class, escaped(&bar.title));
            let _ = write!(body, "<rect x=\"{left:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\"/>", y + 1.0, end - left, thick - 2.0);
            let mut after = end;
            if let Some((low, high)) = bar.interval {
                let (low, high) = (x(low), x(high));
                let (top, bottom) = (middle - thick / 4.0, middle + thick / 4.0);
                let _ = write!(
                    body,
                    "<path class=\"interval\" d=\"M{low:.1} {middle:.1}H{high:.1}M{low:.1} {top:.1}V{bottom:.1}M{high:.1} {top:.1}V{bottom:.1}\"/>"
                );
                after = after.max(high);
            }
            element(&mut body, format_args!("<text class=\"figure\" x=\"{:.1}\" y=\"{:.1}\">", after + 6.0, middle + 4.0), &bar.text);
            body.push_str("</g>");
            y += thick;
        }
        y += between;
    }
    let _ = write!(body, "<path class=\"axis\" d=\"M{left:.1} 0V{:.1}\"/>", y - between + 4.0);
    svg(title, about, y - between + 8.0, &body)
}

fn svg(title: &str, about: &str, height: f64, body: &str) -> String {
    format!(
        "<svg viewBox=\"0 0 {WIDTH} {height:.0}\" role=\"img\" aria-label=\"{0}\"><title>{0}</title><desc>{1}</desc>{body}</svg>",
        escaped(title),
        escaped(about)
    )
}

fn element(body: &mut String, start: std::fmt::Arguments<'_>, text: &str) {
    let _ = write!(body, "{start}{}</text>", escaped(text));
}

/// Returns text escaped for XML, attributes too.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c if c.is_control() && c != '\n' && c != '\t' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drawings_stay_inside_and_escape() {
        let group = |value: f64| Group {
            label: "a<b>&\"".into(),
            class: "",
            bars: vec![Bar { class: "one", value, interval: Some((value * 0.5, value * 3.0)), text: "<1>".into(), title: "t".into() }],
        };
        let text = bars("a & b", "c", &[group(1.0), group(1e30), group(0.0)]);
        assert!(!text.contains("<b>") && text.contains("a &amp; b") && !text.contains("NaN"), "{text}");
    }
}
