//! How a caller's thread waits for async work, with deadline and cancellation.

use std::cell::RefCell;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{LazyLock, Once};
use std::time::{Duration, Instant};

use futures::FutureExt;
use tokio::runtime::{Builder, Runtime};

use crate::error::{Failure, Kind, Result};
use crate::handle;

/// Deep query plans recurse; tokio's 2 MiB default has overflowed on such.
const STACK: usize = 8 << 20;

static RUNTIME: LazyLock<std::result::Result<Runtime, String>> = LazyLock::new(|| {
    prepare();
    let workers = std::thread::available_parallelism().map_or(2, |n| n.get().clamp(2, 4));
    Builder::new_multi_thread()
        .worker_threads(workers)
        .thread_name("mlp-native")
        .thread_stack_size(STACK)
        .enable_all()
        .build()
        .map_err(|e| e.to_string())
});

fn runtime() -> Result<&'static Runtime> {
    RUNTIME
        .as_ref()
        .map_err(|e| Failure::new(Kind::Io, format!("starting worker threads: {e}")))
}

/// What a caller said about one call.
#[derive(Clone, Copy, Default)]
pub struct Call {
    pub timeout: Option<Duration>,
    /// A cancel handle, or 0.
    pub cancel: u64,
    /// Whether it changes the table: then nothing may go on after it has returned.
    pub write: bool,
}

impl Call {
    pub fn read(timeout: Option<Duration>, cancel: u64) -> Self {
        Self {
            timeout,
            cancel,
            write: false,
        }
    }

    pub fn write(timeout: Option<Duration>, cancel: u64) -> Self {
        Self {
            timeout,
            cancel,
            write: true,
        }
    }
}

enum Event<T> {
    Done(Result<T>),
    Cancelled,
}

/// Runs `work` on the worker threads and waits for it, its deadline or its cancellation.
pub fn wait<T, F>(call: Call, work: F) -> Result<T>
where
    T: Send + 'static,
    F: Future<Output = Result<T>> + Send + 'static,
{
    let runtime = runtime()?;
    let (events, inbox) = channel();
    let until = call.timeout.map(|t| Instant::now() + t);
    if let Some(cancel) = handle::cancel(call.cancel) {
        let events = events.clone();
        let alarm = move || {
            let _ = events.send(Event::Cancelled);
        };
        if !cancel.watch(alarm) {
            return Err(Failure::new(Kind::Cancelled, "the call was cancelled"));
        }
    }
    let task = runtime.spawn(async move {
        let outcome = AssertUnwindSafe(work).catch_unwind().await;
        let outcome = outcome.unwrap_or_else(|payload| Err(panicked(payload.as_ref())));
        let _ = events.send(Event::Done(outcome));
    });
    let event = match until {
        None => inbox.recv().map_err(|_| RecvTimeoutError::Disconnected),
        Some(until) => inbox.recv_timeout(until.saturating_duration_since(Instant::now())),
    };
    let stopped = match event {
        Ok(Event::Done(outcome)) => return outcome,
        Ok(Event::Cancelled) => Failure::new(Kind::Cancelled, "the call was cancelled"),
        Err(RecvTimeoutError::Timeout) => Failure::new(Kind::Timeout, "the deadline has passed"),
        Err(RecvTimeoutError::Disconnected) => Failure::new(Kind::Panic, "the work was lost"),
    };
    task.abort();
    if call.write {
        // The caller may hold a lock over this write: return only when it can no
        // longer happen, and say so if it did.
        let _ = runtime.block_on(task);
        while let Ok(event) = inbox.try_recv() {
            if let Event::Done(outcome) = event {
                return outcome;
            }
        }
    }
    Err(stopped)
}

/// Runs `work` here and turns a panic into a failure.
pub fn contain<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|payload| Err(panicked(payload.as_ref())))
}

thread_local! {
    static LAST_PANIC: RefCell<Option<String>> = const { RefCell::new(None) };
}

fn panicked(payload: &(dyn std::any::Any + Send)) -> Failure {
    let noted = LAST_PANIC.with(|last| last.borrow_mut().take());
    let message = noted.unwrap_or_else(|| {
        let said = payload.downcast_ref::<&str>().map(|s| s.to_string());
        said.or_else(|| payload.downcast_ref::<String>().cloned())
            .unwrap_or_else(|| "no message".into())
    });
    Failure::new(Kind::Panic, format!("panic inside the library: {message}"))
}

/// Once per process: panics are noted for their error instead of printed, and
/// the allocator is kept from giving every thread an arena of its own.
fn prepare() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        #[cfg(not(test))]
        std::panic::set_hook(Box::new(|info| {
            let text = info.to_string();
            LAST_PANIC.with(|last| *last.borrow_mut() = Some(text));
        }));
        #[cfg(all(target_os = "linux", target_env = "gnu"))]
        {
            unsafe extern "C" {
                fn mallopt(param: i32, value: i32) -> i32;
            }
            const M_ARENA_MAX: i32 = -8;
            // SAFETY: mallopt takes plain numbers and is safe to call at any time.
            unsafe { mallopt(M_ARENA_MAX, 2) };
        }
    });
}
