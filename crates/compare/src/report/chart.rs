//! The charts of all pages, as SVG.
//!
//! Drawn by hand. The page needs marks whose colours follow the reader's light or dark setting
//! through CSS, a title and description for screen readers, horizontal bars with an interval,
//! logarithmic axes, and text that stays legible at the width of a phone. Charting libraries fix
//! colours in the drawing, measure text with a font stack, or lack bars or logarithmic axes.
//!
//! All lengths are in units of a drawing that is `WIDTH` wide, about one CSS pixel on a phone.

use std::fmt::Write;

use super::figures::{bytes, time};
use super::grid::cut;

/// Width of every drawing.
const WIDTH: f64 = 340.0;

/// Start of bars, right of labels of up to [`LABEL`] letters.
const LEFT: f64 = 92.0;

/// Room for the figure behind a bar.
const FIGURE: f64 = 92.0;

/// Longest label of a point that is shown in full; bars leave at least this room.
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

/// One point of a scatter chart.
#[derive(Debug)]
pub struct Point {
    /// Label beside the point.
    pub label: String,
    /// Further CSS class: `base`, `lossy` or nothing.
    pub class: &'static str,
    /// Bytes per message.
    pub bytes: f64,
    /// Nanoseconds per message.
    pub ns: f64,
    /// Start and end of the interval of `ns`.
    pub interval: (f64, f64),
}

/// Draws size against time, both logarithmic: the lower left is better.
pub fn scatter(title: &str, about: &str, points: &[Point]) -> String {
    const HEIGHT: f64 = 260.0;
    let (left, right, top, bottom) = (54.0, WIDTH - 10.0, 8.0, HEIGHT - 40.0);
    let sizes = Log::over(points.iter().map(|point| point.bytes));
    let times = Log::over(points.iter().flat_map(|point| [point.interval.0, point.ns, point.interval.1]));
    let x = |value: f64| left + sizes.place(value) * (right - left);
    let y = |value: f64| bottom - times.place(value) * (bottom - top);
    let mut body = String::new();
    for tick in sizes.ticks() {
        let at = x(tick);
        let _ = write!(body, "<path class=\"grid\" d=\"M{at:.1} {top}V{bottom}\"/>");
        element(
            &mut body,
            format_args!("<text class=\"tick\" text-anchor=\"middle\" x=\"{at:.1}\" y=\"{:.1}\">", bottom + 15.0),
            &round(&bytes(tick)),
        );
    }
    for tick in times.ticks() {
        let at = y(tick);
        let _ = write!(body, "<path class=\"grid\" d=\"M{left} {at:.1}H{right}\"/>");
        element(
            &mut body,
            format_args!("<text class=\"tick\" text-anchor=\"end\" x=\"{:.1}\" y=\"{:.1}\">", left - 5.0, at + 4.0),
            &round(&time(tick)),
        );
    }
    let _ = write!(body, "<path class=\"axis\" d=\"M{left} {top}V{bottom}H{right}\"/>");
    element(
        &mut body,
        format_args!("<text class=\"tick\" text-anchor=\"middle\" x=\"{:.1}\" y=\"{:.1}\">", (left + right) / 2.0, HEIGHT - 6.0),
        "bytes per message →",
    );
    let mut taken: Vec<Area> = points.iter().map(|point| Area::around(x(point.bytes), y(point.ns), 7.0)).collect();
    for point in points {
        let (cx, cy) = (x(point.bytes), y(point.ns));
        let (low, high) = (y(point.interval.0), y(point.interval.1));
        let label = cut(&point.label, LABEL);
        let about = format!("{}: {} bytes, {}", point.label, bytes(point.bytes), time(point.ns));
        let _ = write!(body, "<g class=\"point {}\"><title>{}</title>", point.class, escaped(&about));
        let _ = write!(body, "<path class=\"interval\" d=\"M{cx:.1} {low:.1}V{high:.1}\"/><circle cx=\"{cx:.1}\" cy=\"{cy:.1}\" r=\"5\"/>");
        let area = Area::for_label(cx, cy, label.chars().count(), (left, right, top, bottom), &taken);
        element(&mut body, format_args!("<text class=\"name\" x=\"{:.1}\" y=\"{:.1}\">", area.left, area.bottom - 4.0), &label);
        body.push_str("</g>");
        taken.push(area);
    }
    svg(title, about, HEIGHT, &body)
}

/// Taken place on the drawing.
#[derive(Clone, Copy)]
struct Area {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

impl Area {
    fn around(x: f64, y: f64, radius: f64) -> Area {
        Area { left: x - radius, right: x + radius, top: y - radius, bottom: y + radius }
    }

    fn overlap(&self, other: &Area) -> f64 {
        let width = (self.right.min(other.right) - self.left.max(other.left)).max(0.0);
        let height = (self.bottom.min(other.bottom) - self.top.max(other.top)).max(0.0);
        width * height
    }

