//! Tests that run Maven, or take minutes: only where they are asked for.

/// Are they wanted? Says so where they are not.
pub fn is_wanted(what: &str) -> bool {
    let wanted = std::env::var("PARADE_SLOW_TESTS").is_ok_and(|value| value == "1");
    if !wanted {
        println!("{what}: skipped, as it runs Maven; set PARADE_SLOW_TESTS=1");
    }
    wanted
}
