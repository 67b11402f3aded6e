//! The parsers of structured values: what they deliver does not depend on how the input is cut.

use std::fmt::Debug;

use polywire_psyc::element::{ElementError, Limits};
use polywire_psyc::list::ListState;
use polywire_psyc::{dict, element, index, list, update};

/// The result of one call for a consumer that joins parts.
enum Call {
    More,
    /// Something whole, as text.
    Whole(String),
    Start(String, Vec<u8>),
    Part(Vec<u8>, bool),
    End(String),
}

/// A parser: a call on the state, the cursor, and the cursor set to 0.
trait Parse: Default {
    fn call(&mut self, buf: &[u8], end: bool, limits: &Limits) -> Result<Call, ElementError>;
    fn cursor(&mut self) -> &mut usize;
}

#[derive(Default)]
struct List(ListState);
#[derive(Default)]
struct Dict(element::ItemState);
#[derive(Default)]
struct Index(element::ItemState);
#[derive(Default)]
struct Update(element::ItemState);

fn whole(step: impl Debug) -> Call {
    Call::Whole(format!("{step:?}"))
}

fn index_call(step: index::IndexStep<'_>) -> Call {
    match step {
        index::IndexStep::More => Call::More,
        index::IndexStep::KeyStart(part) => Call::Start("key".into(), part.to_vec()),
        index::IndexStep::KeyPart(part) => Call::Part(part.to_vec(), false),
        index::IndexStep::KeyEnd(part) => Call::Part(part.to_vec(), true),
        index::IndexStep::Key(key) => Call::Whole(format!("key {key:?}")),
        index::IndexStep::End => Call::End("end".into()),
        step => whole(step),
    }
}

impl Parse for List {
    fn call(&mut self, buf: &[u8], end: bool, limits: &Limits) -> Result<Call, ElementError> {
        Ok(match list::step(&mut self.0, buf, end, limits)? {
            list::ListStep::More => Call::More,
            list::ListStep::Start(element) => Call::Start(format!("{:?} {:?}", element.kind, element.size), element.value.to_vec()),
            list::ListStep::Part(part) => Call::Part(part.to_vec(), false),
            list::ListStep::PartEnd(part) => Call::Part(part.to_vec(), true),
            list::ListStep::Element(element) if element.size.is_some() => {
                Call::Whole(format!("{:?} {:?} {:?}", element.kind, element.size, element.value))
            }
            step @ list::ListStep::End(_) => Call::End(format!("{step:?}")),
            step => whole(step),
        })
    }

    fn cursor(&mut self) -> &mut usize {
        &mut self.0.cursor
    }
}

impl Parse for Dict {
    fn call(&mut self, buf: &[u8], end: bool, limits: &Limits) -> Result<Call, ElementError> {
        Ok(match dict::step(&mut self.0, buf, end, limits)? {
            dict::DictStep::More => Call::More,
            dict::DictStep::KeyStart(part) => Call::Start("key".into(), part.to_vec()),
            dict::DictStep::Key(key) => Call::Whole(format!("key {key:?}")),
            dict::DictStep::ValueStart(element) => Call::Start(format!("{:?} {:?}", element.kind, element.size), element.value.to_vec()),
            dict::DictStep::KeyPart(part) | dict::DictStep::ValuePart(part) => Call::Part(part.to_vec(), false),
            dict::DictStep::KeyEnd(part) | dict::DictStep::ValueEnd(part) => Call::Part(part.to_vec(), true),
            dict::DictStep::Value(element) if element.size.is_some() => {
                Call::Whole(format!("{:?} {:?} {:?}", element.kind, element.size, element.value))
            }
            step @ dict::DictStep::End(_) => Call::End(format!("{step:?}")),
            step => whole(step),
        })
    }

    fn cursor(&mut self) -> &mut usize {
        &mut self.0.cursor
    }
}

impl Parse for Index {
    fn call(&mut self, buf: &[u8], end: bool, limits: &Limits) -> Result<Call, ElementError> {
        index::step(&mut self.0, buf, end, limits).map(index_call)
    }

