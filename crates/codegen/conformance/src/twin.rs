//! Compares generated code with the codec of the walk, and with itself.

use polywire_core::value::ValueSink;
use polywire_core::{Budget, Limits as WalkLimits, Reader as _};
use polywire_extprot::error::{DecodeError, SizeLimits};
use polywire_extprot::language::Extprot;
use polywire_extprot::model::Protocol;
use polywire_extprot::plan::Plan;
use polywire_extprot::protocol::{NoFiles, compile};
use polywire_extprot::validate::validate;
use polywire_extprot_runtime::{Error, Limits};
use polywire_usds::walk::UsdsReader;

use crate::bytes::hex;
use crate::protobuf::Converted;
use crate::{DOORS, Door};

/// A message in generated code and in the walk.
pub struct Twin {
    /// Generated code.
    pub door: &'static Door,
    /// Checked protocol.
    pub protocol: Protocol,
    plan: Plan,
    has_lazy_fields: bool,
    converted: Option<Converted>,
}

impl Twin {
    /// Returns both sides of a message.
    ///
    /// # Panics
    /// The protocol of the door is invalid.
    pub fn new(door: &'static Door) -> Twin {
        let protocol = compile("protocol", door.protocol.as_bytes(), &mut NoFiles).expect("a protocol");
        let plan = Plan::new(&protocol, Some(door.message)).expect("a message of the protocol");
        let converted = door.protobuf.and_then(|_| Converted::new(&Extprot, door.protocol));
        Twin { door, protocol, plan, has_lazy_fields: door.protocol.contains("lazy"), converted }
    }

    /// Checks that both sides agree: on the end of the message, or on the error with its offset and
    /// path. Checks also that the value stays the same when it is encoded and decoded again.
    /// Returns true if the bytes are a message.
    ///
    /// # Panics
    /// They disagree.
    pub fn agree(&self, bytes: &[u8], limits: &SizeLimits) -> bool {
        let ours = Limits { message_length: limits.message_length, elements: limits.elements, string_length: limits.string_length };
        let wanted = validate(&self.plan, bytes, limits);
        let shown = || format!("{} as {} of\n{}", hex(bytes), self.door.message, self.door.protocol);
        agree(&wanted, (self.door.validate)(bytes, &ours), &shown);
        if !self.has_lazy_fields {
            agree(&wanted, (self.door.borrow)(bytes, &ours).map(|(_, end)| end), &shown);
            agree(&wanted, (self.door.own)(bytes, &ours).map(|(_, end)| end), &shown);
        }
        if let (Ok((value, _)), Some((borrowing, owning))) = ((self.door.own)(bytes, &Limits::NONE), self.door.encode) {
            let again = owning(bytes).expect("it was decoded");
            assert_eq!(borrowing(bytes), Ok(again.clone()), "{}", shown());
            if let Some(both) = self.door.usds {
                let (through, document) = both(bytes).expect("it was decoded");
                assert_eq!(through, again, "by USDS: {}", shown());
                // A reader of the document needs nothing else.
                let mut reader = UsdsReader::default();
                let walked = reader.walk(&document, 0, &mut ValueSink::default(), &mut Budget::new(&WalkLimits::DEFAULT));
                assert!(walked.is_ok() || document.len() > 1 << 20, "{walked:?}: {}", shown());
            }
            if let Some(both) = self.door.protobuf {
                let (through, message) = both(bytes).expect("it was decoded");
                assert_eq!(through, again, "by Protobuf: {}", shown());
                if let Some(converted) = &self.converted {
                    converted.knows(self.door.message, &message);
                }
            }
            let value_again = (self.door.own)(&again, &Limits::NONE);
            // A lazy field with its default is a value before it is encoded, and bytes after.
            assert!(self.has_lazy_fields && value_again.is_ok() || value_again == Ok((value, again.len())), "{}", shown());
        }
        wanted.is_ok()
    }
}

/// Body of the fuzz target: the first bytes choose a message type and limits, the rest is the
/// input.
pub fn fuzz(data: &[u8]) {
    let Some((&[door, more, limit], bytes)) = data.split_first_chunk::<3>() else { return };
    let door = &DOORS[(usize::from(door) | usize::from(more) << 8) % DOORS.len()];
    let limit = if limit < 128 { u64::from(limit) } else { u64::MAX };
    Twin::new(door).agree(bytes, &SizeLimits { message_length: limit, elements: limit, string_length: limit });
}

fn agree(wanted: &Result<usize, DecodeError>, came: Result<usize, Error>, shown: &dyn Fn() -> String) {
    let is_same = match (wanted, &came) {
        (Ok(one), Ok(other)) => one == other,
        (Err(one), Err(other)) => {
            one.cause == other.cause()
                && one.at == other.offset()
                && one.path.iter().map(|name| Some(&name[..])).eq(other.path().iter().map(|step| step.name()))
        }
        _ => false,
    };
    assert!(is_same, "{came:?} instead of {wanted:?}: {}", shown());
}
