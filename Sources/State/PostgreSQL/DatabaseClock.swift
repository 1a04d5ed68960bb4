import Foundation
import Primitives
import Synchronization

/// The clock of the database server, followed by this process. All nodes of a state have the same time, even if their
/// own clocks differ.
///
/// Each transaction returns the server's time. Between two transactions, and while the server is away, the time
/// continues by the monotonic clock of this machine.
final class DatabaseClock: Sendable {
    private struct Reading {
        let timestamp: Date
        /// The monotonic time of the reading.
        let elapsed: TimeInterval
        /// The maximum difference in seconds to the server's clock at that time.
        let error: TimeInterval
    }

    /// The rate at which the clocks of two machines may drift apart.
    private static let drift = 0.0001

    private let machine: WallClock
    private let reading = Mutex<Reading?>(nil)

    init(machine: WallClock = .system) { self.machine = machine }

    /// The clock for the rest of the process.
    var wall: WallClock {
        WallClock({ [self] in now }, elapsed: { [machine] in machine.elapsed })
    }

    /// The monotonic time of this machine in seconds.
    var elapsed: TimeInterval { machine.elapsed }

    private var now: Date {
        guard let reading = reading.withLock(\.self) else { return machine.now }
        return reading.timestamp.addingTimeInterval(machine.elapsed - reading.elapsed)
    }

    /// Records a time of the server, if it is more exact than the time that follows from the previous one.
    ///
    /// - Parameters:
    ///   - timestamp: The server's time.
    ///   - sent: The monotonic time at which this process requested it.
    ///   - received: The monotonic time at which the response arrived.
    func record(_ timestamp: Date, sent: TimeInterval, received: TimeInterval) {
        let error = max(0, received - sent) / 2
        let new = Reading(timestamp: timestamp.addingTimeInterval(error), elapsed: received, error: error)
        reading.withLock { known in
            if let known {
                let step = new.timestamp.timeIntervalSince(known.timestamp) - (new.elapsed - known.elapsed)
                let tolerance = known.error + Self.drift * (new.elapsed - known.elapsed)
                // A larger step shows that the server's clock was set, or that another server is the primary.
                guard error <= tolerance || abs(step) > tolerance + error else { return }
            }
            known = new
        }
    }
}
