//! Creating, listing and dropping indexes.

use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use lancedb::DistanceType;
use lancedb::index::Index;
use lancedb::index::scalar::{
    BTreeIndexBuilder, BitmapIndexBuilder, FtsIndexBuilder, LabelListIndexBuilder,
};
use lancedb::index::vector::{
    IvfFlatIndexBuilder, IvfHnswFlatIndexBuilder, IvfHnswPqIndexBuilder, IvfHnswSqIndexBuilder,
    IvfPqIndexBuilder, IvfSqIndexBuilder,
};

use crate::error::{Failure, Kind, Result};
use crate::query;
use crate::registry::Table;
use crate::request::Request;

pub struct Create {
    pub column: String,
    pub name: Option<String>,
    pub replace: bool,
    pub index: Index,
}

impl Create {
    pub fn parse(request: &Request) -> Result<Self> {
        Ok(Self {
            column: request.required_text("column")?.to_string(),
            name: request.text("name")?.map(str::to_string),
            replace: request.flag("replace")?,
            index: parse_index(request.required_text("type")?, request)?,
        })
    }
}

/// A vector index builder with the parameters all of them share.
macro_rules! vector_index {
    ($builder:ident, $metric:expr, $partitions:expr) => {{
        let builder = $builder::default().distance_type($metric);
        match $partitions {
            Some(n) => builder.num_partitions(n),
            None => builder,
        }
    }};
}

fn parse_index(kind: &str, request: &Request) -> Result<Index> {
    let metric = match request.text("metric")? {
        Some(name) => query::metric(name)?,
        None => DistanceType::Cosine,
    };
    let partitions = match request.number("partitions")? {
        None => None,
        Some(n) => Some(u32::try_from(n).map_err(|_| Failure::invalid("too many partitions"))?),
    };
    Ok(match kind {
        "btree" => Index::BTree(BTreeIndexBuilder::default()),
        "bitmap" => Index::Bitmap(BitmapIndexBuilder::default()),
        "label_list" => Index::LabelList(LabelListIndexBuilder::default()),
        "fts" => Index::FTS(text_index(request)?),
        "vector" => Index::Auto,
        "ivf_flat" => Index::IvfFlat(vector_index!(IvfFlatIndexBuilder, metric, partitions)),
        "ivf_sq" => Index::IvfSq(vector_index!(IvfSqIndexBuilder, metric, partitions)),
        "ivf_pq" => Index::IvfPq(vector_index!(IvfPqIndexBuilder, metric, partitions)),
        "ivf_hnsw_sq" | "hnsw_sq" => {
            Index::IvfHnswSq(vector_index!(IvfHnswSqIndexBuilder, metric, partitions))
        }
        "ivf_hnsw_pq" | "hnsw_pq" => {
            Index::IvfHnswPq(vector_index!(IvfHnswPqIndexBuilder, metric, partitions))
        }
        "ivf_hnsw_flat" => {
            Index::IvfHnswFlat(vector_index!(IvfHnswFlatIndexBuilder, metric, partitions))
        }
        other => return Err(Failure::invalid(format!("index type {other} is not known"))),
    })
}

/// Stop words are kept and positions left out unless asked for: short memories
/// lose too much to the one and gain nothing from the other.
fn text_index(request: &Request) -> Result<FtsIndexBuilder> {
    let flag = |key: &str, default: bool| match request.get(key) {
        None => Ok(default),
        Some(_) => request.flag(key),
    };
    let language = request.text("language")?.unwrap_or("English");
    let params = FtsIndexBuilder::default()
        .base_tokenizer(request.text("tokenizer")?.unwrap_or("icu").to_string())
        .language(language)
        .map_err(|_| Failure::invalid(format!("language {language} has no stemmer")))?
        .lower_case(flag("lower_case", true)?)
        .stem(flag("stem", true)?)
        .ascii_folding(flag("ascii_folding", true)?)
        .remove_stop_words(flag("remove_stop_words", false)?)
        .with_position(flag("with_position", false)?);
    // Building the tokenizer now names a wrong option before any work is done.
    params
        .build()
        .map_err(|e| Failure::new(Kind::Invalid, Failure::from(e).message))?;
    Ok(params)
}

pub async fn create(table: Arc<Table>, ask: Create) -> Result<()> {
    let mut builder = table
        .inner
        .create_index(&[ask.column], ask.index)
        .replace(ask.replace);
    if let Some(name) = ask.name {
        builder = builder.name(name);
    }
    Ok(builder.execute().await?)
}

pub async fn drop_index(table: Arc<Table>, name: String) -> Result<()> {
    Ok(table.inner.drop_index(&name).await?)
}

/// All indexes as the rows that include/mlp.h describes.
pub async fn list(table: Arc<Table>) -> Result<RecordBatch> {
    let all = table.inner.list_indices().await?;
    let texts = |read: &dyn Fn(&lancedb::index::IndexConfig) -> String| -> ArrayRef {
        Arc::new(all.iter().map(|i| Some(read(i))).collect::<StringArray>())
    };
    let numbers = |read: &dyn Fn(&lancedb::index::IndexConfig) -> u64| -> ArrayRef {
        Arc::new(
            all.iter()
                .map(|i| Some(read(i) as i64))
                .collect::<Int64Array>(),
        )
    };
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("name", texts(&|i| i.name.clone())),
        (
            "column",
            texts(&|i| i.columns.first().cloned().unwrap_or_default()),
        ),
        ("type", texts(&|i| i.index_type.to_string())),
        (
            "details",
            texts(&|i| i.index_details.clone().unwrap_or_default()),
        ),
        (
            "indexed_rows",
            numbers(&|i| i.num_indexed_rows.unwrap_or(0)),
        ),
        (
            "unindexed_rows",
            numbers(&|i| i.num_unindexed_rows.unwrap_or(0)),
        ),
        (
            "parts",
            numbers(&|i| u64::from(i.num_segments.unwrap_or(0))),
        ),
    ];
    Ok(RecordBatch::try_from_iter(columns)?)
}

#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IndexStats {
    pub indexed_rows: i64,
    pub unindexed_rows: i64,
    pub parts: i64,
}

pub async fn stats(table: Arc<Table>, name: String) -> Result<IndexStats> {
    let stats = table.inner.index_stats(&name).await?;
    let stats = stats.ok_or_else(|| {
        let message = format!("table {} has no index {name}", table.name);
        Failure::new(Kind::NotFound, message)
    })?;
    Ok(IndexStats {
        indexed_rows: stats.num_indexed_rows as i64,
        unindexed_rows: stats.num_unindexed_rows as i64,
        parts: i64::from(stats.num_indices.unwrap_or(0)),
    })
}
