cp "$ROOT"/crates/cli/tests/diff/files/* .
