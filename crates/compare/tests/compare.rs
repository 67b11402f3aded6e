//! Whole comparisons: of toy formats that each do one thing wrong, and of every format on every
//! bundled corpus.

use polywire_compare::comparison::{Comparison, Group, Origin, Row, Verdict};
use polywire_compare::{Messages, Options, Progress, Sort, compare, corpus, held_out, report};
use polywire_core::format::{Format, Nature};
use polywire_core::tools::Stream;
use polywire_core::tools::adapt::Doubles;
use polywire_core::{Error, ErrorKind, Field, Limits, Losses, Lost, Needs, Next, Note, Open, Part, Result, Scalar, Sink, Span, Writer};
use polywire_formats::registry::{self, FORMATS};

/// A text format that the toys are made from.
fn plain() -> &'static Format {
    FORMATS[0]
}

/// The plain format under another name, with another writer and separator.
fn toy(name: &'static str, writer: fn() -> Box<dyn Writer>, separator: &'static str) -> &'static Format {
    let Format { title, nature, recognise, reader, repeats, .. } = *plain();
    let format = Format::new(name, title, nature, recognise, reader).repeats(repeats).separator(separator).writer(writer);
    Box::leak(Box::new(format))
}

/// Treatment of truth values by a toy's writer.
#[derive(Clone, Copy, PartialEq)]
enum Fate {
    Kept,
    /// Written as null, without a report.
    Dropped,
    /// Written as null, and reported.
    Told,
    Refused,
    /// Kept, but a loss outside of the values is reported.
    Remarked,
}

struct Toy {
    inner: Box<dyn Writer>,
    fate: Fate,
    losses: Losses,
}

fn writer(fate: Fate) -> Box<dyn Writer> {
    Box::new(Toy { inner: plain().writer.unwrap()(), fate, losses: Losses::default() })
}

impl<'m> Sink<'m> for Toy {
    fn needs(&self) -> Needs {
        Sink::<'m>::needs(&*self.inner)
    }

    fn open(&mut self, open: Open<'_>, at: Span) -> Result<Next> {
        Sink::<'m>::open(&mut *self.inner, open, at)
    }

    fn field(&mut self, field: Field<'m, '_>, at: Span) -> Result<Next> {
        Sink::<'m>::field(&mut *self.inner, field, at)
    }

    fn scalar(&mut self, value: Scalar<'m, '_>, at: Span) -> Result<()> {
        let value = match (value, self.fate) {
            (Scalar::Bool(_), Fate::Dropped) => Scalar::Null,
            (Scalar::Bool(_), Fate::Told) => {
                self.losses.value("truth value became null", at);
                Scalar::Null
            }
            (Scalar::Bool(_), Fate::Refused) => return Err(Error::data(ErrorKind::Unsupported, at.start).seen("a truth value")),
            (value, Fate::Remarked) => {
                self.losses.note(Note::Comment("x"), at);
                value
            }
            (value, _) => value,
        };
        Sink::<'m>::scalar(&mut *self.inner, value, at)
    }

    fn part(&mut self, part: Part<'_>, at: Span) -> Result<()> {
        Sink::<'m>::part(&mut *self.inner, part, at)
    }

    fn close(&mut self, at: Span) -> Result<()> {
        Sink::<'m>::close(&mut *self.inner, at)
    }
}

impl Writer for Toy {
    fn finish(&mut self, out: &mut Vec<u8>) -> Result<()> {
        self.inner.finish(out)
    }

    fn reset(&mut self) {
        self.inner.reset();
    }

    fn losses(&mut self) -> Vec<Lost> {
        let mut losses = self.inner.losses();
        losses.extend(self.losses.take());
        losses
    }
}

fn messages(format: &'static Format, text: &str) -> Result<Messages> {
    let mut messages = Messages::new(format, &Limits::DEFAULT);
    messages.add("test", &mut Stream::new(text.as_bytes()))?;
    Ok(messages)
}

