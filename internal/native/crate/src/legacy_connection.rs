//! lancedb-go's functions on connections, and its frees.

use std::ffi::{c_char, c_int, c_void};

use crate::error::Result;
use crate::ffi::{array, put, simple, text};
use crate::handle;
use crate::ipc;
use crate::legacy_schema;
use crate::memory::{self, SimpleResult};
use crate::registry::Database;
use crate::runtime::{Call, wait};
use crate::storage::{Location, nested_options};

/// lancedb-go keeps handles in pointers; ours are numbers all the same.
pub fn number(handle: *mut c_void) -> u64 {
    handle as usize as u64
}

fn pointer(handle: u64) -> *mut c_void {
    handle as usize as *mut c_void
}

fn connect(uri: &str, options: Option<&str>) -> Result<*mut c_void> {
    let options = options.map(nested_options).transpose()?.unwrap_or_default();
    let location = Location::new(uri, options)?;
    let database = wait(Call::default(), Database::connect(location))?;
    Ok(pointer(handle::give_database(database)))
}

#[unsafe(no_mangle)]
pub extern "C" fn simple_lancedb_init() -> c_int {
    0
}

/// # Safety
/// Arguments are as lancedb.h declares them; so are all those below.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn simple_lancedb_connect(
    uri: *const c_char,
    out: *mut *mut c_void,
) -> *mut SimpleResult {
    // SAFETY: the caller's promise, here and below.
    simple(|| unsafe { put(out, connect(text(uri, "the location")?, None)?) })
}

/// # Safety
/// See above.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn simple_lancedb_connect_with_options(
    uri: *const c_char,
    options_json: *const c_char,
    out: *mut *mut c_void,
) -> *mut SimpleResult {
    simple(|| unsafe {
        let options = text(options_json, "the storage options")?;
        put(out, connect(text(uri, "the location")?, Some(options))?)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn simple_lancedb_close(handle: *mut c_void) -> *mut SimpleResult {
    simple(|| handle::close_database(number(handle)))
}

/// # Safety
/// See above.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn simple_lancedb_table_names(
    handle: *mut c_void,
    names: *mut *mut *mut c_char,
    count: *mut c_int,
) -> *mut SimpleResult {
    simple(|| unsafe {
        let database = handle::database(number(handle))?;
        let list = wait(Call::default(), async move {
            Ok(database.connection.table_names().execute().await?)
        })?;
        put(count, list.len() as c_int)?;
        // lancedb-go does not free an empty array, so none may be given.
        if list.is_empty() {
            return put(names, std::ptr::null_mut());
        }
        put(names, memory::give_names(&list))
    })
}

/// # Safety
/// See above.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn simple_lancedb_open_table(
    handle: *mut c_void,
    table_name: *const c_char,
    out: *mut *mut c_void,
) -> *mut SimpleResult {
    simple(|| unsafe {
        let database = handle::database(number(handle))?;
        let name = text(table_name, "the table name")?.to_string();
        let table = wait(Call::default(), async move { database.open(&name).await })?;
        put(out, pointer(handle::give_table(table)))
    })
}

/// # Safety
/// See above.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn simple_lancedb_create_table(
    handle: *mut c_void,
    table_name: *const c_char,
    schema_json: *const c_char,
) -> *mut SimpleResult {
    simple(|| unsafe {
        let database = handle::database(number(handle))?;
        let name = text(table_name, "the table name")?.to_string();
        let schema = legacy_schema::from_json(text(schema_json, "the schema")?)?;
        wait(Call::write(None, 0), async move {
            database.create(&name, schema).await.map(drop)
        })
    })
}

/// # Safety
/// See above.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn simple_lancedb_create_table_with_ipc(
    handle: *mut c_void,
    table_name: *const c_char,
    schema_ipc: *const u8,
    schema_len: usize,
) -> *mut SimpleResult {
    simple(|| unsafe {
        let database = handle::database(number(handle))?;
        let name = text(table_name, "the table name")?.to_string();
        let (schema, _) = ipc::from_file(array(schema_ipc, schema_len, "the schema")?)?;
        wait(Call::write(None, 0), async move {
            database.create(&name, schema).await.map(drop)
        })
    })
}

/// # Safety
/// See above.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn simple_lancedb_drop_table(
    handle: *mut c_void,
    table_name: *const c_char,
) -> *mut SimpleResult {
    simple(|| unsafe {
        let database = handle::database(number(handle))?;
        let name = text(table_name, "the table name")?.to_string();
        wait(Call::write(None, 0), async move {
            database.drop_table(&name).await
        })
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn simple_lancedb_free_table_names(names: *mut *mut c_char, _count: c_int) {
    memory::free_names(names);
}

#[unsafe(no_mangle)]
pub extern "C" fn simple_lancedb_result_free(result: *mut SimpleResult) {
    memory::free_result(result);
}

#[unsafe(no_mangle)]
pub extern "C" fn simple_lancedb_free_string(text: *mut c_char) {
    memory::free_text(text);
}

#[unsafe(no_mangle)]
pub extern "C" fn simple_lancedb_free_ipc_data(data: *mut u8) {
    memory::free_bytes(data);
}

/// No function of the header gives one out, so there is nothing to free.
#[unsafe(no_mangle)]
pub extern "C" fn lancedb_version_info_free(_version: *mut c_void) {}
