//! The time that a configuration saves, as a part of the baseline's: the same facts as the speedups, read by another study.

use serde::Serialize;

use super::speedups::SpeedupRow;
use crate::stats::speed_judgement::SpeedJudgement;

#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct SavingRow {
    pub subject: String,
    pub configuration: String,
    pub cores: usize,
    /// (baseline − candidate) / baseline, in percent, from the means over the used pairs; negative if it became slower.
    pub saving_percent: Option<f64>,
    /// What the comparison shows; averages are over those that show anything.
    pub judgement: SpeedJudgement,
    /// Why there is none, as the speedup's cell shows it.
    pub reason: Option<String>,
}

pub(super) fn rows(speedups: &[SpeedupRow]) -> Vec<SavingRow> {
    let row = |row: &SpeedupRow| SavingRow {
        subject: row.subject.clone(),
        configuration: row.configuration.clone(),
        cores: row.cores,
        saving_percent: row.speedup.filter(|speedup| *speedup > 0.0).map(|speedup| (1.0 - 1.0 / speedup) * 100.0),
        judgement: row.judgement,
        reason: row.reason.clone(),
    };
    speedups.iter().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_the_time_is_a_saving_of_fifty_percent() {
        let speedup = |speedup| SpeedupRow { speedup, ..SpeedupRow::default() };
        let saved: Vec<Option<f64>> = rows(&[speedup(Some(2.0)), speedup(Some(0.5)), speedup(None)])
            .into_iter()
            .map(|row| row.saving_percent)
            .collect();
        assert_eq!(saved, [Some(50.0), Some(-100.0), None]);
    }
}
