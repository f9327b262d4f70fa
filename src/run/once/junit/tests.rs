use super::*;
use crate::suite::TestId;
use proptest::prelude::*;
use quick_xml::Reader;

fn attempt(stage: u32, outcome: Outcome, message: Option<&str>) -> Attempt {
    Attempt { stage, outcome, seconds: 0.25, message: message.map(str::to_owned), display: None }
}

fn story(id: &str, attempts: &[(Outcome, Option<&str>)]) -> TestStory {
    let attempts = attempts.iter().zip(1..).map(|(&(outcome, message), stage)| attempt(stage, outcome, message));
    TestStory { test: id.parse().unwrap(), attempts: attempts.collect() }
}

/// Elements with their attributes as they are read back, deeper ones indented; texts between quotes.
fn outline(document: &[u8]) -> String {
    let text = std::str::from_utf8(document).unwrap();
    let mut reader = Reader::from_str(text);
    let (mut lines, mut depth, mut value) = (String::new(), 0, String::new());
    loop {
        match reader.read_event().unwrap() {
            Event::Start(tag) => {
                lines.push_str(&line(&tag, depth));
                depth += 1;
                value.clear();
            }
            Event::Empty(tag) => lines.push_str(&line(&tag, depth)),
            Event::Text(part) => value.push_str(&part),
            Event::GeneralRef(entity) => value.push_str(&format!("&{};", &*entity)),
            Event::End(_) => {
                if !value.trim().is_empty() {
                    lines.push_str(&format!("{}{:?}\n", "  ".repeat(depth), value.trim()));
                }
                value.clear();
                depth -= 1;
            }
            Event::Eof => return lines,
            _ => {}
        }
    }
}

fn line(tag: &BytesStart<'_>, depth: usize) -> String {
    let attributes = tag.attributes().map(|attribute| {
        let attribute = attribute.unwrap();
        let value = attribute.normalized_value(quick_xml::XmlVersion::Implicit1_0).unwrap();
        format!(" {}={value:?}", attribute.key.as_ref())
    });
    format!("{}{}{}\n", "  ".repeat(depth), tag.name().as_ref(), attributes.collect::<String>())
}

fn of(stories: &[TestStory]) -> String {
    outline(&document("a.B", &stories.iter().collect::<Vec<_>>()).unwrap())
}

#[test]
fn every_way_to_end_is_told_as_surefire_tells_it() {
    use Outcome::{Crashed, Error, Failed, NotRun, Passed, Skipped};
    let trace = Some("java.lang.AssertionError: expected <1>\n but was <2>\n\tat a.B.f(B.java:1)\n");
    let stories = [
        story("a.B#passes", &[(Passed, None)]),
        story("a.B#flaky", &[(Failed, trace), (Passed, None)]),
        story("a.B#fails~2", &[(Failed, trace), (Failed, Some("x.Y$Z")), (Failed, Some("no class: at all"))]),
        story("a.B#breaks", &[(Error, Some("java.io.IOException"))]),
        story("a.B#skipped", &[(Skipped, Some("not today\nor ever"))]),
        story("a.B#dies", &[(Crashed, None), (Error, None)]),
        story("a.B#lost", &[(NotRun, None)]),
    ];
    insta::assert_snapshot!(of(&stories));
}

#[test]
fn hostile_names_and_messages_come_back_as_they_were() {
    let hostile = "]]>&<>\"'\u{1b}[31m\u{0}\u{fffe}\n\té ☃";
    let test = TestId::new("", "a.B", hostile, 1);
    let attempts = vec![attempt(1, Outcome::Failed, Some(&format!("E: {hostile}\n\tat x")))];
    let document = document("a.B", &[&TestStory { test, attempts }]).unwrap();
    let text = outline(&document);
    let spelt = "]]>&<>\"'\\u001b[31m\\u0000\\ufffe\n\té ☃";
    assert!(text.contains(&format!("name={spelt:?}")), "{text}");
    assert!(text.contains(&format!("message={spelt:?}")), "{text}");
}

#[test]
fn reports_stay_in_their_folder_whatever_modules_and_classes_are_called() {
    let folder = tempfile::tempdir().unwrap();
    let reports = folder.path().join("reports");
    let passed = [(Outcome::Passed, None)];
    let mut stories: Vec<TestStory> = ["a.B#x", "web/api:a.B#x"].iter().map(|id| story(id, &passed)).collect();
    for (module, class) in [("../../out", "a/../../b"), ("", "..")] {
        stories.push(TestStory { test: TestId::new(module, class, "x", 1), ..stories[0].clone() });
    }
    stories.push(TestStory { test: TestId::new("", &"é".repeat(500), "x", 1), ..stories[0].clone() });
    assert_eq!(write(&reports, &stories, &KeptReports::default()).unwrap(), 5);
    let mut files = Vec::new();
    collect(folder.path(), folder.path(), &mut files);
    files.sort();
    let long = files.iter().position(|file| file.len() > 100).unwrap();
    assert!(files.remove(long).starts_with("reports/TEST-éé"));
    let expected = [
        "reports/%2e%2e/%2e%2e/out/TEST-a%2f..%2f..%2fb.xml",
        "reports/.parade-reports",
        "reports/TEST-%2e%2e.xml",
        "reports/TEST-a.B.xml",
        "reports/web/api/TEST-a.B.xml",
    ];
    assert_eq!(files, expected);
}

#[test]
fn only_what_parade_wrote_is_cleared() {
    let folder = tempfile::tempdir().unwrap();
    let reports = folder.path().join("reports");
    let story = story("m:a.B#x", &[(Outcome::Passed, None)]);
    write(&reports, &[story], &KeptReports::default()).unwrap();
    let others = ["reports/TEST-mine.xml", "outside.xml", "TEST-outside.xml", "reports/m2/TEST-a.B.xml"];
    fs::create_dir(reports.join("m2")).unwrap();
    others.iter().for_each(|file| fs::write(folder.path().join(file), "x").unwrap());
    let mut list = fs::read_to_string(reports.join(LIST)).unwrap();
    list.push_str("../TEST-outside.xml\n/etc/TEST-x.xml\nTEST-gone.xml\n.parade-reports\n");
    fs::write(reports.join(LIST), list).unwrap();
    clear(&reports).unwrap();
    assert!(others.iter().all(|file| folder.path().join(file).is_file()));
    assert!(!reports.join("m").exists(), "the report and its folder are gone");
    clear(&folder.path().join("nowhere")).unwrap();
}

fn collect(root: &Path, folder: &Path, found: &mut Vec<String>) {
    for entry in folder.read_dir().unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(root, &path, found);
        } else {
            found.push(path.strip_prefix(root).unwrap().to_string_lossy().into_owned());
        }
    }
}

proptest! {
    #[test]
    fn no_text_makes_a_document_that_cannot_be_read(name in "\\PC*|[\\x00-\\x20<&\\]>]{0,20}", message in any::<String>()) {
        let test = TestId::new("", "a.B", &name, 1);
        let attempts = vec![attempt(1, Outcome::Failed, Some(&message)), attempt(2, Outcome::Passed, None)];
        outline(&document("a.B", &[&TestStory { test, attempts }]).unwrap());
    }
}
