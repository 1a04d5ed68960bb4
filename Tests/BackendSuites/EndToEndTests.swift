import BackendBenches
import Foundation
import Gatefold
import TestSupport
import Testing

/// The four questions through the real program in front of each bench's real system.
@Suite("In front of every system") struct EndToEndTests {
    /// Every question has to be answered, whatever else the machine does: this is not about deadlines.
    private static let deadline = 10

    @Test(
        "each reader signs in, is told what they hold, and gets credentials for exactly that", arguments: BenchCase.all)
    func readers(system: BenchCase) async throws {
        try await FrontedSystem.run(system, deadline: Self.deadline) { front in
            for reader in StandardReaders.all {
                let token = try await front.token(reader)
                let told = try await front.verify(token)
                #expect(told.status == 200)
                #expect(Told(told) == Told(reader), "\(reader.email): \(told.text)")
                for edition in [StandardReaders.firstEdition, StandardReaders.secondEdition, "com.example.daily.1999"] {
                    let opens =
                        reader.state != .suspended
                        && (reader.editions?.contains(edition) ?? (reader.state == .active))
                    let answer = try await front.credentials(token, edition)
                    #expect(answer.status == 200)
                    #expect(answer.text.contains("<userid>") == opens, "\(reader.email) \(edition): \(answer.text)")
                    if !opens { #expect(answer.error == "notentitled", "\(answer.text)") }
                }
                #expect(try await front.call("renew_token", ["token": token]).element("token") != nil)
            }
            #expect(Told(try await front.verify(try await front.token(StandardReaders.bob))).editions == [])
        }
    }

    @Test("a wrong password, an unknown reader and hostile texts get the same bytes", arguments: BenchCase.all)
    func refusals(system: BenchCase) async throws {
        try await FrontedSystem.run(system, deadline: Self.deadline) { front in
            let unknown = try await front.signIn("nobody@example.com", "wrong")
            #expect(unknown.status == 200 && unknown.error == "notrecognised", "\(unknown.text)")
            let ada = StandardReaders.ada
            for (email, password) in [
                (ada.email, "wrong"), (ada.email, "Correct horse"), (ada.email, ""), (ada.email, "   "),
                ("", ada.password),
                (StandardReaders.dan.email, "wrong"), (ada.email, StandardReaders.bob.password),
            ] {
                let answer = try await front.signIn(email, password)
                #expect(answer.status == 200 && answer.body == unknown.body, "\(email) \(password): \(answer.text)")
            }
            for text in HostileTexts.printable(for: system.bench)
                + HostileTexts.unprintable.filter({ $0.utf8.count < 10_000 })
            {
                for answer in [
                    try await front.signIn(text, ada.password), try await front.signIn(ada.email, text),
                    try await front.signIn(text, text),
                ] {
                    #expect(
                        answer.status == 200 && answer.body == unknown.body, "\(text.prefix(40)): \(answer.text)")
                }
                let verified = try await front.verify(text)
                #expect(verified.status == 200 && verified.attribute("state") != "active", "\(text.prefix(40))")
            }
            let token = try await front.token(ada)
            #expect(Told(try await front.verify(token)) == Told(ada))
            for text in HostileTexts.printable {
                let answer = try await front.credentials(token, text)
                #expect(answer.status == 200 && answer.error == "notentitled", "\(text.prefix(40)): \(answer.text)")
            }
        }
    }

    @Test("Pitfall 8: changes arrive within the freshness, a new password at once", arguments: BenchCase.all)
    func changes(system: BenchCase) async throws {
        try await FrontedSystem.run(system, deadline: Self.deadline) { front in
            let ada = StandardReaders.ada
            let token = try await front.token(ada)
            #expect(Told(try await front.verify(token)).state == "active")
            try await front.bench.set(.suspended, of: ada)
            try await eventually("a suspension arrives", within: FrontedSystem.freshness) {
                Told(try await front.verify(token)).state == "suspended"
            }
            #expect(try await front.credentials(token, StandardReaders.firstEdition).error == "notentitled")
            try await front.bench.set(.active, of: ada)
            try await eventually("a renewal arrives", within: FrontedSystem.freshness) {
                Told(try await front.verify(token)) == Told(ada)
            }
            try await front.bench.setPassword("a new pass phrase", of: ada)
            #expect(try await front.signIn(ada.email, "a new pass phrase").element("token") != nil)
            try await eventually("the old password ends", within: FrontedSystem.freshness) {
                try await front.signIn(ada.email, ada.password).error == "notrecognised"
            }
        }
    }
}
