import Foundation
import OutgoingRequests
import Primitives
import Settings

/// The calls of another endpoint of the Pugpig protocol.
///
/// Source: Pugpig protocol, “Calls and paths”.
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

    private struct Location: Sendable {
        let url: URLTemplate
        /// A Boolean value that indicates whether the call's parameters are appended because the URL has no
        /// placeholders.
        let addsParameters: Bool
    }

    private let method: Method
    private let locations: [Call: Location]

    /// Reads `method` and either `endpoint` or `urls`. `endpoint` is the root that apps use, with `sign_out: true`
    /// if it has that call. `urls` has a URL for each call.
    ///
    /// - Parameter fields: The forwarded sign-in fields under the endpoint's names, or `nil` if only the readers'
    ///   apps determine them. A URL with placeholders must have exactly these, because a URL without the password
    ///   would authenticate any reader.
    init(_ section: SettingsSection, fields: [String]?) throws(SettingsError) {
        method = try section.choice("method", default: .post)
        var locations: [Call: Location] = [:]
        if section.has("urls") {
            guard !section.has("endpoint") else {
                throw section.error("endpoint", expected: "expected `endpoint` or `urls`, not both")
            }
            let each = try section.section("urls")
            for call in Call.allCases {
                guard let text = try each.string(call.rawValue) else { continue }
                do throws(TemplateError) {
                    locations[call] = try Self.location(text, carrying: call.parameters ?? fields)
                } catch {
                    throw each.error(call.rawValue, expected: "\(error)")
                }
            }
            for call in [Call.signIn, .verify, .credentials] where locations[call] == nil {
                throw each.error(call.rawValue, expected: "missing; expected a URL")
            }
            try each.finish()
        } else {
            let form = "a URL such as https://example.com/api"
            let root = try section.requiredString("endpoint", expected: form)
            guard ServiceURL(root) != nil, !root.contains("?") else {
                throw section.error("endpoint", expected: "expected \(form)")
            }
            let base = root.hasSuffix("/") ? root : root + "/"
            for call in Call.allCases {
                guard let url = try? URLTemplate("\(base)\(call.rawValue)/", base: nil) else {
                    throw section.error("endpoint", expected: "expected \(form)")
                }
                locations[call] = Location(url: url, addsParameters: true)
            }
            if try !section.boolean("sign_out", default: false) { locations[.signOut] = nil }
        }
        self.locations = locations
    }

    private static func location(
        _ text: String, carrying parameters: [String]?
    ) throws(TemplateError) -> Location {
        let url = try URLTemplate(text, base: nil)
        guard !url.names.isEmpty else {
            let query = text.split(separator: "?", maxSplits: 1).dropFirst().joined()
            let present = query.split(separator: "&").map { $0.prefix { $0 != "=" } }
            guard let twice = parameters?.first(where: { present.contains(TemplateContext.percentEncoded($0)[...]) })
            else { return Location(url: url, addsParameters: true) }
            throw TemplateError(
                expected: "no `\(twice)` in the URL, to which it is added, or placeholders for all parameters")
        }
        guard let parameters else {
            throw TemplateError(expected: "`fields`, which name the passed fields, for placeholders")
        }
        guard url.names == Set(parameters) else {
            let placeholders = parameters.map { "{\($0)}" }.joined(separator: ", ")
            throw TemplateError(expected: "placeholders for \(placeholders) and no others, or none")
        }
        return Location(url: url, addsParameters: false)
    }

    func has(_ call: Call) -> Bool { locations[call] != nil }

    /// Returns the request for a call.
    ///
    /// - Returns: The request, or `nil` if the endpoint has no such call.
    /// - Throws: ``UnsendableValue`` for a value that its placeholder in the URL cannot carry.
    func request(
        _ call: Call, _ parameters: [(name: String, value: String)]
    ) throws(UnsendableValue) -> OutboundRequest? {
        guard let location = locations[call] else { return nil }
        let values = TemplateValues(Dictionary(parameters.map { ($0.name, $0.value) }) { first, _ in first })
        var text = try location.url.url(values).text
        if location.addsParameters {
            let form = parameters.map {
                "\(TemplateContext.percentEncoded($0.name))=\(TemplateContext.percentEncoded($0.value))"
            }
            text += (text.contains("?") ? "&" : "?") + form.joined(separator: "&")
        }
        // Like the apps, a POST request moves the query string into the body.
        let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard method == .post, parts.count == 2 else {
            return ServiceURL(text).map { OutboundRequest(url: $0, isRepeatable: true) }
        }
        return ServiceURL(String(parts[0])).map { url in
            OutboundRequest(
                method: "POST", url: url,
                headers: [OutboundRequest.Header(name: "Content-Type", value: "application/x-www-form-urlencoded")],
                body: Array(parts[1].utf8), isRepeatable: true)
        }
    }
}

extension PugpigCalls.Call {
    /// The parameters of the call, or `nil` for a sign-in, whose parameters the publication defines.
    var parameters: [String]? {
        switch self {
        case .signIn: nil
        case .renew, .verify, .signOut: ["token"]
        case .credentials: ["token", "product_id"]
        }
    }
}
