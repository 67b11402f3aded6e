//! A URI that a hook changes and one that no hook sees mean the same: both implementations are
//! compared.

mod folder;

use std::time::Duration;

use fastrand::Rng;
use folder::Folder;
use polywire_doc::Datum;
use polywire_hooks::{Hooks, Record, Settings};
use polywire_ql::template::mutable::MutableUri;

const PATCH: &str = "exports['patch uri'] = function (args) {
    args.params.acts.forEach(function (act) {
        var uri = args.uri;
        if (act[0] === 'add') uri.addParam(act[1], act[2]);
        if (act[0] === 'set') uri.setParam(act[1], act[2]);
        if (act[0] === 'remove') uri.removeParam(act[1]);
        if (act[0] === 'take') uri.removeParam(act[1], act[2]);
        if (act[0] === 'tidy') uri.removeEmptyParams();
    });
    return args.uri;
};";

const PIECES: [&str; 24] = [
    "a",
    "b",
    "=",
    "&",
    "+",
    "%20",
    "%C3%A9",
    "%c3",
    "%",
    "%zz",
    "%E2%82",
    "%F0%9F%98%80",
    "é",
    "😀",
    " ",
    "#",
    "?",
    "/",
    "~",
    "(",
    "'",
    "*",
    "%00",
    ";",
];

fn text(random: &mut Rng, most: usize) -> String {
    (0..random.usize(0..=most)).map(|_| PIECES[random.usize(0..PIECES.len())]).collect()
}

#[test]
fn both_kinds_of_mutable_uri_print_the_same() {
    let folder = Folder::new();
    folder.write("patch.js", PATCH);
    let mut settings = Settings::new(folder.path());
    settings.threads = 1;
    settings.time = Duration::from_secs(20);
    let patch = Hooks::new(settings).unwrap().patch("patch.js").wait().unwrap();
    let mut random = Rng::with_seed(54);
    let mut changed = 0;
    for _ in 0..1500 {
        let uri = format!("http://h/{}?{}", text(&mut random, 2).replace('?', ""), text(&mut random, 16));
        let mut twin = MutableUri::read(&uri);
        let mut acts = Vec::new();
        for _ in 0..random.usize(0..4) {
            let (name, value) = (["a", "b", "é", ""][random.usize(0..4)], text(&mut random, 2));
            let act = ["add", "set", "remove", "take", "tidy"][random.usize(0..5)];
            match act {
                "add" => twin.add_param(name, value.clone()),
                "set" => twin.set_param(name, vec![value.clone()]),
                "remove" => twin.remove_param(name, None),
                "take" => twin.remove_param(name, Some(&value)),
                _ => twin.remove_empty_params(),
            }
            acts.push(Datum::list([act, name, &value].map(Datum::text)));
        }
        let shown = format!("{uri} {acts:?}");
        let params = Datum::object([("acts", Datum::from(acts))]);
        let answer = patch.patch_uri(Record { params, ..Record::default() }, &uri).wait().unwrap();
        assert_eq!(answer.value, [twin.to_string()], "{shown}");
        changed += usize::from(twin.to_string() != uri);
    }
    assert!(changed > 1000, "{changed}");
}
