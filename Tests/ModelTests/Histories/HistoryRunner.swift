import AccessModel
import ContentGate
import Foundation
import Gatefold
import Resilience
import TestSupport

@testable import Backends

/// Plays a history in a ``World`` and compares every result with the model's.
final class HistoryRunner {
    /// A result that differs from the correct one.
    struct Contradiction: Error, CustomStringConvertible {
        let description: String
    }

    /// A token as its reader knows it.
    struct HeldToken {
        let text: String
        let title: Int
        let reader: Subscriber
        let device: String?
        /// The number of the session, which renewed tokens share.
        let sessionNumber: Int
        let expires: Date
        /// The process that opened it.
        let process: Int
        /// The start of the session by the clock at that time.
        let issued: Date
        /// The lifetimes at that time.
        let lifetimes: Lifetimes

        func isOnSame(_ other: HeldToken) -> Bool {
            device == other.device && title == other.title && reader.key == other.reader.key
        }
    }

    /// Edition credentials as their reader knows them.
    struct Pair {
        let credentials: EditionCredentials
        let edition: EditionID
        let heldToken: HeldToken
        /// The expiry, or nil for none.
        let expires: Date?
    }

    let world: World
    var models: [AccessModel]
    /// The cache of each process.
    var memories: [ModelCache]
    /// The same before the latest call.
    private var before = ModelCache()
    var heldTokens: [HeldToken] = []
    /// The sessions that each process knows to be ended.
    private var ended: [Set<Int>]
    /// The sessions whose end is uncertain.
    private var possiblyEnded: [Set<Int>]
    private var endedBy: [Int: Int] = [:]
    private var ends: [SessionTermination] = []
    private(set) var receivedEvents: [ReceivedEvents] = []
    private var lastDenials: [Subject: Rejection] = [:]
    private(set) var recalls: [CachedResultUse] = []
    var pairs: [Pair] = []
    var denials: DenialModel
    /// Readers who requested more editions than the cache holds for one.
    var flooding: Set<String> = []
    /// The longest renewal window after the expiry of a token, for each title.
    private var maxAfterExpiry: [TimeInterval]
    /// The time before which expired tokens may be forgotten, for each title.
    private var forgotten: [Date]
    /// The latest time that the clock showed.
    private var latest = HistorySetting.start
    /// The elapsed time in seconds.
    private(set) var elapsed: TimeInterval = 0
    /// The time since the processes last shared their events.
    private var untold: TimeInterval = 0
    /// Whether the clock was set since.
    private var isStepped = false
    /// A sequence number that increases with every received result and every end.
    private var order = 0
    /// The sessions that ended while the clock was wrong, or before it was set.
    private(set) var endedBeforeStep: Set<Int> = []
    private(set) var endedBeforePruning: Set<Int> = []
    /// The credentials that were confirmed last.
    var confirmed: [String: (typed: String, password: String, process: Int)] = [:]
    var wasRight: Set<ModelQuery> = []
    var bought: [String: Set<EditionID>] = [:]
    var sessionNumbers = 0
    /// Backend failures that a breaker still counts, with some margin.
    private var failures: [[TimeInterval]]
    /// Whether the failures could open a breaker, with no response since.
    private var mayBeOpen: [Bool]
    private(set) var queried: [FakeSubscriberSystem.ReceivedQuery] = []
    var tally = Tally()

    init(_ setting: HistorySetting) async throws {
        world = try await World(setting)
        models = setting.titles.map { AccessModel($0) }
        let processes = setting.processes
        memories = Array(repeating: ModelCache(), count: processes)
        ended = Array(repeating: [], count: processes)
        possiblyEnded = ended
        failures = Array(repeating: [], count: processes)
        mayBeOpen = Array(repeating: false, count: processes)
        denials = DenialModel(processes: processes)
        forgotten = setting.titles.map { _ in .distantPast }
        maxAfterExpiry = setting.titles.map { TokenBounds($0.lifetimes).afterExpiry }
    }

    var now: Date { world.clock.now }
    /// The process that receives the calls.
    var present: Int { world.present }

    /// - Throws: ``Contradiction``.
    static func check(_ history: History) async throws -> Tally {
        let historyRunner = try await HistoryRunner(history.setting)
        for event in history.events {
            try await historyRunner.live(event)
        }
        return historyRunner.tally
    }

