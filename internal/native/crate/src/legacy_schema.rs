//! Schemas in lancedb-go's JSON: {"fields": [{"name", "type", "nullable"}]}.

use std::sync::Arc;

use arrow_schema::{DataType, Field, Schema, SchemaRef, TimeUnit};
use serde_json::{Value, json};

use crate::error::{Failure, Result};

const PLAIN: &[(&str, DataType)] = &[
    ("int8", DataType::Int8),
    ("int16", DataType::Int16),
    ("int32", DataType::Int32),
    ("int64", DataType::Int64),
    ("uint8", DataType::UInt8),
    ("uint16", DataType::UInt16),
    ("uint32", DataType::UInt32),
    ("uint64", DataType::UInt64),
    ("float16", DataType::Float16),
    ("float32", DataType::Float32),
    ("float64", DataType::Float64),
    ("string", DataType::Utf8),
    ("large_string", DataType::LargeUtf8),
    ("binary", DataType::Binary),
    ("boolean", DataType::Boolean),
    ("timestamp[s]", DataType::Timestamp(TimeUnit::Second, None)),
    (
        "timestamp[ms]",
        DataType::Timestamp(TimeUnit::Millisecond, None),
    ),
    (
        "timestamp[us]",
        DataType::Timestamp(TimeUnit::Microsecond, None),
    ),
    (
        "timestamp[ns]",
        DataType::Timestamp(TimeUnit::Nanosecond, None),
    ),
];

fn type_name(data_type: &DataType) -> String {
    if let DataType::FixedSizeList(item, len) = data_type {
        return format!("fixed_size_list[{};{len}]", type_name(item.data_type()));
    }
    if let Some((name, _)) = PLAIN.iter().find(|(_, t)| t == data_type) {
        return name.to_string();
    }
    data_type.to_string().to_lowercase()
}

fn type_of(name: &str) -> Result<DataType> {
    if let Some((_, data_type)) = PLAIN.iter().find(|(n, _)| *n == name) {
        return Ok(data_type.clone());
    }
    let list = name
        .strip_prefix("fixed_size_list[")
        .and_then(|rest| rest.strip_suffix(']'))
        .and_then(|inner| inner.split_once(';'));
    if let Some((item, len)) = list {
        let len: i32 = len
            .trim()
            .parse()
            .map_err(|_| Failure::invalid(format!("type {name} has no length")))?;
        let item = Field::new("item", type_of(item.trim())?, true);
        return Ok(DataType::FixedSizeList(Arc::new(item), len));
    }
    Err(Failure::invalid(format!("type {name} is not known")))
}

pub fn to_json(schema: &Schema) -> Value {
    let fields: Vec<Value> = schema
        .fields()
        .iter()
        .map(|f| {
            let kind = type_name(f.data_type());
            json!({"name": f.name(), "type": kind, "nullable": f.is_nullable()})
        })
        .collect();
    json!({"fields": fields})
}

pub fn from_json(text: &str) -> Result<SchemaRef> {
    let value: Value = serde_json::from_str(text)
        .map_err(|e| Failure::invalid(format!("the schema is not JSON: {e}")))?;
    let fields = value
        .get("fields")
        .and_then(Value::as_array)
        .ok_or_else(|| Failure::invalid("the schema has no fields"))?;
    let fields = fields.iter().map(|field| {
        let text = |key: &str| {
            let text = field.get(key).and_then(Value::as_str);
            text.ok_or_else(|| Failure::invalid(format!("a field has no {key}")))
        };
        let nullable = field.get("nullable").and_then(Value::as_bool);
        Ok(Field::new(
            text("name")?,
            type_of(text("type")?)?,
            nullable.unwrap_or(true),
        ))
    });
    Ok(Arc::new(Schema::new(fields.collect::<Result<Vec<_>>>()?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schemas_survive_json() {
        let text = r#"{"fields":[{"name":"id","type":"string","nullable":false},
            {"name":"v","type":"fixed_size_list[float32;4]","nullable":true}]}"#;
        let schema = from_json(text).unwrap();
        let again = from_json(&to_json(&schema).to_string()).unwrap();
        assert_eq!(schema, again);
        assert!(
            from_json(r#"{"fields":[{"name":"a","type":"fixed_size_list[float32;x]"}]}"#).is_err()
        );
    }
}
