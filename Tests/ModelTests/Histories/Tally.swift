/// The counted outcomes of histories, because a model without hard cases agrees with any program.
struct Tally: Sendable {
    enum Outcome: String, CaseIterable, Sendable {
        // Sign-in and renewal.
        case signedIn, signedInFromCache, signInUnavailable, deviceRejected, deviceEvicted, renewedAfterExpiry
        // Status of a token.
        case tokenEnded, tokenExpired
        // Verification.
        case verified, verifiedFromCache, verificationUnavailable, verifiedWithoutQuery
        // Edition credentials.
        case granted, grantedFromCache, rejected, grantedForNow, deniedAfterRejection, credentialsUnavailable
        case grantedWithoutQuery, rejectedWithoutQuery
        // The only reason for which an edition opens.
        case openedByPeriod, openedAtStartOfPeriod, openedAtEndOfPeriod, openedByGrace, openedByPurchase
        // Downloads.
        case downloaded, resumedAfterExpiry, deniedAfterExpiry, deniedAfterEnd
        // After lifetimes were shortened and the store discarded old data, and after a wrong clock.
        case expiredAfterShortening, endedAfterClockStep
        // Knowledge that one of two processes on a store has and the other lacks, or lacks for now.
        case validUntilEndReported, endedElsewhere, formerPasswordElsewhere, recalledAndUndone,
            deniedAfterEventElsewhere
        // Names that the subscriber system treats as equal.
        case signedInByLookAlike, formerPasswordByLookAlike
        // Hundreds of editions that do not exist.
        case requestedUnknownEdition, cachedAfterUnknownEdition, deniedAfterUnknownEdition
    }

    /// The minimum count of each outcome in 1,000 histories: at most half of the actual count.
    static let floors: [Outcome: Int] = [
        .signedIn: 2000, .signedInFromCache: 20, .signInUnavailable: 150, .deviceRejected: 20,
        .deviceEvicted: 20, .renewedAfterExpiry: 30, .tokenEnded: 200, .tokenExpired: 100, .verified: 800,
        .verifiedFromCache: 80, .verificationUnavailable: 200, .verifiedWithoutQuery: 150, .granted: 400,
        .grantedFromCache: 100, .rejected: 600, .grantedForNow: 90, .deniedAfterRejection: 150,
        .credentialsUnavailable: 500, .grantedWithoutQuery: 50, .rejectedWithoutQuery: 150, .openedByPeriod: 20,
        .openedAtStartOfPeriod: 8, .openedAtEndOfPeriod: 6, .openedByGrace: 30, .openedByPurchase: 20,
        .downloaded: 200, .resumedAfterExpiry: 40, .deniedAfterExpiry: 90, .deniedAfterEnd: 100,
        .expiredAfterShortening: 50, .endedAfterClockStep: 100, .validUntilEndReported: 15, .endedElsewhere: 20,
        .formerPasswordElsewhere: 12, .recalledAndUndone: 10, .deniedAfterEventElsewhere: 80, .signedInByLookAlike: 50,
        .formerPasswordByLookAlike: 50, .requestedUnknownEdition: 45, .cachedAfterUnknownEdition: 40,
        .deniedAfterUnknownEdition: 60,
    ]

    /// The number of histories below which no minimum applies.
    static let minHistories = 1_000

    private(set) var counts: [Outcome: Int] = [:]

    mutating func count(_ outcome: Outcome, if condition: Bool = true) {
        if condition { counts[outcome, default: 0] += 1 }
    }

    mutating func add(_ other: Tally) {
        counts.merge(other.counts, uniquingKeysWith: +)
    }

    /// Returns the outcomes with too low a count.
    func missing(of histories: Int) -> [String] {
        guard histories >= Self.minHistories else { return [] }
        return Outcome.allCases.compactMap { outcome in
            let (found, minimum) = (counts[outcome] ?? 0, (Self.floors[outcome] ?? 1_000_000) * histories / 1_000)
            return found < minimum ? "\(outcome.rawValue): \(found), at least \(minimum)" : nil
        }
    }
}
