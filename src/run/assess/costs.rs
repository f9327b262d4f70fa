//! What the answer means in a month: hours that people wait, hours of machines, money.

use serde::Serialize;

/// Of a month, as bills have it.
const DAYS: f64 = 30.0;
const HOUR: f64 = 3600.0;

/// What only the team knows.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Rates {
    pub builds_per_day: f64,
    /// Without one, nothing is said of money.
    pub price_per_core_hour: Option<f64>,
    /// As the user writes it, e.g. `EUR`.
    pub currency: Option<String>,
}

/// Means of one run of the suite.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Use {
    pub wall_seconds: f64,
    pub cpu_seconds: f64,
}

/// Per month; below zero where it gets worse.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Costs {
    #[serde(flatten)]
    pub rates: Rates,
    pub seconds_saved_per_build: f64,
    pub hours_saved_per_month: f64,
    /// A machine of so many cores is occupied for a shorter time.
    pub core_hours_saved_per_month: f64,
    /// In the user's currency.
    pub money_saved_per_month: Option<f64>,
    /// Work that parallel runs cost more: a measure of energy.
    pub extra_cpu_seconds_per_build: f64,
    pub extra_cpu_percent: f64,
    pub extra_cpu_hours_per_month: f64,
}

pub fn costs(before: Use, after: Use, cores: usize, rates: &Rates) -> Costs {
    let builds = rates.builds_per_day * DAYS;
    let saved = before.wall_seconds - after.wall_seconds;
    let extra = after.cpu_seconds - before.cpu_seconds;
    let core_hours = saved * builds / HOUR * cores as f64;
    Costs {
        rates: rates.clone(),
        seconds_saved_per_build: saved,
        hours_saved_per_month: saved * builds / HOUR,
        core_hours_saved_per_month: core_hours,
        money_saved_per_month: rates.price_per_core_hour.map(|price| core_hours * price),
        extra_cpu_seconds_per_build: extra,
        extra_cpu_percent: if before.cpu_seconds > 0.0 { extra / before.cpu_seconds * 100.0 } else { 0.0 },
        extra_cpu_hours_per_month: extra * builds / HOUR,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_minute_saved_twenty_times_a_day_is_ten_hours_a_month() {
        let before = Use { wall_seconds: 120.0, cpu_seconds: 100.0 };
        let after = Use { wall_seconds: 60.0, cpu_seconds: 110.0 };
        let rates = Rates { builds_per_day: 20.0, price_per_core_hour: Some(0.5), currency: None };
        let costs = costs(before, after, 4, &rates);
        assert!((costs.hours_saved_per_month - 10.0).abs() < 1e-9);
        assert!((costs.core_hours_saved_per_month - 40.0).abs() < 1e-9);
        assert!((costs.money_saved_per_month.unwrap() - 20.0).abs() < 1e-9);
        assert!((costs.extra_cpu_percent - 10.0).abs() < 1e-9);
        assert!((costs.extra_cpu_hours_per_month - 10.0 * 600.0 / 3600.0).abs() < 1e-9);
    }
}
