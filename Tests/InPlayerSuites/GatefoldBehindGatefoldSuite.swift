import Foundation
import InPlayer
import TestSupport
import Testing

/// Checks the backend of kind `inplayer` against our own front door.
@Suite("Gatefold as a backend of Gatefold", .serialized) struct GatefoldBehindGatefoldSuite {
    private static func configuration(_ newsstand: InPlayerSuiteHarness, port: Int) -> String {
        """
        server: {listen: "127.0.0.1:\(port)"}
        state: {path: state.sqlite, pseudonym_secret: {file: pseudonyms}}
        backends:
          behind:
            kind: inplayer
            merchant: \(InPlayerSuiteHarness.merchant)
            url: \(newsstand.base)/daily
            items: {\(InPlayerSuiteHarness.month(2)): 4102, \(InPlayerSuiteHarness.month(3)): 4103}
            subscription_items: [\(InPlayerSuiteHarness.subscription)]
            item_cache_ttl: 0s
            protection: {cache: {enabled: false}}
        publications:
          weekly:
            backend: behind
            credentials: {identifier: email, proofs: [password]}
            policy: issue
            secrets: [{file: weekly}]

        """
    }

    @Test("Readers sign in with their account, get the editions they bought, and are signed out by a password change")
    func whole() async throws {
        try await InPlayerSuiteHarness.served { newsstand in
            let app = try await newsstand.registered()
            try await withTemporaryFolder { folder in
                let port = try FreePort.find()
                for name in ["pseudonyms", "weekly"] {
                    #expect(try await GatefoldProgram.run(["secret", "new", "--out", name], in: folder).status == 0)
                }
                try Data(Self.configuration(newsstand, port: port).utf8)
                    .write(to: folder.appendingPathComponent("gatefold.yaml"))
                let launch = ServerProcess.Launch(GatefoldProgram.path, ["serve"], in: folder, until: .port(port))
                try await withServer(launch) { _ in
                    let front = RawHTTP(port: port)
                    func send(_ call: String, _ fields: [String: String]) async throws -> RawResponse {
                        let query = fields.map { "\($0)=\($1.formEncoded)" }.joined(separator: "&")
                        return try await front.send("GET", "/weekly/\(call)?\(query)")
                    }
                    let wrong = try await send(
                        "sign_in", ["email": InPlayerSuiteHarness.ada.email, "password": "wrong"])
                    #expect(wrong.text.contains("notrecognised"), "\(wrong.text)")
                    let response = try await send(
                        "sign_in",
                        ["email": InPlayerSuiteHarness.ada.email, "password": InPlayerSuiteHarness.ada.password])
                    let token = try #require(response.element("token"), "\(response.text)")
                    let before = try await send("verify_subscription", ["token": token])
                    #expect(before.text.contains(#"state="inactive""#), "\(before.text)")
                    func isOpen(_ month: Int) async throws -> Bool {
                        try await send(
                            "edition_credentials", ["token": token, "product_id": InPlayerSuiteHarness.month(month)]
                        )
                        .text.contains("<userid>")
                    }
                    #expect(try await !isOpen(2))
                    try await app.payments.validate(
                        try await newsstand.receipt(InPlayerSuiteHarness.month(2), "3001"),
                        for: .fee(item: 4102, accessFee: InPlayerSuiteHarness.fee))
                    #expect(try await isOpen(2))
                    #expect(try await !isOpen(3))
                    let bought = try await send("verify_subscription", ["token": token])
                    #expect(bought.elements("issue") == [InPlayerSuiteHarness.month(2)], "\(bought.text)")
                    try await app.payments.validate(
                        try await newsstand.receipt(InPlayerSuiteHarness.monthly, "2001", duration: 86_400),
                        for: .named(InPlayerSuiteHarness.monthly))
                    let subscribed = try await send("verify_subscription", ["token": token])
                    #expect(subscribed.text.contains(#"state="active""#), "\(subscribed.text)")
                    let renewed = try #require(try await send("renew_token", ["token": token]).element("token"))
                    #expect(try await send("verify_subscription", ["token": renewed]).text.contains(#"state="active""#))
                    // A password change at the backend ends the session here.
                    try await app.accounts.changePassword(
                        from: InPlayerSuiteHarness.ada.password, to: "difference engine")
                    let over = try await send("verify_subscription", ["token": renewed])
                    #expect(over.text.contains(#"state="unknown""#), "\(over.text)")
                }
            }
        }
    }
}
