//! mlp_: freeing, cancelling, counting, and what this build is.

use std::ffi::c_char;

use crate::ffi::guard;
use crate::handle;
use crate::memory::{self, MlpBytes, MlpError};

#[unsafe(no_mangle)]
pub extern "C" fn mlp_error_free(error: *mut MlpError) {
    memory::free_error(error);
}

/// # Safety
/// `bytes` is NULL or points to an mlp_bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlp_bytes_free(bytes: *mut MlpBytes) {
    // SAFETY: the caller's promise.
    if let Some(bytes) = unsafe { bytes.as_mut() } {
        memory::free_bytes(bytes.data);
        bytes.data = std::ptr::null_mut();
        bytes.len = 0;
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn mlp_cancel_new() -> u64 {
    handle::give_cancel()
}

#[unsafe(no_mangle)]
pub extern "C" fn mlp_cancel_fire(cancel: u64) {
    handle::fire_cancel(cancel);
}

#[unsafe(no_mangle)]
pub extern "C" fn mlp_cancel_free(cancel: u64) {
    handle::free_cancel(cancel);
}

#[repr(C)]
#[derive(Debug, PartialEq, Eq)]
pub struct MlpLive {
    pub connections: i64,
    pub tables: i64,
    pub cancels: i64,
    pub errors: i64,
    pub bytes: i64,
    pub strings: i64,
    pub models: i64,
}

pub fn live() -> MlpLive {
    let (connections, tables, cancels, models) = handle::live();
    let (errors, bytes, strings) = memory::live();
    MlpLive {
        connections,
        tables,
        cancels,
        errors,
        bytes,
        strings,
        models,
    }
}

/// # Safety
/// `out` is NULL or points to writable memory for an mlp_live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlp_live_handles(out: *mut MlpLive) {
    if !out.is_null() {
        // SAFETY: the caller's promise.
        unsafe { out.write(live()) };
    }
}

const BUILD_INFO: &std::ffi::CStr =
    c"{\"library\":\"0.1.0\",\"lancedb\":\"0.41.0\",\"lance\":\"14.0.2\",\"file_version\":\"2.1\",\"stores\":[\"file\",\"s3\"]}";

#[unsafe(no_mangle)]
pub extern "C" fn mlp_build_info() -> *const c_char {
    BUILD_INFO.as_ptr()
}

#[unsafe(no_mangle)]
pub extern "C" fn mlp_panic_probe() -> *mut MlpError {
    guard(|| {
        crate::runtime::wait(crate::runtime::Call::default(), async {
            panic!("a probe asked for this panic")
        })
    })
}
