import Foundation
import Gatefold
import OutgoingRequests
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

    private struct Location: Sendable {
        let url: URLTemplate
        /// Whether the call's parameters are added, because the URL has no places for them.
        let addsParameters: Bool
    }

    private let method: Method
    private let locations: [Call: Location]

    /// Reads `method` and either `endpoint`, the root that apps are given, with `sign_out: true` where it has that call; or
    /// `urls` with a URL for each call.
    ///
    /// - Parameter fields: what a sign-in passes on, by the endpoint's names; nil where only readers' apps know. A URL with
    ///   places has one for each of them and no others: one that left out the password would recognise anybody.
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
                do throws(Template.Unusable) {
                    locations[call] = try Self.location(text, carrying: call.parameters ?? fields)
                } catch {
                    throw each.error(call.rawValue, expected: error.expected)
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
    ) throws(Template.Unusable) -> Location {
        let url = try URLTemplate(text, base: nil)
        guard !url.names.isEmpty else {
            let query = text.split(separator: "?", maxSplits: 1).dropFirst().joined()
            let present = query.split(separator: "&").map { $0.prefix { $0 != "=" } }
            guard let twice = parameters?.first(where: { present.contains(TemplatePlace.percentEncoded($0)[...]) })
            else { return Location(url: url, addsParameters: true) }
            throw Template.Unusable(
                expected: "expected no `\(twice)` in the URL, to which it is added, or places for all parameters")
        }
        guard let parameters else {
            throw Template.Unusable(expected: "places need `fields`, which name what is passed on")
        }
        guard url.names == Set(parameters) else {
            let places = parameters.map { "{\($0)}" }.joined(separator: ", ")
            throw Template.Unusable(expected: "expected places for \(places) and no others, or no places at all")
        }
        return Location(url: url, addsParameters: false)
    }

    func has(_ call: Call) -> Bool { locations[call] != nil }

    /// The request for a call.
    ///
    /// - Returns: nil where the endpoint has no such call.
    /// - Throws: ``Unsendable`` for a value that its place in the URL can not carry.
    func question(
        _ call: Call, _ parameters: [(name: String, value: String)]
    ) throws(Unsendable) -> HTTPQuestion? {
        guard let location = locations[call] else { return nil }
        let values = TemplateValues(Dictionary(parameters.map { ($0.name, $0.value) }) { first, _ in first })
        var text = try location.url.url(values).text
        if location.addsParameters {
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
}

extension PugpigCalls.Call {
    /// What it carries; nil for the sign-in, which carries what the publication asks for.
    var parameters: [String]? {
        switch self {
        case .signIn: nil
        case .renew, .verify, .signOut: ["token"]
        case .credentials: ["token", "product_id"]
        }
    }
}
