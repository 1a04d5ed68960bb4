import BackendFixtures

/// Additional readers with constant subscriptions, by which the first round reaches full coverage.
///
/// According to ``PublisherSystem/subscription(_:)``, a reader whose number is divisible by 20 is active and holds the
/// first two editions.
struct FixedReaders: Sendable {
    /// The readers who test one kind of fault.
    struct FaultReaders: Sendable {
        let outage: Outage
        /// A reader verified as "active" right before the fault, so that a cached result exists.
        let regular: SoakReader
        /// A reader who only signs in before the fault, so that no cached result exists.
        let newcomer: SoakReader
    }

    /// The reader who makes every call.
    let explorer = SoakReader(1_000)
    /// An inactive reader who holds an edition.
    let lapsed = SoakReader(1_003)
    let suspended = SoakReader(1_004)
    let faultReaders = Outage.allCases.enumerated().map {
        FaultReaders(
            outage: $0.element, regular: SoakReader(1_020 + 40 * $0.offset),
            newcomer: SoakReader(1_040 + 40 * $0.offset))
    }

    var all: [SoakReader] { [explorer, lapsed, suspended] + faultReaders.flatMap { [$0.regular, $0.newcomer] } }
}
