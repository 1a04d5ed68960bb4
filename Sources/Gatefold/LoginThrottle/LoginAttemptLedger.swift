public import Foundation
import Primitives

/// The rules of ``LoginThrottle`` as a value, without clock, store or lock.
///
/// - An attempt counts as a wrong attempt when it starts, against its reader, its address and its wider block.
///   Therefore parallel attempts decide no more guesses than sequential attempts.
/// - If only undecided attempts use up the limit, a new attempt waits for them. It is not rejected, because they
///   may all be right.
/// - A repeated wrong claim is not a new wrong attempt, and is not counted against the reader again.
/// - A successful sign-in does not count, and clears only the counters of its own device and place. The owner of
///   one account therefore cannot clear the count of an address, or wrong attempts of others against a reader.
/// - When a reader's count is used up, an address with a recent sign-in of the reader has a small count of its own.
///   So has a known device of the reader, and the count of a shared address does not block that device either.
///   Wrong attempts of others therefore do not lock out the reader's own devices.
/// - Wrong attempts are counted by the look-alike skeletons of the identifier, and by the subscriber that the
///   backend found, because a database may treat many spellings as equal. Devices and addresses belong to a reader
///   under one spelling only. Source: Pitfall 22, “Throttle key and backend equality differ”.
public struct LoginAttemptLedger: Sendable {
    /// The status of the device that makes an attempt.
    public enum DeviceTrust: Sendable {
        /// The status is not yet known.
        case unresolved
        case unknownDevice
        /// The device has signed in as this reader before.
        case knownDevice
    }

    public enum Decision: Sendable, Equatable {
        case proceed(LoginAttemptPermit)
        /// - Parameter retryAfter: The wait in whole seconds, at least 1.
        case throttled(retryAfter: Int)
        /// The decision depends on whether the device is known. Call again with the status of the device.
        case dependsOnDeviceTrust
        /// The decision depends on running attempts. ``settle(_:as:of:at:)`` returns the decision, unless
        /// ``withdraw(_:)`` comes first.
        case queued(UInt64)
        /// Too many attempts wait already.
        case queueFull
    }

    /// The result of an attempt that waited.
    public struct ReleasedAttempt: Sendable, Equatable {
        public let waitingAttempt: UInt64
        /// The decision: proceed, throttled, or a full queue.
        public let decision: Decision
    }

    public struct Settlement: Sendable, Equatable {
        /// A Boolean value that indicates whether a right sign-in is accepted. It is not accepted if the wrong
        /// attempts against its subscriber are used up, unless the reader signed in recently from this address or
        /// uses a known device.
        public let holds: Bool
        public let released: [ReleasedAttempt]
    }

    private enum Choice {
        case settled(Decision)
        case waits(for: LoginAttemptCounter)
    }

    /// A set of counters that may admit an attempt.
    private enum BucketRoute {
        case open([LoginAttemptCounter])
        case reserved(LoginAttemptCounter)
        case full(wait: TimeInterval)
    }

    private let limits: LoginThrottleLimits
    private var buckets: [LoginAttemptBuckets<LoginAttemptCounter>]
    private var knownLocations: ExpiringDictionary<LoginAttemptLocation>
    private var failedIdentifiers: ExpiringDictionary<[UInt8]>
    private var queue: LoginAttemptQueue
    private var lastWaitingAttempt: UInt64 = 0

    public init(limits: LoginThrottleLimits = LoginThrottleLimits()) {
        self.limits = limits
        buckets = LoginAttemptCounter.Kind.allCases.map {
            LoginAttemptBuckets(limit: limits.limit(of: $0), window: limits.window, capacity: limits.capacity)
        }
        knownLocations = ExpiringDictionary(capacity: limits.capacity)
        failedIdentifiers = ExpiringDictionary(capacity: limits.capacity)
        queue = LoginAttemptQueue(capacity: limits.maxQueued, capacityPerCounter: limits.maxQueuedPerCounter)
    }

    /// The number of stored entries of all kinds.
    public var count: Int {
        buckets.reduce(0) { $0 + $1.count } + knownLocations.count + failedIdentifiers.count
    }

    /// The number of waiting attempts.
    public var queued: Int { queue.count }

    /// Decides on an attempt.
    ///
    /// - Parameters:
    ///   - attempt: The attempt.
    ///   - deviceTrust: Whether the device has signed in as this reader before.
    ///   - now: The time of `WallClock.elapsed`, as in all methods of this type.
    public mutating func admit(_ attempt: LoginAttempt, from deviceTrust: DeviceTrust, at now: TimeInterval) -> Decision
    {
        switch choose(for: attempt, from: deviceTrust, at: now) {
        case .settled(let decision): return decision
        case .waits(let counter):
            lastWaitingAttempt += 1
            let waitingAttempt = LoginAttemptQueue.WaitingAttempt(
                id: lastWaitingAttempt, attempt: attempt, deviceTrust: deviceTrust)
            return queue.append(waitingAttempt, for: counter) ? .queued(waitingAttempt.id) : .queueFull
        }
    }

