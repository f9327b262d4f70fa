//! Files that nobody would write, and files that somebody wrote against us.

use std::fs;

use proptest::prelude::*;

use super::*;

fn load_bytes(bytes: &[u8]) -> Result<Loaded, Mistakes> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("experiment.toml");
    fs::write(&path, bytes).expect("a file");
    fs::write(folder.path().join("pom.xml"), "<project/>").expect("a pom");
    load(&path, &LIMITS)
}

/// The whole answer, as `parade check` prints it.
fn answer(bytes: &[u8]) -> String {
    format!("{:?}", miette::Report::new(load_bytes(bytes).expect_err("a mistake")))
}

fn only_message(bytes: &[u8]) -> String {
    let mistakes = load_bytes(bytes).expect_err("a mistake");
    assert_eq!(mistakes.count(), 1, "{mistakes:?}");
    mistakes.entries()[0].message.clone()
}

#[test]
fn a_huge_file_is_refused_unread() {
    assert!(only_message(&vec![b'#'; 5 << 20]).ends_with("is larger than 4 MiB"));
    assert!(load(Path::new("/dev/zero"), &LIMITS).expect_err("endless").entries()[0].message.contains("4 MiB"));
}

#[test]
fn what_is_no_file_is_said_so() {
    for path in ["no/such/file.toml", "src", ""] {
        let mistakes = load(Path::new(path), &LIMITS).expect_err(path);
        assert!(mistakes.entries()[0].message.contains("cannot be read"), "{mistakes:?}");
        assert_eq!(mistakes.entries()[0].line, None);
    }
}

#[test]
fn deep_nesting_overflows_nothing() {
    let deep = 100_000;
    for text in [
        format!("a = {}", "[".repeat(deep)),
        "[".repeat(deep),
        format!("a = {}{}", "[".repeat(deep), "]".repeat(deep)),
        format!("a = {}", "{a = ".repeat(deep)),
        format!("{}a = 1", "a.".repeat(deep)),
        format!("[{}a]", "a.".repeat(deep)),
    ] {
        assert!(answer(text.as_bytes()).len() < 20_000);
    }
}

#[test]
fn an_answer_is_short_whatever_the_file() {
    let keys: String = (0..20_000).map(|key| format!("k{key} = 1\n")).collect();
    let line = format!("[experiment]\nname = \"{}\"", "x".repeat(1_000_000));
    let list = format!("[machine]\ncores = [{}]", "0,".repeat(50_000));
    let broken = "= ".repeat(100_000);
    let configurations: String =
        (0..20_000).map(|number| format!("[[configuration]]\nname = \"c{number}\"\n")).collect();
    let strangers: String = (0..20_000).map(|number| format!("\"x{number}\",")).collect();
    let pairs = format!("[[subject]]\nconfigurations = [{strangers}]\n{configurations}");
    for text in [keys, line, list, broken, pairs] {
        assert!(answer(text.as_bytes()).len() < 100_000);
    }
}

#[test]
fn too_many_trials_are_refused() {
    let subjects: String =
        (0..300).map(|number| format!("[[subject]]\nname = \"s{number}\"\npath = \".\"\n")).collect();
    let text = format!("{HEADER}repetitions = 1000\n{subjects}{SEQUENTIAL}");
    assert!(read(&text).expect_err("too many").entries()[0].message.contains("300000 trials"));
}

#[test]
fn bytes_that_are_not_utf8_have_a_place() {
    let mistakes = load_bytes(b"[experiment]\nname = \"caf\xe9\"\n").expect_err("latin-1");
    let mistake = &mistakes.entries()[0];
    assert_eq!((mistake.line, mistake.column), (Some(2), Some(12)));
    assert_eq!(mistake.message, "the byte 0xe9 is not UTF-8");
}

#[test]
fn a_byte_order_mark_and_windows_line_ends_do_no_harm() {
    let text = with_header("").replace('\n', "\r\n");
    assert!(load_bytes(format!("\u{feff}{text}").as_bytes()).is_ok());
    let mistakes = load_bytes("\u{feff}[experimant]\r\n".as_bytes()).expect_err("a typo");
    assert_eq!((mistakes.entries()[0].line, mistakes.entries()[0].column), (Some(1), Some(1)));
}

#[test]
fn a_file_cannot_steer_the_terminal() {
    let text = "[experiment]\n\"a\\u001b[31m\" = 1\nx = \"\u{1b}[2J\"\n";
    let mistakes = load_bytes(text.as_bytes()).expect_err("mistakes");
    let mut plain = String::new();
    miette::GraphicalReportHandler::new_themed(miette::GraphicalTheme::unicode_nocolor())
        .render_report(&mut plain, &mistakes)
        .expect("a page");
    assert!(!plain.contains('\u{1b}'), "{plain}");
}

/// Pieces of experiment files, so that random texts get past the parser.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "[experiment]\n",
        "[machine]\n",
        "[[subject]]\n",
        "[[configuration]]\n",
        "[analysis]\n",
        "[defaults]\n",
        "[subject.override.a]\n",
        "name = ",
        "git = ",
        "commit = ",
        "path = ",
        "model = ",
        "cores = ",
        "memory = ",
        "timeout = ",
        "parallel = ",
        "technique = ",
        "threads = ",
        "forks = ",
        "setup = ",
        "modules = ",
        "repetitions = ",
        "environment = ",
        "baseline = ",
        "\"a\"\n",
        "\"é\u{202e}\"\n",
        "\".\"\n",
        "\"paste\"\n",
        "\"classes\"\n",
        "3\n",
        "-1\n",
        "1e9\n",
        "99999999999999999999\n",
        "true\n",
        "[\"all\", 1]\n",
        "[[\"x\"]]\n",
        "{ a = \"b\" }\n",
        "\"1C\"\n",
        "\"3h\"\n",
        "1979-05-27\n",
        "\"\"\"\n",
        "\n",
        ".",
        "'",
        "\r\n",
        "#",
    ]);
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        if let Err(mistakes) = load_bytes(&bytes) {
            prop_assert!(mistakes.count() > 0);
            let _ = format!("{:?}", miette::Report::new(mistakes));
        }
    }

    #[test]
    fn no_file_makes_it_panic(text in pieces()) {
        match read(&text) {
            Ok(experiment) => { let _ = Outlook::of(&experiment, &Plan::of(&experiment)); }
            Err(mistakes) => {
                prop_assert!(mistakes.count() > 0);
                let _ = format!("{:?}", miette::Report::new(mistakes));
            }
        }
    }
}
