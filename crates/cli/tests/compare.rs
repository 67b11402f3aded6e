//! `polywire compare` for a person and for a program. Figures differ from run to run; the text
//! around them does not.

mod common;

use std::process::Output;

use polywire_formats::registry::{FORMATS, notation_of, unframed};
use serde_json::Value;

use common::root;

fn polywire(args: &[&str], environment: &[(&str, &str)], stdin: &[u8]) -> Output {
    let mut command = common::command(&[&["compare"], args].concat());
    command.envs(environment.iter().copied());
    common::fed(command, stdin)
}

fn run(args: &[&str], stdin: &[u8]) -> Output {
    polywire(&[args, &["--time", "0.001"]].concat(), &[], stdin)
}

fn good(args: &[&str], stdin: &[u8]) -> String {
    let output = run(args, stdin);
    assert_eq!(output.status.code(), Some(0), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    assert!(output.stderr.is_empty(), "progress is for terminals: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("output is text")
}

fn record(args: &[&str], stdin: &[u8]) -> Value {
    serde_json::from_str(&good(&[args, &["--report", "json"]].concat(), stdin)).expect("the report is JSON")
}

fn formats(record: &Value) -> Vec<&str> {
    record["rows"].as_array().expect("rows").iter().map(|row| row["format"].as_str().expect("a name")).collect()
}

#[test]
fn a_file_becomes_a_table_of_all_formats_that_can_be_written() {
    let table = good(&["examples/packets.jsonl"], b"");
    assert!(table.starts_with("7 messages in json from examples/packets.jsonl: 1,092 bytes as they came"), "{table}");
    assert!(table.lines().all(|line| line.chars().count() <= 100), "{table}");
    for format in FORMATS.iter().filter(|format| format.writer.is_some()) {
        // Another framing of the same bytes, or another notation of a format, is no row of its own.
        let listed = table.lines().any(|line| line.split_whitespace().nth(1) == Some(format.name));
        assert_eq!(listed, unframed(format).name == format.name && notation_of(format).is_none(), "{}: {table}", format.name);
    }
}

#[test]
fn rows_of_a_table_are_compared_like_other_messages() {
    let lines: Vec<String> = (0..40).map(|n| format!("{{\"id\":{n},\"name\":\"n{}\",\"paid\":{}}}\n", n % 7, n % 3 == 0)).collect();
    let from_lines = record(&["--formats", "csv,json,jsonl,cbor"], lines.concat().as_bytes());
    assert!(from_lines["rows"].as_array().expect("rows").iter().all(|row| row["verdict"] == "exact"), "{from_lines}");
    let table: String = (0..40).map(|n| format!("{n},n{},{}\n", n % 7, n % 3 == 0)).collect();
    let from_table = record(&["--formats", "csv,json"], format!("id,name,paid\n{table}").as_bytes());
    assert_eq!((from_table["input"]["format"].as_str(), from_table["input"]["messages"].as_u64()), (Some("csv"), Some(40)));
    let size = |of: &Value, name: &str| {
        let rows = of["rows"].as_array().expect("rows");
        rows.iter().find(|row| row["format"] == name).expect("a row")["sizes"]["raw"].as_f64().expect("a size")
    };
    for name in ["csv", "json"] {
        assert!((size(&from_lines, name) - size(&from_table, name)).abs() < 1e-9, "{name}");
    }
    assert_eq!(size(&from_lines, "json"), size(&from_lines, "jsonl"));
    assert!(size(&from_lines, "csv") < size(&from_lines, "cbor"), "{from_lines}");
}

#[test]
fn messages_come_from_files_stdin_or_the_bundle() {
    let lines = std::fs::read(root().join("examples/packets.jsonl")).expect("the example is there");
    let from_file = record(&["examples/packets.jsonl"], b"");
    let from_stdin = record(&["-"], &lines);
    let bundled = record(&["--corpus", "packets"], b"");
    for (other, source) in [(&from_stdin, "stdin"), (&bundled, "packets.jsonl")] {
        assert_eq!(other["input"]["sources"][0], source);
        assert_eq!(other["input"]["messages"], from_file["input"]["messages"]);
        assert_eq!(other["rows"][0]["sizes"], from_file["rows"][0]["sizes"]);
    }
    let two = record(&["examples/packets.jsonl", "examples/tickets-2.json"], b"");
    assert_eq!((two["input"]["messages"].as_u64(), two["input"]["sources"].as_array().map(Vec::len)), (Some(8), Some(2)));
    assert_eq!(record(&["--formats", "json"], b"1 2\n3\n\n[4]")["input"]["messages"], 4);
}

#[test]
fn formats_base_and_order_are_as_asked() {
    let all = record(&["--formats", "json,cbor", "--base", "cbor", "--sort", "decode", "--corpus", "tickets-2"], b"");
    assert_eq!((all["base"].as_str(), all["sort"].as_str()), (Some("cbor"), Some("decode")));
    let rows = all["rows"].as_array().expect("rows");
    assert_eq!(rows.len(), 2);
    let time = |row: &Value| row["times"]["decode"]["ns"]["median"].as_f64().expect("a time");
    assert!(time(&rows[0]) <= time(&rows[1]));
    let based = rows.iter().find(|row| row["format"] == "cbor").expect("the base is there");
    assert!(based["ratios"].as_object().expect("ratios").values().all(|ratio| ratio.is_null() || ratio.as_f64() == Some(1.0)));
    assert_eq!(formats(&record(&["--formats", "msgpack,json,cbor", "--sort", "name"], b"1")), ["cbor", "json", "msgpack"]);
}

#[test]
fn a_recommendation_is_for_a_purpose_if_one_is_named() {
    let advice = |args: &[&str]| {
        let comparison = record(&[&["--corpus", "tickets", "--formats", "json,msgpack,csv,protobuf"][..], args].concat(), b"");
        let sentences = comparison["advice"].as_array().expect("sentences").iter();
        sentences.map(|sentence| sentence.as_str().expect("text").to_string()).collect::<Vec<String>>()
    };
    let plain = advice(&[]);
    assert!(plain[0].starts_with("Smallest with zstd without a schema: msgpack, "), "{plain:?}");
    assert!(plain.iter().any(|sentence| sentence.starts_with("A schema makes them smaller: protobuf has ")), "{plain:?}");
    assert!(plain.last().is_some_and(|sentence| sentence.starts_with("Not for these messages, since values change: csv (")), "{plain:?}");
    // A debug build's times support no sentence.
    let has_times = !cfg!(debug_assertions);
    for purpose in ["archive", "rpc", "browser", "log"] {
        let found = advice(&["--for", purpose]);
        assert_eq!(found[0].starts_with(&format!("For {purpose} ")), has_times, "{found:?}");
        assert!(found.len() <= 5);
    }
    let refused = run(&["--for", "fun"], b"1");
    assert!(!refused.status.success() && String::from_utf8_lossy(&refused.stderr).contains("archive, rpc, browser, log"));
}

#[test]
fn schemas_are_written_out_and_given() {
    let folder = std::env::temp_dir().join(format!("polywire-compare-schemas-{}", std::process::id()));
    let shown = folder.join("new").to_string_lossy().into_owned();
    let lines: String = (0..40).map(|n| format!("{{\"number\":{n},\"goods\":\"name {}\"}}\n", n % 7)).collect();
    let learned = record(&["--formats", "json,protobuf,extprot,usds", "--schemas", &shown], lines.as_bytes());
    let row =
        |of: &Value, name: &str| of["rows"].as_array().expect("rows").iter().find(|row| row["format"] == name).expect("a row").clone();
    for name in ["protobuf", "extprot", "usds"] {
        let schema = row(&learned, name)["schema"].clone();
        assert_eq!((schema["origin"].as_str(), schema["held_out"].as_u64()), (Some("inferred"), Some(20)), "{name}: {schema}");
        let file = folder.join("new").join(schema["name"].as_str().expect("a file name"));
        let length = std::fs::metadata(&file).expect("the schema was written").len();
        assert_eq!(schema["bytes"].as_u64(), Some(length), "{name}");
    }
    assert_eq!((row(&learned, "json")["group"].as_str(), row(&learned, "json")["schema"].is_null()), (Some("without-schema"), true));
    let file = row(&learned, "extprot")["schema"]["name"].as_str().expect("a file name").to_string();
    let given = format!("extprot={shown}/{file}");
    let bound = row(&record(&["--formats", "json,extprot", "--schema", &given], lines.as_bytes()), "extprot");
    let found = (bound["schema"]["origin"].as_str(), bound["verdict"].as_str(), bound["rank"].as_u64());
    assert_eq!(found, (Some("given"), Some("exact"), Some(1)), "{bound}");
    let given = format!("protobuf={shown}/protobuf.proto");
    let bound = record(&["--formats", "json,protobuf", "--schema", &given], lines.as_bytes());
    let schema = row(&bound, "protobuf")["schema"].clone();
    assert_eq!((schema["origin"].as_str(), schema["learned_on"].is_null()), (Some("given"), true), "{schema}");
    assert_eq!(bound["method"]["measured_messages"], 40, "nothing is learned, and nothing held out");
    for (args, said) in [
        (&["--formats", "json", "--schema", &given][..], "a schema for protobuf"),
        (&["--schema", "json=x.proto"][..], "expected a format that takes one"),
        (&["--schema", "a.proto", "--schema", "b.proto"][..], "FORMAT=FILE"),
    ] {
        let output = run(args, b"1");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(2) && stderr.contains(said), "{args:?}: {stderr}");
    }
    std::fs::remove_dir_all(&folder).expect("the folder can go");
}

#[test]
fn allocations_are_counted() {
    let all = record(&["--formats", "json", "--corpus", "tickets-2"], b"");
    for work in ["encode", "decode", "scan"] {
        assert!(all["rows"][0]["times"][work]["allocations"].is_number(), "{work}");
    }
}

#[test]
fn values_that_change_are_listed_and_cost_the_rank() {
    // Tag 32 of CBOR (RFC 8949 3.4.5.3), around the text "a".
    let output = record(&["--from", "cbor", "--formats", "cbor,json"], b"\xd8\x20\x61a");
    let rows = output["rows"].as_array().expect("rows");
    assert_eq!((rows[0]["format"].as_str(), rows[0]["rank"].as_u64()), (Some("cbor"), Some(1)));
    assert_eq!((rows[1]["verdict"].as_str(), rows[1]["rank"].is_null()), (Some("lossy"), true));
    assert!(!rows[1]["losses"].as_array().expect("losses").is_empty());
}

#[test]
fn every_report_and_the_page_are_made() {
    let page = std::env::temp_dir().join(format!("polywire-compare-{}.html", std::process::id()));
    let shown = page.to_string_lossy().into_owned();
    let csv = good(&["--report", "csv", "--formats", "json", "--html", &shown], b"1");
    assert!(csv.starts_with("rank,format,verdict,") && csv.lines().count() == 2, "{csv}");
    let html = std::fs::read_to_string(&page).expect("the page was written");
    std::fs::remove_file(&page).expect("the page can go");
    assert!(html.starts_with("<!doctype html>") && html.contains("<table>") && html.contains("<script type=\"module\">"));
    assert!(!html.contains("http:") && !html.contains("https:"));
    assert!(good(&["--report", "markdown", "--formats", "json"], b"1").contains("| #"));
}

#[test]
fn a_page_that_cannot_be_written_is_found_before_anything_is_read() {
    // The input is no message: its error would come first if it were read.
    let output = run(&["--html", "/nowhere/at/all.html", "--formats", "json"], b"!");
    assert_eq!((output.status.code(), output.stdout.is_empty()), (Some(4), true));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("make the folder /nowhere/at first, or name a file in one that exists"), "{said}");
    // A page that was there stays as it was if the comparison fails, and none is left otherwise.
    let page = std::env::temp_dir().join(format!("polywire-compare-kept-{}.html", std::process::id()));
    let shown = page.to_string_lossy().into_owned();
    assert_eq!(run(&["--html", &shown, "--formats", "json"], b"!").status.code(), Some(3));
    assert!(!page.exists());
    std::fs::write(&page, "old").expect("a file");
    assert_eq!(run(&["--html", &shown, "--formats", "json"], b"!").status.code(), Some(3));
    assert_eq!(std::fs::read_to_string(&page).expect("the page"), "old");
    good(&["--html", &shown, "--formats", "json"], b"1");
    assert!(std::fs::read_to_string(&page).expect("the page").trim_end().ends_with("</html>"));
    std::fs::remove_file(&page).expect("the page can go");
}

