public import Foundation
public import Gatefold
import Synchronization

/// A clock that stands still until a test moves it.
public final class ManualClock: Sendable {
    private let moment: Mutex<Date>

    /// - Parameter start: 2026-11-01T12:00:00Z unless said.
    public init(_ start: Date = Date(timeIntervalSince1970: 1_793_534_400)) {
        moment = Mutex(start)
    }

    public var now: Date { moment.withLock { $0 } }

    public func advance(by seconds: TimeInterval) {
        moment.withLock { $0 += seconds }
    }

    public func set(_ date: Date) {
        moment.withLock { $0 = date }
    }

    public var wall: WallClock { WallClock { self.now } }
}
