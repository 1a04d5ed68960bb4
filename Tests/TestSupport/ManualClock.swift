public import Foundation
public import Primitives
import Synchronization

/// A clock that only a test advances.
public final class ManualClock: Sendable {
    private struct Reading {
        var now: Date
        var elapsed: TimeInterval = 0
    }

    private let reading: Mutex<Reading>

    /// - Parameter start: The start time. Default: 2026-11-01T12:00:00Z.
    public init(_ start: Date = Date(timeIntervalSince1970: 1_793_534_400)) {
        reading = Mutex(Reading(now: start))
    }

    public var now: Date { reading.withLock(\.now) }

    /// Lets time pass. A negative number sets the clock back.
    public func advance(by seconds: TimeInterval) {
        reading.withLock { reading in
            reading.now += seconds
            reading.elapsed += max(0, seconds)
        }
    }

    /// Lets time pass until a date. An earlier date sets the clock back.
    public func set(_ date: Date) {
        reading.withLock { reading in
            reading.elapsed += max(0, date.timeIntervalSince(reading.now))
            reading.now = date
        }
    }

    /// Sets the clock forward or back without elapsed time.
    public func step(by seconds: TimeInterval) {
        reading.withLock { $0.now += seconds }
    }

    public var wall: WallClock { WallClock({ self.now }, elapsed: { self.reading.withLock(\.elapsed) }) }
}
