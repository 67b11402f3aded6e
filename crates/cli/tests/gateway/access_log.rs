//! The access log of a process.

use std::fs;
use std::path::Path;
use std::time::Duration;

use crate::folder::Folder;
use crate::program::{PATIENCE, Program, Signal, client, get};

/// Waits until a log has `count` lines.
async fn lines(log: &Path, count: usize) {
    let there = async {
        while fs::read_to_string(log).map_or(0, |text| text.lines().count()) != count {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(PATIENCE, there).await.unwrap_or_else(|_| panic!("{} never had {count} lines", log.display()));
}

#[tokio::test]
async fn it_is_opened_again_and_its_lines_are_no_changes_of_the_folder() {
    let folder = Folder::new();
    folder.write("routes/one.ql", "return 1 via route '/one' using method get");
    let (log, moved) = (folder.path().join("access.log"), folder.path().join("access.log.1"));
    let mut program = Program::start(&folder, &["--access-log", log.to_str().expect("a path")]);
    let (asking, port) = (client(), program.port);
    assert_eq!(get(&asking, port, "/one").await, Ok((200, "1".to_owned())));
    lines(&log, 1).await;
    // Longer than changes are waited for.
    tokio::time::sleep(Duration::from_millis(600)).await;
    let (_, numbers) = get(&asking, port, "/metrics").await.expect("an answer");
    assert!(numbers.contains("polywire_reloads_total{outcome=\"ok\"} 0\n"), "{numbers}");
    lines(&log, 2).await;

    fs::rename(&log, &moved).expect("the log is moved");
    program.tell(Signal::HUP);
    program.line("loaded again: 0 tables, 1 routes");
    while !log.exists() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    get(&asking, port, "/two").await.expect("an answer");
    program.tell(Signal::TERM);
    assert!(program.ended().await.success());
    lines(&moved, 2).await;
    lines(&log, 1).await;
}
