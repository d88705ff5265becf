//! Failures: a kind that Go turns into a typed error, and a message for people.

use std::error::Error as StdError;

use arrow_schema::ArrowError;
use lancedb::datafusion::error::DataFusionError;

/// The values of `mlp_kind` in include/mlp.h.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Kind {
    Other = 1,
    Invalid = 2,
    NotFound = 3,
    Exists = 4,
    Schema = 5,
    Io = 6,
    Corrupt = 7,
    Conflict = 8,
    Timeout = 9,
    Cancelled = 10,
    Closed = 11,
    Unsupported = 12,
    Panic = 13,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    pub kind: Kind,
    pub message: String,
}

pub type Result<T> = std::result::Result<T, Failure>;

impl Failure {
    pub fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
        }
    }

    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(Kind::Invalid, message)
    }

    fn from_error(error: &(dyn StdError + 'static)) -> Self {
        let message = without_locations(&error.to_string());
        let kind = kind_of(error, &message);
        Self { kind, message }
    }
}

impl From<lancedb::Error> for Failure {
    fn from(error: lancedb::Error) -> Self {
        Self::from_error(&error)
    }
}

impl From<lance::Error> for Failure {
    fn from(error: lance::Error) -> Self {
        Self::from_error(&error)
    }
}

impl From<ArrowError> for Failure {
    fn from(error: ArrowError) -> Self {
        Self::from_error(&error)
    }
}

/// What Lance says of a file it could read but not understand, where it calls
/// that an I/O error.
const TORN: &[&str] = &["does not have sufficient data", "failed to decode Protobuf"];

/// The first cause in the chain that says what sort of failure it is.
fn kind_of(error: &(dyn StdError + 'static), message: &str) -> Kind {
    let mut current = Some(error);
    while let Some(error) = current {
        let kind = if let Some(e) = error.downcast_ref::<lancedb::Error>() {
            lancedb_kind(e)
        } else if let Some(e) = error.downcast_ref::<lance::Error>() {
            lance_kind(e)
        } else if let Some(e) = error.downcast_ref::<DataFusionError>() {
            match e {
                DataFusionError::Plan(_)
                | DataFusionError::SchemaError(..)
                | DataFusionError::SQL(..) => Kind::Invalid,
                _ => Kind::Other,
            }
        } else if error.is::<std::io::Error>() {
            Kind::Io
        } else if let Some(e) = error.downcast_ref::<ArrowError>() {
            match e {
                ArrowError::SchemaError(_) | ArrowError::CastError(_) => Kind::Schema,
                ArrowError::IpcError(_) | ArrowError::ParseError(_) => Kind::Invalid,
                ArrowError::InvalidArgumentError(_) => Kind::Invalid,
                ArrowError::IoError(..) => Kind::Io,
                _ => Kind::Other,
            }
        } else {
            Kind::Other
        };
        if kind == Kind::Io && TORN.iter().any(|words| message.contains(words)) {
            return Kind::Corrupt;
        }
        if kind != Kind::Other {
            return kind;
        }
        current = error.source();
    }
    // Index creation reports an existing name only in words.
    if message.contains("already exists") {
        return Kind::Exists;
    }
    Kind::Other
}

fn lancedb_kind(error: &lancedb::Error) -> Kind {
    use lancedb::Error as E;
    match error {
        E::InvalidTableName { .. } | E::InvalidInput { .. } | E::InvalidExpression { .. } => {
            Kind::Invalid
        }
        E::TableNotFound { .. }
        | E::DatabaseNotFound { .. }
        | E::IndexNotFound { .. }
        | E::ColumnNotFound { .. } => Kind::NotFound,
        E::TableAlreadyExists { .. }
        | E::DatabaseAlreadyExists { .. }
        | E::ColumnAlreadyExists { .. } => Kind::Exists,
        E::TableCorrupted { .. } => Kind::Corrupt,
        E::Schema { .. } => Kind::Schema,
        E::CreateDir { .. } | E::ObjectStore { .. } => Kind::Io,
        E::Timeout { .. } => Kind::Timeout,
        E::NotSupported { .. } => Kind::Unsupported,
        _ => Kind::Other,
    }
}

fn lance_kind(error: &lance::Error) -> Kind {
    use lance::Error as E;
    match error {
        E::InvalidInput { .. } => Kind::Invalid,
        E::DatasetNotFound { .. } | E::NotFound { .. } | E::IndexNotFound { .. } => Kind::NotFound,
        E::DatasetAlreadyExists { .. } => Kind::Exists,
        E::SchemaMismatch { .. } | E::Schema { .. } => Kind::Schema,
        E::CorruptFile { .. } => Kind::Corrupt,
        E::CommitConflict { .. }
        | E::RetryableCommitConflict { .. }
        | E::TooMuchWriteContention { .. }
        | E::IncompatibleTransaction { .. } => Kind::Conflict,
        E::IO { .. } => Kind::Io,
        E::NotSupported { .. } => Kind::Unsupported,
        E::Timeout { .. } => Kind::Timeout,
        _ => Kind::Other,
    }
}

/// Lance ends its messages with the source line they come from, which says
/// nothing to people and differs between builds.
fn without_locations(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(".rs:") {
        let start = rest[..at].rfind(", ").unwrap_or(at);
        let tail = &rest[at + 4..];
        let end = tail
            .find(|c: char| !c.is_ascii_digit() && c != ':')
            .unwrap_or(tail.len());
        clean.push_str(&rest[..start]);
        rest = &tail[end..];
    }
    clean.push_str(rest);
    clean
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn source_lines_are_cut_out_of_messages() {
        let cases = [
            ("plain text", "plain text"),
            (
                "lance error: Not found: x, deps/lance-1/src/io.rs:12:34",
                "lance error: Not found: x",
            ),
            ("a, src/b.rs:1:2: because c, src/d.rs:3:4", "a because c"),
        ];
        for (given, want) in cases {
            assert_eq!(without_locations(given), want);
        }
    }

    #[test]
    fn the_cause_decides_the_kind() {
        let io = lance::Error::io("disk full".to_string());
        assert_eq!(Failure::from(io).kind, Kind::Io);
        let missing = lancedb::Error::IndexNotFound { name: "x".into() };
        assert_eq!(Failure::from(missing).kind, Kind::NotFound);
    }
}
