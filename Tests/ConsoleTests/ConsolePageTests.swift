import Testing

@testable import AdminAPI
@testable import Console

/// Tests Pitfall 36.
@Suite("Pages of the console") struct ConsolePageTests {
    @Test("A value with signs of HTML or of templates is text on every page")
    func poison() async throws {
        let pages = try await PoisonedOperations(text: PoisonedOperations.poison).pages()
        #expect(pages.count == ConsoleRoute.all.count)
        for (path, html) in pages {
            let scalars = html.unicodeScalars
            #expect(!html.contains("<script"), "\(path)")
            #expect(!scalars.contains("\u{202E}"), "\(path)")
            // The quotation mark with its combining mark, as a browser reads it.
            let bytes = Array(html.utf8)
            #expect(bytes.firstRange(of: Array("\"\u{301}".utf8)) == nil, "\(path)")
            #expect(!html.hasPrefix("/") || !html.contains("<"), "\(path)")
        }
        // The tags of templates remain as they are.
        #expect(pages.contains { $0.html.contains("{{title}}{{{title}}}[U+202E]") })
    }

    @Test(
        "Each table has a caption and headers, each field a label, and each page one heading and a way past the navigation"
    )
    func structure() async throws {
        for (path, html) in try await PoisonedOperations(text: "value").pages() where html.hasPrefix("<!doctype html>")
        {
            func count(_ text: String) -> Int { html.ranges(of: text).count }
            #expect(count("<table") == count("<caption>"), "\(path)")
            #expect(count("<h1>") == 1 && count(#"<main id="content">"#) == 1 && count("href=\"#content\"") == 1)
            #expect(
                count("<tr role=\"row\"><th scope=\"row\"") == html.ranges(of: "<tr role=\"row\"><t").count
                    - count("<table"))
            #expect(count("<input type=\"text\"") + count("<select") == count("<label>"), "\(path)")
            // A POST without the token of the session would be rejected.
            #expect(count("method=\"post\"") == count("name=\"form_token\""), "\(path)")
        }
    }

    @Test("A page has at most 60 kB, also for a reader with much data")
    func size() async throws {
        let text = "com.example.daily.2026-11"
        for (path, html) in try await PoisonedOperations(text: text, count: 1_000).pages() {
            #expect(html.utf8.count <= 60_000, "\(path): \(html.utf8.count)")
        }
    }
}
