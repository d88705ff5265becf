//! What can go wrong with a model, before it becomes an error of the C surface.

use std::fmt;
use std::path::Path;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// There is no file at the path.
    NotFound(String),
    /// The file cannot be opened or mapped, or a thread cannot be started.
    Io(String),
    /// The file is not what it says it is.
    Corrupt(String),
    /// An argument makes no sense.
    Invalid(String),
    /// The time given for the work has passed.
    Timeout,
    Cancelled,
}

impl Fault {
    pub fn corrupt(what: impl fmt::Display) -> Fault {
        Fault::Corrupt(format!("the file is damaged: {what}; install it again"))
    }

    /// Says which file is damaged.
    pub fn of(self, path: &Path) -> Fault {
        match self {
            Fault::Corrupt(text) => {
                Fault::Corrupt(format!("open the model {}: {text}", path.display()))
            }
            other => other,
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Fault::NotFound(text)
            | Fault::Io(text)
            | Fault::Corrupt(text)
            | Fault::Invalid(text) => text,
            Fault::Timeout => "embed: out of time; send fewer texts or allow more time",
            Fault::Cancelled => "embed: cancelled",
        })
    }
}
