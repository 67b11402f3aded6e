//! The recommendation: at most five sentences, each of which the figures support. docs/compare.md
//! states the rules.

use crate::comparison::{Comparison, Group, Row, Sizes, Times, Verdict};
use crate::purpose::{Figure, Purpose};
use crate::report::figures;

/// Part of the best figure within which another one counts as the same: times of shared machines
/// differ by so much from run to run.
pub(crate) const CLOSE: f64 = 0.05;

/// The most formats that one sentence names as not to be used.
const MOST_AVOIDED: usize = 4;

/// A statement about the figures.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Advice {
    /// The format of a group with the smallest figure, and those close to it.
    Best { figure: Figure, group: Group, format: String, value: f64, close: Vec<String> },
    /// The choice for a purpose: the format, and those that only a later figure put behind it.
    For { purpose: Purpose, group: Group, format: String, behind: Vec<String> },
    /// The smallest format with a schema beside the smallest one without.
    Schema { with: String, without: String, saved: f64 },
    /// Formats that lose values, with the first loss of each.
    Avoid { formats: Vec<(String, String)>, more: usize },
}

/// A ranked row with its figures.
#[derive(Clone, Copy)]
struct Ranked<'c> {
    row: &'c Row,
    sizes: &'c Sizes,
    times: &'c Times,
}

impl Ranked<'_> {
    fn figure(self, figure: Figure) -> f64 {
        figure.of(self.sizes, self.times)
    }
}

/// Returns the sentences of a recommendation.
pub(crate) fn sentences(comparison: &Comparison, purpose: Option<Purpose>) -> Vec<String> {
    advice(&comparison.rows, comparison.machine.debug, purpose).iter().map(Advice::sentence).collect()
}

/// Returns what the rows support. Times of a debug build support nothing.
pub(crate) fn advice(rows: &[Row], debug: bool, purpose: Option<Purpose>) -> Vec<Advice> {
    let exact = |row: &&Row| row.verdict == Verdict::Exact;
    let ranked = rows.iter().filter(exact).filter_map(|row| Some(Ranked { row, sizes: row.sizes.as_ref()?, times: row.times.as_ref()? }));
    let ranked: Vec<Ranked<'_>> = ranked.collect();
    let of = |group: Group| ranked.iter().copied().filter(|ranked| ranked.row.group == group).collect::<Vec<_>>();
    // Rows with a schema are the subject only where no row explains itself.
    let groups = [Group::WithoutSchema, Group::WithSchema];
    let Some(group) = groups.into_iter().find(|group| !of(*group).is_empty()) else { return avoid(rows).into_iter().collect() };
    let subject = of(group);
    let mut found = Vec::new();
    let choice = purpose.filter(|purpose| !debug || purpose.figures().iter().all(|figure| !figure.is_time()));
    found.extend(choice.and_then(|purpose| chosen(&subject, group, purpose)));
    if subject.len() > 1 {
        let figures = [Figure::Zstd, Figure::Decode].into_iter().filter(|figure| !debug || !figure.is_time());
        found.extend(figures.filter_map(|figure| best(&subject, group, figure)));
    }
    let with = of(Group::WithSchema);
    if group == Group::WithoutSchema
        && let (Some((without, _)), Some((with, _))) = (leading(&subject, Figure::Zstd), leading(&with, Figure::Zstd))
    {
        let saved = 1.0 - with.figure(Figure::Zstd) / without.figure(Figure::Zstd);
        found.push(Advice::Schema { with: with.row.format.clone(), without: without.row.format.clone(), saved });
    }
    found.extend(avoid(rows));
    found
}

/// Returns the best of some rows by a figure, unless there is none.
fn best(rows: &[Ranked<'_>], group: Group, figure: Figure) -> Option<Advice> {
    let (best, close) = leading(rows, figure)?;
    let close = close.iter().map(|ranked| ranked.row.format.clone()).collect();
    Some(Advice::Best { figure, group, format: best.row.format.clone(), value: best.figure(figure), close })
}

/// Returns the row with the smallest figure, and the others within 5 % of it in order.
fn leading<'c>(rows: &[Ranked<'c>], figure: Figure) -> Option<(Ranked<'c>, Vec<Ranked<'c>>)> {
    let mut ordered: Vec<Ranked<'c>> = rows.iter().copied().filter(|ranked| usable(ranked.figure(figure))).collect();
    ordered.sort_by(|a, b| a.figure(figure).total_cmp(&b.figure(figure)).then_with(|| a.row.format.cmp(&b.row.format)));
    let (first, others) = ordered.split_first()?;
    let most = first.figure(figure) * (1.0 + CLOSE);
    Some((*first, others.iter().copied().take_while(|ranked| ranked.figure(figure) <= most).collect()))
}

