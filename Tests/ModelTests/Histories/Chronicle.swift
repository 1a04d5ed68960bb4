import AccessModel
import ContentGate
import Foundation
import Gatefold
import TestSupport

@testable import Backends

/// Lets a history happen in a ``World``, and compares every answer with the model's.
final class Chronicle {
    /// An answer that is not the right one.
    struct Contradiction: Error, CustomStringConvertible {
        let description: String
    }

    /// A token as its reader knows it.
    struct Ticket {
        let text: String
        let title: Int
        let reader: Subscriber
        let device: String?
        /// Renewed tokens are of the same sitting.
        let sitting: Int
        let expires: Date
        /// Which process opened it.
        let process: Int
        /// When its sitting began, by the clock of then.
        let issued: Date
        /// The lifetimes in force then.
        let lifetimes: Lifetimes

        func isOnSame(_ other: Ticket) -> Bool {
            device == other.device && title == other.title && reader.key == other.reader.key
        }
    }

    /// Edition credentials as their reader knows them.
    struct Pair {
        let credentials: EditionCredentials
        let edition: EditionID
        let ticket: Ticket
        /// Nil where they are good for ever.
        let expires: Date?
    }

    let world: World
    var models: [AccessModel]
    /// What each process remembers.
    var memories: [HouseMemory]
    /// The same before the latest call.
    private var before = HouseMemory()
    var tickets: [Ticket] = []
    /// The sittings that each process knows to be ended.
    private var ended: [Set<Int>]
    /// Those that may be ended or not.
    private var unsure: [Set<Int>]
    private var endedBy: [Int: Int] = [:]
    private var ends: [EndOfSessions] = []
    private(set) var news: [News] = []
    private var lastRefusals: [Subject: Refusal] = [:]
    private(set) var recalls: [Recall] = []
    var pairs: [Pair] = []
    var refusals: Refusals
    /// Readers who asked for more than is remembered of one.
    var flooding: Set<String> = []
    /// The longest window after the expiry of a token, for each title.
    private var longestAfterExpiry: [TimeInterval]
    /// Tokens that expired until then may be forgotten, for each title.
    private var forgotten: [Date]
    /// The latest moment that the clock showed.
    private var latest = Setting.start
    /// The time that passed, in seconds.
    private(set) var elapsed: TimeInterval = 0
    /// The time since the processes shared what they know.
    private var untold: TimeInterval = 0
    /// Whether the clock was set since.
    private var isStepped = false
    /// Rises with everything that is heard or ended.
    private var order = 0
    /// What was ended when the clock was not right, or was set since.
    private(set) var endedBeforeStep: Set<Int> = []
    private(set) var endedBeforePruning: Set<Int> = []
    /// The credentials that were confirmed last.
    var confirmed: [String: (typed: String, password: String, process: Int)] = [:]
    var wasRight: Set<HouseQuestion> = []
    var bought: [String: Set<EditionID>] = [:]
    var sittings = 0
    /// Failures of the house that a breaker still counts, with a little to spare.
    private var failures: [[TimeInterval]]
    /// Whether there were enough of them for a breaker to open, and no answer since.
    private var mayBeOpen: [Bool]
    private(set) var asked: [House.Asked] = []
    var tally = Tally()
    /// Those of this second.
    private var kept: [KeptAnswer] = []

    init(_ setting: Setting) async throws {
        world = try await World(setting)
        models = setting.titles.map { AccessModel($0) }
        let processes = setting.processes
        memories = Array(repeating: HouseMemory(), count: processes)
        ended = Array(repeating: [], count: processes)
        unsure = ended
        failures = Array(repeating: [], count: processes)
        mayBeOpen = Array(repeating: false, count: processes)
        refusals = Refusals(processes: processes)
        forgotten = setting.titles.map { _ in .distantPast }
        longestAfterExpiry = setting.titles.map { TokenBounds($0.lifetimes).afterExpiry }
    }

    var now: Date { world.clock.now }
    /// Which process is asked.
    var present: Int { world.present }

    /// - Throws: ``Contradiction``.
    static func check(_ history: History) async throws -> Tally {
        let chronicle = try await Chronicle(history.setting)
        for event in history.events {
            try await chronicle.live(event)
            try chronicle.lookAtKept()
        }
        return chronicle.tally
    }

