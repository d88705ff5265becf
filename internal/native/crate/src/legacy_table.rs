//! lancedb-go's functions on tables.

use std::ffi::{c_char, c_void};

use serde_json::{Value, json};

use crate::error::{Failure, Result};
use crate::ffi::{array, optional_text, put, simple, text};
use crate::handle;
use crate::index;
use crate::ipc;
use crate::legacy_add;
use crate::legacy_connection::number;
use crate::legacy_json;
use crate::legacy_query;
use crate::legacy_schema;
use crate::maintain;
use crate::memory::{self, SimpleResult};
use crate::query;
use crate::request::Request;
use crate::runtime::{Call, wait};
use crate::write;

#[unsafe(no_mangle)]
pub extern "C" fn simple_lancedb_table_close(table: *mut c_void) -> *mut SimpleResult {
    simple(|| handle::close_table(number(table)))
}

/// # Safety
/// Arguments are as lancedb.h declares them; so are all those below.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn simple_lancedb_table_count_rows(
    table: *mut c_void,
    count: *mut i64,
) -> *mut SimpleResult {
    // SAFETY: the caller's promise, here and below.
    simple(|| unsafe {
        let table = handle::table(number(table))?;
        put(count, wait(Call::default(), query::count(table, None))?)
    })
}

/// # Safety
/// See above.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn simple_lancedb_table_version(
    table: *mut c_void,
    version: *mut i64,
) -> *mut SimpleResult {
    simple(|| unsafe {
        let table = handle::table(number(table))?;
        put(version, wait(Call::default(), maintain::version(table))?)
    })
}

/// # Safety
/// See above.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn simple_lancedb_table_schema(
    table: *mut c_void,
    schema_json: *mut *mut c_char,
) -> *mut SimpleResult {
    simple(|| unsafe {
        let table = handle::table(number(table))?;
        let schema = wait(
            Call::default(),
            async move { Ok(table.inner.schema().await?) },
        )?;
        put(
            schema_json,
            memory::give_text(&legacy_schema::to_json(&schema).to_string()),
        )
    })
}

/// # Safety
/// See above.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn simple_lancedb_table_schema_ipc(
    table: *mut c_void,
    data: *mut *mut u8,
    len: *mut usize,
) -> *mut SimpleResult {
    simple(|| unsafe {
        let table = handle::table(number(table))?;
        let schema = wait(
            Call::default(),
            async move { Ok(table.inner.schema().await?) },
        )?;
        let bytes = memory::give_bytes(ipc::schema_file(&schema)?);
        put(len, bytes.len)?;
        put(data, bytes.data)
    })
}

/// # Safety
/// See above.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn simple_lancedb_table_add_ipc(
    table: *mut c_void,
    ipc_data: *const u8,
    ipc_len: usize,
    added: *mut i64,
) -> *mut SimpleResult {
    simple(|| unsafe {
        let table = handle::table(number(table))?;
        let (_, batches) = ipc::from_file(array(ipc_data, ipc_len, "the rows")?)?;
        put(
            added,
            wait(Call::write(None, 0), write::append(table, batches))?,
        )
    })
}

/// # Safety
/// See above.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn simple_lancedb_table_add_json(
    table: *mut c_void,
    json_data: *const c_char,
    added: *mut i64,
) -> *mut SimpleResult {
    simple(|| unsafe {
        let table = handle::table(number(table))?;
        let rows: Value = serde_json::from_str(text(json_data, "the rows")?)
            .map_err(|e| Failure::invalid(format!("the rows are not JSON: {e}")))?;
        let work = async move {
            let batch = legacy_add::batch(&table.inner.schema().await?, &rows)?;
            write::append(table, vec![batch]).await
        };
        put(added, wait(Call::write(None, 0), work)?)
    })
}

/// # Safety
/// See above.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn simple_lancedb_table_delete(
    table: *mut c_void,
    predicate: *const c_char,
    deleted: *mut i64,
) -> *mut SimpleResult {
    simple(|| unsafe {
        let table = handle::table(number(table))?;
        let filter = text(predicate, "the predicate")?.to_string();
        put(
            deleted,
            wait(Call::write(None, 0), write::delete(table, filter))?,
        )
    })
}

/// # Safety
/// See above.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn simple_lancedb_table_update(
    table: *mut c_void,
    predicate: *const c_char,
    updates_json: *const c_char,
) -> *mut SimpleResult {
    simple(|| unsafe {
        let table = handle::table(number(table))?;
        let filter = optional_text(predicate, "the predicate")?.filter(|p| !p.trim().is_empty());
        let filter = filter.map(str::to_string);
        let columns = legacy_json::assignments(text(updates_json, "the updates")?)?;
        wait(Call::write(None, 0), write::update(table, filter, columns)).map(|_| ())
    })
}

/// # Safety
/// See above.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn simple_lancedb_table_create_index(
    table: *mut c_void,
    columns_json: *const c_char,
    index_type: *const c_char,
    index_name: *const c_char,
) -> *mut SimpleResult {
    simple(|| unsafe {
        let table = handle::table(number(table))?;
        let columns = text(columns_json, "the columns")?;
        let kind = text(index_type, "the index type")?;
        let name = optional_text(index_name, "the index name")?;
        let ask = index::Create::parse(&index_request(columns, kind, name)?)?;
        wait(Call::write(None, 0), index::create(table, ask))
    })
}

/// An index of lancedb-go's kind in our own terms. Its vector indexes measure
/// L2, for it cannot ask for anything else and neither can its queries.
fn index_request(columns: &str, kind: &str, name: Option<&str>) -> Result<Request> {
    let columns: Vec<String> = serde_json::from_str(columns)
        .map_err(|_| Failure::invalid("the columns are not a JSON list of strings"))?;
    let [column] = columns.as_slice() else {
        return Err(Failure::invalid("an index covers exactly one column"));
    };
    let mut fields = json!({"column": column, "type": kind, "replace": true, "metric": "l2"});
    if let Some(name) = name.filter(|n| !n.is_empty()) {
        fields["name"] = json!(name);
    }
    Request::parse(&fields.to_string())
}

/// # Safety
/// See above.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn simple_lancedb_table_get_indexes(
    table: *mut c_void,
    indexes_json: *mut *mut c_char,
) -> *mut SimpleResult {
    simple(|| unsafe {
        let table = handle::table(number(table))?;
        let all = wait(Call::default(), async move {
            Ok(table.inner.list_indices().await?)
        })?;
        let list: Vec<Value> = all
            .iter()
            .map(|i| {
                let kind = i.index_type.to_string();
                json!({"name": i.name, "columns": i.columns, "index_type": kind})
            })
            .collect();
        put(
            indexes_json,
            memory::give_text(&Value::from(list).to_string()),
        )
    })
}

/// # Safety
/// See above.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn simple_lancedb_table_select_query(
    table: *mut c_void,
    query_config_json: *const c_char,
    result_json: *mut *mut c_char,
) -> *mut SimpleResult {
    simple(|| unsafe {
        let table = handle::table(number(table))?;
        let select = legacy_query::parse(text(query_config_json, "the query")?)?;
        let rows = wait(Call::default(), async move {
            legacy_json::rows(&legacy_query::run(table, select).await?)
        })?;
        put(
            result_json,
            memory::give_text(&Value::from(rows).to_string()),
        )
    })
}
