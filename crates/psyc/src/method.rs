//! Methods that PSYC knows: their families, flags and default templates (docs/spec/psyc.md 12.5).

use crate::keyword;

/// Flags of a method for clients and servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Flags(u8);

impl Flags {
    /// None.
    pub const NONE: Flags = Flags(0);
    /// The data is a template.
    pub const TEMPLATE: Flags = Flags(1);
    /// It is a reply.
    pub const REPLY: Flags = Flags(2);
    /// It is shown to the user.
    pub const VISIBLE: Flags = Flags(4);
    /// It is kept in logs.
    pub const LOGGABLE: Flags = Flags(8);
    /// Its text was written by a user.
    pub const MANUAL: Flags = Flags(16);

    /// Returns its bits: 1 template, 2 reply, 4 visible, 8 loggable, 16 manual.
    pub const fn bits(self) -> u8 {
        self.0
    }

    /// Returns whether all flags of `other` are set.
    pub const fn contains(self, other: Flags) -> bool {
        self.0 & other.0 == other.0
    }

    /// Returns the flags of both.
    #[must_use]
    pub const fn and(self, other: Flags) -> Flags {
        Flags(self.0 | other.0)
    }
}

/// A method, numbered as in docs/spec/psyc.md 12.5. Zero means an unknown method.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Method {
    /// `_converse`
    Converse = 1,
    /// `_data`
    Data = 2,
    /// `_echo`
    Echo = 3,
    /// `_echo_context_enter`
    EchoContextEnter = 4,
    /// `_echo_context_leave`
    EchoContextLeave = 5,
    /// `_echo_hello`
    EchoHello = 6,
    /// `_error`
    Error = 7,
    /// `_failure`
    Failure = 8,
    /// `_failure_alias_nonexistant`
    FailureAliasNonexistant = 9,
    /// `_failure_alias_unavailable`
    FailureAliasUnavailable = 10,
    /// `_info`
    Info = 11,
    /// `_message`
    Message = 12,
    /// `_message_action`
    MessageAction = 13,
    /// `_notice`
    Notice = 14,
    /// `_notice_alias_add`
    NoticeAliasAdd = 15,
    /// `_notice_alias_change`
    NoticeAliasChange = 16,
    /// `_notice_alias_remove`
    NoticeAliasRemove = 17,
    /// `_notice_context_enter`
    NoticeContextEnter = 18,
    /// `_notice_context_leave`
    NoticeContextLeave = 19,
    /// `_notice_friendship`
    NoticeFriendship = 20,
    /// `_notice_link`
    NoticeLink = 21,
    /// `_notice_peer_connect`
    NoticePeerConnect = 22,
    /// `_notice_peer_disconnect`
    NoticePeerDisconnect = 23,
    /// `_notice_set`
    NoticeSet = 24,
    /// `_notice_unlink`
    NoticeUnlink = 25,
    /// `_request`
    Request = 26,
    /// `_request_context_enter`
    RequestContextEnter = 27,
    /// `_request_context_leave`
    RequestContextLeave = 28,
    /// `_request_friendship`
    RequestFriendship = 29,
    /// `_status`
    Status = 30,
    /// `_status_contexts_entered`
    StatusContextsEntered = 31,
    /// `_status_hello`
    StatusHello = 32,
    /// `_warning`
    Warning = 33,
}

impl Method {
    /// Returns all, by number, which is also the order of their names.
    pub fn all() -> impl ExactSizeIterator<Item = Method> {
        ROWS.iter().map(|row| row.method)
    }

    /// Returns the method with exactly this name.
    pub fn from_name(name: &[u8]) -> Option<Method> {
        let found = ROWS.binary_search_by(|row| row.name.as_bytes().cmp(name)).ok()?;
        Some(ROWS[found].method)
    }

    /// Returns the method of that name, or the longest one that the name inherits from. Returns
    /// `None` if PSYC knows neither.
    ///
    /// ```
    /// use polywire_psyc::method::Method;
    ///
    /// assert_eq!(Method::of(b"_notice_made_up"), Some(Method::Notice));
    /// ```
    pub fn of(name: &[u8]) -> Option<Method> {
        keyword::resolve(name, Method::from_name)
    }

