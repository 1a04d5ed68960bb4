import Foundation
import OutgoingRequests
import Settings

/// A rule that matches responses with one meaning by their status and their values.
struct ResponseRule: Sendable {
    private let statuses: Set<Int>
    /// The names that must have exactly one value, which must be one of the listed texts. An empty text matches a
    /// value that is present and blank.
    private let when: [(name: String, accepted: Set<String>)]
    /// The names that must have a value that is neither blank nor a Boolean.
    private let has: [String]
    /// A Boolean value that indicates whether the configuration declares the status alone to be the service's
    /// response.
    let isDeclaredByStatus: Bool
    /// A Boolean value that indicates whether the rule demands content that no page of an intermediary has.
    let hasEvidence: Bool

    /// Reads `status`, `when`, `has` and `by_status`.
    init(
        _ section: SettingsSection, reader: ResponseReader, statuses standard: Set<Int> = [200]
    ) throws(SettingsError) {
        let names = reader.names
        var statuses = standard
        if let texts = try section.strings("status") {
            statuses = []
            for text in texts {
                guard let status = Int(text), (200...599).contains(status) else {
                    throw section.error("status", expected: "expected a list of statuses such as [200, 404]")
                }
                statuses.insert(status)
            }
        }
        self.statuses = statuses
        let values = try section.section("when")
        var when: [(name: String, accepted: Set<String>)] = []
        for name in values.names {
            try Self.require(name, among: names, in: values)
            let accepted: [String]
            if case .scalar(let word, _) = values.written(name)?.content {
                accepted = [word]
            } else {
                accepted = try values.strings(name) ?? []
            }
            guard !accepted.isEmpty else {
                throw values.error(name, expected: "expected a string or a list of strings")
            }
            when.append((name, Set(accepted.map(Self.fold))))
        }
        self.when = when
        has = try section.strings("has") ?? []
        isDeclaredByStatus = try section.boolean("by_status", default: false)
        for name in has {
            try Self.require(name, among: names, in: section, key: "has")
            guard isDeclaredByStatus || reader.expression(name)?.isEvidence ?? false else {
                throw section.error(
                    "has",
                    expected: "`\(name)` is in every response: expected a value that only the service sends")
            }
        }
        let page = reader.values(in: ReadExpression.page)
        let distinguishing = when.filter { name, accepted in
            if case .status = reader.expression(name) { return false }
            return !Self.matches(page.texts[name], accepted)
        }
        hasEvidence = !distinguishing.isEmpty || has.contains { reader.expression($0)?.isEvidence ?? false }
        try section.finish()
    }

    private static func require(
        _ name: String, among names: [String], in section: SettingsSection, key: String? = nil
    ) throws(SettingsError) {
        guard names.contains(name) else {
            throw section.error(
                key ?? name, expected: "`\(name)` is not among what `read` names: \(names.joined(separator: ", "))")
        }
    }

    func includes(status: Int) -> Bool { statuses.contains(status) }

    func matches(_ response: OutboundResponse, _ values: ResponseValues) -> Bool {
        statuses.contains(response.status)
            && when.allSatisfy { name, accepted in Self.matches(values.texts[name], accepted) }
            && has.allSatisfy { values.present.contains($0) }
    }

    private static func matches(_ found: [String]?, _ accepted: Set<String>) -> Bool {
        guard let found, found.count == 1 else { return false }
        return accepted.contains(fold(found[0]))
    }

    private static func fold(_ text: String) -> String {
        text.trimmingCharacters(in: .whitespacesAndNewlines).lowercased()
    }
}

extension SettingsSection {
    /// Returns the rules of a setting that holds one rule or a list of rules.
    func rules(_ name: String, reader: ResponseReader) throws(SettingsError) -> [ResponseRule] {
        guard has(name) else { return [] }
        if case .mapping = written(name)?.content { return [try ResponseRule(try section(name), reader: reader)] }
        var rules: [ResponseRule] = []
        for section in try sections(name) { rules.append(try ResponseRule(section, reader: reader)) }
        return rules
    }
}
