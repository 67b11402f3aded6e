//! Exposure of scripts, by the address that the gateway listens on.

use std::net::SocketAddr;

use crate::directory::settings::Settings;
use crate::guard::hosts::is_loopback;

/// The parts of a start that say who can send scripts.
#[derive(Debug, Clone, Copy)]
pub(super) struct Exposure {
    /// The address that callers reach.
    pub address: Option<SocketAddr>,
    /// Admission of scripts, over the configuration's.
    pub ad_hoc: Option<bool>,
    /// True if scripts may come from other machines without a token.
    pub open: bool,
}

/// Checks that strangers cannot send scripts unless that was asked for.
///
/// # Errors
/// The address is reached from other machines, and scripts run for everybody.
pub(super) fn exposed(exposure: &Exposure, settings: &Settings) -> Result<(), String> {
    let Some(address) = exposure.address.filter(|address| !is_loopback(address.ip())) else { return Ok(()) };
    let ad_hoc = &settings.ad_hoc;
    let runs = exposure.ad_hoc.unwrap_or(ad_hoc.enabled);
    if !runs || ad_hoc.token.is_some() || settings.callers.guard_scripts() || ad_hoc.open || exposure.open {
        return Ok(());
    }
    Err(format!(
        "everybody who reaches {address} could run scripts: set `token` of `adHoc` or keys of `callers` in config.json, run none by `--no-ad-hoc`, \
         or permit it by `--ad-hoc-open` or `\"open\": true` in `adHoc`"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strangers_send_scripts_only_if_that_was_asked_for() {
        let of = |text: &str| serde_json::from_str::<Settings>(text).unwrap();
        let settings = of("{}");
        let off = of(r#"{"adHoc": {"enabled": false}}"#);
        let token = of(r#"{"adHoc": {"token": "t"}}"#);
        let open = of(r#"{"adHoc": {"open": true}}"#);
        let key = of(&format!(r#"{{"callers": {{"keys": [{{"name": "a", "sha256": "{}"}}]}}}}"#, "0".repeat(64)));
        let anybody = of(r#"{"callers": {"anonymous": ["s"], "scopes": {"s": {"adHoc": true}}}}"#);
        let at = |address: &str| Exposure { address: Some(address.parse().unwrap()), ad_hoc: None, open: false };
        for address in ["127.0.0.1:3000", "127.3.2.1:3000", "[::1]:3000", "[::ffff:127.0.0.1]:3000"] {
            assert_eq!(exposed(&at(address), &settings), Ok(()), "{address}");
        }
        for address in ["0.0.0.0:3000", "192.0.2.1:3000", "[::]:3000"] {
            let exposure = at(address);
            let error = exposed(&exposure, &settings).unwrap_err();
            assert!([address, "adHoc", "--ad-hoc-open", "token"].iter().all(|part| error.contains(part)), "{error}");
            assert!(exposed(&exposure, &anybody).is_err());
            for settings in [&off, &token, &open, &key] {
                assert_eq!(exposed(&exposure, settings), Ok(()));
            }
            assert_eq!(exposed(&Exposure { ad_hoc: Some(false), ..exposure }, &settings), Ok(()));
            assert_eq!(exposed(&Exposure { open: true, ..exposure }, &settings), Ok(()));
            assert!(exposed(&Exposure { ad_hoc: Some(true), ..exposure }, &off).is_err());
        }
        assert_eq!(exposed(&Exposure { address: None, ad_hoc: None, open: false }, &settings), Ok(()));
    }
}