    private func live(_ event: Event) async throws {
        switch event {
        case .signIn(let reader, let secret, let spelling, let device, let title):
            try await signIn(
                HistorySetting.spellings[reader][spelling], Event.passwords[secret], device.map { "device-\($0)" },
                title,
                key: HistorySetting.readers[reader])
        case .verify(let token, let title): try await verify(token, title)
        case .credentials(let token, let edition, let title):
            try await credentials(token, HistorySetting.queried[edition], title)
        case .requestUnknownEdition(let token, let title): try await requestUnknownEdition(token, title)
        case .renew(let token, let title): try await renew(token, title)
        case .signOut(let token, let title): try await signOut(token, title)
        case .download(let number, let edition, let title, let isResume):
            try download(number, edition.map { HistorySetting.queried[$0] }, title, isResume)
        default: try await apply(event)
        }
    }

    /// Applies an event whose effect readers notice only later.
    private func apply(_ event: Event) async throws {
        switch event {
        case .subscriberSystemReports(let reader, let state, let entitlement, let periods):
            world.subscriberSystem.change(HistorySetting.readers[reader]) {
                $0.subscription = Subscription(state: state, entitlement: entitlement, periods: periods)
            }
        case .subscriberSystemDecides(let reader, let edition, let verdict):
            world.subscriberSystem.change(HistorySetting.readers[reader]) {
                $0.verdicts[HistorySetting.queried[edition]] = verdict
            }
        case .subscriberSystemChangesPassword(let reader, let secret):
            world.subscriberSystem.change(HistorySetting.readers[reader]) { $0.password = Event.passwords[secret] }
        case .subscriberSystemRemovesReader(let reader, let isRemoved):
            world.subscriberSystem.change(HistorySetting.readers[reader]) { $0.isKnown = !isRemoved }
        case .day(let day): world.subscriberSystem.day = day
        case .pass(let seconds): await pass(seconds)
        case .clock(let error):
            if error == world.clockError { break }
            isStepped = true
            for sessionNumbers in ended { endedBeforeStep.formUnion(sessionNumbers) }
            world.setClock(ahead: error)
            latest = max(latest, now)
        case .turn(let process): world.turn(to: process)
        case .buy(let reader, let editions):
            bought[HistorySetting.readers[reader]] = editions
            world.sell(editions, to: HistorySetting.readers[reader])
        case .ledgerBreaks(let isBroken): world.purchases.isBroken = isBroken
        case .storeBreaks(let isBroken): world.isStoreBroken = isBroken
        case .revoke(let reader, let title):
            let reader = HistorySetting.readers[reader]
            if world.isStoreBroken { return }
            try await world.revoke(reader, in: title)
            end { $0.title == title && $0.reader.key == reader }
        default: try await applyOperatorEvent(event)
        }
    }

    /// Lets time pass: processes share their events within two seconds and periodically discard old data.
    private func pass(_ seconds: TimeInterval) async {
        // Less than the promised two seconds, and exact in binary.
        let soon = max(0, 1.875 - untold)
        guard seconds >= soon else {
            advance(seconds)
            untold += seconds
            return
        }
        advance(soon)
        await follow()
        let rest = seconds - soon
        advance(rest)
        untold = rest
        if rest >= 2 { await follow() }
    }

    private func advance(_ seconds: TimeInterval) {
        world.clock.advance(by: seconds)
        elapsed += seconds
        latest = max(latest, now)
    }

    private func applyOperatorEvent(_ event: Event) async throws {
        switch event {
        case .flushAll:
            world.flush(.all)
            memories[present].invalidateAll()
            notify(.flushed(reader: nil))
        case .flushReader(let reader):
            world.flush(.key(HistorySetting.readers[reader]))
            memories[present].invalidate(reader: HistorySetting.readers[reader])
            notify(.flushed(reader: HistorySetting.readers[reader]))
        case .flushIdentifier(let reader):
            world.flush(.identifier(HistorySetting.readers[reader]))
            // If a sign-in is no longer cached, the owner of its identifier is unknown.
            if !isAmbiguous(HistorySetting.readers[reader]) {
                memories[present].invalidate(identifier: HistorySetting.readers[reader])
            }
            notify(.flushedName(of: HistorySetting.readers[reader]))
        case .reload(let title, let policy, let failsOpen):
            try await reload {
                $0[title].policy = policy
                $0[title].failsOpen = failsOpen
            }
        case .lifetimes(let title, let number):
            try await reload { $0[title].lifetimes = HistorySetting.lifetimes[number] }
        case .replaceBackend:
            if world.isStoreBroken { break }
            try world.replaceBackend()
            for process in memories.indices { clearCache(process) }
        case .restart: try await restart()
        case .catalogueLoads: try world.catalogueLoads()
        default: break
        }
        models = world.titles.map { AccessModel($0) }
    }

