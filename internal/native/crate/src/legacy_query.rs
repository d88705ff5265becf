//! lancedb-go's Select: one JSON object that is a scan, a vector search or a
//! text search.

use std::sync::Arc;

use arrow_array::RecordBatch;
use lancedb::DistanceType;
use serde_json::Value;

use crate::error::{Failure, Result};
use crate::query::{self, Common, Match, Nearest, Scan};
use crate::registry::Table;

pub enum Select {
    Scan(Scan),
    Nearest(Nearest),
    Match(Match),
}

pub fn parse(text: &str) -> Result<Select> {
    let config: Value = serde_json::from_str(text)
        .map_err(|e| Failure::invalid(format!("the query is not JSON: {e}")))?;
    let whole = |key: &str| -> Result<Option<usize>> {
        match config.get(key).and_then(Value::as_i64) {
            None => Ok(None),
            Some(n) => usize::try_from(n)
                .map(Some)
                .map_err(|_| Failure::invalid(format!("{key} is negative"))),
        }
    };
    let columns = config.get("columns").and_then(Value::as_array);
    let mut common = Common {
        filter: config
            .get("where")
            .and_then(Value::as_str)
            .filter(|w| !w.is_empty())
            .map(str::to_string),
        columns: columns
            .into_iter()
            .flatten()
            .filter_map(|c| c.as_str().map(str::to_string))
            .collect(),
        limit: whole("limit")?,
        offset: whole("offset")?,
        row_id: false,
    };
    let name = |object: &Value, key: &str| -> Result<String> {
        let text = object.get(key).and_then(Value::as_str);
        text.map(str::to_string)
            .ok_or_else(|| Failure::invalid(format!("the query has no {key}")))
    };
    if let Some(search) = config.get("vector_search").filter(|s| !s.is_null()) {
        let k = search.get("k").and_then(Value::as_u64).unwrap_or(10) as usize;
        common.limit = Some(common.limit.map_or(k, |limit| limit.min(k)));
        let numbers = search.get("vector").and_then(Value::as_array);
        let vector: Vec<f32> = numbers
            .into_iter()
            .flatten()
            .filter_map(|n| n.as_f64().map(|f| f as f32))
            .collect();
        return Ok(Select::Nearest(Nearest {
            column: name(search, "column")?,
            metric: DistanceType::L2,
            bypass_index: false,
            common,
            vector,
        }));
    }
    if let Some(search) = config.get("fts_search").filter(|s| !s.is_null()) {
        common.limit = common.limit.or(Some(100));
        return Ok(Select::Match(Match {
            column: name(search, "column")?,
            text: name(search, "query")?,
            common,
        }));
    }
    Ok(Select::Scan(Scan {
        common,
        order: Vec::new(),
    }))
}

pub async fn run(table: Arc<Table>, select: Select) -> Result<RecordBatch> {
    match select {
        Select::Scan(ask) => query::scan(table, ask).await,
        Select::Nearest(ask) => query::nearest(table, ask).await,
        Select::Match(ask) => query::matching(table, ask).await,
    }
}
