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
    }

    /// Edition credentials as their reader knows them.
    struct Pair {
        let credentials: EditionCredentials
        let edition: EditionID
        let ticket: Ticket
        /// Nil where they are good for ever.
        let expires: Date?
    }

    struct RefusedEdition: Hashable {
        let title: Int
        let reader: String
        let edition: EditionID
    }

    let world: World
    var models: [AccessModel]
    var memory = HouseMemory()
    /// The same before the latest call.
    private var before = HouseMemory()
    var tickets: [Ticket] = []
    var ended: Set<Int> = []
    var pairs: [Pair] = []
    /// Of whom the last word was anything but "active".
    var refusedReaders: Set<String> = []
    var refusedEditions: Set<RefusedEdition> = []
    var bought: [String: Set<EditionID>] = [:]
    var sittings = 0
    /// Failures of the house that a breaker still counts, with a little to spare.
    private var failures: [Date] = []
    /// Whether there were enough of them for a breaker to open, and no answer since.
    private var mayBeOpen = false
    private(set) var asked: [House.Asked] = []
    var tally = Tally()
    /// Those of this second.
    private var kept: [KeptAnswer] = []

    init(_ setting: Setting) throws {
        world = try World(setting)
        models = setting.titles.map { AccessModel($0) }
    }

    var now: Date { world.clock.now }

    /// - Throws: ``Contradiction``.
    static func check(_ history: History) async throws -> Tally {
        let chronicle = try Chronicle(history.setting)
        for event in history.events {
            try await chronicle.live(event)
            try chronicle.lookAtKept()
        }
        return chronicle.tally
    }

    private func live(_ event: Event) async throws {
        switch event {
        case .signIn(let reader, let secret, let device, let title):
            try await signIn(Setting.readers[reader], Event.passwords[secret], device.map { "device-\($0)" }, title)
        case .verify(let token, let title): try await verify(token, title)
        case .credentials(let token, let edition, let title):
            try await credentials(token, Setting.asked[edition], title)
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
        case .pass(let seconds): world.clock.advance(by: seconds)
        case .buy(let reader, let editions):
            bought[Setting.readers[reader]] = editions
            world.sell(editions, to: Setting.readers[reader])
        case .ledgerBreaks(let isBroken): world.purchases.isBroken = isBroken
        case .storeBreaks(let isBroken): world.store.isBroken = isBroken
        case .revoke(let reader, let title):
            let reader = Setting.readers[reader]
            if world.store.isBroken { return }
            try await world.revoke(reader, in: title)
            end { $0.title == title && $0.reader.key == reader }
        default: try await operate(event)
        }
    }

    private func operate(_ event: Event) async throws {
        switch event {
        case .flushAll:
            world.flush(.all)
            memory.forgetAll()
        case .flushReader(let reader):
            world.flush(.key(Setting.readers[reader]))
            memory.forget(reader: Setting.readers[reader])
        case .flushIdentifier(let reader):
            world.flush(.identifier(Setting.readers[reader]))
            memory.forget(identifier: Setting.readers[reader])
        case .reload(let title, let policy, let failsOpen):
            try world.reload {
                $0[title].policy = policy
                $0[title].failsOpen = failsOpen
            }
        case .replaceBackend:
            try world.replaceBackend()
            forgetHouse()
        case .restart:
            try await world.restart()
            forgetHouse()
            refusedReaders = []
            refusedEditions = []
        case .catalogueComes: try world.catalogueComes()
        default: break
        }
        switch event {
        // The listener sees by itself that the configuration is another one.
        case .reload, .replaceBackend, .restart: kept = []
        default: break
        }
        models = world.titles.map { AccessModel($0) }
    }

    private func forgetHouse() {
        memory.forgetAll()
        failures = []
        mayBeOpen = false
    }

    // MARK: - The house

    /// Takes in what the house was asked during a call.
    func listen() {
        asked = world.house.takeAsked()
        before = memory
        for asked in asked {
            if let answer = asked.answer {
                memory.hear(answer, to: asked.question, at: now)
                if case .signOut = asked.question { continue }
                mayBeOpen = false
            } else if asked.day != .garbled {
                failures = failures.filter { now.timeIntervalSince($0) < 35 } + [now]
                if failures.count >= 5 { mayBeOpen = true }
            }
        }
    }

    /// What there was to hear on a question during the call.
    ///
    /// - Throws: ``Contradiction`` where the house could be asked, needed to be, and was not.
    func heard(_ question: HouseQuestion) throws -> Heard<HouseAnswer> {
        let asked = asked.filter { $0.question == question }
        if let answer = asked.last?.answer { return .said(answer) }
        if asked.isEmpty {
            if let answer = before.fresh(question, at: now) { return .said(answer) }
            // After five failures within half a minute it is left in peace for ten seconds.
            guard mayBeOpen, let last = failures.last, now.timeIntervalSince(last) < 10 else {
                throw Contradiction(description: "the house was not asked: \(question)")
            }
        }
        return before.standIn(question, at: now).map { .standsIn($0) } ?? .nobody
    }

    func heardSubscription(_ reader: Subscriber) throws -> Heard<Subscription> {
        try heard(.subscription(reader)).map {
            guard case .subscription(let told) = $0 else { throw Contradiction(description: "no subscription: \($0)") }
            return told
        }
    }

    func heardVerdict(_ edition: EditionID, _ reader: Subscriber) throws -> Heard<EditionVerdict?> {
        guard world.setting.decidesEditions else { return .said(nil) }
        return try heard(.verdict(edition, reader)).map {
            guard case .verdict(let told) = $0 else { throw Contradiction(description: "no verdict: \($0)") }
            return told
        }
    }

    /// A refusal is remembered whoever said it; only the house's own word of today ends it.
    func note(_ heard: Heard<Subscription>, of reader: Subscriber) {
        switch heard {
        case .said(let told) where told.state == .active: refusedReaders.remove(reader.key)
        case .said, .standsIn:
            if heard.word?.state != .active { refusedReaders.insert(reader.key) }
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

    func standing(_ number: Int?, in title: Int) -> TokenStanding {
        guard let ticket = ticket(number) else { return text(number).isEmpty ? .missing : .unreadable }
        guard ticket.title == title else { return .unreadable }
        if ended.contains(ticket.sitting) { return .ended }
        if now < ticket.expires { return .good }
        return now < ticket.expires.addingTimeInterval(World.lifetimes.renewalWindow) ? .renewable : .expired
    }

    func end(_ isOver: (Ticket) -> Bool) {
        for ticket in tickets where isOver(ticket) { ended.insert(ticket.sitting) }
    }

    func bought(by reader: Subscriber, in title: Int) -> Set<EditionID>? {
        guard world.titles[title].hasStore else { return [] }
        return world.purchases.isBroken ? nil : bought[reader.key] ?? []
    }

    func require(_ isRight: Bool, _ words: @autoclosure () -> String) throws {
        if !isRight { throw Contradiction(description: "at \(now.timeIntervalSince(Setting.start)) s: \(words())") }
    }
}
