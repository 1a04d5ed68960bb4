import Foundation
package import Gatefold
package import Primitives

/// A runner that sends a campaign to all tokens of its app, in the order of the store.
package struct PushCampaignRunner: Sendable {
    /// Receives the progress of the campaign and the total number of tokens.
    package typealias Progress = @Sendable (_ campaign: PushCampaign, _ total: Int) -> Void

    let store: any PushTokenStore & PushCampaignStore
    let limits: PushLimits
    let clock: WallClock
    let sleep: Sleep
    /// Sends to one token, see ``APNsClient/send(_:to:)``.
    let send: @Sendable (PushToken) async throws -> PushOutcome
    let progress: Progress
    /// Receives the outcome of each notification.
    let observe: @Sendable (PushOutcome) -> Void
    let forgetsUnknownTokens: Bool

    /// - Parameter forgetsUnknownTokens: A Boolean value that indicates whether unknown tokens are deleted even if APNs knows
    ///   no token.
    package init(
        store: any PushTokenStore & PushCampaignStore, limits: PushLimits, forgetsUnknownTokens: Bool = false,
        clock: WallClock = .system,
        sleep: @escaping Sleep = { try await Task.sleep(for: .seconds($0)) },
        progress: @escaping Progress = { _, _ in }, observe: @escaping @Sendable (PushOutcome) -> Void = { _ in },
        send: @escaping @Sendable (PushToken) async throws -> PushOutcome
    ) {
        self.store = store
        self.limits = limits
        self.clock = clock
        self.sleep = sleep
        self.progress = progress
        self.observe = observe
        self.forgetsUnknownTokens = forgetsUnknownTokens
        self.send = send
    }

    private struct Sent: Sendable {
        let number: Int
        let token: PushToken
        /// The number of successful notifications when this one was begun.
        let sentBefore: Int
        let begun: Date
        let result: Result<PushOutcome, any Error>
    }

    /// Starts a campaign, or continues the campaign with its name.
    ///
    /// After a cancellation no further notification is begun. Notifications under way are completed and counted.
    ///
    /// - Returns: The progress of the campaign. ``PushCampaign/finished`` is nil if it was stopped.
    /// - Throws: ``PushCampaignError``, or the error of the store. The position is stored.
    package func run(_ campaign: PushCampaign) async throws -> PushCampaign {
        let campaign = try await store.begin(campaign)
        guard campaign.finished == nil else { return campaign }
        let ahead = try await store.countPushTokens(
            of: campaign.app, in: campaign.environment, after: campaign.position)
        var work = CampaignWork(
            campaign, limits: limits, total: campaign.processedCount + ahead, forgetsUnknownTokens: forgetsUnknownTokens
        )
        work.lastSaved = clock.elapsed
        progress(campaign, work.total)
        await withTaskGroup(of: Sent.self) { group in
            while true {
                if await beginNext(&work, in: &group) { continue }
                guard let sent = await group.next() else { break }
                work.inFlight -= 1
                await take(sent, &work)
                if work.failure != nil { group.cancelAll() }
            }
        }
        if work.failure == nil, work.isAtEnd, !Task.isCancelled { work.campaign.finished = clock.now }
        await save(&work)
        if let failure = work.failure { throw failure }
        return work.campaign
    }

    /// Begins the next notification if the limits allow it now.
    private func beginNext(_ work: inout CampaignWork, in group: inout TaskGroup<Sent>) async -> Bool {
        guard work.failure == nil, !work.isAtEnd, work.inFlight < limits.maxConcurrent, work.window.hasRoom,
            !Task.isCancelled
        else { return false }
        do {
            guard let next = try await nextToken(&work) else { return false }
            while true {
                let wait = work.rate.take(at: clock.elapsed)
                if wait == 0 { break }
                try await sleep(wait)
            }
            work.page.removeFirst()
            let number = work.window.begin(next.sequence)
            work.inFlight += 1
            group.addTask { [sentBefore = work.sent, clock, send] in
                let begun = clock.now
                let result: Result<PushOutcome, any Error>
                do {
                    result = .success(try await send(next.token))
                } catch {
                    result = .failure(error)
                }
                return Sent(number: number, token: next.token, sentBefore: sentBefore, begun: begun, result: result)
            }
            return true
        } catch is CancellationError {
            return false
        } catch {
            work.failure = error
            group.cancelAll()
            return false
        }
    }

    private func nextToken(_ work: inout CampaignWork) async throws -> RegisteredPushToken? {
        if work.page.isEmpty {
            let page = try await store.pushTokens(
                of: work.campaign.app, in: work.campaign.environment, after: work.lastRead, limit: Self.pageSize)
            work.page = page[...]
            work.lastRead = page.last?.sequence ?? work.lastRead
            work.isAtEnd = page.isEmpty
        }
        return work.page.first
    }

    private static let pageSize = 500

    private func take(_ sent: Sent, _ work: inout CampaignWork) async {
        do {
            let outcome = try sent.result.get()
            try await work.record(outcome, of: sent.token, begun: sent.begun, sentBefore: sent.sentBefore, in: store)
            work.window.finish(sent.number, outcome)
            observe(outcome)
        } catch is CancellationError {
            // The token remains to be sent to.
        } catch {
            work.failure = work.failure ?? error
        }
        guard work.advance() else { return }
        progress(work.campaign, work.total)
        let now = clock.elapsed
        if work.window.processedCount >= limits.maxUnsavedSends || now - work.lastSaved >= limits.saveInterval {
            await save(&work)
        }
    }

    /// Stores the position, even if the task was cancelled.
    private func save(_ work: inout CampaignWork) async {
        // While no token was reached, the rejected notifications may have to be repeated with corrected settings.
        guard !work.isUncertain || work.campaign.finished != nil else { return }
        do {
            try await Task { [store, campaign = work.campaign] in try await store.save(campaign) }.value
            work.window.didSave()
            work.lastSaved = clock.elapsed
        } catch {
            work.failure = work.failure ?? error
        }
    }
}

extension PushCampaign {
    /// The number of tokens that the campaign has processed.
    package var processedCount: Int { sent + failed + gone }
}
