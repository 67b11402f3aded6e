//! The state of an inference as bytes, for another process.

use polywire_core::{Error, ErrorKind, Fault, Result};
use serde::{Deserialize, Serialize};

use super::Inference;
use super::place::Places;

/// Version of the state. It changes with the fields of the places.
const VERSION: u32 = 1;

#[derive(Serialize)]
struct Written<'p> {
    inference: u32,
    samples: u64,
    serial: u64,
    places: &'p Places,
}

#[derive(Deserialize)]
struct Version {
    inference: u32,
}

#[derive(Deserialize)]
struct Read {
    samples: u64,
    serial: u64,
    places: Places,
}

impl Inference {
    /// Returns the state as bytes, for [`Inference::from_bytes`] of the same version: the processes
    /// of a cluster merge what each has seen. Their number grows with the paths and names in the
    /// samples, and not with the samples.
    pub fn to_bytes(&self) -> Vec<u8> {
        let written = Written { inference: VERSION, samples: self.samples, serial: self.position.serial(), places: &self.places };
        // Nothing in it can fail: no key is other than text, and no number is none.
        serde_json::to_vec(&written).unwrap_or_default()
    }

    /// Returns the inference whose state the bytes are.
    ///
    /// # Errors
    /// The bytes are no state, or one of another version.
    pub fn from_bytes(bytes: &[u8]) -> Result<Inference> {
        let wrong = |seen: String| {
            let error = Error::new(ErrorKind::Syntax, Fault::Data).seen(seen).expected("the state of an inference");
            error.hint("all processes need the same version of Polywire")
        };
        let version: Version = serde_json::from_slice(bytes).map_err(|_| wrong("other bytes".to_string()))?;
        if version.inference != VERSION {
            return Err(wrong(format!("a state of version {}, and not {VERSION}", version.inference)));
        }
        let Read { samples, serial, mut places } =
            serde_json::from_slice(bytes).map_err(|error| wrong(format!("a damaged state: {error}")))?;
        if !places.restore() {
            return Err(wrong("a damaged state: places that lead nowhere".to_string()));
        }
        let mut inference = Inference { places, samples, ..Inference::new() };
        inference.position.resume(serial);
        Ok(inference)
    }
}

/// A float as its bits: infinities and NaN have no number in JSON.
pub(crate) mod bits {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<S: Serializer>(float: &f64, to: S) -> Result<S::Ok, S::Error> {
        float.to_bits().serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
        u64::deserialize(from).map(f64::from_bits)
    }
}

/// The unit of a timestamp as its nanoseconds.
pub(crate) mod unit {
    use polywire_core::schema::TimeUnit;
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    const UNITS: [TimeUnit; 4] = [TimeUnit::Second, TimeUnit::Millisecond, TimeUnit::Microsecond, TimeUnit::Nanosecond];

    pub fn serialize<S: Serializer>(unit: &Option<TimeUnit>, to: S) -> Result<S::Ok, S::Error> {
        unit.map(TimeUnit::nanos).serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<TimeUnit>, D::Error> {
        let Some(nanos) = Option::<u32>::deserialize(from)? else { return Ok(None) };
        let unit = UNITS.into_iter().find(|unit| unit.nanos() == nanos);
        unit.map(Some).ok_or_else(|| D::Error::custom("a unit of time that there is not"))
    }
}

#[cfg(test)]
mod tests {
    use polywire_core::schema::mapping;
    use polywire_core::value::Value;

    use super::*;

    fn samples() -> Vec<Value> {
        let record = |fields: &[(&str, Value)]| Value::record(fields.iter().map(|(name, value)| (name.to_string(), value.clone())));
        let wide: Vec<(String, Value)> = (0..20).map(|n| (format!("field{n}"), Value::UInt(n))).collect();
        vec![
            record(&[("id", Value::UInt(1)), ("name", Value::text("Ada")), ("ratio", Value::F64(f64::INFINITY))]),
            record(&[("id", Value::Int(-1)), ("tags", Value::List(vec![Value::text("a"), Value::Null])), ("ratio", Value::F64(0.5))]),
            record(&[("id", Value::UInt(u64::MAX)), ("name", Value::Null), ("inner", Value::record(wide))]),
        ]
    }

    #[test]
    fn states_of_two_processes_make_the_schema_of_one() {
        let mut all = Inference::new();
        let mut merged = Inference::new();
        for sample in samples() {
            all.add(|sink| sample.emit(sink)).unwrap();
            let mut one = Inference::new();
            one.add(|sink| sample.emit(sink)).unwrap();
            merged = merged.merge(Inference::from_bytes(&one.to_bytes()).unwrap());
            merged = Inference::from_bytes(&merged.to_bytes()).unwrap();
        }
        // A state that came back takes samples, too.
        for sample in samples() {
            all.add(|sink| sample.emit(sink)).unwrap();
            merged.add(|sink| sample.emit(sink)).unwrap();
        }
        assert_eq!(merged.samples(), 6);
        assert_eq!(mapping(&merged.finish(None)), mapping(&all.finish(None)));
    }

    #[test]
    fn other_bytes_are_an_error_and_no_panic() {
        let mut inference = Inference::new();
        samples().iter().for_each(|sample| inference.add(|sink| sample.emit(sink)).unwrap());
        let bytes = inference.to_bytes();
        for end in (0..bytes.len()).step_by(7) {
            assert!(Inference::from_bytes(&bytes[..end]).is_err());
        }
        let text = String::from_utf8(bytes).unwrap();
        let newer = text.replace("\"inference\":1", "\"inference\":2");
        assert!(Inference::from_bytes(newer.as_bytes()).unwrap_err().to_string().contains("version 2"));
        for (from, to) in
            [("\"place\":1", "\"place\":1000000"), ("\"place\":2", "\"place\":0"), ("\"place_parents\":[0,", "\"place_parents\":[99999,")]
        {
            assert!(text.contains(from), "{from} in {text}");
            assert!(Inference::from_bytes(text.replace(from, to).as_bytes()).is_err(), "{from} to {to}");
        }
    }
}
