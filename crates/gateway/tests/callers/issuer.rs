//! An issuer of tokens on loopback, whose keys a test changes.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;
use http::{Request, Response};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto::Builder;
use ring::rand::SystemRandom;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, ECDSA_P384_SHA384_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair, RSA_PKCS1_SHA256,
    RSA_PSS_SHA256, RsaKeyPair,
};
use serde_json::{Value, json};
use tokio::net::TcpListener;

/// A key of 2048 bits, made for these tests alone: PKCS #8, DER, base64.
const RSA: &str = include_str!("rsa.txt");

/// A key pair of an algorithm.
pub enum Pair {
    P256(EcdsaKeyPair),
    P384(EcdsaKeyPair),
    Ed(Ed25519KeyPair),
    Rsa(RsaKeyPair),
}

/// A key with a name.
pub struct Signing {
    pub kid: String,
    pub algorithm: &'static str,
    pair: Pair,
}

pub fn encoded(bytes: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

impl Signing {
    /// A new key; RSA has the same one each time.
    pub fn new(kid: &str, algorithm: &'static str) -> Signing {
        let random = SystemRandom::new();
        let ecdsa = |kind| EcdsaKeyPair::from_pkcs8(kind, EcdsaKeyPair::generate_pkcs8(kind, &random).unwrap().as_ref(), &random).unwrap();
        let pair = match algorithm {
            "ES256" => Pair::P256(ecdsa(&ECDSA_P256_SHA256_FIXED_SIGNING)),
            "ES384" => Pair::P384(ecdsa(&ECDSA_P384_SHA384_FIXED_SIGNING)),
            "EdDSA" => Pair::Ed(Ed25519KeyPair::from_pkcs8(Ed25519KeyPair::generate_pkcs8(&random).unwrap().as_ref()).unwrap()),
            _ => {
                let der = base64::engine::general_purpose::STANDARD.decode(RSA.split_whitespace().collect::<String>()).unwrap();
                Pair::Rsa(RsaKeyPair::from_pkcs8(&der).unwrap())
            }
        };
        Signing { kid: kid.to_owned(), algorithm, pair }
    }

    /// The public key as the issuer shows it.
    pub fn jwk(&self) -> Value {
        let mut jwk = match &self.pair {
            Pair::P256(pair) | Pair::P384(pair) => {
                let point = &pair.public_key().as_ref()[1..];
                let (x, y) = point.split_at(point.len() / 2);
                json!({"kty": "EC", "crv": if x.len() == 32 { "P-256" } else { "P-384" }, "x": encoded(x), "y": encoded(y)})
            }
            Pair::Ed(pair) => json!({"kty": "OKP", "crv": "Ed25519", "x": encoded(pair.public_key())}),
            Pair::Rsa(pair) => {
                let public: ring::signature::RsaPublicKeyComponents<Vec<u8>> = pair.public().into();
                json!({"kty": "RSA", "n": encoded(public.n), "e": encoded(public.e)})
            }
        };
        jwk["kid"] = json!(self.kid);
        jwk["use"] = json!("sig");
        jwk
    }

    /// A token with these claims.
    pub fn token(&self, claims: &Value) -> String {
        self.signed(&json!({"alg": self.algorithm, "typ": "JWT", "kid": self.kid}), claims)
    }

    /// A token with any head.
    pub fn signed(&self, head: &Value, claims: &Value) -> String {
        let text = format!("{}.{}", encoded(head.to_string()), encoded(claims.to_string()));
        let random = SystemRandom::new();
        let signature = match &self.pair {
            Pair::P256(pair) | Pair::P384(pair) => pair.sign(&random, text.as_bytes()).unwrap().as_ref().to_vec(),
            Pair::Ed(pair) => pair.sign(text.as_bytes()).as_ref().to_vec(),
            Pair::Rsa(pair) => {
                let mut signature = vec![0; pair.public().modulus_len()];
                let padding: &'static dyn ring::signature::RsaEncoding =
                    if self.algorithm == "PS256" { &RSA_PSS_SHA256 } else { &RSA_PKCS1_SHA256 };
                pair.sign(padding, &random, text.as_bytes(), &mut signature).unwrap();
                signature
            }
        };
        format!("{text}.{}", encoded(signature))
    }
}

/// Claims that are good for a minute.
pub fn claims(changes: Value) -> Value {
    let now = now();
    let mut claims =
        json!({"iss": "https://issuer.example", "aud": "gateway", "sub": "ada", "exp": now + 60, "nbf": now - 1, "scope": "items"});
    for (name, value) in changes.as_object().unwrap() {
        match value {
            Value::Null => drop(claims.as_object_mut().unwrap().remove(name)),
            value => claims[name] = value.clone(),
        }
    }
    claims
}

pub fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs()
}

/// The server with the keys.
pub struct Issuer {
    pub url: String,
    document: Arc<Mutex<Option<Value>>>,
    asked: Arc<AtomicUsize>,
}

impl Issuer {
    pub async fn new(keys: &[&Signing]) -> Issuer {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/jwks.json", listener.local_addr().unwrap());
        let (document, asked) = (Arc::new(Mutex::new(None)), Arc::new(AtomicUsize::new(0)));
        let (shown, counted) = (document.clone(), asked.clone());
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let (shown, counted) = (shown.clone(), counted.clone());
                let service = service_fn(move |_: Request<Incoming>| {
                    counted.fetch_add(1, Ordering::SeqCst);
                    let document: Option<Value> = shown.lock().unwrap().clone();
                    let reply = match document {
                        Some(document) => Response::builder()
                            .header("content-type", "application/json")
                            .body(Full::new(Bytes::from(document.to_string()))),
                        None => Response::builder().status(503).body(Full::default()),
                    };
                    std::future::ready(reply)
                });
                tokio::spawn(async move {
                    let _ = Builder::new(TokioExecutor::new()).serve_connection(TokioIo::new(stream), service).await;
                });
            }
        });
        let issuer = Issuer { url, document, asked };
        issuer.show(keys);
        issuer
    }

    /// Shows other keys from here on.
    pub fn show(&self, keys: &[&Signing]) {
        // A key of a kind that nobody knows is for others.
        let strange = json!({"kty": "LATTICE", "kid": "future"});
        let keys: Vec<Value> = keys.iter().map(|key| key.jwk()).chain([strange]).collect();
        *self.document.lock().unwrap() = Some(json!({"keys": keys}));
    }

    /// Fails from here on.
    pub fn fail(&self) {
        *self.document.lock().unwrap() = None;
    }

    pub fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }
}
