//! Externalizable classes of Flex and BlazeDS, whose bytes are known.
//!
//! Source: `readExternal` and `writeExternal` of the classes in BlazeDS.

/// Contents of the objects of a known class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum External {
    /// One value.
    One(Single),
    /// A message: flags and values for each class that it is derived from.
    Message(Kind),
}

/// Classes of one value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Single {
    /// A collection around an array.
    Collection,
    /// A proxy of an object.
    Proxy,
}

impl Single {
    /// Returns the name of the value.
    pub fn name(self) -> &'static str {
        match self {
            Single::Collection => "source",
            Single::Proxy => "object",
        }
    }
}

/// Classes of messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Abstract,
    Async,
    Acknowledge,
    Command,
}

impl Kind {
    /// Returns the classes that it is derived from, and itself.
    pub fn groups(self) -> &'static [Group] {
        match self {
            Kind::Abstract => &[ABSTRACT],
            Kind::Async => &[ABSTRACT, ASYNC],
            Kind::Acknowledge => &[ABSTRACT, ASYNC, ACKNOWLEDGE],
            Kind::Command => &[ABSTRACT, ASYNC, COMMAND],
        }
    }
}

/// A class in the line of a message's classes: bytes of flags, and a value for each that is set.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Group {
    /// Name of the class, for flags without a name of their own.
    pub name: &'static str,
    /// Names of flags, seven to a byte.
    pub flags: &'static [&'static str],
}

/// The bit of a byte of flags that says that another one follows.
pub(crate) const MORE: u8 = 0x80;
/// Flags in a byte.
pub(crate) const FLAGS: usize = 7;
/// Most bytes of flags that are read.
pub(crate) const MOST_BYTES: usize = 8;

const ABSTRACT: Group = Group {
    name: "abstract",
    flags: &["body", "clientId", "destination", "headers", "messageId", "timestamp", "timeToLive", "clientIdBytes", "messageIdBytes"],
};
const ASYNC: Group = Group { name: "async", flags: &["correlationId", "correlationIdBytes"] };
const ACKNOWLEDGE: Group = Group { name: "acknowledge", flags: &[] };
const COMMAND: Group = Group { name: "command", flags: &["operation"] };

/// Returns what the objects of a class hold, if it is known.
pub(crate) fn of(class: &[u8]) -> Option<External> {
    let bare = class.strip_prefix(b"flex.messaging.io.").or_else(|| class.strip_prefix(b"flex.messaging.messages.")).unwrap_or(class);
    if bare.len() == class.len() {
        return match class {
            b"DSA" => Some(External::Message(Kind::Async)),
            b"DSC" => Some(External::Message(Kind::Command)),
            b"DSK" => Some(External::Message(Kind::Acknowledge)),
            _ => None,
        };
    }
    Some(match bare {
        b"ArrayCollection" | b"ArrayList" => External::One(Single::Collection),
        b"ObjectProxy" | b"ManagedObjectProxy" | b"SerializationProxy" => External::One(Single::Proxy),
        b"AbstractMessage" => External::Message(Kind::Abstract),
        b"AsyncMessage" | b"AsyncMessageExt" => External::Message(Kind::Async),
        b"AcknowledgeMessage" | b"AcknowledgeMessageExt" | b"ErrorMessage" => External::Message(Kind::Acknowledge),
        b"CommandMessage" | b"CommandMessageExt" => External::Message(Kind::Command),
        _ => return None,
    })
}

impl Group {
    /// Returns the name of a flag, by its number.
    pub fn flag(&self, number: usize) -> String {
        self.flags.get(number).map_or_else(|| format!("{}.{number}", self.name), |name| (*name).to_owned())
    }

    /// Returns the number of a flag, by its name.
    pub fn number(&self, name: &str) -> Option<usize> {
        if let Some(number) = self.flags.iter().position(|flag| *flag == name) {
            return Some(number);
        }
        let number: usize = name.strip_prefix(self.name)?.strip_prefix('.')?.parse().ok()?;
        (number < FLAGS * MOST_BYTES && self.flag(number) == name).then_some(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_have_one_name() {
        for group in [&ABSTRACT, &ASYNC, &ACKNOWLEDGE, &COMMAND] {
            for number in 0..FLAGS * MOST_BYTES {
                assert_eq!(group.number(&group.flag(number)), Some(number), "{} {number}", group.name);
            }
        }
        assert_eq!([ABSTRACT.number("abstract.0"), ASYNC.number("async.02"), COMMAND.number("command.56")], [None; 3]);
    }
}
