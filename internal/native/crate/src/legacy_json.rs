//! Rows as JSON, the form lancedb-go's Select returns, and its updates.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type,
    Int64Type, TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType,
    TimestampSecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, RecordBatch};
use arrow_schema::{DataType, TimeUnit};
use serde_json::{Map, Number, Value};

use crate::error::{Failure, Kind, Result};

pub fn rows(batch: &RecordBatch) -> Result<Vec<Value>> {
    let schema = batch.schema();
    let mut rows = vec![Map::new(); batch.num_rows()];
    for (field, column) in schema.fields().iter().zip(batch.columns()) {
        for (row, cell) in rows.iter_mut().zip(cells(column.as_ref())?) {
            row.insert(field.name().clone(), cell);
        }
    }
    Ok(rows.into_iter().map(Value::Object).collect())
}

fn cells(column: &dyn Array) -> Result<Vec<Value>> {
    (0..column.len()).map(|i| cell(column, i)).collect()
}

fn integer<T: ArrowPrimitiveType>(column: &dyn Array, i: usize) -> Value
where
    T::Native: Into<Number>,
{
    Value::Number(column.as_primitive::<T>().value(i).into())
}

/// JSON has no NaN and no infinity.
fn float(value: f64) -> Value {
    Number::from_f64(value).map_or(Value::Null, Value::Number)
}

fn cell(column: &dyn Array, i: usize) -> Result<Value> {
    if column.is_null(i) {
        return Ok(Value::Null);
    }
    Ok(match column.data_type() {
        DataType::Null => Value::Null,
        DataType::Boolean => Value::Bool(column.as_boolean().value(i)),
        DataType::Int8 => integer::<Int8Type>(column, i),
        DataType::Int16 => integer::<Int16Type>(column, i),
        DataType::Int32 => integer::<Int32Type>(column, i),
        DataType::Int64 => integer::<Int64Type>(column, i),
        DataType::UInt8 => integer::<UInt8Type>(column, i),
        DataType::UInt16 => integer::<UInt16Type>(column, i),
        DataType::UInt32 => integer::<UInt32Type>(column, i),
        DataType::UInt64 => integer::<UInt64Type>(column, i),
        DataType::Float16 => float(column.as_primitive::<Float16Type>().value(i).to_f64()),
        DataType::Float32 => float(f64::from(column.as_primitive::<Float32Type>().value(i))),
        DataType::Float64 => float(column.as_primitive::<Float64Type>().value(i)),
        DataType::Utf8 => Value::from(column.as_string::<i32>().value(i)),
        DataType::LargeUtf8 => Value::from(column.as_string::<i64>().value(i)),
        DataType::Binary => Value::from(column.as_binary::<i32>().value(i)),
        DataType::LargeBinary => Value::from(column.as_binary::<i64>().value(i)),
        DataType::Timestamp(TimeUnit::Second, _) => integer::<TimestampSecondType>(column, i),
        DataType::Timestamp(TimeUnit::Millisecond, _) => {
            integer::<TimestampMillisecondType>(column, i)
        }
        DataType::Timestamp(TimeUnit::Microsecond, _) => {
            integer::<TimestampMicrosecondType>(column, i)
        }
        DataType::Timestamp(TimeUnit::Nanosecond, _) => {
            integer::<TimestampNanosecondType>(column, i)
        }
        DataType::FixedSizeList(..) => cells(&column.as_fixed_size_list().value(i))?.into(),
        DataType::List(_) => cells(&column.as_list::<i32>().value(i))?.into(),
        DataType::LargeList(_) => cells(&column.as_list::<i64>().value(i))?.into(),
        other => {
            let message = format!("a column of type {other} cannot be written as JSON");
            return Err(Failure::new(Kind::Unsupported, message));
        }
    })
}

/// The columns and SQL values of an update; its values are literals, not SQL.
pub fn assignments(text: &str) -> Result<Vec<(String, String)>> {
    match serde_json::from_str(text) {
        Ok(Value::Object(updates)) if !updates.is_empty() => updates
            .into_iter()
            .map(|(column, value)| Ok((column, literal(&value)?)))
            .collect(),
        _ => Err(Failure::invalid(
            "the updates are not a JSON object with columns",
        )),
    }
}

fn literal(value: &Value) -> Result<String> {
    Ok(match value {
        Value::Null => "NULL".into(),
        Value::Bool(_) | Value::Number(_) => value.to_string(),
        Value::String(text) => format!("'{}'", text.replace('\'', "''")),
        Value::Array(items) => {
            let items = items.iter().map(literal).collect::<Result<Vec<_>>>()?;
            format!("[{}]", items.join(", "))
        }
        Value::Object(_) => return Err(Failure::invalid("a column cannot be set to an object")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn updates_are_literals() {
        let got = assignments(r#"{"a":"it's","b":null,"c":1.5,"d":[1,2]}"#).unwrap();
        let got: Vec<_> = got.iter().map(|(c, v)| (c.as_str(), v.as_str())).collect();
        assert_eq!(
            got,
            [
                ("a", "'it''s'"),
                ("b", "NULL"),
                ("c", "1.5"),
                ("d", "[1, 2]")
            ]
        );
        assert!(assignments("{}").is_err());
    }
}
