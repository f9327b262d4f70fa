//! Under fire: what befalls a run from outside and from its own subjects. Each test names one thing that must not hurt.
//! Figures of the long campaigns are in docs/hardening.md.

#[path = "hardening/elements.rs"]
mod elements;
#[path = "hardening/forged_records.rs"]
mod forged_records;
#[path = "hardening/kills.rs"]
mod kills;
#[path = "hardening/records.rs"]
mod records;
#[path = "hardening/redirects.rs"]
mod redirects;
#[path = "hardening/rough_subjects.rs"]
mod rough_subjects;
mod slow;
#[path = "hardening/yard.rs"]
mod yard;
