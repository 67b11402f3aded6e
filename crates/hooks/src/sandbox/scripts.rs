//! The scripts in `js/`.

/// The scripts that every realm runs, in the order in which they need each other. Each is a
/// function of `native` and `host`.
pub(super) const SCRIPTS: &[(&str, &str)] = &[
    ("polywire:modules", include_str!("js/modules.js")),
    ("polywire:globals", include_str!("js/globals.js")),
    ("polywire:uri", include_str!("js/uri.js")),
    ("polywire:templates", include_str!("js/templates.js")),
    ("polywire:calls", include_str!("js/calls.js")),
];

/// The built-in modules: name, file, script.
pub(super) const MODULES: &[(&str, &str, &str)] = &[
    ("assert", "polywire:assert", include_str!("js/modules/assert.js")),
    ("buffer", "polywire:buffer", include_str!("js/modules/buffer.js")),
    ("crypto", "polywire:crypto", include_str!("js/modules/crypto.js")),
    ("events", "polywire:events", include_str!("js/modules/events.js")),
    ("fs", "polywire:fs", include_str!("js/modules/fs.js")),
    ("http", "polywire:http", include_str!("js/modules/http.js")),
    ("https", "polywire:http", include_str!("js/modules/http.js")),
    ("path", "polywire:path", include_str!("js/modules/path.js")),
    ("querystring", "polywire:querystring", include_str!("js/modules/querystring.js")),
    // The old name of util.
    ("sys", "polywire:util", include_str!("js/modules/util.js")),
    ("url", "polywire:url", include_str!("js/modules/url.js")),
    ("util", "polywire:util", include_str!("js/modules/util.js")),
];
