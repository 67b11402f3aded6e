//! Fuzz body: what is rendered is read back as it was, and all ways to render give the same bytes.

use polywire_psyc::packet::{Content, Modifier, Operator, Packet, Sizing, State};
use polywire_psyc::wire::render::{self, RenderError};
use polywire_psyc::wire::{Mode, PacketStep, Parser, needs_size};

/// A packet that owns its parts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Parts {
    pub routing: Vec<Line>,
    pub state: Option<State>,
    pub entity: Vec<Line>,
    pub method: Vec<u8>,
    pub data: Vec<u8>,
    /// A content as one piece, in place of the parts above but the routing header.
    pub raw: Option<Vec<u8>>,
    pub sizing: Sizing,
}

/// Operator, name, value, and whether the value is sized.
pub type Line = (Operator, Vec<u8>, Vec<u8>, Sizing);

impl Parts {
    /// The content of the packet, however it is written.
    fn meaning(mut self) -> Parts {
        self.routing.iter_mut().chain(&mut self.entity).for_each(|line| line.3 = Sizing::Check);
        self.sizing = Sizing::Check;
        // An empty content is written as none.
        self.raw = self.raw.filter(|raw| !raw.is_empty());
        self
    }
}

fn lines(lines: &[Line]) -> Vec<Modifier<'_>> {
    lines.iter().map(|(operator, name, value, sizing)| Modifier { operator: *operator, name, value, sizing: *sizing }).collect()
}

/// Reads one packet, with the sizes that it has. None if it is no whole packet.
pub fn parse(bytes: &[u8], mode: Mode) -> Option<(Parts, usize)> {
    let line = |line: Modifier<'_>, sizing| (line.operator, line.name.to_vec(), line.value.to_vec(), sizing);
    let mut parser = Parser::new(mode);
    let mut parts = Parts::default();
    loop {
        match parser.next(bytes).ok()? {
            PacketStep::Routing(modifier) => parts.routing.push(line(modifier, Sizing::No)),
            PacketStep::State(state) => parts.state = Some(state),
            PacketStep::Entity(modifier) => {
                let sizing = if parser.value_size().is_some() { Sizing::Need } else { Sizing::No };
                parts.entity.push(line(modifier, sizing));
            }
            PacketStep::Body(_, content) if mode == Mode::RoutingOnly => parts.raw = Some(content.to_vec()),
            PacketStep::Body(method, data) => (parts.method, parts.data) = (method.to_vec(), data.to_vec()),
            PacketStep::Complete => {
                parts.sizing = if parser.content_size().is_some() { Sizing::Need } else { Sizing::No };
                return Some((parts, parser.cursor()));
            }
            _ => return None,
        }
    }
}

/// Renders in all ways.
fn render(parts: &Parts) -> Result<Vec<u8>, RenderError> {
    let (routing, entity) = (lines(&parts.routing), lines(&parts.entity));
    let content = match &parts.raw {
        Some(raw) => Content::Raw(raw),
        None => Content::Parts { state: parts.state, entity: &entity[..], method: &parts.method, data: &parts.data },
    };
    let packet = Packet { routing: &routing[..], content, sizing: parts.sizing };
    let lengths = render::lengths(&packet);
    let mut out = vec![0xff; lengths.total + 1];
    let rendered = render::render(&packet, &mut out);
    let mut appended = b"before".to_vec();
    assert_eq!(render::append(&packet, &mut appended), rendered);
    let mut scratch = vec![0; render::scratch_length(&packet)];
    let pieces = render::pieces(&packet, &mut scratch).map(|pieces| pieces.inspect(|piece| assert!(!piece.is_empty())).collect::<Vec<_>>());
    match rendered {
        Ok(told) => {
            assert_eq!((told, out[lengths.total]), (lengths, 0xff));
            out.truncate(lengths.total);
            assert_eq!((&appended[6..], pieces.map(|pieces| pieces.concat())), (&out[..], Ok(out.clone())));
            let mut short = vec![0xff; lengths.total - 1];
            assert_eq!(render::render(&packet, &mut short), Err(RenderError::Buffer));
            assert!(short.iter().all(|byte| *byte == 0xff), "nothing is written to a buffer that is too small");
            if lengths.sized {
                let mut scratch = vec![0; render::scratch_length(&packet) - 1];
                assert_eq!(render::pieces(&packet, &mut scratch).err(), Some(RenderError::Buffer));
            }
            Ok(out)
        }
        Err(error) => {
            assert_eq!((&appended[..], pieces.err()), (&b"before"[..], Some(error)));
            Err(error)
        }
    }
}

/// Takes what it needs from bytes, and zeros when they are used up.
struct Script<'a>(&'a [u8]);

