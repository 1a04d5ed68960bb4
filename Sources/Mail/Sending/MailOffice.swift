import Foundation
package import Gatefold
package import Protections
import Synchronization
import Transfers

/// Takes letters in and hands them to the mail server, a few at a time, as long as it runs.
///
/// They wait in memory: what waits when the process is killed is lost.
package final class MailOffice: Mailer {
    private struct State {
        var queue: MailQueue
    }

    /// For so long, in seconds, letters are still sent after it was told to close.
    static let grace: TimeInterval = 10

    private let settings: MailSettings
    private let delivery: MailDelivery
    private let clock: WallClock
    private let random: RandomSource
    private let sleep: Sleep
    private let bell: Bell
    private let observe: @Sendable (MailEvent) -> Void
    private let state: Mutex<State>
    private let isClosed = Atomic(false)
    /// What is under way is to end as well.
    private let isAbandoned = Atomic(false)

    /// - Parameters:
    ///   - sleep: waits so many seconds.
    ///   - observe: told what happened; must return at once.
    /// - Throws: `SharedLibraryError` when libcurl is not installed.
    package init(
        _ settings: MailSettings, clock: WallClock, random: RandomSource,
        sleep: @escaping Sleep = { try await Task.sleep(for: .seconds($0)) },
        observe: @escaping @Sendable (MailEvent) -> Void = { _ in }
    ) throws {
        self.settings = settings
        self.clock = clock
        self.random = random
        self.sleep = sleep
        self.observe = observe
        delivery = try MailDelivery()
        bell = Bell(sleep: sleep)
        state = Mutex(State(queue: MailQueue(capacity: settings.queue)))
    }

    package func send(_ letter: Letter) throws(MailRefused) {
        do {
            let message = try MailMessage(letter, from: settings.sender, at: clock.now, random: random)
            let added = state.withLock { state -> Result<Int, MailRefused> in
                let time = clock.elapsed
                do throws(MailRefused) {
                    try state.queue.add(message, at: time)
                    return .success(state.queue.count)
                } catch {
                    return .failure(error)
                }
            }
            observe(.waiting(try added.get()))
            bell.ring()
        } catch {
            observe(.refused(error))
            throw error
        }
    }

    /// Sends until it is closed and all letters are dealt with, or until the task is cancelled: what waits then is
    /// given up, and no more is taken in.
    package func run() async {
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<settings.connections {
                group.addTask {
                    await self.work()
                    return true
                }
            }
            group.addTask {
                await self.limitClosing()
                return false
            }
            var workers = settings.connections
            while workers > 0, let wasWorker = await group.next() { workers -= wasWorker ? 1 : 0 }
            group.cancelAll()
        }
        // Who is cancelled leaves letters behind, and nobody else will ever say what became of them.
        abandon()
    }

    /// Takes in no more letters; ``run()`` then returns within seconds.
    package func close() {
        isClosed.store(true, ordering: .releasing)
        state.withLock { $0.queue.close() }
        bell.ring()
    }

    private func work() async {
        while !Task.isCancelled {
            let heard = bell.rings
            let (step, time) = state.withLock { state in
                let time = clock.elapsed
                return (state.queue.next(at: time), time)
            }
            switch step {
            case .end: return
            case .wait(let due):
                // Nobody has to ring for what comes due by itself.
                let seconds = min(due.map { max(0.1, $0 - time) } ?? 3600, 3600)
                do { try await bell.wait(after: heard, atMost: seconds) } catch { return }
            case .send(let entry): await send(entry)
            }
        }
    }

    private func send(_ entry: MailQueue.Entry) async {
        let failure = await hand(entry.message)
        let outcome: MailQueue.Outcome = failure.map { $0.isLasting ? .refused : .failed } ?? .sent
        let (verdict, waiting) = state.withLock { state in
            let time = clock.elapsed
            return (state.queue.finish(entry, outcome, at: time), state.queue.count)
        }
        switch verdict {
        case .done: observe(.sent)
        case .tryAgain: observe(.postponed(cause: failure?.description ?? ""))
        case .givenUp: observe(.failed(cause: failure?.description ?? ""))
        }
        observe(.waiting(waiting))
        // Somebody else may wait for a time that has changed.
        bell.ring()
    }

    /// In a thread of its own, because libcurl blocks it.
    private func hand(_ message: MailMessage) async -> MailDeliveryError? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                Thread.detachNewThread { [self] in
                    do throws(MailDeliveryError) {
                        _ = try delivery.send(
                            message.bytes, from: settings.sender.address.text, to: message.recipient.text,
                            through: settings.server, isCancelled: { self.isAbandoned.load(ordering: .acquiring) })
                        continuation.resume(returning: nil)
                    } catch {
                        continuation.resume(returning: error)
                    }
                }
            }
        } onCancel: {
            isAbandoned.store(true, ordering: .releasing)
        }
    }

    /// Once it is closed, ends in time what does not end by itself.
    private func limitClosing() async {
        do {
            while true {
                let heard = bell.rings
                if isClosed.load(ordering: .acquiring) { break }
                try await bell.wait(after: heard, atMost: 3600)
            }
            try await sleep(Self.grace)
        } catch { return }
        isAbandoned.store(true, ordering: .releasing)
        abandon()
        bell.ring()
    }

    /// Gives up what waits, and says so of each letter.
    private func abandon() {
        for _ in 0..<state.withLock({ $0.queue.abandon() }) { observe(.failed(cause: "the server stopped")) }
    }
}
