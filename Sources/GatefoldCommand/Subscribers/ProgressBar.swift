import Backends
import Foundation

/// A progress bar of a long operation on a terminal.
struct ProgressBar: Sendable {
    private static let width = 40
    let isShown: Bool
    private let start = ContinuousClock.now

    init(isShown: Bool) {
        self.isShown = isShown
    }

    func show(_ progress: ImportProgress) {
        let share = progress.totalBytes.map { $0 == 0 ? 1 : Double(progress.bytes) / Double($0) }
        let bad = progress.badRows > 0 ? ", \(progress.badRows) bad" : ""
        show(share, "\(progress.rows) rows\(bad)")
    }

    /// - Parameter share: The completed share from 0 to 1; nil if it is unknown.
    func show(_ share: Double?, _ message: String) {
        guard isShown else { return }
        let filled = Int((share ?? 0) * Double(Self.width))
        let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: Self.width - filled)
        let percent = share.map { "\(Int($0 * 100)) %" } ?? ""
        let seconds = (ContinuousClock.now - start).components.seconds
        write("\r\u{1B}[K\(bar) \(percent)  \(message), \(seconds) s")
    }

    func clear() {
        if isShown { write("\r\u{1B}[K") }
    }

    private func write(_ text: String) {
        FileHandle.standardError.write(Data(text.utf8))
    }
}