    /// Returns the method of that number.
    pub const fn from_number(number: u8) -> Option<Method> {
        if number == 0 || number as usize > ROWS.len() { None } else { Some(ROWS[number as usize - 1].method) }
    }

    /// Returns its number.
    pub const fn number(self) -> u8 {
        self as u8
    }

    const fn row(self) -> &'static Row {
        &ROWS[self as usize - 1]
    }

    /// Returns its name.
    pub const fn name(self) -> &'static str {
        self.row().name
    }

    /// Returns the method at the head of its family.
    pub const fn family(self) -> Method {
        self.row().family
    }

    /// Returns its flags.
    pub const fn flags(self) -> Flags {
        self.row().flags
    }

    /// Returns its default text, for packets without one, with the variables of
    /// docs/spec/psyc.md 12.5 in brackets. It is empty for most methods.
    pub const fn template(self) -> &'static str {
        self.row().template
    }
}

struct Row {
    name: &'static str,
    method: Method,
    family: Method,
    flags: Flags,
    template: &'static str,
}

const SPOKEN: Flags = Flags::VISIBLE.and(Flags::LOGGABLE).and(Flags::MANUAL);
const EVENT: Flags = Flags::TEMPLATE.and(Flags::VISIBLE).and(Flags::LOGGABLE);
const ECHO: Flags = Flags::TEMPLATE.and(Flags::REPLY).and(Flags::VISIBLE);
const REPORT: Flags = ECHO.and(Flags::LOGGABLE);

