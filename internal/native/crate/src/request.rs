//! The small JSON objects that carry a call's parameters.

use std::time::Duration;

use serde_json::{Map, Value};

use crate::error::{Failure, Result};

pub struct Request(Map<String, Value>);

impl Request {
    pub fn parse(text: &str) -> Result<Self> {
        match serde_json::from_str(text) {
            Ok(Value::Object(fields)) => Ok(Self(fields)),
            Ok(_) => Err(Failure::invalid("the request is not a JSON object")),
            Err(e) => Err(Failure::invalid(format!("the request is not JSON: {e}"))),
        }
    }

    /// A field, with JSON null counted as missing.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.0.get(key).filter(|v| !v.is_null())
    }

    fn typed<'a, T>(
        &'a self,
        key: &str,
        want: &str,
        read: impl FnOnce(&'a Value) -> Option<T>,
    ) -> Result<Option<T>> {
        match self.get(key) {
            None => Ok(None),
            Some(value) => read(value)
                .map(Some)
                .ok_or_else(|| Failure::invalid(format!("\"{key}\" must be {want}"))),
        }
    }

    pub fn text(&self, key: &str) -> Result<Option<&str>> {
        self.typed(key, "a string", Value::as_str)
    }

    pub fn required_text(&self, key: &str) -> Result<&str> {
        self.text(key)?
            .ok_or_else(|| Failure::invalid(format!("\"{key}\" is missing")))
    }

    pub fn flag(&self, key: &str) -> Result<bool> {
        Ok(self
            .typed(key, "true or false", Value::as_bool)?
            .unwrap_or(false))
    }

    pub fn number(&self, key: &str) -> Result<Option<u64>> {
        self.typed(key, "a whole number", Value::as_u64)
    }

    pub fn texts(&self, key: &str) -> Result<Vec<String>> {
        let read = |value: &Value| -> Option<Vec<String>> {
            value
                .as_array()?
                .iter()
                .map(|v| v.as_str().map(str::to_string))
                .collect()
        };
        let texts = match self.get(key) {
            None => return Ok(Vec::new()),
            Some(value) => read(value),
        };
        texts.ok_or_else(|| Failure::invalid(format!("\"{key}\" must be a list of strings")))
    }

    /// The members of an object of strings, at least one, sorted by name.
    pub fn pairs(&self, key: &str) -> Result<Vec<(String, String)>> {
        let read = |value: &Value| -> Option<Vec<(String, String)>> {
            value
                .as_object()?
                .iter()
                .map(|(k, v)| Some((k.clone(), v.as_str()?.to_string())))
                .collect()
        };
        self.typed(key, "an object of strings", read)?
            .filter(|pairs| !pairs.is_empty())
            .ok_or_else(|| Failure::invalid(format!("\"{key}\" is missing")))
    }

    pub fn timeout(&self) -> Result<Option<Duration>> {
        let millis = self.number("timeout_ms")?.filter(|ms| *ms > 0);
        Ok(millis.map(Duration::from_millis))
    }
}
