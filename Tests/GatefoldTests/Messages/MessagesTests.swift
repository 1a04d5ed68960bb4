import Gatefold
import Testing

@Suite("Messages of a publication")
struct MessagesTests {
    let messages = Messages([
        "en": [.stale: "Again, please."], "de": [.stale: "Bitte neu anmelden."], "pt-br": [.stale: "Entre de novo."],
    ])

    @Test(
        "Finds a text by the exact language, then by a shorter tag, then by the default",
        arguments: [
            (["de"], "Bitte neu anmelden."), (["de-at"], "Bitte neu anmelden."), (["pt-br"], "Entre de novo."),
            (["pt"], "Again, please."), (["fr", "de"], "Bitte neu anmelden."), ([], "Again, please."),
            (["en-gb", "de"], "Again, please."), (["", "-", "de"], "Bitte neu anmelden."),
        ])
    func lookup(_ languages: [String], _ expected: String) {
        #expect(messages.text(.stale, for: languages) == expected)
    }

    @Test("Falls back to the built-in texts where the publication has none")
    func builtIn() {
        #expect(messages.text(.rejected, for: ["de"]) == "These details were not recognised.")
        #expect(messages.text(.active, for: ["de"]) == nil)
        let withoutText: [MessageKey] = [
            .active, .inactive, .suspended, .unknown, .lapsed, .unknownEdition, .notYetPublished,
        ]
        for key in MessageKey.allCases where !withoutText.contains(key) {
            #expect(Messages().text(key, for: [])?.isEmpty == false)
        }
    }
}
