import Foundation
import InPlayer
import TestSupport
import Testing

/// Our backend of the kind `inplayer`, asking our own front door.
@Suite("Gatefold behind Gatefold", .serialized) struct GatefoldBehindGatefoldSuite {
    private static func configuration(_ stand: Newsstand, port: Int) -> String {
        """
        server: {listen: "127.0.0.1:\(port)"}
        state: {path: state.sqlite, reference_secret: {file: references}}
        backends:
          behind:
            kind: inplayer
            merchant: \(Newsstand.merchant)
            url: \(stand.base)/daily
            items: {\(Newsstand.month(2)): 4102, \(Newsstand.month(3)): 4103}
            subscription_items: [\(Newsstand.subscription)]
            item_cache: 0s
            protection: {cache: {enabled: false}}
        publications:
          weekly:
            backend: behind
            credentials: {identifier: email, proofs: [password]}
            policy: issue
            secrets: [{file: weekly}]

        """
    }

    @Test("readers sign in with their account, get what they bought there, and are signed out there")
    func whole() async throws {
        try await Newsstand.served { stand in
            let app = try await stand.registered()
            try await withTemporaryFolder { folder in
                let port = try FreePort.find()
                for name in ["references", "weekly"] {
                    #expect(try await GatefoldProgram.run(["secret", "new", "--out", name], in: folder).status == 0)
                }
                try Data(Self.configuration(stand, port: port).utf8)
                    .write(to: folder.appendingPathComponent("gatefold.yaml"))
                let launch = ServerProcess.Launch(GatefoldProgram.path, ["serve"], in: folder, until: .port(port))
                try await withServer(launch) { _ in
                    let front = RawHTTP(port: port)
                    func ask(_ call: String, _ fields: [String: String]) async throws -> RawResponse {
                        let query = fields.map { "\($0)=\($1.formEncoded)" }.joined(separator: "&")
                        return try await front.send("GET", "/weekly/\(call)?\(query)")
                    }
                    let wrong = try await ask("sign_in", ["email": Newsstand.ada.email, "password": "wrong"])
                    #expect(wrong.text.contains("notrecognised"), "\(wrong.text)")
                    let answer = try await ask(
                        "sign_in", ["email": Newsstand.ada.email, "password": Newsstand.ada.password])
                    let token = try #require(answer.element("token"), "\(answer.text)")
                    let before = try await ask("verify_subscription", ["token": token])
                    #expect(before.text.contains(#"state="inactive""#), "\(before.text)")
                    func isOpen(_ month: Int) async throws -> Bool {
                        try await ask("edition_credentials", ["token": token, "product_id": Newsstand.month(month)])
                            .text.contains("<userid>")
                    }
                    #expect(try await !isOpen(2))
                    try await app.payments.validate(
                        try await stand.receipt(Newsstand.month(2), "3001"),
                        for: .fee(item: 4102, accessFee: Newsstand.fee))
                    #expect(try await isOpen(2))
                    #expect(try await !isOpen(3))
                    let bought = try await ask("verify_subscription", ["token": token])
                    #expect(bought.elements("issue") == [Newsstand.month(2)], "\(bought.text)")
                    try await app.payments.validate(
                        try await stand.receipt(Newsstand.monthly, "2001", lasting: 86_400),
                        for: .named(Newsstand.monthly))
                    let subscribed = try await ask("verify_subscription", ["token": token])
                    #expect(subscribed.text.contains(#"state="active""#), "\(subscribed.text)")
                    let renewed = try #require(try await ask("renew_token", ["token": token]).element("token"))
                    #expect(try await ask("verify_subscription", ["token": renewed]).text.contains(#"state="active""#))
                    // A password that is changed there ends the session here.
                    try await app.accounts.changePassword(from: Newsstand.ada.password, to: "difference engine")
                    let over = try await ask("verify_subscription", ["token": renewed])
                    #expect(over.text.contains(#"state="unknown""#), "\(over.text)")
                }
            }
        }
    }
}
