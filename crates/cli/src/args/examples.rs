//! Examples of each verb: three at the end of its long help and of its man page.
//!
//! They run at the root of the repository, on its example messages, and a test runs them as they
//! are.

use clap::Command;

/// An example: its purpose, and its command.
pub type Example = (&'static str, &'static str);

/// The examples of the verbs, by the verb's words.
pub const EXAMPLES: &[(&str, [Example; 3])] = &[
    (
        "compare",
        [
            ("What your messages cost in every format", "polywire compare examples/tickets.jsonl"),
            (
                "Three formats, by bytes compressed one by one, as Markdown",
                "polywire compare --corpus packets --formats json,cbor --sort zstd --report markdown",
            ),
            (
                "The entries of one document as messages, with a page of charts",
                "polywire compare --each vouchers examples/tickets-1000.json --html report.html",
            ),
        ],
    ),
    (
        "convert",
        [
            ("JSON Lines to MessagePack", "polywire convert examples/tickets.jsonl -o tickets.msgpack"),
            ("Two fields of each message", "polywire convert examples/tickets.jsonl --to jsonl --select 'shift_number, vouchers[-1].sum'"),
            ("Protobuf to JSON by its schema", "polywire convert examples/search-reply.pb --to json --schema examples/search.proto"),
        ],
    ),
    (
        "inspect",
        [
            ("Each value with its bytes", "polywire inspect testdata/cbor/losses.cbor"),
            ("Protobuf whose schema is unknown", "polywire inspect examples/search-reply.pb"),
            ("Messages inside of text and bytes, too", "polywire inspect --depth 3 testdata/cbor/losses.cbor"),
        ],
    ),
    (
        "jq",
        [
            ("A value of each message", "polywire jq '.vouchers[0].goods_name' examples/tickets.jsonl"),
            ("Rows of CSV", "polywire jq -r '.vouchers[] | select(.sum > 40) | [.number, .sum] | @csv' examples/tickets.jsonl"),
            ("From one format to another", "polywire jq '{id: .shift_number}' examples/tickets.jsonl --to yaml"),
        ],
    ),
    (
        "diff",
        [
            ("Two files, in one format or in two", "polywire diff examples/tickets-2.json examples/tickets-2.json"),
            (
                "Without fields that always differ",
                "polywire diff --ignore start_time,end_time examples/tickets-2.json examples/tickets-2.json",
            ),
            ("Two folders, for programs", "polywire diff --report json examples/import examples/import"),
        ],
    ),
    (
        "schema infer",
        [
            ("A listing of what the messages have", "polywire schema infer examples/tickets.jsonl"),
            ("A .proto file", "polywire schema infer examples/tickets.jsonl --lang proto -o tickets.proto"),
            ("The entries of a document", "polywire schema infer --each searchResult.items examples/search-reply.json"),
        ],
    ),
    (
        "schema check",
        [
            (
                "A file, as it is now and as it is on the branch main",
                "polywire schema check testdata/schemas/shop.proto --against git:main",
            ),
            ("An old version and a new one", "polywire schema check testdata/schemas/fleet-grown.extprot examples/fleet.extprot"),
            ("For programs", "polywire schema check --report json testdata/schemas/fleet-grown.extprot examples/fleet.extprot"),
        ],
    ),
    (
        "schema format",
        [
            ("Print the formatted text", "polywire schema format testdata/schemas/untidy.extprot"),
            ("Fail if a file has another layout", "polywire schema format --check testdata/schemas/shop.proto"),
            ("Rewrite files", "polywire schema format --write testdata/schemas/untidy.extprot testdata/schemas/shop.proto"),
        ],
    ),
    (
        "schema convert",
        [
            ("A listing of a .proto file", "polywire schema convert testdata/schemas/shop.proto --to listing"),
            ("A descriptor set, with all imports", "polywire schema convert testdata/schemas/shop.proto --descriptor-set shop.set"),
            ("Its declarations, as they are read", "polywire schema convert testdata/schemas/shop.proto --to proto"),
        ],
    ),
    (
        "schema compile",
        [
            ("Rust code of a .proto file", "polywire schema compile testdata/schemas/shop.proto -o shop.rs"),
            ("One set of types with three encodings", "polywire schema compile examples/fleet.extprot --encoding extprot,usds,protobuf"),
            ("With serde's traits", "polywire schema compile --serde testdata/schemas/shop.proto"),
        ],
    ),
    #[cfg(feature = "gateway")]
    (
        "serve",
        [
            ("What is wrong with a folder of tables", "polywire serve --check examples/shop"),
            ("The same, with its services recorded", "polywire serve --check examples/shop --replay examples/shop/recorded"),
            ("The same, with tables from elsewhere", "polywire serve --check examples/shop --tables examples/shop/tables"),
        ],
    ),
    #[cfg(feature = "gateway")]
    (
        "query",
        [
            ("A script in a file, with recorded services", "cd examples/shop && polywire query @scripts/join.ql --replay recorded"),
            ("Rows of a file, in any format", "polywire query 'select shift_number from \"examples/tickets.jsonl\" limit 3'"),
            ("The plan of a script", "polywire query --explain @examples/shop/scripts/gather.ql --tables examples/shop"),
        ],
    ),
    #[cfg(feature = "gateway")]
    (
        "table new",
        [
            ("A table of a recorded reply", "polywire table new 'http://shop.example/items?q=x' --reply examples/search-reply.json"),
            ("With another name", "polywire table new http://shop.example/items --name items --reply examples/search-reply.json"),
            ("Of a reply in XML", "polywire table new 'http://shop.example/items?q=x' --reply examples/search-reply.xml"),
        ],
    ),
    #[cfg(feature = "gateway")]
    (
        "import openapi",
        [
            ("Print the tables", "polywire import openapi examples/import/shop.yaml"),
            ("A file for each table", "polywire import openapi examples/import/shop.yaml --out tables"),
            ("With another address of the service", "polywire import openapi examples/import/shop.yaml --server https://shop.example"),
        ],
    ),
    #[cfg(feature = "gateway")]
    (
        "import wsdl",
        [
            ("Print the tables", "polywire import wsdl examples/import/shop.wsdl"),
            ("A file for each table", "polywire import wsdl examples/import/shop.wsdl --out tables"),
            ("With a first part of their names", "polywire import wsdl examples/import/shop.wsdl --prefix soap"),
        ],
    ),
    #[cfg(feature = "gateway")]
    (
        "import proto",
        [
            ("Print the tables", "polywire import proto examples/import/shop.proto"),
            ("By Connect instead of gRPC", "polywire import proto examples/import/shop.proto --connect"),
            ("A file for each table", "polywire import proto examples/import/shop.proto --include examples/import --out tables"),
        ],
    ),
    (
        "formats",
        [
            ("All formats", "polywire formats"),
            ("For programs", "polywire formats --report json"),
            ("The names alone", "polywire formats --report json | polywire jq -r '.[].name'"),
        ],
    ),
    (
        "completions",
        [
            ("In ~/.bashrc", "source <(polywire completions bash)"),
            ("In ~/.zshrc, behind compinit", "polywire completions zsh > _polywire"),
            ("For fish", "polywire completions fish > polywire.fish"),
        ],
    ),
    (
        "man",
        [
            ("Write the pages", "mkdir -p man1 && polywire man man1"),
            ("Read one of them", "mkdir -p man1 && polywire man man1 && MANPAGER=cat man ./man1/polywire-convert.1"),
            ("Count them", "mkdir -p man1 && polywire man man1 && ls man1 | wc -l"),
        ],
    ),
];

/// Adds the examples to the long help of a verb and of the verbs below it. `words` are those that
/// lead to it.
pub fn added(command: Command, words: &str) -> Command {
    let command = command.mut_subcommands(|inner| {
        let words = format!("{words} {}", inner.get_name());
        added(inner, words.trim_start())
    });
    let Some((_, examples)) = EXAMPLES.iter().find(|(verb, _)| *verb == words) else { return command };
    let before = command.get_after_long_help().or(command.get_after_help()).map(|text| format!("{text}\n\n"));
    let lines = examples.iter().map(|(about, command)| format!("  # {about}\n  {command}"));
    let text = format!("{}Examples:\n{}", before.unwrap_or_default(), lines.collect::<Vec<_>>().join("\n"));
    command.after_long_help(text)
}
