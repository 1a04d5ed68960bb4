import Foundation
import Synchronization

/// The number of events about unauthenticated subjects that may be recorded now. One allowance is for all clients. Each block of
/// addresses has a small part of it, so that one client cannot hide the events of all others.
final class UnverifiedAllowance: Sendable {
    /// A bucket that fills with time.
    private struct Bucket {
        var left: Double
        var filled: TimeInterval

        mutating func fill(at elapsed: TimeInterval, _ rate: Double, _ size: Double) {
            left = min(size, left + max(0, elapsed - filled) * rate)
            filled = elapsed
        }
    }

    private struct Buckets {
        var all: Bucket
        /// Several blocks may have the same bucket. Clients without an address have one, too.
        var blocks: [Bucket]
    }

    private static let blocks = 256
    private let rate: Double
    private let buckets: Mutex<Buckets>

    /// The burst in seconds of the rate, and the part of one block.
    private var size: Double { 10 * rate }
    private var blockRate: Double { rate / 16 }
    private var blockSize: Double { 2 * rate }

    /// - Parameter rate: The number of events per second of all clients. Ten seconds' worth may come at once.
    init(perSecond rate: Double, at elapsed: TimeInterval) {
        self.rate = rate
        buckets = Mutex(
            Buckets(
                all: Bucket(left: 10 * rate, filled: elapsed),
                blocks: Array(repeating: Bucket(left: 2 * rate, filled: elapsed), count: Self.blocks)))
    }

    func admits(_ client: ClientAddress?, at elapsed: TimeInterval) -> Bool {
        let block = client.map { $0.prefix(bits: $0.isIPv6 ? 56 : 24) }
        let index = Int(UInt(bitPattern: block.hashValue) % UInt(Self.blocks))
        return buckets.withLock { buckets in
            buckets.all.fill(at: elapsed, rate, size)
            buckets.blocks[index].fill(at: elapsed, blockRate, blockSize)
            guard buckets.all.left >= 1, buckets.blocks[index].left >= 1 else { return false }
            buckets.all.left -= 1
            buckets.blocks[index].left -= 1
            return true
        }
    }
}
