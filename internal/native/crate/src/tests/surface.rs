use std::ffi::{CStr, CString, c_void};
use std::ptr::null_mut;
use std::time::{Duration, Instant};

use super::*;
use crate::api_library::{MlpLive, live, mlp_bytes_free, mlp_error_free, mlp_panic_probe};
use crate::api_read::{mlp_table_count, mlp_table_scan};
use crate::api_table::{mlp_table_close, mlp_table_open};
use crate::error::{Failure, Kind};
use crate::handle;
use crate::legacy_connection::*;
use crate::legacy_table::*;
use crate::memory::{MlpBytes, MlpError, SimpleResult};

const NOTHING: MlpLive = MlpLive {
    connections: 0,
    tables: 0,
    cancels: 0,
    errors: 0,
    bytes: 0,
    strings: 0,
    models: 0,
};

fn kind(error: *mut MlpError) -> i32 {
    if error.is_null() {
        return 0;
    }
    let kind = unsafe { (*error).kind };
    mlp_error_free(error);
    kind
}

fn ok(result: *mut SimpleResult) -> bool {
    let success = unsafe { (*result).success };
    simple_lancedb_result_free(result);
    success
}

#[test]
fn a_write_through_one_surface_is_read_through_the_other_and_nothing_leaks() {
    let _alone = alone();
    let dir = Dir::new();
    let uri = CString::new(dir.uri()).unwrap();
    let schema = c"{\"fields\":[{\"name\":\"id\",\"type\":\"string\",\"nullable\":false}]}";
    let rows = c"[{\"id\":\"a\"},{\"id\":\"b\"}]";
    unsafe {
        let mut connection: *mut c_void = null_mut();
        let mut table: *mut c_void = null_mut();
        assert!(ok(simple_lancedb_connect(uri.as_ptr(), &mut connection)));
        assert!(ok(simple_lancedb_create_table(
            connection,
            c"t".as_ptr(),
            schema.as_ptr()
        )));
        assert!(ok(simple_lancedb_open_table(
            connection,
            c"t".as_ptr(),
            &mut table
        )));
        let request = format!("{{\"uri\":\"{}\",\"name\":\"t\"}}", dir.uri());
        let request = CString::new(request).unwrap();
        let mut ours = 0;
        assert_eq!(kind(mlp_table_open(request.as_ptr(), 0, &mut ours)), 0);
        let mut added = 0;
        assert!(ok(simple_lancedb_table_add_json(
            table,
            rows.as_ptr(),
            &mut added
        )));
        let mut count = 0;
        assert_eq!(
            kind(mlp_table_count(ours, c"{}".as_ptr(), 0, &mut count)),
            0
        );
        assert_eq!((added, count), (2, 2));
        let mut bytes = MlpBytes {
            data: null_mut(),
            len: 0,
        };
        assert_eq!(kind(mlp_table_scan(ours, c"{}".as_ptr(), 0, &mut bytes)), 0);
        assert!(bytes.len > 0);
        mlp_bytes_free(&mut bytes);
        mlp_bytes_free(&mut bytes);
        let mut json = null_mut();
        assert!(ok(simple_lancedb_table_select_query(
            table,
            c"{}".as_ptr(),
            &mut json
        )));
        assert_eq!(
            CStr::from_ptr(json).to_str().unwrap(),
            r#"[{"id":"a"},{"id":"b"}]"#
        );
        simple_lancedb_free_string(json);
        let (mut names, mut n) = (null_mut(), 0);
        assert!(ok(simple_lancedb_table_names(
            connection, &mut names, &mut n
        )));
        assert_eq!(n, 1);
        simple_lancedb_free_table_names(names, n);
        assert!(ok(simple_lancedb_table_close(table)));
        assert!(!ok(simple_lancedb_table_close(table)));
        assert!(!ok(simple_lancedb_table_close(null_mut())));
        assert_eq!(kind(mlp_table_close(ours)), 0);
        assert_eq!(kind(mlp_table_close(ours)), Kind::Closed as i32);
        assert!(ok(simple_lancedb_close(connection)));
        assert_eq!(
            kind(mlp_table_count(ours, c"{}".as_ptr(), 0, &mut count)),
            Kind::Closed as i32
        );
    }
    assert_eq!(live(), NOTHING);
}

#[test]
fn bad_arguments_are_errors() {
    let _alone = alone();
    unsafe {
        let mut out = 0;
        let invalid = Kind::Invalid as i32;
        assert_eq!(kind(mlp_table_open(null_mut(), 0, &mut out)), invalid);
        assert_eq!(kind(mlp_table_open(c"[]".as_ptr(), 0, &mut out)), invalid);
        assert_eq!(
            kind(mlp_table_open(c"{\"uri\":1}".as_ptr(), 0, &mut out)),
            invalid
        );
        assert!(!ok(simple_lancedb_connect(null_mut(), null_mut())));
    }
    assert_eq!(live(), NOTHING);
}

#[test]
fn a_panic_becomes_an_error() {
    let _alone = alone();
    assert_eq!(kind(mlp_panic_probe()), Kind::Panic as i32);
    assert_eq!(live(), NOTHING);
}

#[test]
fn calls_end_with_their_deadline_or_cancellation() {
    let _alone = alone();
    let forever = || std::future::pending::<Result<()>>();
    let call = Call::read(Some(Duration::from_millis(5)), 0);
    assert_eq!(wait(call, forever()).unwrap_err().kind, Kind::Timeout);
    let call = Call::write(Some(Duration::from_millis(5)), 0);
    assert_eq!(wait(call, forever()).unwrap_err().kind, Kind::Timeout);

    let cancel = handle::give_cancel();
    let begun = Instant::now();
    let waiting = std::thread::spawn(move || wait(Call::write(None, cancel), forever()));
    handle::fire_cancel(cancel);
    assert_eq!(waiting.join().unwrap().unwrap_err().kind, Kind::Cancelled);
    // Fired before the call began, it still stops it.
    assert_eq!(
        wait(Call::read(None, cancel), forever()).unwrap_err().kind,
        Kind::Cancelled
    );
    assert!(begun.elapsed() < Duration::from_secs(5));
    handle::free_cancel(cancel);
    handle::free_cancel(cancel);

    let failing = async { Err::<(), _>(Failure::invalid("no")) };
    assert_eq!(wait(Call::default(), failing).unwrap_err().message, "no");
    assert_eq!(live(), NOTHING);
}