    /// A reload has no effect if the store cannot record it.
    private func reload(_ change: (inout [HistorySetting.Title]) -> Void) async throws {
        if world.isStoreBroken { return }
        try await world.reload(change)
        for (index, title) in world.titles.enumerated() {
            maxAfterExpiry[index] = max(maxAfterExpiry[index], TokenBounds(title.lifetimes).afterExpiry)
        }
    }

    private func restart() async throws {
        let hasReported = !world.isStoreBroken
        try await world.restart()
        clearCache(present)
        if !hasReported { receivedEvents.removeAll { $0.from == present } }
        recalls.removeAll { $0.process == present }
        denials.restart(present, hasReported: hasReported, at: elapsed)
        receiveTerminations(present)
    }

    private func clearCache(_ process: Int) {
        memories[process].invalidateAll()
        failures[process] = []
        mayBeOpen[process] = false
    }

    // MARK: - Events between processes

    /// A sign-in with a cached result.
    struct CachedResultUse {
        let sessionNumber: Int
        let reader: String
        let password: String
        let order: Int
        /// The elapsed time in seconds.
        let at: TimeInterval
        /// The time by the clock then.
        let opened: Date
        let process: Int
    }

    private func notify(_ kind: ReceivedEvents.Kind) {
        order += 1
        guard memories.count > 1 else { return }
        // Facts that every process knows are not shared again.
        if case .heard(let result, to: let query) = kind, let subject = Subject(query) {
            guard let rejection = Rejection(result) else {
                lastDenials[subject] = nil
                return
            }
            if lastDenials.updateValue(rejection, forKey: subject) == rejection { return }
        }
        receivedEvents.append(ReceivedEvents(kind: kind, order: order, timestamp: now, from: present))
    }

    private func follow() async {
        await world.follow()
        untold = 0
        // Otherwise nothing is written and no event received.
        if world.isStoreBroken { return }
        invalidate()
        for process in memories.indices { denials.notify(process) }
        for process in memories.indices {
            denials.follow(process, isStepped: isStepped)
            receiveTerminations(process)
            for item in receivedEvents where item.from != process { receive(item, process) }
        }
        ends = []
        receivedEvents = []
        isStepped = false
        for sessionNumbers in ended { endedBeforePruning.formUnion(sessionNumbers) }
    }

    private func receive(_ item: ReceivedEvents, _ process: Int) {
        // The order of events depends on the clocks.
        var isCertain = !isStepped
        switch item.kind {
        case .flushed(nil):
            if isCertain { memories[process].invalidateAll(before: item.order) }
        case .flushed(let reader?):
            if isCertain { memories[process].invalidate(reader: reader, before: item.order) }
            undo(process, by: item) { $0.reader == reader }
        case .flushedName(let reader): undo(process, by: item) { $0.reader == reader }
        case .heard(.authentication(.authenticated(let reader)), to: .authenticate(let typed, let password)):
            // If both processes received a password since they last shared events, either may count as the later one.
            isCertain =
                isCertain && !receivedEvents.contains { $0.from == process && $0.isAuthentication(of: reader.key) }
            if isCertain {
                memories[process].learn(
                    .authentication(.authenticated(reader)), to: .authenticate(identifier: typed, password: password),
                    order: item.order)
            }
            undo(process, by: item, isCertain: isCertain) { $0.reader == reader.key && $0.password != password }
        case .heard(.authentication(.rejected), to: .authenticate(_, let password)):
            undo(process, by: item) { $0.password == password }
        case .heard(let result, to: let query):
            if isCertain { memories[process].learn(result, to: query, order: item.order) }
        }
    }

    /// Ends sessions that a process opened from its cache, if another process received a contradicting result. They end
    /// certainly if the result came earlier by the clock, with a margin of two seconds. A clock that was set back since
    /// may end any.
    private func undo(
        _ process: Int, by item: ReceivedEvents, isCertain: Bool = false, _ isConcerned: (CachedResultUse) -> Bool
    ) {
        for recordCachedResult in recalls where recordCachedResult.process == process && isConcerned(recordCachedResult)
        {
            guard recordCachedResult.opened.addingTimeInterval(3) >= item.timestamp,
                let own = heldTokens.first(where: { $0.sessionNumber == recordCachedResult.sessionNumber })
            else { continue }
            if isCertain, item.order < recordCachedResult.order, elapsed - recordCachedResult.at < 30 {
                ended[process].insert(recordCachedResult.sessionNumber)
                tally.count(.recalledAndUndone)
            }
            for heldToken in heldTokens
            where heldToken.sessionNumber == own.sessionNumber || own.device != nil && heldToken.isOnSame(own) {
                for process in possiblyEnded.indices { possiblyEnded[process].insert(heldToken.sessionNumber) }
            }
        }
    }

