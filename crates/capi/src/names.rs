//! The tables of `psyc/variable.h` and `psyc/text.h`, made from those of `polywire-psyc`. Each text
//! has a NUL after it.

use polywire_psyc::method::Method;
use polywire_psyc::variable::{Routing, Type};

use crate::matching::PsycMapInt;
use crate::pointer::PsycString;

/// Methods that have a number, the unknown one included: `PSYC_METHODS_NUM`.
pub const METHODS: usize = 34;

/// Texts in rows of one length, each with a NUL after it.
struct Texts<const ROWS: usize, const LENGTH: usize>([[u8; LENGTH]; ROWS], [usize; ROWS]);

impl<const ROWS: usize, const LENGTH: usize> Texts<ROWS, LENGTH> {
    const EMPTY: Self = Texts([[0; LENGTH]; ROWS], [0; ROWS]);

    const fn with(mut self, row: usize, text: &str) -> Self {
        assert!(text.len() < LENGTH);
        let (to, _) = self.0[row].split_at_mut(text.len());
        to.copy_from_slice(text.as_bytes());
        self.1[row] = text.len();
        self
    }

    const fn get(&'static self, row: usize) -> PsycString {
        PsycString::new(self.0[row].split_at(self.1[row]).0)
    }
}

const NONE: PsycMapInt = PsycMapInt { key: PsycString::EMPTY, value: 0 };

static RVAR_NAMES: Texts<10, 24> = {
    let (mut texts, mut n) = (Texts::EMPTY, 0);
    while n < Routing::ALL.len() {
        texts = texts.with(n, Routing::ALL[n].name());
        n += 1;
    }
    texts
};

#[unsafe(no_mangle)]
static psyc_rvars: [PsycMapInt; 10] = {
    let (mut table, mut n) = ([NONE; 10], 0);
    while n < table.len() {
        table[n] = PsycMapInt { key: RVAR_NAMES.get(n), value: Routing::ALL[n].number() as isize };
        n += 1;
    }
    table
};

#[unsafe(no_mangle)]
static psyc_rvars_num: usize = psyc_rvars.len();

static TYPE_NAMES: Texts<14, 16> = {
    let (mut texts, mut n) = (Texts::EMPTY, 0);
    while n < Type::ALL.len() {
        texts = match Type::ALL[n].keyword() {
            Some(keyword) => texts.with(n, keyword),
            None => panic!("all of these have keywords"),
        };
        n += 1;
    }
    texts
};

#[unsafe(no_mangle)]
static psyc_var_types: [PsycMapInt; 14] = {
    let (mut table, mut n) = ([NONE; 14], 0);
    while n < table.len() {
        table[n] = PsycMapInt { key: TYPE_NAMES.get(n), value: Type::ALL[n].number() as isize };
        n += 1;
    }
    table
};

#[unsafe(no_mangle)]
static psyc_var_types_num: usize = psyc_var_types.len();

/// Returns the method in a row of `psyc_methods`. The order is descending, so that longer names
/// come before those they inherit from.
const fn method(row: usize) -> Method {
    match Method::from_number((METHODS - 1 - row) as u8) {
        Some(method) => method,
        None => panic!("the numbers have no gap"),
    }
}

static METHOD_NAMES: Texts<{ METHODS - 1 }, 32> = {
    let (mut texts, mut n) = (Texts::EMPTY, 0);
    while n < METHODS - 1 {
        texts = texts.with(n, method(n).name());
        n += 1;
    }
    texts
};

#[unsafe(no_mangle)]
static psyc_methods: [PsycMapInt; METHODS - 1] = {
    let (mut table, mut n) = ([NONE; METHODS - 1], 0);
    while n < table.len() {
        table[n] = PsycMapInt { key: METHOD_NAMES.get(n), value: method(n).number() as isize };
        n += 1;
    }
    table
};

#[unsafe(no_mangle)]
static psyc_methods_num: usize = psyc_methods.len();

static TEMPLATE_TEXTS: Texts<METHODS, 64> = {
    let (mut texts, mut n) = (Texts::EMPTY, 0);
    while n < METHODS - 1 {
        texts = texts.with(method(n).number() as usize, method(n).template());
        n += 1;
    }
    texts
};

/// The default templates, by the numbers of the methods.
#[unsafe(no_mangle)]
pub static psyc_templates: [PsycString; METHODS] = {
    let (mut table, mut n) = ([PsycString::EMPTY; METHODS], 0);
    while n < METHODS {
        table[n] = TEMPLATE_TEXTS.get(n);
        n += 1;
    }
    table
};
