/// Something that a backend said a while ago and that is as good as if it said it now, for as long as it stands.
public struct Remembered<Value: Sendable>: Sendable {
    public let value: Value
    public let standing: Standing

    public init(_ value: Value, standing: Standing = Standing()) {
        self.value = value
        self.standing = standing
    }
}

extension Remembered: Equatable where Value: Equatable {
    /// Whether they say the same.
    public static func == (one: Self, other: Self) -> Bool { one.value == other.value }
}