    private func receiveTerminations(_ process: Int) {
        for end in ends where end.from != process {
            ended[process].formUnion(end.sessionNumbers)
        }
    }

    /// Adds a session. It may belong to the same second as an end of all sessions by another process that is not shared
    /// yet.
    func hold(_ heldToken: HeldToken) {
        heldTokens.append(heldToken)
        let isLate = ends.contains {
            $0.from != present && !$0.sessionNumbers.contains(heldToken.sessionNumber) && $0.isOfScope(heldToken)
        }
        if isLate {
            for process in possiblyEnded.indices { possiblyEnded[process].insert(heldToken.sessionNumber) }
        }
    }

    // MARK: - Subscriber system

    /// Collects the queries that the subscriber system received during a call.
    func listen() {
        queried = world.subscriberSystem.takeReceivedQueries()
        before = memories[present]
        for queried in queried {
            if let result = queried.result {
                notify(.heard(result, to: queried.query))
                memories[present].receive(result, to: queried.query, at: elapsed, order: order)
                if case .signOut = queried.query { continue }
                mayBeOpen[present] = false
            } else if queried.day != .garbled {
                failures[present] = failures[present].filter { elapsed - $0 < 35 } + [elapsed]
                if failures[present].count >= 5 { mayBeOpen[present] = true }
            }
        }
    }

    /// A possible state of a process's cache. There are several if another process's events, or the reader's earlier
    /// requests, may have evicted entries.
    struct Uncertainty {
        var hasCachedResult = true
        var validity: TokenStatus
        var wasRejected = false
        var wasEditionDenied = false
    }

    /// Returns the available result of a query during the call.
    ///
    /// - Throws: ``Contradiction`` if a reachable subscriber system had to be queried and was not.
    func heard(_ query: ModelQuery, _ reportWarning: Uncertainty) throws -> Received<ModelResult> {
        let queried = queried.filter { $0.query == query }
        if let result = queried.last?.result { return .current(result) }
        if queried.isEmpty {
            if reportWarning.hasCachedResult, let result = before.fresh(query, at: elapsed) { return .current(result) }
            // After five failures within 30 seconds the breaker pauses queries for ten seconds.
            guard mayBeOpen[present], let last = failures[present].last, elapsed - last < 10 else {
                throw Contradiction(description: "subscriber system not queried: \(query)")
            }
        }
        guard reportWarning.hasCachedResult else { return .unavailable }
        return before.lastKnownGoodResult(query, at: elapsed).map { .servesCached($0) } ?? .unavailable
    }

    /// Returns whether the model cannot determine the state of the cache.
    func isAmbiguous(_ reader: String) -> Bool { memories.count > 1 || flooding.contains(reader) }

    func receivedSubscription(_ reader: Subscriber, _ reportWarning: Uncertainty) throws -> Received<Subscription> {
        try heard(.subscription(reader), reportWarning).map {
            guard case .subscription(let reported) = $0 else {
                throw Contradiction(description: "expected a subscription: \($0)")
            }
            return reported
        }
    }

    func receivedVerdict(_ edition: EditionID, _ reader: Subscriber, _ reportWarning: Uncertainty) throws -> Received<
        EditionVerdict?
    > {
        guard world.setting.decidesEditions else { return .current(nil) }
        return try heard(.verdict(edition, reader), reportWarning).map {
            guard case .verdict(let reported) = $0 else {
                throw Contradiction(description: "expected a verdict: \($0)")
            }
            return reported
        }
    }

    /// Records a denial from any source. Only a current result of the subscriber system ends it.
    func record(_ heard: Received<Subscription>, of reader: Subscriber) {
        switch heard {
        case .current(let reported) where reported.state == .active:
            denials.record(.reader(reader.key), false, by: present, at: elapsed)
        case .current, .servesCached:
            if heard.value?.state != .active { denials.record(.reader(reader.key), true, by: present, at: elapsed) }
        case .unavailable: break
        }
    }