    private func live(_ event: Event) async throws {
        switch event {
        case .signIn(let reader, let secret, let spelling, let device, let title):
            try await signIn(
                Setting.spellings[reader][spelling], Event.passwords[secret], device.map { "device-\($0)" }, title,
                key: Setting.readers[reader])
        case .verify(let token, let title): try await verify(token, title)
        case .credentials(let token, let edition, let title):
            try await credentials(token, Setting.asked[edition], title)
        case .askForMadeUp(let token, let title): try await askForMadeUp(token, title)
        case .renew(let token, let title): try await renew(token, title)
        case .signOut(let token, let title): try await signOut(token, title)
        case .download(let number, let edition, let title, let isResume):
            try download(number, edition.map { Setting.asked[$0] }, title, isResume)
        default: try await happen(event)
        }
    }

    /// What readers notice only later.
    private func happen(_ event: Event) async throws {
        switch event {
        case .houseSays(let reader, let state, let entitlement, let periods):
            world.house.change(Setting.readers[reader]) {
                $0.subscription = Subscription(state: state, entitlement: entitlement, periods: periods)
            }
        case .houseDecides(let reader, let edition, let verdict):
            world.house.change(Setting.readers[reader]) { $0.verdicts[Setting.asked[edition]] = verdict }
        case .houseChangesPassword(let reader, let secret):
            world.house.change(Setting.readers[reader]) { $0.password = Event.passwords[secret] }
        case .houseForgets(let reader, let isForgotten):
            world.house.change(Setting.readers[reader]) { $0.isKnown = !isForgotten }
        case .day(let day): world.house.day = day
        case .pass(let seconds): await pass(seconds)
        case .clock(let error):
            if error == world.clockError { break }
            isStepped = true
            for sittings in ended { endedBeforeStep.formUnion(sittings) }
            world.setClock(ahead: error)
            latest = max(latest, now)
        case .turn(let process): world.turn(to: process)
        case .buy(let reader, let editions):
            bought[Setting.readers[reader]] = editions
            world.sell(editions, to: Setting.readers[reader])
        case .ledgerBreaks(let isBroken): world.purchases.isBroken = isBroken
        case .storeBreaks(let isBroken): world.isStoreBroken = isBroken
        case .revoke(let reader, let title):
            let reader = Setting.readers[reader]
            if world.isStoreBroken { return }
            try await world.revoke(reader, in: title)
            end { $0.title == title && $0.reader.key == reader }
        default: try await operate(event)
        }
    }

