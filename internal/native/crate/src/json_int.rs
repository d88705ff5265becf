//! `mlp_json_int(text, key)`: the integer under a top-level key of a JSON object
//! in a text column, NULL if there is none. It makes conditions on such members
//! part of the query itself, so a search's limit counts only rows that pass.
//!
//! SQL alone cannot do this exactly: a pattern finds the key in nested objects
//! and inside strings too.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, Int64Array, StringArray};
use arrow_schema::DataType;
use lance_datafusion::exec::{LanceExecutionOptions, get_session_context};
use lancedb::datafusion::error::DataFusionError;
use lancedb::datafusion::logical_expr::{ColumnarValue, ScalarUDF, Volatility, create_udf};
use lancedb::datafusion::scalar::ScalarValue;
use memchr::memmem::Finder;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;

const NAME: &str = "mlp_json_int";

/// Makes the function known to Lance's filter planner. Lance keeps its planning
/// context in a cache and may replace it, so this is asked before each filter.
pub fn register() {
    let context = get_session_context(&LanceExecutionOptions::default());
    let known = context
        .state_ref()
        .read()
        .scalar_functions()
        .contains_key(NAME);
    if !known {
        context.register_udf(function());
    }
}

fn function() -> ScalarUDF {
    create_udf(
        NAME,
        vec![DataType::Utf8, DataType::Utf8],
        DataType::Int64,
        Volatility::Immutable,
        Arc::new(evaluate),
    )
}

fn evaluate(args: &[ColumnarValue]) -> Result<ColumnarValue, DataFusionError> {
    let [texts, key] = args else {
        return Err(DataFusionError::Plan(format!(
            "{NAME} takes a column and a key"
        )));
    };
    let ColumnarValue::Scalar(ScalarValue::Utf8(Some(key))) = key else {
        return Err(DataFusionError::Plan(format!(
            "the key of {NAME} must be a constant"
        )));
    };
    match texts {
        ColumnarValue::Array(array) => {
            let column = array
                .as_any()
                .downcast_ref::<StringArray>()
                .ok_or_else(|| DataFusionError::Plan(format!("{NAME} takes a text column")))?;
            Ok(ColumnarValue::Array(extract(column, key)))
        }
        ColumnarValue::Scalar(ScalarValue::Utf8(text)) => {
            let number = text.as_deref().and_then(|t| member(t, key));
            Ok(ColumnarValue::Scalar(ScalarValue::Int64(number)))
        }
        ColumnarValue::Scalar(_) => Err(DataFusionError::Plan(format!("{NAME} takes text"))),
    }
}

fn extract(column: &StringArray, key: &str) -> ArrayRef {
    // A key that JSON writes with escapes could be spelled in several ways; only
    // plain ones are looked for first, which spares parsing most rows.
    let plain = key
        .chars()
        .all(|c| c.is_ascii_graphic() && c != '"' && c != '\\');
    let needle = format!("\"{key}\"");
    let spelled = Finder::new(&needle);
    let escaped = Finder::new("\\u");
    let mentions = |text: &str| {
        let text = text.as_bytes();
        !plain || spelled.find(text).is_some() || escaped.find(text).is_some()
    };
    let numbers: Int64Array = column
        .iter()
        .map(|text| text.filter(|t| mentions(t)).and_then(|t| member(t, key)))
        .collect();
    Arc::new(numbers)
}

/// Whole numbers only; one written with a fraction of zero counts as whole.
fn member(text: &str, key: &str) -> Option<i64> {
    let mut json = serde_json::Deserializer::from_str(text);
    let found = json.deserialize_map(Members(key)).ok()?;
    json.end().ok()?;
    let number = found?;
    number.as_i64().or_else(|| {
        let f = number.as_f64()?;
        // 2^53: beyond it a float no longer names one whole number.
        (f.fract() == 0.0 && f.abs() <= 9_007_199_254_740_992.0).then_some(f as i64)
    })
}

/// Reads an object for one member's value and skips the others unbuilt.
struct Members<'a>(&'a str);

impl<'de> Visitor<'de> for Members<'_> {
    type Value = Option<Value>;

    fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut found = None;
        while let Some(wanted) = map.next_key_seed(IsKey(self.0))? {
            if wanted {
                found = Some(map.next_value()?);
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(found)
    }
}

/// Compares a member's name without keeping it.
struct IsKey<'a>(&'a str);

impl<'de> DeserializeSeed<'de> for IsKey<'_> {
    type Value = bool;

    fn deserialize<D: Deserializer<'de>>(self, name: D) -> Result<bool, D::Error> {
        name.deserialize_str(self)
    }
}

impl Visitor<'_> for IsKey<'_> {
    type Value = bool;

    fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str("a name")
    }

    fn visit_str<E>(self, name: &str) -> Result<bool, E> {
        Ok(name == self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_top_level_whole_numbers_count() {
        let cases = [
            (r#"{"until":5}"#, Some(5)),
            (r#"{"until" :  -5 }"#, Some(-5)),
            (
                r#"{"a":"x","until":1800000000000}"#,
                Some(1_800_000_000_000),
            ),
            (r#"{"until":5.0}"#, Some(5)),
            (r#"{"until":5.5}"#, None),
            (r#"{"until":null}"#, None),
            (r#"{"until":"5"}"#, None),
            (r#"{"a":{"until":5}}"#, None),
            (r#"{"a":"\"until\":5"}"#, None),
            (r#"{"a":"{\"until\":5}","until":7}"#, Some(7)),
            (r#"{"\u0075ntil":9}"#, Some(9)),
            (r#"{"until":1,"until":2}"#, Some(2)),
            (r#"{"until":5} x"#, None),
            (r#"{"until":5"#, None),
            (r#"["until",5]"#, None),
            ("", None),
        ];
        let column = StringArray::from(cases.map(|c| c.0).to_vec());
        let got = extract(&column, "until");
        let want: Int64Array = cases.iter().map(|c| c.1).collect();
        assert_eq!(got.as_any().downcast_ref::<Int64Array>().unwrap(), &want);
    }
}
