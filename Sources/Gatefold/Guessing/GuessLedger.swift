public import Foundation

/// The rules of ``GuessLimiter`` as a value: no clock, no store, no lock.
///
/// - An attempt counts as a wrong guess when it starts, against its reader, its address and its wider block. Therefore parallel
///   attempts decide no more guesses than sequential ones.
/// - If only undecided attempts use up the limit, a new attempt waits for them. It is not refused, because they may all be right.
/// - A repeated wrong claim is not a new guess, and is not counted against the reader again.
/// - A successful sign-in does not count, and removes what was counted of its own bearer only: the owner of one account cannot
///   clear the count of an address, nor a stranger's guesses at a reader.
/// - When a reader's count is used up, an address from which they signed in lately has a small count of its own; so has a
///   device known as theirs, which the count of a shared address does not keep out either. Locking somebody out by
///   guessing wrong therefore does not lock out their own devices.
/// - Guesses are counted by what an identifier looks like, and by the subscriber whom the backend found: a database may take
///   many spellings for one (PITFALLS row 22). Devices and addresses are a reader's own under one spelling only.
public struct GuessLedger: Sendable {
    /// What is known about who asks.
    public enum Bearer: Sendable {
        /// Nobody asked yet.
        case unasked
        case stranger
        /// This device has signed in as this reader before.
        case acquainted
    }

    public enum Decision: Sendable, Equatable {
        case proceed(GuessTicket)
        /// - Parameter retryAfter: whole seconds, at least one.
        case throttled(retryAfter: Int)
        /// Whether the bearer is acquainted decides; ask again with the answer.
        case dependsOnBearer
        /// Attempts under way decide. ``settle(_:as:of:at:)`` says what became of this one, unless
        /// ``withdraw(_:)`` comes first.
        case queued(UInt64)
        /// Too many wait already.
        case queueFull
    }

    /// What became of an attempt that waited.
    public struct Release: Sendable, Equatable {
        public let waiter: UInt64
        /// To go ahead, to be throttled, or a full queue.
        public let decision: Decision
    }

    public struct Settlement: Sendable, Equatable {
        /// Whether a right sign-in holds. It does not where the wrong guesses at its subscriber are used up, unless the reader
        /// signed in from its address lately; a device known as theirs vouches for it as well.
        public let holds: Bool
        public let released: [Release]
    }

    private enum Choice {
        case decided(Decision)
        case waits(for: GuessCounter)
    }

    /// One way in which an attempt may be let through.
    private enum Way {
        case open([GuessCounter])
        case reserved(GuessCounter)
        case full(wait: TimeInterval)
    }

    private let limits: GuessLimits
    private var buckets: [GuessBuckets<GuessCounter>]
    private var familiarPlaces: FadingTable<GuessPlace>
    private var wrongClaims: FadingTable<[UInt8]>
    private var queue: GuessQueue
    private var lastWaiter: UInt64 = 0

    public init(limits: GuessLimits = GuessLimits()) {
        self.limits = limits
        buckets = GuessCounter.Kind.allCases.map {
            GuessBuckets(limit: limits.limit(of: $0), window: limits.window, capacity: limits.capacity)
        }
        familiarPlaces = FadingTable(capacity: limits.capacity)
        wrongClaims = FadingTable(capacity: limits.capacity)
        queue = GuessQueue(capacity: limits.maxQueued, capacityPerCounter: limits.maxQueuedPerCounter)
    }

    /// How many entries are remembered, of all kinds.
    public var count: Int {
        buckets.reduce(0) { $0 + $1.count } + familiarPlaces.count + wrongClaims.count
    }

    /// How many attempts wait.
    public var queued: Int { queue.count }

    /// - Parameter now: by ``WallClock/elapsed``, as everywhere here.
    public mutating func admit(_ attempt: GuessAttempt, from bearer: Bearer, at now: TimeInterval) -> Decision {
        switch choose(for: attempt, from: bearer, at: now) {
        case .decided(let decision): return decision
        case .waits(let counter):
            lastWaiter += 1
            let waiter = GuessQueue.Waiter(id: lastWaiter, attempt: attempt, bearer: bearer)
            return queue.append(waiter, for: counter) ? .queued(waiter.id) : .queueFull
        }
    }

    /// An attempt waits no longer. Returns false when it was released before.
    @discardableResult
    public mutating func withdraw(_ waiter: UInt64) -> Bool {
        queue.remove(waiter)
    }

    /// - Parameter subscribers: whom the backend found, where it says so: also of a wrong proof.
    public mutating func settle(
        _ ticket: GuessTicket, as outcome: GuessOutcome, of subscribers: [SubscriberReference] = [],
        at now: TimeInterval
    ) -> Settlement {
        let attempt = ticket.attempt
        for counter in ticket.counters { buckets[counter.kind.rawValue].release(counter) }
        var freed = ticket.counters
        var holds = true
        switch outcome {
        case .undecided: break
        case .wrong:
            let isRepeated = wrongClaims.moment(of: attempt.claim, at: now) != nil
            for counter in ticket.counters where !(isRepeated && counter.kind == .reader) { charge(counter, at: now) }
            // Where the attempt counts against the reader at all.
            if !isRepeated, ticket.counters.contains(where: { $0.kind == .reader }) {
                for subscriber in subscribers { charge(.subscriber(subscriber), at: now) }
            }
            wrongClaims.set(attempt.claim, until: now + limits.window, at: now)
        case .right:
            if !isVouchedFor(ticket, at: now), subscribers.contains(where: { isFull(.subscriber($0), at: now) }) {
                holds = false
                break
            }
            wrongClaims.remove(attempt.claim)
            if let device = attempt.acquaintance {
                empty(.device(device))
                freed.append(.device(device))
            }
            if let place = place(of: attempt) {
                empty(.place(place))
                freed.append(.place(place))
                familiarPlaces.set(place, until: now + limits.familiarity, at: now)
            }
        }
        return Settlement(holds: holds, released: freed.flatMap { release($0, at: now) })
    }

