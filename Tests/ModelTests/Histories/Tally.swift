/// What histories came to: a model that is never asked the hard questions agrees with any program.
struct Tally: Sendable {
    enum Outcome: String, CaseIterable, Sendable {
        // Sign-in and renewal.
        case signedIn, recognisedByStandIn, signInComesBack, deviceRefused, deviceEvicted, renewedAfterExpiry
        // What a token is worth.
        case tokenEnded, tokenExpired
        // Verification.
        case verified, verifiedByStandIn, verificationComesBack, decidedVerification
        // Edition credentials.
        case granted, grantedByStandIn, refused, grantedForNow, keptClosedByRefusal, credentialsComeBack
        case decidedGrant, decidedRefusal
        // What opens an edition that nothing else would.
        case openedByPeriod, openedAtStartOfPeriod, openedAtEndOfPeriod, openedByGrace, openedByPurchase
        // Downloads.
        case downloaded, resumedAfterExpiry, refusedAfterExpiry, refusedAfterEnd
        // After lifetimes were shortened and the store forgot what is old; after the clock was wrong.
        case endedAfterShortening, endedAfterClockStep
        // Of two processes on one store, what one knows and the other does not, or not yet.
        case goodUntilToldOfEnd, endedElsewhere, formerPasswordElsewhere, recalledAndUndone, keptClosedByNews
        // Names that look alike to the house.
        case signedInByLookAlike, formerPasswordByLookAlike
        // Editions that there are not, by the hundred.
        case askedForMadeUp, standsInAfterMadeUp, keptClosedAfterMadeUp
        // Answers that could be given once more in the same second.
        case keptStands, keptFalls
    }

    /// Of a thousand histories at least so many outcomes of each kind: half of what there are, or less.
    static let floors: [Outcome: Int] = [
        .signedIn: 2000, .recognisedByStandIn: 20, .signInComesBack: 150, .deviceRefused: 20,
        .deviceEvicted: 20, .renewedAfterExpiry: 30, .tokenEnded: 200, .tokenExpired: 100, .verified: 800,
        .verifiedByStandIn: 80, .verificationComesBack: 200, .decidedVerification: 150, .granted: 400,
        .grantedByStandIn: 100, .refused: 600, .grantedForNow: 90, .keptClosedByRefusal: 150,
        .credentialsComeBack: 500, .decidedGrant: 50, .decidedRefusal: 150, .openedByPeriod: 20,
        .openedAtStartOfPeriod: 8, .openedAtEndOfPeriod: 6, .openedByGrace: 30, .openedByPurchase: 20,
        .downloaded: 200, .resumedAfterExpiry: 40, .refusedAfterExpiry: 90, .refusedAfterEnd: 100,
        .endedAfterShortening: 50, .endedAfterClockStep: 100, .goodUntilToldOfEnd: 15, .endedElsewhere: 20,
        .formerPasswordElsewhere: 12, .recalledAndUndone: 10, .keptClosedByNews: 80, .signedInByLookAlike: 50,
        .formerPasswordByLookAlike: 50, .askedForMadeUp: 45, .standsInAfterMadeUp: 40, .keptClosedAfterMadeUp: 60,
        .keptStands: 12000, .keptFalls: 200,
    ]

    /// Fewer histories may miss anything.
    static let fewest = 1_000

    private(set) var counts: [Outcome: Int] = [:]

    mutating func count(_ outcome: Outcome, if isSo: Bool = true) {
        if isSo { counts[outcome, default: 0] += 1 }
    }

    mutating func add(_ other: Tally) {
        counts.merge(other.counts, uniquingKeysWith: +)
    }

    /// The kinds of which there are too few.
    func missing(of histories: Int) -> [String] {
        guard histories >= Self.fewest else { return [] }
        return Outcome.allCases.compactMap { outcome in
            let (found, least) = (counts[outcome] ?? 0, (Self.floors[outcome] ?? 1_000_000) * histories / 1_000)
            return found < least ? "\(outcome.rawValue): \(found), at least \(least)" : nil
        }
    }
}
