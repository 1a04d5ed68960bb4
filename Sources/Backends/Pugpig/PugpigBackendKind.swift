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

    /// Reads `endpoint` or `urls`, `method`, `sign_out`, `fields`, `sign_in_messages`, `request_edition_credentials`
    /// and `http`.
    init(name: String, settings: SettingsSection) throws(SettingsError) {
        self.name = name
        rules = try PugpigRules(settings)
        calls = try PugpigCalls(settings, fields: rules.fields?.map(\.name))
        let http = try settings.section("http")
        self.http = try OutgoingHTTPSettings(http)
        try http.finish()
    }

    var decidesEditions: Bool { rules.queriesEditions }

    var checkedProofs: Set<String>? {
        rules.fields.map { Set($0.map(\.source)).subtracting(["identifier"]) }
    }

    func open(_ services: BackendServices) throws -> any SubscriberBackend {
        PugpigBackend(name: name, calls: calls, http: OutgoingHTTP(http), rules: rules)
    }
}

/// The forwarded fields and the queries that are sent.
struct PugpigRules: Sendable {
    struct Field: Sendable {
        /// The endpoint's name of the field.
        let name: String
        /// The publication's name of the field. `identifier` is the folded identifier of the reader.
        let source: String
    }

    /// The forwarded fields, or `nil` to forward all fields under their own names.
    let fields: [Field]?
    let passesMessages: Bool
    let queriesEditions: Bool

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
                    "fields", expected: "expected `identifier` among them, which identifies the reader")
            }
            self.fields = fields
        } else {
            fields = nil
        }
        passesMessages = try section.boolean("sign_in_messages", default: false)
        queriesEditions = try section.boolean("request_edition_credentials", default: true)
    }

    /// Returns the parameters of a sign-in, or `nil` if a field is missing.
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