    /// Processes tell one another within two seconds, and forget once in a while what is old.
    private func pass(_ seconds: TimeInterval) async {
        // No more than the promised two seconds, and exact in binary.
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

    private func operate(_ event: Event) async throws {
        switch event {
        case .flushAll:
            world.flush(.all)
            memories[present].forgetAll()
            tell(.flushed(reader: nil))
        case .flushReader(let reader):
            world.flush(.key(Setting.readers[reader]))
            memories[present].forget(reader: Setting.readers[reader])
            tell(.flushed(reader: Setting.readers[reader]))
        case .flushIdentifier(let reader):
            world.flush(.identifier(Setting.readers[reader]))
            // Where a sign-in is not remembered any more, it is not known whose identifier that is.
            if !isDoubtful(Setting.readers[reader]) { memories[present].forget(identifier: Setting.readers[reader]) }
            tell(.flushedName(of: Setting.readers[reader]))
        case .reload(let title, let policy, let failsOpen):
            try await reload {
                $0[title].policy = policy
                $0[title].failsOpen = failsOpen
            }
        case .lifetimes(let title, let number):
            try await reload { $0[title].lifetimes = Setting.lifetimes[number] }
        case .replaceBackend:
            if world.isStoreBroken { break }
            try world.replaceBackend()
            for process in memories.indices { forgetHouse(process) }
        case .restart: try await restart()
        case .catalogueComes: try world.catalogueComes()
        default: break
        }
        switch event {
        // The listener sees by itself that the configuration is another one.
        case .reload, .lifetimes, .replaceBackend, .restart: kept = []
        default: break
        }
        models = world.titles.map { AccessModel($0) }
    }

    /// What can not be noted in the store is not in force.
    private func reload(_ change: (inout [Setting.Title]) -> Void) async throws {
        if world.isStoreBroken { return }
        try await world.reload(change)
        for (index, title) in world.titles.enumerated() {
            longestAfterExpiry[index] = max(longestAfterExpiry[index], TokenBounds(title.lifetimes).afterExpiry)
        }
    }

    private func restart() async throws {
        let hasTold = !world.isStoreBroken
        try await world.restart()
        forgetHouse(present)
        if !hasTold { news.removeAll { $0.from == present } }
        recalls.removeAll { $0.process == present }
        refusals.restart(present, hasTold: hasTold, at: elapsed)
        hearOfEnds(present)
    }

    private func forgetHouse(_ process: Int) {
        memories[process].forgetAll()
        failures[process] = []
        mayBeOpen[process] = false
    }

    // MARK: - What processes tell one another

    /// A sign-in that was answered from memory.
    struct Recall {
        let sitting: Int
        let reader: String
        let password: String
        let order: Int
        /// In seconds that passed.
        let at: TimeInterval
        /// By the clock of then.
        let opened: Date
        let process: Int
    }

    private func tell(_ kind: News.Kind) {
        order += 1
        guard memories.count > 1 else { return }
        // What every process knows is not shared again.
        if case .heard(let answer, to: let question) = kind, let subject = Subject(question) {
            guard let refusal = Refusal(answer) else {
                lastRefusals[subject] = nil
                return
            }
            if lastRefusals.updateValue(refusal, forKey: subject) == refusal { return }
        }
        news.append(News(kind: kind, order: order, moment: now, from: present))
    }

    private func follow() async {
        await world.follow()
        untold = 0
        // Then nothing is written down, and nothing heard.
        if world.isStoreBroken { return }
        forget()
        for process in memories.indices { refusals.tell(process) }
        for process in memories.indices {
            refusals.follow(process, isStepped: isStepped)
            hearOfEnds(process)
            for item in news where item.from != process { hear(item, process) }
        }
        ends = []
        news = []
        isStepped = false
        for sittings in ended { endedBeforePruning.formUnion(sittings) }
    }

    private func hear(_ item: News, _ process: Int) {
        // Only a clock can tell which word was the later one.
        var isSure = !isStepped
        switch item.kind {
        case .flushed(nil):
            if isSure { memories[process].forgetAll(before: item.order) }
        case .flushed(let reader?):
            if isSure { memories[process].forget(reader: reader, before: item.order) }
            undo(process, by: item) { $0.reader == reader }
        case .flushedName(let reader): undo(process, by: item) { $0.reader == reader }
        case .heard(.recognition(.recognised(let reader)), to: .recognise(let typed, let password)):
            // Where both heard of a password since they spoke last, either may count as the later one.
            isSure = isSure && !news.contains { $0.from == process && $0.isRecognition(of: reader.key) }
            if isSure {
                memories[process].learn(
                    .recognition(.recognised(reader)), to: .recognise(identifier: typed, password: password),
                    order: item.order)
            }
            undo(process, by: item, isSure: isSure) { $0.reader == reader.key && $0.password != password }
        case .heard(.recognition(.notRecognised), to: .recognise(_, let password)):
            undo(process, by: item) { $0.password == password }
        case .heard(let answer, to: let question):
            if isSure { memories[process].learn(answer, to: question, order: item.order) }
        }
    }

    /// Sessions that a process opened from memory may be ended by what another heard, and are where it had heard it before.
    /// Which came first, the clock says, with two seconds to spare: one that was set back since may end any.
    private func undo(_ process: Int, by item: News, isSure: Bool = false, _ isConcerned: (Recall) -> Bool) {
        for recall in recalls where recall.process == process && isConcerned(recall) {
            guard recall.opened.addingTimeInterval(3) >= item.moment,
                let own = tickets.first(where: { $0.sitting == recall.sitting })
            else { continue }
            if isSure, item.order < recall.order, elapsed - recall.at < 30 {
                ended[process].insert(recall.sitting)
                tally.count(.recalledAndUndone)
            }
            for ticket in tickets where ticket.sitting == own.sitting || own.device != nil && ticket.isOnSame(own) {
                for process in unsure.indices { unsure[process].insert(ticket.sitting) }
            }
        }
    }

    private func hearOfEnds(_ process: Int) {
        for end in ends where end.from != process {
            ended[process].formUnion(end.sittings)
        }
    }

    /// A session that is opened while another process has ended all of its kind, and not shared that yet, may be of the same
    /// second.
    func hold(_ ticket: Ticket) {
        tickets.append(ticket)
        let isLate = ends.contains {
            $0.from != present && !$0.sittings.contains(ticket.sitting) && $0.isOfScope(ticket)
        }
        if isLate {
            for process in unsure.indices { unsure[process].insert(ticket.sitting) }
        }
    }

    // MARK: - The house

    /// Takes in what the house was asked during a call.
    func listen() {
        asked = world.house.takeAsked()
        before = memories[present]
        for asked in asked {
            if let answer = asked.answer {
                tell(.heard(answer, to: asked.question))
                memories[present].hear(answer, to: asked.question, at: elapsed, order: order)
                if case .signOut = asked.question { continue }
                mayBeOpen[present] = false
            } else if asked.day != .garbled {
                failures[present] = failures[present].filter { elapsed - $0 < 35 } + [elapsed]
                if failures[present].count >= 5 { mayBeOpen[present] = true }
            }
        }
    }

    /// A way in which a process may have known what it did: more than one where another's news, or what its reader asked
    /// before, may have taken something from its memory.
    struct Doubt {
        var remembers = true
        var standing: TokenStanding
        var wasRefused = false
        var wasEditionRefused = false
    }

    /// What there was to hear on a question during the call.
    ///
    /// - Throws: ``Contradiction`` where the house could be asked, needed to be, and was not.
    func heard(_ question: HouseQuestion, _ doubt: Doubt) throws -> Heard<HouseAnswer> {
        let asked = asked.filter { $0.question == question }
        if let answer = asked.last?.answer { return .said(answer) }
        if asked.isEmpty {
            if doubt.remembers, let answer = before.fresh(question, at: elapsed) { return .said(answer) }
            // After five failures within half a minute it is left in peace for ten seconds.
            guard mayBeOpen[present], let last = failures[present].last, elapsed - last < 10 else {
                throw Contradiction(description: "the house was not asked: \(question)")
            }
        }
        guard doubt.remembers else { return .nobody }
        return before.standIn(question, at: elapsed).map { .standsIn($0) } ?? .nobody
    }

    /// Whether memory is more than the model can tell.
    func isDoubtful(_ reader: String) -> Bool { memories.count > 1 || flooding.contains(reader) }

    func heardSubscription(_ reader: Subscriber, _ doubt: Doubt) throws -> Heard<Subscription> {
        try heard(.subscription(reader), doubt).map {
            guard case .subscription(let told) = $0 else { throw Contradiction(description: "no subscription: \($0)") }
            return told
        }
    }

    func heardVerdict(_ edition: EditionID, _ reader: Subscriber, _ doubt: Doubt) throws -> Heard<EditionVerdict?> {
        guard world.setting.decidesEditions else { return .said(nil) }
        return try heard(.verdict(edition, reader), doubt).map {
            guard case .verdict(let told) = $0 else { throw Contradiction(description: "no verdict: \($0)") }
            return told
        }
    }

    /// A refusal is remembered whoever said it; only the house's own word of today ends it.
    func note(_ heard: Heard<Subscription>, of reader: Subscriber) {
        switch heard {
        case .said(let told) where told.state == .active:
            refusals.note(.reader(reader.key), false, by: present, at: elapsed)
        case .said, .standsIn:
            if heard.word?.state != .active { refusals.note(.reader(reader.key), true, by: present, at: elapsed) }
        case .nobody: break
        }
    }

    // MARK: - Answers that are kept

    private var second: Int { Int(now.timeIntervalSince1970.rounded(.down)) }

    /// Keeps an answer as a listener does.
    func keep(_ standing: Standing, _ words: String, isRight: @escaping () throws -> Bool) {
        kept.append(KeptAnswer(second: second, standing: standing, words: words, isRight: isRight))
    }

    /// What stands of them is what would be answered.
    private func lookAtKept() throws {
        kept.removeAll { $0.second != second }
        for answer in kept {
            let holds = answer.standing.holds(at: now)
            tally.count(holds ? .keptStands : .keptFalls)
            if holds { try require(try answer.isRight(), "still given: \(answer.words)") }
        }
        kept.removeAll { !$0.standing.holds(at: now) }
    }

    // MARK: - Tokens

    func ticket(_ number: Int?) -> Ticket? {
        guard let number, number >= 0, !tickets.isEmpty else { return nil }
        return tickets[tickets.count - 1 - number % tickets.count]
    }

    func text(_ number: Int?) -> String { ticket(number)?.text ?? (number == nil ? "" : "nonsense") }

    /// What it may be worth to the process that is asked: one thing, where that is certain.
    func standings(_ number: Int?, in title: Int) -> [TokenStanding] {
        guard let ticket = ticket(number) else { return [text(number).isEmpty ? .missing : .unreadable] }
        guard ticket.title == title else { return [.unreadable] }
        let window = world.titles[title].lifetimes.renewalWindow
        let unended: TokenStanding =
            now < ticket.expires
            ? .good : now < ticket.expires.addingTimeInterval(window) ? .renewable : .expired
        var all: [TokenStanding] = [isEnded(ticket.sitting) ? .ended : unended]
        if unsure[present].contains(ticket.sitting), !isEnded(ticket.sitting) { all = [unended, .ended] }
        if mayBeForgotten(ticket.expires, in: title), !all.contains(.expired) { all.append(.expired) }
        return all
    }

    /// Whether the process that is asked has to know that a sitting was ended.
    func isEnded(_ sitting: Int) -> Bool { ended[present].contains(sitting) }
    /// Whether another process ended it, and this one knows.
    func wasEnded(_ sitting: Int, notBy process: Int) -> Bool { endedBy[sitting].map { $0 != process } ?? false }
    func isUnsure(_ sitting: Int) -> Bool { unsure[present].contains(sitting) && !isEnded(sitting) }
    func wasEndedElsewhere(_ sitting: Int) -> Bool {
        ends.contains { $0.from != present && $0.sittings.contains(sitting) }
    }

    /// What expired a month ago may be forgotten, with whatever ended it: by twice the time that passed, whatever the clock says.
    func mayBeForgotten(_ expires: Date, in title: Int) -> Bool { expires <= forgotten[title] }

    private func forget() {
        let present = min(Setting.start.addingTimeInterval(2 * elapsed), latest)
        for title in forgotten.indices {
            forgotten[title] = max(
                forgotten[title], present.addingTimeInterval(-longestAfterExpiry[title] - 30 * 86_400))
        }
    }

    /// Ends what was issued so far. What a clock that was ahead issued may outlive it, but for one sitting.
    func end(_ sitting: Int? = nil, _ isOver: @escaping (Ticket) -> Bool) {
        let over = tickets.filter(isOver)
        let sittings = Set(
            over.filter { $0.issued <= now || $0.sitting == sitting }.map(\.sitting))
        ended[present].formUnion(sittings)
        let ahead = Set(over.map(\.sitting)).subtracting(sittings)
        for process in unsure.indices { unsure[process].formUnion(ahead) }
        endedBeforeStep.subtract(sittings)
        for sitting in sittings where endedBy[sitting] == nil { endedBy[sitting] = present }
        if memories.count > 1 {
            ends.append(
                EndOfSessions(from: present, sittings: sittings, isOfScope: isOver))
        }
    }

    func recall(_ sitting: Int, _ reader: String, _ password: String) {
        order += 1
        recalls.append(
            Recall(
                sitting: sitting, reader: reader, password: password, order: order, at: elapsed, opened: now,
                process: present))
    }

    func bought(by reader: Subscriber, in title: Int) -> Set<EditionID>? {
        guard world.titles[title].hasStore else { return [] }
        return world.purchases.isBroken ? nil : bought[reader.key] ?? []
    }

    func require(_ isRight: Bool, _ words: @autoclosure () -> String) throws {
        if !isRight { throw Contradiction(description: "at \(now.timeIntervalSince(Setting.start)) s: \(words())") }
    }
}
