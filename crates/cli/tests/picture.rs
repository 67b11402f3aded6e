//! The picture of the README: what `polywire compare` prints on a terminal, drawn as SVG.
//!
//! `make picture` draws it anew, with the program as users build it: a debug build has no sentence
//! about times. The test holds it against the present output. Times differ from run to run, so it
//! leaves out the sentences that have one.

mod common;

use std::fmt::Write as _;
use std::process::Command;

use common::root;

const PICTURE: &str = "docs/pictures/compare.svg";
/// The command that the picture shows.
const ARGUMENTS: [&str; 2] = ["compare", "examples/tickets.jsonl"];
/// Columns of the terminal.
const COLUMNS: usize = 100;

/// Width of a character, height of a line, and the margin, in pixels.
const CHARACTER: f64 = 8.0;
const LINE: usize = 18;
const MARGIN: usize = 16;

const STYLE: &str = "text{font:13.3px ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace;white-space:pre;fill:#1f2328}\
rect{fill:#f6f8fa;stroke:#d1d9e0}.b{font-weight:bold}.d{fill:#59636e}.p{fill:#1a7f37}.y{fill:#7d4e00}\
@media(prefers-color-scheme:dark){text{fill:#e6edf3}rect{fill:#161b22;stroke:#3d444d}.d{fill:#9198a1}.p{fill:#3fb950}.y{fill:#d29922}}";

/// A line in pieces, each with the class of its look: `b` bold, `d` dim, `y` yellow, `p` a prompt,
/// or none.
type Line = Vec<(&'static str, String)>;

/// Takes the colours of a terminal out of a line.
fn pieces(line: &str) -> Line {
    let mut found = Line::new();
    let mut class = "";
    for (at, part) in line.split("\x1b[").enumerate() {
        let text = if at == 0 {
            part
        } else {
            let (codes, text) = part.split_once('m').expect("a colour ends with m");
            class = match codes {
                "0" => "",
                "1" => "b",
                "2" => "d",
                "33" => "y",
                other => panic!("no look for {other:?}"),
            };
            text
        };
        if !text.is_empty() {
            found.push((class, text.to_string()));
        }
    }
    found
}

fn text(line: &Line) -> String {
    line.iter().map(|(_, text)| text.as_str()).collect::<String>().trim_end().to_string()
}

/// Returns the lines of the picture: bytes and recommendation.
fn shown(printed: &str) -> Vec<Line> {
    let lines: Vec<Line> = printed.lines().map(pieces).collect();
    let begins = |start: &str| lines.iter().position(|line| text(line).starts_with(start)).expect("a section");
    let (times, advice, schemas) = (begins("Time per message"), begins("Recommendation:"), begins("Schemas:"));
    let prompt = vec![("p", "$ ".to_string()), ("", format!("polywire {}", ARGUMENTS.join(" ")))];
    let mut shown = vec![prompt];
    shown.extend_from_slice(&lines[..times]);
    shown.push(vec![("d", "  … times, throughput, allocations …".to_string())]);
    shown.push(Line::new());
    shown.extend_from_slice(&lines[advice..schemas - 1]);
    shown
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn draw(lines: &[Line]) -> String {
    let (width, height) = (COLUMNS as f64 * CHARACTER + 2.0 * MARGIN as f64, lines.len() * LINE + 2 * MARGIN);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" role=\"img\" aria-labelledby=\"title desc\">\n\
         <title id=\"title\">polywire {}</title>\n\
         <desc id=\"desc\">A terminal with the bytes per message in twelve formats, raw and compressed, and what is recommended for these messages.</desc>\n\
         <style>{STYLE}</style>\n\
         <rect x=\"0.5\" y=\"0.5\" width=\"{}\" height=\"{}\" rx=\"6\"/>\n",
        ARGUMENTS.join(" "),
        width - 1.0,
        height - 1
    );
    for (row, line) in lines.iter().enumerate().filter(|(_, line)| !line.is_empty()) {
        let y = MARGIN + row * LINE + LINE * 3 / 4;
        let _ = write!(svg, "<text x=\"{MARGIN}\" y=\"{y}\">");
        for (class, text) in line {
            let _ = match *class {
                "" => write!(svg, "{}", escaped(text)),
                class => write!(svg, "<tspan class=\"{class}\">{}</tspan>", escaped(text)),
            };
        }
        svg.push_str("</text>\n");
    }
    svg.push_str("</svg>\n");
    svg
}

/// Returns the texts of a picture's lines.
fn drawn(svg: &str) -> Vec<String> {
    let rows = svg.lines().filter(|row| row.starts_with("<text"));
    let plain = rows.map(|row| row.split('<').filter_map(|part| part.split_once('>')).map(|(_, text)| text).collect::<String>());
    plain.map(|text| text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&").trim_end().to_string()).collect()
}

#[test]
fn the_picture_shows_what_the_program_prints() {
    let program = std::env::var("PICTURE").ok();
    let mut command = match &program {
        Some(program) => Command::new(root().join(program)),
        None => common::command(&[]),
    };
    command.args(ARGUMENTS).args(["--color", "always"]).current_dir(root()).env("COLUMNS", COLUMNS.to_string());
    if program.is_none() {
        command.args(["--time", "0.001"]).args(common::ROWS);
    }
    let output = command.output().expect("polywire runs");
    assert!(output.status.success());
    let lines = shown(&String::from_utf8(output.stdout).expect("text"));
    let path = root().join(PICTURE);
    if program.is_some() {
        std::fs::write(path, draw(&lines)).expect("the picture is written");
        return;
    }
    let picture = drawn(&std::fs::read_to_string(path).expect("a picture"));
    // Times of a debug build support no sentence, those of the picture do.
    let timed = |line: &String| line.contains("Fastest to read");
    let known: Vec<&String> = picture.iter().filter(|line| !timed(line)).collect();
    let present: Vec<String> = lines.iter().map(text).filter(|line| !line.is_empty() && !timed(line)).collect();
    assert_eq!(known, present.iter().collect::<Vec<_>>(), "{PICTURE} is old; `make picture` draws it anew");
}

#[test]
fn colours_become_looks() {
    assert_eq!(pieces("a\x1b[1mb<\x1b[0mc"), [("", "a".to_string()), ("b", "b<".to_string()), ("", "c".to_string())]);
    let svg = draw(&[pieces("a\x1b[2m<b>&\x1b[0m c")]);
    assert!(svg.contains("<tspan class=\"d\">&lt;b&gt;&amp;</tspan> c</text>"), "{svg}");
    assert_eq!(drawn(&svg), ["a<b>& c"]);
}