    fn cursor(&mut self) -> &mut usize {
        &mut self.0.cursor
    }
}

impl Parse for Update {
    fn call(&mut self, buf: &[u8], end: bool, limits: &Limits) -> Result<Call, ElementError> {
        Ok(match update::step(&mut self.0, buf, end, limits)? {
            update::UpdateStep::More => Call::More,
            update::UpdateStep::Index(step) => index_call(step),
            update::UpdateStep::ValueStart(part) => Call::Start("value".into(), part.to_vec()),
            update::UpdateStep::ValuePart(part) => Call::Part(part.to_vec(), false),
            update::UpdateStep::ValueEnd(part) => Call::Part(part.to_vec(), true),
            update::UpdateStep::Value(value) => Call::Whole(format!("value {value:?}")),
            step @ update::UpdateStep::End(_) => Call::End(format!("{step:?}")),
            step => whole(step),
        })
    }

    fn cursor(&mut self) -> &mut usize {
        &mut self.0.cursor
    }
}

/// Returns the items that a parser delivers for an input whose pieces end at `ends`, parts joined,
/// up to an error or the end.
fn told<P: Parse>(input: &[u8], limits: &Limits, ends: &[usize]) -> Vec<String> {
    let mut parser = P::default();
    let mut told = Vec::new();
    let mut open: Option<(String, Vec<u8>)> = None;
    let mut ends = ends.iter().copied().peekable();
    let (mut start, mut end) = (0, ends.next().unwrap_or(input.len()));
    for _ in 0..4 * input.len() + 8 {
        let last = ends.peek().is_none();
        let buf = &input[start..end];
        match parser.call(buf, last, limits) {
            Err(fault) => {
                assert!(fault.at <= buf.len());
                assert!(parser.call(buf, last, limits).is_err_and(|again| again == fault), "an error is said for good");
                told.push(format!("error {}", fault.number));
                return told;
            }
            Ok(Call::More) if last => {
                told.extend(open.map(|(what, value)| format!("partial {what} {value:?}")));
                told.push("more".into());
                return told;
            }
            Ok(Call::More) => {
                start += *parser.cursor();
                *parser.cursor() = 0;
                end = ends.next().unwrap_or(input.len());
            }
            Ok(Call::Whole(what)) => told.push(what),
            Ok(Call::Start(what, part)) => {
                assert!(open.is_none());
                open = Some((what, part));
            }
            Ok(Call::Part(part, is_last)) => {
                let Some((what, value)) = &mut open else { panic!("a part of nothing") };
                value.extend_from_slice(&part);
                if is_last {
                    told.push(format!("{what} {value:?}"));
                    open = None;
                }
            }
            Ok(Call::End(what)) => {
                told.push(what);
                return told;
            }
        }
    }
    panic!("the parser does not come to an end: {:?}", String::from_utf8_lossy(input));
}

fn same<P: Parse>(input: &[u8], limits: &Limits, choice: u8) {
    let expected = told::<P>(input, limits, &[input.len()]);
    let shown = String::from_utf8_lossy(input);
    let each: Vec<usize> = (1..=input.len()).collect();
    assert_eq!(told::<P>(input, limits, &each), expected, "{shown:?} byte by byte");
    let cut = usize::from(choice) % (input.len() + 1);
    for ends in [vec![cut, input.len()], vec![cut, (cut + usize::from(choice) / 5).min(input.len()), input.len()]] {
        assert_eq!(told::<P>(input, limits, &ends), expected, "{shown:?} cut at {ends:?}");
    }
}

/// List, dict, index and update parsers on an input, whole, byte by byte, and cut where `choice`
/// says, with and without limits.
pub fn agree(input: &[u8], choice: u8) {
    for limits in [Limits::NONE, Limits { size: 1 << (choice % 12), element: usize::from(choice % 9) }] {
        same::<List>(input, &limits, choice);
        same::<Dict>(input, &limits, choice);
        same::<Index>(input, &limits, choice);
        same::<Update>(input, &limits, choice);
    }
}
