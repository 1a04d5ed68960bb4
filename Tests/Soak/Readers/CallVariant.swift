import Foundation
import TestSupport

/// One of the equivalent ways to make a Pugpig call (Pugpig protocol, “Calls and paths”).
struct CallVariant: Sendable {
    /// The place of the fields.
    enum FieldPlacement: String, CaseIterable, Sendable {
        case query = "GET"
        case postedQuery = "POST with a query"
        case form
        case json = "JSON"
        /// Some fields in the query and some in the form.
        case queryAndForm = "query and form"
        /// All fields in both, with wrong values in the query, because the body takes precedence.
        case formOverridesQuery = "form over query"
        case jsonOverQuery = "JSON over query"
    }

    static let slash = "trailing slash"
    static let bare = "without a publication"
    static let short = "renew"

    var placement = FieldPlacement.query
    var endsWithSlash = false
    /// Whether the path has no publication and means the first one.
    var isBare = false
    /// Whether the path uses the other name of renew_token.
    var isShort = false

    /// The usual spelling of a call.
    static let plain = CallVariant()

    /// Each carrier once in the plain spelling and once in another.
    static let all = FieldPlacement.allCases.flatMap {
        [CallVariant(placement: $0), CallVariant(placement: $0, endsWithSlash: true, isBare: true, isShort: true)]
    }

    static func randomVariant(for title: Int, using random: inout SeededRandom) -> CallVariant {
        if Bool.random(using: &random) { return plain }
        return CallVariant(
            placement: FieldPlacement.allCases.randomElement(using: &random) ?? .query,
            endsWithSlash: Bool.random(using: &random), isBare: title == 0 && Bool.random(using: &random),
            isShort: Bool.random(using: &random))
    }

    /// Returns the labels under which a call is counted.
    func labels(of call: String) -> [String] {
        [placement.rawValue] + (endsWithSlash ? [Self.slash] : []) + (isBare ? [Self.bare] : [])
            + (isShort && call == "renew_token" ? [Self.short] : [])
    }

    func target(_ call: String, in title: Int, _ fields: [String: String]) -> String {
        let query = Self.form(inQuery(fields))
        return (isBare ? "/" : "/\(SoakPlan.titles[title].id)/") + (isShort && call == "renew_token" ? "renew" : call)
            + (endsWithSlash ? "/" : "") + (query.isEmpty ? "" : "?\(query)")
    }

    /// Returns the body with its type for all methods except GET.
    func body(_ fields: [String: String]) throws -> (type: String?, bytes: [UInt8]) {
        switch placement {
        case .query, .postedQuery: (nil, [])
        case .form, .queryAndForm, .formOverridesQuery:
            ("application/x-www-form-urlencoded", Array(Self.form(inBody(fields)).utf8))
        case .json, .jsonOverQuery: ("application/json", Array(try JSONEncoder().encode(inBody(fields))))
        }
    }

    private func inQuery(_ fields: [String: String]) -> [String: String] {
        switch placement {
        case .query, .postedQuery: fields
        case .form, .json: [:]
        case .queryAndForm: fields.filter { !isForBody($0.key, fields) }
        case .formOverridesQuery, .jsonOverQuery: fields.mapValues { _ in "nonsense" }
        }
    }

    private func inBody(_ fields: [String: String]) -> [String: String] {
        placement == .queryAndForm ? fields.filter { isForBody($0.key, fields) } : fields
    }

    /// Returns whether a field is in the body: the last one in order, which includes an only one.
    private func isForBody(_ name: String, _ fields: [String: String]) -> Bool { name == fields.keys.max() }

    private static func form(_ fields: [String: String]) -> String {
        fields.sorted { $0.key < $1.key }.map { "\($0.key.formEncoded)=\($0.value.formEncoded)" }
            .joined(separator: "&")
    }
}
