//! What to do about each [`CorpusError`].

use super::CorpusError;

impl CorpusError {
    /// What to do next, if there is something to suggest.
    pub fn hint(&self) -> Option<String> {
        let skip = "or skip such documents with `on_error=\"skip\"`";
        Some(match self {
            CorpusError::NotFound { .. } => {
                "check the name; a pattern such as docs/*.jsonl must match at least one file".into()
            }
            CorpusError::PermissionDenied { .. } => "make the file readable for this user".into(),
            CorpusError::IsDirectory { .. } => {
                "name the files in it, for example DIR/*.jsonl".into()
            }
            CorpusError::Device { source_name } => format!(
                "give a file, or pipe a limited part of it: head -c 1G {source_name} | superword ..."
            ),
            CorpusError::Open { .. } | CorpusError::Earlier { .. } => return None,
            CorpusError::Read { .. } => format!("check the disk or the network drive, {skip}"),
            CorpusError::NoThread { .. } => {
                "use fewer `threads`, or raise the limits on processes and memory (ulimit)".into()
            }
            CorpusError::Damaged {
                compressed_offset: 0,
                compression,
                ..
            } => format!(
                "the file may not be {} data at all; rename it or create it again",
                compression.name()
            ),
            CorpusError::Rows { .. }
            | CorpusError::Damaged { .. }
            | CorpusError::Truncated { .. } => {
                "create or download the file again, or use only what comes before the damage \
                 with `on_error=\"skip\"`"
                    .into()
            }
            CorpusError::ForeignEncoding { encoding, .. } => format!(
                "convert it to UTF-8 first: iconv -f {} -t utf-8 OLD > NEW",
                encoding.to_lowercase()
            ),
            CorpusError::JsonArray { .. } => {
                "write one JSON object per line, for example with: jq -c '.[]' OLD > NEW.jsonl"
                    .into()
            }
            CorpusError::NotJson { .. } | CorpusError::NotObject { .. } => format!(
                "each line must be one JSON object; read other text with `format=\"text\"`, {skip}"
            ),
            CorpusError::FieldMissing { .. } => {
                format!("name the field that holds the text with `text_field`, {skip}")
            }
            CorpusError::FieldNotString { .. } => {
                format!("choose another field with `text_field`, {skip}")
            }
            CorpusError::LoneSurrogate { .. } => format!("write the text as valid UTF-8, {skip}"),
            CorpusError::InvalidUtf8 { .. } => format!("convert the file to UTF-8, {skip}"),
            CorpusError::Empty {
                first_skip: Some(error),
                ..
            } => {
                format!("every document was skipped; the first one because of: {error}")
            }
            CorpusError::Empty { .. } => "give files that hold text".into(),
            CorpusError::ZeroWeights => "give at least one group a weight above 0".into(),
            CorpusError::StdinTwice { .. } => "give - only once".into(),
            CorpusError::UnsupportedFile { instead, .. } => (*instead).into(),
            CorpusError::SampleTooSmall { smallest, .. } => {
                format!("use a sample of at least {smallest} bytes")
            }
            CorpusError::DocumentTooLarge { .. } => "divide the document".into(),
            CorpusError::OnceOnly { .. } => "write it to a file first".into(),
            CorpusError::Spool { .. } => {
                "free some disk space, or set TMPDIR to a directory on a larger disk".into()
            }
        })
    }
}

/// Where a document is.
pub(crate) fn place(source_name: &str, line: Option<u64>) -> String {
    match line {
        Some(line) => format!("{source_name}:{line}"),
        None => source_name.into(),
    }
}

/// The fields of an object, in words.
pub(super) fn list_fields(fields: &[String], more: usize) -> String {
    if fields.is_empty() {
        return "the object is empty".into();
    }
    let names = fields
        .iter()
        .map(|name| format!("{name:?}"))
        .collect::<Vec<_>>()
        .join(", ");
    if more == 0 {
        format!("the fields are {names}")
    } else {
        format!("the fields are {names} and {more} more")
    }
}

/// The inputs that were read, in words.
pub(super) fn list_sources(sources: &[String], count: usize) -> String {
    match (sources.len(), count) {
        (_, 0) => "an empty list of files".into(),
        (shown, count) if shown < count => {
            format!("{} and {} more", sources.join(", "), count - shown)
        }
        _ => sources.join(", "),
    }
}
