import Foundation
import TestSupport
import Testing

/// A sample with every front door, whose requests come through a trusted proxy.
extension Sample {
    static let unpublished = "com.example.daily.2999-01"
    /// An edition in the catalogue without a file.
    static let fileless = "com.example.daily.2020-04"
    static let merchant = "528b1b80-5868-4abc-a9b6-4d3455d719c8"

    static func refusing(_ configuration: String) -> String {
        configuration
            .replacing(
                "server: {", with: "server: {public_url: \"https://news.example\", trusted_proxies: [127.0.0.1], "
            )
            .replacing("max: 3, on_limit: evict", with: "max: 1, on_limit: reject")
            .replacing("messages: {en: {suspended: Please call us.}}", with: "messages: {en: {\(texts)}}")
            .replacing(
                "      - {id: \(third), published: 2020-03-01}",
                with: """
                          - {id: \(third), published: 2020-03-01}
                          - {id: \(fileless), published: 2020-04-01}
                          - {id: \(unpublished), published: 2999-01-01}
                    """
            )
            .replacing(
                "  made-up: {kind: test}",
                with: """
                      made-up: {kind: test}
                      down: {kind: pugpig, endpoint: "http://127.0.0.1:1/down"}
                    stores:
                      amazon: {kind: amazon, shared_secret: {file: secrets/daily-next}}
                    """)
                + """
                  outage:
                    backend: down
                    credentials: {identifier: email, proofs: [password]}
                    secrets: [{file: secrets/outage}]
                  shop:
                    backend: house
                    credentials: {identifier: email, proofs: [password]}
                    apps: [com.example.shop]
                    stores: [amazon]
                    secrets: [{file: secrets/shop}]
                    content: {root: editions/shop}
                    baker: {}
                    basispress: {}
                    inplayer: {merchant: \(merchant)}
                    cloud_softphone: {path: /shop/iap, store: amazon, fields: {user: user}}
                    deliveries: {kind: webhook, url: "http://127.0.0.1:1/credit", secret: {file: secrets/daily-next}}
                    catalogue:
                      - {id: \(second), published: 2020-02-01}
                      - {id: \(unpublished), published: 2999-01-01}

                """
    }

    private static let texts =
        "subscription_lapsed: Lapsed., unknown_edition: Unknown., not_yet_published: Not yet., not_entitled: Not included."

    /// Returns the fields of a request that comes from a client through the proxy.
    static func from(_ client: String, id: String? = nil) -> [(String, String)] {
        [("X-Forwarded-For", client)] + (id.map { [("X-Request-Id", $0)] } ?? [])
    }
}

/// A line of the server's log.
struct LogLine {
    let fields: [String: String]

    init?(_ text: Substring) {
        guard let fields = try? JSONDecoder().decode([String: String].self, from: Data(text.utf8)) else { return nil }
        self.fields = fields
    }

    subscript(name: String) -> String? { fields[name] }

    /// Returns the lines of the server about one request.
    static func of(request id: String, in server: ServerProcess) -> [LogLine] {
        server.output.split(separator: "\n").compactMap { LogLine($0) }.filter { $0["request"] == id }
    }
}
