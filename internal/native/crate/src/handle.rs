//! Numbers given out for connections, tables, models and cancellations.
//!
//! lancedb-go keeps a handle in a pointer. Ours are never dereferenced and never
//! used twice, so a stale one is recognised. They begin above what Go's runtime
//! takes for a bad pointer and off its heap.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard};

use crate::error::{Failure, Kind, Result};
use crate::model::Model;
use crate::registry::{Database, Table};

#[derive(Clone)]
enum Slot {
    Database(Arc<Database>),
    Table(Arc<Table>),
    Model(Arc<Model>),
    Cancel(Arc<Cancel>),
}

static NEXT: AtomicU64 = AtomicU64::new(0x1000_0000_0000);
static SLOTS: LazyLock<Mutex<HashMap<u64, Slot>>> = LazyLock::new(Default::default);

fn slots() -> MutexGuard<'static, HashMap<u64, Slot>> {
    SLOTS.lock().unwrap_or_else(|e| e.into_inner())
}

fn give(slot: Slot) -> u64 {
    let handle = NEXT.fetch_add(16, Ordering::Relaxed);
    slots().insert(handle, slot);
    handle
}

fn closed(what: &str) -> Failure {
    Failure::new(Kind::Closed, format!("the {what} is closed"))
}

pub fn give_database(database: Arc<Database>) -> u64 {
    give(Slot::Database(database))
}

pub fn database(handle: u64) -> Result<Arc<Database>> {
    match slots().get(&handle) {
        Some(Slot::Database(database)) => Ok(database.clone()),
        _ => Err(closed("connection")),
    }
}

pub fn close_database(handle: u64) -> Result<()> {
    database(handle)?;
    // Dropped outside the lock: the last owner frees caches.
    let slot = slots().remove(&handle);
    drop(slot);
    Ok(())
}

pub fn give_table(table: Arc<Table>) -> u64 {
    give(Slot::Table(table))
}

pub fn table(handle: u64) -> Result<Arc<Table>> {
    match slots().get(&handle) {
        Some(Slot::Table(table)) => Ok(table.clone()),
        _ => Err(closed("table")),
    }
}

pub fn close_table(handle: u64) -> Result<()> {
    table(handle)?;
    let slot = slots().remove(&handle);
    drop(slot);
    Ok(())
}

pub fn give_model(model: Arc<Model>) -> u64 {
    give(Slot::Model(model))
}

pub fn model(handle: u64) -> Result<Arc<Model>> {
    match slots().get(&handle) {
        Some(Slot::Model(model)) => Ok(model.clone()),
        _ => Err(closed("model")),
    }
}

pub fn close_model(handle: u64) -> Result<()> {
    model(handle)?;
    let slot = slots().remove(&handle);
    drop(slot);
    Ok(())
}

/// A way to stop one call from another thread.
#[derive(Default)]
pub struct Cancel {
    state: Mutex<CancelState>,
}

#[derive(Default)]
struct CancelState {
    fired: bool,
    alarm: Option<Box<dyn FnOnce() + Send>>,
}

impl Cancel {
    /// Has `alarm` run when the cancel fires; false if it already has.
    pub fn watch(&self, alarm: impl FnOnce() + Send + 'static) -> bool {
        let mut state = self.state.lock().unwrap_or_else(|e| e.into_inner());
        if state.fired {
            return false;
        }
        state.alarm = Some(Box::new(alarm));
        true
    }

    fn fire(&self) {
        let alarm = {
            let mut state = self.state.lock().unwrap_or_else(|e| e.into_inner());
            state.fired = true;
            state.alarm.take()
        };
        if let Some(alarm) = alarm {
            alarm();
        }
    }
}

pub fn give_cancel() -> u64 {
    give(Slot::Cancel(Arc::default()))
}

/// The cancellation behind a handle; 0 and freed ones stand for none.
pub fn cancel(handle: u64) -> Option<Arc<Cancel>> {
    match slots().get(&handle) {
        Some(Slot::Cancel(cancel)) => Some(cancel.clone()),
        _ => None,
    }
}

pub fn fire_cancel(handle: u64) {
    if let Some(cancel) = cancel(handle) {
        cancel.fire();
    }
}

pub fn free_cancel(handle: u64) {
    if cancel(handle).is_some() {
        slots().remove(&handle);
    }
}

/// How many connections, tables, cancellations and models are out.
pub fn live() -> (i64, i64, i64, i64) {
    let (mut databases, mut tables, mut cancels, mut models) = (0, 0, 0, 0);
    for slot in slots().values() {
        match slot {
            Slot::Database(_) => databases += 1,
            Slot::Table(_) => tables += 1,
            Slot::Cancel(_) => cancels += 1,
            Slot::Model(_) => models += 1,
        }
    }
    (databases, tables, cancels, models)
}