    /// Removes a waiting attempt. Returns false if it was released before.
    @discardableResult
    public mutating func withdraw(_ waitingAttempt: UInt64) -> Bool {
        queue.remove(waitingAttempt)
    }

    /// Records the outcome of an attempt.
    ///
    /// - Parameters:
    ///   - permit: The permit that the admission of the attempt returned.
    ///   - outcome: The outcome.
    ///   - subscribers: The subscribers that the backend found, if it reports them. It may report them for a wrong
    ///     proof, too.
    ///   - now: The time of `WallClock.elapsed`.
    public mutating func settle(
        _ permit: LoginAttemptPermit, as outcome: LoginAttemptOutcome, of subscribers: [SubscriberPseudonym] = [],
        at now: TimeInterval
    ) -> Settlement {
        let attempt = permit.attempt
        for counter in permit.counters { buckets[counter.kind.rawValue].release(counter) }
        var freed = permit.counters
        var holds = true
        switch outcome {
        case .undecided: break
        case .wrong:
            for counter in counters(chargedBy: permit, of: subscribers, at: now) { charge(counter, at: now) }
            failedIdentifiers.set(attempt.claim, until: now + limits.window, at: now)
        case .right:
            if !isTrustedDevice(permit, at: now), subscribers.contains(where: { isFull(.subscriber($0), at: now) }) {
                holds = false
                break
            }
            failedIdentifiers.remove(attempt.claim)
            if let device = attempt.deviceDigest {
                empty(.device(device))
                freed.append(.device(device))
            }
            if let place = place(of: attempt) {
                empty(.place(place))
                freed.append(.place(place))
                knownLocations.set(place, until: now + limits.knownDeviceTTL, at: now)
            }
        }
        return Settlement(holds: holds, released: freed.flatMap { release($0, at: now) })
    }

    /// Returns the counters that a wrong attempt is counted by.
    func counters(
        chargedBy permit: LoginAttemptPermit, of subscribers: [SubscriberPseudonym], at now: TimeInterval
    ) -> [LoginAttemptCounter] {
        let isRepeated = failedIdentifiers.timestamp(of: permit.attempt.claim, at: now) != nil
        let charged = permit.counters.filter { !(isRepeated && $0.kind == .reader) }
        // Subscribers are charged only if the attempt counts against the reader.
        guard charged.contains(where: { $0.kind == .reader }) else { return charged }
        return charged + subscribers.map { .subscriber($0) }
    }

    /// Returns the counters that admit a right attempt of these subscribers; none if its device is trusted.
    func counters(
        admitting permit: LoginAttemptPermit, of subscribers: [SubscriberPseudonym], at now: TimeInterval
    ) -> [LoginAttemptCounter] {
        isTrustedDevice(permit, at: now) ? [] : permit.counters + subscribers.map { .subscriber($0) }
    }

    /// Returns the longest wait for a counter that wrong attempts have used up, or nil if there is none.
    func wait(for counters: [LoginAttemptCounter], at now: TimeInterval) -> TimeInterval? {
        counters.compactMap { if case .full(let wait) = room($0, at: now) { wait } else { nil } }.max()
    }

    /// Returns the largest number of wrong attempts of the counters.
    func failures(for counters: [LoginAttemptCounter], at now: TimeInterval) -> Int {
        counters.map { buckets[$0.kind.rawValue].failures($0, at: now) }.max() ?? 0
    }

    /// Removes the wrong attempts of counters.
    ///
    /// - Returns: The attempts that waited for one of the counters.
    mutating func forget(_ counters: [LoginAttemptCounter], at now: TimeInterval) -> [ReleasedAttempt] {
        for counter in counters { empty(counter) }
        return counters.flatMap { release($0, at: now) }
    }

    /// Sets a counter to the wrong attempts at all nodes, if these are more.
    ///
    /// - Parameter debt: The number of seconds until the counter is empty.
    mutating func raise(_ counter: LoginAttemptCounter, to debt: TimeInterval, at now: TimeInterval) {
        buckets[counter.kind.rawValue].raise(counter, to: debt, at: now)
    }

    /// Releases the attempts that wait for a counter while there is room.
    private mutating func release(_ counter: LoginAttemptCounter, at now: TimeInterval) -> [ReleasedAttempt] {
        var released: [ReleasedAttempt] = []
        while let waitingAttempt = queue.first(for: counter) {
            switch choose(for: waitingAttempt.attempt, from: waitingAttempt.deviceTrust, at: now) {
            case .waits(counter):
                return released
            case .waits(let other):
                queue.removeFirst(for: counter)
                if !queue.append(waitingAttempt, for: other) {
                    released.append(ReleasedAttempt(waitingAttempt: waitingAttempt.id, decision: .queueFull))
                }
            case .settled(let decision):
                queue.removeFirst(for: counter)
                released.append(ReleasedAttempt(waitingAttempt: waitingAttempt.id, decision: decision))
            }
        }
        return released
    }

