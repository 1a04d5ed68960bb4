import Foundation
import Protections
import Synchronization

/// What was learned about chains of certificates, and who is being asked about them: each by one question at a time, however
/// many wait for its answer.
final class RevocationMemory: Sendable {
    enum Standing: Sendable, Equatable {
        case holds
        case revoked
        /// Nobody said, or not usably.
        case unknown

        /// For so many seconds it counts. An answer that certificates hold counts as long as in Apple's own library; the
        /// others only spare a responder in trouble, and whoever waits for it, the same question for every signature.
        fileprivate var lifetime: TimeInterval { self == .holds ? 15 * 60 : 60 }
    }

    private struct State {
        var learned: [[UInt8]: (standing: Standing, asked: Date)] = [:]
        var waiters: [[UInt8]: [Waiter<Standing>]] = [:]
    }

    private enum Turn {
        case known(Standing)
        case asks
        case waits
    }

    private static let mostRemembered = 64

    private let state = Mutex(State())

    /// - Parameter ask: ends by itself, in seconds: none of those who wait for it cancels it.
    /// - Throws: `CancellationError`.
    func standing(
        of chain: [UInt8], at moment: Date, ask: @escaping @Sendable () async -> Standing
    ) async throws -> Standing {
        let waiter = Waiter<Standing>()
        let turn = state.withLock { state -> Turn in
            if let learned = state.learned[chain],
                (0..<learned.standing.lifetime).contains(moment.timeIntervalSince(learned.asked))
            {
                return .known(learned.standing)
            }
            let isFirst = state.waiters[chain] == nil
            state.waiters[chain, default: []].append(waiter)
            return isFirst ? .asks : .waits
        }
        switch turn {
        case .known(let standing): return standing
        case .asks: Task { land(chain, await ask(), at: moment) }
        case .waits: break
        }
        return try await waiter.wait { waiter.tell(.failure(CancellationError())) }
    }

    private func land(_ chain: [UInt8], _ standing: Standing, at moment: Date) {
        let waiters = state.withLock { state in
            if state.learned.count >= Self.mostRemembered { state.learned.removeAll() }
            state.learned[chain] = (standing, moment)
            return state.waiters.removeValue(forKey: chain) ?? []
        }
        for waiter in waiters { waiter.tell(.success(standing)) }
    }
}
