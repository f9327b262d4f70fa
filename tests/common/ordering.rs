//! `parade order`, run in a folder.

use std::fs;
use std::process::Output;

use serde_json::Value;

use super::desk::{Desk, bundled};

pub fn parade_order(desk: &Desk, arguments: &str) -> Output {
    desk.command(["order"].into_iter().chain(arguments.split_whitespace())).output().unwrap()
}

/// The exit code and the document.
pub fn order(desk: &Desk, arguments: &str) -> (Option<i32>, Value) {
    let output = parade_order(desk, &format!("{arguments} --json"));
    let document = serde_json::from_slice(&output.stdout);
    let document = document.unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)));
    (output.status.code(), document)
}

/// A shop with two tests, and a repository around it.
pub fn shop(desk: &Desk) {
    let pom = fs::read_to_string(bundled("order-across-classes").join("pom.xml")).unwrap();
    fs::create_dir_all(desk.path("shop/src/main/java/shop")).unwrap();
    fs::create_dir_all(desk.path("shop/src/test/java/shop")).unwrap();
    desk.write("shop/pom.xml", &pom);
    desk.write(STOCK, STOCK_TEXT);
    desk.write(STOCK_TEST, STOCK_TEST_TEXT);
    let repository = git2::Repository::init(desk.path("shop")).unwrap();
    let mut index = repository.index().unwrap();
    index.add_all(["*"], git2::IndexAddOption::DEFAULT, None).unwrap();
    index.write().unwrap();
    let tree = repository.find_tree(index.write_tree().unwrap()).unwrap();
    let author = git2::Signature::now("A", "a@example.org").unwrap();
    repository.commit(Some("HEAD"), &author, &author, "a shop", &tree, &[]).unwrap();
}

pub const STOCK: &str = "shop/src/main/java/shop/Stock.java";
pub const STOCK_TEXT: &str = "package shop;

public class Stock {
    private int count;

    public void fill(int more) {
        count += more;
    }

    public boolean isEmpty() {
        return count == 0;
    }
}
";
pub const STOCK_TEST: &str = "shop/src/test/java/shop/StockTest.java";
pub const STOCK_TEST_TEXT: &str = "package shop;

import org.junit.Assert;
import org.junit.Test;

public class StockTest {
    @Test
    public void begins() {
        Assert.assertTrue(new Stock().isEmpty());
    }

    @Test
    public void fills() {
        Stock stock = new Stock();
        stock.fill(3);
        Assert.assertFalse(stock.isEmpty());
    }
}
";
