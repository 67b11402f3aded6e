//! Paths in `--select`, `--ignore` and `--open`: positions in lists, and paths that match nothing.

mod common;

use std::path::PathBuf;
use std::process::Output;

use flate2::Compression;
use flate2::write::GzEncoder;

/// A folder of its own for a test, which goes with it.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let folder = std::env::temp_dir().join(format!("polywire-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        Folder(folder)
    }

    fn file(&self, name: &str, text: &str) -> String {
        let path = self.0.join(name);
        std::fs::write(&path, text).expect("a file");
        path.display().to_string()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn polywire(args: &[&str], stdin: &str) -> (Option<i32>, String, String) {
    let Output { status, stdout, stderr } = common::fed(common::command(args), stdin.as_bytes());
    (status.code(), String::from_utf8(stdout).expect("text"), String::from_utf8(stderr).expect("text"))
}

fn selected(to: &str, path: &str, stdin: &str) -> (Option<i32>, String, String) {
    polywire(&["convert", "--to", to, "--select", path], stdin)
}

const ORDER: &str = r#"{"id":7,"items":[{"sku":"a","p":1},{"sku":"b","p":2},{"sku":"c","p":3}],"ts":9}"#;

#[test]
fn a_position_selects_one_element() {
    for (path, expected) in [
        ("items[0].sku", r#"{"items":[{"sku":"a"}]}"#),
        ("items[-1].sku", r#"{"items":[{"sku":"c"}]}"#),
        ("items[1:3].sku", r#"{"items":[{"sku":"b"},{"sku":"c"}]}"#),
        ("items[-2:].p", r#"{"items":[{"p":2},{"p":3}]}"#),
        ("items[1]", r#"{"items":[{"sku":"b","p":2}]}"#),
        ("items[].sku", r#"{"items":[{"sku":"a"},{"sku":"b"},{"sku":"c"}]}"#),
        ("id, ts", r#"{"id":7,"ts":9}"#),
        ("items[0].p , items[2].sku", r#"{"items":[{"p":1},{"sku":"c"}]}"#),
    ] {
        assert_eq!(selected("json", path, ORDER), (Some(0), format!("{expected}\n"), String::new()), "{path}");
    }
}

#[test]
fn fields_of_one_name_are_counted_in_xml() {
    let xml = "<o><h>1</h><i>a</i><h>2</h><i>b</i><i>c</i></o>";
    for (path, expected) in
        [("o.i[-1]", "<o><i>c</i></o>"), ("o.i[0],o.h", "<o><h>1</h><i>a</i><h>2</h></o>"), ("o.h[1]", "<o><h>2</h></o>")]
    {
        let (code, out, told) = selected("xml", path, xml);
        assert_eq!((code, out.trim_end()), (Some(0), expected), "{path}: {told}");
    }
}

#[test]
fn each_message_of_a_long_stream_is_counted_by_itself() {
    let line =
        |n: usize| format!("{{\"n\":{n},\"list\":[{}]}}\n", (0..n % 7 + 1).map(|i| (n + i).to_string()).collect::<Vec<_>>().join(","));
    let stream: String = (0..100_000).map(line).collect();
    let (code, out, told) = selected("jsonl", "list[-1]", &stream);
    assert_eq!(code, Some(0), "{told}");
    for (n, line) in out.lines().enumerate() {
        assert_eq!(line, format!("{{\"list\":[{}]}}", n + n % 7));
    }
    assert_eq!(out.lines().count(), 100_000);
}

#[test]
fn one_list_of_many_elements() {
    let stream = format!("{{\"list\":[{}]}}", (0..1_000_000).map(|n| n.to_string()).collect::<Vec<_>>().join(","));
    for (path, expected) in [("list[-1]", "[999999]"), ("list[999998:]", "[999998,999999]"), ("list[0]", "[0]")] {
        assert_eq!(selected("json", path, &stream).1, format!("{{\"list\":{expected}}}\n"));
    }
}

#[test]
fn only_what_a_position_names_is_ignored() {
    let folder = Folder::new("paths-ignore");
    let one = folder.file("a.json", r#"{"items":[{"p":1,"q":1},{"p":2,"q":1}]}"#);
    let other = folder.file("b.json", r#"{"items":[{"p":5,"q":1},{"p":6,"q":1}]}"#);
    let diff = |path: &str| polywire(&["diff", &one, &other, "--ignore", path], "");
    let (code, shown, told) = diff("items[0].p");
    assert_eq!((code, told.as_str()), (Some(1), ""));
    assert!(shown.starts_with("message 1: items[1].p\n") && shown.contains("1 difference,"), "{shown}");
    for path in ["items[0].p,items[-1].p", "items[:].p", "items[0:2]", "items.p"] {
        assert_eq!(diff(path), (Some(0), String::new(), String::new()), "{path}");
    }
    let (code, shown, told) = diff("items[7].p, items.p");
    assert_eq!((code, shown.as_str()), (Some(0), ""));
    assert_eq!(told, "polywire: --ignore items[7].p matched nothing in any message (no list there has such a position)\n");
    let strict = polywire(&["diff", &one, &other, "--ignore", "item.p,items.p", "--strict-paths"], "");
    assert_eq!(
        strict,
        (Some(2), String::new(), "polywire: --ignore item.p matched nothing in any message (did you mean items.p?)\n".into())
    );
}

#[test]
fn a_path_that_a_difference_shows_ignores_it() {
    let folder = Folder::new("paths-shown");
    let one = folder.file("a.xml", "<o><i><p>1</p></i><i><p>2</p></i><c>5</c></o>");
    let other = folder.file("b.xml", "<o><i><p>3</p></i><i><p>4</p></i><c>6</c></o>");
    let (_, shown, _) = polywire(&["diff", &one, &other], "");
    let paths: Vec<&str> = shown.lines().filter_map(|line| line.strip_prefix("message 1: ")).collect();
    assert_eq!(paths, ["o.i[0].p", "o.i[1].p", "o.c"]);
    for left_out in 0..paths.len() {
        let (code, shown, _) = polywire(&["diff", &one, &other, "--ignore", paths[left_out]], "");
        assert_eq!(code, Some(1));
        let rest: Vec<&str> = shown.lines().filter_map(|line| line.strip_prefix("message 1: ")).collect();
        assert_eq!(rest, paths.iter().enumerate().filter(|(at, _)| *at != left_out).map(|(_, path)| *path).collect::<Vec<_>>());
    }
    assert_eq!(polywire(&["diff", &one, &other, "--ignore", &paths.join(", ")], ""), (Some(0), String::new(), String::new()));
}

#[test]
fn diff_selects_by_position() {
    let folder = Folder::new("paths-select");
    let one = folder.file("a.json", r#"{"l":[1,2,3]}"#);
    let other = folder.file("b.json", r#"{"l":[1,5,3]}"#);
    let diff = |path: &str| polywire(&["diff", &one, &other, "--select", path], "");
    assert_eq!(diff("l[0],l[-1]").0, Some(0));
    let (code, shown, _) = diff("l[1]");
    assert_eq!(code, Some(1));
    assert!(shown.contains("- integer 2") && shown.contains("+ integer 5"), "{shown}");
    let (code, shown, told) = diff("l[9]");
    assert_eq!((code, shown.as_str()), (Some(1), ""));
    assert!(told.starts_with("polywire: --select l[9] matched nothing"), "{told}");
    // A path that one of the files has is no mistake.
    let more = folder.file("c.json", r#"{"l":[1,2,3,4]}"#);
    let (_, _, told) = polywire(&["diff", &one, &more, "--select", "l[3]"], "");
    assert_eq!(told, "");
}

#[test]
fn a_position_opens_one_payload() {
    let nested = r#"{"p":["{\"a\":[1,2]}","[3]","{\"a\":[4,5]}"],"q":"{\"b\":6}"}"#;
    let open = |path: &str| polywire(&["convert", "--to", "json", "--open", path], nested);
    for (path, expected) in [
        ("p[0]", r#"{"p":[{"a":[1,2]},"[3]","{\"a\":[4,5]}"],"q":"{\"b\":6}"}"#),
        ("p[-1], q", r#"{"p":["{\"a\":[1,2]}","[3]",{"a":[4,5]}],"q":{"b":6}}"#),
        ("p[1:]", r#"{"p":["{\"a\":[1,2]}",[3],{"a":[4,5]}],"q":"{\"b\":6}"}"#),
    ] {
        assert_eq!(open(path), (Some(0), format!("{expected}\n"), String::new()), "{path}");
    }
    // Positions count within a payload too.
    let twice = r#"{"p":"[\"[1]\",\"[2]\",\"[3]\"]"}"#;
    let (code, out, told) = polywire(&["convert", "--to", "json", "--open", "p,p[-1]"], twice);
    assert_eq!((code, out.as_str()), (Some(0), "{\"p\":[\"[1]\",\"[2]\",[3]]}\n"), "{told}");
}

#[test]
fn a_path_to_open_that_matched_nothing_is_remarked() {
    let (code, out, told) = polywire(&["convert", "--to", "json", "--open", "payload,qq"], r#"{"payload":"[1]","q":"[2]"}"#);
    assert_eq!((code, out.as_str()), (Some(1), "{\"payload\":[1],\"q\":\"[2]\"}\n"));
    assert_eq!(told, "polywire: --open qq matched nothing in any message (did you mean q?)\n");
}

#[test]
fn a_path_to_select_that_matched_nothing_is_remarked_after_the_output() {
    let stream = format!("{ORDER}\n").repeat(1000);
    let (code, out, told) = selected("jsonl", "items.skuu,id", &stream);
    assert_eq!(
        (code, out),
        (
            Some(1),
            "{\"items\":[{},{},{}],\"id\":7}\n".replace("\"items\":[{},{},{}],\"id\":7", "\"id\":7,\"items\":[{},{},{}]").repeat(1000)
        )
    );
    assert_eq!(told, "polywire: --select items.skuu matched nothing in any message (did you mean items.sku?)\n");
    assert_eq!(polywire(&["convert", "--to", "jsonl", "--select", "idd", "--strict-paths"], &stream).0, Some(2));
    assert_eq!(polywire(&["convert", "--to", "jsonl", "--select", "idd", "--lossy"], &stream).0, Some(1));
    let (code, _, told) = selected("json", "quantity", ORDER);
    assert_eq!(
        (code, told.as_str()),
        (Some(1), "polywire: --select quantity matched nothing in any message (there is no quantity; there are id, items, ts)\n")
    );
    // It is enough that one message has it.
    assert_eq!(selected("jsonl", "late", &format!("{stream}{{\"late\":1}}\n")).0, Some(0));
}

#[test]
fn what_is_no_path_is_refused() {
    for path in ["a[x]", "a[1.5]", "a[1", "a,,b", "a[1]b", "[]"] {
        assert_eq!(selected("json", path, ORDER).0, Some(2), "{path}");
    }
}

/// A list that is held as a tree spends the limits of its message.
#[test]
fn positions_keep_to_the_limits() {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    std::io::copy(&mut std::io::Read::take(std::io::repeat(b'['), 1 << 20), &mut encoder).expect("memory takes all");
    let bomb = encoder.finish().expect("memory takes all");
    let output = common::fed(common::command(&["convert", "--open", ".", "--to", "json", "--from", "json", "--select", "a[-1]"]), &bomb);
    assert_eq!(output.status.code(), Some(3), "{}", String::from_utf8_lossy(&output.stderr));
}
