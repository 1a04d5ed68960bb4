import ContentGate
import Foundation
import Gatefold
import HTTPTypes
import Primitives
import Testing

@testable import Server

@Suite("Bootstrap from the configuration")
struct BootstrapTests {
    private static let secret = Secret(ConfigurationTests.environment["DAILY"]!)
    private static let content = "\n    content: {feed: [feed.xml]}"

    private func isAllowed(_ set: ServingState, _ target: String, _ userid: String, _ password: String) -> Bool {
        let pair = Data("\(userid):\(password)".utf8).base64EncodedString()
        let request = GateRequest(
            method: .get, target: target, authorization: ["Basic \(pair)"], isResume: false)
        if case .allowed = set.gate.evaluate(request) { return true }
        return false
    }

    @Test("A plain salt opens an edition only where plain salts are accepted", arguments: [false, true])
    func plainSalts(accepted: Bool) async throws {
        let more = "\n    edition_credentials: {accept_plain_salts: \(accepted)}"
        try await withParts(ConfigurationTests.minimal + Self.content + more) { parts, configuration in
            let edition = try #require(EditionID("ed-1"))
            let password = EditionPassword.make(edition: edition, salt: "salt", secret: Self.secret)
            let set = try parts.assemble(configuration)
            #expect(isAllowed(set, "/content/daily/ed-1.zip", "salt", password) == accepted)
        }
    }

    @Test("The feed password opens the feed only where the publication issues it", arguments: [false, true])
    func feed(issued: Bool) async throws {
        let more = "\n    feed_password: \(issued)"
        try await withParts(ConfigurationTests.minimal + Self.content + more) { parts, configuration in
            let daily = try #require(configuration.publications.first)
            let now = WallClock.system.now
            let token = try Bootstrap.tokenCodec(for: daily, in: configuration).seal(
                Session(
                    publication: daily.publication.id, subscriber: Subscriber(backend: "house", key: "1"), device: nil,
                    reference: .random(from: .system), issuedAt: now, expiresAt: now.addingTimeInterval(3600)))
            let password = EditionPassword.makeForFeed(token: token, secret: Self.secret)
            let set = try parts.assemble(configuration)
            #expect(isAllowed(set, "/content/daily/feed.xml", token, password) == issued)
        }
    }
}
