//! The functions of include/mlp_model.h.

use std::ffi::c_char;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::fault::Fault;
use super::stop::Stop;
use super::{MOST_TEXTS, Model};
use crate::error::{Failure, Kind, Result};
use crate::ffi::{guard, put, text};
use crate::handle;
use crate::memory::MlpError;

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        let kind = match fault {
            Fault::NotFound(_) => Kind::NotFound,
            Fault::Io(_) => Kind::Io,
            Fault::Corrupt(_) => Kind::Corrupt,
            Fault::Invalid(_) => Kind::Invalid,
            Fault::Timeout => Kind::Timeout,
            Fault::Cancelled => Kind::Cancelled,
        };
        Failure::new(kind, fault.to_string())
    }
}

/// # Safety
/// As include/mlp_model.h says of all arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlp_model_open(
    path: *const c_char,
    threads: u32,
    model: *mut u64,
) -> *mut MlpError {
    // SAFETY: the caller's promise, here and below.
    guard(|| unsafe {
        if model.is_null() {
            return Err(Failure::invalid("an output argument is NULL"));
        }
        let path = Path::new(text(path, "the path of the model")?);
        let opened = Model::open(path, threads as usize)?;
        put(model, handle::give_model(Arc::new(opened)))
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn mlp_model_close(model: u64) -> *mut MlpError {
    guard(|| handle::close_model(model))
}

/// # Safety
/// As include/mlp_model.h says of all arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlp_model_dims(model: u64, dims: *mut usize) -> *mut MlpError {
    guard(|| unsafe { put(dims, handle::model(model)?.dims()) })
}

/// # Safety
/// As include/mlp_model.h says of all arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlp_model_count_tokens(
    model: u64,
    text: *const u8,
    len: usize,
    tokens: *mut usize,
) -> *mut MlpError {
    guard(|| unsafe {
        let model = handle::model(model)?;
        let text = String::from_utf8_lossy(bytes(text, len)?);
        put(tokens, model.count_tokens(&text)?)
    })
}

/// # Safety
/// As include/mlp_model.h says of all arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mlp_model_embed(
    model: u64,
    texts: *const u8,
    lens: *const usize,
    count: usize,
    timeout_ms: u64,
    cancel: u64,
    vectors: *mut f32,
) -> *mut MlpError {
    guard(|| unsafe {
        let model = handle::model(model)?;
        if count == 0 {
            return Ok(());
        }
        if count > MOST_TEXTS {
            return Err(Failure::invalid(format!(
                "embed {count} texts: send at most {MOST_TEXTS} at a time"
            )));
        }
        if lens.is_null() || vectors.is_null() {
            return Err(Failure::invalid("an argument of embed is NULL"));
        }
        let lens = std::slice::from_raw_parts(lens, count);
        let total = lens
            .iter()
            .try_fold(0usize, |sum, len| sum.checked_add(*len));
        let total = total.ok_or_else(|| Failure::invalid("the lengths of the texts overflow"))?;
        let mut rest = bytes(texts, total)?;
        let mut owned = Vec::with_capacity(count);
        for len in lens {
            let (text, others) = rest.split_at(*len);
            owned.push(String::from_utf8_lossy(text));
            rest = others;
        }
        let texts: Vec<&str> = owned.iter().map(AsRef::as_ref).collect();
        // Written to the caller only when all of it is there.
        let mut found = vec![0f32; count * model.dims()];
        model.embed(&texts, &mut found, &stop(timeout_ms, cancel))?;
        vectors.copy_from_nonoverlapping(found.as_ptr(), found.len());
        Ok(())
    })
}

fn stop(timeout_ms: u64, cancel: u64) -> Stop {
    let limit = Duration::from_millis(timeout_ms);
    let deadline = Instant::now().checked_add(limit).filter(|_| timeout_ms > 0);
    let stop = Stop {
        deadline,
        ..Stop::default()
    };
    if let Some(cancel) = handle::cancel(cancel) {
        let raised = stop.cancelled.clone();
        if !cancel.watch(move || raised.store(true, Ordering::Relaxed)) {
            stop.cancelled.store(true, Ordering::Relaxed);
        }
    }
    stop
}

/// # Safety
/// `pointer` is NULL or points to `len` bytes that outlive the call.
unsafe fn bytes<'a>(pointer: *const u8, len: usize) -> Result<&'a [u8]> {
    match (pointer.is_null(), len) {
        (_, 0) => Ok(&[]),
        (true, _) => Err(Failure::invalid("a text is NULL")),
        // SAFETY: the caller's promise.
        (false, _) => Ok(unsafe { std::slice::from_raw_parts(pointer, len) }),
    }
}
