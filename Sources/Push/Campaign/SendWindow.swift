import Gatefold

/// The tokens of a campaign between the stored position and the last token begun.
///
/// Notifications finish in any order, but a campaign's position is one number: the last token up to which all are
/// processed. Notifications beyond the stored position are repeated after a crash, so their number is limited.
struct SendWindow: Sendable {
    private struct Entry {
        let place: Int64
        var outcome: PushOutcome?
    }

    /// The maximum number of tokens beyond the stored position.
    let room: Int
    private var entries: [Entry] = []
    /// The number of the first entry, counted over the whole campaign.
    private var first = 0
    /// The number of tokens processed since the position was last stored.
    private(set) var processedCount = 0

    init(room: Int) {
        self.room = max(1, room)
    }

    var hasRoom: Bool { processedCount + entries.count < room }

    /// Begins a token.
    ///
    /// - Returns: The number for ``finish(_:_:)``.
    mutating func begin(_ place: Int64) -> Int {
        entries.append(Entry(place: place))
        return first + entries.count - 1
    }

    mutating func finish(_ number: Int, _ outcome: PushOutcome) {
        entries[number - first].outcome = outcome
    }

    /// Removes the processed tokens at the front and counts them.
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
        processedCount += ready.count
    }

    mutating func didSave() { processedCount = 0 }
}