#[test]
fn a_report_says_how_to_repeat_it() {
    let args = ["--formats", "json", "--rival", "none=false --token=hidden", "--from", "json"];
    let report = record(&args, b"1 2");
    let made = &report["made"];
    assert_eq!(made["version"], env!("CARGO_PKG_VERSION"));
    assert!(made["at"].as_str().is_some_and(|at| at.len() == 20 && at.ends_with('Z')), "{made}");
    let command: Vec<&str> = made["command"].as_array().expect("arguments").iter().filter_map(|word| word.as_str()).collect();
    assert_eq!(command[..2], ["polywire", "compare"]);
    assert!(command.contains(&"none=false --token=***") && !report.to_string().contains("hidden"), "{report}");
    // The SHA-256 of `12`.
    assert_eq!(report["input"]["sha256"], "6b51d431df5d7f141cbececcf79edf3dd861c3b4069f0b11661a3eefacbba918");
}

#[test]
fn bad_input_is_an_error_and_no_table() {
    for (args, stdin, code, said) in [
        (&[][..], &b"[1,!]"[..], 3, "saw '!', at byte 3"),
        (&["--from", "json"], b"", 3, "expected a message"),
        (&["--from", "json"], b"{\"a\":1,\"a\":2}", 3, "second time"),
        (&["--from", "json", "--max-depth", "2"], b"[[[]]]", 3, "depth"),
        (&["examples/packets.jsonl", "examples/nothing.json"], b"", 4, "examples/nothing.json: opening"),
        (&["--corpus", "nothing"], b"", 2, "possible values: packets"),
        (&["--formats", "nothing"], b"1", 2, "possible values: json"),
        (&["--sort", "beauty"], b"1", 2, "possible values"),
        (&["--corpus", "packets", "examples/packets.jsonl"], b"", 2, "cannot be used with"),
    ] {
        let output = run(args, stdin);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), output.stdout.is_empty()), (Some(code), true), "{args:?}: {stderr}");
        assert!(stderr.contains(said), "{args:?}: {stderr}");
    }
    let output = polywire(&["--time", "0"], &[], b"1");
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn colours_are_for_terminals_and_those_who_ask() {
    let args = ["--formats", "json", "--time", "0.001"];
    let coloured = |environment: &[(&str, &str)]| polywire(&args, environment, b"1").stdout.contains(&0x1b);
    assert!(!coloured(&[]));
    assert!(coloured(&[("CLICOLOR_FORCE", "1")]));
    assert!(!coloured(&[("NO_COLOR", "1")]));
    let asked = polywire(&[&args[..], &["--color", "always"]].concat(), &[], b"1");
    assert!(asked.stdout.contains(&0x1b), "{}", String::from_utf8_lossy(&asked.stderr));
}