    /// Lets those through that waited for a counter, as far as there is room now.
    private mutating func release(_ counter: GuessCounter, at now: TimeInterval) -> [Release] {
        var released: [Release] = []
        while let waiter = queue.first(for: counter) {
            switch choose(for: waiter.attempt, from: waiter.bearer, at: now) {
            case .waits(counter):
                return released
            case .waits(let other):
                queue.removeFirst(for: counter)
                if !queue.append(waiter, for: other) {
                    released.append(Release(waiter: waiter.id, decision: .queueFull))
                }
            case .decided(let decision):
                queue.removeFirst(for: counter)
                released.append(Release(waiter: waiter.id, decision: decision))
            }
        }
        return released
    }

    private mutating func choose(for attempt: GuessAttempt, from bearer: Bearer, at now: TimeInterval) -> Choice {
        let origin = origin(of: attempt.client)
        let isRepeated = wrongClaims.moment(of: attempt.claim, at: now) != nil
        var ways = [way(through: (isRepeated ? [] : attempt.skeletons.map { .reader($0) }) + origin, at: now)]
        if let place = place(of: attempt), familiarPlaces.moment(of: place, at: now) != nil {
            // Of a proxy that hides its clients, the readers who are known behind it are not kept out by the others.
            ways.append(way(through: [.place(place)] + origin.filter { $0.kind != .proxy }, at: now))
        }
        if let counters = Self.open(ways) { return .decided(proceed(attempt, counters)) }
        if let device = attempt.acquaintance {
            switch bearer {
            case .unasked: return .decided(.dependsOnBearer)
            case .acquainted:
                let own = way(through: [.device(device)], at: now)
                if let counters = Self.open([own]) { return .decided(proceed(attempt, counters)) }
                ways = [own] + ways
            case .stranger: break
            }
        }
        for case .reserved(let counter) in ways { return .waits(for: counter) }
        // All are full, and the first is the one that is the bearer's own.
        guard case .full(let wait)? = ways.first else { return .decided(.throttled(retryAfter: 1)) }
        return .decided(.throttled(retryAfter: max(1, Int(wait.rounded(.up)))))
    }

    private static func open(_ ways: [Way]) -> [GuessCounter]? {
        for case .open(let counters) in ways { return counters }
        return nil
    }

    private func way(through counters: [GuessCounter], at now: TimeInterval) -> Way {
        var reserved: GuessCounter?
        var longest: TimeInterval?
        for counter in counters {
            switch room(counter, at: now) {
            case .free: break
            case .reserved: reserved = reserved ?? counter
            case .full(let wait): longest = max(longest ?? 0, wait)
            }
        }
        if let longest { return .full(wait: longest) }
        return reserved.map { .reserved($0) } ?? .open(counters)
    }

    private mutating func proceed(_ attempt: GuessAttempt, _ counters: [GuessCounter]) -> Decision {
        for counter in counters { buckets[counter.kind.rawValue].reserve(counter) }
        return .proceed(GuessTicket(attempt, counters: counters))
    }

    private func isVouchedFor(_ ticket: GuessTicket, at now: TimeInterval) -> Bool {
        if ticket.counters.contains(where: { $0.kind == .device || $0.kind == .place }) { return true }
        return place(of: ticket.attempt).map { familiarPlaces.moment(of: $0, at: now) != nil } ?? false
    }

    private func isFull(_ counter: GuessCounter, at now: TimeInterval) -> Bool {
        if case .full = room(counter, at: now) { true } else { false }
    }

    private func room(_ counter: GuessCounter, at now: TimeInterval) -> GuessBuckets<GuessCounter>.Room {
        buckets[counter.kind.rawValue].room(counter, at: now)
    }

    private mutating func charge(_ counter: GuessCounter, at now: TimeInterval) {
        buckets[counter.kind.rawValue].charge(counter, at: now)
    }

    private mutating func empty(_ counter: GuessCounter) {
        buckets[counter.kind.rawValue].empty(counter)
    }

    /// What an attempt is counted against for where it comes from. A client whose address nobody knows is held by the
    /// reader's count alone: one count for all such would be a way to shut everybody out.
    private func origin(of client: ClientAddress?) -> [GuessCounter] {
        guard let client else { return [] }
        if client.isUnlistedProxy { return [.proxy(client)] }
        guard client.isIPv6 else { return [.address(client)] }
        return [
            .address(client.prefix(bits: limits.addressBits)), .wideBlock(client.prefix(bits: limits.wideBlockBits)),
        ]
    }

    private func place(of attempt: GuessAttempt) -> GuessPlace? {
        attempt.client.map { client in
            GuessPlace(
                identifier: attempt.identifier,
                address: client.isIPv6 ? client.prefix(bits: limits.addressBits) : client)
        }
    }
}
