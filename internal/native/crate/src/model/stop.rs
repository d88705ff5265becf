//! When to give up: a deadline, and a flag that another thread may raise.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use super::fault::Fault;

#[derive(Clone, Default)]
pub struct Stop {
    pub deadline: Option<Instant>,
    pub cancelled: Arc<AtomicBool>,
}

impl Stop {
    /// Asked often enough that giving up takes milliseconds.
    pub fn check(&self) -> Result<(), Fault> {
        if self.cancelled.load(Ordering::Relaxed) {
            return Err(Fault::Cancelled);
        }
        if self
            .deadline
            .is_some_and(|deadline| Instant::now() >= deadline)
        {
            return Err(Fault::Timeout);
        }
        Ok(())
    }
}
