import Foundation
import Gatefold
import Push
import Synchronization

/// A display of the progress of a campaign: a bar on a terminal, otherwise a line for every tenth.
final class CampaignDisplay: Sendable {
    private let bar: ProgressBar
    private let isTerminal: Bool
    private let state = Mutex((tenth: -1, total: 0))

    init(isTerminal: Bool) {
        self.isTerminal = isTerminal
        bar = ProgressBar(isShown: isTerminal)
    }

    /// The total number of tokens; 0 before the first update.
    var total: Int { state.withLock(\.total) }

    func show(_ campaign: PushCampaign, total: Int) {
        let share = total == 0 ? 1 : min(1, Double(campaign.processedCount) / Double(total))
        let isNext = state.withLock { state in
            state.total = total
            guard Int(share * 10) > state.tenth else { return false }
            state.tenth = Int(share * 10)
            return true
        }
        let summary =
            "\(campaign.processedCount) of \(total): \(campaign.sent) sent, \(campaign.failed) failed, \(campaign.gone) gone"
        if isTerminal {
            bar.show(share, summary)
        } else if isNext {
            FileHandle.standardError.write(Data("\(campaign.name): \(summary)\n".utf8))
        }
    }

    func clear() { bar.clear() }
}
