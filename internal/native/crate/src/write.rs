//! Writing: merge-insert, append, update, delete, new columns.

use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchIterator};
use lancedb::table::NewColumnTransform;

use crate::error::{Failure, Kind, Result};
use crate::json_int;
use crate::registry::Table;
use crate::request::Request;

#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MergeStats {
    pub inserted: i64,
    pub updated: i64,
    pub version: i64,
    pub attempts: i64,
}

pub struct Merge {
    pub on: Vec<String>,
    pub update_matched: bool,
    pub insert_unmatched: bool,
    pub rows: RecordBatch,
}

impl Merge {
    pub fn parse(request: &Request, rows: RecordBatch) -> Result<Self> {
        let on = request.texts("on")?;
        if on.is_empty() {
            return Err(Failure::invalid("\"on\" names no key column"));
        }
        for key in &on {
            if rows.column_by_name(key).is_none() {
                let message = format!("the rows have no key column {key}");
                return Err(Failure::new(Kind::Schema, message));
            }
        }
        Ok(Self {
            on,
            update_matched: request.flag("update_matched")?,
            insert_unmatched: request.flag("insert_unmatched")?,
            rows,
        })
    }
}

pub async fn merge_insert(table: Arc<Table>, ask: Merge) -> Result<MergeStats> {
    if !ask.update_matched && !ask.insert_unmatched {
        return Err(Failure::invalid(
            "neither updating nor inserting was asked for",
        ));
    }
    let on: Vec<&str> = ask.on.iter().map(String::as_str).collect();
    let mut merge = table.inner.merge_insert(&on);
    if ask.update_matched {
        merge.when_matched_update_all(None);
    }
    if ask.insert_unmatched {
        merge.when_not_matched_insert_all();
    }
    let schema = ask.rows.schema();
    let rows = RecordBatchIterator::new([Ok(ask.rows)], schema);
    let done = merge.execute(Box::new(rows)).await?;
    Ok(MergeStats {
        inserted: done.num_inserted_rows as i64,
        updated: done.num_updated_rows as i64,
        version: done.version as i64,
        attempts: i64::from(done.num_attempts),
    })
}

pub async fn append(table: Arc<Table>, batches: Vec<RecordBatch>) -> Result<i64> {
    let rows: usize = batches.iter().map(RecordBatch::num_rows).sum();
    if rows == 0 {
        return Ok(0);
    }
    table.inner.add(batches).execute().await?;
    Ok(rows as i64)
}

pub async fn delete(table: Arc<Table>, filter: String) -> Result<i64> {
    if filter.trim().is_empty() {
        return Err(Failure::invalid("a delete needs a filter"));
    }
    json_int::register();
    Ok(table.inner.delete(&filter).await?.num_deleted_rows as i64)
}

/// Sets columns to SQL expressions in the rows passing a filter.
pub async fn update(
    table: Arc<Table>,
    filter: Option<String>,
    columns: Vec<(String, String)>,
) -> Result<i64> {
    let mut update = table.inner.update();
    if let Some(filter) = filter {
        json_int::register();
        update = update.only_if(filter);
    }
    for (column, expression) in columns {
        update = update.column(column, expression);
    }
    Ok(update.execute().await?.rows_updated as i64)
}

/// Adds columns whose values are SQL expressions, in one commit. The rows' other data stay where
/// they are.
pub async fn add_columns(table: Arc<Table>, columns: Vec<(String, String)>) -> Result<()> {
    if columns.is_empty() {
        return Ok(());
    }
    let transform = NewColumnTransform::SqlExpressions(columns);
    table
        .inner
        .add_columns()
        .transform(transform)
        .execute()
        .await?;
    Ok(())
}
