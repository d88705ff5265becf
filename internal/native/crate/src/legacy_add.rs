//! Rows that lancedb-go sends as JSON, made to fit a table's schema.

use std::sync::Arc;

use arrow_array::builder::{BinaryBuilder, BooleanBuilder, LargeStringBuilder, StringBuilder};
use arrow_array::types::{
    ArrowPrimitiveType, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{ArrayRef, FixedSizeListArray, PrimitiveArray, RecordBatch};
use arrow_schema::{DataType, Field, SchemaRef};
use serde_json::Value;

use crate::error::{Failure, Kind, Result};

pub fn batch(schema: &SchemaRef, rows: &Value) -> Result<RecordBatch> {
    let rows = rows
        .as_array()
        .ok_or_else(|| Failure::invalid("the rows are not a JSON list"))?;
    let columns = schema.fields().iter().map(|field| {
        let cells: Vec<Option<&Value>> = rows
            .iter()
            .map(|row| row.get(field.name()).filter(|v| !v.is_null()))
            .collect();
        column(field, &cells)
    });
    let columns = columns.collect::<Result<Vec<_>>>()?;
    Ok(RecordBatch::try_new(schema.clone(), columns)?)
}

fn misfit(field: &Field, value: &Value) -> Failure {
    let message = format!(
        "column {} of type {} cannot hold {value}",
        field.name(),
        field.data_type()
    );
    Failure::new(Kind::Schema, message)
}

/// Each cell read with `read`; a missing one stays NULL.
fn read_all<'a, T>(
    field: &Field,
    cells: &[Option<&'a Value>],
    read: impl Fn(&'a Value) -> Option<T>,
) -> Result<Vec<Option<T>>> {
    cells
        .iter()
        .map(|cell| match cell {
            None => Ok(None),
            Some(value) => read(value).map(Some).ok_or_else(|| misfit(field, value)),
        })
        .collect()
}

fn integers<T>(field: &Field, cells: &[Option<&Value>]) -> Result<ArrayRef>
where
    T: ArrowPrimitiveType,
    T::Native: TryFrom<i64>,
{
    let whole = |value: &Value| {
        let number = value.as_i64().or_else(|| {
            let f = value.as_f64()?;
            (f.fract() == 0.0).then_some(f as i64)
        })?;
        T::Native::try_from(number).ok()
    };
    let values = read_all(field, cells, whole)?;
    Ok(Arc::new(PrimitiveArray::<T>::from_iter(values)))
}

fn column(field: &Field, cells: &[Option<&Value>]) -> Result<ArrayRef> {
    Ok(match field.data_type() {
        DataType::Int8 => integers::<Int8Type>(field, cells)?,
        DataType::Int16 => integers::<Int16Type>(field, cells)?,
        DataType::Int32 => integers::<Int32Type>(field, cells)?,
        DataType::Int64 => integers::<Int64Type>(field, cells)?,
        DataType::UInt8 => integers::<UInt8Type>(field, cells)?,
        DataType::UInt16 => integers::<UInt16Type>(field, cells)?,
        DataType::UInt32 => integers::<UInt32Type>(field, cells)?,
        DataType::UInt64 => integers::<UInt64Type>(field, cells)?,
        DataType::Float32 => {
            let values = read_all(field, cells, |v| v.as_f64().map(|f| f as f32))?;
            Arc::new(PrimitiveArray::<Float32Type>::from_iter(values))
        }
        DataType::Float64 => {
            let values = read_all(field, cells, Value::as_f64)?;
            Arc::new(PrimitiveArray::<Float64Type>::from_iter(values))
        }
        DataType::Boolean => {
            let mut builder = BooleanBuilder::new();
            for value in read_all(field, cells, Value::as_bool)? {
                builder.append_option(value);
            }
            Arc::new(builder.finish())
        }
        DataType::Utf8 => {
            let mut builder = StringBuilder::new();
            for value in read_all(field, cells, Value::as_str)? {
                builder.append_option(value);
            }
            Arc::new(builder.finish())
        }
        DataType::LargeUtf8 => {
            let mut builder = LargeStringBuilder::new();
            for value in read_all(field, cells, Value::as_str)? {
                builder.append_option(value);
            }
            Arc::new(builder.finish())
        }
        DataType::Binary => {
            let mut builder = BinaryBuilder::new();
            for value in read_all(field, cells, bytes)? {
                builder.append_option(value);
            }
            Arc::new(builder.finish())
        }
        DataType::FixedSizeList(item, len) if item.data_type() == &DataType::Float32 => {
            let vectors = read_all(field, cells, |v| vector(v, *len as usize))?;
            Arc::new(FixedSizeListArray::from_iter_primitive::<Float32Type, _, _>(vectors, *len))
        }
        other => {
            let message = format!(
                "column {} of type {other} cannot be filled from JSON",
                field.name()
            );
            return Err(Failure::new(Kind::Unsupported, message));
        }
    })
}

fn bytes(value: &Value) -> Option<Vec<u8>> {
    let byte = |v: &Value| v.as_u64().and_then(|n| u8::try_from(n).ok());
    value.as_array()?.iter().map(byte).collect()
}

fn vector(value: &Value, len: usize) -> Option<Vec<Option<f32>>> {
    let numbers = value.as_array().filter(|numbers| numbers.len() == len)?;
    numbers
        .iter()
        .map(|n| n.as_f64().map(|f| Some(f as f32)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_schema::Schema;
    use serde_json::json;

    #[test]
    fn json_rows_fit_the_schema_or_say_why_not() {
        let item = Arc::new(Field::new("item", DataType::Float32, true));
        let schema: SchemaRef = Arc::new(Schema::new(vec![
            Field::new("id", DataType::Int32, false),
            Field::new("name", DataType::Utf8, true),
            Field::new("v", DataType::FixedSizeList(item, 2), true),
        ]));
        let rows = json!([{"id": 1, "name": "a", "v": [1, 2.5]}, {"id": 2.0}]);
        let batch = batch(&schema, &rows).unwrap();
        assert_eq!(batch.num_rows(), 2);
        assert_eq!(batch.column(2).null_count(), 1);
        for bad in [
            json!([{"id": "x"}]),
            json!([{"id": 1, "v": [1]}]),
            json!([{"id": null}]),
        ] {
            assert!(super::batch(&schema, &bad).is_err(), "{bad}");
        }
    }
}