fn run(text: &str, formats: &[&'static Format]) -> Comparison {
    let options = Options { time: Some(0.001), ..Options::new(formats) };
    compare(&messages(plain(), text).unwrap(), &options, &mut |_| {}).unwrap()
}

fn row<'c>(comparison: &'c Comparison, name: &str) -> &'c Row {
    comparison.rows.iter().find(|row| row.format == name).unwrap()
}

const TEXT: &str = "{\"a\":[true,1]}\n{\"a\":[false,2,true],\"b\":\"text\"}\n";

#[test]
fn a_silent_loss_is_found_and_not_ranked() {
    let comparison = run(TEXT, &[toy("silent", || writer(Fate::Dropped), "\n"), plain()]);
    let silent = row(&comparison, "silent");
    assert_eq!((silent.verdict, silent.rank), (Verdict::Lossy, None));
    assert_eq!(silent.losses.len(), 1, "{:?}", silent.losses);
    let lost = &silent.losses[0];
    assert_eq!((lost.path.as_str(), lost.count), ("a[]", 3));
    assert_eq!(lost.example, Some(["bool true".to_string(), "null".to_string()]));
    assert!(silent.sizes.is_some() && silent.times.is_some(), "its figures are shown all the same");
    assert_eq!((row(&comparison, plain().name).rank, comparison.base.as_deref()), (Some(1), Some(plain().name)));
    assert_eq!(comparison.rows.last().unwrap().format, "silent");
}

#[test]
fn a_told_loss_is_shown_once_in_the_words_of_the_writer() {
    let comparison = run(TEXT, &[plain(), toy("told", || writer(Fate::Told), "\n")]);
    let told = row(&comparison, "told");
    assert_eq!((told.verdict, told.losses.len()), (Verdict::Lossy, 1), "{:?}", told.losses);
    assert_eq!((told.losses[0].what.as_str(), told.losses[0].count), ("truth value became null", 3));
    assert!(report::table(&comparison, false).contains("a[]: truth value became null (3 times)"));
}

#[test]
fn a_remark_does_not_cost_the_rank() {
    let comparison = run(TEXT, &[toy("remarked", || writer(Fate::Remarked), "\n")]);
    let remarked = row(&comparison, "remarked");
    assert_eq!((remarked.verdict, remarked.rank, remarked.losses.len()), (Verdict::Exact, Some(1), 0));
    assert!(remarked.remarks.iter().all(|remark| remark.what == "comment dropped") && !remarked.remarks.is_empty());
}

#[test]
fn what_cannot_be_written_is_a_row_and_no_failure() {
    let comparison = run(TEXT, &[toy("refused", || writer(Fate::Refused), "\n"), plain()]);
    let refused = row(&comparison, "refused");
    assert_eq!((refused.verdict, refused.sizes.is_none(), refused.times.is_none()), (Verdict::Impossible, true, true));
    let why = refused.why.as_deref().unwrap();
    assert!(why.starts_with("message 1 cannot be written") && why.contains("a truth value") && why.contains("in a[0]"), "{why}");
}

#[test]
fn messages_that_run_together_in_a_stream_are_a_loss() {
    let comparison = run("1\n2\n3\n", &[toy("glued", || writer(Fate::Kept), ""), plain()]);
    let glued = row(&comparison, "glued");
    assert_eq!((glued.verdict, glued.losses[0].path.as_str()), (Verdict::Lossy, "the stream"), "{:?}", glued.losses);
    assert_eq!(row(&comparison, plain().name).verdict, Verdict::Exact);
}

#[test]
fn sizes_and_ratios_are_those_of_the_messages() {
    let text = "{\"number\": 1}\n{\"number\":   234}\n";
    let copy = toy("copy", || writer(Fate::Kept), "\n");
    let comparison = run(text, &[plain(), copy]);
    let row = row(&comparison, "copy");
    assert_eq!(row.sizes.as_ref().unwrap().raw, f64::from(12 + 14) / 2.0, "white space is left out");
    assert_eq!((comparison.input.messages, comparison.input.bytes), (2, 13 + 17));
    assert_eq!(row.ratios.as_ref().unwrap().raw, 1.0);
    assert!(row.sizes.as_ref().unwrap().no_dictionary.as_deref().unwrap().contains("16 messages"));
}

