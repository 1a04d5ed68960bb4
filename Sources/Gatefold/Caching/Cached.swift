/// A cached value of a backend, valid while its ``validity`` holds.
public struct Cached<Value: Sendable>: Sendable {
    public let value: Value
    public let validity: CacheValidity

    public init(_ value: Value, validity: CacheValidity = CacheValidity()) {
        self.value = value
        self.validity = validity
    }
}

extension Cached: Equatable where Value: Equatable {
    /// Returns whether the values are equal.
    public static func == (one: Self, other: Self) -> Bool { one.value == other.value }
}
