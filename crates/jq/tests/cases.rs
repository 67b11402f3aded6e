//! Cases of the language: a filter, an input and its results, in the three-line form of jq's own
//! tests.

use polywire_core::Limits;
use polywire_core::tools::Stream;
use polywire_core::tools::adapt::Walker;
use polywire_jq::{Alone, Filter, Memory, NATIVE, Raw, Results, Val, ValSink};

const CASES: &str = include_str!("cases.test");

/// Runs a filter over an input, and returns its results as they are written, a line each.
fn results(filter: &str, input: &str) -> Result<String, String> {
    let filter = Filter::compile(filter, "case", &["ENV"]).map_err(|found| found.to_string())?;
    let mut results = Results::new(NATIVE, Raw::No, &Default::default()).unwrap();
    let mut walker = Walker::new(NATIVE, &Limits::DEFAULT);
    let mut stream = Stream::new(input.as_bytes());
    let message = stream.next(&mut walker).unwrap().unwrap();
    let mut sink: ValSink = filter.sink();
    walker.walk(message.bytes, message.base, &mut sink).map_err(|error| error.to_string())?;
    let env = Val::object([(Val::text("HOME"), Val::text("/"))]);
    let end = filter.run(sink.take().unwrap(), &[env], &Alone, Memory::default(), &mut |value| results.add(&value));
    let written = String::from_utf8(results.bytes().to_vec()).unwrap();
    match end {
        Ok(_) => Ok(written),
        Err(stopped) => Err(format!("{written}{stopped:?}")),
    }
}

#[test]
fn every_case_has_its_results() {
    let mut count = 0;
    let cases = CASES.split("\n\n").map(|case| case.lines().filter(|line| !line.starts_with('#')).collect::<Vec<&str>>());
    for case in cases.filter(|case| !case.is_empty()) {
        count += 1;
        match case.as_slice() {
            ["%%FAIL", filter] => assert!(Filter::compile(filter, "case", &[]).is_err(), "{filter}"),
            [filter, input, expected @ ..] => {
                let found = results(filter, input);
                let expected: String = expected.iter().map(|line| format!("{line}\n")).collect();
                assert_eq!(found.as_deref(), Ok(expected.as_str()), "{filter} of {input}");
            }
            other => panic!("no case: {other:?}"),
        }
    }
    assert!(count > 40, "{count} cases");
}