#[test]
fn bad_input_is_an_error_with_place_and_path() {
    let mut held = Messages::new(plain(), &Limits::DEFAULT);
    held.add("good", &mut Stream::new(&b"[1]"[..])).unwrap();
    let error = held.add("bad", &mut Stream::new(&b"[1]\n{\"a\":[1,!]}"[..])).unwrap_err();
    assert_eq!((error.offset(), error.path().map(ToString::to_string).as_deref()), (Some(12), Some("a")), "{error}");
    assert_eq!((held.len(), held.bytes(), held.sources().len()), (1, 3, 1), "nothing of the bad input stays");
}

#[test]
fn options_are_checked() {
    let some = messages(plain(), "1").unwrap();
    let none = Messages::new(plain(), &Limits::DEFAULT);
    let options = Options::new(&[plain()]);
    assert_eq!(compare(&none, &options, &mut |_| {}).unwrap_err().kind(), ErrorKind::Usage);
    for time in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let options = Options { time: Some(time), ..options.clone() };
        assert_eq!(compare(&some, &options, &mut |_| {}).unwrap_err().kind(), ErrorKind::Usage);
    }
    assert_eq!(compare(&some, &Options::new(&[]), &mut |_| {}).unwrap_err().kind(), ErrorKind::Usage);
}

#[test]
fn doubled_keys_are_refused_unless_their_meaning_is_said() {
    let text = "{\"a\":1,\"a\":2}";
    assert_eq!(messages(plain(), text).err().unwrap().kind(), ErrorKind::DoubledKey);
    for (doubles, bytes) in [(Doubles::First, 7.0), (Doubles::Last, 7.0), (Doubles::Keep, 13.0)] {
        let mut messages = Messages::new(plain(), &Limits::DEFAULT).doubles(doubles);
        messages.add("test", &mut Stream::new(text.as_bytes())).unwrap();
        let comparison = compare(&messages, &Options { time: Some(0.001), ..Options::new(&[plain()]) }, &mut |_| {}).unwrap();
        let row = &comparison.rows[0];
        assert_eq!((row.verdict, row.sizes.as_ref().unwrap().raw), (Verdict::Exact, bytes), "{doubles:?}: {row:?}");
    }
}

#[test]
fn allocations_are_counted_by_the_callers_counter() {
    use std::cell::Cell;
    thread_local!(static CALLS: Cell<u64> = const { Cell::new(0) });
    /// Counts three more each time it is asked.
    fn counter() -> u64 {
        CALLS.with(|calls| calls.replace(calls.get() + 3) + 3)
    }
    let options = Options { time: Some(0.001), allocations: Some(counter), ..Options::new(&[plain()]) };
    let comparison = compare(&messages(plain(), "1\n2\n").unwrap(), &options, &mut |_| {}).unwrap();
    let times = comparison.rows[0].times.as_ref().unwrap();
    assert_eq!([&times.encode, &times.decode, &times.scan].map(|time| time.allocations), [Some(1.5); 3], "3 in a pass of 2 messages");
}

#[test]
fn progress_goes_through_all_stages() {
    let mut stages: Vec<&str> = Vec::new();
    let mut watch = |progress: Progress| {
        assert!(progress.done < progress.total, "{progress:?}");
        if stages.last() != Some(&progress.stage) {
            stages.push(progress.stage);
        }
    };
    let options = Options { time: Some(0.001), ..Options::new(&[plain()]) };
    compare(&messages(plain(), TEXT).unwrap(), &options, &mut watch).unwrap();
    assert_eq!(stages, ["proving", "compressing", "calibrating", "measuring"]);
}

