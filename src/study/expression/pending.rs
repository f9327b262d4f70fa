//! Until `stats` has them.
pub struct Line {
    pub slope: f64,
    pub intercept: f64,
}
pub fn harmonic_mean(x: &[f64]) -> Option<f64> {
    if x.is_empty() || x.iter().any(|x| *x <= 0.0) {
        return None;
    }
    Some(x.len() as f64 / x.iter().map(|x| 1.0 / x).sum::<f64>())
}
pub fn trimmed_mean(x: &[f64], share: f64) -> Option<f64> {
    if !(0.0..0.5).contains(&share) {
        return None;
    }
    let mut x = x.to_vec();
    x.sort_by(f64::total_cmp);
    let cut = (x.len() as f64 * share) as usize;
    crate::stats::mean(x.get(cut..x.len() - cut)?)
}
pub fn weighted_mean(x: &[f64], w: &[f64]) -> Option<f64> {
    let total: f64 = w.iter().sum();
    (total > 0.0).then(|| x.iter().zip(w).map(|(x, w)| x * w).sum::<f64>() / total)
}
pub fn line(x: &[f64], y: &[f64]) -> Option<Line> {
    let (mx, my) = (crate::stats::mean(x)?, crate::stats::mean(y)?);
    let sxx: f64 = x.iter().map(|x| (x - mx).powi(2)).sum();
    if sxx == 0.0 {
        return None;
    }
    let slope = x.iter().zip(y).map(|(x, y)| (x - mx) * (y - my)).sum::<f64>() / sxx;
    Some(Line { slope, intercept: my - slope * mx })
}
pub fn pearson(x: &[f64], y: &[f64]) -> Option<f64> {
    let sd = crate::stats::sample_sd(x)? / crate::stats::sample_sd(y).filter(|sd| *sd > 0.0)?;
    line(x, y).map(|line| line.slope * sd)
}
pub fn spearman(x: &[f64], y: &[f64]) -> Option<f64> {
    pearson(&ranks(x), &ranks(y))
}
fn ranks(x: &[f64]) -> Vec<f64> {
    x.iter()
        .map(|a| {
            x.iter()
                .map(|b| {
                    if b < a {
                        1.0
                    } else if b == a {
                        0.5
                    } else {
                        0.0
                    }
                })
                .sum::<f64>()
                + 0.5
        })
        .collect()
}