#[cfg(feature = "rivals")]
#[test]
fn other_libraries_stand_below_their_formats() {
    let table = good(&["--rivals", "examples/packets.jsonl"], b"");
    assert!(table.lines().all(|line| line.chars().count() <= 100), "{table}");
    assert_eq!(table.lines().filter(|line| line.contains(" · serde_json ")).count(), 3, "sizes, times, rates: {table}");
    let all = record(&["--rivals", "--formats", "json", "--base", "json", "--corpus", "tickets-2"], b"");
    let rivals = all["rows"][0]["rivals"].as_array().expect("rivals");
    assert!(rivals.len() >= 4);
    for rival in rivals {
        assert_eq!((rival["verdict"].as_str(), rival["why"].is_null()), (Some("exact"), true), "{rival}");
        assert!(rival["decode"]["allocations"].as_f64().is_some_and(|made| made > 0.0) && rival["ratios"]["decode"].is_number(), "{rival}");
        assert_eq!(rival["raw"].is_number(), rival["encode"].is_object(), "{rival}");
    }
    assert!(all["method"]["text"].to_string().contains("Other libraries"));
    let none = record(&["--formats", "json"], b"1");
    assert_eq!(none["rows"][0]["rivals"].as_array().map(Vec::len), Some(0));
}

#[cfg(feature = "rivals")]
#[test]
fn a_library_that_fails_or_differs_is_said_and_the_rest_goes_on() {
    let deep = format!("{}1{}", "[".repeat(1000), "]".repeat(1000));
    let table = good(&["--rivals", "--formats", "json", "--max-depth", "2048"], deep.as_bytes());
    assert!(table.contains("json · serde_json:  takes no part: message 1: recursion limit"), "{table}");
    let table = good(&["--rivals", "--formats", "json"], b"{\"n\":18446744073709551616}");
    assert!(table.contains("json · sonic-rs:  n: not what the message holds (1 time), such as big integer"), "{table}");
}

