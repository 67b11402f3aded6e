//! `psyc/uniform.h`: addresses (docs/spec/psyc.md 13).

use core::ffi::{c_char, c_int};

use polywire_psyc::uniform::{Entity, Uniform};

use crate::pointer::{Out, PsycString, Ptr};

/// `PSYC_SCHEME_PSYC`: the scheme of every parsed address.
const SCHEME_PSYC: c_int = 0;

#[repr(C)]
pub struct PsycUniform {
    pub valid: u8,
    /// `type` in C.
    pub scheme_number: c_int,
    pub scheme: PsycString,
    pub user: PsycString,
    pub pass: PsycString,
    pub host: PsycString,
    pub port: PsycString,
    pub transport: PsycString,
    pub resource: PsycString,
    pub query: PsycString,
    pub channel: PsycString,
    pub full: PsycString,
    pub body: PsycString,
    pub user_host: PsycString,
    pub host_port: PsycString,
    pub root: PsycString,
    pub entity: PsycString,
    pub slashes: PsycString,
    pub slash: PsycString,
    pub path: PsycString,
    pub nick: PsycString,
}

impl PsycUniform {
    /// The result for a wrong address (psyc-D30).
    const INVALID: PsycUniform = PsycUniform {
        valid: 0,
        scheme_number: SCHEME_PSYC,
        scheme: PsycString::EMPTY,
        user: PsycString::EMPTY,
        pass: PsycString::EMPTY,
        host: PsycString::EMPTY,
        port: PsycString::EMPTY,
        transport: PsycString::EMPTY,
        resource: PsycString::EMPTY,
        query: PsycString::EMPTY,
        channel: PsycString::EMPTY,
        full: PsycString::EMPTY,
        body: PsycString::EMPTY,
        user_host: PsycString::EMPTY,
        host_port: PsycString::EMPTY,
        root: PsycString::EMPTY,
        entity: PsycString::EMPTY,
        slashes: PsycString::EMPTY,
        slash: PsycString::EMPTY,
        path: PsycString::EMPTY,
        nick: PsycString::EMPTY,
    };

    fn new(uniform: &Uniform<'_>) -> PsycUniform {
        let part = |bytes: &[u8]| if bytes.is_empty() { PsycString::EMPTY } else { PsycString::new(bytes) };
        PsycUniform {
            valid: 1,
            scheme: part(uniform.scheme()),
            host: part(uniform.host()),
            port: part(uniform.port()),
            transport: part(uniform.transport()),
            resource: part(uniform.resource()),
            channel: part(uniform.channel()),
            full: part(uniform.full()),
            body: part(uniform.body()),
            host_port: part(uniform.host_port()),
            root: part(uniform.root()),
            entity: part(uniform.entity()),
            slashes: part(uniform.slashes()),
            slash: part(uniform.slash()),
            path: part(uniform.path()),
            nick: part(uniform.nick()),
            ..PsycUniform::INVALID
        }
    }
}

#[unsafe(no_mangle)]
extern "C" fn psyc_uniform_parse(uni: Out<PsycUniform>, str: Ptr, length: usize) -> c_int {
    match Uniform::parse(str.bytes(length)) {
        Ok(uniform) => {
            uni.set(PsycUniform::new(&uniform));
            SCHEME_PSYC
        }
        Err(fault) => {
            uni.set(PsycUniform::INVALID);
            fault.code.number()
        }
    }
}

#[unsafe(no_mangle)]
extern "C" fn psyc_entity_type(c: c_char) -> c_int {
    Entity::from_byte(c as u8).map_or(-1, |entity| c_int::from(entity.number()))
}
