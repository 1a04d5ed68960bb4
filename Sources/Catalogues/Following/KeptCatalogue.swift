package import Foundation
package import Gatefold
import Synchronization

/// One publication's catalogue: the one in force, what it comes from, and what is remembered of it.
package final class KeptCatalogue: Sendable {
    package let publication: PublicationID
    /// Whoever decides or renders reads it here.
    package let current: CurrentCatalogue
    /// Nil where the editions stand in the configuration.
    package let plan: CataloguePlan?
    package let memory: CatalogueMemory
    private let source: (any CatalogueSource)?
    private let services: CatalogueServices
    private let progress: Mutex<Progress>

    private struct Progress {
        /// When the next fetch is due, by the clock that nobody sets.
        var due = -TimeInterval.infinity
        var isFetching = false
        var failures = 0
        /// What was last said of the source, and of the file, in the log, so that it is said once.
        var complaint: String?
        var fileComplaint: String?
        var announcing = AnnouncementWatch()
        var isAnnouncing = false
    }

    /// With the editions of the configuration.
    package init(
        _ publication: PublicationID, _ editions: [Edition], memory: CatalogueMemory, services: CatalogueServices
    ) {
        self.publication = publication
        self.memory = memory
        self.services = services
        plan = nil
        source = nil
        current = CurrentCatalogue(Catalogue(editions))
        progress = Mutex(Progress())
    }

    /// With a source, and until it answers with what is remembered; where nothing is, it is awaited.
    ///
    /// - Parameter before: what was shown until now; nil at the start. Until the source answers, it is better than what is
    ///   remembered, which may be another source's and old.
    /// - Throws: where what asks the source can not be made, as when its library is not installed.
    package init(
        _ publication: PublicationID, _ plan: CataloguePlan, memory: CatalogueMemory, services: CatalogueServices,
        before: Catalogue? = nil
    ) throws {
        self.publication = publication
        self.plan = plan
        self.memory = memory
        self.services = services
        source = try plan.kind.open()
        current = CurrentCatalogue(
            [before, memory.value.editions.map { Catalogue($0) }].compactMap(\.self).first { !$0.editions.isEmpty }
                ?? .awaited)
        progress = Mutex(Progress())
    }

    package func status(at now: Date) -> CatalogueStatus {
        let (record, progress) = (memory.value, progress.withLock { $0 })
        let confirmed = plan == nil ? nil : record.confirmedAt
        return CatalogueStatus(
            editions: current.value.editions.count, confirmedAt: confirmed,
            failure: progress.complaint ?? progress.fileComplaint,
            failures: progress.failures,
            isStale: plan.map { now.timeIntervalSince(confirmed ?? .distantPast) > $0.staleAfter } ?? false,
            hasSource: plan != nil)
    }

    /// Does what is due: fetches, and announces what appeared.
    ///
    /// - Parameter isWanted: whether what was fetched still matters when it is there: a reload may have put another one in
    ///   this one's place.
    package func follow(isWanted: @Sendable () -> Bool = { true }) async {
        await announce()
        let now = services.clock.elapsed
        let isDue = progress.withLock { progress in
            guard source != nil, !progress.isFetching, progress.due <= now else { return false }
            progress.isFetching = true
            return true
        }
        guard isDue else { return }
        let failed = await refresh(isWanted: isWanted)
        let chance = Double(services.random.bytes(1).first ?? 0) / 255
        let end = services.clock.elapsed
        progress.withLock { progress in
            progress.isFetching = false
            // A fetch that was broken off is not one that failed.
            if let failed, let plan { progress.due = end + plan.wait(failed: failed, chance: chance) }
        }
        await announce()
    }

    /// Asks the source once.
    ///
    /// - Returns: whether it failed; nil when it was broken off.
    private func refresh(isWanted: @Sendable () -> Bool) async -> Bool? {
        guard let plan, let source else { return nil }
        let record = memory.value
        let remembered = Catalogue(record.editions ?? [])
        // Another source's validators say nothing to this one; and where something else is in force, "unchanged" would put what
        // is remembered in its place past the limits.
        let isSame = record.fingerprint == plan.fingerprint && current.value == remembered
        let known = KnownCatalogue(validators: isSame ? record.validators : nil, catalogue: remembered)
        let answer: CatalogueAnswer
        do {
            answer = try await answerInTime(of: source, known, plan)
        } catch {
            if Task.isCancelled { return nil }
            complain(.unreachable, (error as? any BackendFailure)?.cause ?? "\(type(of: error))")
            return true
        }
        guard isWanted() else { return nil }
        switch answer {
        case .unchanged:
            keep { $0.confirmedAt = self.services.clock.now }
            settle(.unchanged, nil)
        case .read(let reading):
            // What is gone from the shelves is deleted on the devices, whichever source or setting was the last one's.
            let shown = current.value.editions.count
            if let refusal = plan.limits.refusal(of: reading, last: shown > 0 ? shown : nil) {
                complain(.refused, refusal.description)
                return true
            }
            keep { record in
                record.fingerprint = plan.fingerprint
                record.confirmedAt = self.services.clock.now
                record.validators = reading.validators
                record.editions = reading.editions
            }
            settle(show(Catalogue(reading.editions)) ? .replaced : .unchanged, reading)
        }
        return false
    }

    /// Puts a catalogue into force, where it is another than the one that is: compared with that one and not with the memory,
    /// which is shared with whatever followed the catalogue before a reload and may still have noted something.
    ///
    /// - Returns: whether it was another.
    private func show(_ catalogue: Catalogue) -> Bool {
        guard current.value != catalogue else { return false }
        current.replace(with: catalogue)
        return true
    }

    private func answerInTime(
        of source: any CatalogueSource, _ known: KnownCatalogue, _ plan: CataloguePlan
    ) async throws -> CatalogueAnswer {
        try await withThrowingTaskGroup(of: CatalogueAnswer.self) { group in
            group.addTask { try await source.fetch(after: known) }
            group.addTask { [services] in
                try await services.sleep(plan.deadline)
                throw CatalogueFailure.timedOut
            }
            defer { group.cancelAll() }
            guard let answer = try await group.next() else { throw CatalogueFailure.timedOut }
            return answer
        }
    }

    /// Announces what is offered for the first time. At the first sight of a publication everything that is offered has been
    /// for long: nobody is to be woken for old editions.
    private func announce() async {
        let (now, elapsed) = (services.clock.now, services.clock.elapsed)
        let version = current.version
        let isDue = progress.withLock { progress in
            guard !progress.isAnnouncing, progress.announcing.isDue(version.number, at: now, elapsed) else {
                return false
            }
            progress.isAnnouncing = true
            return true
        }
        guard isDue else { return }
        defer { progress.withLock { $0.isAnnouncing = false } }
        // Without a catalogue there is nothing to begin with.
        guard !version.catalogue.editions.isEmpty || memory.value.announced != nil else { return }
        let offered = version.catalogue.offered(at: now)
        let known = Set(memory.value.announced ?? offered.map(\.id))
        let fresh = offered.filter { !known.contains($0.id) }
        // Noted only afterwards: what was noted and then not told, because the process died, would be told to nobody.
        if !fresh.isEmpty, await !services.didPublish(publication, fresh) {
            progress.withLock { $0.announcing.postpone(version, until: elapsed + Self.announcedAgain) }
            return
        }
        do {
            let new = try memory.update(firmly: true) { record -> [Edition] in
                let before = record.announced ?? offered.map(\.id)
                let known = Set(before)
                let new = fresh.filter { !known.contains($0.id) }
                record.announced = Announcements.bounded(before + new.map(\.id), keeping: version.catalogue)
                return new
            }
            progress.withLock { progress in
                progress.announcing.note(version, at: now)
                progress.fileComplaint = nil
            }
            guard !new.isEmpty else { return }
            services.observe(
                CatalogueEvent(
                    publication: publication, name: .published,
                    detail: new.map(\.id.rawValue).prefix(20).joined(separator: ", ")))
        } catch {
            progress.withLock { $0.announcing.postpone(version, until: elapsed + Self.announcedAgain) }
            complainOfFile(error)
        }
    }

    /// What could not be announced is tried again after so many seconds.
    private static let announcedAgain: TimeInterval = 10

    /// The catalogue in force does not depend on the file.
    private func keep(_ change: (inout CatalogueRecord) -> Void) {
        do {
            try memory.update(firmly: false) { change(&$0) }
            progress.withLock { $0.fileComplaint = nil }
        } catch {
            complainOfFile(error)
        }
    }

    private func complainOfFile(_ error: CatalogueMemoryError) {
        let isNew = progress.withLock { progress in
            defer { progress.fileComplaint = error.description }
            return progress.fileComplaint != error.description
        }
        guard isNew else { return }
        services.observe(CatalogueEvent(publication: publication, name: .notKept, detail: error.description))
    }

    private func complain(_ name: CatalogueEvent.Name, _ cause: String) {
        let isNew = progress.withLock { progress in
            progress.failures += 1
            defer { progress.complaint = cause }
            return progress.complaint != cause
        }
        services.observe(CatalogueEvent(publication: publication, name: name, detail: isNew ? cause : nil))
    }

    private func settle(_ name: CatalogueEvent.Name, _ reading: CatalogueReading?) {
        let before = progress.withLock { progress in
            defer {
                progress.failures = 0
                progress.complaint = nil
            }
            return progress.failures
        }
        var words: [String] = []
        if before > 0 { words.append("the source is back after \(before) failed fetches") }
        if name == .replaced, let reading { words.append("\(reading.editions.count) editions") }
        let problems = reading?.problems ?? []
        if !problems.isEmpty, name == .replaced {
            words.append(
                "\(problems.count) items passed over: "
                    + problems.prefix(5).map(\.description).joined(separator: "; ") + (problems.count > 5 ? "; …" : ""))
        }
        services.observe(
            CatalogueEvent(
                publication: publication, name: name, detail: words.isEmpty ? nil : words.joined(separator: "; "),
                isSkipping: !problems.isEmpty && name == .replaced))
    }
}
