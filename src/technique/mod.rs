//! technique
