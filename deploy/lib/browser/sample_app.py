"""Uses the sample reading app of deploy/run in Chromium as a reader does, and checks what it shows.

Usage: sample_app.py URL EDITION"""

import re
import sys

from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.support.wait import WebDriverWait


PASSWORDS = ["analytical engine", "nanosecond", "bombe", "shortest path", "difference engine"]
NOT_INCLUDED = "Your subscription does not include this edition."
ALL = ["Included", "Included", "Included"]
# The button that signs a reader in, what the page then shows of the session and of each edition, the newest first, and of a
# download of the newest one.
READERS = [
    ("Active subscription", "Subscription: active.", ALL, "N bytes. Save"),
    ("Lapsed subscription", "Subscription: inactive. Your subscription has ended. What you hold stays yours.",
     ["Not included", "Included", "Included"], NOT_INCLUDED),
    ("One edition", "Subscription: inactive. Your subscription has ended. What you hold stays yours.",
     ["Not included", "Included", "Included"], NOT_INCLUDED),
    ("Suspended", "Subscription: suspended.", ["Not included", "Not included", "Not included"], NOT_INCLUDED),
    ("Wrong password", "These details were not recognised.", ["", "", ""], "The gate refused: 403."),
]


def browser():
    options = webdriver.ChromeOptions()
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--window-size=1200,1600"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(options=options, service=webdriver.chrome.service.Service("/usr/bin/chromedriver"))


class App:
    def __init__(self, driver, url):
        self.driver = driver
        self.wait = WebDriverWait(driver, 60)
        driver.get(url)
        self.wait.until(lambda driver: driver.find_elements(By.CSS_SELECTOR, "#shelf li"))

    def press(self, text):
        """Presses a button, and waits until its calls have ended."""
        before = self.calls
        button = next(each for each in self.driver.find_elements(By.TAG_NAME, "button")
                      if text in (each.text, each.get_attribute("aria-label")))
        self.driver.execute_script("arguments[0].scrollIntoView()", button)
        button.click()
        self.wait.until(lambda _: self.calls > before)
        settled = 0
        while settled != self.calls:
            settled = self.calls
            self.driver.execute_async_script("setTimeout(arguments[0], 500)")

    @property
    def calls(self):
        return len(self.driver.find_elements(By.CSS_SELECTOR, "#calls > li"))

    def text(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector).text

    @property
    def cards(self):
        return self.driver.find_elements(By.CSS_SELECTOR, "#shelf li")

    def edition(self, card):
        return card.get_attribute("data-edition")

    def status(self, card):
        return card.find_element(By.CSS_SELECTOR, "[role=status]").text


def check(url, edition):
    """Signs the sample readers in, downloads the edition as each, and compares what the page shows."""
    driver = browser()
    try:
        app = App(driver, url)
        covers = driver.execute_script(
            "return Array.from(document.images).filter(image => image.complete && image.naturalWidth > 0).length")
        expect("covers", covers, 3)
        title = next(card.find_element(By.TAG_NAME, "h3").text for card in app.cards if app.edition(card) == edition)
        for reader, session, included, download in READERS:
            app.press(reader)
            expect(f"{reader}: session", app.text("#session"), session)
            expect(f"{reader}: editions", [app.status(card) for card in app.cards], included)
            app.press(f"Download {title}")
            shown = next(app.status(card) for card in app.cards if app.edition(card) == edition)
            expect(f"{reader}: download", re.sub("[0-9,]+ bytes", "N bytes", shown), download)
            if driver.find_element(By.ID, "sign-out").is_enabled():
                app.press("Sign out")
        driver.execute_script("document.querySelectorAll('details').forEach(each => { each.open = true; })")
        page = driver.find_element(By.TAG_NAME, "body").text
        expect("a password on the page", any(password in page for password in PASSWORDS), False)
        # Errors of the script, and what the content security policy refused. A refused download is an error, too.
        expect("errors", [entry["message"] for entry in driver.get_log("browser") if "403" not in entry["message"]], [])
        driver.set_window_size(320, 900)
        expect("pixels beyond a narrow window", driver.execute_script(
            "return Math.max(0, document.documentElement.scrollWidth - window.innerWidth)"), 0)
    finally:
        driver.quit()


def expect(what, found, expected):
    if found != expected:
        raise SystemExit(f"sample app: {what}: expected {expected!r}, found {found!r}")


if __name__ == "__main__":
    check(*sys.argv[1:])
    print("The sample app works", file=sys.stderr)
