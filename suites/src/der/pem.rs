//! PEM: DER in base64 between lines that name it.

/// Returns the blocks of a text: name and bytes. A malformed block is left out.
pub fn blocks(text: &[u8]) -> Vec<(String, Vec<u8>)> {
    let text = String::from_utf8_lossy(text);
    let (mut found, mut open) = (Vec::new(), None);
    for line in text.lines().map(str::trim) {
        if let Some(name) = line.strip_prefix("-----BEGIN ").and_then(|rest| rest.strip_suffix("-----")) {
            open = Some((name.to_string(), String::new()));
        } else if line.starts_with("-----END ") {
            if let Some((name, base64)) = open.take()
                && let Ok(bytes) = data_encoding::BASE64.decode(base64.as_bytes())
            {
                found.push((name, bytes));
            }
        } else if let Some((_, base64)) = &mut open {
            // A header of an encrypted key is no base64.
            if !line.contains(':') {
                base64.push_str(line);
            }
        }
    }
    found
}