    // MARK: - Tokens

    func heldToken(_ number: Int?) -> HeldToken? {
        guard let number, number >= 0, !heldTokens.isEmpty else { return nil }
        return heldTokens[heldTokens.count - 1 - number % heldTokens.count]
    }

    func text(_ number: Int?) -> String { heldToken(number)?.text ?? (number == nil ? "" : "nonsense") }

    /// Returns the possible statuses of a token for the queried process, a single one if it is certain.
    func tokenStatuses(_ number: Int?, in title: Int) -> [TokenStatus] {
        guard let heldToken = heldToken(number) else { return [text(number).isEmpty ? .missing : .unreadable] }
        guard heldToken.title == title else { return [.unreadable] }
        let window = world.titles[title].lifetimes.renewalWindow
        let unended: TokenStatus =
            now < heldToken.expires
            ? .good : now < heldToken.expires.addingTimeInterval(window) ? .renewable : .expired
        var all: [TokenStatus] = [hasEnded(heldToken.sessionNumber) ? .ended : unended]
        if possiblyEnded[present].contains(heldToken.sessionNumber), !hasEnded(heldToken.sessionNumber) {
            all = [unended, .ended]
        }
        if mayBeEvicted(heldToken.expires, in: title), !all.contains(.expired) { all.append(.expired) }
        return all
    }

    /// Returns whether the queried process must know that a session was ended.
    func hasEnded(_ sessionNumber: Int) -> Bool { ended[present].contains(sessionNumber) }
    /// Returns whether another process ended the session and this one knows it.
    func wasEnded(_ sessionNumber: Int, notBy process: Int) -> Bool {
        endedBy[sessionNumber].map { $0 != process } ?? false
    }
    func isUncertain(_ sessionNumber: Int) -> Bool {
        possiblyEnded[present].contains(sessionNumber) && !hasEnded(sessionNumber)
    }
    func wasEndedElsewhere(_ sessionNumber: Int) -> Bool {
        ends.contains { $0.from != present && $0.sessionNumbers.contains(sessionNumber) }
    }

    /// Returns whether a token that expired a month ago may be evicted with its revocation: at most twice the elapsed
    /// time, independent of the clock.
    func mayBeEvicted(_ expires: Date, in title: Int) -> Bool { expires <= forgotten[title] }

    private func invalidate() {
        let present = min(HistorySetting.start.addingTimeInterval(2 * elapsed), latest)
        for title in forgotten.indices {
            forgotten[title] = max(
                forgotten[title], present.addingTimeInterval(-maxAfterExpiry[title] - 30 * 86_400))
        }
    }

    /// Ends the sessions issued so far. Those issued by a clock that was ahead may survive, unless one specific session
    /// is ended.
    func end(_ sessionNumber: Int? = nil, _ isOver: @escaping (HeldToken) -> Bool) {
        let over = heldTokens.filter(isOver)
        let sessionNumbers = Set(
            over.filter { $0.issued <= now || $0.sessionNumber == sessionNumber }.map(\.sessionNumber))
        ended[present].formUnion(sessionNumbers)
        let ahead = Set(over.map(\.sessionNumber)).subtracting(sessionNumbers)
        for process in possiblyEnded.indices { possiblyEnded[process].formUnion(ahead) }
        endedBeforeStep.subtract(sessionNumbers)
        for sessionNumber in sessionNumbers where endedBy[sessionNumber] == nil { endedBy[sessionNumber] = present }
        if memories.count > 1 {
            ends.append(
                SessionTermination(from: present, sessionNumbers: sessionNumbers, isOfScope: isOver))
        }
    }

    func recordCachedResult(_ sessionNumber: Int, _ reader: String, _ password: String) {
        order += 1
        recalls.append(
            CachedResultUse(
                sessionNumber: sessionNumber, reader: reader, password: password, order: order, at: elapsed,
                opened: now,
                process: present))
    }

    func bought(by reader: Subscriber, in title: Int) -> Set<EditionID>? {
        guard world.titles[title].hasStore else { return [] }
        return world.purchases.isBroken ? world.knownPurchases(of: reader.key, in: title) : bought[reader.key] ?? []
    }

    func require(_ isCorrect: Bool, _ message: @autoclosure () -> String) throws {
        if !isCorrect {
            throw Contradiction(description: "at \(now.timeIntervalSince(HistorySetting.start)) s: \(message())")
        }
    }
}
