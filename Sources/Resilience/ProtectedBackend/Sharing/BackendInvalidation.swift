package import Foundation
package import Gatefold

/// The facts with which a process that has no cache, such as a command, invalidates the cached results of the servers on
/// the same state.
package enum BackendInvalidation {
    /// The results that are no longer valid.
    package enum Scope: Sendable, Equatable {
        case subscriber(Subscriber, identifier: String)
        case all
    }

    /// Returns the facts about results of queries that began before `timestamp`.
    ///
    /// - Parameters:
    ///   - backend: The name of the backend in the configuration.
    ///   - settings: The backend's protection settings. Without a cache there are no facts.
    ///   - timestamp: A time after the change, by the clock of the state.
    package static func facts(
        _ scope: Scope, in backend: String, _ settings: ProtectionSettings, pseudonymKey: PseudonymKey,
        at timestamp: Date
    ) -> [SharedFact] {
        guard settings.cache != nil else { return [] }
        let subjects: [[UInt8]]
        switch scope {
        case .subscriber(let subscriber, let identifier):
            let cached = CacheScope(backend: backend, pseudonymKey: pseudonymKey)
            subjects = [
                cached.group(of: subscriber), cached.group(ofIdentifier: CredentialFields.fold(identifier)),
            ].map(\.factSubject)
        case .all: subjects = [[]]
        }
        return subjects.map { subject in
            SharedFact(
                id: SharedFact.ID(kind: .invalidation, backend: backend, subject: subject), value: [],
                timestamp: timestamp, end: settings.endOfFacts(recordedAt: timestamp))
        }
    }
}

extension ProtectionSettings {
    /// Returns the time from which no process holds results from before the given date.
    func endOfFacts(recordedAt timestamp: Date) -> Date {
        let maxLifetime = cache.map { max($0.freshness, $0.lastKnownGood) } ?? 0
        return timestamp.addingTimeInterval(maxLifetime + 3600)
    }
}