    /// Returns the place of a label of the point at `x`, `y` that covers least of `taken`, inside
    /// the drawing.
    fn for_label(x: f64, y: f64, letters: usize, (left, right, top, bottom): (f64, f64, f64, f64), taken: &[Area]) -> Area {
        let (width, height) = (letters as f64 * 7.0, 15.0);
        let corner = |across: f64, down: f64| {
            let l = across.clamp(left + 2.0, (right - width).max(left + 2.0));
            let t = down.clamp(top, bottom - height);
            Area { left: l, right: l + width, top: t, bottom: t + height }
        };
        let middle = y - height / 2.0;
        let mut places = vec![
            corner(x + 9.0, middle),
            corner(x - 9.0 - width, middle),
            corner(x - width / 2.0, y - 8.0 - height),
            corner(x - width / 2.0, y + 8.0),
        ];
        for step in 1..=4 {
            for down in [-f64::from(step) * 12.0, f64::from(step) * 12.0] {
                places.push(corner(x + 9.0, middle + down));
                places.push(corner(x - 9.0 - width, middle + down));
            }
        }
        let cost = |place: &Area| taken.iter().map(|other| place.overlap(other)).sum::<f64>();
        let mut best = places[0];
        for place in places {
            if cost(&place) + 0.5 < cost(&best) {
                best = place;
            }
        }
        best
    }
}

/// A logarithmic scale.
struct Log {
    low: f64,
    high: f64,
}

impl Log {
    /// Returns a scale that shows all of `values` with room around, over a factor of at least four.
    fn over(values: impl Iterator<Item = f64>) -> Log {
        let (mut low, mut high) = (f64::INFINITY, 0.0f64);
        for value in values.filter(|value| *value > 0.0 && value.is_finite()) {
            (low, high) = (low.min(value), high.max(value));
        }
        if low > high {
            (low, high) = (1.0, 10.0);
        }
        let room = 1.15 * (4.0 / (high / low)).max(1.0).sqrt();
        Log { low: (low / room).ln(), high: (high * room).ln() }
    }

    /// Returns 0 at the low end, 1 at the high end.
    fn place(&self, value: f64) -> f64 {
        ((value.max(f64::MIN_POSITIVE).ln() - self.low) / (self.high - self.low)).clamp(0.0, 1.0)
    }

    /// Returns round numbers on the scale, about six at most.
    fn ticks(&self) -> Vec<f64> {
        let inside = |value: &f64| (self.low..=self.high).contains(&value.ln());
        let exponents = |step: usize| {
            let (from, to) = ((self.low / std::f64::consts::LN_10).floor() as i32, (self.high / std::f64::consts::LN_10).ceil() as i32);
            (from..=to).filter(move |exponent| exponent.rem_euclid(step as i32) == 0)
        };
        let dense = |digits: &[f64]| {
            exponents(1)
                .flat_map(|exponent| digits.iter().map(move |digit| digit * 10f64.powi(exponent)))
                .filter(inside)
                .collect::<Vec<f64>>()
        };
        for digits in [&[1.0, 1.5, 2.0, 3.0, 5.0, 7.0][..], &[1.0, 2.0, 5.0], &[1.0, 3.0], &[1.0]] {
            let ticks = dense(digits);
            if ticks.len() <= 6 {
                return ticks;
            }
        }
        let step = exponents(1).count().div_ceil(6);
        exponents(step).map(|exponent| 10f64.powi(exponent)).filter(inside).collect()
    }
}

/// Returns `1.00 µs` as `1 µs`.
fn round(text: &str) -> String {
    let (number, unit) = text.split_once(' ').map_or((text, None), |(number, unit)| (number, Some(unit)));
    let number = if number.contains('.') { number.trim_end_matches('0').trim_end_matches('.') } else { number };
    unit.map_or_else(|| number.to_string(), |unit| format!("{number} {unit}"))
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
    fn ticks_are_round_few_and_inside() {
        for (low, high) in [(1.0, 1.0), (90.0, 350.0), (3.0, 9e5), (1e-3, 1e12)] {
            let scale = Log::over([low, high].into_iter());
            let ticks = scale.ticks();
            assert!((1..=8).contains(&ticks.len()), "{low} {high}: {ticks:?}");
            assert!(ticks.iter().all(|tick| (0.0..=1.0).contains(&scale.place(*tick))));
            assert!(scale.place(low) > 0.0 && scale.place(high) < 1.0);
        }
    }

    #[test]
    fn labels_of_points_at_one_place_do_not_cover_each_other() {
        let within = (50.0, 330.0, 8.0, 220.0);
        let mut taken = vec![Area::around(200.0, 100.0, 7.0)];
        for _ in 0..5 {
            let area = Area::for_label(200.0, 100.0, 8, within, &taken);
            assert!(taken.iter().map(|other| area.overlap(other)).sum::<f64>() < 20.0);
            taken.push(area);
        }
    }

    #[test]
    fn drawings_stay_inside_and_escape() {
        let group = |value: f64| Group {
            label: "a<b>&\"".into(),
            class: "",
            bars: vec![Bar { class: "one", value, interval: Some((value * 0.5, value * 3.0)), text: "<1>".into(), title: "t".into() }],
        };
        let text = bars("a & b", "c", &[group(1.0), group(1e30), group(0.0)]);
        assert!(!text.contains("<b>") && text.contains("a &amp; b") && !text.contains("NaN"), "{text}");
        let point = |bytes: f64, ns: f64| Point { label: "x<".into(), class: "", bytes, ns, interval: (ns, ns) };
        let text = scatter("a", "b", &[point(0.0, 0.0), point(1e30, 1e30)]);
        assert!(!text.contains("NaN") && !text.contains("inf") && text.contains("x&lt;"), "{text}");
    }
}
