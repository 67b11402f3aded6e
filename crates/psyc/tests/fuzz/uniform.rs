//! Fuzz body: uniforms as the grammar of docs/spec/psyc.md 13 has them, against a twin that reads
//! them byte by byte.

use polywire_psyc::uniform::{Entity, Uniform};

/// The grammar of docs/spec/psyc.md 13 as a machine with one state for each rule. The
/// code, and the parts between separators.
fn twin(input: &[u8]) -> Result<[String; 6], i32> {
    #[derive(Clone, Copy, PartialEq)]
    enum At {
        Scheme,
        Slashes(u8),
        Host,
        Port,
        Digits,
        Transport,
        Resource,
        Channel,
    }
    let is_host = |byte: u8| "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-".contains(byte as char) && byte < 128;
    let is_name = |byte: u8| {
        byte < 128
            && ("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789".contains(byte as char)
                || "$%&'()*+,-./:;_!?=@~".contains(byte as char))
    };
    // Scheme, host, port, transport, resource, channel.
    let mut parts: [String; 6] = Default::default();
    let mut at = At::Scheme;
    for byte in input {
        let letter = *byte as char;
        at = match (at, letter) {
            (At::Scheme, ':') if parts[0].to_lowercase() == "psyc" => At::Slashes(0),
            (At::Scheme, _) if is_host(*byte) => {
                parts[0].push(letter);
                At::Scheme
            }
            (At::Scheme, _) => return Err(-1),
            (At::Slashes(0), '/') => At::Slashes(1),
            (At::Slashes(1), '/') => At::Host,
            (At::Slashes(_), _) => return Err(-7),
            (At::Host, _) if is_host(*byte) => {
                parts[1].push(letter);
                At::Host
            }
            (At::Host, ':') if !parts[1].is_empty() => At::Port,
            (At::Host, '/') if !parts[1].is_empty() => At::Resource,
            (At::Host, _) => return Err(-2),
            (At::Port, '-' | '0'..='9') | (At::Digits, '0'..='9') => {
                parts[2].push(letter);
                At::Digits
            }
            (At::Port, 'g') | (At::Digits, 'c' | 'd' | 's') => {
                parts[3].push(letter);
                At::Transport
            }
            (At::Port, _) => return Err(-3),
            (At::Digits | At::Transport, '/') => At::Resource,
            (At::Digits | At::Transport, _) => return Err(-4),
            (At::Resource, '#') => At::Channel,
            (At::Resource, _) if is_name(*byte) => {
                parts[4].push(letter);
                At::Resource
            }
            (At::Resource, _) => return Err(-5),
            (At::Channel, _) if is_name(*byte) => {
                parts[5].push(letter);
                At::Channel
            }
            (At::Channel, _) => return Err(-6),
        };
    }
    match at {
        At::Scheme => Err(-1),
        At::Slashes(_) => Err(-2),
        At::Host if parts[1].is_empty() => Err(-2),
        _ => Ok(parts),
    }
}

/// Whatever the bytes, the answer is the twin's, and the parts are where they belong.
pub fn body(input: &[u8]) {
    let shown = String::from_utf8_lossy(input);
    let uniform = match (Uniform::parse(input), twin(input)) {
        (Err(fault), Err(code)) => {
            assert_eq!(fault.code.number(), code, "{shown}");
            assert!(fault.at <= input.len());
            return;
        }
        (Ok(uniform), Ok(parts)) => {
            let came = [uniform.scheme(), uniform.host(), uniform.port(), uniform.transport(), uniform.resource(), uniform.channel()];
            assert_eq!(came.map(|part| String::from_utf8(part.to_vec()).expect("ASCII")), parts, "{shown}");
            uniform
        }
        (came, expected) => panic!("{shown}: {came:?}, expected {expected:?}"),
    };
    // The parts that are made of others.
    let join = |parts: &[&[u8]]| parts.concat();
    let has_port = !uniform.port().is_empty() || !uniform.transport().is_empty();
    let colon: &[u8] = if has_port { b":" } else { b"" };
    assert_eq!(uniform.host_port(), join(&[uniform.host(), colon, uniform.port(), uniform.transport()]));
    assert_eq!(uniform.root(), join(&[uniform.scheme(), b":", uniform.slashes(), uniform.host_port()]));
    assert_eq!(uniform.entity(), join(&[uniform.root(), uniform.slash(), uniform.resource()]));
    assert_eq!(join(&[uniform.scheme(), b":", uniform.slashes(), uniform.body()]), uniform.full());
    if uniform.slash().is_empty() {
        assert!(uniform.path().is_empty() && uniform.resource().is_empty() && uniform.channel().is_empty());
    } else {
        assert_eq!(join(&[uniform.root(), uniform.path()]), uniform.full());
    }
    assert_eq!(uniform.nick(), &uniform.resource()[usize::from(!uniform.resource().is_empty())..]);
    let kind = uniform.resource().first().map_or(Some(Entity::Root), |byte| Entity::from_byte(*byte));
    assert_eq!((uniform.full(), uniform.kind()), (input, kind));
    assert_eq!(uniform.transport_kind().is_some(), !uniform.transport().is_empty());
}
