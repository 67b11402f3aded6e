//! Request bodies of several parts: `multipart/related` (RFC 2387) and `multipart/form-data` (RFC
//! 7578), for `with parts` (docs/spec/ql.md 7.5).

use bytes::Bytes;
use http::HeaderValue;
use memchr::memmem;

/// One part of a body.
#[derive(Debug, Clone, Default)]
pub struct Part {
    /// Media type; none = no header.
    pub content_type: Option<HeaderValue>,
    /// Name of the form's field; `form-data` needs one.
    pub name: Option<String>,
    /// Name of the file it came from.
    pub file: Option<String>,
    /// The name by which other parts refer to it: `Content-ID` (RFC 2392).
    pub id: Option<HeaderValue>,
    /// The part itself.
    pub body: Bytes,
}

/// The relation of the parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MultipartKind {
    /// The first part is the message, the others belong to it.
    Related,
    /// The fields of a form. A part without a name is called `part` and its number, from 0.
    FormData,
}

/// Returns the body and its `Content-Type`. All parts are in it byte by byte, and the boundary in
/// none of them.
pub fn compose(kind: MultipartKind, parts: &[Part]) -> (HeaderValue, Bytes) {
    let boundary = boundary(parts);
    let heads: Vec<Vec<u8>> = parts.iter().enumerate().map(|(number, part)| head(kind, number, part, &boundary)).collect();
    let length = heads.iter().map(Vec::len).sum::<usize>() + parts.iter().map(|part| part.body.len() + 2).sum::<usize>();
    let end = format!("--{boundary}--\r\n");
    let mut body = Vec::with_capacity(length + end.len());
    for (head, part) in heads.iter().zip(parts) {
        body.extend_from_slice(head);
        body.extend_from_slice(&part.body);
        body.extend_from_slice(b"\r\n");
    }
    body.extend_from_slice(end.as_bytes());
    let mut content_type = match kind {
        MultipartKind::FormData => format!("multipart/form-data; boundary={boundary}").into_bytes(),
        MultipartKind::Related => format!("multipart/related; boundary={boundary}").into_bytes(),
    };
    // RFC 2387 3.1: the type of the first part.
    if let (MultipartKind::Related, Some(first)) = (kind, parts.first().and_then(|part| part.content_type.as_ref())) {
        content_type.extend_from_slice(b"; type=\"");
        let essence = first.as_bytes().split(|byte| *byte == b';').next().unwrap_or_default().trim_ascii();
        content_type.extend(essence.iter().filter(|byte| !matches!(byte, b'"' | b'\\')));
        content_type.push(b'"');
    }
    (HeaderValue::from_bytes(&content_type).expect("made of header values"), body.into())
}

fn head(kind: MultipartKind, number: usize, part: &Part, boundary: &str) -> Vec<u8> {
    let mut head = format!("--{boundary}\r\n").into_bytes();
    let disposition = match kind {
        MultipartKind::FormData => Some(("form-data", part.name.clone().or_else(|| Some(format!("part{number}"))))),
        MultipartKind::Related if part.name.is_some() || part.file.is_some() => Some(("attachment", part.name.clone())),
        MultipartKind::Related => None,
    };
    if let Some((disposition, name)) = disposition {
        head.extend_from_slice(format!("content-disposition: {disposition}").as_bytes());
        for (key, value) in [("name", name.as_deref()), ("filename", part.file.as_deref())] {
            if let Some(value) = value {
                head.extend_from_slice(format!("; {key}=\"{}\"", quoted(value)).as_bytes());
            }
        }
        head.extend_from_slice(b"\r\n");
    }
    for (name, value) in [("content-type", &part.content_type), ("content-id", &part.id)] {
        if let Some(value) = value {
            head.extend_from_slice(name.as_bytes());
            head.extend_from_slice(b": ");
            head.extend_from_slice(value.as_bytes());
            head.extend_from_slice(b"\r\n");
        }
    }
    head.extend_from_slice(b"\r\n");
    head
}

/// Returns quotes and line ends as browsers write them (HTML 4.10.21.8); other control characters
/// are left out.
fn quoted(value: &str) -> String {
    let mut quoted = String::with_capacity(value.len());
    for letter in value.chars() {
        match letter {
            '"' => quoted.push_str("%22"),
            '\r' => quoted.push_str("%0D"),
            '\n' => quoted.push_str("%0A"),
            _ if letter.is_control() => {}
            _ => quoted.push(letter),
        }
    }
    quoted
}

fn boundary(parts: &[Part]) -> String {
    loop {
        let boundary = format!("polywire-{:032x}", fastrand::u128(..));
        if !parts.iter().any(|part| memmem::find(&part.body, boundary.as_bytes()).is_some()) {
            return boundary;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn composed(kind: MultipartKind, parts: &[Part]) -> (String, String) {
        let (content_type, body) = compose(kind, parts);
        let content_type = content_type.to_str().unwrap().to_owned();
        let boundary = content_type.split("boundary=").nth(1).unwrap().split(';').next().unwrap().to_owned();
        let body = String::from_utf8(body.to_vec()).unwrap();
        (content_type.replace(&boundary, "B"), body.replace(&boundary, "B"))
    }

    #[test]
    fn a_message_and_what_belongs_to_it() {
        let parts = [
            Part {
                content_type: Some(HeaderValue::from_static("application/xml; charset=utf-8")),
                body: "<caf\u{e9}/>".into(),
                ..Part::default()
            },
            Part {
                file: Some("a \"b\"\r\n.png".to_owned()),
                id: Some(HeaderValue::from_static("<b@a>")),
                body: Bytes::from_static(b"png\r\n"),
                ..Part::default()
            },
        ];
        let (content_type, body) = composed(MultipartKind::Related, &parts);
        assert_eq!(content_type, "multipart/related; boundary=B; type=\"application/xml\"");
        assert_eq!(
            body,
            "--B\r\ncontent-type: application/xml; charset=utf-8\r\n\r\n<caf\u{e9}/>\r\n\
             --B\r\ncontent-disposition: attachment; filename=\"a %22b%22%0D%0A.png\"\r\ncontent-id: <b@a>\r\n\r\npng\r\n\r\n--B--\r\n"
        );
    }

    #[test]
    fn the_fields_of_a_form() {
        let parts = [
            Part { name: Some("q".to_owned()), body: "1".into(), ..Part::default() },
            Part { content_type: Some(HeaderValue::from_static("text/csv")), body: "2".into(), ..Part::default() },
        ];
        let (content_type, body) = composed(MultipartKind::FormData, &parts);
        assert_eq!(content_type, "multipart/form-data; boundary=B");
        assert_eq!(
            body,
            "--B\r\ncontent-disposition: form-data; name=\"q\"\r\n\r\n1\r\n\
             --B\r\ncontent-disposition: form-data; name=\"part1\"\r\ncontent-type: text/csv\r\n\r\n2\r\n--B--\r\n"
        );
        let (_, none) = composed(MultipartKind::FormData, &[]);
        assert_eq!(none, "--B--\r\n");
    }
}
