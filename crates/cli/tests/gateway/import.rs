//! `polywire import`: what it makes of a description loads, and asks the service.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::folder::Folder;

fn polywire(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_polywire")).args(args).output().expect("polywire runs")
}

fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

fn example(file: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/import").join(file).display().to_string()
}

fn tables(folder: &Folder) -> PathBuf {
    Path::new(folder.path()).join("tables")
}

#[test]
fn every_kind_of_description_makes_a_folder_that_loads() {
    let folder = Folder::new();
    let out = tables(&folder).display().to_string();
    for (kind, file, prefix) in [("openapi", "shop.yaml", "rest"), ("proto", "shop.proto", "rpc"), ("wsdl", "shop.wsdl", "soap")] {
        let made = polywire(&["import", kind, &example(file), "--out", &out, "--prefix", prefix]);
        assert!(made.status.success(), "{}", said(&made));
    }
    fs::create_dir_all(Path::new(folder.path()).join("routes")).unwrap();
    folder.write("config.json", r#"{"strict": true, "rest": {"token": "t"}, "rpc": {"server": "https://rpc.example"}}"#);
    let checked = polywire(&["serve", "--check", &Path::new(folder.path()).display().to_string()]);
    assert_eq!((checked.status.code(), said(&checked).trim()), (Some(0), "polywire: 4 tables, 0 routes"));
    let described = polywire(&["query", "describe rest.items", "--tables", &Path::new(folder.path()).display().to_string()]);
    assert!(said(&described).contains("Words to find"), "{}", said(&described));
}

#[test]
fn nothing_is_overwritten_unasked() {
    let folder = Folder::new();
    let out = tables(&folder);
    let import = |more: &[&str]| {
        let (file, out) = (example("shop.yaml"), out.display().to_string());
        polywire(&[&["import", "openapi", &file, "--out", &out], more].concat())
    };
    assert!(import(&[]).status.success());
    fs::remove_file(out.join("items.ql")).unwrap();
    let refused = import(&[]);
    assert_eq!(refused.status.code(), Some(2), "{}", said(&refused));
    assert!(said(&refused).contains("items.id.ql exists") && !out.join("items.ql").exists(), "{}", said(&refused));
    assert!(import(&["--force"]).status.success());
    assert_eq!(fs::read_dir(&out).unwrap().count(), 2);
    #[cfg(unix)]
    {
        // A link in the place of a file is replaced: what it leads to stays.
        let kept = Path::new(folder.path()).join("kept");
        fs::write(&kept, "kept").unwrap();
        fs::remove_file(out.join("items.ql")).unwrap();
        std::os::unix::fs::symlink(&kept, out.join("items.ql")).unwrap();
        assert!(import(&["--force"]).status.success());
        assert_eq!(fs::read_to_string(&kept).unwrap(), "kept");
        assert!(fs::read_to_string(out.join("items.ql")).unwrap().contains("create table items"));
    }
}

#[test]
fn mistakes_of_the_command_and_of_descriptions() {
    for (args, code, expected) in [
        (vec!["openapi".to_owned(), example("shop.proto")], 3, "shop.proto"),
        (vec!["proto".to_owned(), example("shop.yaml")], 3, "shop.yaml"),
        (vec!["wsdl".to_owned(), example("shop.yaml")], 3, "line 1, column 1"),
        (vec!["openapi".to_owned(), "no/such/file".to_owned()], 4, "no/such/file"),
        (vec!["openapi".to_owned(), "http://127.0.0.1:1/api".to_owned()], 4, "http://127.0.0.1:1/api"),
        (vec!["openapi".to_owned(), example("shop.yaml"), "--prefix".to_owned(), "../x".to_owned()], 2, "--prefix `../x`"),
        (vec!["openapi".to_owned(), example("shop.yaml"), "--server".to_owned(), "shop".to_owned()], 2, "--server `shop`"),
    ] {
        let args: Vec<&str> = ["import"].into_iter().chain(args.iter().map(String::as_str)).collect();
        let output = polywire(&args);
        assert_eq!(output.status.code(), Some(code), "{args:?}: {}", said(&output));
        assert!(said(&output).contains(expected), "{args:?}: {}", said(&output));
    }
}

#[test]
fn a_description_is_asked_for_and_its_service_too() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    let description = fs::read_to_string(example("shop.yaml")).unwrap().replace("https://shop.example/v1", "/v1");
    let service = std::thread::spawn(move || {
        let mut seen = Vec::new();
        for stream in listener.incoming().take(3) {
            let mut stream = stream.unwrap();
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            let (mut head, mut length) = (String::new(), 0);
            loop {
                let start = head.len();
                reader.read_line(&mut head).unwrap();
                let line = head[start..].trim().to_ascii_lowercase();
                if let Some(value) = line.strip_prefix("content-length:") {
                    length = value.trim().parse().unwrap();
                }
                if line.is_empty() {
                    break;
                }
            }
            let mut body = vec![0; length];
            reader.read_exact(&mut body).unwrap();
            let is_description = head.starts_with("GET /api.yaml ");
            let reply = if is_description { description.as_str() } else { r#"[{"id": 1, "title": "lamp"}]"# };
            let media = if is_description { "application/yaml" } else { "application/json" };
            let text =
                format!("HTTP/1.1 200 OK\r\nContent-Type: {media}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{reply}", reply.len());
            stream.write_all(text.as_bytes()).unwrap();
            seen.push((head, String::from_utf8(body).unwrap()));
        }
        seen
    });
    let folder = Folder::new();
    let made = polywire(&["import", "openapi", &format!("{base}/api.yaml"), "--out", &tables(&folder).display().to_string()]);
    assert!(made.status.success(), "{}", said(&made));
    fs::create_dir_all(Path::new(folder.path()).join("routes")).unwrap();
    folder.write("config.json", r#"{"allowPrivate": ["127.0.0.1:*"], "shop": {"token": "T0KEN"}}"#);
    let path = Path::new(folder.path()).display().to_string();
    let found = polywire(&["query", "select title from items where q = 'a b' and color in ('red', 'blue')", "--tables", &path]);
    assert_eq!(String::from_utf8_lossy(&found.stdout).trim(), r#"["lamp"]"#, "{}", said(&found));
    let added = polywire(&["query", "insert into items (title, price) values ('rug', 2)", "--tables", &path]);
    assert!(added.status.success(), "{}", said(&added));
    let seen = service.join().unwrap();
    assert!(seen[1].0.starts_with("GET /v1/items?q=a%20b&color=red&color=blue HTTP/1.1\r\n"), "{}", seen[1].0);
    assert!(seen[1].0.to_ascii_lowercase().contains("authorization: bearer t0ken\r\n"), "{}", seen[1].0);
    assert!(seen[2].0.starts_with("POST /v1/items HTTP/1.1\r\n"), "{}", seen[2].0);
    assert_eq!(seen[2].1, r#"{"title":"rug","price":2}"#);
}
