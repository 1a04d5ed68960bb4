import BackendFixtures
import Foundation
import Gatefold
import TestSupport
import Testing

/// The four calls through the real program in front of each fixture's real system.
@Suite("End to end with every system") struct EndToEndTests {
    /// The deadline is long enough for a busy machine, because these tests are not about deadlines.
    private static let deadline = 10

    @Test(
        "Each reader signs in, gets the subscription, and gets credentials for exactly its editions",
        arguments: BackendFixtureCase.all)
    func readers(system: BackendFixtureCase) async throws {
        try await FrontedSystem.run(system, deadline: Self.deadline) { front in
            for reader in StandardReaders.all {
                let token = try await front.token(reader)
                let reported = try await front.verify(token)
                #expect(reported.status == 200)
                #expect(
                    ReportedSubscription(reported) == ReportedSubscription(reader), "\(reader.email): \(reported.text)")
                for edition in [StandardReaders.firstEdition, StandardReaders.secondEdition, "com.example.daily.1999"] {
                    let opens =
                        reader.state != .suspended
                        && (reader.editions?.contains(edition) ?? (reader.state == .active))
                    let response = try await front.credentials(token, edition)
                    #expect(response.status == 200)
                    #expect(response.text.contains("<userid>") == opens, "\(reader.email) \(edition): \(response.text)")
                    if !opens { #expect(response.error == "notentitled", "\(response.text)") }
                }
                #expect(try await front.call("renew_token", ["token": token]).element("token") != nil)
            }
            #expect(
                ReportedSubscription(try await front.verify(try await front.token(StandardReaders.bob))).editions == [])
        }
    }

    @Test("Every kind of rejection has the same response, for hostile texts, too", arguments: BackendFixtureCase.all)
    func rejections(system: BackendFixtureCase) async throws {
        try await FrontedSystem.run(system, deadline: Self.deadline) { front in
            let unknown = try await front.signIn("nobody@example.com", "wrong")
            #expect(unknown.status == 200 && unknown.error == "notrecognised", "\(unknown.text)")
            let ada = StandardReaders.ada
            for (email, password) in [
                (ada.email, "wrong"), (ada.email, "Correct horse"), (ada.email, ""), (ada.email, "   "),
                ("", ada.password),
                (StandardReaders.dan.email, "wrong"), (ada.email, StandardReaders.bob.password),
            ] {
                let response = try await front.signIn(email, password)
                #expect(
                    response.status == 200 && response.body == unknown.body, "\(email) \(password): \(response.text)")
            }
            for text in HostileTexts.printable(for: system.fixture)
                + HostileTexts.unprintable.filter({ $0.utf8.count < 10_000 })
            {
                for response in [
                    try await front.signIn(text, ada.password), try await front.signIn(ada.email, text),
                    try await front.signIn(text, text),
                ] {
                    #expect(
                        response.status == 200 && response.body == unknown.body, "\(text.prefix(40)): \(response.text)")
                }
                let verified = try await front.verify(text)
                #expect(verified.status == 200 && verified.attribute("state") != "active", "\(text.prefix(40))")
            }
            let token = try await front.token(ada)
            #expect(ReportedSubscription(try await front.verify(token)) == ReportedSubscription(ada))
            for text in HostileTexts.printable {
                let response = try await front.credentials(token, text)
                #expect(
                    response.status == 200 && response.error == "notentitled", "\(text.prefix(40)): \(response.text)")
            }
        }
    }

    @Test("Pitfall 8: changes arrive within the freshness, a new password at once", arguments: BackendFixtureCase.all)
    func changes(system: BackendFixtureCase) async throws {
        try await FrontedSystem.run(system, deadline: Self.deadline) { front in
            let ada = StandardReaders.ada
            let token = try await front.token(ada)
            #expect(ReportedSubscription(try await front.verify(token)).state == "active")
            try await front.fixture.set(.suspended, of: ada)
            try await eventually("a suspension arrives", within: FrontedSystem.freshness) {
                ReportedSubscription(try await front.verify(token)).state == "suspended"
            }
            #expect(try await front.credentials(token, StandardReaders.firstEdition).error == "notentitled")
            try await front.fixture.set(.active, of: ada)
            try await eventually("a renewal arrives", within: FrontedSystem.freshness) {
                ReportedSubscription(try await front.verify(token)) == ReportedSubscription(ada)
            }
            try await front.fixture.setPassword("a new pass phrase", of: ada)
            #expect(try await front.signIn(ada.email, "a new pass phrase").element("token") != nil)
            try await eventually("the old password ends", within: FrontedSystem.freshness) {
                try await front.signIn(ada.email, ada.password).error == "notrecognised"
            }
        }
    }
}
