//! Reading arguments and writing outcomes at the C boundary.

use std::ffi::{CStr, c_char};

use crate::error::{Failure, Result};
use crate::memory::{self, MlpError, SimpleResult};
use crate::runtime::contain;

/// Runs an mlp_ function: NULL, or an error the caller owns.
pub fn guard(work: impl FnOnce() -> Result<()>) -> *mut MlpError {
    match contain(work) {
        Ok(()) => std::ptr::null_mut(),
        Err(failure) => memory::give_error(failure),
    }
}

/// Runs a function of lancedb-go's header.
pub fn simple(work: impl FnOnce() -> Result<()>) -> *mut SimpleResult {
    memory::give_result(contain(work))
}

/// A C string argument.
///
/// # Safety
/// `pointer` is NULL or points to a NUL-terminated string that outlives the call.
pub unsafe fn text<'a>(pointer: *const c_char, what: &str) -> Result<&'a str> {
    if pointer.is_null() {
        return Err(Failure::invalid(format!("{what} is NULL")));
    }
    // SAFETY: the caller's promise.
    unsafe { CStr::from_ptr(pointer) }
        .to_str()
        .map_err(|_| Failure::invalid(format!("{what} is not UTF-8")))
}

/// A C string argument that may be NULL.
///
/// # Safety
/// As for `text`.
pub unsafe fn optional_text<'a>(pointer: *const c_char, what: &str) -> Result<Option<&'a str>> {
    if pointer.is_null() {
        return Ok(None);
    }
    // SAFETY: the caller's promise.
    unsafe { text(pointer, what) }.map(Some)
}

/// An array argument, copied because the work outlives no borrow.
///
/// # Safety
/// `pointer` is NULL or points to `len` values that outlive the call.
pub unsafe fn array<T: Copy>(pointer: *const T, len: usize, what: &str) -> Result<Vec<T>> {
    if pointer.is_null() || len == 0 {
        return Err(Failure::invalid(format!("{what} is empty")));
    }
    // SAFETY: the caller's promise.
    Ok(unsafe { std::slice::from_raw_parts(pointer, len) }.to_vec())
}

/// Writes an output argument.
///
/// # Safety
/// `out` is NULL or points to writable memory for a `T`.
pub unsafe fn put<T>(out: *mut T, value: T) -> Result<()> {
    if out.is_null() {
        return Err(Failure::invalid("an output argument is NULL"));
    }
    // SAFETY: the caller's promise; nothing is read, so it may be uninitialised.
    unsafe { out.write(value) };
    Ok(())
}
