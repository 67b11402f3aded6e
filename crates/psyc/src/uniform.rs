//! Uniforms: addresses of entities (docs/spec/psyc.md 13).

/// Returns whether a byte may stand in a host (docs/spec/psyc.md 1): letters, digits, `.`, `-`.
#[inline]
pub const fn is_host_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-')
}

/// Returns whether a byte may stand in a resource or a channel (docs/spec/psyc.md 1).
#[inline]
pub const fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || matches!(byte, b'$'..=b';' | b'_' | b'!' | b'?' | b'=' | b'@' | b'~')
}

/// An error in a uniform, numbered as in docs/spec/psyc.md 13.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Code {
    /// -1: the scheme is missing, or another than `psyc`.
    Scheme,
    /// -2: no host, or a byte in it that no host has.
    Host,
    /// -3: a colon, and no port or `g` after it.
    Port,
    /// -4: a wrong byte after a port or a transport.
    Transport,
    /// -5: a byte that no resource has.
    Resource,
    /// -6: a byte that no channel has.
    Channel,
    /// -7: the scheme is not followed by two slashes.
    Slashes,
}

impl Code {
    /// Returns the number of docs/spec/psyc.md 13.
    pub const fn number(self) -> i32 {
        match self {
            Code::Scheme => -1,
            Code::Host => -2,
            Code::Port => -3,
            Code::Transport => -4,
            Code::Resource => -5,
            Code::Channel => -6,
            Code::Slashes => -7,
        }
    }

    /// Returns the expected input, for people.
    pub const fn expected(self) -> &'static str {
        match self {
            Code::Scheme => "the scheme 'psyc:'",
            Code::Host => "a host of letters, digits, '.' and '-'",
            Code::Port => "a port in digits, or 'g'",
            Code::Transport => "one of 'c', 'd', 's', or '/'",
            Code::Resource => "a byte that a resource may have",
            Code::Channel => "a byte that a channel may have",
            Code::Slashes => "'//'",
        }
    }
}

/// An error in a uniform, with its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UniformError {
    /// The error.
    pub code: Code,
    /// The offset of the first wrong byte; the length, if a byte is missing at the end; the colon,
    /// for another scheme.
    pub at: usize,
}

impl core::fmt::Display for UniformError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "no uniform: expected {} at byte {}", self.code.expected(), self.at)
    }
}

impl core::error::Error for UniformError {}

/// A transport, by the letter after the port.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Transport {
    /// `c`
    Tcp,
    /// `d`
    Udp,
    /// `s`
    Tls,
    /// `g`, without a port.
    Gnunet,
}

impl Transport {
    /// Returns the transport that a letter stands for.
    pub const fn from_byte(byte: u8) -> Option<Transport> {
        Some(match byte {
            b'c' => Transport::Tcp,
            b'd' => Transport::Udp,
            b's' => Transport::Tls,
            b'g' => Transport::Gnunet,
            _ => return None,
        })
    }
}

/// The kind of an entity, by the first byte of its resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Entity {
    /// No resource: the host itself.
    Root,
    /// `~`
    Person,
    /// `@`
    Place,
    /// `$`
    Service,
}

impl Entity {
    /// Returns the kind that the first byte of a resource stands for, or `None` for bytes other
    /// than `~`, `@` and `$`.
    pub const fn from_byte(byte: u8) -> Option<Entity> {
        Some(match byte {
            b'~' => Entity::Person,
            b'@' => Entity::Place,
            b'$' => Entity::Service,
            _ => return None,
        })
    }

    /// Returns its number: the byte, and 0 for [`Entity::Root`].
    pub const fn number(self) -> u8 {
        match self {
            Entity::Root => 0,
            Entity::Person => b'~',
            Entity::Place => b'@',
            Entity::Service => b'$',
        }
    }
}

/// A uniform and the places of its parts. Absent parts are empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Uniform<'a> {
    full: &'a [u8],
    /// Where the scheme ends.
    scheme: usize,
    host: usize,
    /// Where the port starts and ends.
    port: (usize, usize),
    transport: usize,
    resource: (usize, usize),
    channel: usize,
}

