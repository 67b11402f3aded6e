//! The hooks by name.

/// A hook of a patch module.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Hook {
    /// `validate param`: checks a parameter.
    ValidateParam,
    /// `patch uri`: the URIs of the requests.
    PatchUri,
    /// `patch headers`: the headers of the request.
    PatchHeaders,
    /// `body template`: the body, in place of the table's template.
    BodyTemplate,
    /// `patch body`: the body that the template made.
    PatchBody,
    /// `compute key`: the key of the reply in the cache.
    ComputeKey,
    /// `parse response`: the bytes of the reply, as text or as a structure.
    ParseResponse,
    /// `patch mediaType`: the media type of the reply.
    PatchMediaType,
    /// `patch status`: the status of the reply.
    PatchStatus,
    /// `patch response`: the parsed reply.
    PatchResponse,
}

impl Hook {
    /// All hooks, in the order in which they are called.
    pub const ALL: [Hook; 10] = [
        Hook::ValidateParam,
        Hook::PatchUri,
        Hook::PatchHeaders,
        Hook::BodyTemplate,
        Hook::PatchBody,
        Hook::ComputeKey,
        Hook::ParseResponse,
        Hook::PatchMediaType,
        Hook::PatchStatus,
        Hook::PatchResponse,
    ];

    /// Returns its number, in the order of [`Hook::ALL`].
    pub(super) const fn number(self) -> u8 {
        self as u8
    }

    /// Returns the name under which a module exports it.
    pub fn name(self) -> &'static str {
        match self {
            Hook::ValidateParam => "validate param",
            Hook::PatchUri => "patch uri",
            Hook::PatchHeaders => "patch headers",
            Hook::BodyTemplate => "body template",
            Hook::PatchBody => "patch body",
            Hook::ComputeKey => "compute key",
            Hook::ParseResponse => "parse response",
            Hook::PatchMediaType => "patch mediaType",
            Hook::PatchStatus => "patch status",
            Hook::PatchResponse => "patch response",
        }
    }
}
