//! What the caller was given and has to give back.
//!
//! Every pointer handed out is written into one ledger and leaves it when it is
//! freed. So freeing twice or freeing a stray pointer does nothing, and the
//! caller can ask what is still out.

use std::collections::HashMap;
use std::ffi::{CString, c_char};
use std::sync::{LazyLock, Mutex, MutexGuard};

use crate::error::Failure;

#[repr(C)]
pub struct MlpError {
    pub kind: i32,
    pub message: *mut c_char,
}

#[repr(C)]
pub struct MlpBytes {
    pub data: *mut u8,
    pub len: usize,
}

/// lancedb-go's result; its field names are part of its header.
#[repr(C)]
pub struct SimpleResult {
    pub success: bool,
    pub error_message: *mut c_char,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Owned {
    Error,
    Result,
    Text,
    Names(usize),
    Bytes(usize),
}

static LEDGER: LazyLock<Mutex<HashMap<usize, Owned>>> = LazyLock::new(Default::default);

fn ledger() -> MutexGuard<'static, HashMap<usize, Owned>> {
    LEDGER.lock().unwrap_or_else(|e| e.into_inner())
}

fn note<T>(pointer: *mut T, what: Owned) -> *mut T {
    ledger().insert(pointer as usize, what);
    pointer
}

/// Strikes a pointer out of the ledger if `is` recognises what it was.
fn strike<T>(pointer: *mut T, is: impl Fn(Owned) -> bool) -> Option<Owned> {
    let mut ledger = ledger();
    let found = *ledger.get(&(pointer as usize))?;
    if !is(found) {
        return None;
    }
    ledger.remove(&(pointer as usize))
}

/// A C string; NUL inside is replaced, for messages must never be lost over it.
fn c_string(text: &str) -> CString {
    CString::new(text.replace('\0', "\u{fffd}")).unwrap_or_default()
}

pub fn give_error(failure: Failure) -> *mut MlpError {
    let body = Box::new(MlpError {
        kind: failure.kind as i32,
        message: c_string(&failure.message).into_raw(),
    });
    note(Box::into_raw(body), Owned::Error)
}

pub fn free_error(error: *mut MlpError) {
    if strike(error, |o| o == Owned::Error).is_some() {
        // SAFETY: the ledger held it, so it came from give_error and is freed once.
        unsafe {
            let body = Box::from_raw(error);
            drop(CString::from_raw(body.message));
        }
    }
}

/// A result for lancedb-go. It passes messages on as text, so the kind is put
/// into the text, where our Go package finds it again.
pub fn give_result(outcome: Result<(), Failure>) -> *mut SimpleResult {
    let body = match outcome {
        Ok(()) => SimpleResult {
            success: true,
            error_message: std::ptr::null_mut(),
        },
        Err(failure) => SimpleResult {
            success: false,
            error_message: c_string(&format!(
                "[mlp:{}] {}",
                failure.kind as i32, failure.message
            ))
            .into_raw(),
        },
    };
    note(Box::into_raw(Box::new(body)), Owned::Result)
}

pub fn free_result(result: *mut SimpleResult) {
    if strike(result, |o| o == Owned::Result).is_some() {
        // SAFETY: the ledger held it, so it came from give_result and is freed once.
        unsafe {
            let body = Box::from_raw(result);
            if !body.error_message.is_null() {
                drop(CString::from_raw(body.error_message));
            }
        }
    }
}

pub fn give_text(text: &str) -> *mut c_char {
    note(c_string(text).into_raw(), Owned::Text)
}

pub fn free_text(text: *mut c_char) {
    if strike(text, |o| o == Owned::Text).is_some() {
        // SAFETY: the ledger held it, so it came from give_text and is freed once.
        unsafe { drop(CString::from_raw(text)) };
    }
}

/// An array of strings, freed as a whole.
pub fn give_names(names: &[String]) -> *mut *mut c_char {
    let array: Box<[*mut c_char]> = names.iter().map(|n| c_string(n).into_raw()).collect();
    let len = array.len();
    note(Box::into_raw(array) as *mut *mut c_char, Owned::Names(len))
}

pub fn free_names(names: *mut *mut c_char) {
    if let Some(Owned::Names(len)) = strike(names, |o| matches!(o, Owned::Names(_))) {
        // SAFETY: the ledger held it, with its length, so it came from give_names.
        unsafe {
            let array = Box::from_raw(std::ptr::slice_from_raw_parts_mut(names, len));
            for name in array.iter() {
                drop(CString::from_raw(*name));
            }
        }
    }
}

pub fn give_bytes(bytes: Vec<u8>) -> MlpBytes {
    let bytes = bytes.into_boxed_slice();
    let len = bytes.len();
    if len == 0 {
        return MlpBytes {
            data: std::ptr::null_mut(),
            len,
        };
    }
    let data = note(Box::into_raw(bytes) as *mut u8, Owned::Bytes(len));
    MlpBytes { data, len }
}

pub fn free_bytes(data: *mut u8) {
    if let Some(Owned::Bytes(len)) = strike(data, |o| matches!(o, Owned::Bytes(_))) {
        // SAFETY: the ledger held it, with its length, so it came from give_bytes.
        unsafe { drop(Box::from_raw(std::ptr::slice_from_raw_parts_mut(data, len))) };
    }
}

/// How many errors, byte buffers and strings are out.
pub fn live() -> (i64, i64, i64) {
    let (mut errors, mut bytes, mut strings) = (0, 0, 0);
    for owned in ledger().values() {
        match owned {
            Owned::Error | Owned::Result => errors += 1,
            Owned::Bytes(_) => bytes += 1,
            Owned::Text | Owned::Names(_) => strings += 1,
        }
    }
    (errors, bytes, strings)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Kind;

    #[test]
    fn freeing_twice_or_with_the_wrong_function_does_nothing() {
        let _alone = crate::tests::alone();
        let error = give_error(Failure::new(Kind::Io, "a\0b"));
        free_text(error.cast());
        free_error(error);
        free_error(error);
        free_error(std::ptr::null_mut());
        let names = give_names(&["a".into(), "b".into()]);
        free_bytes(names.cast());
        free_names(names);
        free_names(names);
        let bytes = give_bytes(vec![1, 2, 3]);
        free_bytes(bytes.data);
        free_bytes(bytes.data);
    }
}
