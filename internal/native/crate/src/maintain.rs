//! Keeping a table small and its indexes complete.

use std::sync::Arc;

use lancedb::table::{CompactionOptions, Duration, OptimizeAction, OptimizeOptions};

use crate::error::Result;
use crate::registry::Table;
use crate::request::Request;

#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OptimizeStats {
    pub fragments_removed: i64,
    pub fragments_added: i64,
    pub bytes_removed: i64,
    pub versions_removed: i64,
}

pub struct Optimize {
    pub compact: bool,
    pub target_rows: Option<u64>,
    pub fold_indexes: bool,
    pub prune_older_than_ms: Option<u64>,
}

impl Optimize {
    pub fn parse(request: &Request) -> Result<Self> {
        Ok(Self {
            compact: request.flag("compact")?,
            target_rows: request.number("target_rows")?,
            fold_indexes: request.flag("fold_indexes")?,
            prune_older_than_ms: request.number("prune_older_than_ms")?,
        })
    }
}

/// Compacts, then folds, then prunes: each step leaves old versions to the next.
pub async fn optimize(table: Arc<Table>, ask: Optimize) -> Result<OptimizeStats> {
    let mut stats = OptimizeStats::default();
    if ask.compact {
        let mut options = CompactionOptions::default();
        if let Some(rows) = ask.target_rows {
            options.target_rows_per_fragment = rows as usize;
        }
        let action = OptimizeAction::Compact {
            options,
            remap_options: None,
        };
        if let Some(done) = table.inner.optimize(action).await?.compaction {
            stats.fragments_removed = done.fragments_removed as i64;
            stats.fragments_added = done.fragments_added as i64;
        }
    }
    if ask.fold_indexes {
        let action = OptimizeAction::Index(OptimizeOptions::default());
        table.inner.optimize(action).await?;
    }
    if let Some(ms) = ask.prune_older_than_ms {
        let action = OptimizeAction::Prune {
            older_than: Some(Duration::milliseconds(
                i64::try_from(ms).unwrap_or(i64::MAX),
            )),
            // Younger files may belong to another process's write in progress.
            delete_unverified: Some(false),
            error_if_tagged_old_versions: Some(false),
        };
        if let Some(done) = table.inner.optimize(action).await?.prune {
            stats.bytes_removed = done.bytes_removed as i64;
            stats.versions_removed = done.old_versions as i64;
        }
    }
    Ok(stats)
}

pub async fn version(table: Arc<Table>) -> Result<i64> {
    Ok(table.inner.version().await? as i64)
}

pub async fn checkout_latest(table: Arc<Table>) -> Result<()> {
    Ok(table.inner.checkout_latest().await?)
}
