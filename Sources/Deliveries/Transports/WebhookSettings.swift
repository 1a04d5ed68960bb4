import Foundation
import OutgoingRequests
import Primitives
import Settings

/// The settings of `kind: webhook`.
struct WebhookSettings: Sendable {
    let url: ServiceURL
    let form: WebhookFormat
    let secret: Secret
    /// The further headers that the service requires, such as those for authentication.
    let headers: [OutboundRequest.Header]
    let http: OutgoingHTTPSettings

    init(_ section: SettingsSection) throws(SettingsError) {
        let expected = "an http or https URL"
        guard let url = ServiceURL(try section.requiredString("url", expected: expected)) else {
            throw section.error("url", expected: "expected \(expected)")
        }
        self.url = url
        form = try section.choice("body", default: .json)
        guard let secret = try section.secret("secret") else {
            throw section.error("secret", expected: "missing; expected {file: PATH} or {env: NAME}")
        }
        self.secret = secret
        let own = try Self.headers(section)
        let account = try Self.account(section)
        if account != nil && own.contains(where: { $0.name.lowercased() == "authorization" }) {
            throw section.error("username", expected: "expected either `username` or a header Authorization")
        }
        headers = own + [account].compactMap(\.self)
        http = try OutgoingHTTPSettings(section)
    }

    /// Reads `username` and `password` as `Authorization: Basic` (RFC 7617).
    private static func account(_ section: SettingsSection) throws(SettingsError) -> OutboundRequest.Header? {
        let (name, password) = (try section.string("username"), try section.externalSecret("password"))
        guard name != nil || password != nil else { return nil }
        guard let name, let password else {
            throw section.error("username", expected: "expected `username` and `password` together")
        }
        guard !name.contains(":") else {
            throw section.error("username", expected: "expected a name without a colon")
        }
        let pair = Data("\(name):\(password)".utf8).base64EncodedString()
        return OutboundRequest.Header(name: "Authorization", value: "Basic \(pair)")
    }

    /// Reads `headers`, each a text, or a secret as `{file: PATH}` or `{env: NAME}`.
    private static func headers(_ section: SettingsSection) throws(SettingsError) -> [OutboundRequest.Header] {
        let written = try section.section("headers")
        var headers: [OutboundRequest.Header] = []
        for name in written.names {
            let isText = if case .scalar = written.written(name)?.content { true } else { false }
            let value = isText ? try written.string(name) : try written.externalSecret(name)
            guard let value, !value.isEmpty, value.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
                throw written.error(name, expected: "expected printable ASCII")
            }
            let isToken = name.wholeMatch(of: /[A-Za-z0-9!#$%&'*+\-.^_`|~]+/) != nil
            guard isToken, !reserved.contains(name.lowercased()) else {
                throw written.error(name, expected: "expected a header other than Gatefold's and the connection's")
            }
            headers.append(OutboundRequest.Header(name: name, value: value))
        }
        try written.finish()
        return headers
    }

    private static let reserved: Set<String> = [
        "host", "content-length", "transfer-encoding", "connection", "accept-encoding", "expect", "upgrade", "te",
        "user-agent", "content-type", "idempotency-key", "x-gatefold-timestamp", "x-gatefold-signature",
    ]
}
