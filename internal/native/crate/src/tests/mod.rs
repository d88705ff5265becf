//! Tests over several modules: a table on disk, and both C surfaces.

mod search;
mod surface;
mod table;

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use arrow_array::builder::{FixedSizeListBuilder, Float32Builder};
use arrow_array::{ArrayRef, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema, SchemaRef};

use crate::error::Result;
use crate::registry::{Database, Table};
use crate::runtime::{Call, wait};
use crate::storage::Location;
use crate::write;

/// Tests that count what is given out run one at a time.
pub fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(|e| e.into_inner())
}

/// A directory that disappears with the test.
pub struct Dir(PathBuf);

impl Dir {
    pub fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let name = format!(
            "mlp-native-{}-{}",
            std::process::id(),
            NEXT.fetch_add(1, Ordering::Relaxed)
        );
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub fn uri(&self) -> String {
        self.0.to_str().unwrap().to_string()
    }

    pub fn location(&self) -> Location {
        Location::new(&self.uri(), Default::default()).unwrap()
    }
}

impl Drop for Dir {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

pub fn schema() -> SchemaRef {
    let item = Arc::new(Field::new("item", DataType::Float32, true));
    Arc::new(Schema::new(vec![
        Field::new("id", DataType::Utf8, false),
        Field::new("text", DataType::Utf8, true),
        Field::new("metadata", DataType::Utf8, true),
        Field::new("vector", DataType::FixedSizeList(item, 2), true),
    ]))
}

/// id, text, metadata, vector.
pub type Row<'a> = (&'a str, &'a str, &'a str, Option<[f32; 2]>);

pub fn batch(rows: &[Row]) -> RecordBatch {
    let mut vectors = FixedSizeListBuilder::new(Float32Builder::new(), 2);
    for row in rows {
        match row.3 {
            Some(v) => {
                vectors.values().append_slice(&v);
                vectors.append(true);
            }
            None => {
                vectors.values().append_nulls(2);
                vectors.append(false);
            }
        }
    }
    let text = |read: fn(&Row) -> String| -> ArrayRef {
        Arc::new(rows.iter().map(|r| Some(read(r))).collect::<StringArray>())
    };
    let columns = vec![
        text(|r| r.0.to_string()),
        text(|r| r.1.to_string()),
        text(|r| r.2.to_string()),
        Arc::new(vectors.finish()),
    ];
    RecordBatch::try_new(schema(), columns).unwrap()
}

pub fn run<T: Send + 'static>(work: impl Future<Output = Result<T>> + Send + 'static) -> Result<T> {
    wait(Call::default(), work)
}

/// A new table "t" holding `rows`.
pub fn table(dir: &Dir, rows: &[Row]) -> Arc<Table> {
    let location = dir.location();
    let table = run(async move {
        Database::connect(location)
            .await?
            .create("t", schema())
            .await
    });
    let table = table.unwrap();
    add(&table, rows);
    table
}

pub fn add(table: &Arc<Table>, rows: &[Row]) {
    let rows = batch(rows);
    run(write::append(table.clone(), vec![rows])).unwrap();
}

/// The texts of a column.
pub fn texts(batch: &RecordBatch, column: &str) -> Vec<String> {
    let column = batch.column_by_name(column).unwrap();
    let column = column.as_any().downcast_ref::<StringArray>().unwrap();
    column.iter().map(|t| t.unwrap_or("").to_string()).collect()
}
