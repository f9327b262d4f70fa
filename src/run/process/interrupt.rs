//! Ctrl-C and SIGTERM as a question that long work asks between its steps.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use miette::miette;
use signal_hook::consts::{SIGINT, SIGTERM};

/// The exit status of a program that was interrupted.
const INTERRUPTED: i32 = 130;

/// Whether the user wants parade to stop. Clones share one answer.
#[derive(Debug, Clone, Default)]
pub struct Interrupt {
    wanted: Arc<AtomicBool>,
}

impl Interrupt {
    /// One that only [`Interrupt::set`] sets.
    pub fn new() -> Self {
        Interrupt::default()
    }

    /// Catches SIGINT and SIGTERM. The second signal ends parade at once; its subject's processes die with it.
    pub fn install() -> miette::Result<Self> {
        let interrupt = Interrupt::new();
        for signal in [SIGINT, SIGTERM] {
            // Registered first, so that it still sees the flag unset at the first signal.
            signal_hook::flag::register_conditional_shutdown(signal, INTERRUPTED, Arc::clone(&interrupt.wanted))
                .and_then(|_| signal_hook::flag::register(signal, Arc::clone(&interrupt.wanted)))
                .map_err(|error| miette!("signal {signal} cannot be caught: {error}"))?;
        }
        Ok(interrupt)
    }

    pub fn set(&self) {
        self.wanted.store(true, Ordering::SeqCst);
    }

    pub fn is_set(&self) -> bool {
        self.wanted.load(Ordering::SeqCst)
    }
}