impl<'a> Uniform<'a> {
    /// Parses a uniform. The first wrong byte decides the fault.
    ///
    /// ```
    /// use polywire_psyc::uniform::{Entity, Uniform};
    ///
    /// let uniform = Uniform::parse(b"psyc://example.org:4404d/@lobby#main")?;
    /// assert_eq!((uniform.host(), uniform.port(), uniform.nick()), (&b"example.org"[..], &b"4404"[..], &b"lobby"[..]));
    /// assert_eq!(uniform.kind(), Some(Entity::Place));
    /// # Ok::<(), polywire_psyc::uniform::UniformError>(())
    /// ```
    pub fn parse(full: &'a [u8]) -> Result<Uniform<'a>, UniformError> {
        let fault = |code, at| Err(UniformError { code, at });
        let run = |from: usize, is_part: fn(u8) -> bool| {
            full[from..].iter().position(|byte| !is_part(*byte)).map_or(full.len(), |count| from + count)
        };
        let scheme = run(0, is_host_byte);
        if full.get(scheme) != Some(&b':') || !full[..scheme].eq_ignore_ascii_case(b"psyc") {
            return fault(Code::Scheme, scheme);
        }
        for at in [scheme + 1, scheme + 2] {
            match full.get(at) {
                None => return fault(Code::Host, at),
                Some(b'/') => {}
                Some(_) => return fault(Code::Slashes, at),
            }
        }
        let start = scheme + 3;
        let host = run(start, is_host_byte);
        if host == start || !matches!(full.get(host), None | Some(b':' | b'/')) {
            return fault(Code::Host, host);
        }
        let (mut port, mut transport) = ((host, host), host);
        if full.get(host) == Some(&b':') {
            (port, transport) = Self::port_part(full, host + 1)?;
        }
        let mut resource = (transport, transport);
        let mut channel = transport;
        if transport < full.len() {
            resource = (transport + 1, run(transport + 1, is_name_byte));
            channel = resource.1;
            if let Some(byte) = full.get(resource.1) {
                if *byte != b'#' {
                    return fault(Code::Resource, resource.1);
                }
                channel += 1;
                let end = run(channel, is_name_byte);
                if end < full.len() {
                    return fault(Code::Channel, end);
                }
            }
        }
        Ok(Uniform { full, scheme, host, port, transport, resource, channel })
    }

    /// Returns where the port after a colon starts and ends, and where its transport ends: at the
    /// end or at a slash.
    fn port_part(full: &[u8], start: usize) -> Result<((usize, usize), usize), UniformError> {
        let mut end = start;
        let mut transport = start;
        match full.get(start) {
            // psyc-D30: a colon without anything after it is fine, and so is a port of `-`.
            None => return Ok(((start, start), start)),
            Some(b'g') => transport += 1,
            Some(b'-' | b'0'..=b'9') => {
                end += 1 + full[start + 1..].iter().take_while(|byte| byte.is_ascii_digit()).count();
                transport = end + usize::from(matches!(full.get(end), Some(b'c' | b'd' | b's')));
            }
            Some(_) => return Err(UniformError { code: Code::Port, at: start }),
        }
        if matches!(full.get(transport), None | Some(b'/')) {
            Ok(((start, end), transport))
        } else {
            Err(UniformError { code: Code::Transport, at: transport })
        }
    }

    /// Returns the whole uniform.
    pub const fn full(&self) -> &'a [u8] {
        self.full
    }

    /// Returns the scheme, as it was written.
    pub fn scheme(&self) -> &'a [u8] {
        &self.full[..self.scheme]
    }

    /// Returns the `//` after the scheme.
    pub fn slashes(&self) -> &'a [u8] {
        &self.full[self.scheme + 1..self.scheme + 3]
    }

    /// Returns the host.
    pub fn host(&self) -> &'a [u8] {
        &self.full[self.scheme + 3..self.host]
    }

    /// Returns the port, with its `-`.
    pub fn port(&self) -> &'a [u8] {
        &self.full[self.port.0..self.port.1]
    }

    /// Returns the letter of the transport.
    pub fn transport(&self) -> &'a [u8] {
        &self.full[self.port.1..self.transport]
    }

    /// Returns the resource: the bytes between the slash after the host and the channel.
    pub fn resource(&self) -> &'a [u8] {
        &self.full[self.resource.0..self.resource.1]
    }

    /// Returns the channel: the bytes after `#`.
    pub fn channel(&self) -> &'a [u8] {
        &self.full[self.channel..]
    }

    /// Returns everything after the slashes.
    pub fn body(&self) -> &'a [u8] {
        &self.full[self.scheme + 3..]
    }

    /// Returns host, colon, port and transport; the host alone if there is neither port nor
    /// transport.
    pub fn host_port(&self) -> &'a [u8] {
        &self.full[self.scheme + 3..self.root_end()]
    }

    /// Returns the bytes from the start to the end of [`Uniform::host_port`].
    pub fn root(&self) -> &'a [u8] {
        &self.full[..self.root_end()]
    }

    fn root_end(&self) -> usize {
        if self.port.0 == self.transport { self.host } else { self.transport }
    }

    /// Returns root, slash and resource: all but the channel.
    pub fn entity(&self) -> &'a [u8] {
        if self.has_slash() { &self.full[..self.resource.1] } else { self.root() }
    }

    /// Returns the first slash after the host.
    pub fn slash(&self) -> &'a [u8] {
        if self.has_slash() { &self.full[self.transport..=self.transport] } else { b"" }
    }

    /// Returns everything from that slash on.
    pub fn path(&self) -> &'a [u8] {
        if self.has_slash() { &self.full[self.transport..] } else { b"" }
    }

    fn has_slash(&self) -> bool {
        self.transport < self.full.len()
    }

    /// Returns the resource without its first byte.
    pub fn nick(&self) -> &'a [u8] {
        self.resource().get(1..).unwrap_or_default()
    }

    /// Returns the transport, if there is one.
    pub fn transport_kind(&self) -> Option<Transport> {
        self.transport().first().and_then(|byte| Transport::from_byte(*byte))
    }

    /// Returns the kind of the entity, or `None` for a resource that begins with a byte other than
    /// `~`, `@` and `$`.
    pub fn kind(&self) -> Option<Entity> {
        match self.resource().first() {
            None => Some(Entity::Root),
            Some(byte) => Entity::from_byte(*byte),
        }
    }
}