/// In the order of the names, which is that of the numbers. With psyc-D17 and psyc-D18 resolved,
/// `_converse`, `_error`, `_request_friendship` and the two `_notice_peer_` methods have families
/// and flags like the methods around them.
#[rustfmt::skip]
static ROWS: [Row; 33] = [
    Row { name: "_converse", method: Method::Converse, family: Method::Converse, flags: SPOKEN, template: "" },
    Row { name: "_data", method: Method::Data, family: Method::Data, flags: Flags::NONE, template: "" },
    Row { name: "_echo", method: Method::Echo, family: Method::Echo, flags: ECHO, template: "" },
    Row { name: "_echo_context_enter", method: Method::EchoContextEnter, family: Method::Echo, flags: ECHO, template: "You enter [_source]." },
    Row { name: "_echo_context_leave", method: Method::EchoContextLeave, family: Method::Echo, flags: ECHO, template: "You leave [_source]." },
    Row { name: "_echo_hello", method: Method::EchoHello, family: Method::Echo, flags: ECHO, template: "Hello. Your public key is [_key_public]." },
    Row { name: "_error", method: Method::Error, family: Method::Error, flags: REPORT, template: "" },
    Row { name: "_failure", method: Method::Failure, family: Method::Failure, flags: REPORT, template: "" },
    Row { name: "_failure_alias_nonexistant", method: Method::FailureAliasNonexistant, family: Method::Failure, flags: REPORT, template: "There is no alias [_nick]." },
    Row { name: "_failure_alias_unavailable", method: Method::FailureAliasUnavailable, family: Method::Failure, flags: REPORT, template: "Alias [_nick] already stands for [_uniform]." },
    Row { name: "_info", method: Method::Info, family: Method::Info, flags: REPORT, template: "" },
    Row { name: "_message", method: Method::Message, family: Method::Message, flags: SPOKEN, template: "" },
    Row { name: "_message_action", method: Method::MessageAction, family: Method::Message, flags: SPOKEN, template: "" },
    Row { name: "_notice", method: Method::Notice, family: Method::Notice, flags: EVENT, template: "" },
    Row { name: "_notice_alias_add", method: Method::NoticeAliasAdd, family: Method::Notice, flags: EVENT, template: "Alias [_nick] stands for [_uniform]." },
    Row { name: "_notice_alias_change", method: Method::NoticeAliasChange, family: Method::Notice, flags: EVENT, template: "Alias [_nick_old] is now [_nick_new]." },
    Row { name: "_notice_alias_remove", method: Method::NoticeAliasRemove, family: Method::Notice, flags: EVENT, template: "Alias [_nick] no longer stands for [_uniform]." },
    Row { name: "_notice_context_enter", method: Method::NoticeContextEnter, family: Method::Notice, flags: EVENT, template: "[_source] enters [_context]." },
    Row { name: "_notice_context_leave", method: Method::NoticeContextLeave, family: Method::Notice, flags: EVENT, template: "[_source] leaves [_context]." },
    Row { name: "_notice_friendship", method: Method::NoticeFriendship, family: Method::Notice, flags: EVENT, template: "" },
    Row { name: "_notice_link", method: Method::NoticeLink, family: Method::Notice, flags: EVENT, template: "" },
    Row { name: "_notice_peer_connect", method: Method::NoticePeerConnect, family: Method::Notice, flags: EVENT, template: "" },
    Row { name: "_notice_peer_disconnect", method: Method::NoticePeerDisconnect, family: Method::Notice, flags: EVENT, template: "" },
    Row { name: "_notice_set", method: Method::NoticeSet, family: Method::Notice, flags: EVENT, template: "" },
    Row { name: "_notice_unlink", method: Method::NoticeUnlink, family: Method::Notice, flags: EVENT, template: "" },
    Row { name: "_request", method: Method::Request, family: Method::Request, flags: EVENT, template: "" },
    Row { name: "_request_context_enter", method: Method::RequestContextEnter, family: Method::Request, flags: EVENT, template: "[_source] asks to enter [_context]." },
    Row { name: "_request_context_leave", method: Method::RequestContextLeave, family: Method::Request, flags: EVENT, template: "" },
    Row { name: "_request_friendship", method: Method::RequestFriendship, family: Method::Request, flags: EVENT, template: "" },
    Row { name: "_status", method: Method::Status, family: Method::Status, flags: REPORT, template: "" },
    Row { name: "_status_contexts_entered", method: Method::StatusContextsEntered, family: Method::Status, flags: REPORT, template: "" },
    Row { name: "_status_hello", method: Method::StatusHello, family: Method::Status, flags: REPORT, template: "[_hello]" },
    Row { name: "_warning", method: Method::Warning, family: Method::Warning, flags: REPORT, template: "" },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Text;

    #[test]
    fn the_table_is_in_order() {
        for (n, row) in ROWS.iter().enumerate() {
            assert_eq!((usize::from(row.method.number()), row.method.name()), (n + 1, row.name));
            assert_eq!((Method::from_number(row.method.number()), Method::of(row.name.as_bytes())), (Some(row.method), Some(row.method)));
            assert!(row.name.starts_with(row.family.name()), "{}", row.name);
            assert_eq!((row.family.flags(), row.family.family()), (row.flags, row.family), "{}", row.name);
        }
        assert!(ROWS.windows(2).all(|pair| pair[0].name < pair[1].name));
        assert_eq!((Method::from_number(0), Method::from_number(34), Method::of(b""), Method::of(b"_")), (None, None, None, None));
    }

    #[test]
    fn templates_name_their_variables() {
        for (methods, variables) in [
            (&[Method::NoticeAliasAdd, Method::NoticeAliasRemove, Method::FailureAliasUnavailable][..], &["_nick", "_uniform"][..]),
            (&[Method::NoticeAliasChange], &["_nick_old", "_nick_new"]),
            (&[Method::FailureAliasNonexistant], &["_nick"]),
            (&[Method::RequestContextEnter, Method::NoticeContextEnter, Method::NoticeContextLeave], &["_source", "_context"]),
            (&[Method::EchoContextEnter, Method::EchoContextLeave], &["_source"]),
            (&[Method::EchoHello], &["_key_public"]),
            (&[Method::StatusHello], &["_hello"]),
        ] {
            for method in methods {
                let mut expected = variables.iter();
                Text::new(method.template().as_bytes()).fill(&mut [0; 200], |name| {
                    assert_eq!(Some(name), expected.next().map(|name| name.as_bytes()), "{}", method.name());
                    Some("")
                });
                assert_eq!(expected.next(), None, "{}", method.name());
            }
        }
        assert_eq!(Method::all().filter(|method| !method.template().is_empty()).count(), 12);
    }
}
