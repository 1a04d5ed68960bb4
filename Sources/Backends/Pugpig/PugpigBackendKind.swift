import Foundation
import Gatefold
import OutgoingRequests
import Settings

/// Another endpoint of the Pugpig protocol, `kind: pugpig`.
struct PugpigBackendKind: BackendKind {
    static let name = "pugpig"

    private let name: String
    private let calls: PugpigCalls
    private let http: OutgoingHTTPSettings
    private let rules: PugpigRules

    /// Reads `endpoint` or `urls`, `method`, `sign_out`, `fields`, `sign_in_messages`, `ask_edition_credentials` and `http`.
    init(name: String, settings: SettingsSection) throws(SettingsError) {
        self.name = name
        rules = try PugpigRules(settings)
        calls = try PugpigCalls(settings, fields: rules.fields?.map(\.name))
        let http = try settings.section("http")
        self.http = try OutgoingHTTPSettings(http)
        try http.finish()
    }

    var decidesEditions: Bool { rules.asksForEditions }

    var checkedProofs: Set<String>? {
        rules.fields.map { Set($0.map(\.source)).subtracting(["identifier"]) }
    }

    func open(_ services: BackendServices) throws -> any SubscriberBackend {
        PugpigBackend(name: name, calls: calls, http: OutgoingHTTP(http), rules: rules)
    }
}

/// What is passed on, and what is asked.
struct PugpigRules: Sendable {
    struct Field: Sendable {
        /// As the endpoint calls it.
        let name: String
        /// As the publication calls it; `identifier` is whatever identifies the reader, folded.
        let source: String
    }

    /// Nil passes on all fields by their own names.
    let fields: [Field]?
    let passesMessages: Bool
    let asksForEditions: Bool

    init(_ section: SettingsSection) throws(SettingsError) {
        if section.has("fields") {
            let names = try section.section("fields")
            var fields: [Field] = []
            for name in names.names {
                fields.append(
                    Field(name: name, source: try names.requiredString(name, expected: "a credentials' field")))
            }
            try names.finish()
            guard fields.contains(where: { $0.source == "identifier" }) else {
                throw section.error(
                    "fields", expected: "expected `identifier` among them, which says whose sign-in it is")
            }
            self.fields = fields
        } else {
            fields = nil
        }
        passesMessages = try section.boolean("sign_in_messages", default: false)
        asksForEditions = try section.boolean("ask_edition_credentials", default: true)
    }

    /// The parameters of a sign-in; nil when a field is missing.
    func parameters(_ credentials: Credentials) -> [(name: String, value: String)]? {
        guard let fields else { return credentials.names.map { ($0, credentials[$0] ?? "") } }
        var parameters: [(name: String, value: String)] = []
        for field in fields {
            let value = field.source == "identifier" ? credentials.identifier : credentials[field.source]
            guard let value else { return nil }
            parameters.append((field.name, value))
        }
        return parameters
    }
}
