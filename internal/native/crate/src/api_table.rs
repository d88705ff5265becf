//! mlp_: opening and closing tables, versions, maintenance.

use std::ffi::c_char;

use crate::error::Result;
use crate::ffi::{guard, put, text};
use crate::handle;
use crate::maintain::{self, Optimize, OptimizeStats};
use crate::memory::MlpError;
use crate::registry::Database;
use crate::request::Request;
use crate::runtime::{Call, wait};
use crate::storage::{Location, flat_options};

fn open(request: &str, cancel: u64) -> Result<u64> {
    let request = Request::parse(request)?;
    let options = flat_options(request.get("storage_options"))?;
    let location = Location::new(request.required_text("uri")?, options)?;
    let name = request.required_text("name")?.to_string();
    let call = Call::read(request.timeout()?, cancel);
    let table = wait(call, async move {
        Database::connect(location).await?.open(&name).await
    })?;
    Ok(handle::give_table(table))
}

/// # Safety
/// As include/mlp.h says of all arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlp_table_open(
    request: *const c_char,
    cancel: u64,
    out: *mut u64,
) -> *mut MlpError {
    // SAFETY: the caller's promise, here and below.
    guard(|| unsafe { put(out, open(text(request, "the request")?, cancel)?) })
}

#[unsafe(no_mangle)]
pub extern "C" fn mlp_table_close(table: u64) -> *mut MlpError {
    guard(|| handle::close_table(table))
}

/// # Safety
/// As include/mlp.h says of all arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlp_table_version(table: u64, out: *mut i64) -> *mut MlpError {
    guard(|| {
        let table = handle::table(table)?;
        let version = wait(Call::default(), maintain::version(table))?;
        // SAFETY: the caller's promise.
        unsafe { put(out, version) }
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn mlp_table_checkout_latest(table: u64, cancel: u64) -> *mut MlpError {
    guard(|| {
        let table = handle::table(table)?;
        wait(Call::read(None, cancel), maintain::checkout_latest(table))
    })
}

/// # Safety
/// As include/mlp.h says of all arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlp_table_optimize(
    table: u64,
    request: *const c_char,
    cancel: u64,
    out: *mut OptimizeStats,
) -> *mut MlpError {
    guard(|| {
        let table = handle::table(table)?;
        // SAFETY: the caller's promise.
        let request = Request::parse(unsafe { text(request, "the request")? })?;
        let call = Call::write(request.timeout()?, cancel);
        let stats = wait(call, maintain::optimize(table, Optimize::parse(&request)?))?;
        // SAFETY: the caller's promise.
        unsafe { put(out, stats) }
    })
}
