cp "$ROOT"/crates/cli/tests/payload/files/* .
