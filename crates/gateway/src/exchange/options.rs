//! The configuration of the client.

use std::path::{Path, PathBuf};
use std::time::Duration;

use ipnet::IpNet;
use rustls::pki_types::CertificateDer;
use serde::{Deserialize, Deserializer};

use super::breaker::Breaker;
use super::certificates::Identity;
use super::policy::{Grant, Policy};
use super::proxy::Proxies;
use super::retry::Retry;
use crate::secrets::Secrets;

/// Settings of a client. In the configuration document their names are in camel case; times are in
/// milliseconds.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct Options {
    /// The longest body, in bytes as received (docs/spec/ql.md 8.8 and 13).
    pub max_response_length: u64,
    /// The longest body without its content coding (ql-D20); none = the same.
    pub max_decoded_length: Option<u64>,
    /// The most exchanges with one host at a time, and connections kept open to it (docs/spec/ql.md
    /// 8.4).
    pub connections_per_host: usize,
    /// The time after which an unused connection is closed.
    #[serde(deserialize_with = "millis")]
    #[cfg_attr(feature = "schema", schemars(with = "u64"))]
    pub keep_alive: Duration,
    /// The longest time for one connection to be made.
    #[serde(deserialize_with = "millis")]
    #[cfg_attr(feature = "schema", schemars(with = "u64"))]
    pub connect_timeout: Duration,
    /// Forward proxies by host.
    #[cfg_attr(feature = "schema", schemars(with = "std::collections::HashMap<String, super::proxy::Entry>"))]
    pub proxy: Proxies,
    /// Hosts that tables need not name: `host`, `*.domain` or `*`, with `:port` or `:*`.
    pub allow: Vec<String>,
    /// Hosts that may also have private addresses.
    pub allow_private: Vec<String>,
    /// Networks of private addresses that every permitted host may be in.
    #[cfg_attr(feature = "schema", schemars(with = "Vec<String>"))]
    pub allow_networks: Vec<IpNet>,
    /// Hosts, without port, that speak HTTP/2 without TLS (RFC 9113 3.3).
    pub http2_hosts: Vec<String>,
    /// The circuit breaker of hosts.
    pub breaker: Breaker,
    /// Retries after replies that refuse for now.
    pub retry: Retry,
    /// Names of headers with secrets, beside the common ones.
    pub secret_headers: Vec<String>,
    /// Names of query parameters with secrets.
    pub secret_parameters: Vec<String>,
    /// Secret values themselves, wherever they occur.
    #[serde(skip)]
    pub secret_values: Vec<String>,
    /// A file with certificates of authorities to trust beside those of the web, as PEM.
    pub root_certificates: Option<PathBuf>,
    /// The certificate for services that ask for one.
    pub client_certificate: Option<Identity>,
    /// Certificates of authorities to trust beside those of the web and of the file.
    #[serde(skip)]
    pub roots: Vec<CertificateDer<'static>>,
}

fn millis<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    u64::deserialize(deserializer).map(Duration::from_millis)
}

impl Default for Options {
    fn default() -> Self {
        Options {
            max_response_length: 10_000_000,
            max_decoded_length: None,
            connections_per_host: 1000,
            // Shorter than the 75 s of nginx and the 60 s of common load balancers: the side that
            // closes first does not run into the other's close.
            keep_alive: Duration::from_secs(50),
            connect_timeout: Duration::from_secs(5),
            proxy: Proxies::default(),
            allow: Vec::new(),
            allow_private: Vec::new(),
            allow_networks: Vec::new(),
            http2_hosts: Vec::new(),
            breaker: Breaker::default(),
            retry: Retry::default(),
            secret_headers: Vec::new(),
            secret_parameters: Vec::new(),
            secret_values: Vec::new(),
            root_certificates: None,
            client_certificate: None,
            roots: Vec::new(),
        }
    }
}

impl Options {
    /// Returns the policy of the configuration, without the hosts of tables.
    pub fn policy(&self) -> Result<Policy, String> {
        let public = self.allow.iter().map(|text| text.parse::<Grant>());
        let private = self.allow_private.iter().map(|text| text.parse().map(Grant::private));
        Ok(Policy::new(public.chain(private).collect::<Result<_, _>>()?, self.allow_networks.clone()))
    }

    /// Places all relative files below `folder`.
    pub fn files_in(&mut self, folder: &Path) {
        let mut place = |path: &mut PathBuf| *path = folder.join(&*path);
        self.root_certificates.as_mut().map(&mut place);
        if let Some(identity) = &mut self.client_certificate {
            place(&mut identity.certificate);
            place(&mut identity.key);
        }
    }

    /// Returns the names of secrets.
    pub fn secrets(&self) -> Secrets {
        Secrets::with(self.secret_headers.iter().map(String::as_str), self.secret_parameters.iter().map(String::as_str))
            .and_values(&self.secret_values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn from_the_configuration() {
        let options: Options = serde_json::from_str(
            r#"{"maxNestedRequests": 50, "maxResponseLength": 5, "connectTimeout": 7, "proxy": {"*": {"host": "p"}},
                "allow": ["a:*"], "allowPrivate": ["localhost:6000"], "allowNetworks": ["10.0.0.0/8"], "tables": {"x": 1}}"#,
        )
        .unwrap();
        assert_eq!((options.max_response_length, options.connect_timeout), (5, Duration::from_millis(7)));
        assert_eq!(options.connections_per_host, 1000);
        let policy = options.policy().unwrap();
        assert!(policy.check(&"http://10.1.1.1:6000/".parse().unwrap()).is_err());
        assert!(policy.check(&"http://localhost:6000/".parse().unwrap()).is_ok());
        assert!(Options { allow: vec!["a b:c".to_owned()], ..Options::default() }.policy().is_err());
    }
}
