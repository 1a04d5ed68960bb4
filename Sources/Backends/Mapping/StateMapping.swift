import Foundation
import Gatefold
import Settings

/// A mapping from a subscriber system's state values to subscription states.
struct StateMapping: Sendable {
    /// The meaning of a state value that is not listed, or that is missing.
    enum Fallback: String, CaseIterable {
        case unknown, active, inactive, suspended, stale
        /// The meaning is unknown, so the mapping fails and the result counts as a backend failure.
        case fail
    }

    private let states: [String: SubscriptionState]
    private let empty: Fallback
    private let other: Fallback

    /// Reads `active`, `inactive`, `suspended`, `unknown` and `stale`, each a list of the system's values, and
    /// `empty` and `other`, each a state or `fail` (default: `fail`). A state without a list has its own name as
    /// its only value.
    init(_ section: SettingsSection) throws(SettingsError) {
        var states: [String: SubscriptionState] = [:]
        for state in SubscriptionState.allCases {
            for value in try section.strings(state.rawValue) ?? [state.rawValue] {
                guard states.updateValue(state, forKey: Self.fold(value)) == nil else {
                    throw section.error(state.rawValue, expected: "the value `\(value)` is mapped to two states")
                }
            }
        }
        self.states = states
        empty = try section.choice("empty", default: .fail)
        other = try section.choice("other", default: .fail)
    }

    /// Returns the state for a value.
    ///
    /// - Throws: ``MappingError`` for a value that the configuration does not map.
    func state(_ text: String?) throws(MappingError) -> SubscriptionState {
        let value = Self.fold(text ?? "")
        if let state = states[value] { return state }
        let fallback = value.isEmpty ? empty : other
        guard let state = SubscriptionState(rawValue: fallback.rawValue) else {
            throw value.isEmpty ? .emptyState : .unmappedState
        }
        return state
    }

    private static func fold(_ value: String) -> String {
        value.trimmingCharacters(in: .whitespacesAndNewlines).lowercased()
    }
}
