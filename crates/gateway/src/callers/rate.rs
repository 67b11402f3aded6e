//! A rate: requests that a caller may make in a time.

use std::num::NonZeroU32;

use serde::Deserialize;

/// A rate: requests in a time, spread evenly.
#[derive(Debug, Clone, Copy, Deserialize, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Rate {
    /// Requests within `seconds`.
    pub requests: NonZeroU32,
    /// The time.
    #[serde(default = "one")]
    pub seconds: NonZeroU32,
    /// Requests that may come at once; as many as `requests` unless set.
    pub burst: Option<NonZeroU32>,
}

fn one() -> NonZeroU32 {
    NonZeroU32::MIN
}

impl Rate {
    /// Returns the most requests at once.
    pub fn most(&self) -> NonZeroU32 {
        self.burst.unwrap_or(self.requests)
    }

    /// Returns the microseconds of one request.
    pub fn interval(&self) -> u64 {
        (u64::from(self.seconds.get()) * 1_000_000 / u64::from(self.requests.get())).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates() {
        let rate: Rate = serde_json::from_str(r#"{"requests": 100, "seconds": 60}"#).unwrap();
        assert_eq!((rate.most().get(), rate.interval()), (100, 600_000));
        assert!(serde_json::from_str::<Rate>(r#"{"requests": 0}"#).is_err());
    }
}
