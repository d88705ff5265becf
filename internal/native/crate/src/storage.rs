//! Where a database lies: one spelling of its location and of its options, so
//! that both surfaces find the same entry of the registry.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::error::{Failure, Kind, Result};

#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Location {
    pub uri: String,
    pub options: BTreeMap<String, String>,
}

impl Location {
    /// A local path is made absolute and loses its options, which mean nothing
    /// there. (A relative one that begins with "db" would pass for a cloud URI.)
    pub fn new(uri: &str, options: BTreeMap<String, String>) -> Result<Self> {
        if uri.is_empty() {
            return Err(Failure::invalid("the location of the database is empty"));
        }
        if uri.contains("://") {
            return Ok(Self {
                uri: uri.trim_end_matches('/').to_string(),
                options,
            });
        }
        let path = std::path::absolute(uri)
            .map_err(|e| Failure::new(Kind::Io, format!("resolving {uri}: {e}")))?;
        let text = path
            .to_str()
            .ok_or_else(|| Failure::invalid("the location is not UTF-8"))?;
        let trimmed = text.trim_end_matches('/');
        Ok(Self {
            uri: if trimmed.is_empty() { "/" } else { trimmed }.to_string(),
            options: BTreeMap::new(),
        })
    }
}

/// The flat options in a request of ours.
pub fn flat_options(value: Option<&Value>) -> Result<BTreeMap<String, String>> {
    let Some(value) = value.filter(|v| !v.is_null()) else {
        return Ok(BTreeMap::new());
    };
    let object = value
        .as_object()
        .ok_or_else(|| Failure::invalid("storage_options is not an object"))?;
    object
        .iter()
        .map(|(key, value)| match value.as_str() {
            Some(text) => Ok((key.clone(), text.to_string())),
            None => Err(Failure::invalid(format!(
                "storage option {key} is not a string"
            ))),
        })
        .collect()
}

/// The nested options that lancedb-go sends, flattened to object-store keys.
/// Options that steer no object store (block sizes, local files) are dropped.
pub fn nested_options(json: &str) -> Result<BTreeMap<String, String>> {
    let value: Value = serde_json::from_str(json)
        .map_err(|e| Failure::invalid(format!("storage options: {e}")))?;
    let mut flat = BTreeMap::new();
    let empty = Map::new();
    let top = value.as_object().unwrap_or(&empty);
    for (ours, theirs) in [
        ("allow_http", "allow_http"),
        ("user_agent", "user_agent"),
        ("max_retries", "client_max_retries"),
        ("pool_max_idle_per_host", "pool_max_idle_per_host"),
    ] {
        if let Some(text) = top.get(ours).and_then(scalar) {
            flat.insert(theirs.to_string(), text);
        }
    }
    for key in ["timeout", "connect_timeout", "pool_idle_timeout"] {
        if let Some(seconds) = top.get(key).and_then(Value::as_i64) {
            flat.insert(key.to_string(), format!("{seconds}s"));
        }
    }
    if let Some(s3) = top.get("s3_config").and_then(Value::as_object) {
        for (ours, theirs) in [
            ("access_key_id", "aws_access_key_id"),
            ("secret_access_key", "aws_secret_access_key"),
            ("session_token", "aws_session_token"),
            ("region", "aws_region"),
            ("endpoint", "aws_endpoint"),
            ("anonymous_access", "aws_skip_signature"),
            ("server_side_encrypt", "aws_server_side_encryption"),
            ("sse_kms_key_id", "aws_sse_kms_key_id"),
        ] {
            if let Some(text) = s3.get(ours).and_then(scalar) {
                flat.insert(theirs.to_string(), text);
            }
        }
        if let Some(path_style) = s3.get("force_path_style").and_then(Value::as_bool) {
            let virtual_hosted = (!path_style).to_string();
            flat.insert("aws_virtual_hosted_style_request".into(), virtual_hosted);
        }
        if s3.get("use_ssl").and_then(Value::as_bool) == Some(false) {
            flat.insert("allow_http".into(), "true".into());
        }
    }
    Ok(flat)
}

fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Bool(_) | Value::Number(_) => Some(value.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_spellings_of_s3_options_meet() {
        let nested = r#"{"allow_http":true,"s3_config":{"access_key_id":"a","region":"r"}}"#;
        let flat =
            serde_json::json!({"allow_http":"true","aws_access_key_id":"a","aws_region":"r"});
        assert_eq!(
            nested_options(nested).unwrap(),
            flat_options(Some(&flat)).unwrap()
        );
    }

    #[test]
    fn local_paths_have_one_spelling() {
        let a = Location::new("/tmp/x/", BTreeMap::new()).unwrap();
        let b = Location::new("/tmp/./x", BTreeMap::from([("k".into(), "v".into())])).unwrap();
        assert_eq!(a, b);
        assert!(
            Location::new("db", BTreeMap::new())
                .unwrap()
                .uri
                .starts_with('/')
        );
    }
}
