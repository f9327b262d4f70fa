//! Every function against SciPy and R, on the cases that `scripts/stats-reference.py` and `.R` wrote.

use super::*;

fn numbers(field: &str) -> Vec<f64> {
    field.split_whitespace().map(|number| number.parse().unwrap()).collect()
}

#[test]
fn wilcoxon_agrees_with_scipy() {
    let mut reader = csv::Reader::from_reader(include_str!("../../tests/data/wilcoxon.csv").as_bytes());
    for row in reader.records().map(Result::unwrap) {
        let pairs: Vec<_> = numbers(&row[1]).into_iter().zip(numbers(&row[2])).collect();
        let (statistic, p): (f64, f64) = (row[3].parse().unwrap(), row[4].parse().unwrap());
        let result = wilcoxon(&pairs).unwrap();
        assert!((result.statistic - statistic).abs() < 1e-9, "{}: {}", &row[0], result.statistic);
        assert!((result.p - p).abs() <= 1e-9 * p, "{}: {} for {p}", &row[0], result.p);
    }
}
