//! Whole files: imports, options of the file, and what stands at top level.

use std::collections::HashMap;

use super::super::features::{Features, REQUIRED};
use super::super::unit::{Syntax, Unit};
use super::{Check, number};

/// Number of `FileOptions.optimize_for`, and of its value `LITE_RUNTIME`.
const OPTIMIZE_FOR: u32 = 9;
const LITE: u64 = 3;

pub(super) fn is_lite(unit: &Unit) -> bool {
    unit.file.options.as_ref().and_then(|options| number(&options.others, OPTIMIZE_FOR)) == Some(LITE)
}

impl Check<'_, '_> {
    /// Checks the file.
    pub fn file(&mut self) {
        let unit = self.unit;
        self.imports();
        if unit.syntax.is_edition() {
            if Features::of_file(unit).presence == REQUIRED {
                self.wrong(&[8], &[50, 1], "required presence of all fields of a file", "set it at the fields that need it");
            }
            if unit.file.options.as_ref().is_some_and(|options| number(&options.others, 27) == Some(1)) {
                let hint = "use the feature `(pb.java).utf8_validation`";
                self.wrong(&[8, 27], &[], "the option `java_string_check_utf8`, which editions do not have", hint);
            }
        }
        self.package_style();
        for (at, message) in (0..).zip(&unit.file.message_type) {
            self.message(message, unit.package(), &[4, at]);
        }
        for (at, declared) in (0..).zip(&unit.file.enum_type) {
            self.enumeration(declared, &[5, at]);
        }
        for (at, extension) in (0..).zip(&unit.file.extension) {
            self.extension(extension, unit.package(), &[7, at]);
        }
        for (at, service) in (0..).zip(&unit.file.service) {
            let generic = |option| unit.file.options.as_ref().is_some_and(|options| number(&options.others, option) == Some(1));
            if is_lite(unit) && (generic(16) || generic(17)) {
                let hint = "set `cc_generic_services` and `java_generic_services` to false";
                self.wrong(&[6, at, 1], &[], "a service in a file that is optimized for the lite runtime", hint);
            }
            self.service_style(service, at);
        }
    }

    fn imports(&mut self) {
        let unit = self.unit;
        let mut seen: HashMap<&str, [i32; 2]> = HashMap::new();
        let lists = [(3, &unit.file.dependency), (15, &unit.file.option_dependency)];
        for (path, import) in lists.iter().flat_map(|(field, list)| (0..).zip(*list).map(|(at, import)| ([*field, at], import))) {
            if let Some(first) = seen.insert(import, path) {
                self.clash(&path, &first, "first imported here", format!("{import} is imported twice"), "remove one of the imports");
            }
        }
        if is_lite(unit) {
            return;
        }
        let units = self.schema.units;
        let lite = (0..).zip(&unit.imports).find(|(_, import)| units.get(**import as usize).is_some_and(is_lite));
        if let Some((at, _)) = lite {
            let message = format!("{} is optimized for the lite runtime, and this file is not", unit.file.dependency[at as usize]);
            self.wrong(&[3, at], &[], message, "only files with `optimize_for = LITE_RUNTIME` can import such files");
        }
    }

    pub(super) fn is_proto3(&self) -> bool {
        self.unit.syntax == Syntax::Proto3
    }
}
