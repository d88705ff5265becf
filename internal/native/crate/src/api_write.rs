//! mlp_: merge-insert, delete, update, new columns, indexes.

use std::ffi::c_char;

use crate::api_read::rows;
use crate::ffi::{array, guard, put, text};
use crate::handle;
use crate::index::{self, Create, IndexStats};
use crate::ipc;
use crate::memory::{MlpBytes, MlpError};
use crate::request::Request;
use crate::runtime::{Call, wait};
use crate::write::{self, Merge, MergeStats};

/// # Safety
/// As include/mlp.h says of all arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlp_table_merge_insert(
    table: u64,
    request: *const c_char,
    data: *const u8,
    data_len: usize,
    cancel: u64,
    out: *mut MergeStats,
) -> *mut MlpError {
    // SAFETY: the caller's promise, here and below.
    guard(|| unsafe {
        let request = Request::parse(text(request, "the request")?)?;
        let batch = ipc::from_stream(array(data, data_len, "the rows")?)?;
        let ask = Merge::parse(&request, batch)?;
        let table = handle::table(table)?;
        let call = Call::write(request.timeout()?, cancel);
        put(out, wait(call, write::merge_insert(table, ask))?)
    })
}

/// # Safety
/// As include/mlp.h says of all arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlp_table_delete(
    table: u64,
    request: *const c_char,
    cancel: u64,
    out: *mut i64,
) -> *mut MlpError {
    guard(|| unsafe {
        let request = Request::parse(text(request, "the request")?)?;
        let filter = request.required_text("filter")?.to_string();
        let table = handle::table(table)?;
        let call = Call::write(request.timeout()?, cancel);
        put(out, wait(call, write::delete(table, filter))?)
    })
}

/// # Safety
/// As include/mlp.h says of all arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlp_table_update(
    table: u64,
    request: *const c_char,
    cancel: u64,
    out: *mut i64,
) -> *mut MlpError {
    guard(|| unsafe {
        let request = Request::parse(text(request, "the request")?)?;
        let filter = request.required_text("filter")?.to_string();
        let columns = request.pairs("set")?;
        let table = handle::table(table)?;
        let call = Call::write(request.timeout()?, cancel);
        put(
            out,
            wait(call, write::update(table, Some(filter), columns))?,
        )
    })
}

/// # Safety
/// As include/mlp.h says of all arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlp_table_add_columns(
    table: u64,
    request: *const c_char,
    cancel: u64,
) -> *mut MlpError {
    guard(|| unsafe {
        let request = Request::parse(text(request, "the request")?)?;
        let columns = request.pairs("columns")?;
        let table = handle::table(table)?;
        let call = Call::write(request.timeout()?, cancel);
        wait(call, write::add_columns(table, columns))
    })
}

/// # Safety
/// As include/mlp.h says of all arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlp_table_create_index(
    table: u64,
    request: *const c_char,
    cancel: u64,
) -> *mut MlpError {
    guard(|| unsafe {
        let request = Request::parse(text(request, "the request")?)?;
        let ask = Create::parse(&request)?;
        let table = handle::table(table)?;
        wait(
            Call::write(request.timeout()?, cancel),
            index::create(table, ask),
        )
    })
}

/// # Safety
/// As include/mlp.h says of all arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlp_table_drop_index(
    table: u64,
    name: *const c_char,
    cancel: u64,
) -> *mut MlpError {
    guard(|| unsafe {
        let name = text(name, "the index name")?.to_string();
        let table = handle::table(table)?;
        wait(Call::write(None, cancel), index::drop_index(table, name))
    })
}

/// # Safety
/// As include/mlp.h says of all arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlp_table_indexes(
    table: u64,
    cancel: u64,
    out: *mut MlpBytes,
) -> *mut MlpError {
    guard(|| unsafe { put(out, rows(table, Call::read(None, cancel), index::list)?) })
}

/// # Safety
/// As include/mlp.h says of all arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlp_table_index_stats(
    table: u64,
    name: *const c_char,
    cancel: u64,
    out: *mut IndexStats,
) -> *mut MlpError {
    guard(|| unsafe {
        let name = text(name, "the index name")?.to_string();
        let table = handle::table(table)?;
        put(
            out,
            wait(Call::read(None, cancel), index::stats(table, name))?,
        )
    })
}
