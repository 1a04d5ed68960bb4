/// A value that a backend returned, with its freshness.
public struct Fetched<Value: Sendable>: Sendable {
    public let value: Value
    public let freshness: Freshness
    /// The sign-in results from caches that the value depends on.
    public let cachedSignIns: [CachedSignIn]

    /// Creates a fetched value.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - freshness: The freshness. Default: a response to this query.
    ///   - cachedSignIns: The sign-in results from caches that the value depends on.
    public init(_ value: Value, _ freshness: Freshness = .live, cachedSignIns: [CachedSignIn] = []) {
        self.value = value
        self.freshness = freshness
        self.cachedSignIns = cachedSignIns
    }

    /// Returns a value derived from this value alone, which is as fresh.
    public func map<Other: Sendable>(_ transform: (Value) throws -> Other) rethrows -> Fetched<Other> {
        Fetched<Other>(try transform(value), freshness, cachedSignIns: cachedSignIns)
    }

    /// Returns a value derived from two values. It is as fresh as the less fresh one.
    public func combined<Other: Sendable, Result: Sendable>(
        with other: Fetched<Other>, _ combine: (Value, Other) throws -> Result
    ) rethrows -> Fetched<Result> {
        Fetched<Result>(
            try combine(value, other.value), max(freshness, other.freshness),
            cachedSignIns: cachedSignIns + other.cachedSignIns)
    }

    /// Returns the values of several systems as one. It is as fresh as the least fresh one.
    public static func all(_ parts: [Self]) -> Fetched<[Value]> {
        Fetched<[Value]>(
            parts.map(\.value), parts.map(\.freshness).max() ?? .live, cachedSignIns: parts.flatMap(\.cachedSignIns))
    }
}

extension Fetched: Equatable where Value: Equatable {}

/// The freshness of a value, the freshest first.
public enum Freshness: Int, Sendable, Comparable {
    /// The backend responded to this query.
    case live
    /// The value is cached and still counts as current.
    case cached
    /// The value is the last known good one, returned because the backend is unavailable.
    ///
    /// Such a value serves the reader, but must not update caches, because newer knowledge must survive it. Source:
    /// Pitfall 9, “Outage and rejection confused”.
    case stale

    public static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
}

extension Fetched where Value == AuthenticationResult {
    /// The live result for authenticated credentials.
    public static func authenticated(_ subscriber: Subscriber) -> Self { Self(.authenticated(subscriber)) }

    /// The live result for rejected credentials. See ``AuthenticationResult/rejected(message:found:)``.
    public static func rejected(message: String?, found: FoundSubscribers = FoundSubscribers()) -> Self {
        Self(.rejected(message: message, found: found))
    }
}
