//! Packets to bytes (section 11).

use memchr::{memchr, memmem};

use super::{BAR, DELIMITER, END, LF, SIZE_THRESHOLD, TAB};
use crate::packet::{Content, Modifier, Packet, Sizing};

/// Why a packet can't be rendered, numbered as in section 11.4.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RenderError {
    /// The buffer is smaller than the packet.
    Buffer,
    /// A modifier has an empty name.
    NameMissing,
    /// There is data, and no method.
    MethodMissing,
}

impl RenderError {
    /// The number of section 11.4.
    pub const fn number(self) -> i32 {
        match self {
            RenderError::Buffer => -1,
            RenderError::NameMissing => -2,
            RenderError::MethodMissing => -3,
        }
    }
}

/// Lengths in bytes of a packet and its parts (section 11.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lengths {
    /// The routing header.
    pub routing: usize,
    /// The content, without its size and the LF after that.
    pub content: usize,
    /// All.
    pub total: usize,
    /// Whether the size of the content is written.
    pub sized: bool,
}

/// Number of decimal digits.
pub(crate) fn digits(number: usize) -> usize {
    number.checked_ilog10().unwrap_or(0) as usize + 1
}

/// Whether the size of an entity modifier's value is written.
fn is_sized(modifier: &Modifier<'_>) -> bool {
    let value = modifier.value;
    let wanted = match modifier.sizing {
        Sizing::Need => true,
        Sizing::No => false,
        Sizing::Check => value.len() > SIZE_THRESHOLD || memchr(LF, value).is_some(),
    };
    wanted && !value.is_empty()
}

/// Whether data needs a content size to be read as it is (section 3.1).
pub fn needs_size(data: &[u8]) -> bool {
    data == [BAR] || data.starts_with(END) || data.ends_with(&DELIMITER[..2]) || memmem::find(data, DELIMITER).is_some()
}

fn modifier_length(modifier: &Modifier<'_>, entity: bool) -> usize {
    let size = if entity && is_sized(modifier) { 1 + digits(modifier.value.len()) } else { 0 };
    modifier.name.len() + modifier.value.len() + 3 + size
}

/// How long a packet is.
pub fn lengths(packet: &Packet<'_>) -> Lengths {
    let routing = packet.routing.iter().map(|modifier| modifier_length(modifier, false)).sum();
    let (content, checked) = match packet.content {
        // Sections 11.1 and D13.
        Content::Raw(raw) => (raw.len(), raw.starts_with(END) || memmem::find(raw, DELIMITER).is_some()),
        Content::Parts { state, entity, method, data } => {
            let line = |bytes: &[u8]| if bytes.is_empty() { 0 } else { bytes.len() + 1 };
            let header: usize = entity.iter().map(|modifier| modifier_length(modifier, true)).sum();
            let length = if state.is_some() { 2 } else { 0 } + header + line(method) + line(data);
            let sized = |modifier: &Modifier<'_>| modifier.sizing == Sizing::Need || is_sized(modifier);
            (length, data.len() > SIZE_THRESHOLD || entity.iter().any(sized) || needs_size(data))
        }
    };
    let sized = content > 0
        && match packet.sizing {
            Sizing::Check => checked,
            Sizing::Need => true,
            Sizing::No => false,
        };
    let total = routing + content + END.len() + usize::from(content > 0) + if sized { digits(content) } else { 0 };
    Lengths { routing, content, total, sized }
}

/// Renders a packet at the start of `out`, and says how long it is. The tests of section 11.4 come first, in its order.
pub fn render(packet: &Packet<'_>, out: &mut [u8]) -> Result<Lengths, RenderError> {
    let lengths = lengths(packet);
    let out = out.get_mut(..lengths.total).ok_or(RenderError::Buffer)?;
    if packet.routing.iter().any(|modifier| modifier.name.is_empty()) {
        return Err(RenderError::NameMissing);
    }
    if let Content::Parts { entity, method, data, .. } = packet.content {
        if entity.iter().any(|modifier| modifier.name.is_empty()) {
            return Err(RenderError::NameMissing);
        }
        if method.is_empty() && !data.is_empty() {
            return Err(RenderError::MethodMissing);
        }
    }
    let mut cursor = Cursor { out, at: 0 };
    for modifier in packet.routing {
        cursor.modifier(modifier, false);
    }
    if lengths.content > 0 {
        if lengths.sized {
            cursor.number(lengths.content);
        }
        cursor.put(&[LF]);
    }
    match packet.content {
        Content::Raw(raw) => cursor.put(raw),
        Content::Parts { state, entity, method, data } => {
            if let Some(state) = state {
                cursor.put(&[state.byte(), LF]);
            }
            for modifier in entity {
                cursor.modifier(modifier, true);
            }
            for line in [method, data] {
                if !line.is_empty() {
                    cursor.put(line);
                    cursor.put(&[LF]);
                }
            }
        }
    }
    cursor.put(END);
    Ok(lengths)
}

struct Cursor<'o> {
    out: &'o mut [u8],
    at: usize,
}

impl Cursor<'_> {
    fn put(&mut self, bytes: &[u8]) {
        self.out[self.at..self.at + bytes.len()].copy_from_slice(bytes);
        self.at += bytes.len();
    }

    fn number(&mut self, number: usize) {
        self.put(itoa::Buffer::new().format(number).as_bytes());
    }

    fn modifier(&mut self, modifier: &Modifier<'_>, entity: bool) {
        self.put(&[modifier.operator.byte()]);
        self.put(modifier.name);
        if entity && is_sized(modifier) {
            self.put(b" ");
            self.number(modifier.value.len());
        }
        self.put(&[TAB]);
        self.put(modifier.value);
        self.put(&[LF]);
    }
}