/// This program counts its own lines, in the tests of programs that take part.
fn own(arguments: &str) -> String {
    format!("mine='{}' {arguments}", env!("CARGO_BIN_EXE_polywire"))
}

#[cfg(unix)]
#[test]
fn own_programs_are_run_on_all_messages() {
    let all = record(&["--formats", "json", "--rival", "lines=wc -l", "--rival", "none = cat", "--corpus", "packets"], b"");
    let programs = all["programs"].as_array().expect("programs");
    assert_eq!((programs[0]["name"].as_str(), programs[1]["name"].as_str()), (Some("lines"), Some("none")));
    assert_eq!((programs[0]["claimed"].as_u64(), programs[1]["claimed"].is_null()), (Some(7), true));
    for program in programs {
        assert!(program["why"].is_null(), "{program}");
        for figure in ["run", "start_up"] {
            assert!(program[figure]["rounds"].as_u64().is_some_and(|rounds| rounds >= 3), "{program}");
        }
        // So few messages may take no time beside the start-up.
        assert_eq!(program["per_message"].is_null(), program["mb_per_s"].is_null(), "{program}");
    }
    let table = good(&["--formats", "json", "--rival", "lines=wc -l"], b"1\n2\n");
    assert!(table.contains("Own programs") && table.lines().all(|line| line.chars().count() <= 100), "{table}");
    let csv = good(&["--formats", "json", "--report", "csv", "--rival", "lines=wc -l"], b"1\n2\n");
    assert!(csv.lines().any(|line| line.contains(",lines,")), "{csv}");
}

