//! `parade detect`: the real program on bundled subjects and other Java projects.

use std::fs;

use serde_json::Value;

use crate::common::desk::{Desk, bundled};
use crate::common::detecting::{detected, entry};
use crate::turn;

/// A real suite with dependencies in both directions, within classes and across them.
#[test]
fn bundled_subjects_are_seen_through() {
    let Some(_turn) = turn::beside_others("bundled_subjects_are_seen_through") else { return };
    let desk = Desk::with_downloads();
    let detected = |name: &str| {
        let subject = bundled(name);
        detected(&desk, &[subject.to_str().unwrap(), "--budget", "5m"])
    };
    let within = detected("order-within-class");
    let last = entry(&within, "bank.AccountTest#c_depositsFiveMore");
    let group = ["bank.AccountTest#a_opensTheAccount", "bank.AccountTest#b_depositsTen"];
    assert_eq!(last["state_setter_groups"], serde_json::json!([group]));
    let across = detected("order-across-classes");
    let tea = entry(&across, "shop.SaleTest#sellsTea");
    assert_eq!((&tea["kind"], &tea["complete"]), (&"brittle".into(), &true.into()));
    assert_eq!(tea["state_setters"], serde_json::json!(["shop.ArrivalTest#bringsTea"]));
    assert_eq!(across["order_dependent"].as_array().unwrap().len(), 1);
}

/// JUnit makes an instance anew whenever a class is entered: that is no dependence on the order of classes.
#[test]
fn instances_that_junit_makes_anew_are_no_finding() {
    let Some(_turn) = turn::beside_others("instances_that_junit_makes_anew_are_no_finding") else { return };
    let desk = Desk::with_downloads();
    let subject = bundled("ordered-instances");
    let strategies = ["--strategy", "reverse,random-interleaved", "--rounds", "3", "--budget", "1m"];
    let document = detected(&desk, &[&[subject.to_str().unwrap()], &strategies[..]].concat());
    let found = document["order_dependent"].as_array().unwrap();
    let named: Vec<&str> = found.iter().filter_map(|test| test["test"].as_str()).collect();
    assert_eq!(named, ["pantry.JarTest#isOpened", "pantry.JarTest#isSharedOut"], "{document}");
    for test in found {
        assert_eq!((&test["declared_order"], &test["kind"]), (&true.into(), &"brittle".into()), "{test}");
        assert_eq!(test["polluters"], serde_json::json!([]), "{test}");
    }
    assert_eq!(document["project"]["name"], "ordered-instances");
}

/// Dependencies through a field, what a final field holds, a file, a property, and a property that an initialiser reads.
#[test]
fn what_java_tests_share_is_seen() {
    let Some(_turn) = turn::beside_others("what_java_tests_share_is_seen") else { return };
    let desk = Desk::with_downloads();
    let subject = bundled("shares-state");
    let document = detected(&desk, &[subject.to_str().unwrap(), "--strategy", "dependence-aware", "--k", "2"]);
    // Five tests that read what another writes, and their pairs. Who only asks the tray for a letter does not write it.
    let tried = serde_json::json!([{"strategy": "dependence-aware", "orders": 10, "planned": 10, "possible": 169}]);
    assert_eq!(document["strategies"], tried);
    assert_eq!(document["order_dependent"].as_array().unwrap().len(), 5);
    for (victim, polluter) in [
        ("office.ArchiveTest#isEmpty", "office.LetterTest#keepsALetter"),
        ("office.BriefingTest#isInEnglish", "office.VisitTest#speaksFrench"),
        ("office.InvoiceTest#hasTheUsualTax", "office.ReformTest#raisesTheTax"),
        ("office.MoodTest#isPlain", "office.PartyTest#isMerry"),
    ] {
        assert_eq!(entry(&document, victim)["polluters"], serde_json::json!([polluter]), "{victim}");
    }
    let taken = entry(&document, "office.PostTest#isTaken");
    assert_eq!(taken["state_setters"], serde_json::json!(["office.PostTest#arrives"]));
}

const POM: &str = "<project><modelVersion>4.0.0</modelVersion><groupId>g</groupId><artifactId>rough</artifactId><version>1</version>
<properties><maven.compiler.source>8</maven.compiler.source><maven.compiler.target>8</maven.compiler.target>
<project.build.sourceEncoding>UTF-8</project.build.sourceEncoding></properties>
<dependencies><dependency><groupId>junit</groupId><artifactId>junit</artifactId><version>4.13.2</version><scope>test</scope></dependency></dependencies>
</project>";

/// Polluters, a cleaner, and a test that ends its process, each only after another test.
const ROUGH: &str = "package rough;
import static org.junit.Assert.*;
import org.junit.*;
import org.junit.runners.MethodSorters;
@FixMethodOrder(MethodSorters.NAME_ASCENDING)
public class RoughTest {
    static int state;
    static boolean armed;
    @Test public void a_exits() { if (armed) System.exit(3); }
    @Test public void b_victim() { assertEquals(0, state); }
    @Test public void c_cleans() { state = 0; }
    @Test public void d_pollutes() { state = 1; }
    @Test public void e_pollutesToo() { state = 2; }
    @Test public void f_arms() { armed = true; }
}
";

/// Two of these cannot run at the same time, whatever the order.
const PORT: &str = "package rough;
public class PortTest {
    @org.junit.Test public void bindsAPort() throws Exception {
        try (java.net.ServerSocket socket = new java.net.ServerSocket(PORT_NUMBER)) { Thread.sleep(300); }
    }
}
";

/// Somebody has just had it, and let it go.
fn free_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

#[test]
fn rough_tests_are_seen_through_and_none_is_accused_for_its_company() {
    let Some(_turn) = turn::beside_others("rough_tests_are_seen_through_and_none_is_accused_for_its_company") else {
        return;
    };
    let desk = Desk::with_downloads();
    let folder = desk.path("rough/src/test/java/rough");
    fs::create_dir_all(&folder).unwrap();
    fs::write(desk.path("rough/pom.xml"), POM).unwrap();
    fs::write(folder.join("RoughTest.java"), ROUGH).unwrap();
    fs::write(folder.join("PortTest.java"), PORT.replace("PORT_NUMBER", &free_port().to_string())).unwrap();
    let document = detected(&desk, &["rough", "--budget", "5m"]);
    let victim = entry(&document, "rough.RoughTest#b_victim");
    assert_eq!((&victim["kind"], &victim["complete"]), (&"victim".into(), &true.into()));
    let polluters = ["rough.RoughTest#d_pollutes", "rough.RoughTest#e_pollutesToo"];
    assert_eq!(victim["polluters"], serde_json::json!(polluters));
    assert_eq!(victim["cleaners"], serde_json::json!(["rough.RoughTest#c_cleans"]));
    let exits = entry(&document, "rough.RoughTest#a_exits");
    assert_eq!(exits["polluters"], serde_json::json!(["rough.RoughTest#f_arms"]));
    assert_eq!(document["order_dependent"].as_array().unwrap().len(), 2, "{document}");
    assert_eq!(document["accidents"][0]["test"], "rough.RoughTest#a_exits");
    assert_eq!(document["flaky"], Value::Array(vec![]));
}
