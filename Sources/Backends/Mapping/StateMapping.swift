import Foundation
import Gatefold
import Settings

/// From a subscriber system's words for a state to ours.
struct StateMapping: Sendable {
    /// What a text stands for that is not listed, or that is not there.
    enum Fallback: String, CaseIterable {
        case unknown, active, inactive, suspended, stale
        /// Nobody knows what it means: the system could not be asked.
        case fail
    }

    private let words: [String: SubscriptionState]
    private let empty: Fallback
    private let other: Fallback

    /// Reads `active`, `inactive`, `suspended`, `unknown` and `stale`, each a list of the system's words, and `empty` and
    /// `other`, each a state or `fail`. A state without a list has its own name for a word.
    init(_ section: SettingsSection) throws(SettingsError) {
        var words: [String: SubscriptionState] = [:]
        for state in SubscriptionState.allCases {
            for word in try section.strings(state.rawValue) ?? [state.rawValue] {
                guard words.updateValue(state, forKey: Self.fold(word)) == nil else {
                    throw section.error(state.rawValue, expected: "the word `\(word)` stands for two states")
                }
            }
        }
        self.words = words
        empty = try section.choice("empty", default: .fail)
        other = try section.choice("other", default: .fail)
    }

    /// - Throws: ``MappingError`` for a text that the configuration gives no meaning.
    func state(_ text: String?) throws(MappingError) -> SubscriptionState {
        let word = Self.fold(text ?? "")
        if let state = words[word] { return state }
        let fallback = word.isEmpty ? empty : other
        guard let state = SubscriptionState(rawValue: fallback.rawValue) else {
            throw word.isEmpty ? .emptyState : .unmappedState
        }
        return state
    }

    private static func fold(_ word: String) -> String {
        word.trimmingCharacters(in: .whitespacesAndNewlines).lowercased()
    }
}
