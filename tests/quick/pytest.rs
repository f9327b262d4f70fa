//! The real program on projects for pytest, which nothing here needs.

use crate::common::desk::Desk;
use crate::common::pytests::{project, run};

#[test]
fn what_is_missing_is_named() {
    let desk = Desk::new();
    project(&desk, "shop", &[("pytest.ini", "[pytest]\n"), ("test_shop.py", "def test_a(): pass\n")]);
    let output = desk.command(["test", "shop"]).env("PARADE_PYTHON", "no-such-python").output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && told.contains("no-such-python"), "{told}");
    let (code, _, told) = run(&desk, &["test", "shop", "--module", "core"]);
    assert_eq!(code, Some(2), "{told}");
    assert!(told.contains("no modules"), "{told}");
}