#[cfg(unix)]
#[test]
fn a_program_that_fails_has_a_row_that_says_why() {
    let programs = [
        "liar=echo 3",
        "ill=sh -c 'echo; echo out of order >&2; exit 3'",
        "gone=/no/such/program",
        "slow=sleep 60",
        "deaf=true",
        "loud=sh -c 'cat; cat /dev/zero | head -c 3000000; echo e >&2'",
    ];
    let mut args = vec!["--formats", "json", "--rival-timeout", "2", "--report", "json", "-"];
    programs.iter().for_each(|program| args.extend(["--rival", program]));
    // More than a pipe holds, so that who does not read leaves it unread.
    let text = "[1,2,3]\n".repeat(50_000);
    let all: Value = serde_json::from_str(&good(&args, text.as_bytes())).expect("the report is JSON");
    let why = |at: usize| all["programs"][at]["why"].as_str().unwrap_or_default().to_string();
    assert_eq!(why(0), "claims 3 of 50,000 messages");
    assert_eq!(why(1), "exit status: 3: out of order");
    assert!(why(2).starts_with("/no/such/program cannot be started"), "{}", why(2));
    assert_eq!(why(3), "did not end within 2 s");
    assert_eq!([why(4), why(5)], ["", ""], "who prints no number is not checked");
    assert!((0..4).all(|at| all["programs"][at]["run"].is_null() && all["programs"][at]["verdict"] == "impossible"));
    let table = good(&["--formats", "json", "--rival", "liar=echo 3"], b"1 2");
    assert!(table.contains("liar:  no figures: claims 3 of 2 messages"), "{table}");
}

