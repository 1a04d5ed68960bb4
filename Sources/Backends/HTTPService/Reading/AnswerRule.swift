import Foundation
import Settings

/// Which answers mean one thing: their statuses, and what they must say.
struct AnswerRule: Sendable {
    private let statuses: Set<Int>
    /// One value each, and it is one of the words; the empty word stands for a value that is there and blank.
    private let when: [(name: String, words: Set<String>)]
    /// These have a value that is not blank.
    private let has: [String]
    /// Whether nothing but the status speaks, and the configuration says that it does.
    private let isByStatus: Bool

    /// Reads `status`, `when`, `has` and `by_status`.
    ///
    /// - Parameter names: what `read` names.
    init(
        _ section: SettingsSection, names: [String], statuses standard: Set<Int> = [200]
    ) throws(SettingsError) {
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
        for name in has { try Self.require(name, among: names, in: section, key: "has") }
        isByStatus = try section.boolean("by_status", default: false)
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

    /// Whether the body must say something, too: any page that somebody else put in between has the status 200.
    var needsEvidence: Bool { !when.isEmpty || !has.isEmpty }

    var isDeclaredByStatus: Bool { isByStatus }

    func includes(status: Int) -> Bool { statuses.contains(status) }

    func matches(_ answer: HTTPAnswer, _ values: [String: [String]]) -> Bool {
        statuses.contains(answer.status)
            && when.allSatisfy { name, words in
                guard let found = values[name], found.count == 1 else { return false }
                return words.contains(Self.fold(found[0]))
            }
            && has.allSatisfy { name in
                values[name]?.contains { !Self.fold($0).isEmpty } ?? false
            }
    }

    private static func fold(_ text: String) -> String {
        text.trimmingCharacters(in: .whitespacesAndNewlines).lowercased()
    }
}

extension SettingsSection {
    /// One rule or a list of them.
    func rules(_ name: String, names: [String]) throws(SettingsError) -> [AnswerRule] {
        guard has(name) else { return [] }
        if case .mapping = written(name)?.content { return [try AnswerRule(try section(name), names: names)] }
        var rules: [AnswerRule] = []
        for section in try sections(name) { rules.append(try AnswerRule(section, names: names)) }
        return rules
    }
}
