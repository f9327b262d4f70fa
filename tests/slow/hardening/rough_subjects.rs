//! Subjects that would take a machine with them: through Maven, as their own tests do it.

use std::fmt::Write as _;
use std::time::Instant;

use super::yard::{Yard, stderr};

const PASSING: &str = "@Test public void passes() {}";

fn verdicts(yard: &Yard) -> Vec<String> {
    yard.trials().iter().map(|trial| trial["verdict"].as_str().unwrap_or_default().to_owned()).collect()
}

#[test]
fn a_test_that_forks_without_end_is_ended_with_all_its_processes() {
    let bomb = "@Test public void forks() throws Exception {\n\
        for (int i = 0; i < 400; i++) {\n\
        try { new ProcessBuilder(\"sleep\", \"600\").start(); } catch (java.io.IOException e) { break; }\n}\n\
        Thread.sleep(600000);\n}";
    let Some(yard) = Yard::new(&[("BombTest", bomb.to_owned())]) else { return };
    yard.experiment(1, "timeout = '25s'", "");
    let ended = yard.command(&[]).env("PARADE_MAX_TASKS", "250").output().unwrap();
    assert!(ended.status.success(), "{}", stderr(&ended));
    // It is ended when its time is up, unless what it is refused breaks it before.
    let verdict = verdicts(&yard).pop().unwrap_or_default();
    assert!(["timed_out", "failing", "crashed", "lost_tests"].contains(&verdict.as_str()), "{verdict}");
    yard.assert_nothing_left("a fork bomb");
}

#[test]
fn a_test_that_eats_memory_is_ended_at_its_limit() {
    let glutton = "@Test public void eats() throws Exception {\n\
        java.util.List<java.nio.ByteBuffer> hoard = new java.util.ArrayList<>();\n\
        for (int i = 0; i < 40; i++) {\n\
        java.nio.ByteBuffer part = java.nio.ByteBuffer.allocateDirect(64 << 20);\n\
        while (part.hasRemaining()) part.put((byte) 1);\n\
        hoard.add(part);\n}\n}";
    let Some(yard) = Yard::new(&[("GluttonTest", glutton.to_owned()), ("OtherTest", PASSING.to_owned())]) else {
        return;
    };
    yard.experiment(1, "timeout = '60s'\nmemory = '900MiB'", "");
    let ended = yard.run(&[]);
    assert!(ended.status.success(), "{}", stderr(&ended));
    let trial = yard.trials().pop().unwrap();
    assert!(matches!(trial["verdict"].as_str(), Some("crashed" | "lost_tests" | "failing")), "{trial}");
    let peak = trial["cost"]["peak_memory_bytes"].as_u64().unwrap();
    assert!(peak < 1200 << 20, "{peak}");
    yard.assert_nothing_left("a memory eater");
}

#[test]
fn a_process_that_ignores_sigterm_is_killed() {
    let stubborn = "@Test public void starts() throws Exception {\n\
        new ProcessBuilder(\"sh\", \"-c\", \"trap '' TERM INT HUP; while :; do sleep 600; done\").start();\n\
        Thread.sleep(600000);\n}";
    let Some(yard) = Yard::new(&[("StubbornTest", stubborn.to_owned())]) else { return };
    yard.experiment(1, "timeout = '20s'", "");
    let ended = yard.run(&[]);
    assert!(ended.status.success(), "{}", stderr(&ended));
    assert_eq!(verdicts(&yard), ["timed_out"]);
    yard.assert_nothing_left("a stubborn process");
}

#[test]
fn five_thousand_tests_are_one_record_each() {
    let mut hundred = String::new();
    for number in 0..100 {
        writeln!(hundred, "@Test public void t{number}() {{}}").unwrap();
    }
    let names: Vec<String> = (0..50).map(|number| format!("Large{number}Test")).collect();
    let classes: Vec<(&str, String)> = names.iter().map(|name| (name.as_str(), hundred.clone())).collect();
    let Some(yard) = Yard::new(&classes) else { return };
    let parallel =
        "[[configuration]]\nname = 'both'\ntechnique = 'paste'\nparallel = 'classesAndMethods'\nthreads = 4\n";
    yard.experiment(1, "", parallel);
    let begin = Instant::now();
    let ended = yard.run(&[]);
    assert!(ended.status.success(), "{}", stderr(&ended));
    let trials = yard.trials();
    for trial in &trials {
        assert_eq!((&trial["verdict"], &trial["tally"]["passed"]), (&"clean".into(), &5000.into()), "{trial}");
        let (wall, tests) = (&trial["cost"]["wall_seconds"], &trial["test_seconds"]);
        println!("5,000 tests, {}: {wall} s in all, {tests} s from first to last test", trial["configuration"]);
    }
    assert_eq!(trials.len(), 2);
    println!("build, discovery, two trials and the report: {:.1} s", begin.elapsed().as_secs_f64());
}
