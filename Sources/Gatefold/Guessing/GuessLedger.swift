public import Foundation

/// The rules of ``GuessLimiter`` as a value: no clock, no store, no lock.
///
/// - An attempt is counted when it is admitted, against its reader, its address and its wider block.
/// - A wrong claim that was wrong before is no new guess, and is not counted against the reader again.
/// - A right sign-in takes back its own count and its bearer's, never somebody else's: who owns one account can not clear
///   the count of an address, nor a stranger's guesses at a reader.
/// - When a reader's count is used up, an address from which they signed in lately has a small count of its own; so has a
///   device known as theirs, which the count of a shared address does not keep out either. Locking somebody out by
///   guessing wrong therefore does not lock out their own devices.
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
    }

    private struct Place: Hashable {
        let identifier: [UInt8]
        let address: ClientAddress
    }

    private let limits: GuessLimits
    private var time = ElapsedTime()
    private var identifiers: GuessBuckets<[UInt8]>
    private var addresses: GuessBuckets<ClientAddress>
    private var wideBlocks: GuessBuckets<ClientAddress>
    private var devices: GuessBuckets<[UInt8]>
    private var places: GuessBuckets<Place>
    private var familiarPlaces: FadingTable<Place>
    private var wrongClaims: FadingTable<[UInt8]>

    public init(limits: GuessLimits = GuessLimits()) {
        self.limits = limits
        let (window, capacity) = (limits.window, limits.capacity)
        identifiers = GuessBuckets(limit: limits.perIdentifier, window: window, capacity: capacity)
        addresses = GuessBuckets(limit: limits.perAddress, window: window, capacity: capacity)
        wideBlocks = GuessBuckets(limit: limits.perWideBlock, window: window, capacity: capacity)
        devices = GuessBuckets(limit: limits.perAcquaintance, window: window, capacity: capacity)
        places = GuessBuckets(limit: limits.perAcquaintance, window: window, capacity: capacity)
        familiarPlaces = FadingTable(capacity: capacity)
        wrongClaims = FadingTable(capacity: capacity)
    }

    /// How many entries are remembered, of all kinds.
    public var count: Int {
        identifiers.count + addresses.count + wideBlocks.count + devices.count + places.count + familiarPlaces.count
            + wrongClaims.count
    }

    public mutating func admit(_ attempt: GuessAttempt, from bearer: Bearer, at moment: Date) -> Decision {
        let now = time.advance(to: moment)
        let isRepeated = wrongClaims.moment(of: attempt.claim, at: now) != nil
        let identifierWait = isRepeated ? 0 : identifiers.wait(attempt.identifier, at: now)
        let addressWait = addressWait(attempt.client, at: now)
        if identifierWait == 0, addressWait == 0 {
            return proceed(attempt, isRepeated ? [.address] : [.identifier, .address], at: now)
        }
        if addressWait == 0, let place = place(of: attempt), familiarPlaces.moment(of: place, at: now) != nil,
            places.wait(place, at: now) == 0
        {
            return proceed(attempt, [.place, .address], at: now)
        }
        if let device = attempt.acquaintance {
            switch bearer {
            case .unasked:
                return .dependsOnBearer
            case .acquainted:
                let wait = devices.wait(device, at: now)
                return wait == 0 ? proceed(attempt, [.device], at: now) : throttled(wait)
            case .stranger:
                break
            }
        }
        return throttled(max(identifierWait, addressWait))
    }

    public mutating func settle(_ ticket: GuessTicket, as outcome: GuessOutcome, at moment: Date) {
        let now = time.advance(to: moment)
        let attempt = ticket.attempt
        switch outcome {
        case .undecided:
            refund(ticket.counted, of: attempt, at: now)
        case .wrong:
            if wrongClaims.moment(of: attempt.claim, at: now) != nil {
                refund(ticket.counted.intersection(.identifier), of: attempt, at: now)
            }
            wrongClaims.set(attempt.claim, until: now + limits.window, at: now)
        case .right:
            refund(ticket.counted, of: attempt, at: now)
            wrongClaims.remove(attempt.claim)
            if let device = attempt.acquaintance { devices.empty(device) }
            if let place = place(of: attempt) {
                places.empty(place)
                familiarPlaces.set(place, until: now + limits.familiarity, at: now)
            }
        }
    }

    private mutating func proceed(
        _ attempt: GuessAttempt, _ counted: GuessTicket.Counted, at now: TimeInterval
    ) -> Decision {
        if counted.contains(.identifier) { identifiers.charge(attempt.identifier, at: now) }
        if counted.contains(.device), let device = attempt.acquaintance { devices.charge(device, at: now) }
        if counted.contains(.place), let place = place(of: attempt) { places.charge(place, at: now) }
        if counted.contains(.address), let client = attempt.client {
            addresses.charge(address(of: client), at: now)
            if let block = wideBlock(of: client) { wideBlocks.charge(block, at: now) }
        }
        return .proceed(GuessTicket(attempt, counted: counted))
    }

    private mutating func refund(_ counted: GuessTicket.Counted, of attempt: GuessAttempt, at now: TimeInterval) {
        if counted.contains(.identifier) { identifiers.refund(attempt.identifier, at: now) }
        if counted.contains(.device), let device = attempt.acquaintance { devices.refund(device, at: now) }
        if counted.contains(.place), let place = place(of: attempt) { places.refund(place, at: now) }
        if counted.contains(.address), let client = attempt.client {
            addresses.refund(address(of: client), at: now)
            if let block = wideBlock(of: client) { wideBlocks.refund(block, at: now) }
        }
    }

    /// A client whose address nobody knows is held by the reader's count alone: one count for all such would be a way to
    /// shut everybody out.
    private func addressWait(_ client: ClientAddress?, at now: TimeInterval) -> TimeInterval {
        guard let client else { return 0 }
        let wide = wideBlock(of: client).map { wideBlocks.wait($0, at: now) } ?? 0
        return max(wide, addresses.wait(address(of: client), at: now))
    }

    private func throttled(_ wait: TimeInterval) -> Decision {
        .throttled(retryAfter: max(1, Int(wait.rounded(.up))))
    }

    private func address(of client: ClientAddress) -> ClientAddress {
        client.isIPv6 ? client.prefix(bits: limits.addressBits) : client
    }

    private func wideBlock(of client: ClientAddress) -> ClientAddress? {
        client.isIPv6 ? client.prefix(bits: limits.wideBlockBits) : nil
    }

    private func place(of attempt: GuessAttempt) -> Place? {
        attempt.client.map { Place(identifier: attempt.identifier, address: address(of: $0)) }
    }
}
