//! Libraries of YAML.

use polywire_core::Result;
use saphyr::{LoadableYamlNode, Yaml, YamlEmitter};

use crate::library::{Library, failed, text};

/// serde_yaml's `Value`: the most used one, which its author keeps no longer.
#[derive(Default)]
pub(crate) struct SerdeYaml;

impl Library for SerdeYaml {
    const NAME: &'static str = "serde_yaml";
    const FORMAT: &'static str = "yaml";
    const ABOUT: &'static str = "from_slice to Value, to_writer";
    const WRITES: bool = true;
    type Tree<'m> = serde_yaml::Value;

    fn read(&mut self, message: &[u8]) -> Result<serde_yaml::Value> {
        serde_yaml::from_slice(message).map_err(failed)
    }

    fn write(&mut self, tree: &serde_yaml::Value, out: &mut Vec<u8>) -> Result<()> {
        serde_yaml::to_writer(out, tree).map_err(failed)
    }
}

/// saphyr's `Yaml`, which borrows. Its parser is ours too.
#[derive(Default)]
pub(crate) struct Saphyr;

impl Library for Saphyr {
    const NAME: &'static str = "saphyr";
    const FORMAT: &'static str = "yaml";
    const ABOUT: &'static str = "Yaml::load_from_str, YamlEmitter::dump";
    const WRITES: bool = true;
    type Tree<'m> = Vec<Yaml<'m>>;

    fn read<'m>(&mut self, message: &'m [u8]) -> Result<Vec<Yaml<'m>>> {
        Yaml::load_from_str(text(message)?).map_err(failed)
    }

    fn write(&mut self, tree: &Vec<Yaml<'_>>, out: &mut Vec<u8>) -> Result<()> {
        let mut yaml = String::new();
        for document in tree {
            YamlEmitter::new(&mut yaml).dump(document).map_err(failed)?;
        }
        out.extend_from_slice(yaml.as_bytes());
        Ok(())
    }
}
