//! The README's Rust compiles and runs: it stands here as well, and both are the same text.

#[test]
fn the_example_of_the_readme_runs() -> polywire::Result<()> {
    let cbor = polywire::convert(br#"{"id":7,"tags":["a"]}"#, "json", "cbor")?;
    let back = polywire::convert(&cbor, "cbor", "json")?;
    assert_eq!(back, b"{\"id\":7,\"tags\":[\"a\"]}\n");
    Ok(())
}

/// Returns the lines of a text without their indentation.
fn bare(text: &str) -> String {
    text.lines().map(|line| format!("{}\n", line.trim_start())).collect()
}

#[test]
fn the_example_of_the_readme_is_the_one_above() {
    let readme = include_str!("../../../README.md");
    let blocks: Vec<&str> = readme.split("```rust\n").skip(1).filter_map(|rest| Some(rest.split_once("```")?.0)).collect();
    assert!(!blocks.is_empty(), "README.md has no Rust");
    let here = bare(include_str!("readme.rs"));
    for block in blocks {
        assert!(here.contains(&bare(block)), "no test runs this block of README.md:\n{block}");
    }
}
