//! LanceDB for Go, over two C surfaces.
//!
//! `legacy_*` hold the functions that lancedb-go declares in its own header, so
//! that its Go API works unchanged. `api_*` hold the `mlp_` functions of
//! `include/mlp.h`, which is their documentation. Below both lie the same
//! parts: `registry` (one LanceDB connection and one table object per database
//! and name), `handle` (numbers given out for them), `memory` (what else was
//! given out), `runtime` (how a caller's thread waits for async work).
//!
//! Nothing in here prints, and no panic leaves.

mod api_library;
mod api_read;
mod api_table;
mod api_write;
mod error;
mod ffi;
mod handle;
mod index;
mod ipc;
mod json_int;
mod legacy_add;
mod legacy_connection;
mod legacy_json;
mod legacy_query;
mod legacy_schema;
mod legacy_table;
mod maintain;
mod memory;
mod model;
mod query;
mod registry;
mod request;
mod runtime;
mod storage;
mod write;

#[cfg(test)]
mod tests;