#[test]
fn a_program_that_needs_messages_has_no_start_up() {
    let table = good(&["--formats", "json", "--rival", &own("convert --from json --to json")], b"1\n2\n");
    assert!(table.contains("mine:  start-up unknown, since with nothing on stdin: exit"), "{table}");
}

#[test]
fn a_program_is_a_name_and_a_command() {
    for (wrong, said) in [("mine", "no ="), ("=cat", "no name"), ("mine=", "no command"), ("mine='cat", "a quote that does not end")] {
        let output = run(&["--rival", wrong], b"1");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{stderr}");
        assert!(stderr.contains(said) && stderr.contains("NAME=COMMAND"), "{stderr}");
    }
    assert_eq!(run(&["--rival-timeout", "0"], b"1").status.code(), Some(2));
}

/// Messages of one shape; `pad` makes their texts longer.
fn orders(count: usize, pad: usize) -> Vec<u8> {
    let order =
        |n: usize| format!("{{\"id\":{n},\"customer\":{{\"name\":\"name {}\"}},\"note\":\"{}\"}}\n", n % 17, "x".repeat(pad + n % 7));
    (0..count).map(order).collect::<String>().into_bytes()
}

#[test]
fn more_figures_are_there_if_they_are_asked_for() {
    let formats = ["--formats", "json,cbor,protobuf"];
    let args = ["--also", "compression,fields,memory,quantiles", "--bandwidth", "8M", "--egress-price", "0.5"];
    let asked = record(&[&formats[..], &args].concat(), &orders(60, 20));
    let row = &asked["rows"][0];
    let number = |path: &str| row.pointer(path).and_then(Value::as_f64).unwrap_or_else(|| panic!("{path}: {row}"));
    let raw = number("/sizes/raw");
    assert!(number("/quantiles/smallest") <= number("/quantiles/p50") && number("/quantiles/p50") <= number("/quantiles/p99"));
    assert!(number("/quantiles/p99") <= number("/quantiles/largest"));
    // 8 million bits a second are a microsecond for a byte.
    assert!((number("/network/raw_ns") - raw * 1000.0).abs() < 1.0);
    assert!((number("/price/raw") - raw * 1e6 / 1e9 * 0.5).abs() < 1e-9);
    assert!(number("/memory/encode") > 0.0 && number("/memory/decode") > number("/memory/message"));
    let codecs: Vec<&str> = row["compression"].as_array().expect("codecs").iter().filter_map(|codec| codec["codec"].as_str()).collect();
    assert_eq!(codecs[..3], ["gzip -6", "zstd -3", "zstd -9"]);
    assert!(number("/compression/0/compress/ns/median") > number("/compression/0/decompress/ns/min") / 100.0);
    assert!(number("/times/encode/samples/0") > 0.0 && number("/times/encode/runs/0") > 0.0);
    let fields = asked["fields"]["paths"].as_array().expect("paths");
    assert!(fields.iter().any(|field| field["path"] == "customer.name"), "{fields:?}");
    for format in ["json", "cbor", "protobuf"] {
        let sum: f64 = fields.iter().filter_map(|field| field["bytes"][format].as_f64()).sum();
        let row = asked["rows"].as_array().expect("rows").iter().find(|row| row["format"] == format).expect("a row");
        assert!((sum - row["sizes"]["raw"].as_f64().expect("a size")).abs() < 1e-6, "{format}: {sum}");
    }
    let plain = record(&formats, &orders(60, 20));
    for key in ["quantiles", "compression", "memory", "network", "price"] {
        assert_eq!(plain["rows"][0][key], Value::Null, "{key}");
    }
    assert_eq!(plain["fields"], Value::Null);
    let table = run(&[&formats[..], &args].concat(), &orders(60, 20));
    let text = String::from_utf8_lossy(&table.stdout).into_owned();
    for title in ["Bytes of a message, at quantiles", "Time to compress", "Most heap at once", "Time on the network", "Where the bytes go"]
    {
        assert!(text.contains(title), "{title}: {text}");
    }
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
}

