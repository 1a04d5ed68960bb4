import Foundation
package import Gatefold
package import Protections

/// Sends a campaign to all tokens of its app, in the order of the store.
package struct PushCampaignRunner: Sendable {
    /// Told how far it has come, and of how many tokens.
    package typealias Progress = @Sendable (_ campaign: PushCampaign, _ total: Int) -> Void

    let store: any PushTokenStore
    let limits: PushLimits
    let clock: WallClock
    let sleep: Sleep
    /// Sends to one token, see ``APNsClient/send(_:to:)``.
    let send: @Sendable (PushToken) async throws -> PushOutcome
    let progress: Progress
    /// Told what became of each notification.
    let observe: @Sendable (PushOutcome) -> Void
    let trusting: Bool

    /// - Parameter trusting: whether tokens that APNs does not know are forgotten even where it knows none.
    package init(
        store: any PushTokenStore, limits: PushLimits, trusting: Bool = false, clock: WallClock = .system,
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
        self.trusting = trusting
        self.send = send
    }

    private struct Sent: Sendable {
        let number: Int
        let token: PushToken
        /// What was sent successfully when this was begun.
        let sentBefore: Int
        let begun: Date
        let result: Result<PushOutcome, any Error>
    }

    /// Begins the campaign, or goes on with the one of its name.
    ///
    /// When the task is cancelled, nothing more is begun, and what is under way is waited for and counted.
    ///
    /// - Returns: how far it came: ``PushCampaign/finished`` is nil when it was stopped.
    /// - Throws: ``PushStop``, or what the store throws; the place is kept.
    package func run(_ campaign: PushCampaign) async throws -> PushCampaign {
        let campaign = try await store.begin(campaign)
        guard campaign.finished == nil else { return campaign }
        let ahead = try await store.countPushTokens(
            of: campaign.app, in: campaign.environment, after: campaign.position)
        var work = CampaignWork(campaign, limits: limits, total: campaign.dealtWith + ahead, trusting: trusting)
        work.lastKept = clock.elapsed
        progress(campaign, work.total)
        await withTaskGroup(of: Sent.self) { group in
            while true {
                if await beginNext(&work, in: &group) { continue }
                guard let sent = await group.next() else { break }
                work.underWay -= 1
                await take(sent, &work)
                if work.failure != nil { group.cancelAll() }
            }
        }
        if work.failure == nil, work.isAtEnd, !Task.isCancelled { work.campaign.finished = clock.now }
        await keep(&work)
        if let failure = work.failure { throw failure }
        return work.campaign
    }

    /// Begins with the next token where one may be begun now.
    private func beginNext(_ work: inout CampaignWork, in group: inout TaskGroup<Sent>) async -> Bool {
        guard work.failure == nil, !work.isAtEnd, work.underWay < limits.mostAtOnce, work.window.hasRoom,
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
            work.underWay += 1
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
            try await work.note(outcome, of: sent.token, begun: sent.begun, sentBefore: sent.sentBefore, in: store)
            work.window.finish(sent.number, outcome)
            observe(outcome)
        } catch is CancellationError {
            // It stays to be dealt with.
        } catch {
            work.failure = work.failure ?? error
        }
        guard work.advance() else { return }
        progress(work.campaign, work.total)
        let now = clock.elapsed
        if work.window.dealtWith >= limits.keptEvery || now - work.lastKept >= limits.keptWithin { await keep(&work) }
    }

    /// Keeps the place, also when the task was cancelled.
    private func keep(_ work: inout CampaignWork) async {
        // While nobody was reached, what was refused may have to be sent again with better settings.
        guard !work.isInDoubt || work.campaign.finished != nil else { return }
        do {
            try await Task { [store, campaign = work.campaign] in try await store.keep(campaign) }.value
            work.window.didKeep()
            work.lastKept = clock.elapsed
        } catch {
            work.failure = work.failure ?? error
        }
    }
}

extension PushCampaign {
    /// How many tokens it came to.
    package var dealtWith: Int { sent + failed + gone }
}
