cp "$ROOT"/crates/cli/tests/transcripts/reshape.in/{orders.jsonl,note.yaml} .
cp "$ROOT"/crates/cli/tests/transcripts/reshape.in/list.json people.json
