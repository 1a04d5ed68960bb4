"""Uses the console of deploy/run in Chromium as a support agent does, without JavaScript, and checks what it shows.

Usage: console.py LINK"""

import re
import sys
from urllib.parse import urlsplit

from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.select import Select
from selenium.webdriver.support.wait import WebDriverWait

NARROW, WIDE = 320, 1600
# An edition that is not in the catalogue.
UNKNOWN = "com.example.daily.2031-01"
# A reader, an edition, and the sentence at the top of the page that explains it.
CAUSES = [
    ("ada@example.com", "com.example.daily.2026-11", "Opens: com.example.daily.2026-11 opens for this reader."),
    ("grace@example.com", "com.example.daily.2026-11",
     "Does not open: com.example.daily.2026-11 does not open for this reader, because this step fails: "
     "Subscription (subscription_lapsed)."),
    ("alan@example.com", "com.example.daily.2026-11",
     "Does not open: com.example.daily.2026-11 does not open for this reader, because this step fails: "
     "Subscription (subscription_lapsed)."),
    ("edsger@example.com", "com.example.daily.2026-11",
     "Does not open: com.example.daily.2026-11 does not open for this reader, because this step fails: "
     "Subscription (reader_suspended)."),
    ("ada@example.com", UNKNOWN,
     "Does not open: com.example.daily.2031-01 does not open for this reader, because this step fails: "
     "In the catalogue and published (unknown_edition)."),
]


def browser():
    options = webdriver.ChromeOptions()
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--window-size=1200,1600"):
        options.add_argument(argument)
    options.add_experimental_option("prefs", {"profile.managed_default_content_settings.javascript": 2})
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(options=options, service=webdriver.chrome.service.Service("/usr/bin/chromedriver"))


class Console:
    def __init__(self, driver, root):
        self.driver = driver
        self.root = root
        # What the user did since the first page, in order.
        self.interactions = []

    def open(self, path):
        self.driver.get(self.root + path)

    def text(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector).text

    def follow(self, element):
        """Clicks, and waits for the next page."""
        page = self.driver.find_element(By.TAG_NAME, "html").id
        self.interactions.append(f"press {element.text}")
        element.click()
        WebDriverWait(self.driver, 30).until(lambda driver: driver.find_element(By.TAG_NAME, "html").id != page)

    def button(self, text):
        return next(each for each in self.driver.find_elements(By.TAG_NAME, "button") if each.text == text)

    def link(self, text):
        return self.driver.find_element(By.LINK_TEXT, text)

    def enter(self, name, text):
        self.interactions.append(f"enter {name}")
        self.driver.find_element(By.NAME, name).send_keys(text)

    def find(self, query):
        self.open("/console")
        self.interactions = []
        self.enter("query", query)
        self.follow(self.button("Find"))

    def tab_to(self, name):
        """Moves the focus from the top of the page to a field, by the Tab key only."""
        for _ in range(40):
            self.driver.switch_to.active_element.send_keys(Keys.TAB)
            if self.driver.switch_to.active_element.get_attribute("name") == name:
                return
        raise SystemExit(f"console: the Tab key does not reach the field {name}")

    def explain(self, edition):
        choices = Select(self.driver.find_element(By.NAME, "edition"))
        if edition in [option.get_attribute("value") for option in choices.options]:
            self.interactions.append("choose edition")
            choices.select_by_value(edition)
        else:
            self.enter("other", edition)
        self.follow(self.button("Explain"))
        return self.text(".banner")

    def expect_no_scrolling(self, what):
        for width in (NARROW, WIDE):
            self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
                "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False})
            metrics = self.driver.execute_cdp_cmd("Page.getLayoutMetrics", {})
            beyond = metrics["cssContentSize"]["width"] - width
            expect(f"{what}: pixels beyond {width}", max(0, beyond), 0)
        self.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def check(link):
    root = "{0.scheme}://{0.netloc}".format(urlsplit(link))
    driver = browser()
    try:
        console = Console(driver, root)
        # A preview of the link, as a mail scanner makes it.
        driver.get(link)
        driver.get(link)
        expect("a cookie before the button", driver.get_cookies(), [])
        console.follow(console.button("Open the console"))
        expect("the first page", console.text("h1"), "Find a reader")
        cookie, = driver.get_cookies()
        expect("the cookie's name", bool(re.fullmatch("__Host-gatefold-console-[0-9a-f]{12}", cookie["name"])), True)
        expect("the cookie", [cookie[name] for name in ("name", "secure", "httpOnly", "sameSite", "path")],
               [cookie["name"], True, True, "Strict", "/"])
        console.expect_no_scrolling("start")
        for reader, edition, sentence in CAUSES:
            console.find(reader)
            found = console.explain(edition)
            expect(f"{reader}, {edition}", found.splitlines()[0], sentence)
            # Three clicks, beside the words that the user enters.
            is_listed = edition != UNKNOWN
            expect(f"{reader}: the interactions", console.interactions, [
                "enter query", "press Find", "choose edition" if is_listed else "enter other", "press Explain"])
        console.expect_no_scrolling("why")
        expect("steps", len(driver.find_elements(By.CSS_SELECTOR, "tbody tr")) >= 8, True)
        # With the keyboard only: from the top of the page to the field, and the skip link of the next page.
        console.open("/console")
        console.tab_to("query")
        driver.switch_to.active_element.send_keys("ada@example.com", Keys.ENTER)
        WebDriverWait(driver, 30).until(lambda _: console.text("h1").startswith("Reader "))
        driver.switch_to.active_element.send_keys(Keys.TAB)
        expect("the first stop of the keyboard", driver.switch_to.active_element.text, "Skip to the content")
        console.expect_no_scrolling("reader")
        # A change asks for a reason.
        console.follow(console.link("End all sessions"))
        console.expect_no_scrolling("confirmation")
        driver.find_element(By.NAME, "reason").send_keys("ticket 4711")
        console.follow(console.button("End all sessions"))
        expect("the change", console.text(".banner"), "Done: All sessions of the reader have ended.")
        for page in ("Backends", "Nodes", "Audit"):
            console.follow(console.link(page))
            expect("a list", console.text("h1"), page)
            console.expect_no_scrolling(page)
        expect("the audit log", "ticket 4711" in console.text("table"), True)
        console.open("/console/publications/daily/editions")
        console.expect_no_scrolling("editions")
        driver.get(link)
        console.follow(console.button("Open the console"))
        expect("a used link", console.text(".banner").startswith("Problem: The link was used before"), True)
        console.open("/console")
        console.follow(console.button("Sign out"))
        console.open("/console")
        expect("after the sign-out", console.text("h1"), "Sign in")
        expect("errors", [entry["message"] for entry in driver.get_log("browser") if "401" not in entry["message"]], [])
    finally:
        driver.quit()


def expect(what, found, expected):
    if found != expected:
        raise SystemExit(f"console: {what}: expected {expected!r}, found {found!r}")


if __name__ == "__main__":
    check(*sys.argv[1:])
    print("The console works", file=sys.stderr)
