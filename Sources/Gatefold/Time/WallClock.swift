public import Foundation

/// The civil time, passed in wherever a rule depends on it, so that tests decide what time it is.
public struct WallClock: Sendable {
    private let reading: @Sendable () -> Date

    public init(_ reading: @escaping @Sendable () -> Date) {
        self.reading = reading
    }

    /// The present moment.
    public var now: Date { reading() }

    /// The machine's own clock.
    public static let system = WallClock { Date() }
}
