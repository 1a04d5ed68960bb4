import Foundation
import Gatefold
import Push
import Synchronization

/// How far a campaign is: a bar on a terminal, else a line for every tenth.
final class CampaignDisplay: Sendable {
    private let bar: ProgressBar
    private let isTerminal: Bool
    private let state = Mutex((tenth: -1, total: 0))

    init(isTerminal: Bool) {
        self.isTerminal = isTerminal
        bar = ProgressBar(isShown: isTerminal)
    }

    /// Of how many tokens; 0 before anything was shown.
    var total: Int { state.withLock(\.total) }

    func show(_ campaign: PushCampaign, total: Int) {
        let share = total == 0 ? 1 : min(1, Double(campaign.dealtWith) / Double(total))
        let isNext = state.withLock { state in
            state.total = total
            guard Int(share * 10) > state.tenth else { return false }
            state.tenth = Int(share * 10)
            return true
        }
        let words =
            "\(campaign.dealtWith) of \(total): \(campaign.sent) sent, \(campaign.failed) failed, \(campaign.gone) gone"
        if isTerminal {
            bar.show(share, words)
        } else if isNext {
            FileHandle.standardError.write(Data("\(campaign.name): \(words)\n".utf8))
        }
    }

    func clear() { bar.clear() }
}
