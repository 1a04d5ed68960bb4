package import Foundation
package import Gatefold
import Primitives
import Synchronization

/// A publication's catalogue: the current version, its source, and its cached record.
package final class CachedCatalogue: Sendable {
    package let publication: PublicationID
    /// The current catalogue, which decisions and responses read.
    package let current: CurrentCatalogue
    /// The plan for following the source; nil if the configuration holds the editions.
    package let plan: CataloguePlan?
    package let cache: CatalogueCache
    private let source: (any CatalogueSource)?
    let services: CatalogueServices
    let progress: Mutex<Progress>

    struct Progress {
        /// The monotonic time of the next fetch.
        var due = -TimeInterval.infinity
        /// A Boolean value that indicates whether a task fetches the catalogue or takes it over from another node.
        var isFetching = false
        /// The version of the shared document that the record has.
        var sharedVersion: Data?
        /// The sequence number of the shared document that the record has; nil if this node has fetched since.
        var sharedSequence: Int64?
        /// The version of the shared document that this node last tried to write; nil after a failed fetch.
        var offeredVersion: Data?
        var documentRetry = SharedDocumentRetry()
        var failures = 0
        /// The last problems logged about the source and about the file, so that each is logged once.
        var lastReportedProblem: String?
        var lastReportedFileProblem: String?
        var announcementMonitor = AnnouncementMonitor()
        var isAnnouncing = false
    }

    /// Creates a catalogue with the editions of the configuration.
    package init(
        _ publication: PublicationID, _ editions: [Edition], cache: CatalogueCache, services: CatalogueServices
    ) {
        self.publication = publication
        self.cache = cache
        self.services = services
        plan = nil
        source = nil
        current = CurrentCatalogue(Catalogue(editions))
        progress = Mutex(Progress())
    }

    /// Creates a catalogue with a source. Until the source responds, the catalogue is the cached one, or is awaited
    /// if none is cached.
    ///
    /// - Parameter before: The catalogue that was shown until now; nil at the start. It takes precedence over the
    ///   cached catalogue, which may be old or belong to another source.
    /// - Throws: An error if the source cannot be opened, for example because its library is not installed.
    package init(
        _ publication: PublicationID, _ plan: CataloguePlan, cache: CatalogueCache, services: CatalogueServices,
        before: Catalogue? = nil
    ) throws {
        self.publication = publication
        self.plan = plan
        self.cache = cache
        self.services = services
        source = try plan.kind.open()
        current = CurrentCatalogue(
            [before, cache.value.editions.map { Catalogue($0) }].compactMap(\.self).first { !$0.editions.isEmpty }
                ?? .pending)
        progress = Mutex(Progress())
    }

    package func status(at now: Date) -> CatalogueStatus {
        let (record, progress) = (cache.value, progress.withLock { $0 })
        let confirmed = plan == nil ? nil : record.confirmedAt
        return CatalogueStatus(
            editions: current.value.editions.count, confirmedAt: confirmed,
            failure: progress.lastReportedProblem ?? progress.lastReportedFileProblem,
            failures: progress.failures,
            isStale: plan.map { now.timeIntervalSince(confirmed ?? .distantPast) > $0.staleAfter } ?? false,
            hasSource: plan != nil)
    }

    /// Performs the due work: fetches the catalogue and announces new editions.
    ///
    /// - Parameter isWanted: Returns whether the fetched catalogue still matters, because a reload may have
    ///   replaced this catalogue.
    package func follow(isWanted: @escaping @Sendable () -> Bool = { true }) async {
        await announce()
        guard let plan else { return }
        let isFree = progress.withLock { progress in
            defer { progress.isFetching = true }
            return !progress.isFetching
        }
        guard isFree else { return }
        if let shared = services.shared {
            await follow(shared, plan, isWanted: isWanted)
        } else if isDue {
            _ = await fetch(plan, isWanted: isWanted)
        }
        progress.withLock { $0.isFetching = false }
        await announce()
    }

    /// A Boolean value that indicates whether the time of this node's next fetch has come.
    var isDue: Bool {
        let now = services.clock.elapsed
        return progress.withLock { $0.due <= now }
    }

    /// Fetches the catalogue, and schedules the next fetch.
    ///
    /// - Returns: Whether the fetch failed, and the seconds until the next one; nil if it was cancelled, which is not a
    ///   failure.
    func fetch(
        _ plan: CataloguePlan, isWanted: @Sendable () -> Bool
    ) async -> (failed: Bool, wait: TimeInterval)? {
        guard let failed = await refresh(isWanted: isWanted) else { return nil }
        let jitterShare = Double(services.random.bytes(1).first ?? 0) / 255
        let wait = plan.wait(failed: failed, jitterShare: jitterShare)
        let end = services.clock.elapsed
        progress.withLock { $0.due = end + wait }
        return (failed, wait)
    }

    /// Fetches from the source once.
    ///
    /// - Returns: True if the fetch failed; nil if it was cancelled.
    private func refresh(isWanted: @Sendable () -> Bool) async -> Bool? {
        guard let plan, let source else { return nil }
        let record = cache.value
        let cached = Catalogue(record.editions ?? [])
        // The validators of another source mean nothing to this source. If another catalogue is current, a response
        // “unchanged” would replace it with the cached catalogue and bypass the limits.
        let isSame = record.fingerprint == plan.fingerprint && current.value == cached
        let known = KnownCatalogue(validators: isSame ? record.validators : nil, catalogue: cached)
        let result: CatalogueResult
        // A process that was paused during the request does not count an old response as a new one.
        let begun = services.clock.now
        do {
            result = try await fetchInTime(of: source, known, plan)
        } catch {
            if Task.isCancelled { return nil }
            reportProblem(.unreachable, (error as? any BackendFailure)?.cause ?? "\(type(of: error))")
            return true
        }
        guard isWanted() else { return nil }
        switch result {
        case .unchanged:
            progress.withLock { $0.sharedSequence = nil }
            updateRecord { $0.confirmedAt = begun }
            settle(.unchanged, nil)
        case .read(let reading):
            // Devices delete editions that leave the shelves, so the limits apply across a change of source or
            // settings too.
            let shown = current.value.editions.count
            if let rejection = plan.limits.rejection(of: reading, last: shown > 0 ? shown : nil) {
                reportProblem(.rejected, rejection.description)
                return true
            }
            progress.withLock { progress in
                progress.sharedSequence = nil
                progress.sharedVersion = nil
            }
            updateRecord { record in
                record.fingerprint = plan.fingerprint
                record.confirmedAt = begun
                record.validators = reading.validators
                record.editions = reading.editions
            }
            settle(show(Catalogue(reading.editions)) ? .replaced : .unchanged, reading)
        }
        return false
    }

    /// Makes a catalogue current if it differs from the current one. The comparison does not use the cached record,
    /// because the follower before a reload shares that record and may still have changed it.
    ///
    /// - Returns: True if the catalogue was different.
    func show(_ catalogue: Catalogue) -> Bool {
        guard current.value != catalogue else { return false }
        current.replace(with: catalogue)
        return true
    }

    private func fetchInTime(
        of source: any CatalogueSource, _ known: KnownCatalogue, _ plan: CataloguePlan
    ) async throws -> CatalogueResult {
        try await withThrowingTaskGroup(of: CatalogueResult.self) { group in
            group.addTask { try await source.fetch(after: known) }
            group.addTask { [services] in
                try await services.sleep(plan.deadline)
                throw CatalogueFailure.timedOut
            }
            defer { group.cancelAll() }
            guard let result = try await group.next() else { throw CatalogueFailure.timedOut }
            return result
        }
    }

    /// Announces the editions that are offered for the first time. The editions of the first catalogue of a
    /// publication count as announced, because no device should be woken for old editions.
    private func announce() async {
        let (now, elapsed) = (services.clock.now, services.clock.elapsed)
        let version = current.version
        let isDue = progress.withLock { progress in
            guard !progress.isAnnouncing, progress.announcementMonitor.isDue(version.number, at: now, elapsed) else {
                return false
            }
            progress.isAnnouncing = true
            return true
        }
        guard isDue else { return }
        defer { progress.withLock { $0.isAnnouncing = false } }
        // Without a catalogue there is no baseline.
        guard !version.catalogue.editions.isEmpty || cache.value.announced != nil else { return }
        let offered = version.catalogue.offered(at: now)
        let known = Set(cache.value.announced ?? offered.map(\.id))
        let fresh = offered.filter { !known.contains($0.id) }
        // The editions are recorded only after the announcement. If the process died in between, editions recorded
        // earlier would never be announced.
        if !fresh.isEmpty, await !services.didPublish(publication, fresh) {
            progress.withLock { $0.announcementMonitor.postpone(version, until: elapsed + Self.announcementRetryDelay) }
            return
        }
        do {
            let new = try cache.update(durably: true) { record -> [Edition] in
                let before = record.announced ?? offered.map(\.id)
                let known = Set(before)
                let new = fresh.filter { !known.contains($0.id) }
                record.announced = Announcements.bounded(before + new.map(\.id), retaining: version.catalogue)
                return new
            }
            progress.withLock { progress in
                progress.announcementMonitor.record(version, at: now)
                progress.lastReportedFileProblem = nil
            }
            guard !new.isEmpty else { return }
            services.observe(
                CatalogueEvent(
                    publication: publication, name: .published,
                    detail: new.map(\.id.rawValue).prefix(20).joined(separator: ", ")))
        } catch {
            progress.withLock { $0.announcementMonitor.postpone(version, until: elapsed + Self.announcementRetryDelay) }
            reportFileProblem(error)
        }
    }

    /// The wait in seconds before a failed announcement is tried again.
    private static let announcementRetryDelay: TimeInterval = 10

    /// Updates the record. A failed write does not affect the current catalogue.
    func updateRecord(_ change: (inout CatalogueRecord) -> Void) {
        do {
            try cache.update(durably: false) { change(&$0) }
            progress.withLock { $0.lastReportedFileProblem = nil }
        } catch {
            reportFileProblem(error)
        }
    }

    private func reportFileProblem(_ error: CatalogueCacheError) {
        let isNew = progress.withLock { progress in
            defer { progress.lastReportedFileProblem = error.description }
            return progress.lastReportedFileProblem != error.description
        }
        guard isNew else { return }
        services.observe(CatalogueEvent(publication: publication, name: .notStored, detail: error.description))
    }

    private func reportProblem(_ name: CatalogueEvent.Name, _ cause: String) {
        let isNew = progress.withLock { progress in
            progress.failures += 1
            defer { progress.lastReportedProblem = cause }
            return progress.lastReportedProblem != cause
        }
        services.observe(CatalogueEvent(publication: publication, name: name, detail: isNew ? cause : nil))
    }

    func settle(_ name: CatalogueEvent.Name, _ reading: CatalogueReading?) {
        let before = progress.withLock { progress in
            defer {
                progress.failures = 0
                progress.lastReportedProblem = nil
            }
            return progress.failures
        }
        var details: [String] = []
        if before > 0 { details.append("the source recovered after \(before) failed fetches") }
        if name == .replaced, let reading { details.append("\(reading.editions.count) editions") }
        let problems = reading?.problems ?? []
        if !problems.isEmpty, name == .replaced {
            details.append(
                "\(problems.count) items skipped: "
                    + problems.prefix(5).map(\.description).joined(separator: "; ") + (problems.count > 5 ? "; …" : ""))
        }
        services.observe(
            CatalogueEvent(
                publication: publication, name: name, detail: details.isEmpty ? nil : details.joined(separator: "; "),
                isSkipping: !problems.isEmpty && name == .replaced))
    }
}
