"""Opens a report and uses it as a person would. Called by scripts/browser-test."""

import sys

from playwright.sync_api import expect, sync_playwright

browser_path, page_path = sys.argv[1:3]
address = f"file://{page_path}"
troubles = []


def check(condition, text):
    if not condition:
        troubles.append(text)


def column(page, block, index):
    cells = page.locator(f"{block} tbody").first.locator(f"tr > :nth-child({index})")
    return [text.strip() for text in cells.all_text_contents()]


def values(page, block, index):
    """What a column is sorted by; what is no number is left out."""
    read = "cells => cells.map(cell => Number(cell.dataset.v ?? cell.textContent))"
    cells = page.locator(f"{block} tbody").first.locator(f"tr > :nth-child({index})")
    return [number for number in cells.evaluate_all(read) if number == number]


def block_of(page, title):
    """The table of this title, by the id that its block has."""
    block = page.locator(".block", has=page.locator("h3", has_text=title)).first
    return f"#{block.get_attribute('id')}"


def nothing_goes_wrong(page, requests, errors):
    check(not errors, f"the console is not silent: {errors}")
    others = [each for each in requests if each != address and not each.startswith("blob:")]
    check(not others, f"the page asks for {others}")


def sorting(page):
    block = block_of(page, "Speedup over sequential")
    head = page.locator(f"{block} thead tr").last.locator("th").nth(1)
    head.locator("button").click()
    check(head.get_attribute("aria-sort") == "ascending", "a click does not sort")
    rising = values(page, block, 2)
    check(len(rising) > 3 and rising == sorted(rising), f"not ascending: {rising}")
    head.locator("button").focus()
    page.keyboard.press("Enter")
    check(head.get_attribute("aria-sort") == "descending", "the keyboard does not sort")
    falling = values(page, block, 2)
    check(falling == sorted(rising, reverse=True), f"not descending: {falling}")
    summary = page.locator(f"{block} tbody").last.locator("tr").first
    check("summary" in (summary.get_attribute("class") or ""), "sums do not stay below")
    page.keyboard.press("Enter")
    check(head.get_attribute("aria-sort") is None, "the original order does not come back")
    check(column(page, block, 1)[0] == "markup", "the original order is another one")


def filtering(page):
    block = block_of(page, "Speedup over sequential")
    page.locator(f"{block} input[type=search]").fill("SIZE two")
    check(column(page, block, 1) == ["size-two"], f"one table's filter leaves {column(page, block, 1)}")
    check("1 of 5 rows" in page.locator(f"{block} .count").inner_text(), "the number of rows is not told")
    page.locator(f"{block} input[type=search]").fill("")
    page.locator("#filter-all").fill("size-three")
    expect(page.locator("#filter-count")).not_to_be_empty()
    for title in ["Speedup over sequential", "Failures after each stage", "Time saved"]:
        names = column(page, block_of(page, title), 1)
        check(names == ["size-three"], f"the filter of all tables leaves {names} in {title}")
    page.locator("#filter-all").fill("")
    expect(page.locator("#filter-count")).to_be_empty()
    check(len(column(page, block, 1)) == 5, "rows do not come back")


def widths(page):
    """No table is cut: one that is wider than its box scrolls there, and says so."""
    before = page.viewport_size
    for width in [1200, 800, 400]:
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_timeout(200)
        whole = page.evaluate("document.documentElement.scrollWidth")
        check(whole <= width, f"at {width} the page is {whole} wide")
        read = """tables => tables.map(table => {
            const box = table.closest(".scroll"), style = box && getComputedStyle(box);
            const wider = box && box.scrollWidth > box.clientWidth + 1;
            const said = box && getComputedStyle(box, "::after").content.includes("scroll");
            return !!box && (style.overflowX === "auto") && (!wider || said);
        })"""
        fine = page.locator("table").evaluate_all(read)
        check(fine and all(fine), f"at {width} tables are cut: {fine}")
    page.set_viewport_size(before)


def raw_data(page):
    with page.expect_download() as waiting:
        page.locator("a[data-csv=speedups]").first.click()
    text = open(waiting.value.path(), encoding="utf-8").read()
    check(text.startswith("subject,configuration,cores,"), f"the CSV begins with {text[:40]!r}")
    check(waiting.value.suggested_filename == "speedups.csv", "the CSV has another name")


def markup_is_text(page):
    check(page.locator("img").count() == 0, "a name became an image")
    check(page.locator("script").count() == 2, "a name became a script")
    check(page.locator("#failures td", has_text="onerror=alert(1)").count() > 0, "the name is not shown")


def timelines(page):
    chooser = page.locator("#timeline-trial")
    check(chooser.locator("option").count() == 5 * 3 * 2, "not every trial can be chosen")
    label = chooser.locator("option", has_text="markup · methods").first.inner_text()
    chooser.select_option(label=label)
    bars = page.locator("#timeline-plot rect.run")
    check(bars.count() >= 5, f"the timeline has {bars.count()} bars")
    titles = page.locator("#timeline-plot rect.run title").all_text_contents()
    check(any("<img src=x" in title for title in titles), "a bar does not tell its test")
    check(page.locator("#timeline-plot line.stage").count() >= 2, "stages are not drawn")


def schemes(page):
    paper = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(paper)
    button = page.locator("#scheme")
    button.click()
    button.click()
    check(page.evaluate(paper) != light, "dark looks like light")
    page.reload()
    check(page.evaluate(paper) != light, "the choice does not survive a reload")
    button.click()
    check(page.evaluate(paper) == light, "auto is not back")


def study(page):
    check(page.locator(".verdict", has_text="Does it reproduce the study?").count() == 1, "no verdict on the study")
    check(page.locator("#study .published").count() > 0, "nothing published stands beside own values")


def without_script(browser):
    page = browser.new_context(java_script_enabled=False).new_page()
    page.goto(address)
    check(page.locator("#speed td").count() > 10, "without the script there is no table")
    check(page.locator("#timeline-plot svg").count() == 1, "without the script there is no timeline")
    check(not page.locator("#tools").is_visible(), "tools are shown that need the script")


with sync_playwright() as playwright:
    browser = playwright.chromium.launch(executable_path=browser_path, args=["--no-sandbox"])
    page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
    requests, errors = [], []
    page.on("request", lambda request: requests.append(request.url))
    page.on("console", lambda message: errors.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("dialog", lambda dialog: (errors.append("a dialog"), dialog.dismiss()))
    page.goto(address)
    for step in [sorting, filtering, widths, raw_data, markup_is_text, timelines, study, schemes]:
        step(page)
    nothing_goes_wrong(page, requests, errors)
    without_script(browser)
    browser.close()

for trouble in troubles:
    print(trouble, file=sys.stderr)
print("the report works in a browser" if not troubles else f"{len(troubles)} things do not work", file=sys.stderr)
sys.exit(1 if troubles else 0)