/// The binary formats that can be bound to an inferred schema. Messages of text may be longer than
/// those of the plain format, which stand for what does not fit.
fn learners() -> Vec<&'static Format> {
    let learns = |format: &&'static Format| {
        let adopts = format.binder.is_some_and(|binder| binder.adopts());
        format.nature == Nature::Binary && adopts && registry::unframed(format).name == format.name
    };
    FORMATS.iter().copied().filter(learns).collect()
}

/// A comparison of the plain format with those that need a schema, on `count` messages. Each has a
/// field more if `late` is true for its index.
fn learned(count: usize, late: impl Fn(usize) -> bool) -> Comparison {
    let line = |n: usize| format!("{{\"number\":{n},\"goods\":\"name {}\"{}}}\n", n % 7, if late(n) { ",\"late\":true" } else { "" });
    let text: String = (0..count).map(line).collect();
    let formats: Vec<&'static Format> = [plain()].into_iter().chain(learners()).collect();
    run(&text, &formats)
}

#[test]
fn schemas_are_learned_on_one_half_and_all_rows_measured_on_the_other() {
    let clean = learned(100, |_| false);
    let held_out = held_out(100);
    let some = learned(100, |n| held_out[1..3].contains(&n));
    assert!(learners().len() >= 3, "formats that need a schema");
    for comparison in [&clean, &some] {
        assert_eq!((comparison.method.measured_messages, comparison.input.messages), (50, 100));
        let own = row(comparison, plain().name);
        assert_eq!((own.group, own.rank, own.schema.is_none()), (Group::WithoutSchema, Some(1), true));
    }
    let bytes = |n: usize| format!("{{\"number\":{n},\"goods\":\"name {}\"}}", n % 7).len();
    let mean = held_out.iter().map(|n| bytes(*n)).sum::<usize>() as f64 / 50.0;
    assert_eq!(row(&clean, plain().name).sizes.as_ref().unwrap().raw, mean);
    let mut ranks = Vec::new();
    for format in learners() {
        let (before, after) = (row(&clean, format.name), row(&some, format.name));
        for (row, unfit) in [(before, 0), (after, 2)] {
            assert_eq!((row.verdict, row.group), (Verdict::Exact, Group::WithSchema), "{}: {:?} {:?}", format.name, row.why, row.losses);
            let schema = row.schema.as_ref().unwrap();
            assert_eq!((schema.origin, schema.learned_on, schema.held_out), (Origin::Inferred, Some(50), Some(50)));
            assert_eq!((schema.unfit, schema.charged_as.as_deref()), (unfit, (unfit > 0).then_some(plain().name)), "{}", format.name);
            assert!(schema.bytes.is_some_and(|bytes| bytes > 20) && schema.zstd.is_some() && schema.text.is_some(), "{schema:?}");
            assert!(row.times.is_some());
        }
        // Two messages of 50 at the plain format's bytes, in place of their own.
        let raw = |row: &Row| row.sizes.as_ref().unwrap().raw;
        assert!(raw(after) > raw(before) && raw(after) - raw(before) < 2.0 * 50.0 / 50.0, "{}", format.name);
        ranks.push(after.rank.unwrap());
    }
    ranks.sort_unstable();
    assert_eq!(ranks, (1..=ranks.len()).collect::<Vec<_>>(), "ranks of their own");
    let words = |report: String| report.split_whitespace().collect::<Vec<_>>().join(" ");
    for report in [report::table(&some, false), report::markdown(&some), report::html(std::slice::from_ref(&some)).unwrap()] {
        let report = words(report);
        for said in ["inferred from 50 messages, measured on 50 others", "2 of 50 need a new version", "without a schema", "with a schema"]
        {
            assert!(report.contains(said), "{said}: {report}");
        }
    }
}

