import Foundation
package import Gatefold
package import Primitives
import Synchronization
import Transfers

/// A queue that accepts e-mail messages and sends them to the mail server with limited concurrency.
///
/// The messages wait in memory and are lost if the process is killed.
package final class QueueingMailer: Mailer {
    private struct State {
        var queue: MailQueue
    }

    /// The time in seconds for which messages are still sent after the queue is closed.
    static let grace: TimeInterval = 10

    private let settings: MailSettings
    private let delivery: MailDelivery
    private let clock: WallClock
    private let random: RandomSource
    private let sleep: Sleep
    private let signal: AsyncSignal
    private let observe: @Sendable (MailEvent) -> Void
    private let state: Mutex<State>
    private let isClosed = Atomic(false)
    /// A Boolean value that indicates whether transfers under way must end too.
    private let isAbandoned = Atomic(false)

    /// - Parameters:
    ///   - sleep: Waits for the given number of seconds.
    ///   - observe: Receives each event. Must return immediately.
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
        signal = AsyncSignal(sleep: sleep)
        state = Mutex(State(queue: MailQueue(capacity: settings.queue)))
    }

    package func send(_ emailMessage: EmailMessage) throws(MailRejected) {
        do {
            let message = try MailMessage(emailMessage, from: settings.sender, at: clock.now, random: random)
            let added = state.withLock { state -> Result<Int, MailRejected> in
                let time = clock.elapsed
                do throws(MailRejected) {
                    try state.queue.add(message, at: time)
                    return .success(state.queue.count)
                } catch {
                    return .failure(error)
                }
            }
            observe(.waiting(try added.get()))
            signal.signal()
        } catch {
            observe(.rejected(error))
            throw error
        }
    }

    /// Sends messages until the queue is closed and empty, or until the task is cancelled. A cancellation drops the
    /// waiting messages and closes the queue.
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
        // A cancelled worker leaves messages in the queue, and no other code would report their fate.
        abandon()
    }

    /// Stops accepting messages. ``run()`` then returns within seconds.
    package func close() {
        isClosed.store(true, ordering: .releasing)
        state.withLock { $0.queue.close() }
        signal.signal()
    }

    private func work() async {
        while !Task.isCancelled {
            let lastSeen = signal.signalCount
            let (step, time) = state.withLock { state in
                let time = clock.elapsed
                return (state.queue.next(at: time), time)
            }
            switch step {
            case .end: return
            case .wait(let due):
                // A message that becomes due needs no signal.
                let seconds = min(due.map { max(0.1, $0 - time) } ?? 3600, 3600)
                do { try await signal.wait(after: lastSeen, timeout: seconds) } catch { return }
            case .send(let entry): await send(entry)
            }
        }
    }

    private func send(_ entry: MailQueue.Entry) async {
        let failure = await deliver(entry.message)
        let outcome: MailQueue.Outcome = failure.map { $0.isPermanent ? .rejected : .failed } ?? .sent
        let (verdict, waiting) = state.withLock { state in
            let time = clock.elapsed
            return (state.queue.finish(entry, outcome, at: time), state.queue.count)
        }
        switch verdict {
        case .done: observe(.sent)
        case .retry: observe(.postponed(cause: failure?.description ?? ""))
        case .abandoned: observe(.failed(cause: failure?.description ?? ""))
        }
        observe(.waiting(waiting))
        // Another worker may wait for a due time that has changed.
        signal.signal()
    }

    /// Sends a message on a dedicated thread, because libcurl blocks.
    private func deliver(_ message: MailMessage) async -> MailDeliveryError? {
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

    /// Limits the time for which a closed queue may still send.
    private func limitClosing() async {
        do {
            while true {
                let lastSeen = signal.signalCount
                if isClosed.load(ordering: .acquiring) { break }
                try await signal.wait(after: lastSeen, timeout: 3600)
            }
            try await sleep(Self.grace)
        } catch { return }
        isAbandoned.store(true, ordering: .releasing)
        abandon()
        signal.signal()
    }

    /// Drops the waiting messages and reports each of them.
    private func abandon() {
        for _ in 0..<state.withLock({ $0.queue.abandon() }) { observe(.failed(cause: "the server stopped")) }
    }
}
