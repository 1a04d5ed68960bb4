public import Foundation
public import Gatefold

/// A query to a publisher's subscriber system.
public enum ModelQuery: Hashable, Sendable {
    /// - Parameter identifier: The identifier as typed.
    case authenticate(identifier: String, password: String)
    case subscription(Subscriber)
    case verdict(EditionID, Subscriber)
    case renew(Subscriber)
    case signOut(Subscriber)
}

public enum ModelResult: Equatable, Sendable {
    case authentication(AuthenticationResult)
    case subscription(Subscription)
    case verdict(EditionVerdict?)
    case done
}

/// The cached results of the subscriber system with their lifetimes and invalidation.
public struct ModelCache: Sendable {
    private struct ReportedResult {
        let result: ModelResult
        let at: TimeInterval
        /// Increases with every result, received here or elsewhere.
        let order: Int
    }

    /// The lifetime of a positive result in seconds.
    public var freshness: TimeInterval = 60
    /// The lifetime of a rejection in seconds.
    public var negative: TimeInterval = 5
    /// The time in seconds for which a positive result is served during an outage.
    public var lastKnownGood: TimeInterval = 86_400
    private var results: [ModelQuery: ReportedResult] = [:]

    public init() {}

    /// - Parameters:
    ///   - now: The time of the monotonic clock.
    ///   - order: A number that increases with every result.
    public mutating func receive(
        _ result: ModelResult, to query: ModelQuery, at now: TimeInterval, order: Int
    ) {
        switch query {
        case .renew(let reader):
            // Another session of the reader is another query from now on.
            if result != .authentication(.authenticated(reader)) { invalidate(reader: reader.key) }
        case .signOut(let reader): invalidate(reader: reader.key)
        case .authenticate, .subscription, .verdict:
            revoke(by: result, to: query, order: order)
            results[query] = ReportedResult(result: result, at: now, order: order)
        }
    }

    /// Applies a result received elsewhere: invalidates cached results that it contradicts.
    public mutating func learn(_ result: ModelResult, to query: ModelQuery, order: Int) {
        switch query {
        case .authenticate, .subscription, .verdict: revoke(by: result, to: query, order: order)
        case .renew, .signOut: break
        }
    }

    /// Returns a fresh cached result, which makes a query unnecessary.
    public func fresh(_ query: ModelQuery, at now: TimeInterval) -> ModelResult? {
        guard let cached = results[query] else { return nil }
        // A session in the subscriber system belongs to one sign-in.
        if case .authentication(.authenticated(let reader)) = cached.result, reader.upstreamSession != nil {
            return nil
        }
        let age = now - cached.at
        return age < (Self.isYes(cached.result) ? freshness : negative) ? cached.result : nil
    }

    /// Returns the last known good result for an outage. It is never a rejection.
    public func lastKnownGoodResult(_ query: ModelQuery, at now: TimeInterval) -> ModelResult? {
        guard let cached = results[query], Self.isYes(cached.result) || Self.retainsAccess(cached.result) else {
            return nil
        }
        return now - cached.at < lastKnownGood ? cached.result : nil
    }

    /// - Parameter order: Invalidates only results before this number.
    public mutating func invalidateAll(before order: Int = .max) {
        results = results.filter { $0.value.order >= order }
    }

    public mutating func invalidate(reader key: String, before order: Int = .max) {
        results = results.filter { $0.value.order >= order || Self.reader($0.key, $0.value.result) != key }
    }

    public mutating func invalidate(identifier: String) {
        let own = results.filter { Self.isAuthentication($0.key, of: identifier) }
        for (query, cached) in own {
            results[query] = nil
            if let key = Self.reader(query, cached.result) { invalidate(reader: key) }
        }
    }

    /// Invalidates all earlier results of a rejected reader in any session (Pitfall 8, Pitfall 9 and Pitfall 22).
    private mutating func revoke(by result: ModelResult, to query: ModelQuery, order: Int) {
        if case .authenticate(let identifier, let password) = query,
            case .authentication(.authenticated(let reader)) = result
        {
            // The password has changed, whatever the spelling of the reader's name.
            results = results.filter { old in
                guard old.value.order < order, case .authenticate(let name, let other) = old.key, other != password,
                    case .authentication(.authenticated(let known)) = old.value.result
                else { return true }
                return !Self.isSame(name, identifier) && known.key != reader.key
            }
        }
        guard let key = Self.reader(query, result) else { return }
        switch result {
        case .subscription(let reported) where reported.state == .unknown: invalidate(reader: key, before: order)
        case .verdict(.rejected(.rejected?, _)): invalidate(reader: key, before: order)
        case .verdict(nil), .verdict(.granted), .authentication, .done: break
        default:
            results = results.filter { old in
                old.value.order >= order || Self.reader(old.key, old.value.result) != key
                    || !Self.ends(result, query, old.key, old.value.result)
            }
        }
    }

    /// Returns whether the program itself treats two typed identifiers as equal.
    private static func isSame(_ one: String, _ other: String) -> Bool {
        func plain(_ name: String) -> String { name.trimmingCharacters(in: .whitespaces).lowercased() }
        return plain(one) == plain(other)
    }

    private static func ends(
        _ result: ModelResult, _ query: ModelQuery, _ oldQuery: ModelQuery, _ old: ModelResult
    ) -> Bool {
        switch (result, old) {
        case (.subscription(let reported), .verdict): reported.state != .active
        case (.subscription(let reported), .subscription(let before)):
            reported.state == .suspended || reported.state == .inactive && before.state == .active
        case (.verdict(.rejected(let reason, _)), .verdict):
            reason != .expired && edition(query) == edition(oldQuery)
        default: false
        }
    }

    private static func isYes(_ result: ModelResult) -> Bool {
        switch result {
        case .authentication(.authenticated), .verdict(.granted), .verdict(nil), .done: true
        case .subscription(let reported): reported.state == .active
        case .authentication, .verdict: false
        }
    }

    /// Returns whether the reader is inactive but holds editions.
    private static func retainsAccess(_ result: ModelResult) -> Bool {
        guard case .subscription(let reported) = result, reported.state == .inactive else { return false }
        return reported.entitlement != .nothing && reported.entitlement != .allEditions
    }

    private static func reader(_ query: ModelQuery, _ result: ModelResult) -> String? {
        switch query {
        case .authenticate:
            if case .authentication(.authenticated(let reader)) = result { reader.key } else { nil }
        case .subscription(let reader), .verdict(_, let reader), .renew(let reader), .signOut(let reader): reader.key
        }
    }

    private static func isAuthentication(_ query: ModelQuery, of identifier: String) -> Bool {
        if case .authenticate(let name, _) = query { isSame(name, identifier) } else { false }
    }

    private static func edition(_ query: ModelQuery) -> EditionID? {
        if case .verdict(let edition, _) = query { edition } else { nil }
    }
}