#[test]
fn a_row_that_too_few_messages_fit_is_not_ranked() {
    // 3 of 50: 94 % fit.
    let comparison = learned(100, |n| held_out(100)[4..7].contains(&n));
    for format in learners() {
        let row = row(&comparison, format.name);
        assert_eq!((row.verdict, row.rank, row.times.is_none()), (Verdict::Unfit, None, true), "{}", format.name);
        assert_eq!(row.schema.as_ref().unwrap().unfit, 3);
        assert!(row.sizes.is_some());
    }
    let words = report::table(&comparison, false).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("3 of 50 need a new version, and a row is ranked if 95 % fit"), "{words}");
}

#[test]
fn a_row_without_rank_stands_beside_ranked_ones() {
    // Only a schema that was given has the field of the late messages.
    let late = learned(100, |n| n % 10 == 2 && held_out(100).contains(&n));
    let own = row(&late, plain().name);
    assert_eq!((own.verdict, own.rank), (Verdict::Exact, Some(1)));
    assert!(learners().iter().all(|format| row(&late, format.name).verdict == Verdict::Unfit));
    // The first message is measured. If it does not fit, later ones are still read and timed.
    let first = learned(100, |n| n == 0);
    for format in learners() {
        let row = row(&first, format.name);
        assert_eq!((row.verdict, row.schema.as_ref().unwrap().unfit, row.times.is_some()), (Verdict::Exact, 1, true), "{}", format.name);
    }
}

#[test]
fn messages_are_held_out_from_twenty_on() {
    for (count, learned_on, measured) in [(20, 10, 10), (22, 11, 11)] {
        let comparison = learned(count, |_| false);
        assert_eq!(comparison.method.measured_messages, measured);
        for format in learners() {
            let schema = row(&comparison, format.name).schema.as_ref().unwrap();
            assert_eq!((schema.learned_on, schema.held_out, schema.unfit), (Some(learned_on), Some(measured), 0));
        }
    }
}

#[test]
fn unfit_messages_are_counted_and_charged_whichever_they_are() {
    let mut rng = polywire_testing::Rng::with_seed(19);
    let (clean, held_out) = (learned(60, |_| false), held_out(60));
    for _ in 0..6 {
        let late: Vec<usize> = (0..rng.usize(1..6)).map(|_| held_out[rng.usize(0..30)]).collect();
        let unfit = late.iter().collect::<std::collections::HashSet<_>>().len();
        let comparison = learned(60, |n| late.contains(&n));
        // One of 30 leaves 96.7 % that fit, two 93.3 %.
        let verdict = if unfit == 1 { Verdict::Exact } else { Verdict::Unfit };
        let raw = |of: &Comparison, name: &str| 30.0 * row(of, name).sizes.as_ref().unwrap().raw;
        let longer = raw(&comparison, plain().name) - raw(&clean, plain().name);
        assert_eq!(longer.round() as usize, unfit * ",\"late\":true".len());
        for format in learners() {
            let (before, after) = (row(&clean, format.name), row(&comparison, format.name));
            let schema = after.schema.as_ref().unwrap();
            assert_eq!((after.verdict, schema.unfit, schema.charged_as.as_deref()), (verdict, unfit, Some(plain().name)), "{late:?}");
            let most = unfit * "{\"number\":99,\"goods\":\"name 6\",\"late\":true}".len();
            let more = raw(&comparison, format.name) - raw(&clean, format.name);
            assert!(more > 0.0 && more <= most as f64, "{}: {more}", format.name);
            assert!(before.schema.as_ref().unwrap().charged_as.is_none());
        }
    }
}

#[test]
fn a_learned_base_charges_unfit_messages_in_another_format() {
    let line = |n: usize| {
        format!("{{\"number\":{n},\"goods\":\"name {}\"{}}}\n", n % 7, if n == held_out(100)[3] { ",\"late\":true" } else { "" })
    };
    let text: String = (0..100).map(line).collect();
    let formats: Vec<&'static Format> = learners().into_iter().chain([plain()]).collect();
    let base = learners()[0];
    let options = Options { base: Some(base), time: Some(0.001), ..Options::new(&formats) };
    let comparison = compare(&messages(plain(), &text).unwrap(), &options, &mut |_| {}).unwrap();
    assert_eq!(comparison.base.as_deref(), Some(base.name));
    let schema = row(&comparison, base.name).schema.as_ref().unwrap();
    assert_eq!((schema.unfit, schema.charged_as.as_deref()), (1, Some(plain().name)));
}