#[test]
fn a_baseline_fails_sizes_that_grew() {
    let folder = std::env::temp_dir().join(format!("polywire-compare-baseline-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("the folder is made");
    let file = folder.join("base.json");
    let name = file.display().to_string();
    let formats = ["--formats", "json,cbor"];
    let base = run(&[&formats[..], &["--report", "json"]].concat(), &orders(60, 20));
    std::fs::write(&file, &base.stdout).expect("the file is written");
    let same = run(&[&formats[..], &["--baseline", &name, "--fail-above", "0%"]].concat(), &orders(60, 20));
    assert_eq!(same.status.code(), Some(0), "{}", String::from_utf8_lossy(&same.stderr));
    assert!(String::from_utf8_lossy(&same.stdout).contains("Change since the baseline"));
    let grown = |limit: &str| run(&[&formats[..], &["--baseline", &name, "--fail-above", limit]].concat(), &orders(60, 40));
    let failed = grown("5%");
    let told = String::from_utf8_lossy(&failed.stderr).into_owned();
    assert_eq!(failed.status.code(), Some(1), "{told}");
    assert!(told.contains("json raw: ") && told.contains("and 5 % are allowed"), "{told}");
    assert_eq!(grown("100%").status.code(), Some(0));
    let against = record(&[&formats[..], &["--baseline", &name]].concat(), &orders(60, 40));
    assert_eq!(against["baseline"]["same_messages"], false);
    // One run says too little about times.
    let times = run(&[&formats[..], &["--baseline", &name, "--fail-above-time", "20%"]].concat(), &orders(60, 20));
    let told = String::from_utf8_lossy(&times.stderr).into_owned();
    assert!(times.status.code() == Some(2) && told.contains("make it with --runs 5"), "{told}");
    let five = run(&[&formats[..], &["--report", "json", "--runs", "5"]].concat(), &orders(60, 20));
    std::fs::write(&file, &five.stdout).expect("the file is written");
    let times = run(&[&formats[..], &["--baseline", &name, "--fail-above-time", "100000%"]].concat(), &orders(60, 20));
    assert_eq!(times.status.code(), Some(0), "{}", String::from_utf8_lossy(&times.stderr));
    std::fs::write(&file, "{}").expect("the file is written");
    let bad = run(&["--baseline", &name], &orders(3, 1));
    assert!(bad.status.code() == Some(2) && String::from_utf8_lossy(&bad.stderr).contains("--report json"));
    std::fs::remove_dir_all(folder).expect("the folder goes");
}
