import Foundation
import Gatefold
import Primitives
import Testing

@Suite("Tokens of the admin API") struct AdminTokenTests {
    @Test("Have 256 random bits behind a prefix that scanners find, and round-trip")
    func format() throws {
        let token = AdminToken()
        #expect(token.text.wholeMatch(of: /gfa_[A-Za-z0-9_\-]{48}/) != nil, "\(token.text)")
        #expect(AdminToken(token.text)?.digest == token.digest)
        #expect(AdminToken().digest != token.digest)
        #expect(token.digest.count == 32)
    }

    @Test("Are never part of a description")
    func description() {
        let token = AdminToken()
        #expect(!"\(token) \(String(reflecting: token))".contains(token.text.dropFirst(4)))
        #expect(!"\(token)".contains("gfa_"))
    }

    @Test("Any other text is no token")
    func others() throws {
        let text = AdminToken().text
        let characters = Array(text)
        for index in characters.indices {
            var changed = characters
            changed[index] = changed[index] == "A" ? "B" : "A"
            #expect(AdminToken(String(changed)) == nil, "\(index)")
        }
        for other in [
            "", "gfa_", String(text.dropLast()), text + "A", " " + text, "gfa_" + String(repeating: "A", count: 48),
        ] {
            #expect(AdminToken(other) == nil, "\(other)")
        }
    }

    @Test("A token is one of its kind only", arguments: AdminTokenKind.allCases)
    func kinds(_ kind: AdminTokenKind) throws {
        let token = AdminToken(kind)
        #expect(AdminToken(token.text, of: kind)?.digest == token.digest)
        let record = AdminTokenRecord(
            id: AdminTokenRecord.newID(of: kind), digest: token.digest, name: try #require(AdminTokenName("ada")),
            scope: AdminScope(.viewer), created: Date())
        #expect(record.kind == kind)
        for other in AdminTokenKind.allCases where other != kind {
            #expect(AdminToken(token.text, of: other) == nil)
            let renamed = other.prefix + token.text.dropFirst(kind.prefix.count)
            #expect(AdminToken(renamed, of: other)?.digest != token.digest)
        }
    }

    @Test("A role may do what the ones before it may")
    func roles() {
        #expect(AdminRole.allCases.sorted() == [.viewer, .support, .operator, .admin])
    }

    @Test("A token is accepted until it expires or is revoked")
    func validity() throws {
        let now = Date(timeIntervalSince1970: 1_000)
        var record = AdminTokenRecord(
            digest: [], name: try #require(AdminTokenName("ada")), scope: AdminScope(.viewer), created: now,
            expires: now + 10)
        #expect(record.isAccepted(at: now + 9))
        #expect(!record.isAccepted(at: now + 10))
        record.revoked = now + 5
        #expect(!record.isAccepted(at: now + 6))
        #expect(record.actor == AuditActor(.adminUser, name: "ada#\(record.id)"))
    }

    @Test("A scope includes its publications only, or all")
    func scope() throws {
        let daily = try #require(PublicationID("daily"))
        let weekly = try #require(PublicationID("weekly"))
        #expect(AdminScope(.viewer).includes(weekly))
        #expect(AdminScope(.viewer, in: [daily]).includes(daily))
        #expect(!AdminScope(.viewer, in: [daily]).includes(weekly))
        #expect(!AdminScope(.viewer, in: []).includes(daily))
    }

    @Test(
        "A name cannot break a line, look like another, or be an e-mail address",
        arguments: ["", "ada grace", "ada\n", "ädä", "a#b", "ada@example.com"])
    func names(_ text: String) {
        #expect(AdminTokenName(text) == nil)
        #expect(AdminTokenName("ada.l-desk-1_x")?.description == "ada.l-desk-1_x")
        #expect(AdminTokenName(String(repeating: "a", count: 65)) == nil)
    }
}