#[test]
fn nothing_is_held_out_of_few_messages_or_without_need() {
    let few = learned(19, |n| n == 2);
    assert_eq!(few.method.measured_messages, 19);
    for format in learners() {
        let schema = row(&few, format.name).schema.as_ref().unwrap();
        assert_eq!((schema.learned_on, schema.held_out, schema.unfit), (Some(19), None, 0));
    }
    let words = report::table(&few, false).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("nothing could be held out of fewer than 20"), "{words}");
    let text = "[1]\n".repeat(40);
    let plain_only = run(&text, &[plain()]);
    assert_eq!((plain_only.method.measured_messages, plain_only.rows[0].schema.is_none()), (40, true));
    assert!(!report::table(&plain_only, false).contains("without a schema"), "one group has no heading");
}

/// Every format on every corpus: in its own format nothing is lost, every row says something, every
/// report is made.
#[test]
fn every_corpus_in_every_format() {
    for corpus in corpus::CORPORA {
        let ending = corpus.file.rsplit('.').next().unwrap();
        let Some(format) = registry::by_extension(ending) else { continue };
        // The whole of it takes too long in a debug build; the last messages are cut off.
        let bytes = &corpus.bytes[..corpus.bytes.len().min(40_000)];
        let bytes = if bytes.len() == corpus.bytes.len() { bytes } else { cut_to_messages(corpus.bytes, bytes.len()) };
        let mut messages = Messages::new(format, &Limits::DEFAULT);
        messages.add(corpus.file, &mut Stream::new(bytes)).unwrap();
        for sort in [Sort::Bytes, Sort::Name] {
            let options = Options { time: Some(0.0001), sort, ..Options::new(FORMATS) };
            let comparison = compare(&messages, &options, &mut |_| {}).unwrap();
            assert_eq!(comparison.rows.len(), FORMATS.len());
            let own = row(&comparison, format.name);
            assert_eq!((own.verdict, &own.losses), (Verdict::Exact, &Vec::new()), "{}", corpus.name);
            for row in &comparison.rows {
                match row.verdict {
                    Verdict::Exact => assert!(row.losses.is_empty() && row.sizes.is_some() && row.ratios.is_some()),
                    Verdict::Unfit => assert!(row.schema.is_some() && row.rank.is_none() && row.sizes.is_some() && row.times.is_none()),
                    Verdict::Lossy => assert!(!row.losses.is_empty() && row.rank.is_none() && row.times.is_some()),
                    Verdict::Impossible => assert!(row.why.is_some() && row.sizes.is_none()),
                }
            }
            let table = report::table(&comparison, false);
            assert!(table.lines().all(|line| line.chars().count() <= 100), "{table}");
            assert!(report::json(std::slice::from_ref(&comparison)).unwrap().contains("\"ratios\""));
            assert_eq!(report::csv(std::slice::from_ref(&comparison)).unwrap().lines().count(), 1 + FORMATS.len());
            assert!(report::markdown(&comparison).contains("### Bytes per message"));
            assert!(report::html(std::slice::from_ref(&comparison)).unwrap().contains("</html>"));
        }
    }
}

/// Whole lines of a file with one message a line; all of a file that is one message.
fn cut_to_messages(bytes: &[u8], most: usize) -> &[u8] {
    match bytes[..most].iter().rposition(|byte| *byte == b'\n') {
        Some(end) if bytes.iter().filter(|byte| **byte == b'\n').count() > 100 => &bytes[..=end],
        _ => bytes,
    }
}
