//! Statistics: pure functions on slices of numbers, each documented with its formula.
//!
//! Nothing here knows a file, a test or a trial. A function that has no answer for its input (an empty slice, a sample
//! of one where spread is asked for) says so with `None`; none of them panics.

mod effect;
mod multiple;
mod ratio;
mod summary;
mod wilcoxon;

pub use effect::{a12, rank_biserial};
pub use multiple::holm;
pub use ratio::{Interval, RESAMPLES, ratio_interval, ratio_of_means};
pub use summary::{BoxPlot, box_plot, coefficient_of_variation, geometric_mean, mean, median, quantile, sample_sd};
pub use wilcoxon::{EXACT_UP_TO, Method, Wilcoxon, smallest_reachable_p, wilcoxon};
