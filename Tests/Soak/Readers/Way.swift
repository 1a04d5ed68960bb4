import Foundation
import TestSupport

/// One of the ways in which apps make a Pugpig call (PROTOCOLS 1.1, DESIGN rule 2): whichever it is, it is the same call.
struct Way: Sendable {
    /// Where the fields are.
    enum Carrier: String, CaseIterable, Sendable {
        case query = "GET"
        case postedQuery = "POST with a query"
        case form
        case json = "JSON"
        /// Some here, some there.
        case queryAndForm = "query and form"
        /// All are in both, and the query's are wrong: the body wins.
        case formOverQuery = "form over query"
        case jsonOverQuery = "JSON over query"
    }

    static let slash = "slash at the end"
    static let bare = "no publication"
    static let short = "renew"

    var carrier = Carrier.query
    var endsWithSlash = false
    /// Names no publication, and means the first.
    var isBare = false
    /// Calls renew_token by its other name.
    var isShort = false

    /// As the fast lane wants it.
    static let plain = Way()

    /// Each carrier once in the plainest spelling and once in another.
    static let all = Carrier.allCases.flatMap {
        [Way(carrier: $0), Way(carrier: $0, endsWithSlash: true, isBare: true, isShort: true)]
    }

    static func drawn(for title: Int, using random: inout SeededRandom) -> Way {
        if Bool.random(using: &random) { return plain }
        return Way(
            carrier: Carrier.allCases.randomElement(using: &random) ?? .query,
            endsWithSlash: Bool.random(using: &random), isBare: title == 0 && Bool.random(using: &random),
            isShort: Bool.random(using: &random))
    }

    /// What it is counted under, for a call.
    func marks(of call: String) -> [String] {
        [carrier.rawValue] + (endsWithSlash ? [Self.slash] : []) + (isBare ? [Self.bare] : [])
            + (isShort && call == "renew_token" ? [Self.short] : [])
    }

    func target(_ call: String, in title: Int, _ fields: [String: String]) -> String {
        let query = Self.form(inQuery(fields))
        return (isBare ? "/" : "/\(SoakPlan.titles[title].id)/") + (isShort && call == "renew_token" ? "renew" : call)
            + (endsWithSlash ? "/" : "") + (query.isEmpty ? "" : "?\(query)")
    }

    /// The body with its type, for all but a GET.
    func body(_ fields: [String: String]) throws -> (type: String?, bytes: [UInt8]) {
        switch carrier {
        case .query, .postedQuery: (nil, [])
        case .form, .queryAndForm, .formOverQuery:
            ("application/x-www-form-urlencoded", Array(Self.form(inBody(fields)).utf8))
        case .json, .jsonOverQuery: ("application/json", Array(try JSONEncoder().encode(inBody(fields))))
        }
    }

    private func inQuery(_ fields: [String: String]) -> [String: String] {
        switch carrier {
        case .query, .postedQuery: fields
        case .form, .json: [:]
        case .queryAndForm: fields.filter { !isForBody($0.key, fields) }
        case .formOverQuery, .jsonOverQuery: fields.mapValues { _ in "nonsense" }
        }
    }

    private func inBody(_ fields: [String: String]) -> [String: String] {
        carrier == .queryAndForm ? fields.filter { isForBody($0.key, fields) } : fields
    }

    /// The last in order goes into the body; an only one does, too.
    private func isForBody(_ name: String, _ fields: [String: String]) -> Bool { name == fields.keys.max() }

    private static func form(_ fields: [String: String]) -> String {
        fields.sorted { $0.key < $1.key }.map { "\($0.key.formEncoded)=\($0.value.formEncoded)" }
            .joined(separator: "&")
    }
}
