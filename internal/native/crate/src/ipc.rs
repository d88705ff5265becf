//! Arrow IPC in both directions.

use std::io::Cursor;

use arrow_array::RecordBatch;
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_ipc::writer::{FileWriter, StreamWriter};
use arrow_schema::{Schema, SchemaRef};
use arrow_select::concat::concat_batches;

use crate::error::{Failure, Result};

/// One batch as a stream; an empty one leaves only the schema.
pub fn to_stream(batch: &RecordBatch) -> Result<Vec<u8>> {
    let mut writer = StreamWriter::try_new(Vec::new(), &batch.schema())?;
    if batch.num_rows() > 0 {
        writer.write(batch)?;
    }
    writer.finish()?;
    Ok(writer.into_inner()?)
}

/// All batches of a stream as one.
pub fn from_stream(bytes: Vec<u8>) -> Result<RecordBatch> {
    let reader = StreamReader::try_new(Cursor::new(bytes), None)?;
    let schema = reader.schema();
    let batches = reader.collect::<std::result::Result<Vec<_>, _>>()?;
    Ok(concat_batches(&schema, &batches)?)
}

/// The schema and batches of an IPC file, the form lancedb-go sends.
pub fn from_file(bytes: Vec<u8>) -> Result<(SchemaRef, Vec<RecordBatch>)> {
    let reader = FileReader::try_new(Cursor::new(bytes), None)?;
    let schema = reader.schema();
    let batches = reader.collect::<std::result::Result<Vec<_>, _>>()?;
    Ok((schema, batches))
}

/// A schema as an IPC file without batches.
pub fn schema_file(schema: &Schema) -> Result<Vec<u8>> {
    let mut writer = FileWriter::try_new(Vec::new(), schema)?;
    writer.finish()?;
    Ok(writer.into_inner()?)
}

/// The single batch that `batches` make together.
pub fn concat(schema: &SchemaRef, batches: &[RecordBatch]) -> Result<RecordBatch> {
    concat_batches(schema, batches).map_err(Failure::from)
}
