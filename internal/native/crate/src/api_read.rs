//! mlp_: searches, scans and counts.

use std::ffi::c_char;
use std::future::Future;
use std::sync::Arc;

use arrow_array::RecordBatch;

use crate::error::Result;
use crate::ffi::{array, guard, put, text};
use crate::handle;
use crate::ipc;
use crate::memory::{self, MlpBytes, MlpError};
use crate::query::{self, Match, Nearest, Scan};
use crate::registry::Table;
use crate::request::Request;
use crate::runtime::{Call, wait};

/// Runs a read whose rows are encoded on the worker thread.
pub fn rows<F>(table: u64, call: Call, read: impl FnOnce(Arc<Table>) -> F) -> Result<MlpBytes>
where
    F: Future<Output = Result<RecordBatch>> + Send + 'static,
{
    let work = read(handle::table(table)?);
    let bytes = wait(call, async move { ipc::to_stream(&work.await?) })?;
    Ok(memory::give_bytes(bytes))
}

/// # Safety
/// As include/mlp.h says of all arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlp_table_nearest(
    table: u64,
    request: *const c_char,
    vector: *const f32,
    vector_len: usize,
    cancel: u64,
    out: *mut MlpBytes,
) -> *mut MlpError {
    // SAFETY: the caller's promise, here and below.
    guard(|| unsafe {
        let request = Request::parse(text(request, "the request")?)?;
        let vector = array(vector, vector_len, "the query vector")?;
        let ask = Nearest::parse(&request, vector)?;
        let call = Call::read(request.timeout()?, cancel);
        put(out, rows(table, call, |table| query::nearest(table, ask))?)
    })
}

/// # Safety
/// As include/mlp.h says of all arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlp_table_match(
    table: u64,
    request: *const c_char,
    cancel: u64,
    out: *mut MlpBytes,
) -> *mut MlpError {
    guard(|| unsafe {
        let request = Request::parse(text(request, "the request")?)?;
        let ask = Match::parse(&request)?;
        let call = Call::read(request.timeout()?, cancel);
        put(out, rows(table, call, |table| query::matching(table, ask))?)
    })
}

/// # Safety
/// As include/mlp.h says of all arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlp_table_scan(
    table: u64,
    request: *const c_char,
    cancel: u64,
    out: *mut MlpBytes,
) -> *mut MlpError {
    guard(|| unsafe {
        let request = Request::parse(text(request, "the request")?)?;
        let ask = Scan::parse(&request)?;
        let call = Call::read(request.timeout()?, cancel);
        put(out, rows(table, call, |table| query::scan(table, ask))?)
    })
}

/// # Safety
/// As include/mlp.h says of all arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlp_table_count(
    table: u64,
    request: *const c_char,
    cancel: u64,
    out: *mut i64,
) -> *mut MlpError {
    guard(|| unsafe {
        let request = Request::parse(text(request, "the request")?)?;
        let filter = request.text("filter")?.map(str::to_string);
        let table = handle::table(table)?;
        let call = Call::read(request.timeout()?, cancel);
        put(out, wait(call, query::count(table, filter))?)
    })
}
