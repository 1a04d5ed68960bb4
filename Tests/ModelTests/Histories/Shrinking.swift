import Gatefold

/// Shortens a failing history for readability.
enum Shrinking {
    /// Returns the shortest failing history found: without any of its events, or with a simpler second half of its
    /// setting, it would pass.
    static func shrunk(_ failing: History) async -> (history: History, contradiction: String) {
        var best = failing
        var message = await contradiction(failing) ?? "not reproducible"
        var size = max(1, best.events.count / 2)
        while size >= 1 {
            var start = 0
            while start < best.events.count {
                var shorter = best
                shorter.events.removeSubrange(start..<min(start + size, best.events.count))
                if let still = await contradiction(shorter) {
                    (best, message) = (shorter, still)
                } else {
                    start += size
                }
            }
            if size == 1 { break }
            size /= 2
        }
        for plainer in plainer {
            var simpler = best
            plainer(&simpler.setting)
            if let still = await contradiction(simpler) { (best, message) = (simpler, still) }
        }
        return (best, message)
    }

    private static let plainer: [@Sendable (inout HistorySetting) -> Void] = [
        { $0.isOnDisk = false }, { $0.processes = 1 }, { $0.foldsNames = false }, { $0.opensSessions = false },
        { $0.decidesEditions = false },
        { setting in setting.titles.indices.forEach { setting.titles[$0].hasStore = false } },
        { setting in setting.titles.indices.forEach { setting.titles[$0].deviceLimit = nil } },
        { setting in setting.titles.indices.forEach { setting.titles[$0].saltFormat = .sealed } },
        { setting in setting.titles.indices.forEach { setting.titles[$0].catalogueChoice = .full } },
        { setting in setting.titles.indices.forEach { setting.titles[$0].failsOpen = false } },
        { setting in setting.titles.indices.forEach { setting.titles[$0].policy = .issueBased } },
        {
            setting in
            setting.titles.indices.forEach {
                setting.titles[$0].grace.previousOfHeld = 0
                setting.titles[$0].grace.newestForActive = 0
            }
        },
    ]

    static func contradiction(_ history: History) async -> String? {
        do {
            _ = try await HistoryRunner.check(history)
            return nil
        } catch {
            return "\(error)"
        }
    }
}
