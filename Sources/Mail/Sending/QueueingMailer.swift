import Foundation
package import Gatefold
package import Primitives
import Synchronization
import Transfers

/// A queue that accepts e-mail messages and sends them to the mail server with limited concurrency.
///
/// The messages wait in an outbox that other processes share, sealed with the secret of the state. A message that is
/// accepted while the outbox is unavailable waits in the memory of this process.
package final class QueueingMailer: Mailer {
    /// The time in seconds for which messages are still sent after the queue is closed.
    static let grace: TimeInterval = 10
    /// The interval in seconds between two polls of the outboxes without a signal.
    static let period: TimeInterval = 5

    private struct Failure {
        let cause: String
        let isPermanent: Bool
    }

    private let settings: MailSettings
    private let outbox: any MailOutbox
    private let memory = InMemoryMailOutbox()
    private let pseudonymKey: PseudonymKey
    private let delivery: MailDelivery
    private let clock: WallClock
    private let random: RandomSource
    private let sleep: Sleep
    private let signal: AsyncSignal
    private let observe: @Sendable (MailEvent) -> Void
    private let attemptsInProgress = Atomic(0)
    /// The messages that ended and may still be in the outbox, because it was unavailable when they ended or were accepted.
    /// They are removed from it before the next claim.
    private let ended = Mutex<Set<QueuedMail.ID>>([])
    /// The number of messages that the outbox had when it was last counted.
    private let stored = Atomic(0)
    private let isClosed = Atomic(false)
    /// A Boolean value that indicates whether transfers under way must end too.
    private let isAbandoned = Atomic(false)

    /// - Parameters:
    ///   - outbox: The queue that all processes of the state share.
    ///   - pseudonymKey: The key that seals the messages in the outbox.
    ///   - clock: The clock of the outbox.
    ///   - sleep: Waits for the given number of seconds.
    ///   - observe: Receives each event. Must return immediately.
    /// - Throws: `SharedLibraryError` when libcurl is not installed.
    package init(
        _ settings: MailSettings, outbox: any MailOutbox, pseudonymKey: PseudonymKey, clock: WallClock,
        random: RandomSource, sleep: @escaping Sleep = { try await Task.sleep(for: .seconds($0)) },
        observe: @escaping @Sendable (MailEvent) -> Void = { _ in }
    ) throws {
        self.settings = settings
        self.outbox = outbox
        self.pseudonymKey = pseudonymKey
        self.clock = clock
        self.random = random
        self.sleep = sleep
        self.observe = observe
        delivery = try MailDelivery()
        signal = AsyncSignal(sleep: sleep)
    }

    package func send(_ emailMessage: EmailMessage) async throws(MailRejected) {
        do throws(MailRejected) {
            if isClosed.load(ordering: .acquiring) { throw .stopped }
            try await enqueue(emailMessage)
        } catch {
            observe(.rejected(error))
            throw error
        }
        signal.signal()
    }

    private func enqueue(_ emailMessage: EmailMessage) async throws(MailRejected) {
        let now = clock.now
        let message = try MailMessage(emailMessage, from: settings.sender, at: now, random: random)
        // The cipher rejects only what is too long.
        guard let content = try? pseudonymKey.seal(message) else { throw .tooLong }
        let mail = QueuedMail(
            id: message.id, content: content, owner: emailMessage.owner,
            expiresAt: emailMessage.expiresAt ?? now.addingTimeInterval(MailRetries.maxAge))
        // An unstructured task stores the message also if the client has disconnected.
        let stored = await Task { [outbox, limit = settings.queue] in
            try await outbox.enqueue(mail, limit: limit, at: now)
        }.result
        switch stored {
        case .success(true): return
        case .success(false): throw .full
        case .failure(let error):
            report(error)
            if memory.enqueue(mail, limit: settings.queue, at: now) { return }
            throw isClosed.load(ordering: .acquiring) ? .stopped : .full
        }
    }

    /// Sends messages until the queue is closed and nothing is due, or until the task is cancelled. A cancellation closes
    /// the queue. Messages in the outbox wait for another process or the next start, and those in memory are dropped.
    package func run() async {
        await withTaskCancellationHandler {
            await withDiscardingTaskGroup { group in
                group.addTask { await self.limitClosing() }
                await dispatch(in: &group)
                group.cancelAll()
            }
        } onCancel: {
            stop()
        }
        close()
        // Nothing else would report the fate of these messages.
        for _ in 0..<memory.abandon() { observe(.failed(cause: "the server stopped")) }
    }

    /// Stops accepting messages. ``run()`` then returns within seconds.
    package func close() {
        isClosed.store(true, ordering: .releasing)
        memory.close()
        signal.signal()
    }

    /// Ends the transfers under way.
    private func stop() {
        isAbandoned.store(true, ordering: .releasing)
        close()
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
        stop()
    }

    private func dispatch(in group: inout DiscardingTaskGroup) async {
        while !isAbandoned.load(ordering: .acquiring) {
            let lastSeen = signal.signalCount
            let isClosing = isClosed.load(ordering: .acquiring)
            let started = await startDue(in: &group)
            if started > 0 { continue }
            await observeWaiting()
            if isClosing, attemptsInProgress.load(ordering: .acquiring) == 0 { return }
            do { try await signal.wait(after: lastSeen, timeout: Self.period) } catch { return }
        }
    }

    /// Begins an attempt of each due message, as many as there are free connections.
    ///
    /// - Returns: The number of attempts.
    private func startDue(in group: inout DiscardingTaskGroup) async -> Int {
        var started = 0
        for outbox in [memory, outbox] as [any MailOutbox] {
            let free = settings.connections - attemptsInProgress.load(ordering: .acquiring)
            guard free > 0 else { break }
            let claims: [MailClaim]
            do { claims = try await claim(free, from: outbox) } catch {
                report(error)
                continue
            }
            for claim in claims {
                attemptsInProgress.add(1, ordering: .acquiringAndReleasing)
                started += 1
                group.addTask {
                    // An unstructured task is not cancelled, so that the outcome is recorded.
                    await Task { await self.attempt(claim, from: outbox) }.value
                    self.attemptsInProgress.subtract(1, ordering: .acquiringAndReleasing)
                    self.signal.signal()
                }
            }
        }
        return started
    }

    private func claim(_ count: Int, from outbox: any MailOutbox) async throws -> [MailClaim] {
        for id in ended.withLock(\.self) where !(outbox is InMemoryMailOutbox) {
            try await outbox.removeMail(id)
            ended.withLock { _ = $0.remove(id) }
        }
        let now = clock.now
        return try await outbox.claimMail(
            count, lease: random.bytes(16), at: now,
            until: now.addingTimeInterval(settings.server.timeout + MailRetries.leaseMargin))
    }

    private func attempt(_ claim: MailClaim, from outbox: any MailOutbox) async {
        if claim.isOutcomeUnknown { observe(.outcomeUnknown) }
        let (event, next) = await outcome(of: claim)
        let isInMemory = outbox is InMemoryMailOutbox
        // Whether the server has accepted the message of a cut transfer is unknown, so its lease ends by itself.
        if !isInMemory, isAbandoned.load(ordering: .acquiring), event != .sent, event != .expired {
            return observe(event)
        }
        do {
            if let next {
                try await outbox.postponeMail(claim.id, lease: claim.lease, at: clock.now, until: next)
            } else {
                try await outbox.removeMail(claim.id)
            }
        } catch {
            report(error)
            // A message that was sent must not be sent again when its lease ends.
            if next == nil { ended.withLock { _ = $0.insert(claim.id) } }
        }
        // The outbox may have stored the message although its response was lost.
        if isInMemory, next == nil { ended.withLock { _ = $0.insert(claim.id) } }
        observe(event)
    }

    /// Makes the attempt, unless the message has expired or has had all its attempts.
    ///
    /// - Returns: The outcome, and the time of the next attempt; nil for none.
    private func outcome(of claim: MailClaim) async -> (MailEvent, next: Date?) {
        if claim.expiresAt <= clock.now { return (.expired, nil) }
        if claim.attempts > MailRetries.maxAttempts {
            return (.failed(cause: "the outcome of the last attempt is unknown"), nil)
        }
        guard let failure = await deliver(claim) else { return (.sent, nil) }
        if !failure.isPermanent,
            let next = MailRetries.next(after: claim.attempts, at: clock.now, until: claim.expiresAt)
        {
            return (.postponed(cause: failure.cause), next)
        }
        return (.failed(cause: failure.cause), nil)
    }

    /// Sends a message on a dedicated thread, because libcurl blocks.
    private func deliver(_ claim: MailClaim) async -> Failure? {
        guard let (recipient, bytes) = pseudonymKey.openMail(claim.content) else {
            return Failure(cause: "the message is sealed with another secret", isPermanent: false)
        }
        return await withCheckedContinuation { continuation in
            Thread.detachNewThread { [self] in
                do throws(MailDeliveryError) {
                    _ = try delivery.send(
                        bytes, from: settings.sender.address.text, to: recipient.text, through: settings.server,
                        isCancelled: { self.isAbandoned.load(ordering: .acquiring) })
                    continuation.resume(returning: nil)
                } catch {
                    continuation.resume(returning: Failure(cause: error.description, isPermanent: error.isPermanent))
                }
            }
        }
    }

    private func observeWaiting() async {
        if let count = try? await outbox.waitingMail() { stored.store(count, ordering: .relaxed) }
        observe(.waiting(stored.load(ordering: .relaxed) + memory.waitingMail()))
    }

    private func report(_ error: any Error) {
        if error is CancellationError { return }
        observe(.outboxFailed(cause: String(describing: type(of: error))))
    }
}
