//! Unicode 17.0 properties by name, as ranges of code points, for classes in patterns.

use std::sync::LazyLock;

use crate::text::error::PatternError;
use crate::text::script::{Script, loose};
use crate::text::tables::CATEGORIES;
use crate::text::unicode::{category, script};

/// The short and long names of the general categories.
const LONG_NAMES: [(&str, &str); 30] = [
    ("Lu", "uppercaseletter"),
    ("Ll", "lowercaseletter"),
    ("Lt", "titlecaseletter"),
    ("Lm", "modifierletter"),
    ("Lo", "otherletter"),
    ("Mn", "nonspacingmark"),
    ("Mc", "spacingmark"),
    ("Me", "enclosingmark"),
    ("Nd", "decimalnumber"),
    ("Nl", "letternumber"),
    ("No", "othernumber"),
    ("Pc", "connectorpunctuation"),
    ("Pd", "dashpunctuation"),
    ("Ps", "openpunctuation"),
    ("Pe", "closepunctuation"),
    ("Pi", "initialpunctuation"),
    ("Pf", "finalpunctuation"),
    ("Po", "otherpunctuation"),
    ("Sm", "mathsymbol"),
    ("Sc", "currencysymbol"),
    ("Sk", "modifiersymbol"),
    ("So", "othersymbol"),
    ("Zs", "spaceseparator"),
    ("Zl", "lineseparator"),
    ("Zp", "paragraphseparator"),
    ("Cc", "control"),
    ("Cf", "format"),
    ("Cs", "surrogate"),
    ("Co", "privateuse"),
    ("Cn", "unassigned"),
];

/// Names for groups of categories, with the prefixes of the short names they stand for.
const GROUPS: [(&str, &[&str]); 16] = [
    ("l", &["L"]),
    ("letter", &["L"]),
    ("lc", &["Lu", "Ll", "Lt"]),
    ("casedletter", &["Lu", "Ll", "Lt"]),
    ("m", &["M"]),
    ("mark", &["M"]),
    ("combiningmark", &["M"]),
    ("n", &["N"]),
    ("number", &["N"]),
    ("p", &["P"]),
    ("punctuation", &["P"]),
    ("s", &["S"]),
    ("symbol", &["S"]),
    ("z", &["Z"]),
    ("separator", &["Z"]),
    ("c", &["C"]),
];

/// A property that is looked up in our own tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::text) enum Property {
    /// Any of these general categories, one bit each.
    Categories(u32),
    /// This script.
    Script(Script),
    /// The first 128 code points.
    Ascii,
}

impl Property {
    /// Finds the property that `\p{name}` names, and whether the name negates it (`^L`,
    /// `sc!=Greek`). `Ok(None)` means that it is neither a category nor a script and is left to the
    /// regex engine.
    pub(in crate::text) fn find(name: &str) -> Result<Option<(Property, bool)>, PatternError> {
        let (name, mut negated) = match name.trim().strip_prefix('^') {
            Some(rest) => (rest, true),
            None => (name.trim(), false),
        };
        let Some((key, value)) = name.split_once(['=', ':']) else {
            let found = general_category(name);
            let found = found.or_else(|| Script::from_name(name).ok().map(Property::Script));
            return Ok(found.map(|property| (property, negated)));
        };
        let key = match key.strip_suffix('!') {
            Some(key) => {
                negated = !negated;
                key
            }
            None => key,
        };
        let found = match loose(key).as_str() {
            "gc" | "generalcategory" => general_category(value),
            "sc" | "script" => Some(Property::Script(Script::from_name(value)?)),
            _ => None,
        };
        Ok(found.map(|property| (property, negated)))
    }

    /// Decimal numbers, the meaning of `\d`.
    pub(in crate::text) fn decimal() -> Property {
        Property::Categories(categories("nd").unwrap_or_default())
    }

    /// The inclusive ranges of code points that have this property, without surrogates.
    pub(in crate::text) fn ranges(self) -> Vec<(char, char)> {
        let has = |run: &Run| match self {
            Property::Categories(bits) => bits >> run.category & 1 != 0,
            Property::Script(wanted) => run.script == wanted.index(),
            Property::Ascii => false,
        };
        if self == Property::Ascii {
            return vec![('\0', '\x7F')];
        }
        let mut ranges: Vec<(char, char)> = Vec::new();
        let mut last_had = false;
        for run in RUNS.iter() {
            let had = has(run);
            match ranges.last_mut() {
                Some(range) if had && last_had => range.1 = run.last,
                _ if had => ranges.push((run.first, run.last)),
                _ => {}
            }
            last_had = had;
        }
        ranges
    }
}

/// Code points in a row with the same category and script.
struct Run {
    first: char,
    last: char,
    category: u8,
    script: u8,
}

/// All code points. Patterns often have dozens of properties, and looking up every code point for each of
/// them would take a tenth of a second.
static RUNS: LazyLock<Vec<Run>> = LazyLock::new(|| {
    let mut runs: Vec<Run> = Vec::new();
    for c in '\0'..=char::MAX {
        let (category, script) = (category(c as u32), script(c as u32));
        match runs.last_mut() {
            Some(run) if (run.category, run.script) == (category, script) => run.last = c,
            _ => runs.push(Run {
                first: c,
                last: c,
                category,
                script,
            }),
        }
    }
    runs
});

/// The property that a value of `General_Category` names. As in most regex engines, `Any` and `ASCII`
/// count as values.
fn general_category(name: &str) -> Option<Property> {
    match loose(name).as_str() {
        "ascii" => Some(Property::Ascii),
        name => categories(name).map(Property::Categories),
    }
}

/// The categories of a normalised name, one bit each.
fn categories(name: &str) -> Option<u32> {
    let bits = |wanted: &dyn Fn(&str) -> bool| {
        let matching = (0..CATEGORIES.len()).filter(|&i| wanted(CATEGORIES[i]));
        matching.fold(0, |bits, i| bits | 1 << i)
    };
    match name {
        "any" => return Some(bits(&|_| true)),
        "assigned" => return Some(bits(&|short| short != "Cn")),
        _ => {}
    }
    // Two more aliases that are not in the list above.
    let name = match name {
        "other" => "c",
        "l&" => "lc",
        other => other,
    };
    if let Some((_, starts)) = GROUPS.iter().find(|(group, _)| *group == name) {
        return Some(bits(&|short| {
            starts.iter().any(|start| short.starts_with(start))
        }));
    }
    let short = LONG_NAMES
        .iter()
        .find(|(short, long)| *long == name || short.eq_ignore_ascii_case(name))
        .map(|(short, _)| *short)
        // More aliases from Unicode's list.
        .or(match name {
            "digit" => Some("Nd"),
            "cntrl" => Some("Cc"),
            _ => None,
        })?;
    Some(bits(&|candidate| candidate == short))
}
