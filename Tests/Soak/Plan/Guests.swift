import BackendBenches

/// Readers beside the crowd, whose subscriptions never change: by them the first round makes sure that everything happens.
///
/// By ``PublisherSystem/subscription(_:)`` whose number divides by twenty is active and holds the first two editions.
struct Guests: Sendable {
    /// Those by whom one kind of bad day is seen.
    struct Witnesses: Sendable {
        let outage: Outage
        /// Told "active" right before it, which stands in then.
        let regular: SoakReader
        /// Only signs in before it: nothing is known of them that could stand in.
        let newcomer: SoakReader
    }

    /// Tries everything.
    let curious = SoakReader(1_000)
    /// Pays no more, and holds an edition.
    let lapsed = SoakReader(1_003)
    let suspended = SoakReader(1_004)
    let witnesses = Outage.allCases.enumerated().map {
        Witnesses(
            outage: $0.element, regular: SoakReader(1_020 + 40 * $0.offset),
            newcomer: SoakReader(1_040 + 40 * $0.offset))
    }

    var all: [SoakReader] { [curious, lapsed, suspended] + witnesses.flatMap { [$0.regular, $0.newcomer] } }
}