/// Returns the choice for a purpose: each figure in turn leaves those within 5 % of its best.
fn chosen(rows: &[Ranked<'_>], group: Group, purpose: Purpose) -> Option<Advice> {
    let mut left: Vec<Ranked<'_>> = rows.to_vec();
    let mut behind = Vec::new();
    for (at, figure) in purpose.figures().iter().enumerate() {
        let (best, close) = leading(&left, *figure)?;
        let kept: Vec<Ranked<'_>> = [best].into_iter().chain(close).collect();
        if at > 0 {
            let is_kept = |ranked: &&Ranked<'_>| !kept.iter().any(|kept| kept.row.format == ranked.row.format);
            behind.extend(left.iter().filter(is_kept).map(|ranked| ranked.row.format.clone()));
        }
        left = kept;
    }
    let (first, others) = left.split_first()?;
    behind.splice(0..0, others.iter().map(|ranked| ranked.row.format.clone()));
    Some(Advice::For { purpose, group, format: first.row.format.clone(), behind })
}

/// Returns the formats that lose values.
fn avoid(rows: &[Row]) -> Option<Advice> {
    let lossy = rows.iter().filter(|row| row.verdict == Verdict::Lossy);
    let mut formats: Vec<(String, String)> =
        lossy.filter_map(|row| row.losses.first().map(|lost| (row.format.clone(), lost.what.clone()))).collect();
    let more = formats.len().saturating_sub(MOST_AVOIDED);
    formats.truncate(MOST_AVOIDED);
    (!formats.is_empty()).then_some(Advice::Avoid { formats, more })
}

fn usable(figure: f64) -> bool {
    figure.is_finite() && figure > 0.0
}

impl Advice {
    /// Returns the statement as a sentence.
    pub(crate) fn sentence(&self) -> String {
        match self {
            Advice::Best { figure, group, format, value, close } => {
                let value = if figure.is_time() { figures::time(*value) } else { format!("{} bytes", figures::bytes(*value)) };
                let title = match figure {
                    Figure::Decode => "Fastest to read",
                    _ => "Smallest with zstd",
                };
                let close = match close.as_slice() {
                    [] => "no other is within 5 %".to_owned(),
                    close => format!("within 5 %: {}", close.join(", ")),
                };
                format!("{title} {}: {format}, {value} a message; {close}.", group.title())
            }
            Advice::For { purpose, group, format, behind } => {
                let figures: Vec<&str> = purpose.figures().iter().map(|figure| figure.title()).collect();
                let behind = match behind.as_slice() {
                    [] => String::new(),
                    behind => format!(", close before {}", behind.join(", ")),
                };
                format!("For {} {} (by {}): {format}{behind}.", purpose.name(), group.title(), figures.join(", then "))
            }
            Advice::Schema { with, without, saved } if *saved >= CLOSE => {
                format!("A schema makes them smaller: {with} has {:.0} % less than {without}, with zstd.", saved * 100.0)
            }
            Advice::Schema { with, without, saved } if *saved > -CLOSE => {
                format!("A schema buys no bytes here: {with} and {without} are within 5 %, with zstd.")
            }
            Advice::Schema { with, without, saved } => {
                format!("A schema buys no bytes here: {with} has {:.0} % more than {without}, with zstd.", -saved * 100.0)
            }
            Advice::Avoid { formats, more } => {
                let named: Vec<String> = formats.iter().map(|(format, what)| format!("{format} ({what})")).collect();
                let more = if *more > 0 { format!(" and {more} more") } else { String::new() };
                format!("Not for these messages, since values change: {}{more}.", named.join(", "))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use polywire_testing::Rng;

    use super::*;
    use crate::comparison::Lost;
    use crate::report::sample;

    /// Rows of random figures, in both groups and with every verdict.
    fn rows(rng: &mut Rng) -> Vec<Row> {
        let pattern = sample::comparison(1.0).rows;
        let figure = |rng: &mut Rng| match rng.usize(0..12) {
            0 => 0.0,
            1 => f64::NAN,
            2 => f64::INFINITY,
            // Figures near each other are the interesting ones.
            _ => 100.0 + rng.usize(0..12) as f64,
        };
        (0..rng.usize(0..8))
            .map(|n| {
                let mut row = pattern[0].clone();
                row.format = format!("f{n}");
                row.group = if rng.bool() { Group::WithSchema } else { Group::WithoutSchema };
                row.verdict =
                    [Verdict::Exact, Verdict::Exact, Verdict::Exact, Verdict::Unfit, Verdict::Lossy, Verdict::Impossible][rng.usize(0..6)];
                let (sizes, times) = (row.sizes.as_mut().unwrap(), row.times.as_mut().unwrap());
                [&mut sizes.raw, &mut sizes.gzip, &mut sizes.zstd, &mut sizes.batch_zstd].into_iter().for_each(|size| *size = figure(rng));
                [&mut times.encode, &mut times.decode, &mut times.scan].into_iter().for_each(|time| time.ns.median = figure(rng));
                if row.verdict == Verdict::Lossy {
                    row.losses = vec![Lost { path: "a".into(), what: "gone".into(), count: 1, example: None }];
                }
                if matches!(row.verdict, Verdict::Unfit | Verdict::Impossible) || rng.usize(0..9) == 0 {
                    row.times = None;
                }
                row
            })
            .collect()
    }

    #[test]
    fn no_sentence_says_more_than_the_figures() {
        let mut rng = Rng::with_seed(5);
        let (mut best, mut chosen, mut schemas, mut avoided) = (0, 0, 0, 0);
        for _ in 0..4000 {
            let rows = rows(&mut rng);
            let row = |name: &String| rows.iter().find(|row| row.format == *name).expect("a format of the comparison");
            let value = |name: &String, figure: Figure| {
                let row = row(name);
                assert_eq!(row.verdict, Verdict::Exact);
                figure.of(row.sizes.as_ref().unwrap(), row.times.as_ref().unwrap())
            };
            let rivals =
                |group: Group| rows.iter().filter(move |row| row.group == group && row.verdict == Verdict::Exact && row.times.is_some());
            let purpose = [None, Some(Purpose::Archive), Some(Purpose::Rpc), Some(Purpose::Browser), Some(Purpose::Log)][rng.usize(0..5)];
            let debug = rng.usize(0..4) == 0;
            let advice = advice(&rows, debug, purpose);
            assert!(advice.len() <= 5);
            for one in &advice {
                match one {
                    Advice::Best { figure, group, format, value: shown, close } => {
                        best += 1;
                        assert!(!debug || !figure.is_time());
                        assert_eq!((row(format).group, value(format, *figure)), (*group, *shown));
                        for other in rivals(*group).filter(|other| other.format != *format) {
                            let theirs = value(&other.format, *figure);
                            assert!(!usable(theirs) || theirs >= *shown, "{} is smaller", other.format);
                            assert_eq!(usable(theirs) && theirs <= shown * 1.05, close.contains(&other.format), "{}", other.format);
                        }
                    }
                    Advice::For { purpose, group, format, behind } => {
                        chosen += 1;
                        assert!(!debug || purpose.figures().iter().all(|figure| !figure.is_time()));
                        let first = purpose.figures()[0];
                        let least = rivals(*group)
                            .map(|row| value(&row.format, first))
                            .filter(|value| usable(*value))
                            .fold(f64::INFINITY, f64::min);
                        // No other format is better by the first figure beyond what is close.
                        for name in behind.iter().chain([format]) {
                            assert!(value(name, first) <= least * 1.05, "{name}");
                        }
                        assert!(!behind.contains(format));
                    }
                    Advice::Schema { with, without, saved } => {
                        schemas += 1;
                        assert_eq!((row(with).group, row(without).group), (Group::WithSchema, Group::WithoutSchema));
                        assert_eq!(*saved, 1.0 - value(with, Figure::Zstd) / value(without, Figure::Zstd));
                        assert_eq!(one.sentence().contains("makes them smaller"), *saved >= 0.05);
                    }
                    Advice::Avoid { formats, .. } => {
                        avoided += 1;
                        assert!(
                            formats
                                .iter()
                                .all(|(format, what)| row(format).verdict == Verdict::Lossy && row(format).losses[0].what == *what)
                        );
                    }
                }
                assert!(one.sentence().ends_with('.') && !one.sentence().contains("NaN"), "{}", one.sentence());
            }
        }
        assert!([best, chosen, schemas, avoided].iter().all(|seen| *seen > 200), "{best} {chosen} {schemas} {avoided}");
    }

    #[test]
    fn sentences_of_the_sample() {
        let comparison = sample::comparison(1.0);
        let said = sentences(&comparison, Some(Purpose::Browser));
        assert!(
            said[0].starts_with("For browser without a schema (by bytes with gzip, then time to decode, then raw bytes): second"),
            "{said:?}"
        );
        assert!(said[1].starts_with("Smallest with zstd without a schema: second, "), "{said:?}");
        assert!(said[2].starts_with("Fastest to read without a schema: "), "{said:?}");
        assert!(said[3].starts_with("A schema makes them smaller: learner has "), "{said:?}");
        assert_eq!(said[4], "Not for these messages, since values change: loser (number became text).");
    }
}
