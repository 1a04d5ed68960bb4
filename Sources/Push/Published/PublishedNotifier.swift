import Foundation
package import Gatefold
package import Protections
import Synchronization

/// Tells apps of editions as they come out, and goes on after a restart with what was not told to the end.
package final class PublishedNotifier: Sendable {
    private let clock: WallClock
    private let sleep: Sleep
    private let offices: @Sendable () -> [PushOffice]
    private let observe: @Sendable (PushEvent) -> Void
    /// Each is a word that there may be a campaign to go on with.
    private let wakes: AsyncStream<Void>
    private let waking: AsyncStream<Void>.Continuation
    private let busy = Mutex<Set<String>>([])

    /// - Parameter offices: those of the configuration in force.
    package init(
        clock: WallClock = .system, sleep: @escaping Sleep = { try await Task.sleep(for: .seconds($0)) },
        offices: @escaping @Sendable () -> [PushOffice], observe: @escaping @Sendable (PushEvent) -> Void = { _ in }
    ) {
        self.clock = clock
        self.sleep = sleep
        self.offices = offices
        self.observe = observe
        (wakes, waking) = AsyncStream.makeStream()
    }

    /// Begins one campaign for each app: about the newest of the editions, because several that come out at once are one
    /// piece of news.
    ///
    /// Asked twice about the same editions it begins nothing anew.
    ///
    /// - Returns: whether the campaigns, where there are to be any, are in the store, from which they are sent whatever
    ///   happens to this process.
    package func didPublish(_ publication: PublicationID, _ editions: [Edition]) async -> Bool {
        guard let newest = editions.max(by: { ($0.published, $0.id) < ($1.published, $1.id) }),
            let office = offices().first(where: { $0.publication == publication && $0.settings.onPublish })
        else { return true }
        do {
            for app in office.settings.apps {
                let campaign = office.campaign(for: app, edition: newest.id)
                let begun = try await office.store.begin(campaign)
                let isNew = abs(begun.begun.timeIntervalSince(campaign.begun)) < 0.001
                if isNew && begun.finished == nil { observe(.began(begun)) }
            }
        } catch {
            if !Task.isCancelled { observe(.storeFailed(publication, cause: "\(type(of: error))")) }
            return false
        }
        waking.yield()
        return true
    }

    /// Has it looked after open campaigns once more, because the configuration in force is another one: what stopped
    /// them may have been put right.
    package func didReload() { waking.yield() }

    /// Sends what there is to send until the task is cancelled.
    package func run() async {
        waking.yield()
        await withDiscardingTaskGroup { group in
            for await _ in wakes {
                for office in offices() where office.settings.onPublish {
                    guard let unfinished = await unfinished(office) else {
                        group.addTask { [self] in
                            if (try? await sleep(10)) != nil { waking.yield() }
                        }
                        continue
                    }
                    for campaign in unfinished where claim(campaign.name) {
                        group.addTask { [self] in
                            let isLeft = await work(campaign)
                            _ = busy.withLock { $0.remove(campaign.name) }
                            // A reload that wants it again may have found it busy.
                            if isLeft { waking.yield() }
                        }
                    }
                }
            }
        }
    }

    /// What seems to be over is looked at again after so many seconds.
    private static let secondLook: TimeInterval = 3_600

    private func claim(_ name: String) -> Bool { busy.withLock { $0.insert(name).inserted } }

    /// Those whose notification follows from the settings: what an operator made up is the operator's to finish.
    ///
    /// - Returns: nil when they could not be read.
    private func unfinished(_ office: PushOffice) async -> [PushCampaign]? {
        do {
            let open = try await office.store.campaigns(in: office.publication, unfinished: true, limit: 1_000)
            return open.filter { office.settings.app($0.app) != nil && CampaignName.isOfEdition($0) }
        } catch {
            if !Task.isCancelled { observe(.storeFailed(office.publication, cause: "\(type(of: error))")) }
            return nil
        }
    }

    /// Who sends the campaign by the configuration in force; nil where it is not to be sent.
    private func sender(of campaign: PushCampaign) -> (office: PushOffice, app: PushApp)? {
        guard let office = offices().first(where: { $0.publication == campaign.publication && $0.settings.onPublish }),
            let app = office.settings.app(campaign.app)
        else { return nil }
        return (office, app)
    }

    /// Sends the campaign to its end, each attempt by the configuration that is in force then.
    ///
    /// - Returns: whether it was left because that configuration does not want it sent.
    private func work(_ campaign: PushCampaign) async -> Bool {
        var wait: TimeInterval = 30
        var seemsOver = false
        while !Task.isCancelled {
            guard let (office, app) = sender(of: campaign) else { return true }
            do {
                if office.isOver(campaign) {
                    // For good: not because the clock is ahead for a while.
                    guard seemsOver else {
                        seemsOver = true
                        guard (try? await sleep(Self.secondLook)) != nil else { return false }
                        continue
                    }
                    var over = try await office.store.begin(campaign)
                    over.finished = clock.now
                    try await office.store.keep(over)
                    observe(.droppedLate(over))
                    return false
                }
                let sent = try await office.send(campaign, to: app)
                if sent.finished != nil { observe(.finished(sent)) }
                return false
            } catch {
                if Task.isCancelled { return false }
                let stop = error as? PushStop
                let isTriedAgain = stop?.isPassing ?? true
                observe(
                    .stopped(
                        campaign, cause: stop?.description ?? "\(type(of: error))", isTriedAgain: isTriedAgain))
                guard isTriedAgain else { return false }
                wait = min(wait * 2, 900)
                guard (try? await sleep(wait)) != nil else { return false }
            }
        }
        return false
    }
}
