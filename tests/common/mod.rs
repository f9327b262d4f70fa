//! What tests of both binaries use.

pub mod desk;
pub mod detecting;
pub mod histories;
pub mod ordering;
pub mod pytests;
pub mod testing;
