//! Reading: nearest vectors, matching texts, filtered scans, counts.

use std::cmp::Ordering;
use std::sync::Arc;

use arrow_array::{Array, Float32Array, RecordBatch, UInt32Array};
use arrow_select::take::take_record_batch;
use futures::TryStreamExt;
use lancedb::DistanceType;
use lancedb::index::scalar::{FtsQuery, FullTextSearchQuery, MatchQuery, Operator};
use lancedb::query::{ColumnOrdering, ExecutableQuery, QueryBase, Select};

use crate::error::{Failure, Result};
use crate::ipc;
use crate::json_int;
use crate::registry::Table;
use crate::request::Request;

const DISTANCE: &str = "_distance";
const SCORE: &str = "_score";

/// What every read may carry.
#[derive(Default)]
pub struct Common {
    pub filter: Option<String>,
    pub columns: Vec<String>,
    pub limit: Option<usize>,
    pub offset: Option<usize>,
    pub row_id: bool,
}

impl Common {
    pub fn parse(request: &Request) -> Result<Self> {
        Ok(Self {
            filter: request.text("filter")?.map(str::to_string),
            columns: request.texts("columns")?,
            limit: request.number("limit")?.map(|n| n as usize),
            offset: request.number("offset")?.map(|n| n as usize),
            row_id: request.flag("row_id")?,
        })
    }

    fn apply<Q: QueryBase>(&self, mut query: Q) -> Q {
        if let Some(filter) = &self.filter {
            json_int::register();
            query = query.only_if(filter);
        }
        if !self.columns.is_empty() {
            query = query.select(Select::columns(&self.columns));
        }
        if let Some(limit) = self.limit {
            query = query.limit(limit);
        }
        if let Some(offset) = self.offset {
            query = query.offset(offset);
        }
        if self.row_id {
            query = query.with_row_id();
        }
        query
    }
}

pub fn metric(name: &str) -> Result<DistanceType> {
    match name {
        "cosine" => Ok(DistanceType::Cosine),
        "l2" => Ok(DistanceType::L2),
        "dot" => Ok(DistanceType::Dot),
        other => Err(Failure::invalid(format!(
            "metric {other} is not cosine, l2 or dot"
        ))),
    }
}

pub struct Nearest {
    pub common: Common,
    pub column: String,
    pub metric: DistanceType,
    pub bypass_index: bool,
    pub vector: Vec<f32>,
}

impl Nearest {
    pub fn parse(request: &Request, vector: Vec<f32>) -> Result<Self> {
        Ok(Self {
            common: Common::parse(request)?,
            column: request.required_text("column")?.to_string(),
            metric: metric(request.text("metric")?.unwrap_or("cosine"))?,
            bypass_index: request.flag("bypass_index")?,
            vector,
        })
    }
}

pub async fn nearest(table: Arc<Table>, ask: Nearest) -> Result<RecordBatch> {
    let query = table
        .inner
        .query()
        .nearest_to(ask.vector)?
        .column(&ask.column)
        .distance_type(ask.metric);
    let mut query = ask.common.apply(query);
    if ask.bypass_index {
        query = query.bypass_vector_index();
    }
    ordered(collect(&query).await?, DISTANCE, |a, b| a.total_cmp(&b))
}

pub struct Match {
    pub common: Common,
    pub column: String,
    pub text: String,
}

impl Match {
    pub fn parse(request: &Request) -> Result<Self> {
        Ok(Self {
            common: Common::parse(request)?,
            column: request.required_text("column")?.to_string(),
            text: request.required_text("text")?.to_string(),
        })
    }
}

pub async fn matching(table: Arc<Table>, ask: Match) -> Result<RecordBatch> {
    let terms = MatchQuery::new(ask.text)
        .with_column(Some(ask.column))
        .with_operator(Operator::Or);
    let search = FullTextSearchQuery::new_query(FtsQuery::Match(terms));
    let query = ask
        .common
        .apply(table.inner.query().full_text_search(search));
    // Indexed and unindexed rows come from two plans, and taking the columns
    // afterwards may reorder them.
    ordered(collect(&query).await?, SCORE, |a, b| b.total_cmp(&a))
}

pub struct Scan {
    pub common: Common,
    pub order: Vec<ColumnOrdering>,
}

impl Scan {
    pub fn parse(request: &Request) -> Result<Self> {
        let mut order = Vec::new();
        if let Some(keys) = request.get("order_by") {
            let keys = keys
                .as_array()
                .ok_or_else(|| Failure::invalid("\"order_by\" must be a list"))?;
            for key in keys {
                let column = key.get("column").and_then(|c| c.as_str());
                let flag = |name| key.get(name).and_then(|v| v.as_bool()).unwrap_or(false);
                order.push(ColumnOrdering {
                    column_name: column
                        .ok_or_else(|| Failure::invalid("a sort key names no column"))?
                        .to_string(),
                    ascending: !flag("descending"),
                    nulls_first: flag("nulls_first"),
                });
            }
        }
        Ok(Self {
            common: Common::parse(request)?,
            order,
        })
    }
}

pub async fn scan(table: Arc<Table>, ask: Scan) -> Result<RecordBatch> {
    let Scan { mut common, order } = ask;
    if order.is_empty() {
        return collect(&common.apply(table.inner.query())).await;
    }
    // Lance cannot sort by a column it does not return, so those are fetched
    // too and cut off afterwards; they come last.
    let asked = common.columns.len();
    if asked > 0 {
        for key in &order {
            if !common.columns.contains(&key.column_name) {
                common.columns.push(key.column_name.clone());
            }
        }
    }
    let extra = common.columns.len() - asked;
    let query = common.apply(table.inner.query()).order_by(Some(order));
    let batch = collect(&query).await?;
    if asked == 0 || extra == 0 {
        return Ok(batch);
    }
    let cut: Vec<&String> = common.columns[asked..].iter().collect();
    let schema = batch.schema();
    let kept: Vec<usize> = (0..schema.fields().len())
        .filter(|i| !cut.contains(&schema.field(*i).name()))
        .collect();
    Ok(batch.project(&kept)?)
}

pub async fn count(table: Arc<Table>, filter: Option<String>) -> Result<i64> {
    if filter.is_some() {
        json_int::register();
    }
    Ok(table.inner.count_rows(filter).await? as i64)
}

async fn collect(query: &impl ExecutableQuery) -> Result<RecordBatch> {
    let stream = query.execute().await?;
    let schema = stream.schema();
    let batches: Vec<RecordBatch> = stream.try_collect().await?;
    ipc::concat(&schema, &batches)
}

/// The batch sorted by a float column; equal rows keep their order.
fn ordered(
    batch: RecordBatch,
    column: &str,
    compare: impl Fn(f32, f32) -> Ordering,
) -> Result<RecordBatch> {
    let keys = batch
        .column_by_name(column)
        .and_then(|c| c.as_any().downcast_ref::<Float32Array>());
    let Some(keys) = keys else {
        return Ok(batch);
    };
    let values = keys.values();
    let in_order = |pair: &[f32]| compare(pair[0], pair[1]) != Ordering::Greater;
    if keys.null_count() == 0 && values.windows(2).all(in_order) {
        return Ok(batch);
    }
    let mut rows: Vec<u32> = (0..batch.num_rows() as u32)
        .filter(|row| keys.is_valid(*row as usize))
        .collect();
    rows.sort_by(|a, b| compare(values[*a as usize], values[*b as usize]));
    Ok(take_record_batch(&batch, &UInt32Array::from(rows))?)
}
