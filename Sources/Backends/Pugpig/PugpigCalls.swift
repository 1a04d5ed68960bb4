import Foundation
import Gatefold
import Settings

/// How another endpoint of the Pugpig protocol is asked (PROTOCOLS 1.1).
struct PugpigCalls: Sendable {
    enum Call: String, CaseIterable, Sendable {
        case signIn = "sign_in"
        case renew = "renew_token"
        case verify = "verify_subscription"
        case credentials = "edition_credentials"
        case signOut = "sign_out"
    }

    enum Method: String, CaseIterable, Sendable {
        case get, post
    }

    private let method: Method
    /// A URL with places such as `{token}`; without any, the call's parameters are added to it.
    private let urls: [Call: String]

    /// Reads `method` and either `endpoint`, the root that apps are given, with `sign_out: true` where it has that call; or
    /// `urls` with a URL for each call.
    init(_ section: SettingsSection) throws(SettingsError) {
        method = try section.choice("method", default: .post)
        var urls: [Call: String] = [:]
        if section.has("urls") {
            guard !section.has("endpoint") else {
                throw section.error("endpoint", expected: "expected `endpoint` or `urls`, not both")
            }
            let each = try section.section("urls")
            for call in Call.allCases { urls[call] = try each.string(call.rawValue) }
            for call in [Call.signIn, .verify, .credentials] where urls[call] == nil {
                throw each.error(call.rawValue, expected: "missing; expected a URL")
            }
            for (call, url) in urls where ServiceURL(Self.fill(url, with: { _ in "x" })) == nil {
                throw each.error(call.rawValue, expected: "expected a URL, with places such as {token} in its query")
            }
            try each.finish()
        } else {
            let root = try section.requiredString("endpoint", expected: "a URL such as https://example.com/api")
            guard ServiceURL(root) != nil, !root.contains("?") else {
                throw section.error("endpoint", expected: "expected a URL such as https://example.com/api")
            }
            let base = root.hasSuffix("/") ? root : root + "/"
            for call in Call.allCases { urls[call] = "\(base)\(call.rawValue)/" }
            if try !section.boolean("sign_out", default: false) { urls[.signOut] = nil }
        }
        self.urls = urls
    }

    func has(_ call: Call) -> Bool { urls[call] != nil }

    /// The request for a call.
    ///
    /// - Returns: nil where the endpoint has no such call.
    func question(_ call: Call, _ parameters: [(name: String, value: String)]) -> HTTPQuestion? {
        guard var text = urls[call] else { return nil }
        if text.contains("{") {
            text = Self.fill(text) { name in
                TemplatePlace.percentEncoded(parameters.first { $0.name == name }?.value ?? "")
            }
        } else {
            let form = parameters.map {
                "\(TemplatePlace.percentEncoded($0.name))=\(TemplatePlace.percentEncoded($0.value))"
            }
            text += (text.contains("?") ? "&" : "?") + form.joined(separator: "&")
        }
        // As the apps do it: what stands behind the question mark becomes the body.
        let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard method == .post, parts.count == 2 else {
            return ServiceURL(text).map { HTTPQuestion(url: $0, isRepeatable: true) }
        }
        return ServiceURL(String(parts[0])).map { url in
            HTTPQuestion(
                method: "POST", url: url,
                headers: [HTTPQuestion.Header(name: "Content-Type", value: "application/x-www-form-urlencoded")],
                body: Array(parts[1].utf8), isRepeatable: true)
        }
    }

    private static func fill(_ text: String, with value: (String) -> String) -> String {
        var filled = ""
        var rest = text[...]
        while let brace = rest.firstIndex(of: "{") {
            let inside = rest[rest.index(after: brace)...]
            guard let end = inside.firstIndex(of: "}") else { break }
            filled += rest[..<brace] + value(String(inside[..<end]))
            rest = inside[inside.index(after: end)...]
        }
        return filled + rest
    }
}