impl Script<'_> {
    fn byte(&mut self) -> u8 {
        let (first, rest) = self.0.split_first().unwrap_or((&0, &[]));
        self.0 = rest;
        *first
    }

    fn bytes(&mut self) -> Vec<u8> {
        // Often short, since nine bytes decide about sizes.
        let len = match self.byte() {
            long @ 240.. => usize::from(long) * 2,
            len => usize::from(len) % 14,
        };
        let (bytes, rest) = self.0.split_at(len.min(self.0.len()));
        self.0 = rest;
        // The bytes that matter come up often.
        bytes.iter().map(|byte| [b'|', b'\n', b'\t', b'0'].get(usize::from(byte.wrapping_sub(0xf0))).copied().unwrap_or(*byte)).collect()
    }

    fn keyword(&mut self) -> Vec<u8> {
        let letters = b"_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
        let mut name = self.bytes();
        name.iter_mut().for_each(|byte| *byte = letters[usize::from(*byte) % letters.len()]);
        name
    }

    fn sizing(&mut self) -> Sizing {
        [Sizing::Check, Sizing::Check, Sizing::Need, Sizing::No][usize::from(self.byte() % 4)]
    }

    fn line(&mut self) -> Line {
        let operators =
            [Operator::Set, Operator::Assign, Operator::Augment, Operator::Diminish, Operator::Update, Operator::Query, Operator::Reserved];
        (operators[usize::from(self.byte() % 7)], self.keyword(), self.bytes(), self.sizing())
    }

    fn packet(&mut self) -> Parts {
        let shape = self.byte();
        Parts {
            routing: (0..shape % 3).map(|_| self.line()).collect(),
            state: [None, None, Some(State::Reset), Some(State::Resync)][usize::from(shape >> 2) % 4],
            entity: (0..(shape >> 4) % 4).map(|_| self.line()).collect(),
            method: self.keyword(),
            data: self.bytes(),
            raw: (shape >= 224).then(|| self.bytes()),
            sizing: self.sizing(),
        }
    }
}

/// Returns whether a packet can be read back: bytes that end an item are within sizes, and no
/// sizing forbids these.
fn can_be_read_back(parts: &Parts) -> bool {
    let unsized_line = |value: &[u8]| !value.contains(&b'\n');
    let entity = parts.entity.iter().all(|(_, _, value, sizing)| *sizing != Sizing::No || unsized_line(value));
    let fits = match &parts.raw {
        Some(raw) => {
            raw.is_empty()
                || raw.ends_with(b"\n")
                    && (parts.sizing != Sizing::No || !raw.starts_with(b"|\n") && !raw.windows(3).any(|end| end == b"\n|\n"))
        }
        None => entity && (parts.sizing != Sizing::No || !needs_size(&parts.data)),
    };
    fits && parts.routing.iter().all(|(_, _, value, _)| unsized_line(value))
}

/// The packet that a script makes is rendered, and read back if it can be.
pub fn from_script(bytes: &[u8]) {
    let parts = Script(bytes).packet();
    let header = parts.routing.iter().chain(parts.entity.iter().filter(|_| parts.raw.is_none()));
    let expected = if header.clone().any(|line| line.1.is_empty()) {
        Some(RenderError::NameMissing)
    } else {
        (parts.raw.is_none() && parts.method.is_empty() && !parts.data.is_empty()).then_some(RenderError::MethodMissing)
    };
    let rendered = render(&parts);
    assert_eq!(rendered.as_ref().err(), expected.as_ref());
    let Ok(rendered) = rendered else { return };
    if can_be_read_back(&parts) {
        let mode = if parts.raw.is_some() { Mode::RoutingOnly } else { Mode::All };
        let shown = String::from_utf8_lossy(&rendered);
        let (again, end) = parse(&rendered, mode).unwrap_or_else(|| panic!("{parts:?} is not read back: {shown:?}"));
        assert_eq!(end, rendered.len(), "{shown:?}");
        let parts = match parts.meaning() {
            Parts { raw: Some(raw), routing, .. } => Parts { routing, raw: Some(raw), ..Parts::default() },
            parts if mode == Mode::RoutingOnly => Parts { routing: parts.routing, ..Parts::default() },
            parts => parts,
        };
        assert_eq!(again.meaning(), parts, "{shown:?}");
    }
}

/// A packet that can be read is the same after it was rendered as it was read, and rendering is
/// then the identity.
pub fn from_wire(bytes: &[u8]) {
    for mode in [Mode::All, Mode::RoutingOnly] {
        if let Some((parts, _)) = parse(bytes, mode) {
            let rendered = render(&parts).expect("what was read can be rendered");
            let (again, end) = parse(&rendered, mode).expect("what was rendered can be read");
            assert_eq!((again.clone().meaning(), end), (parts.meaning(), rendered.len()));
            assert_eq!(render(&again), Ok(rendered));
        }
    }
}

/// Both.
pub fn body(bytes: &[u8]) {
    from_script(bytes);
    from_wire(bytes);
}
