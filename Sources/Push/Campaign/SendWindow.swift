import Gatefold

/// The tokens of a campaign between the place that was kept and the last one begun.
///
/// Notifications end in any order, but a campaign's place is one number: the last token before which all are dealt with.
/// What is beyond the place that was kept is sent again after a crash, so there may only be so many.
struct SendWindow: Sendable {
    private struct Entry {
        let place: Int64
        var outcome: PushOutcome?
    }

    /// The most tokens beyond the place that was kept.
    let room: Int
    private var entries: [Entry] = []
    /// The number of the first entry, counted over the whole campaign.
    private var first = 0
    /// Dealt with since the place was last kept.
    private(set) var dealtWith = 0

    init(room: Int) {
        self.room = max(1, room)
    }

    var hasRoom: Bool { dealtWith + entries.count < room }

    /// - Returns: the number to ``finish(_:_:)`` it by.
    mutating func begin(_ place: Int64) -> Int {
        entries.append(Entry(place: place))
        return first + entries.count - 1
    }

    mutating func finish(_ number: Int, _ outcome: PushOutcome) {
        entries[number - first].outcome = outcome
    }

    /// Takes out the tokens at the front that are dealt with, and counts them.
    mutating func advance(_ campaign: inout PushCampaign) {
        let ready = entries.prefix { $0.outcome != nil }
        for entry in ready {
            campaign.position = entry.place
            switch entry.outcome?.result {
            case .sent: campaign.sent += 1
            case .gone: campaign.gone += 1
            default: campaign.failed += 1
            }
        }
        entries.removeFirst(ready.count)
        first += ready.count
        dealtWith += ready.count
    }

    mutating func didKeep() { dealtWith = 0 }
}
