import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import TestSupport
import Testing
import XML

/// The historic test console's evaluation of the responses (Pugpig test endpoint, “Test console checks”).
private struct Console {
    enum Outcome: Equatable {
        case credentialsRejected
        /// The state, the number of listed editions (nil for all), and whether credentials were granted.
        case signedIn(state: String, editions: Int?, hasCredentials: Bool)
        case broken(String)
    }

    let client: any TestClientProtocol

    func run(_ user: String, edition: String) async throws -> Outcome {
        let password = user == "peter" ? "pan" : "x"
        guard let signIn = try await document("sign_in", "username=\(user)&password=\(password)") else {
            return .broken("sign_in")
        }
        let token = signIn.name == "token" ? signIn.text : ""
        if token.isEmpty { return .credentialsRejected }
        let parameter = "token=\(percentEncoded(token))"
        guard let verification = try await document("verify_subscription", parameter),
            let state = verification.attributes["state"],
            ["unknown", "active", "inactive", "suspended", "stale"].contains(state)
        else { return .broken("verify_subscription") }
        var editions = verification.child("issues").map(\.children.count)
        if editions == nil, state != "active" { editions = 0 }
        guard let credentials = try await document("edition_credentials", parameter + "&product_id=\(edition)") else {
            return .broken("edition_credentials")
        }
        let hasBoth = ["userid", "password"].allSatisfy { credentials.child($0)?.text.isEmpty == false }
        if !hasBoth, credentials.child("error") == nil { return .broken("edition_credentials") }
        let signOut = try await client.execute(uri: "/sign_out?\(parameter)", method: .get)
        guard signOut.status == .ok else { return .broken("sign_out") }
        return .signedIn(state: state, editions: editions, hasCredentials: hasBoth)
    }

    private func document(_ call: String, _ parameters: String) async throws -> XMLElement? {
        let response = try await client.execute(uri: "/\(call)?\(parameters)", method: .get)
        guard response.status == .ok else { return nil }
        return try? XMLDocument(parsing: Array(response.body.readableBytesView)).root
    }
}

@Suite("Historic test console against the Pugpig front door")
struct ConsoleTests {
    private static let runs: [(String, Console.Outcome)] = [
        ("activeall", .signedIn(state: "active", editions: nil, hasCredentials: true)),
        ("activenone", .signedIn(state: "active", editions: 0, hasCredentials: false)),
        ("activesome", .signedIn(state: "active", editions: 50, hasCredentials: true)),
        ("activeglobal", .signedIn(state: "active", editions: nil, hasCredentials: true)),
        ("lapsedall", .signedIn(state: "inactive", editions: 0, hasCredentials: false)),
        ("lapsedsome", .signedIn(state: "inactive", editions: 50, hasCredentials: true)),
        ("lapsednone", .signedIn(state: "inactive", editions: 0, hasCredentials: false)),
        ("yesbyproxy", .signedIn(state: "active", editions: nil, hasCredentials: false)),
        ("longjson", .signedIn(state: "active", editions: nil, hasCredentials: true)),
        ("credserror", .signedIn(state: "active", editions: nil, hasCredentials: false)),
        ("expiredtoken", .signedIn(state: "stale", editions: 0, hasCredentials: false)),
        ("peter", .signedIn(state: "active", editions: nil, hasCredentials: true)),
        ("nobody", .credentialsRejected),
        ("500-200-200", .broken("sign_in")),
        ("000-200-200", .broken("sign_in")),
        ("200-500-200", .broken("verify_subscription")),
        ("200-000-200", .broken("verify_subscription")),
        ("200-200-500", .broken("edition_credentials")),
    ]

    @Test("The complete sequence yields the expected outcomes", arguments: [false, true])
    func sequence(hasDebugNotes: Bool) async throws {
        try await FrontDoorHarness.testUsers(hasDebugNotes: hasDebugNotes).test { client in
            for (user, expected) in Self.runs {
                let outcome = try await Console(client: client).run(user, edition: "com.pugpig.edition0001")
                #expect(outcome == expected, "\(user)")
            }
        }
    }
}
