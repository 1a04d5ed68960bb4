import Foundation
import OutgoingRequests
import Settings

/// Which answers mean one thing: their statuses, and what they must say.
struct AnswerRule: Sendable {
    private let statuses: Set<Int>
    /// One value each, and it is one of the words; the empty word stands for a value that is there and blank.
    private let when: [(name: String, words: Set<String>)]
    /// These have a value that is neither blank nor a truth value.
    private let has: [String]
    /// Whether nothing but the status speaks, and the configuration says that it does.
    let isDeclaredByStatus: Bool
    /// Whether the body must say something that no page says which somebody else put in between.
    let hasEvidence: Bool

    /// Reads `status`, `when`, `has` and `by_status`.
    ///
    init(
        _ section: SettingsSection, reader: AnswerReader, statuses standard: Set<Int> = [200]
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
        var when: [(name: String, words: Set<String>)] = []
        for name in values.names {
            try Self.require(name, among: names, in: values)
            let words: [String]
            if case .scalar(let word, _) = values.written(name)?.content {
                words = [word]
            } else {
                words = try values.strings(name) ?? []
            }
            guard !words.isEmpty else { throw values.error(name, expected: "expected a text or a list of texts") }
            when.append((name, Set(words.map(Self.fold))))
        }
        self.when = when
        has = try section.strings("has") ?? []
        isDeclaredByStatus = try section.boolean("by_status", default: false)
        for name in has {
            try Self.require(name, among: names, in: section, key: "has")
            guard isDeclaredByStatus || reader.expression(name)?.isEvidence ?? false else {
                throw section.error(
                    "has",
                    expected: "`\(name)` is there in any answer, of whomever: expected what only the service's own has")
            }
        }
        let page = reader.values(in: ReadExpression.page)
        let telling = when.filter { name, words in
            if case .status = reader.expression(name) { return false }
            return !Self.matches(page.texts[name], words)
        }
        hasEvidence = !telling.isEmpty || has.contains { reader.expression($0)?.isEvidence ?? false }
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

    func matches(_ answer: HTTPAnswer, _ values: AnswerValues) -> Bool {
        statuses.contains(answer.status)
            && when.allSatisfy { name, words in Self.matches(values.texts[name], words) }
            && has.allSatisfy { values.present.contains($0) }
    }

    private static func matches(_ found: [String]?, _ words: Set<String>) -> Bool {
        guard let found, found.count == 1 else { return false }
        return words.contains(fold(found[0]))
    }

    private static func fold(_ text: String) -> String {
        text.trimmingCharacters(in: .whitespacesAndNewlines).lowercased()
    }
}

extension SettingsSection {
    /// One rule or a list of them.
    func rules(_ name: String, reader: AnswerReader) throws(SettingsError) -> [AnswerRule] {
        guard has(name) else { return [] }
        if case .mapping = written(name)?.content { return [try AnswerRule(try section(name), reader: reader)] }
        var rules: [AnswerRule] = []
        for section in try sections(name) { rules.append(try AnswerRule(section, reader: reader)) }
        return rules
    }
}
