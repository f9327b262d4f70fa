//! Under fire: what befalls a run from outside and from its own subjects. Each test names one thing that must not hurt.
//! Figures of the long campaigns are in docs/hardening.md.

mod elements;
mod forged_records;
mod kills;
mod redirects;
mod rough_subjects;
mod yard;
