import Foundation
import TestSupport
import Testing

@Suite("Access that ends while the server runs", .serialized, .servedSample())
struct EndedAccessTests {
    private struct Inspected: Decodable {
        let subscriber: String
        let device: String?
    }

    private func inspect(_ token: String) async throws -> Inspected {
        let json = try await Sample.current.succeed(["token", "inspect", "--json", "-"], input: token)
        return try JSONDecoder().decode(Inspected.self, from: Data(json.utf8))
    }

    @Test("Pitfall 8: a suspended reader loses verification and credentials at once, and regains them at once")
    func suspended() async throws {
        let sample = try Sample.current
        let reader = sample.newReader()
        let token = try await sample.signIn(reader)
        #expect(try await sample.state(of: token) == "active")
        try await sample.succeed(
            ["subscribers", "set-state", reader.email, "suspended", "-b", "house", "--message", "Call us & ask"])
        let verified = try await sample.call("verify_subscription", ["token": token])
        #expect(verified.attribute("state") == "suspended")
        #expect(verified.attribute("message") == "Call us &amp; ask")
        #expect(try await sample.credentials(token, Sample.third).error == "notentitled")
        try await sample.succeed(["subscribers", "set-state", reader.email, "automatic", "-b", "house"])
        #expect(try await sample.state(of: token) == "active")
        #expect(try await sample.credentials(token, Sample.third).element("userid") != nil)
    }

    @Test("Pitfall 8: a deleted reader is unknown at once, and a new one does not inherit the token")
    func deleted() async throws {
        let sample = try Sample.current
        let reader = sample.newReader()
        let token = try await sample.signIn(reader)
        try await sample.succeed(["subscribers", "delete", reader.email, "-b", "house"])
        #expect(try await sample.state(of: token) == "unknown")
        #expect(try await sample.credentials(token, Sample.third).error == "notrecognised")
        #expect(try await sample.call("renew", ["token": token]).error == "notrecognised")
        let again = ["email": reader.email, "password": reader.password]
        #expect(try await sample.call("sign_in", again).error == "notrecognised")

        try sample.write("again.csv", "identifier,password,state\n\(reader.email),\(reader.password),active\n")
        try await sample.succeed(["subscribers", "import", "again.csv", "-b", "house"])
        #expect(try await sample.call("sign_in", again).element("token") != nil)
        #expect(try await sample.state(of: token) == "unknown")
    }

    @Test("Pitfall 8: after a password change, the old password fails and the new one works at once")
    func password() async throws {
        let sample = try Sample.current
        let reader = sample.newReader()
        _ = try await sample.signIn(reader)
        try sample.write("changed.csv", "identifier,password\n\(reader.email),a new one\n")
        try await sample.succeed(["subscribers", "import", "changed.csv", "-b", "house"])
        let old = try await sample.call("sign_in", ["email": reader.email, "password": reader.password])
        #expect(old.error == "notrecognised")
        let token = try await sample.signIn(reader.email, "a new one")
        // Values without a column in the file are unchanged.
        #expect(try await sample.state(of: token) == "active")
    }

    @Test("Pitfall 8: a token revoked by another process ends on the running server with its downloads")
    func revokedByToken() async throws {
        let sample = try Sample.current
        let reader = sample.newReader()
        let (token, other) = (try await sample.signIn(reader), try await sample.signIn(reader))
        let pair = try await sample.pair(token, Sample.third)
        try await sample.succeed(["token", "revoke", "--token", "-"], input: token)
        #expect(try await eventually(within: .seconds(2)) { try await sample.state(of: token) == "unknown" })
        #expect(try await sample.credentials(token, Sample.third).error == "notrecognised")
        #expect(try await sample.call("renew", ["token": token]).error == "notrecognised")
        #expect(try await sample.download("daily/\(Sample.third).zip", pair).status == 403)
        #expect(try await sample.state(of: other) == "active")
        #expect(try await sample.gatefold(["token", "inspect", "-"], input: token).status == 1)
    }

    @Test("Pitfall 8: a revocation of all sessions takes effect, and a new sign-in works at once")
    func revokedBySubscriber() async throws {
        let sample = try Sample.current
        let reader = sample.newReader()
        let tokens = [try await sample.signIn(reader), try await sample.signIn(reader, device: "phone")]
        // The support staff has the reader's address, not the token.
        let shown = try await sample.succeed(["subscribers", "show", reader.email, "-b", "house"])
        let subscriber = String(try #require(shown.firstMatch(of: /\npseudonym   ([0-9a-f]{14})\n/)).1)
        #expect(try await inspect(tokens[0]).subscriber == subscriber)
        try await sample.succeed(["token", "revoke", "--subscriber", subscriber])
        for token in tokens {
            #expect(try await eventually(within: .seconds(2)) { try await sample.state(of: token) == "unknown" })
        }
        #expect(try await sample.state(of: try await sample.signIn(reader, device: "phone")) == "active")
    }

    @Test("Pitfall 8: a second revocation ends a session opened right after the first one")
    func revokedTwice() async throws {
        let sample = try Sample.current
        let reader = sample.newReader()
        let subscriber = try await inspect(try await sample.signIn(reader)).subscriber
        try await sample.succeed(["token", "revoke", "--subscriber", subscriber])
        let token = try await sample.signIn(reader)
        try await sample.succeed(["token", "revoke", "--subscriber", subscriber])
        #expect(try await eventually(within: .seconds(2)) { try await sample.state(of: token) == "unknown" })
        #expect(try await sample.gatefold(["token", "inspect", "-"], input: token).status == 1)
    }

    @Test("Pitfall 8: a revocation ends one device, given by pseudonym or by the app's own name")
    func revokedByDevice() async throws {
        let sample = try Sample.current
        let reader = sample.newReader()
        let phone = try await sample.signIn(reader, device: "phone")
        let tablet = try await sample.signIn(reader, device: "tablet")
        let watch = try await sample.signIn(reader, device: "watch")
        let inspected = try await inspect(phone)
        let device = try #require(inspected.device)
        try await sample.succeed(["token", "revoke", "--subscriber", inspected.subscriber, "--device", device])
        try await sample.succeed(["token", "revoke", "--subscriber", inspected.subscriber, "--device", "tablet"])
        #expect(try await eventually(within: .seconds(2)) { try await sample.state(of: phone) == "unknown" })
        #expect(try await eventually(within: .seconds(2)) { try await sample.state(of: tablet) == "unknown" })
        #expect(try await sample.state(of: watch) == "active")
    }
}