    private mutating func choose(for attempt: LoginAttempt, from deviceTrust: DeviceTrust, at now: TimeInterval)
        -> Choice
    {
        let origin = origin(of: attempt.client)
        let isRepeated = failedIdentifiers.timestamp(of: attempt.claim, at: now) != nil
        var bucketRoutes = [
            bucketRoute(through: (isRepeated ? [] : attempt.skeletons.map { .reader($0) }) + origin, at: now)
        ]
        if let place = place(of: attempt), knownLocations.timestamp(of: place, at: now) != nil {
            // An unlisted proxy hides its clients. Its count does not block a known reader behind it.
            bucketRoutes.append(bucketRoute(through: [.place(place)] + origin.filter { $0.kind != .proxy }, at: now))
        }
        if let counters = Self.open(bucketRoutes) { return .settled(proceed(attempt, counters)) }
        if let device = attempt.deviceDigest {
            switch deviceTrust {
            case .unresolved: return .settled(.dependsOnDeviceTrust)
            case .knownDevice:
                let own = bucketRoute(through: [.device(device)], at: now)
                if let counters = Self.open([own]) { return .settled(proceed(attempt, counters)) }
                bucketRoutes = [own] + bucketRoutes
            case .unknownDevice: break
            }
        }
        for case .reserved(let counter) in bucketRoutes { return .waits(for: counter) }
        // All counters are full. The first set is the device's own, if the device is known.
        guard case .full(let wait)? = bucketRoutes.first else { return .settled(.throttled(retryAfter: 1)) }
        return .settled(.throttled(retryAfter: max(1, Int(wait.rounded(.up)))))
    }

    private static func open(_ bucketRoutes: [BucketRoute]) -> [LoginAttemptCounter]? {
        for case .open(let counters) in bucketRoutes { return counters }
        return nil
    }

    private func bucketRoute(through counters: [LoginAttemptCounter], at now: TimeInterval) -> BucketRoute {
        var reserved: LoginAttemptCounter?
        var maxWait: TimeInterval?
        for counter in counters {
            switch room(counter, at: now) {
            case .free: break
            case .reserved: reserved = reserved ?? counter
            case .full(let wait): maxWait = max(maxWait ?? 0, wait)
            }
        }
        if let maxWait { return .full(wait: maxWait) }
        return reserved.map { .reserved($0) } ?? .open(counters)
    }

    private mutating func proceed(_ attempt: LoginAttempt, _ counters: [LoginAttemptCounter]) -> Decision {
        for counter in counters { buckets[counter.kind.rawValue].reserve(counter) }
        return .proceed(LoginAttemptPermit(attempt, counters: counters))
    }

    private func isTrustedDevice(_ permit: LoginAttemptPermit, at now: TimeInterval) -> Bool {
        if permit.counters.contains(where: { $0.kind == .device || $0.kind == .place }) { return true }
        return place(of: permit.attempt).map { knownLocations.timestamp(of: $0, at: now) != nil } ?? false
    }

    private func isFull(_ counter: LoginAttemptCounter, at now: TimeInterval) -> Bool {
        if case .full = room(counter, at: now) { true } else { false }
    }

    private func room(_ counter: LoginAttemptCounter, at now: TimeInterval)
        -> LoginAttemptBuckets<LoginAttemptCounter>.BucketCapacity
    {
        buckets[counter.kind.rawValue].room(counter, at: now)
    }

    private mutating func charge(_ counter: LoginAttemptCounter, at now: TimeInterval) {
        buckets[counter.kind.rawValue].charge(counter, at: now)
    }

    private mutating func empty(_ counter: LoginAttemptCounter) {
        buckets[counter.kind.rawValue].empty(counter)
    }

    /// Returns the counters for the origin of an attempt. A client without a known address has none, and only the
    /// reader's count limits it. A shared count for all such clients would let one client lock out all others.
    private func origin(of client: ClientAddress?) -> [LoginAttemptCounter] {
        guard let client else { return [] }
        if client.isUnlistedProxy { return [.proxy(client)] }
        guard client.isIPv6 else { return [.address(client)] }
        return [
            .address(client.prefix(bits: limits.addressBits)), .network(client.prefix(bits: limits.networkPrefixBits)),
        ]
    }

    private func place(of attempt: LoginAttempt) -> LoginAttemptLocation? {
        attempt.client.map { client in
            LoginAttemptLocation(
                identifier: attempt.identifier,
                address: client.isIPv6 ? client.prefix(bits: limits.addressBits) : client)
        }
    }
}
